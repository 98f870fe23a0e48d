"""`SecureNoise`: whole numbers alone, laws of at least the scale asked for, refusals before any draw."""

import subprocess
import sys
from fractions import Fraction
from math import exp, sqrt
from unittest.mock import patch

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, laplace, norm

import workbench as wb
from workbench.contracts.kit import FALSE_ALARM
from workbench.errors import ArgumentError
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Charge,
    CountingNoise,
    PureDP,
    SecureNoise,
    exact,
    mechanisms,
    noise_source,
)
from workbench.privacy.grid import OnGrid
from workbench.privacy.noise import NoiseSource
from workbench.privacy.secure import inexact_steps
from workbench.privacy.stable import ChargedRoot

NOISE, DRAWS, UNIT = SecureNoise(), 4000, 2.0**-20
ZEROS = OnGrid(np.zeros(DRAWS, np.int64), UNIT)
ADDITIVE = ("laplace", "truncated_laplace", "discrete_laplace", "gaussian", "exponential")


def drawn(kind, value, scale):
    more = (3.0 * scale,) if kind == "truncated_laplace" else ()
    return getattr(NOISE, kind)(value, 1.0, scale, *more)


LAWS = {
    "laplace": lambda scale: laplace(scale=scale).cdf,
    "discrete_laplace": lambda scale: laplace(scale=scale).cdf,  # of steps that a test cannot see
    "gaussian": lambda scale: norm(scale=scale).cdf,
    "exponential": lambda scale: lambda x: -np.expm1(-np.maximum(x, 0) / scale),
    "truncated_laplace": lambda scale: (
        lambda x: np.clip((laplace.cdf(x / scale) - laplace.cdf(-3.0)) / (1 - 2 * laplace.cdf(-3.0)), 0, 1)
    ),
}


@pytest.mark.parametrize("kind", ADDITIVE)
def test_noise_has_the_law_that_is_asked_for_and_lies_on_the_grid(kind):
    found = drawn(kind, ZEROS, 0.7)
    assert (found / UNIT == np.rint(found / UNIT)).all()
    assert kstest(found, LAWS[kind](0.7)).pvalue > FALSE_ALARM
    assert kstest(found, LAWS[kind](0.7 / 1.3)).pvalue < FALSE_ALARM
    assert kstest(found, LAWS[kind](0.7 * 1.3)).pvalue < FALSE_ALARM


def test_symmetric_noise_is_symmetric_and_smaller_off_the_diagonal():
    d = 90
    found = NOISE.symmetric_gaussian(OnGrid(np.zeros((d, d), np.int64), UNIT), 1.0, 2.0)
    assert (found == found.T).all()
    above = found[np.triu_indices(d, 1)]
    assert kstest(above, norm(scale=sqrt(2)).cdf).pvalue > FALSE_ALARM
    assert kstest(above, norm(scale=2.0).cdf).pvalue < FALSE_ALARM
    assert kstest(np.diag(found), norm(scale=2.0).cdf).pvalue > FALSE_ALARM


def test_a_choice_has_the_law_of_the_exponential_mechanism_with_its_weights():
    scores, weights, charge = (
        np.array([0, 3, 5]),
        np.array([7, 2, 1]),
        Charge("c", "exponential", 1.0, PureDP(0.8)),
    )
    law = weights * np.exp(0.4 * scores)
    counts = np.bincount(
        [mechanisms.exponential(scores, charge, NOISE, weights) for _ in range(2000)], minlength=3
    )
    assert chisquare(counts, 2000 * law / law.sum()).pvalue > FALSE_ALARM
    halved = weights * np.exp(0.8 * scores)
    assert chisquare(counts, 2000 * halved / halved.sum()).pvalue < FALSE_ALARM
    with pytest.raises(ArgumentError, match="whole numbers"):
        mechanisms.exponential(scores, charge, NOISE, weights / 1.0)


