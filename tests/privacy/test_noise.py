"""Every noise has its distribution: of the level 1e-6, and 1.3 times more or less is rejected."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import ceil, exp, log

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy import stats
from scipy.stats import chisquare, kstest

from tests.estimators.streams import rng
from tests.privacy.kit import largest_exponent
from workbench import CoinPressMean
from workbench.contracts.kit import FALSE_ALARM, SCALE_FACTOR
from workbench.estimators.files import ChangedError, stream
from workbench.estimators.populous import mean_designer
from workbench.estimators.populous_robust import location_means, scatter_factors
from workbench.estimators.scale import _spread
from workbench.estimators.shared.rows import evened, group_means
from workbench.estimators.votes import NORM_ROUNDING, Points, designed
from workbench.privacy import ZCDP, ApproxDP, Charge, PureDP, SecureNoise, SimulatedNoise
from workbench.privacy.cuts import BITS, Level, Node
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import exponential, noisy_max
from workbench.privacy.stable import ChargedRoot

FACTORS, ONE = (1.0, SCALE_FACTOR, 1 / SCALE_FACTOR), 2**20
DRAWS, SCALE, BOUND, UNIT = 10_000, 0.7, 3.0, 1 / ONE  # a bound in scales; a unit that no test sees
EDGE = stats.laplace.cdf(-BOUND)
LAWS = {
    "laplace": stats.laplace.cdf,
    "discrete_laplace": stats.laplace.cdf,
    "gaussian": stats.norm.cdf,
    "exponential": stats.expon.cdf,
    "truncated_laplace": lambda x: np.clip((stats.laplace.cdf(x) - EDGE) / (1 - 2 * EDGE), 0, 1),
}


def source_of(name):
    """A source, and what it takes for whole numbers of the unit."""
    if name == "exact":
        return SecureNoise(), lambda counts: OnGrid(np.asarray(counts), UNIT)
    return SimulatedNoise(rng(7)), lambda counts: np.asarray(counts) * UNIT


def is_of(cdf, draws):
    return bool(kstest(draws, cdf).pvalue >= FALSE_ALARM)


@pytest.mark.parametrize("name", ["simulated", "exact"])
@pytest.mark.parametrize("kind", LAWS)
def test_noise_has_its_law_and_is_added(name, kind):
    """Simulated discrete noise has steps of 1, too small to be seen at its scale; exact noise has units."""
    source, value = source_of(name)
    step = UNIT if name == "exact" else 1.0 if kind == "discrete_laplace" else None
    scale = 1e4 if step == 1.0 else SCALE
    more = (BOUND * scale,) if kind == "truncated_laplace" else ()
    found = getattr(source, kind)(value(np.full(DRAWS, 10 * ONE)), 1.0, scale, *more) - 10
    assert [is_of(LAWS[kind], factor * found / scale) for factor in FACTORS] == [True, False, False]
    assert step is None or (found / step == np.rint(found / step)).all()


@pytest.mark.parametrize("name", ["simulated", "exact"])
def test_symmetric_noise_is_symmetric_and_smaller_off_the_diagonal(name):
    source, value = source_of(name)
    zeros = value(np.zeros((12, 12), int))
    found = np.array([source.symmetric_gaussian(zeros, 1.0, 2.0) for _ in range(400)]) / 2
    assert (found == found.swapaxes(1, 2)).all()
    above = found[:, *np.triu_indices(12, 1)].ravel() * 2**0.5
    for part in (above, np.diagonal(found, axis1=1, axis2=2).ravel()):
        assert [is_of(stats.norm.cdf, factor * part) for factor in FACTORS] == [True, False, False]


# Choices

SCORES, WEIGHTS = np.array([0, 1, 2, 3, 3]), np.array([7, 0, 4, 2, 3])


def softmax(scores, epsilon, weights=1):
    masses = weights * np.exp(epsilon * scores / 2)
    return masses / masses.sum()


def permute_and_flip(scores, epsilon):
    """One of mass m beside others m': m times the integral of the product of 1 - m' u over u in (0, 1)."""
    masses, law = np.exp(epsilon / 2 * (scores - scores.max())), []
    for j, mass in enumerate(masses):
        others = np.delete(masses, j)
        law.append(mass * np.prod(-others) * Polynomial.fromroots(1 / others).integ()(1.0))
    return np.array(law)


SELECTIONS = (
    (exponential, softmax, ()),
    (exponential, softmax, (WEIGHTS,)),
    (noisy_max, permute_and_flip, ()),
)


@pytest.mark.parametrize("name", ["simulated", "exact"])
@pytest.mark.parametrize(("mechanism", "law", "weights"), SELECTIONS, ids=["exponential", "weights", "max"])
def test_selection_has_its_exact_law(name, mechanism, law, weights):
    """An index of weight 0 is never chosen; half and twice ε are rejected."""
    source, value = source_of(name)
    charge, runs = Charge("choose", mechanism.__name__, 1.0, PureDP(2.0)), 3000
    drawn = Counter(mechanism(value(SCORES * ONE), charge, source, *weights) for _ in range(runs))
    counts, found = np.array([drawn[j] for j in range(len(SCORES))]), []
    for epsilon in (2.0, 1.0, 4.0):
        chances = law(SCORES, epsilon, *weights)
        assert not counts[chances == 0].any()
        kept = chances > 0
        found.append(bool(chisquare(counts[kept], runs * chances[kept]).pvalue >= FALSE_ALARM))
    assert found == [True, False, False]


def test_a_cut_of_two_alike_falls_on_either():
    """Of one place with all points on one side, and of e^(points/scale) as many with all on the other."""
    source, scale, runs = SimulatedNoise(rng(6)), 4.0, 3000
    points = ceil(scale * log(20))
    lengths = np.array([round(1e6 * exp(points / scale)), *[0] * (points - 1), 10**6])
    level = Level((Node(OnGrid(lengths, 1.0), (1 << BITS, 0), points),))
    first = sum(source.cuts(level, 1.0, scale)[0][0] == 0 for _ in range(runs))
    assert stats.binomtest(first, runs, 0.5).pvalue >= FALSE_ALARM


# Masks


@pytest.mark.daily
@pytest.mark.parametrize(
    ("source", "d", "rate", "count", "wrong"),
    [
        *((SimulatedNoise, d, 12.0 + 8 * (d == 4), 3000, 1.3) for d in (2, 3, 4)),
        *((SecureNoise, d, rate, 2500, 1.3) for d, rate in ((1, 3.0), (2, 12.0))),
        *((SecureNoise, d, rate, count, 2.0) for d, rate, count in ((3, 12.0, 600), (4, 20.0, 250))),
    ],
)
def test_thompson_laplace_masks_have_their_law(source, d, rate, count, wrong):
    """Wrong rates are rejected, of few draws by larger factors; squares of a uniform basis are betas."""
    noise, root = source(*[rng()] * (source is SimulatedNoise)), ChargedRoot(np.eye(d))
    draws = np.array([noise.thompson_laplace(root, 1.0, 1 / rate) for _ in range(count)])
    values, bases = np.linalg.eigh(draws)
    largest = np.abs(np.log(values)).max(axis=1)
    found = [is_of(largest_exponent(d, one), largest) for one in (rate, rate / wrong, rate * wrong)]
    assert found == [True, False, False]
    assert d == 1 or is_of(stats.beta(0.5, (d - 1) / 2).cdf, bases[:, 0, 1] ** 2)


TRACES = (
    ("wishart", 3, 1 / 12, lambda scale: stats.chi2(3 / scale, scale=scale)),
    ("square", 2, 0.4, lambda scale: stats.ncx2(4, 2 / scale**2, scale=scale**2)),
)


@pytest.mark.parametrize(("kind", "d", "scale", "law"), TRACES)
def test_traces_of_masks_have_the_law_of_their_scale(kind, d, scale, law):
    noise = SimulatedNoise(rng(3))
    traces = [np.trace(getattr(noise, kind)(np.eye(d), 1.0, scale)) for _ in range(20_000)]
    assert [is_of(law(factor * scale).cdf, traces) for factor in FACTORS] == [True, False, False]


# Statistics that noise is added to, on hostile floats: finite, silent, and within their sensitivity.


@pytest.mark.parametrize(("n", "d"), [(10**6, 25), (10**7, 400)])
def test_the_rounding_of_an_average_of_far_points_is_within_what_is_added_to_its_sensitivity(n, d):
    """Two data sets of points as far as usable ones are, where floats are coarse, against exact averages."""
    made = designed(mean_designer(d), n, ApproxDP(1.0, 1e-6), 0.05)
    near = rng(7).uniform(-0.3, 0.3, (5, d)) * made.limit / np.sqrt(d)
    reach = max(
        far for far in np.geomspace(1.0, 1e8, 400) if Points(far * made.limit + near, made.limit).usable.all()
    )
    points, weights = Points(reach * made.limit + near, made.limit), np.array([1.0, 1.0, 0.5, 1.0, 0.25])
    whole = np.vectorize(Fraction)
    truth = whole(weights) @ whole(points.values) / Fraction(weights.sum())
    off = (whole(points.average(weights)) - truth).astype(float)
    coarse = np.spacing(reach * made.limit) * np.sqrt(d)  # half a unit of each coordinate, twice
    assert coarse / 10 < 2 * np.linalg.norm(off) <= coarse
    assert coarse < made.distance * (1 - 1 / NORM_ROUNDING)


EVERY, OTHERS = slice(None), [1, 0]


@pytest.mark.parametrize(("order", "columns"), [(OTHERS, EVERY), (EVERY, OTHERS), (OTHERS, OTHERS)])
def test_entries_that_trade_places_between_passes_are_a_change(order, columns):
    """Every pass sees the same numbers, in other rows or columns; only the same places are the same rows."""
    rows, mean = rng(1).standard_normal((5000, 2)), CoinPressMean(radius=100.0, steps=2, sigma=1.0)
    passes = iter([[rows], [np.vstack([rows[:2][order][:, columns], rows[2:]])]])
    with pytest.raises(ChangedError):
        stream(mean, lambda: next(passes), n=5000, d=2, budget=ZCDP(0.5), rng=SecureNoise())


OF_GROUPS = {
    "group means": group_means,
    "evened groups": lambda groups: evened(groups).sum(axis=1),
    "robust means": location_means,
    "robust factors": scatter_factors,
    "spreads": lambda groups: np.stack([_spread(column) for column in groups.transpose(2, 0, 1)], 1),
}


@pytest.mark.parametrize("name", OF_GROUPS)
@pytest.mark.parametrize(("size", "d"), [(2, 1), (7, 1), (8, 3), (33, 2), (200, 1)])
def test_what_a_group_says_is_the_same_bit_for_bit_whatever_another_holds(name, size, d):
    """Without absent rows shorter ways are taken: all groups would move if these rounded otherwise."""
    groups, summary = np.random.default_rng(size).normal(3.0, 1.0, (40, size, d)), OF_GROUPS[name]
    others = np.arange(40) != 17
    said = summary(groups.copy())[others]
    for value, places in product((np.nan, 0.0, 1e100, -1e100, 1e-160, 1e8), ([size // 2], slice(None))):
        changed = groups.copy()
        changed[17, places] = value
        with np.errstate(all="ignore"):
            assert np.array_equal(said, summary(changed)[others])
