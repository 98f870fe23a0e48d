"""Locations, boxes and balls: budgets are divided rightly, and releases hold the mean or the rows."""

import numpy as np
import pytest
from scipy.special import ndtr

from tests.estimators.streams import rng
from workbench import BallRange
from workbench.distributions import Gaussian
from workbench.estimators import histograms
from workbench.populations import MultivariateStudent
from workbench.privacy import ApproxDP, UnitNoise
from workbench.privacy.histograms import stability_charge, stability_histogram

APPROX = ApproxDP(1.0, 1e-6)


@pytest.mark.parametrize(("corruption", "size"), [(0.04, 3 * 2 * (6 + 5)), (0.01, 3 * 2 * (6 + 10))])
def test_a_ball_holds_most_clean_rows_although_a_share_is_corrupted(corruption, size):
    estimator, n, d = BallRange(corruption=corruption, upper=9.0), 4000, 4
    for seed in range(5):
        x = MultivariateStudent(Gaussian(np.full(d, 100.0), 9 * np.eye(d)), 2.5).sample(n, rng=rng(seed))
        bad = int(corruption * n)
        x[:bad] = 1e4 * rng(seed).standard_normal((bad, d))
        value = estimator(x, budget=APPROX, rng=rng(seed)).value
        assert value.radius == pytest.approx(size)
        assert value.contains(x[bad:]).mean() >= 1 - 2 * corruption


def test_the_masses_behind_the_bounds():
    for width, best in ((1.0, histograms.BEST), (histograms.BOX_WIDTH, histograms.BOX_BEST)):
        places = np.linspace(0, width, 2001)
        bins = np.arange(-12, 12)[:, None] * width
        masses = ndtr(bins + width - places) - ndtr(bins - places)
        assert masses.max(axis=0).min() == pytest.approx(best, abs=1e-6)
        near = np.abs(bins + width / 2 - places) <= max(1.5 * width, histograms.REACH)
        assert (masses * ~near).sum(axis=0).max() <= histograms.FAR_MASS
    assert pytest.approx(1 - histograms.BALL_FAR) == histograms.BALL_BEST * 3
    assert pytest.approx(1 / histograms.BALL_WIDTH**2) == histograms.BALL_FAR


def test_a_stability_histogram_draws_for_every_row_and_keeps_no_bin_for_absent_ones():
    drawn = []

    class Listener(UnitNoise):
        def discrete_laplace(self, value, *_):
            drawn.append(len(value))
            return np.asarray(value, float) + 1e6

    keys = np.array([1.0, np.nan, 1.0, np.nan, np.nan])
    assert stability_histogram(keys, stability_charge("bins", APPROX), Listener()).keys() == {1.0}
    assert drawn == [5]
