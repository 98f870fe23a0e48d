"""Sparse covariances, and the choice from a net."""

from math import log, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimators.streams import rng as stream
from workbench.errors import ArgumentError
from workbench.estimators import nets
from workbench.estimators.nets import ROWS, PureNetCovariance, monomials, net
from workbench.estimators.sparse import (
    RULES,
    LocalThresholdedCovariance,
    Noise,
    ThresholdedCovariance,
    norm_counts,
    thresholded,
)
from workbench.populations.sparse import conditioned, sparse_signal
from workbench.privacy import ApproxDP, GaussianDP, UnitNoise

NOISE = Noise(0.05, 0.035, 1000)


def released(rng, p=8):
    noise = rng.standard_normal((p, p)) * 0.05
    return conditioned(sparse_signal(p, 0.2, rng=rng)) + (noise + noise.T) / 2


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(RULES))
def test_rules_keep_symmetry_and_diagonal_and_never_enlarge(seed, rule):
    rng = stream(seed)
    matrix = released(rng)
    kept = thresholded(matrix, NOISE, rule, rng)
    assert (kept == kept.T).all()
    assert (np.diag(kept) == np.diag(matrix)).all()
    assert (np.abs(kept) <= np.abs(matrix)).all()
    assert (kept * matrix >= 0).all()


class Fixed(UnitNoise):
    """Releases one matrix whatever the statistic is: two data sets can differ by a leak only."""

    def __init__(self, matrix):
        object.__setattr__(self, "matrix", matrix)

    def symmetric_gaussian(self, value, sensitivity, scale):
        return self.matrix

    def gaussian(self, value, sensitivity, scale):
        return self.matrix[np.triu_indices(len(self.matrix))]


@pytest.mark.parametrize("calibration", ["tight", "paper"])
@pytest.mark.parametrize("kind", [ThresholdedCovariance, LocalThresholdedCovariance])
def test_rules_see_the_released_matrix_and_no_row(kind, calibration):
    rng, found = stream(6), {}
    source, rows = Fixed(released(rng)), (np.zeros((500, 8)), 1e3 * rng.standard_normal((500, 8)))
    for rule in (None, *RULES):
        estimator = kind(rule=rule, calibration=calibration, radius=1.0)
        found[rule], other = (estimator.estimate(x, ApproxDP(1.0, 1e-6), source) for x in rows)
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


def test_zero_and_enormous_norms_are_counted_at_the_ends():
    counts = norm_counts(np.array([[0.0], [1e-300], [1e90], [1.0]]))
    assert (counts[0], counts[-1], counts.sum()) == (2, 1, 4)


# The choice from a net: scores by their definition, their sensitivity, how far the net reaches.


@pytest.mark.parametrize("ratio", [1.0, 16.0, 200.0])
def test_every_covariance_is_near_a_candidate(ratio):
    made, source = net(2, ratio, 0.3), stream(3)
    values = np.linalg.eigvalsh(made.candidates)
    given = PureNetCovariance(upper=4.0, lower=4.0 / ratio, alpha=0.6, centred=True)
    assert len(made.candidates) == made.size == given.net(2).size
    assert 1 / ratio * (1 - 1e-12) <= values.min() <= values.max() <= 1 + 1e-12
    roots = np.linalg.inv(np.linalg.cholesky(made.candidates))
    for _ in range(100):
        a, b, angle = -source.uniform(0, log(ratio)), -source.uniform(0, log(ratio)), source.uniform(0, pi)
        axis = np.array([np.cos(angle), np.sin(angle)])
        truth = np.exp(b) * np.eye(2) + (np.exp(a) - np.exp(b)) * np.outer(axis, axis)
        gaps = np.linalg.norm(roots @ truth @ roots.transpose(0, 2, 1) - np.eye(2), axis=(1, 2))
        assert gaps.min() <= 1.5 * 0.3


# A row that is absent keeps its place: the bits of a product of matrices depend on where a row stands, and a
# form of rows on its null cone, far out, is nothing but such bits.


def test_what_is_multiplied_has_a_public_shape(monkeypatch):
    shapes, x = [], stream(2).standard_normal((ROWS + 1, 2))
    monkeypatch.setattr(nets, "monomials", lambda w: shapes.append(w.shape) or monomials(w))
    for share in (0.0, 0.3, 1.0):
        x[: int(share * len(x))] = np.nan
        PureNetCovariance(upper=1.0, centred=True, lower=1.0).scores(x, 2.0)
    assert shapes == 3 * [(ROWS, 2), (1, 2)]