def law_of_the_largest(counts, scale):
    """Exact probabilities of the largest count plus rounded exponential noise, the lowest index of a tie."""
    top = 400
    tails = [1.0, *(exp(-(k - 0.5) / scale) for k in range(1, top))]  # P(⌊X + ½⌋ ≥ k)
    masses = -np.diff(tails)
    law = np.zeros(len(counts))
    for i, count in enumerate(counts):
        for k, mass in enumerate(masses):
            below = 1.0
            for j, other in enumerate(counts):
                if j != i:  # at most the sum for what comes later, less than it for what comes before
                    reach = count + k - other + (j > i)
                    below *= 1 - (tails[reach] if 0 < reach < top else 1.0 if reach <= 0 else 0.0)
            law[i] += mass * below
    return law


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_largest_of_rounded_counts_is_private_ties_included(epsilon):
    scale = 2 / epsilon
    pairs = [
        ((0, 0), (1, 0)),
        ((3, 3, 2), (2, 4, 2)),
        ((1, 0, 0), (0, 1, 0)),
        ((0, 5), (1, 4)),
        ((2, 2), (1, 3)),
    ]
    for first, second in pairs:
        ratio = np.log(law_of_the_largest(first, scale) / law_of_the_largest(second, scale))
        assert np.abs(ratio).max() <= epsilon * (1 + 1e-9)
    close = np.log(law_of_the_largest((0, 9), scale / 2)[0] / law_of_the_largest((1, 8), scale / 2)[0])
    assert abs(close) > epsilon  # with half of the noise it is not


def test_a_largest_count_is_drawn_with_that_law():
    counts, charge = np.array([2, 3, 3]), Charge("m", "noisy_max", 1.0, PureDP(1.0))
    found = np.bincount([mechanisms.noisy_max(counts, charge, NOISE) for _ in range(3000)], minlength=3)
    law = law_of_the_largest(counts.tolist(), 2.0)
    assert law.sum() == pytest.approx(1, abs=1e-9)
    assert chisquare(found, 3000 * law).pvalue > FALSE_ALARM


@pytest.mark.parametrize("delta", [0.3, 0.01])
@pytest.mark.parametrize("kind", [lambda delta: ZCDP(0.5, delta), lambda delta: ApproxDP(1.0, delta)])
def test_a_lower_bound_of_a_count_is_above_it_with_probability_delta(kind, delta):
    charge, runs = Charge("check", "lower_bound", 1.0, kind(delta)), 3000
    above = sum(float(mechanisms.lower_bound(5, charge, NOISE)) > 5 for _ in range(runs))
    assert abs(above - runs * delta) < 5.5 * sqrt(runs * delta * (1 - delta))


def scales_of(kind, *arguments):
    """What the sampler is asked for, in units."""
    asked = []

    def sampler(*numbers):
        asked.append(numbers)
        return np.zeros(numbers[-1], np.int64)

    name = {"gaussian": "normal", "symmetric_gaussian": "normal"}.get(kind, kind)
    with patch.object(exact, name, sampler):
        getattr(NOISE, kind)(*arguments)
    return asked


def test_scales_in_units_are_rounded_up_and_truncated_noise_is_as_many_scales_wide():
    rng = np.random.default_rng(3)
    for _ in range(300):
        scale, unit = 10 ** rng.uniform(-9, 9), 10 ** rng.uniform(-18, 3)
        at, ideal = OnGrid(np.zeros(2, np.int64), unit), Fraction(scale) / Fraction(unit)
        for kind in ("laplace", "discrete_laplace", "gaussian", "exponential"):
            ((width, shape),) = scales_of(kind, at, 1.0, scale)
            assert ideal < Fraction(width) < ideal * (1 + Fraction(1, 10**11))
            assert shape == (2,)
        bound = scale * rng.uniform(1e-3, 30)
        ((width, reach, _),) = scales_of("truncated_laplace", at, 1.0, scale, bound)
        assert Fraction(bound) / Fraction(scale) <= Fraction(reach) / Fraction(width)
        square = OnGrid(np.zeros((2, 2), np.int64), unit)
        off, on = (numbers[0] for numbers in scales_of("symmetric_gaussian", square, 1.0, scale))
        assert ideal < Fraction(on)
        assert ideal**2 < 2 * Fraction(off) ** 2


