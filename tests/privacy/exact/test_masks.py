"""Masks of exact laws: the float next to the number that the bits stand for, and the laws of their reals.

The level is 1e-6; what is 1.3 times too large or too small is rejected.
"""

from math import sqrt

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy import stats

from tests.oracles.thompson_laplace import largest_exponent
from tests.privacy.exact.kit import FALSE_ALARM, Tape
from workbench.errors import ArgumentError
from workbench.privacy import exact
from workbench.privacy import secure as exact_shapes

FACTORS = (1.0, 1.3, 1 / 1.3)
ILL = np.array([[1.0, 1e60, 0.3], [1.0, 1e60 * (1 + 2.0**-50), -0.7], [0.1, 1e-30, 2.0]])


def rejected(draws, cdf):
    return stats.kstest(draws, cdf).pvalue < FALSE_ALARM


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("shape", [0.3, 0.5, 1.0, 1.2, 11.0])
def test_gamma_reals_have_their_law(shape, factor):
    rng, draws = np.random.default_rng(1), []
    for _ in range(4000):
        one = exact_shapes.gamma(lambda bits: exact.exactly(shape * factor), rng.bytes)
        with exact.precise(exact_shapes.STEP):
            draws.append(float(one(exact_shapes.STEP)))
    assert rejected(draws, stats.gamma(shape).cdf) == (factor != 1)


def density_ratio(shape, n):
    """The gamma density at what n stands for, times the derivative, over the normal density of n."""
    g, a = mpf(shape) - mpf(1) / 3, mpf(shape)
    y = n / (3 * mpmath.sqrt(g))
    if y <= -1:
        return mpf(0)
    x = g * (1 + y) ** 3
    return x ** (a - 1) * mpmath.exp(-x) * mpmath.sqrt(g) * (1 + y) ** 2 * mpmath.exp(n * n / 2)


@pytest.mark.parametrize("shape", [1.0625, 1.5, 7.0])
def test_gamma_numbers_are_kept_with_the_ratio_of_the_densities(shape):
    """The largest ratio is at 0; the second of two fed proposals is always kept."""
    rng, decisions = np.random.default_rng(9), []
    for _ in range(300):
        chosen, u = int(rng.random() ** 4 * 2**127), int(rng.random() * 2**128)
        chosen = chosen if rng.random() < 0.5 else 2**128 - 1 - chosen
        fed = Tape(b"".join(top.to_bytes(16, "little") for top in (chosen, u, 2**126, 2**10)))
        exact_shapes.gamma(lambda bits: exact.exactly(shape), fed)
        with mpmath.workdps(60):
            n = mpmath.sqrt(2) * mpmath.erfinv(1 - (2 * chosen + 1) / mpf(2) ** 128)
            kept = u / mpf(2) ** 128 < density_ratio(shape, n) / density_ratio(shape, mpf(0))
        assert fed.place == (32 if kept else 64 if n > -3 * mpmath.sqrt(mpf(shape) - mpf(1) / 3) else 48)
        decisions.append(kept)
    assert 3 < decisions.count(False) < 200


@pytest.mark.parametrize("factor", FACTORS)
def test_wishart_masks_have_their_law(factor):
    """The trace has dν degrees of freedom, 1/(M⁻¹)₁₁ has ν - d + 1 (Muirhead 1982), for any root."""
    rng, d, rows = np.random.default_rng(2), 2, 3.5
    root = np.array([[2.0, 0.0], [-1.0, 0.5]])
    draws = np.array([exact_shapes.wishart(root, factor / rows, rng.bytes) for _ in range(2500)])
    whitened = np.linalg.inv(root) @ draws @ np.linalg.inv(root).T * rows
    first = rejected(np.trace(whitened, axis1=1, axis2=2), stats.chi2(d * rows).cdf)
    second = rejected(1 / np.linalg.inv(whitened)[:, 0, 0], stats.chi2(rows - d + 1).cdf)
    assert (first or second) == (factor != 1)


@pytest.mark.parametrize("factor", FACTORS)
def test_square_masks_have_their_law(factor):
    """The trace over η² is a noncentral chi-square of d² degrees of freedom."""
    rng, d, eta = np.random.default_rng(3), 2, 0.4
    draws = np.array([exact_shapes.square(np.eye(d), factor * eta, rng.bytes) for _ in range(4000)])
    law = stats.ncx2(d * d, d / eta**2)
    assert rejected(np.trace(draws, axis1=1, axis2=2) / eta**2, law.cdf) == (factor != 1)


