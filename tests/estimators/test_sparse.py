"""Sparse and adaptive estimators, and the choice from a net: outputs alone decide, what one row moves."""

from math import sqrt
from unittest.mock import patch

import numpy as np
import pytest

from tests.estimators.streams import rng as stream
from workbench import AdaptiveCovariance
from workbench.contracts.lone_row import noise_of
from workbench.errors import ArgumentError
from workbench.estimators import adaptive_covariance as adaptive
from workbench.estimators import nets
from workbench.estimators.nets import ROWS, PureNetCovariance, monomials
from workbench.estimators.sparse import RULES, LocalThresholdedCovariance, ThresholdedCovariance
from workbench.populations.sparse import conditioned, sparse_signal
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, UnitNoise

HALF = ZCDP(0.5)


# `covariance/adaptive`: outputs alone decide, errors are as said, crude bounds and far means cost little.


def symmetric(rng, d):
    noise = rng.standard_normal((d, d))
    return (noise + noise.T) / sqrt(2)


def script(seed):
    """Numbers that were written before: two data sets can differ by a leak only."""
    source = stream(seed)

    def gaussian(value, sensitivity, scale):
        found = scale * source.standard_normal(len(value))
        if len(value) == adaptive.BINS:
            found[source.integers(200)] += 400
        return found

    def matrix(value, sensitivity, scale):
        return np.eye(len(value)) / 2 + scale * symmetric(source, len(value))

    return noise_of(gaussian=gaussian, symmetric_gaussian=matrix)


@pytest.mark.parametrize("centred", [True, False])
def test_what_is_released_decides_all_the_rest(centred):
    lengths = 100 * 2.0 ** -stream(2).uniform(0, 25, 5000)
    rows = np.zeros((5000, 3)), lengths[:, None] * stream(1).standard_normal((5000, 3))
    for seed in range(20):
        estimator = AdaptiveCovariance(radius=100.0, centred=centred)
        one, other = (estimator.estimate(x, HALF, script(seed)) for x in rows)
        for name, value in vars(one).items():
            np.testing.assert_array_equal(value, getattr(other, name))


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("truth", "most", "by_entries"),
    [
        ([0.5, 0.5], 1.0, False),
        ([0.6, 0.1, 0.0], 0.7, False),
        (np.geomspace(90, 0.1, 12), 1e3, False),
        (np.geomspace(90, 0.1, 12), 1e3, True),
    ],
)
def test_the_squared_error_is_as_it_is_estimated(truth, most, by_entries):
    """Of eigenvalues, with a bound that binds or not; of entries at one threshold. Four standard errors."""
    rng, matrix, off = stream(7), np.diag(truth), []
    if by_entries:
        matrix = matrix + 4 * (np.eye(12, k=1) + np.eye(12, k=-1))
    for _ in range(1500):
        noisy = matrix + symmetric(rng, len(matrix))
        if by_entries:
            with patch.multiple(adaptive, KAPPAS=np.array([2.0]), psd_part=lambda one: one):
                found, risk = adaptive.denoised_entries(noisy)
        else:
            values, basis = np.linalg.eigh(noisy)
            f, risk = adaptive.denoised_spectrum(values, most)
            found = (basis * f) @ basis.T
        off.append(risk - ((found - matrix) ** 2).sum())
    assert abs(np.mean(off)) < 4 * np.std(off) / sqrt(len(off))


def released(x, seed, centred=True, **more):
    return AdaptiveCovariance(centred=centred, **more)(x, budget=HALF, rng=stream(seed)).value


@pytest.mark.parametrize(("bound", "low", "high"), [(0.5, 0.5, 0.5), (1.08, 1, 1.012), (1e6, 1, 1.012)])
def test_a_crude_bound_is_not_rounded_where_the_rows_are_equally_long(bound, low, high):
    """To a 64th of an octave, mostly; where they are longer than the bound it is the radius."""
    x = stream(13).standard_normal((5000, 150))
    x /= np.linalg.norm(x, axis=1)[:, None]
    radii = [released(x, seed, radius=bound).radius for seed in range(20)]
    assert low <= min(radii)
    assert np.median(radii) <= high


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_a_far_mean_is_found_whatever_is_absent(share):
    rows = stream(8).standard_normal((5000, 5)) / [10, 20, 30, 40, 50] + 3e5
    truth = np.cov(rows.T, bias=True)
    rows[: int(share * len(rows))] = np.nan
    for seed in range(3):
        value = released(rows, seed, radius=1e6, centred=False)
        assert np.linalg.norm(value.covariance - truth) < 0.15 * np.linalg.norm(truth)
        assert value.mean == pytest.approx(np.full(5, 3e5), abs=0.05)


