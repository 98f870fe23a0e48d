"""The covariance from a matrix quantile: its design, what it charges, and subspaces."""

from math import log1p
from unittest.mock import patch

import numpy as np
import pytest

from workbench.estimators import matrix_quantile
from workbench.estimators.matrix_quantile import MatrixQuantile, MatrixQuantileCovariance
from workbench.privacy import ApproxDP
from workbench.privacy.stable import LAPLACE

BUDGET = ApproxDP(1.0, 1e-6)


CHARGED = [(120, 2), (400, 5)]  # rows and columns, of a mask of either kind


@pytest.mark.daily
def test_kept_cells_are_those_that_are_simulated():
    kept = matrix_quantile.cells(2, 3)
    for one, other in zip(kept, matrix_quantile.simulated(2, 3), strict=True):
        assert np.allclose(one["slopes"], other["slopes"], atol=2e-7)
        assert one["trace"] == pytest.approx(other["trace"], abs=2e-7)


@pytest.mark.parametrize(("n", "d"), CHARGED)
def test_the_charge_is_that_of_the_test_that_it_prices(n, d):
    """Eigenvalues are between 1/(1 + g) and 1 + g; their logarithms of one sign add up to g at most."""
    made = MatrixQuantile(n, d, ApproxDP(8.0, 1e-6), 0.1).design
    thin, g = made.charge.mechanism == LAPLACE, made.test.change
    assert made.charge.sensitivity == (log1p(g) if thin else g)
    assert thin == (d < 5)
    assert (made.plan, made.charge.most, made.charge.d) == (made.charge, made.test.most, d)


@pytest.mark.daily
def test_degenerate_rows_have_an_answer_in_their_subspace():
    line = np.random.default_rng(5).standard_normal((3000, 1)) * [3.0, 4.0] + [1.0, 2.0]
    estimator = MatrixQuantileCovariance(degenerate=True)
    found = estimator(line, budget=BUDGET, rng=np.random.default_rng(6)).value
    values = np.linalg.eigvalsh(found)
    assert abs(values[0]) < 1e-3
    assert 12 < values[1] < 50
    assert MatrixQuantileCovariance()(line, budget=BUDGET, rng=np.random.default_rng(6)).abstained


@pytest.mark.parametrize(("condition", "answers"), [(1e8, True), (1e12, False)])
def test_turned_rows_have_an_answer_up_to_the_condition_that_is_told(condition, answers):
    rng = np.random.default_rng(7)
    shortest_last = np.linalg.qr(np.column_stack([np.ones(3), np.eye(3)[:, :2]]))[0][:, ::-1]
    axes = shortest_last * np.geomspace(1, condition**-0.5, 3)  # it has a part in every column
    x = rng.standard_normal((1800, 3)) @ axes.T
    assert MatrixQuantileCovariance()(x, budget=BUDGET, rng=rng).abstained is not answers


def said_by(n, budget=BUDGET, **options):
    """What is said of other rows, for any n that has a design."""
    with patch.object(MatrixQuantileCovariance, "fewest", lambda *_: 0):
        return MatrixQuantileCovariance(**options).other_rows(n, 2, budget)


@pytest.mark.turns(6)
def test_half_of_a_share_of_pairs_is_one_of_rows():
    """A far row spoils one pair of two; of a subspace nothing is said."""
    pairs, rows = (said_by(n, centred=n == 1200) for n in (2400, 1200))
    share, whole = (float(words.split("up to ")[1].split("%")[0]) for words in (pairs, rows))
    assert share == pytest.approx(whole / 2, abs=0.1)
    assert said_by(10**4, degenerate=True) == ""
