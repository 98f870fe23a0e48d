"""Every noise has its law: exact tests that also reject noise 1.3 times too large or too small."""

from collections import Counter
from itertools import combinations_with_replacement, pairwise
from math import comb, exp, inf, log

import numpy as np
import pytest
from scipy import stats

from workbench.contracts.kit import DRAWS, FALSE_ALARM, SCALE_FACTOR
from workbench.privacy import ApproxDP, Charge, PureDP, SimulatedNoise
from workbench.privacy.histograms import stability_charge, stability_histogram, stability_threshold
from workbench.privacy.mechanisms import exponential, noisy_max, truncated_laplace_bound

FACTORS = (1.0, SCALE_FACTOR, 1 / SCALE_FACTOR)
BOUND = 3.0  # of truncated noise, in scales
CELLS = 16


def two_sided(law, value):
    """The p-value of an exact test with both tails."""
    return float(min(1.0, 2 * min(law.cdf(value), law.sf(value))))


def by_cells(cdf, draws):
    """Pearson's test on cells of equal probability."""
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
    """Pearson's test on the counts of integers, the rare ones together."""
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


@pytest.mark.parametrize("kind", [kind for kind in LAWS if kind not in ("exponential", "truncated_laplace")])
def test_noise_is_added_to_the_value(kind):
    seed = lambda: SimulatedNoise(np.random.default_rng(7))  # noqa: E731
    at_zero = getattr(seed(), kind)(np.zeros(5), 1.0, 2.0)
    assert getattr(seed(), kind)(np.full(5, 10.0), 1.0, 2.0) == pytest.approx(at_zero + 10)


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


def test_a_uniform_point_is_uniform():
    noise = SimulatedNoise(np.random.default_rng(3))
    draws = np.array([noise.uniform(-2.0, 6.0) for _ in range(DRAWS)])
    assert by_cells(stats.uniform(-2, 8).cdf, draws) >= FALSE_ALARM


SCORES, EPSILON = np.array([0.0, 1.0, 2.0, 3.0, 3.0]), 2.0


def softmax(scores, epsilon, base=0.0):
    weights = np.exp(epsilon * scores / 2) * np.exp(base)
    return weights / weights.sum()


def permute_and_flip(scores, epsilon):
    """The law of the largest score plus exponential noise, by inclusion and exclusion over the others."""
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


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_permute_and_flip_is_private_and_no_worse_than_the_exponential_mechanism(epsilon):
    for low in (0.0, 0.5, 2.0):
        first, second = np.array([low, 1.0, 2.0]), np.array([low + 1, 0.0, 2.0])  # each moves by 1 at most
        ratio = permute_and_flip(first, epsilon) / permute_and_flip(second, epsilon)
        assert np.abs(np.log(ratio)).max() <= epsilon * (1 + 1e-12)
        best = first.argmax()
        assert permute_and_flip(first, epsilon)[best] >= softmax(first, epsilon)[best] - 1e-12


class Shifted:
    """A noise source that adds a chosen integer."""

    def __init__(self, shift):
        self.shift = shift

    def discrete_laplace(self, value, sensitivity, scale):
        return np.asarray(value, float) + self.shift


def bin_law(count, cost, threshold):
    """The exact law of one bin's output: nothing, or a noisy count from the threshold on (the last: more)."""
    scale = 2 / cost.epsilon
    top = int(threshold) + count + 40 + int(20 * scale)
    noise = stats.dlaplace(1 / scale)
    shown = [noise.pmf(y - count) for y in range(int(threshold), top)] + [noise.sf(top - 1 - count)]
    return np.array([1.0 - sum(shown), *shown]) if count else np.array([1.0, *np.zeros(len(shown))])


def padded(laws):
    length = max(map(len, laws))
    return [np.append(law, np.zeros(length - len(law))) for law in laws]


def hockey_stick(first, second, cost, threshold):
    """The exact divergence of two multisets' histograms; bins that agree cancel."""
    keys = [key for key in {*first, *second} if first[key] != second[key]]
    p, q = np.ones(1), np.ones(1)
    for key in keys:
        one, other = padded([bin_law(side[key], cost, threshold) for side in (first, second)])
        p, q = np.outer(p, one).ravel(), np.outer(q, other).ravel()
    return float(np.maximum(p - exp(cost.epsilon) * q, 0).sum())


def neighbours(n, letters="abc"):
    multisets = [Counter(rows) for rows in combinations_with_replacement(letters, n)]
    assert len(multisets) == comb(n + len(letters) - 1, n)
    return [(a, b) for a in multisets for b in multisets if (a - b).total() == 1]


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.01), (1.0, 0.2), (0.3, 0.05), (3.0, 1e-4)])
def test_the_stability_histogram_keeps_its_budget_on_every_small_multiset(n, epsilon, delta):
    cost = ApproxDP(epsilon, delta)
    threshold = stability_threshold(cost)
    worst = max(hockey_stick(a, b, cost, threshold) for a, b in neighbours(n))
    assert worst <= delta * (1 + 1e-12)
    if n == 1:  # one lone row against another: the whole of delta, up to the rounding of the threshold
        assert worst >= delta * exp(-epsilon / 2) * (1 - 1e-12)
        lower = max(hockey_stick(a, b, cost, threshold - 1) for a, b in neighbours(n))
        assert lower > delta


@pytest.mark.parametrize("count", [1, 3])
def test_a_bin_is_released_from_the_threshold_on(count):
    cost = ApproxDP(1.0, 0.01)
    charge, threshold = stability_charge("bins", cost), stability_threshold(cost)
    for shift in range(-3, 20):
        released = stability_histogram(np.array(["a"] * count), charge, Shifted(shift))
        assert released == ({"a": count + shift} if count + shift >= threshold else {})


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
