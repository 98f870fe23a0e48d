"""A number of rows that is drawn with a sum: it moves nothing further, and tells what the sum is over."""

from math import log

import numpy as np
import pytest
from scipy.special import ndtri

from workbench import ZCDP, PureDP
from workbench.estimators.parts.integers import mean_in_ball, mean_in_box, moment_in_ball
from workbench.estimators.parts.rows import mean_sensitivity, present, second_moment_sensitivity
from workbench.estimators.shared import noisy_means as rescaled
from workbench.privacy import Charge, UnitNoise
from workbench.privacy.grid import OnGrid

N, RADIUS, LOUD = 12, 1.7, 1e4  # a budget at which no absent row is hidden


class Seen(UnitNoise):
    """Keeps what it is asked to add noise to, and adds none."""

    def __init__(self):
        object.__setattr__(self, "values", [])

    def keep(self, value, *_):
        self.values.append(np.asarray(value, float))
        return np.asarray(value, float)

    laplace = gaussian = symmetric_gaussian = keep


def drawn(kind, x, row, seen=None):
    """The joint statistic of a kind and what is made of it, with the last row replaced; and its charge."""
    x, seen = np.append(x[:-1], [row], axis=0), seen or Seen()
    if kind == "moment":
        charge = Charge("s", "symmetric_gaussian", second_moment_sensitivity(N, RADIUS), ZCDP(LOUD))
        moment = moment_in_ball(x, lambda rows: rows, RADIUS, counted=True)
        out = rescaled.rescaled_moment(moment, N, charge, seen.symmetric_gaussian)
    else:
        x = x[:, 0] if kind == "laplace" else x
        mean = mean_in_box if kind == "laplace" else mean_in_ball
        cost = PureDP(LOUD) if kind == "laplace" else ZCDP(LOUD)
        charge = Charge("s", kind, mean_sensitivity(N, RADIUS), cost)
        out = rescaled.rescaled_mean(mean(x, lambda rows: rows, RADIUS, True), N, charge, seen)
    return np.ravel(getattr(seen, "values", [0.0])[0]), out, charge


ROWS = [
    np.full(2, np.nan),
    *(RADIUS * np.array(one) for one in ([1, 0], [-1, 0], [0, 1], [0.6, 0.8], [0, 0])),
]


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "moment"])
def test_a_count_moves_a_sum_no_further_and_is_as_tall_as_it_may_be(kind):
    x = np.random.default_rng(1).normal(size=(N, 2))
    order = 1 if kind == "laplace" else 2
    seen = [drawn(kind, x, row) for row in ROWS]
    charge = seen[0][2]
    gaps = np.array([[np.linalg.norm(a[0] - b[0], order) for a in seen] for b in seen])
    assert gaps.max() <= charge.sensitivity * (1 + 1e-12)
    assert gaps[0, 1] == pytest.approx(charge.sensitivity, rel=1e-5)  # from absent to the sphere
    assert gaps[1, 2 if kind != "moment" else 3] == pytest.approx(charge.sensitivity, rel=1e-5)


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "moment"])
@pytest.mark.parametrize("absent", [0, 3, 10])
def test_what_is_released_is_over_the_rows_that_are_there(kind, absent):
    x = np.random.default_rng(2).uniform(-1, 1, size=(N, 2))
    x[:absent] = np.nan
    others, out = x[present(x)], drawn(kind, x, x[-1])[1]
    wanted = others.T @ others / len(others) if kind == "moment" else others.mean(axis=0)
    np.testing.assert_allclose(out, wanted[0] if kind == "laplace" else wanted, atol=1e-4)


class Told(UnitNoise):
    """Releases the same numbers whatever it is asked to add noise to."""

    def told(self, value, *_):
        shape = np.shape(value)
        return np.linspace(0.7, 0.4, int(np.prod(shape))).reshape(shape)

    laplace = gaussian = symmetric_gaussian = told


@pytest.mark.parametrize("kind", ["laplace", "gaussian", "moment"])
def test_what_is_released_is_made_of_the_noisy_numbers_alone(kind):
    x, outputs = np.random.default_rng(3).normal(size=(N, 2)), []
    for absent in (0, 4, N):
        x[:absent] = np.nan
        outputs.append(drawn(kind, x, x[-1], Told())[1])
    assert np.ptp(np.array(outputs), axis=0).max() == 0 < np.abs(outputs[0]).min()


@pytest.mark.parametrize("there", [0, 2**31, 2**35])
def test_as_many_rows_as_no_word_counts_are_drawn_like_a_few_whatever_their_number(there):
    n, seen = 2**35, Seen()
    mean = OnGrid(np.append(np.zeros(200, np.int64), there), 2.0**-26 / n)
    charge = Charge("s", "gaussian", mean_sensitivity(n, 200**0.5), ZCDP(1.0))
    share = rescaled.mean_and_share(mean, n, charge, seen)[1]
    assert share == pytest.approx(max(there / n, 0.1), rel=1e-9)


def test_hardly_any_rows_count_as_a_tenth_and_none_is_not_a_number():
    x = np.full((N, 2), np.nan)
    for kind in ("laplace", "gaussian", "moment"):
        assert not np.asarray(drawn(kind, x, x[-1])[1]).any()


HIDDEN = [
    (Charge("s", "laplace", 0.01, PureDP(1.0)), 0.01 * log(1000)),
    (Charge("s", "symmetric_gaussian", 0.01, ZCDP(0.5)), 0.01 * ndtri(1 - 0.0005)),
]


@pytest.mark.parametrize(("charge", "hidden"), HIDDEN)
def test_a_share_that_noise_may_hide_is_one_and_others_are_what_they_are(charge, hidden):
    """At 1 - hidden a noise of complete rows is once in 2000 runs."""
    assert rescaled.share(3 - hidden + 1e-9, 3.0, charge) == rescaled.share(4.0, 3.0, charge) == 1.0
    assert rescaled.share(3 - hidden - 1e-9, 3.0, charge) == pytest.approx(1 - hidden / 3)
    assert rescaled.share(-3.0, 1.0, charge) == 0.1
