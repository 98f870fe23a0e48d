"""`SecureNoise`: whole numbers alone, distributions of at least the scale asked for, refusals before a draw.

Masks are the floats next to the numbers that the bits stand for. The level of tests of distributions is 1e-6;
what is 1.3 times too large or too small is rejected.
"""

import re
import subprocess
import sys
from fractions import Fraction
from math import exp, sqrt
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy import stats
from scipy.stats import chisquare, kstest, laplace, norm

from tests.contracts.parameters import examples
from tests.privacy.kit import FALSE_ALARM, Tape, largest_exponent
from workbench.contracts.datasets import sizes, typical_rows
from workbench.errors import ArgumentError
from workbench.privacy import Charge, NonPrivate, PureDP, SecureNoise, exact, mechanisms, noise_source, secure
from workbench.privacy.grid import OnGrid
from workbench.privacy.noise import NoiseSource
from workbench.privacy.stable import ChargedRoot
from workbench.study.audit import numbers

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


def scales_of(kind, *arguments):
    asked = []

    def sampler(law, shape):
        asked.append((*vars(law).values(), shape))
        return np.zeros(shape, np.int64)

    with patch.object(exact, "draw", sampler):
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


def test_a_root_that_no_charge_covers_is_refused_by_the_source_itself():
    """Whatever wraps the source: a vote's root comes as an array."""

    class Wrapped:
        def __getattr__(self, name):
            return getattr(NOISE, name)

    for mask in (Wrapped().wishart, Wrapped().square, Wrapped().thompson_laplace):
        with pytest.raises(ArgumentError, match="root whose rounding is charged for"):
            mask(np.eye(2), 0.1, 0.01)
        assert mask(ChargedRoot(np.eye(2)), 0.1, 0.01).shape == (2, 2)


# Whole runs

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


def rarely(one):
    """An example, marked as daily if its plan takes a second."""
    marks = [pytest.mark.daily] if re.search(LONG, one.values[0]) else one.marks
    return pytest.param(*one.values, id=one.id, marks=marks)


LONG = "populous|preconditioner|matrix-quantile|unknown-variance"
RUNS = [rarely(one) for one in PRIVATE if one.values[0] not in STEPS]
REFUSED = [rarely(one) for one in PRIVATE if one.values[0] in STEPS]


@pytest.mark.turns(4)
@pytest.mark.parametrize(("key", "example"), RUNS)
def test_a_run_with_exact_noise(key, example):
    n = sizes(example, 300, 1000)[-1]
    value = example.estimator(typical_rows(example, n, 4), budget=example.budget, rng=SecureNoise()).value
    assert not np.isnan(np.array(numbers(value))).any()


@pytest.mark.parametrize(("key", "example"), REFUSED)
def test_a_mask_is_refused_before_anything_is_drawn(key, example):
    n = sizes(example, 300, 1000)[-1]
    with pytest.raises(ArgumentError, match=rf"^rng = .*: no exact noise for ({'|'.join(STEPS[key])})$"):
        example.estimator(typical_rows(example, n, 4), budget=example.budget, rng=SecureNoise())


def alike(few, many):
    levels = np.arange(1, 10) / 10
    shares = (few[:, None] <= np.quantile(many, levels)).mean(axis=0)
    spread = np.sqrt(levels * (1 - levels) * (1 / len(few) + 1 / len(many)))
    return bool((np.abs(shares - levels) < 4.9 * spread).all())


# Masks

FACTORS = (1.0, 1.3, 1 / 1.3)
ILL = np.array([[1.0, 1e60, 0.3], [1.0, 1e60 * (1 + 2.0**-50), -0.7], [0.1, 1e-30, 2.0]])


def rejected(draws, cdf):
    return stats.kstest(draws, cdf).pvalue < FALSE_ALARM


def density_ratio(shape, n):
    g, a = mpf(shape) - mpf(1) / 3, mpf(shape)
    y = n / (3 * mpmath.sqrt(g))
    if y <= -1:
        return mpf(0)
    x = g * (1 + y) ** 3
    return x ** (a - 1) * mpmath.exp(-x) * mpmath.sqrt(g) * (1 + y) ** 2 * mpmath.exp(n * n / 2)


@pytest.mark.turns(4)
@pytest.mark.parametrize("shape", [1.0625, 1.5, 7.0])
def test_gamma_numbers_are_kept_with_the_ratio_of_the_densities(shape):
    """The largest ratio is at 0; the second of two fed proposals is always kept."""
    rng, decisions = np.random.default_rng(9), []
    for _ in range(300):
        chosen, u = int(rng.random() ** 4 * 2**127), int(rng.random() * 2**128)
        chosen = chosen if rng.random() < 0.5 else 2**128 - 1 - chosen
        fed = Tape(b"".join(top.to_bytes(16, "little") for top in (chosen, u, 2**126, 2**10)))
        secure.gamma(lambda bits: exact.exactly(shape), fed)
        with mpmath.workdps(60):
            n = mpmath.sqrt(2) * mpmath.erfinv(1 - (2 * chosen + 1) / mpf(2) ** 128)
            kept = u / mpf(2) ** 128 < density_ratio(shape, n) / density_ratio(shape, mpf(0))
        assert fed.place == (32 if kept else 64 if n > -3 * mpmath.sqrt(mpf(shape) - mpf(1) / 3) else 48)
        decisions.append(kept)
    assert 3 < decisions.count(False) < 200