@pytest.mark.parametrize("kind", [*ADDITIVE, "symmetric_gaussian", "choice"])
def test_a_statistic_of_floats_is_refused(kind):
    with pytest.raises(ArgumentError, match=r"^value = .*whole numbers"):
        drawn(kind, np.zeros((2, 2)), 1.0)


@pytest.mark.parametrize("seed", [0, None, np.random.default_rng(1)])
def test_it_takes_no_seed(seed):
    with pytest.raises(TypeError, match="no arguments"):
        SecureNoise(seed)
    assert noise_source(NOISE) is NOISE
    assert isinstance(NOISE, NoiseSource)


@pytest.mark.daily
def test_a_plan_with_a_mask_is_refused_before_any_draw_by_the_names_of_its_steps():
    estimator, budget = wb.CATALOG["covariance/populous"].examples[0].estimator, ApproxDP(5.0, 1e-3)
    n = 60_000
    steps = inexact_steps(estimator, estimator.plan(n, 2, budget))
    assert steps
    for noise in (SecureNoise(), CountingNoise(SecureNoise())):
        with pytest.raises(ArgumentError, match=r"^rng = 'SecureNoise'") as refused:
            estimator(np.zeros((n, 2)), budget=budget, rng=noise)
        assert all(step in str(refused.value) for step in steps)
        assert not getattr(noise, "draws", [])


@pytest.mark.parametrize(
    "estimator",
    [
        wb.CoinPressMean(radius=100.0, sigma=1.0),
        wb.ClippedBoxMean(radius=10.0, sigma=1.0),
        wb.ClippedHeavyMean(radius=1000.0, upper=1.0),
        wb.CoinPressCovariance(upper=10.0, lower=1.0),
        wb.ClippedCovariance(upper=2.0, centred=True),
        wb.HeavyTailedCovariance(upper=10.0, lower=1.0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_secure_release_is_as_accurate_as_one_for_study(estimator):
    x = np.random.default_rng(1).standard_normal((20_000, 2))
    found = estimator(x, budget=ZCDP(0.5), rng=SecureNoise())
    assert (
        abs(np.asarray(found.value) - (np.eye(2) if "Covariance" in str(type(estimator)) else 0)).max() < 0.3
    )
    again = estimator(x, budget=ZCDP(0.5), rng=SecureNoise())
    assert (np.asarray(again.value) != np.asarray(found.value)).any()


def test_without_the_extra_the_module_loads_and_a_draw_names_it():
    code = (
        "import sys; sys.modules['flint'] = None\n"
        "from workbench.privacy import SecureNoise\n"
        "try: SecureNoise().laplace([1, 2], 1.0, 1.0)\n"
        "except ValueError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.count("\n") == 1
    assert "secure" in said


def test_a_root_that_no_charge_covers_is_refused_by_the_source_itself():
    """Whatever wraps the source: a vote's root comes as an array."""

    class Wrapped:
        def __getattr__(self, name):
            return getattr(NOISE, name)

    for mask in (Wrapped().wishart, Wrapped().square, Wrapped().thompson_laplace):
        with pytest.raises(ArgumentError, match="root whose rounding is charged for"):
            mask(np.eye(2), 0.1, 0.01)
        assert mask(ChargedRoot(np.eye(2)), 0.1, 0.01).shape == (2, 2)


@pytest.mark.secure
def test_integers_beside_the_largest_do_not_wrap():
    counts = np.array([2**63 - 1, -(2**63)])
    assert SecureNoise().laplace(counts, 1, 1.0).tolist() == [2.0**63, -(2.0**63)]
