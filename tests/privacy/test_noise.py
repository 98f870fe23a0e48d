"""Every noise has its distribution: exact tests that also reject noise 1.3 times too large or too small."""

from collections import Counter
from itertools import pairwise
from math import exp, inf, log

import numpy as np
import pytest
from scipy import stats
from scipy.stats import ks_2samp, kstwo

from tests.privacy.kit import largest_exponent
from workbench.contracts.kit import DRAWS, FALSE_ALARM, SCALE_FACTOR
from workbench.linalg import spectral_map
from workbench.privacy import ApproxDP, Charge, PureDP, SimulatedNoise
from workbench.privacy.mechanisms import exponential, noisy_max, truncated_laplace_bound

FACTORS = (1.0, SCALE_FACTOR, 1 / SCALE_FACTOR)
BOUND = 3.0  # of truncated noise, in scales
CELLS = 16


def two_sided(law, value):
    return float(min(1.0, 2 * min(law.cdf(value), law.sf(value))))


def by_cells(cdf, draws):
    counts = np.bincount(np.minimum((cdf(draws) * CELLS).astype(int), CELLS - 1), minlength=CELLS)
    return float(stats.chisquare(counts).pvalue)


def laplace(draws, scale):
    return min(
        two_sided(stats.gamma(DRAWS), np.abs(draws).sum() / scale),
        by_cells(stats.laplace(scale=scale).cdf, draws),
    )


def gaussian(draws, scale):
    return min(
        two_sided(stats.chi2(DRAWS), (draws**2).sum() / scale**2),
        by_cells(stats.norm(scale=scale).cdf, draws),
    )


def exponential_law(draws, scale):
    return min(
        two_sided(stats.gamma(DRAWS), draws.sum() / scale), by_cells(stats.expon(scale=scale).cdf, draws)
    )


def truncated_laplace(draws, scale):
    law = stats.laplace(scale=scale)
    low = law.cdf(-BOUND * scale)
    if np.abs(draws).max() > BOUND * scale:
        return 0.0
    return by_cells(lambda x: (law.cdf(x) - low) / (1 - 2 * low), draws)


def discrete_laplace(draws, scale):
    if (draws != np.floor(draws)).any():
        return 0.0
    reach = int(scale * log(DRAWS / 20))
    middle = np.arange(-reach, reach + 1)
    expected = stats.dlaplace(1 / scale).pmf(middle)
    counts = [(draws == z).sum() for z in middle] + [(np.abs(draws) > reach).sum()]
    return float(stats.chisquare(counts, DRAWS * np.append(expected, 1 - expected.sum())).pvalue)


LAWS = {
    "laplace": laplace,
    "gaussian": gaussian,
    "exponential": exponential_law,
    "truncated_laplace": truncated_laplace,
    "discrete_laplace": discrete_laplace,
}


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("scale", [1.0, 2.5])
@pytest.mark.parametrize("kind", LAWS)
def test_noise_has_its_law(kind, scale, factor):
    noise = SimulatedNoise(np.random.default_rng(len(kind)))
    more = (BOUND * scale,) if kind == "truncated_laplace" else ()
    draws = getattr(noise, kind)(np.zeros(DRAWS), 1.0, factor * scale, *more)
    assert (LAWS[kind](draws, scale) >= FALSE_ALARM) == (factor == 1)


