"""Attacks on exact noise: what rounding to a grid may give away beyond the ideal mechanism."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mp, mpf
from scipy.stats import norm

from workbench import CoinPressMean
from workbench.estimators import scale as winsor
from workbench.estimators.files import ChangedError, stream
from workbench.estimators.populous import mean_designer
from workbench.estimators.populous_robust import location_means, scatter_factors
from workbench.estimators.shared.rows import evened, group_means, present
from workbench.estimators.votes import NORM_ROUNDING, Points, designed
from workbench.privacy import ZCDP, ApproxDP, SecureNoise, exact, histograms
from workbench.privacy.grid import OnGrid
from workbench.privacy.histograms import stability_charge, stability_histogram, stability_threshold


def shown(cost, noise):
    """Whether a lone row shows when the first count gets this noise, in units of its grid."""
    asked = []

    def sampler(scale, shape):
        asked.append(scale)
        return np.full(shape, noise, np.int64)

    def reaching(law, counts, least):
        return np.arange(len(counts)), sampler(law.scale, len(counts))

    with patch.multiple(exact, normal=sampler, reaching=reaching):
        found = stability_histogram(np.zeros(1), stability_charge("bins", cost), SecureNoise())
    return bool(found), asked[0]


def least_noise(cost):
    """The least noise, in units of the grid, with which a lone row shows, and its scale."""
    low, high = 0, 2**40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(cost, middle)[0] else (middle, high)
    return high, shown(cost, high)[1]


@pytest.mark.parametrize(
    ("rho", "delta"), [(4.0, 6.87e-4), (1.0, 1e-6), (0.5, 1e-6), (100.0, 1e-15), (0.1, 1e-3), (9.0, 0.3)]
)
def test_a_lone_row_shows_through_rounded_normal_noise_with_probability_at_most_delta(rho, delta):
    """⌊X + ½⌋ ≥ k iff X ≥ k - ½: on counts themselves half a row is given away, up to 1e8 times δ."""
    least, scale = least_noise(ZCDP(rho, delta))
    chance = norm.sf((least - 0.5) / scale)
    assert 0.99 * delta < chance <= delta * (1 + 1e-12)


def test_counts_without_a_finer_grid_are_noticed():
    def coarse(counts, charge, noise, least):
        return noise.gaussian(counts, charge.sensitivity, charge.sensitivity / np.sqrt(2 * charge.cost.rho))

    for rho, delta, more in ((1.0, 1e-6, 3.0), (100.0, 1e-15, 1e8)):
        with patch.object(histograms, "_noisy", coarse):
            least, scale = least_noise(ZCDP(rho, delta))
        assert norm.sf((least - 0.5) / scale) > more * delta


def test_the_threshold_of_discrete_noise_covers_a_scale_that_is_rounded_up():
    """(2/ε) ln(1/(δ(1 + q))) a whole number but for what rounding the scale up adds to the chance."""
    with mp.workdps(60):
        for steps in (3, 17, 40):
            epsilon = 0.5
            q = exp(-mpf(epsilon) / 2)
            delta = float(q**steps / (1 + q) * (1 + mpf(2) ** -50))
            least = stability_threshold(ApproxDP(epsilon, delta)) - 1
            wider = exp(-mpf(epsilon) / 2 / (mpf(1) + mpf(2) ** -40))
            assert wider**least / (1 + wider) <= delta
            assert wider ** (least - 1) / (1 + wider) > delta / 2


@pytest.mark.parametrize(("n", "d"), [(10**6, 25), (10**7, 400)])
def test_the_rounding_of_an_average_of_far_points_is_within_what_is_added_to_its_sensitivity(n, d):
    """Two data sets of points as far as usable ones are, where floats are coarse, against exact averages."""
    made = designed(mean_designer(d), n, ApproxDP(1.0, 1e-6), 0.05)
    rng = np.random.default_rng(7)
    near = rng.uniform(-0.3, 0.3, (5, d)) * made.limit / np.sqrt(d)
    reach = max(
        far for far in np.geomspace(1.0, 1e8, 400) if Points(far * made.limit + near, made.limit).usable.all()
    )
    points, weights = Points(reach * made.limit + near, made.limit), np.array([1.0, 1.0, 0.5, 1.0, 0.25])
    shares = [Fraction(w) / Fraction(weights.sum()) for w in weights]
    truth = [sum(s * Fraction(y) for s, y in zip(shares, column, strict=True)) for column in points.values.T]
    off = [float(Fraction(y) - z) for y, z in zip(points.average(weights), truth, strict=True)]
    coarse = np.spacing(reach * made.limit) * np.sqrt(d)  # half a unit of each coordinate, twice
    assert coarse / 10 < 2 * np.linalg.norm(off) <= coarse
    assert coarse < made.distance * (1 - 1 / NORM_ROUNDING)


@given(d=st.integers(1, 5), seed=st.integers(0, 2**32 - 1))
def test_mirror_images_that_differ_are_not_told_apart(d, seed):
    """With one noise for both, their difference would be released as it is."""
    counts = np.random.default_rng(seed).integers(-(2**40), 2**40, (d, d))
    found = SecureNoise().symmetric_gaussian(OnGrid(counts, 0.25), 1.0, 100.0)
    assert (found == found.T).all()
    assert np.abs(found - 0.25 * (np.triu(counts) + np.triu(counts, 1).T)).max() < 2000.0


ROWS = np.random.default_rng(1).normal(3.0, 1.0, (5000, 2))
WHOLE = np.random.default_rng(2).integers(0, 3, (5000, 2)).astype(float)
WHOLE[:2] = [[0.0, 1.0], [2.0, 1.0]]


@pytest.mark.parametrize("rows", [ROWS, WHOLE])
@pytest.mark.parametrize("order", [[1, 0], slice(None)])
@pytest.mark.parametrize("columns", [[1, 0], slice(None)])
def test_entries_that_trade_places_between_passes_are_a_change(rows, order, columns):
    """Every pass sees the same numbers, in other rows or columns; only the same places are the same rows."""
    calls, other = [], rows.copy()
    other[:2] = rows[:2][order][:, columns]

    def source():
        calls.append(1)
        return [rows if len(calls) == 1 else other]

    def run():
        mean = CoinPressMean(radius=100.0, steps=2, sigma=1.0)
        return stream(mean, source, n=5000, d=2, budget=ZCDP(0.5), rng=SecureNoise())

    if (other == rows).all():
        assert run().value.shape == (2,)
    else:
        with pytest.raises(ChangedError):
            run()


OF_GROUPS = {
    "group means": group_means,
    "evened groups": lambda groups: evened(groups).sum(axis=1),
    "robust means": location_means,
    "robust factors": scatter_factors,
    "spreads": lambda groups: np.stack([winsor._spread(column) for column in groups.transpose(2, 0, 1)], 1),
}


@pytest.mark.parametrize("name", OF_GROUPS)
@pytest.mark.parametrize(("size", "d"), [(2, 1), (7, 1), (8, 3), (33, 2), (200, 1)])
def test_what_a_group_says_is_the_same_bit_for_bit_if_a_row_of_another_is_absent(name, size, d):
    """Without absent rows shorter ways are taken: all groups would move if these rounded otherwise."""
    groups, summary = np.random.default_rng(size).normal(3.0, 1.0, (40, size, d)), OF_GROUPS[name]
    holed = groups.copy()
    holed[17, size // 2] = np.nan
    others = np.arange(40) != 17
    assert np.array_equal(summary(groups.copy())[others], summary(holed)[others])


def test_a_shorter_way_that_rounds_otherwise_is_noticed():
    def hasty(groups):
        return groups.sum(axis=1) * (1 / groups.shape[1]) if present(groups).all() else group_means(groups)

    with patch.dict(OF_GROUPS, {"group means": hasty}), pytest.raises(AssertionError):
        test_what_a_group_says_is_the_same_bit_for_bit_if_a_row_of_another_is_absent("group means", 7, 1)
