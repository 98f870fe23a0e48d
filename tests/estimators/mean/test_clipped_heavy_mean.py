"""The mean of heavy-tailed rows: sensitivity, draws, radii that hold, and what bounded moments buy."""

from itertools import pairwise

import numpy as np
import pytest

from workbench.distributions import Gaussian
from workbench.estimators.base import Trace
from workbench.estimators.mean.clipped_heavy import ClippedHeavyMean
from workbench.populations import MultivariateStudent
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.privacy import ZCDP


def student(d, degrees, mean=0.0):
    return MultivariateStudent(Gaussian(np.full(d, mean), np.eye(d)), degrees)


@pytest.mark.parametrize(("k", "degrees"), [(1, 2.5), (2, 4.5), (3, 8.0)])
@pytest.mark.parametrize("radius", [3.0, 1e4])
def test_every_radius_holds_the_mean(k, degrees, radius):
    n, d, mean = 3000, 3, radius / 3**0.5
    constant = student_hypercontractivity(degrees, k)
    estimator = ClippedHeavyMean(radius=radius, moments=k, hypercontractivity=constant, upper=1.0)
    for seed in range(30):  # each fails with probability .05 by the proof; Chebyshev leaves room
        trace, x = Trace(), student(d, degrees, mean).sample(n, rng=np.random.default_rng(seed))
        value = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(seed + 70), trace=trace).value
        for centre, reach in zip(trace.records["centre"], trace.records["radius"], strict=True):
            assert np.linalg.norm(centre - mean) <= reach * (1 + 1e-12)
        assert np.linalg.norm(value - mean) <= estimator.error_bound(n, d, ZCDP(0.5), 0.05)


def test_radii_shrink_and_a_huge_range_costs_little():
    n, d, budget = 5000, 5, ZCDP(0.5)
    designs = [ClippedHeavyMean(radius=radius, upper=1.0).design(n, d, budget) for radius in (10.0, 1e3, 1e6)]
    assert all(later < former for design in designs for former, later in pairwise(design.radii[:-1]))
    assert designs[-1].radii[-1] < 1.2 * designs[0].radii[-1]
    for design in designs:
        assert sum(design.weights) == pytest.approx(1.0, abs=1e-12)
    one = ClippedHeavyMean(radius=1e6, steps=1, upper=1.0).design(n, d, budget)
    assert len(one.weights) == 1
    assert one.radii[-1] > 100 * designs[-1].radii[-1]


def test_the_error_is_near_the_one_without_privacy_and_more_moments_allow_a_smaller_ball():
    law, n, d = student(5, 8.0, 3.0), 5000, 5
    rms = {}
    for name, k in (("two", 1), ("six", 3)):
        estimator = ClippedHeavyMean(
            radius=100.0, moments=k, hypercontractivity=student_hypercontractivity(8.0, k), upper=1.0
        )
        rms[name] = root_mean_square(
            law, n, lambda x, rng, e=estimator: e(x, budget=ZCDP(0.5), rng=rng).value
        )
    rms["none"] = root_mean_square(law, n, lambda x, _: x.mean(axis=0))
    assert rms["none"] == pytest.approx((d / n) ** 0.5, rel=0.2)
    assert rms["six"] < 1.25 * rms["none"]
    assert rms["six"] < rms["two"]


def root_mean_square(law, n, estimate):
    gaps = [
        estimate(law.sample(n, rng=np.random.default_rng(seed)), np.random.default_rng(900 + seed)) - law.mean
        for seed in range(60)
    ]
    return float(np.sqrt(np.mean([gap @ gap for gap in gaps])))


def test_translation_moves_the_answer_with_the_public_centre():
    x = np.round(np.random.default_rng(1).standard_normal((500, 2)) * 2**20) / 2**20
    first = ClippedHeavyMean(radius=8.0, upper=1.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2)).value
    moved = ClippedHeavyMean(radius=8.0, centre=64.0, upper=1.0)(
        x + 64, budget=ZCDP(0.5), rng=np.random.default_rng(2)
    ).value
    assert np.allclose(first + 64, moved, atol=1e-10)
