"""Tracing: strangers are found as often as is said, budgets bound members, and what leaks is seen."""

from math import exp, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from workbench.distributions import Gaussian
from workbench.estimators import Abstention
from workbench.estimators.references import EmpiricalMean
from workbench.populations import MultivariateGaussian
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    NoiseSource,
    PureDP,
    SimulatedNoise,
    UnitNoise,
)
from workbench.study.profiles import CONTRACT_LEVEL
from workbench.study.rules import clopper_pearson
from workbench.study.tracing import (
    LEVEL,
    STRANGERS,
    Quieter,
    among_highest,
    most_traced,
    traced,
)


def share(estimator, covariance, n):
    """The share of traced members of a mean of so many rows, on average."""
    law = MultivariateGaussian(Gaussian(np.full(len(covariance), 3.0), covariance))
    data, noise = np.random.default_rng(1), SimulatedNoise(np.random.default_rng(2))
    return np.mean([traced(estimator, law, n, None, data=data, noise=noise) for _ in range(100)])


@pytest.mark.turns(3)
@pytest.mark.parametrize("grain", [None, 1.0, 100.0])
def test_a_stranger_is_traced_at_the_level_whatever_the_law(grain):
    """Ties, too: of whole numbers, and of scores that are all the same. False alarms: 1e-6 each."""
    rng, repeats = np.random.default_rng(1), 6000
    scores = rng.standard_normal((repeats, STRANGERS + 1))
    scores = scores if grain is None else np.round(scores / grain)
    found = sum(int(among_highest(row[:1], row[1:], rng)[0]) for row in scores)
    low, high = clopper_pearson(found, repeats, CONTRACT_LEVEL)
    assert low < LEVEL < high
    assert high - low < 0.035


def test_budgets_bound_the_share():
    assert most_traced(PureDP(1.0)) == pytest.approx(LEVEL * exp(1))
    assert most_traced(ApproxDP(1.0, 0.01)) == pytest.approx(LEVEL * exp(1) + 0.01)
    assert most_traced(ApproxDP(8.0, 1e-6)) == pytest.approx(1 - exp(-8) * (1 - LEVEL - 1e-6))
    assert most_traced(GaussianDP(1.5)) == pytest.approx(ndtr(1.5 + ndtri(LEVEL)))
    in_order = GaussianDP(1.0), ZCDP(0.5), ZCDP(0.5, 1e-3), GaussianDP(1.5)
    assert sorted(in_order, key=most_traced) == [*in_order]


def exact_mean_traced(n, d):
    """The share for the exact mean of normal rows."""
    return ndtr(sqrt(d / n) + ndtri(LEVEL))


def test_exact_means_are_traced_as_predicted_and_no_answer_betrays_nobody():
    """Whatever the covariance; with few columns and many rows nobody is."""
    root = np.eye(64) + 0.3 * np.eye(64, k=1)
    silent = lambda x, *, budget, rng: SimpleNamespace(value=Abstention("vote"))  # noqa: E731
    assert share(EmpiricalMean(), root @ root.T, 32) == pytest.approx(exact_mean_traced(32, 64), abs=0.03)
    assert share(silent, np.eye(8), 50) == pytest.approx(LEVEL, abs=0.02)
    assert exact_mean_traced(400, 4) < 0.062


def test_a_quieter_source_adds_its_share_of_every_noise():
    quieter = Quieter(UnitNoise(), 0.25)
    assert isinstance(quieter, NoiseSource)
    assert quieter.gaussian([1.0], 1.0, 8.0).tolist() == [3.0]
    assert quieter.uniform(0.0, 1.0) == UnitNoise().uniform(0.0, 1.0)
