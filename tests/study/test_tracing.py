"""Tracing: strangers are found as often as is said, budgets bound members, and what leaks is seen."""

from math import exp, hypot, sqrt
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
    Charge,
    GaussianDP,
    NoiseSource,
    PureDP,
    SimulatedNoise,
    UnitNoise,
)
from workbench.privacy.mechanisms import gaussian
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


def releases(estimator, population, n, budget, count, share=1.0):
    """The share of traced members in each of so many releases."""
    data, noise = np.random.default_rng(1), SimulatedNoise(np.random.default_rng(2))
    source = Quieter(noise, share)
    return np.array([traced(estimator, population, n, budget, data=data, noise=source) for _ in range(count)])


def signs(d):
    """A population of rows of d fair signs: all on a sphere of radius √d."""
    drawn = lambda n, *, rng: 2.0 * rng.integers(2, size=(n, d)) - 1  # noqa: E731
    return SimpleNamespace(sample=drawn, mean=np.zeros(d), covariance=np.eye(d))


def mean_of_signs(x, *, budget, rng):
    """Their mean by the Gaussian mechanism."""
    n, d = x.shape
    charge = Charge("mean", "gaussian", 2 * d**0.5 / n, budget)
    return SimpleNamespace(value=gaussian(x.mean(axis=0), charge, rng))


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


def test_exact_means_are_traced_as_predicted():
    """Whatever the covariance; with few columns and many rows nobody is."""
    root = np.eye(128) + 0.3 * np.eye(128, k=1)
    law = MultivariateGaussian(Gaussian(np.full(128, 3.0), root @ root.T))
    found = releases(EmpiricalMean(), law, 32, None, 30).mean()
    assert found == pytest.approx(exact_mean_traced(32, 128), abs=0.04)
    assert exact_mean_traced(400, 4) < 0.062


def test_a_third_of_the_noise_is_noticed_and_the_whole_keeps_the_bound():
    """At six standard errors. Predicted: noise of 2/μ times d/n in the score, and √(d/n) of the rows."""
    budget, n, d = GaussianDP(1.0), 16, 64
    most = most_traced(budget)
    for share, above in ((1.0, False), (1 / 3, True)):
        found = releases(mean_of_signs, signs(d), n, budget, 120, share)
        error = 6 * found.std() / len(found) ** 0.5
        assert (found.mean() - error > most) == above
        assert found.mean() + error < most or above
        apart = (d / n) / hypot(2 * share * d / n, sqrt(d / n))
        assert found.mean() == pytest.approx(ndtr(apart + ndtri(LEVEL)), abs=0.03)


def test_no_answer_betrays_nobody_and_a_quieter_source_adds_its_share_of_every_noise():
    silent = lambda x, *, budget, rng: SimpleNamespace(value=Abstention("vote"))  # noqa: E731
    assert releases(silent, signs(8), 50, None, 100).mean() == pytest.approx(LEVEL, abs=0.02)
    quieter = Quieter(UnitNoise(), 0.25)
    assert isinstance(quieter, NoiseSource)
    assert quieter.gaussian([1.0], 1.0, 8.0).tolist() == [3.0]
    assert quieter.uniform(0.0, 1.0) == UnitNoise().uniform(0.0, 1.0)
