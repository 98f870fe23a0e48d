"""Means of clipped rows, in two steps too; locations, boxes and balls."""

import re
from dataclasses import replace
from math import hypot, log, sqrt
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import laplace, norm

from tests.estimators.streams import rng
from workbench import (
    ZCDP,
    ApproxDP,
    ClippedMean,
    CoordinatewiseMean,
    Median,
    PureDP,
    TwoStepMean,
    UnboundedMean,
)
from workbench.contracts.lone_row import exact, noise_of
from workbench.estimators.shared import noisy_means
from workbench.estimators.shared.rows import (
    mean_in_ball,
    mean_in_box,
    mean_sensitivity,
    moment_in_ball,
    present,
    second_moment_sensitivity,
)
from workbench.privacy import Charge
from workbench.privacy.grid import OnGrid
from workbench.privacy.histograms import stability_charge, stability_histogram

PURE, APPROX = PureDP(1.0), ApproxDP(1.0, 1e-6)


def test_a_bound_of_a_location_is_no_shorter_than_its_range_allows():
    """With hardly any budget the median is anywhere in its range."""
    assert Median(radius=0.01, sigma=1.0).error_bound(100, 1, PureDP(0.01), 0.05) >= 0.009


def two_valued(share, n=1000):
    """A column of mean 0 and standard deviation 1, of which this share is large."""
    large = np.arange(n) < int(share * n)
    return (large - large.mean()) / large.std()


END = 10.0  # of the range, where the mean lies
TIGHT = ClippedMean(radius=END, sigma=1.0)
PAPER = ClippedMean(radius=END, sigma=1.0, calibration="paper")
BEYOND, FURTHER = (one.bound(1000, PURE) - END for one in (TIGHT, PAPER))
CLIPPED = (1 - BEYOND / hypot(1, BEYOND)) / 2  # the share of Scarf's worst
TWO, RARE = TwoStepMean(radius=100.0, sigma=1.0), two_valued(0.043, 10_000)


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("estimator", "budget", "x", "least"),
    [  # the worst that the proof knows, or that a search found; `least` of what is said is reached
        (TIGHT, PURE, END + two_valued(CLIPPED), 0.9),
        (PAPER, PURE, END + two_valued(1 / (1 + FURTHER**2)), 0.9),
        (TWO, PURE, two_valued(0.078), 0.6),
        (TWO, PureDP(0.1), two_valued(0.434), 0.5),
        (replace(TWO, calibration="paper"), PureDP(4.0), two_valued(6e-4, 10_000), 0.2),
        (UnboundedMean(sigma=1.0), APPROX, RARE, 0.7),
        (CoordinatewiseMean(sigma=1.0), APPROX, np.outer(RARE, [1, -1]), 0.5),
    ],
)
def test_a_column_moves_a_mean_as_far_as_it_says_and_no_further(estimator, budget, x, least):
    n, d = x.shape if x.ndim == 2 else (len(x), 1)
    runs = [estimator(x, budget=budget, rng=rng(seed)).value for seed in range(41)]
    error = np.median(np.linalg.norm(np.reshape(runs, (41, d)) - x.reshape(n, d).mean(axis=0), axis=1))
    limit = float(re.search(r"up to (\S+) more", estimator.other_rows(n, d, budget)).group(1))
    assert least * limit <= error <= limit + estimator.predicted_error(n, d, budget)


# Noisy means of clipped rows: a number of rows that is drawn with a sum tells what the sum is over.
#
# It moves nothing further, and errors of sums have closed forms.

N, RADIUS, LOUD = 12, 1.7, 1e4  # a budget at which no absent row is hidden
KINDS = ["laplace", "gaussian", "moment"]


def told(change=lambda value: value):
    """Noise that is what `change` makes of all that it is added to."""

    def draw(value, *_):
        return np.array(change(np.array(value, float)))

    return noise_of(laplace=draw, gaussian=draw, symmetric_gaussian=draw)


def drawn(kind, x, noise):
    """What is made of the joint statistic of a kind."""
    if kind == "moment":
        charge = Charge("s", "symmetric_gaussian", second_moment_sensitivity(N, RADIUS), ZCDP(LOUD))
        moment = moment_in_ball(x, lambda rows: rows, RADIUS, counted=True)
        return noisy_means.rescaled_moment(moment, N, charge, noise.symmetric_gaussian)
    x, mean = (x[:, 0], mean_in_box) if kind == "laplace" else (x, mean_in_ball)
    cost = PureDP(LOUD) if kind == "laplace" else ZCDP(LOUD)
    charge = Charge("s", kind, mean_sensitivity(N, RADIUS), cost)
    return noisy_means.rescaled_mean(mean(x, lambda rows: rows, RADIUS, True), N, charge, noise)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("absent", [0, 3, 10])