@pytest.mark.parametrize("factor", FACTORS)
def test_symmetric_noise_has_its_law_on_and_off_the_diagonal(factor):
    noise, d, scale = SimulatedNoise(np.random.default_rng(2)), 4, 1.7
    draws = np.array(
        [noise.symmetric_gaussian(np.zeros((d, d)), 1.0, factor * scale) for _ in range(DRAWS // d)]
    )
    assert np.array_equal(draws, draws.transpose(0, 2, 1))
    on, (rows, columns) = np.diagonal(draws, axis1=1, axis2=2), np.triu_indices(d, 1)
    off = draws[:, rows, columns] * np.sqrt(2)
    for part in (on, off):
        p = two_sided(stats.chi2(part.size), (part**2).sum() / scale**2)
        assert (p >= FALSE_ALARM) == (factor == 1)
    products = (off[:, 0] * off[:, -1]).sum() / scale**2  # independent entries
    assert abs(products) < 6 * np.sqrt(len(off)) * factor**2


SCORES, EPSILON = np.array([0.0, 1.0, 2.0, 3.0, 3.0]), 2.0


def softmax(scores, epsilon, base=0.0):
    weights = np.exp(epsilon * scores / 2) * np.exp(base)
    return weights / weights.sum()


def permute_and_flip(scores, epsilon):
    rate, best = epsilon / 2, scores.max()
    law = []
    for j, score in enumerate(scores):
        others = np.delete(scores, j)
        total = 0.0
        for mask in range(2 ** len(others)):
            chosen = others[[bool(mask >> i & 1) for i in range(len(others))]]
            # P(noise > t - score) = e^{-rate (t - score)} for t >= score; t runs from the largest score
            sign, size = (-1) ** len(chosen), len(chosen) + 1
            total += sign * exp(rate * (chosen.sum() + score - size * best)) / size
        law.append(total)
    return np.array(law)


def choices(mechanism, epsilon, *more):
    noise = SimulatedNoise(np.random.default_rng(11))
    charge = Charge("choose", mechanism.__name__, 1.0, PureDP(epsilon))
    drawn = Counter(mechanism(SCORES, charge, noise, *more) for _ in range(DRAWS))
    return np.array([drawn[j] for j in range(len(SCORES))])


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(
    ("mechanism", "law"), [(exponential, softmax), (noisy_max, permute_and_flip)], ids=["exponential", "max"]
)
def test_selection_has_its_exact_law(mechanism, law, factor):
    expected = law(SCORES, EPSILON)
    assert expected.sum() == pytest.approx(1)
    counts = choices(mechanism, EPSILON / factor)
    assert (stats.chisquare(counts, DRAWS * expected).pvalue >= FALSE_ALARM) == (factor == 1)


def test_a_base_measure_multiplies_and_minus_infinity_forbids():
    base = np.array([2.0, -inf, 0.0, -1.0, 0.5])
    counts = choices(exponential, EPSILON, np.exp(base))
    expected = softmax(SCORES, EPSILON, base)
    assert counts[1] == 0
    keep = expected > 0
    assert stats.chisquare(counts[keep], DRAWS * expected[keep]).pvalue >= FALSE_ALARM


# Masks

RATE, MASKS = 20.0, 3000
CRITICAL = float(kstwo.isf(FALSE_ALARM, MASKS))  # sup |F_N - F| that the right law exceeds with this chance


def exponents(d, rate, count, seed=1):
    noise = SimulatedNoise(np.random.default_rng(seed))
    masks = np.array([noise.thompson_laplace(np.eye(d), 1.0, 1 / rate) for _ in range(count)])
    return np.abs(np.log(np.linalg.eigvalsh(masks))).max(axis=1)


def gap(values, cdf):
    at, count = cdf(np.sort(values)), len(values)
    return max((np.arange(1, count + 1) / count - at).max(), (at - np.arange(count) / count).max())


@pytest.mark.daily
def test_masks_of_four_dimensions_have_the_law_of_their_rate():
    assert gap(exponents(4, RATE, MASKS), largest_exponent(4, RATE)) <= CRITICAL


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [0.4, 1e-3, 1e-9])
def test_truncated_laplace_noise_moved_by_its_sensitivity_is_delta_away(epsilon, delta):
    """The hockey stick at ε, summed over cells that no break of the densities cuts."""
    bound = truncated_laplace_bound(Charge("noise", "truncated_laplace", 1.0, ApproxDP(epsilon, delta)))

    def below(x):
        x = np.clip(x, -bound, bound)
        tail = np.exp(-bound * epsilon) * np.expm1((bound - np.abs(x)) * epsilon)
        tail /= -2 * np.expm1(-bound * epsilon)
        return np.where(x < 0, tail, 1 - tail)

    breaks = sorted({-bound, min(1 - bound, bound), 0.0, 1.0, bound, bound + 1})
    ends = np.unique(np.concatenate([np.linspace(a, b, 200) for a, b in pairwise(breaks)]))
    p, q = (np.diff(below(ends - moved)) for moved in (0.0, 1.0))
    assert np.maximum(p - np.exp(epsilon) * q, 0).sum() == pytest.approx(delta, rel=1e-4)


def rng(seed=1):
    return np.random.default_rng(seed)


def thompson(matrix):
    return float(np.abs(np.log(np.linalg.eigvalsh(matrix))).max())


@pytest.mark.daily
@pytest.mark.parametrize("kind", ["thompson_laplace", "wishart", "square"])
def test_masks_follow_linear_maps_and_forget_the_root(kind):
    source, matrix = rng(10), np.array([[4.0, 1.0], [1.0, 2.0]])
    lower = np.linalg.cholesky(matrix)
    upper = spectral_map(matrix, np.sqrt)
    scale = {"thompson_laplace": 0.1, "wishart": 0.05, "square": 0.2}[kind]
    draw = getattr(SimulatedNoise(source), kind)
    inverse = np.linalg.inv(lower)
    first = [thompson(inverse @ draw(lower, 1.0, scale) @ inverse.T) for _ in range(1500)]
    second = [thompson(inverse @ draw(upper, 1.0, scale) @ inverse.T) for _ in range(1500)]
    third = [thompson(draw(np.eye(2), 1.0, scale)) for _ in range(1500)]
    assert ks_2samp(first, second).pvalue > FALSE_ALARM
    assert ks_2samp(first, third).pvalue > FALSE_ALARM
