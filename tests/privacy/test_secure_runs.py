"""Whole runs with noise that may be released: of every entry, but for those with a step that has none."""

import numpy as np
import pytest

from tests.contracts.parameters import examples
from workbench.catalog import CATALOG
from workbench.contracts.datasets import sizes, typical_rows
from workbench.errors import ArgumentError
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.intervals import UnboundedMean
from workbench.estimators.quantiles import Median
from workbench.estimators.tukey import TukeyMean
from workbench.estimators.two_step import TwoStepMean
from workbench.lab.listing import inexact
from workbench.privacy import ApproxDP, NonPrivate, PureDP, SecureNoise
from workbench.study.audit import numbers

STEPS = {  # of the entries that have one without exact noise
    "mean/affine": {"location"},
    "covariance/populous": {"mask"},
    "covariance/populous-robust": {"mask"},
    "spectral/preconditioner": {"mask"},
    "gaussian/populous-robust": {"covariance, mask"},
    "gaussian/populous": {"mask", "stability"},
    "gaussian/lifted": {"lift"},
}
PRIVATE = [one for one in examples() if not isinstance(one.values[1].budget, NonPrivate)]
RUNS = [one for one in PRIVATE if one.values[0] not in STEPS]
REFUSED = [one for one in PRIVATE if one.values[0] in STEPS]
LEAST = 40  # entries of which every step has exact noise


@pytest.mark.parametrize(("key", "example"), RUNS)
def test_a_run_with_exact_noise(key, example):
    n = sizes(example, 300, 1000)[-1]
    value = example.estimator(typical_rows(example, n, 4), budget=example.budget, rng=SecureNoise()).value
    assert not np.isnan(np.array(numbers(value))).any()


@pytest.mark.daily
def test_most_entries_are_run_and_the_list_says_so():
    assert len({one.values[0] for one in RUNS}) >= LEAST
    assert {key for key, entry in CATALOG.items() if inexact(entry)} == set(STEPS)


@pytest.mark.parametrize(("key", "example"), REFUSED)
def test_a_mask_is_refused_before_anything_is_drawn(key, example):
    n = sizes(example, 300, 1000)[-1]
    with pytest.raises(ArgumentError, match=rf"^rng = .*: no exact noise for ({'|'.join(STEPS[key])})$"):
        example.estimator(typical_rows(example, n, 4), budget=example.budget, rng=SecureNoise())


@pytest.mark.parametrize(
    ("estimator", "budget"),
    [
        (ClippedMean(radius=20.0, sigma=1.0), PureDP(4.0)),
        (Median(radius=1e6, sigma=1.0), PureDP(4.0)),
        (Median(radius=1e6, calibration="paper", sigma=1.0), PureDP(4.0)),
        (TwoStepMean(radius=1e15, sigma=1.0), PureDP(4.0)),
        (TwoStepMean(radius=100.0, calibration="paper", sigma=1.0), PureDP(4.0)),
        (UnboundedMean(sigma=1.0), ApproxDP(4.0, 1e-6)),
        (UnboundedMean(calibration="paper", sigma=1.0), ApproxDP(4.0, 1e-6)),
        (TukeyMean(radius=20.0, sigma=1.0), PureDP(4.0)),
    ],
    ids=repr,
)
def test_exact_noise_finds_the_mean(estimator, budget):
    x = np.random.default_rng(5).normal(7.0, 1.0, 3000)
    found = [float(np.ravel(estimator(x, budget=budget, rng=SecureNoise()).value)[0]) for _ in range(2)]
    assert np.abs(np.array(found) - 7.0).max() < 0.25  # eight deviations of the least accurate
    assert found[0] != found[1]


@pytest.mark.daily
def test_exact_noise_has_the_law_of_simulated_noise():
    x, estimator, rng = (
        np.arange(9.0) - 4,
        Median(radius=5.0, calibration="paper", sigma=1.0),
        np.random.default_rng(6),
    )
    many, few, sharper = (
        np.sort([estimator(x, budget=PureDP(epsilon), rng=source).value for _ in range(count)])
        for epsilon, source, count in ((1.0, rng, 3000), (1.0, SecureNoise(), 400), (2.0, rng, 400))
    )
    assert alike(few, many)
    assert not alike(sharper, many)


def alike(few, many):
    """Whether all deciles agree, each with a false alarm of 1e-6 by the normal approximation."""
    levels = np.arange(1, 10) / 10
    shares = (few[:, None] <= np.quantile(many, levels)).mean(axis=0)
    spread = np.sqrt(levels * (1 - levels) * (1 / len(few) + 1 / len(many)))
    return bool((np.abs(shares - levels) < 4.9 * spread).all())