def test_what_is_released_is_over_the_rows_that_are_there(kind, absent):
    x = rng(2).uniform(-1, 1, size=(N, 2))
    x[:absent] = np.nan
    others, out = x[present(x)], drawn(kind, x, told())
    wanted = others.T @ others / len(others) if kind == "moment" else others.mean(axis=0)
    np.testing.assert_allclose(out, wanted[0] if kind == "laplace" else wanted, atol=1e-4)
    nothing = drawn(kind, np.full((N, 2), np.nan), told())  # counts as a tenth
    assert not np.asarray(nothing).any()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_released_is_made_of_the_noisy_numbers_alone(kind):
    x, outputs = rng(3).normal(size=(N, 2)), []
    same = told(lambda value: np.linspace(0.7, 0.4, value.size).reshape(value.shape))
    for absent in (0, 4, N):
        x[:absent] = np.nan
        outputs.append(drawn(kind, x, same))
    assert np.ptp(np.array(outputs), axis=0).max() == 0 < np.abs(outputs[0]).min()


HIDDEN = [
    (Charge("s", "laplace", 0.01, PureDP(1.0)), 0.01 * log(1000)),
    (Charge("s", "symmetric_gaussian", 0.01, ZCDP(0.5)), 0.01 * ndtri(1 - 0.0005)),
]


@pytest.mark.parametrize(("charge", "hidden"), HIDDEN)
def test_a_share_that_noise_may_hide_is_one_and_others_are_what_they_are(charge, hidden):
    """At 1 - hidden a noise of complete rows is once in 2000 runs."""
    assert noisy_means.share(3 - hidden + 1e-9, 3.0, charge) == noisy_means.share(4.0, 3.0, charge) == 1.0
    assert noisy_means.share(3 - hidden - 1e-9, 3.0, charge) == pytest.approx(1 - hidden / 3)
    assert noisy_means.share(-3.0, 1.0, charge) == 0.1


@pytest.mark.parametrize(("charge", "law"), [
    (Charge("s", "gaussian", 0.01, ZCDP(0.1)), norm(scale=0.01 / sqrt(0.2))),
    (Charge("s", "laplace", 0.01, PureDP(0.3)), laplace(scale=0.01 / 0.3)),
])  # fmt: skip
@pytest.mark.parametrize("sd", [1e-3, 0.03, 1e4])
def test_sampling_error_and_noise_have_the_distribution_of_their_sum(charge, law, sd):
    noise = law.ppf((np.arange(20_000) + 0.5) / 20_000)
    for beta in (0.5, 1e-3):
        t = noisy_means.half_width(beta, sd, charge)
        assert (ndtr((noise - t) / sd) + ndtr((-noise - t) / sd)).mean() == pytest.approx(beta, rel=0.02)
    median = noisy_means.half_width(0.5, sd, charge)
    assert noisy_means.median_of_sum(sd, charge) == pytest.approx(median, rel=1e-9)


@pytest.mark.parametrize("there", [0, 2**31, 2**35])
def test_as_many_rows_as_no_word_counts_are_drawn_like_a_few_whatever_their_number(there):
    n = 2**35
    mean = OnGrid(np.append(np.zeros(200, np.int64), there), 2.0**-26 / n)
    charge = Charge("s", "gaussian", mean_sensitivity(n, 200**0.5), ZCDP(1.0))
    share = noisy_means.mean_and_share(mean, n, charge, told())[1]
    assert share == pytest.approx(max(there / n, 0.1), rel=1e-9)


def test_a_stability_histogram_draws_for_every_row_and_keeps_no_bin_for_absent_ones():
    keys = np.array([1.0, np.nan, 1.0, np.nan, np.nan])
    noise = noise_of(discrete_laplace=(draw := Mock(side_effect=lambda value, *_: exact(value) + 1e6)))
    assert stability_histogram(keys, stability_charge("bins", APPROX), noise).keys() == {1.0}
    assert len(draw.call_args.args[0]) == 5
