"""The example that is done by hand, and the worlds that judge a reader's function."""

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.lab.exercises.others import EIGHTEEN, FAR_OFF, colleague, quantile, score, worlds_of
from workbench.chapters.matrix_quantile.quantiles import UNIT
from workbench.estimators.stable_quantile import Influence, normal_level


def test_eighteen_rows_have_the_counts_and_quantiles_of_the_text():
    assert (score(EIGHTEEN), score(FAR_OFF)) == (4, 3)
    assert [quantile(rows, 9) for rows in (EIGHTEEN, FAR_OFF)] == pytest.approx([2, 2.125])
    assert quantile(np.append(EIGHTEEN[1:], 1e6), 9) == pytest.approx(2.125)


def test_the_unit_is_that_of_normal_rows():
    assert brentq(lambda p: normal_level(Influence(1.0), 1, p) - 0.3, 0.1, 20.0) == pytest.approx(
        UNIT, abs=1e-4
    )


@pytest.mark.daily
def test_hidden_worlds_tell_right_from_wrong_and_from_silent():
    assert worlds_of(colleague) == (200, 200)
    assert worlds_of(lambda x, trials, rng: 3 * colleague(x, trials, rng))[0] == 0
    assert worlds_of(lambda x, trials, rng: np.full(trials, np.nan))[0] == 0
    assert worlds_of(lambda x, trials, rng: np.ones(trials))[0] < 20