@pytest.mark.daily
@pytest.mark.parametrize("factor", FACTORS)
def test_wishart_masks_have_their_law(factor):
    """The trace has dν degrees of freedom, 1/(M⁻¹)₁₁ has ν - d + 1 (Muirhead 1982), for any root."""
    rng, d, rows = np.random.default_rng(2), 2, 3.5
    root = np.array([[2.0, 0.0], [-1.0, 0.5]])
    draws = np.array([secure.wishart(root, factor / rows, rng.bytes) for _ in range(2500)])
    whitened = np.linalg.inv(root) @ draws @ np.linalg.inv(root).T * rows
    first = rejected(np.trace(whitened, axis1=1, axis2=2), stats.chi2(d * rows).cdf)
    second = rejected(1 / np.linalg.inv(whitened)[:, 0, 0], stats.chi2(rows - d + 1).cdf)
    assert (first or second) == (factor != 1)


@pytest.mark.daily
@pytest.mark.parametrize("factor", FACTORS)
def test_square_masks_have_their_law(factor):
    """The trace over η² is a noncentral chi-square of d² degrees of freedom."""
    rng, d, eta = np.random.default_rng(3), 2, 0.4
    draws = np.array([secure.square(np.eye(d), factor * eta, rng.bytes) for _ in range(4000)])
    law = stats.ncx2(d * d, d / eta**2)
    assert rejected(np.trace(draws, axis1=1, axis2=2) / eta**2, law.cdf) == (factor != 1)


@pytest.mark.daily
@pytest.mark.parametrize(("d", "rate", "count"), [(3, 12.0, 600), (4, 20.0, 250)])
def test_thompson_laplace_masks_of_more_dimensions_have_their_law(d, rate, count):
    """Of few draws: half the rate and 1.6 times it are rejected."""
    rng = np.random.default_rng(5)
    draws = np.array([secure.thompson_laplace(np.eye(d), 1 / rate, rng.bytes) for _ in range(count)])
    largest = np.abs(np.log(np.linalg.eigvalsh(draws))).max(axis=1)
    assert not rejected(largest, largest_exponent(d, rate))
    assert rejected(largest, largest_exponent(d, rate / 2))
    assert rejected(largest, largest_exponent(d, rate * 1.6))


class Recorded:
    def __init__(self, seed):
        self.rng, self.chunks = np.random.default_rng(seed), []

    def __call__(self, count):
        self.chunks.append(self.rng.bytes(count))
        return self.chunks[-1]


def by_hand(root, eta, chunks):
    d = root.rows if isinstance(root, mpmath.matrix) else len(root)
    with mpmath.workdps(200):
        middles = [(2 * int.from_bytes(chunk, "little") + 1) / mpf(2) ** 129 for chunk in chunks]
        g = mpmath.matrix(d, d)
        for place, u in enumerate(middles):
            g[place // d, place % d] = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * u)
        inner = mpmath.eye(d) + mpf(eta) * g
        factor = mpmath.matrix(root.tolist()) * inner
        product = factor * factor.T
        return [[float(product[i, j]) for j in range(d)] for i in range(d)]


@pytest.mark.parametrize("root", [np.eye(3), ILL], ids=["round", "ill"])
@pytest.mark.parametrize("seed", range(5))
def test_every_entry_is_the_float_next_to_the_exact_number(root, seed):
    """Also where a product in floats is right in no digit."""
    read = Recorded(seed)
    found = secure.square(root, 0.3, read)
    assert len(read.chunks) == 9
    assert found.tolist() == by_hand(root, 0.3, read.chunks)
    assert np.array_equal(found, found.T)


def test_a_ball_round_a_midpoint_has_no_float_next_to_it():
    with exact.precise(128):
        middle = exact.exactly(1) + exact.exactly(2.0**-53)
        assert secure.nearest(middle + exact.uniform_ball(2**63, 64) * 2.0**-60) == 1 + 2.0**-52
        assert secure.nearest(middle + (exact.uniform_ball(2**63, 64) - 0.5) * 2.0**-60) is None
        assert secure.nearest(exact.flint().arb("nan")) is None


@pytest.mark.parametrize(
    "make", [secure.normal, lambda read: secure.gamma(lambda _: exact.exactly(0.7), read)]
)
def test_later_balls_hold_the_same_number(make):
    rng = np.random.default_rng(8)
    for _ in range(50):
        number, found = make(rng.bytes), []
        for bits in (128, 256, 512, 128):
            with exact.precise(bits):
                found.append(number(bits))
        assert all(found[0].contains(one) for one in found)
        assert found[2].rad() < found[1].rad() < found[0].rad()
        assert float(found[2].rad()) < 1e-70 * sqrt(2)


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


@pytest.mark.daily
def test_bases_are_uniform():
    """The first column's first entry, squared, is a beta variable; turned masks have the law of masks."""
    rng, d = np.random.default_rng(6), 3
    draws = []
    for _ in range(3000):
        entries = secure._normals(d, rng.bytes)
        with exact.precise(secure.STEP):
            draws.append(float(secure._uniform_basis(entries(secure.STEP))[0, 1]) ** 2)
    assert not rejected(draws, stats.beta(0.5, (d - 1) / 2).cdf)
    assert rejected(draws, stats.beta(0.5, d / 2).cdf)


@pytest.mark.secure
def test_integers_beside_the_largest_do_not_wrap():
    counts = np.array([2**63 - 1, -(2**63)])
    assert SecureNoise().laplace(counts, 1, 1.0).tolist() == [2.0**63, -(2.0**63)]


@pytest.mark.parametrize("seed", [0, None, np.random.default_rng(1)])
def test_it_takes_no_seed(seed):
    with pytest.raises(TypeError, match="no arguments"):
        SecureNoise(seed)
    assert noise_source(NOISE) is NOISE
    assert isinstance(NOISE, NoiseSource)