@pytest.mark.daily
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(("d", "rate", "count"), [(1, 3.0, 2500), (2, 12.0, 2500)])
def test_thompson_laplace_masks_have_their_law(d, rate, count, factor):
    rng = np.random.default_rng(4)
    draws = np.array(
        [exact_shapes.thompson_laplace(np.eye(d), factor / rate, rng.bytes) for _ in range(count)]
    )
    largest = np.abs(np.log(np.linalg.eigvalsh(draws))).max(axis=1)
    assert rejected(largest, largest_exponent(d, rate)) == (factor != 1)


@pytest.mark.daily
@pytest.mark.parametrize(("d", "rate", "count"), [(3, 12.0, 600), (4, 20.0, 250)])
def test_thompson_laplace_masks_of_more_dimensions_have_their_law(d, rate, count):
    """Of few draws: half the rate and 1.6 times it are rejected."""
    rng = np.random.default_rng(5)
    draws = np.array([exact_shapes.thompson_laplace(np.eye(d), 1 / rate, rng.bytes) for _ in range(count)])
    largest = np.abs(np.log(np.linalg.eigvalsh(draws))).max(axis=1)
    assert not rejected(largest, largest_exponent(d, rate))
    assert rejected(largest, largest_exponent(d, rate / 2))
    assert rejected(largest, largest_exponent(d, rate * 1.6))


@pytest.mark.daily
def test_bases_are_uniform():
    """The first column's first entry, squared, is a beta variable; turned masks have the law of masks."""
    rng, d = np.random.default_rng(6), 3
    draws = []
    for _ in range(3000):
        entries = exact_shapes._normals(d, rng.bytes)
        with exact.precise(exact_shapes.STEP):
            draws.append(float(exact_shapes._uniform_basis(entries(exact_shapes.STEP))[0, 1]) ** 2)
    assert not rejected(draws, stats.beta(0.5, (d - 1) / 2).cdf)
    assert rejected(draws, stats.beta(0.5, d / 2).cdf)


class Recorded:
    """A generator's bytes, and what was read of them."""

    def __init__(self, seed):
        self.rng, self.chunks = np.random.default_rng(seed), []

    def __call__(self, count):
        self.chunks.append(self.rng.bytes(count))
        return self.chunks[-1]


def by_hand(root, eta, chunks):
    """The floats next to L (I + ηG)(I + ηG)ᵀ Lᵀ at 200 digits, G of normal quantiles of 128 bits each."""
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
    found = exact_shapes.square(root, 0.3, read)
    assert len(read.chunks) == 9
    assert found.tolist() == by_hand(root, 0.3, read.chunks)
    assert np.array_equal(found, found.T)


def test_more_bits_are_drawn_until_every_entry_has_one_float():
    """A uniform number whose first 128 bits are 0 has no normal quantile yet."""
    ordinary = np.random.default_rng(7).bytes(16 * 16)
    fed = Tape(bytes(16) + ordinary)
    found = exact_shapes.square(np.array([[1.0]]), 0.5, fed)
    assert fed.place == 32
    u = mpf(int.from_bytes(ordinary[:16], "little")) / mpf(2) ** 256
    with mpmath.workdps(120):
        guess = -mpmath.sqrt(2 * mpmath.log(1 / u))
        exact_normal = mpmath.findroot(lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2 / u - 1, guess)
        assert found[0, 0] == float((1 - exact_normal / 2) ** 2)


def test_a_ball_round_a_midpoint_has_no_float_next_to_it():
    with exact.precise(128):
        middle = exact.exactly(1) + exact.exactly(2.0**-53)
        assert exact_shapes.nearest(middle + exact.uniform_ball(2**63, 64) * 2.0**-60) == 1 + 2.0**-52
        assert exact_shapes.nearest(middle + (exact.uniform_ball(2**63, 64) - 0.5) * 2.0**-60) is None
        assert exact_shapes.nearest(exact.flint().arb("nan")) is None


@pytest.mark.parametrize(
    "make", [exact_shapes.normal, lambda read: exact_shapes.gamma(lambda _: exact.exactly(0.7), read)]
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


def test_a_row_of_zeros_stays_one():
    found = exact_shapes.wishart(np.array([[0.0, 0.0], [1.0, 2.0]]), 0.25)
    assert (found[0] == 0).all()
    assert found[1, 1] > 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: exact_shapes.wishart([[np.nan]], 0.1), "root"),
        (lambda: exact_shapes.wishart([[1.0, 2.0]], 0.1), "root"),
        (lambda: exact_shapes.wishart(np.eye(3), 0.5), "scale = 0.5: expected below 1/2"),
        (lambda: exact_shapes.square(np.eye(2), 0.0), "scale = 0.0"),
        (lambda: exact_shapes.thompson_laplace(np.eye(5), 0.01), "d = 5"),
        (lambda: exact_shapes.thompson_laplace(np.eye(4), 0.25), "scale = 0.25: expected below 1/4"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(ArgumentError, match=words):
        call()