# Sparse covariances, and the choice from a net.


@pytest.mark.parametrize("calibration", ["tight", "paper"])
@pytest.mark.parametrize("kind", [ThresholdedCovariance, LocalThresholdedCovariance])
def test_rules_see_the_released_matrix_and_no_row(kind, calibration):
    """One matrix is released whatever the statistic is: two data sets can differ by a leak only."""
    rng, found = stream(6), {}
    rows = np.zeros((500, 8)), 1e3 * rng.standard_normal((500, 8))
    matrix = conditioned(sparse_signal(8, 0.2, rng=rng)) + 0.05 * symmetric(rng, 8)

    upper = matrix[np.triu_indices(8)]
    fixed = noise_of(symmetric_gaussian=lambda *_: matrix, gaussian=lambda *_: upper)
    for rule in (None, *RULES):
        estimator = kind(rule=rule, calibration=calibration, radius=1.0)
        found[rule], other = (estimator.estimate(x, ApproxDP(1.0, 1e-6), fixed) for x in rows)
        np.testing.assert_array_equal(found[rule].thresholded, other.thresholded)
        np.testing.assert_array_equal(found[rule].psd, other.psd)
    default = "paper" if calibration == "paper" else "adaptive-lasso"
    assert (found[None].thresholded == found[default].thresholded).all()
    assert (found["paper"].support != found["adaptive-lasso"].support).any()


def test_one_user_is_one_row_whatever_its_numbers_are():
    randomise = LocalThresholdedCovariance(radius=1.0).randomise
    for row in (np.zeros((2, 2)), np.zeros(0), 1.0):
        with pytest.raises(ArgumentError, match="row"):
            randomise(row, budget=GaussianDP(1.0), rng=stream(1))
    hostile = [randomise(row, budget=GaussianDP(1.0), rng=UnitNoise()) for row in ([np.nan, 1.0], [0, 0])]
    np.testing.assert_array_equal(*hostile)


def test_the_average_is_charged_what_every_user_is():
    estimator, budget = LocalThresholdedCovariance(rule="hard", radius=1.0), GaussianDP(1.0)
    one, many = (estimator.plan(n, 2, budget)["users"] for n in (1, 400))
    assert one.cost == many.cost == budget
    assert one.sensitivity == pytest.approx(np.sqrt(2))
    assert many.sensitivity == pytest.approx(np.sqrt(2) / 20)
    alone, average = (estimator.estimate(np.zeros((n, 2)), budget, UnitNoise()) for n in (1, 400))
    assert average.thresholded == pytest.approx(alone.thresholded / 20)
    sent = estimator.randomise([0.0, 0.0], budget=budget, rng=UnitNoise())
    assert np.diag(sent) == pytest.approx(np.diag(alone.thresholded))


# A row that is absent keeps its place: the bits of a product of matrices depend on where a row stands, and a
# form of rows on its null cone, far out, is nothing but such bits.


def test_what_is_multiplied_has_a_public_shape_and_rows_keep_their_places(monkeypatch):
    seen, x = [], stream(2).standard_normal((ROWS + 1, 2))
    monkeypatch.setattr(nets, "monomials", lambda w: seen.append(w.copy()) or monomials(w))
    for places in ([], [3, 500]):
        x[places] = np.nan
        PureNetCovariance(upper=1.0, centred=True, lower=1.0).scores(x, 2.0)
    assert [one.shape for one in seen] == 2 * [(ROWS, 2), (1, 2)]
    assert (seen[0] == seen[2]).all(axis=1).sum() == ROWS - 2
