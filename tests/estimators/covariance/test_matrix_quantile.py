"""The matrix quantile: its facts on small cases, its bounds in floats, and that each guard is needed."""

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import log, log1p
from unittest.mock import patch

import numpy as np
import pytest

from workbench.chapters.matrix_quantile.runs.bounds import certified, measured
from workbench.chapters.matrix_quantile.runs.pairs import drawn, extreme, simple, thin, tied
from workbench.contracts.draws import expected_draw
from workbench.errors import ArgumentError
from workbench.estimators.covariance.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.parts.quantile import cells, levels, stability
from workbench.estimators.parts.quantile.design import design, fewest_rows, interpolated
from workbench.estimators.parts.quantile.influence import Influence, normal_level
from workbench.estimators.parts.quantile.levels import Scaled, Solver
from workbench.estimators.parts.quantile.matrix_quantile import quantile, soft_count
from workbench.estimators.parts.quantile.stability import Stability
from workbench.privacy import ApproxDP, CountingNoise, SimulatedNoise
from workbench.privacy.stable import LAPLACE, renyi

BUDGET = ApproxDP(1.0, 1e-6)
PAIRS = 250
MADE = (drawn, simple, thin, tied, extreme)
KNEES = (1.0, 0.7, 0.3)
CHARGED = [(120, 2), (400, 5)]  # rows and columns, of a mask of either kind


def attacks(seed, count=PAIRS):
    """Random neighbours, the same for everyone who asks."""
    return [drawn(np.random.default_rng((seed, number))) for number in range(count)]


@pytest.mark.parametrize("knee", KNEES)
def test_the_influence_is_concave_and_its_slope_is_one_falling_selection(knee):
    influence, q = Influence(knee), np.concatenate([np.linspace(0, 3, 3001), [1.0, knee, 1e300]])
    q.sort()
    value, slope = influence.value(q), influence.slope(q)
    assert value[0] == 0
    assert value[-1] == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(value) >= -1e-15).all()
    assert (np.diff(slope) <= 0).all()
    assert influence.slope(np.array([1.0])) == 0
    assert (np.diff(influence.weight(q)) <= 1e-15).all()
    assert (q[q < 1] * slope[q < 1]).max() <= influence.most * (1 + 1e-15)
    rises = np.diff(value[:-1]) / np.maximum(np.diff(q[:-1]), 1e-300)
    inside = np.diff(q[:-1]) > 1e-6
    assert (rises[inside] <= slope[:-2][inside] + 1e-9).all()
    assert (rises[inside] >= slope[1:-1][inside] - 1e-9).all()


@pytest.mark.parametrize("d", [1, 3])
def test_the_level_of_normal_rows(d):
    rows = np.random.default_rng(1).standard_normal((200_000, d))
    mean = Influence(0.5).value((rows**2).sum(axis=1) / (2.0 * d)).mean() / d
    assert normal_level(Influence(0.5), d, 2.0 * d) == pytest.approx(mean, rel=0.01)


@pytest.mark.parametrize("knee", KNEES)
def test_on_the_line_the_soft_count_passes_the_level_at_the_quantile(knee):
    x = np.random.default_rng(2).standard_normal((40, 1))
    for level in (3.0, 10.0, 20.0):
        p = quantile(x, level, knee).item()
        below, above = soft_count(x, np.array([p * (1 - 1e-6), p * (1 + 1e-6)]), knee)
        assert above <= level <= below


def test_a_fixed_point_that_is_known_exactly():
    x = np.repeat(np.eye(2), 3, axis=0)  # three rows on each axis: ψ = min(q, 1), 3 min(1/p, 1) = v
    assert quantile(x, 2.0) == pytest.approx(1.5 * np.eye(2))
    assert quantile(x, 3.5) is None


@pytest.mark.parametrize("seed", range(6))
def test_quantiles_of_neighbours_interlace(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    x = rng.standard_normal((30, d))
    other = x.copy()
    other[0] = 1e3 * rng.standard_normal(d) * rng.integers(0, 2)
    for level in (3.0, 5.5):
        low, high = quantile(x, level + 1, 0.5), quantile(other, level, 0.5)
        assert (low is None) or np.linalg.eigvalsh(high - low * (1 - 1e-6))[0] >= 0
        assert np.linalg.eigvalsh((level + 1) / level * low - quantile(x, level, 0.5))[0] <= 1e-6


def test_rows_and_units_change_nothing():
    rng = np.random.default_rng(3)
    x, mixing = rng.standard_normal((60, 3)), rng.standard_normal((3, 3))
    once, mixed = quantile(x, 8.0, 0.5), quantile(x @ mixing.T, 8.0, 0.5)
    assert np.allclose(mixing @ once @ mixing.T, mixed, rtol=1e-6)
    assert np.array_equal(quantile(x * 2.0**60, 8.0, 0.5), once * 2.0**120)


def broken(attack):
    """Whether a pair breaks a bound, or a certificate is wrong in exact arithmetic."""
    found = measured(attack)
    if found["apart"] > 1 or found["trace"] > 1 + 1e-6 or found["positive"] > 1 + 1e-6:
        return True
    test = attack.test
    if test.d > 2 or test.influence.knee < 1:
        return False
    return not all(certified(test, attack.first, t) for t in range(1, test.most + 1))


@pytest.mark.daily
def test_no_pair_breaks_a_bound():
    found = [measured(attack) for attack in attacks(1)]
    assert not any(broken(attack) for attack in attacks(1))
    exact = [
        made(np.random.default_rng((2, number))) for number in range(PAIRS // 5) for made in (simple, thin)
    ]
    assert not any(broken(attack) for attack in exact)
    assert sum(one["h"] > 0 for one in found) > 20
    assert sum(one["apart"] == 1 for one in found) > 0
    assert max(one["trace"] for one in found) > 0.5


def never_far(self, scaled, factor, level):
    """A descent without the guard against thin matrices."""
    return DESCEND(replace(self, widest=np.inf), scaled, factor, level)


def few_steps(self, scaled, factor, level):
    """A descent that gives up early."""
    return DESCEND(Solver(self.influence, self.inflation, self.slack, 4), scaled, factor, level)


def rough(self, scaled, factor, level):
    """A descent that takes the first matrix for certified."""
    return DESCEND(Solver(self.influence, self.inflation, 0.5, self.steps), scaled, factor, level)


def from_below(cls, x, influence, level):
    """Units that are 2⁻⁶ of what they should be: the start is not above."""
    made = SCALED(cls, x, influence, level)
    return Scaled(made.rows * 64.0, made.exponents - 6)


def from_the_left(self, q):
    """The other selection of ψ'."""
    return np.where(q <= 1.0, self.most / np.maximum(q, self.knee), 0.0)


def forgiving(self, scaled, low, high):
    """A test without what a row may take away: e t is added back."""
    return SLOPE(self, scaled, low, high) + self.influence.most * self.most


DESCEND, SCALED, SLOPE = Solver.descend, Scaled.of.__func__, Stability.slope
MUTANTS = {
    "no guard": (Solver, "descend", never_far),
    "steps": (Solver, "descend", few_steps),
    "stop": (Solver, "descend", rough),
    "units": (Scaled, "of", classmethod(from_below)),
    "no inflation": (levels, "inflation", lambda n, d, widest: 0.0),
    "no margin": (Stability, "margin", property(lambda self: 0.0)),
    "no spacing": (Stability, "spacing", property(lambda self: 1.0)),
    "no loss": (Stability, "slope", forgiving),
    "one level": (Stability, "high", lambda self, t: self.level),
    "change": (Stability, "change", property(lambda self: 0.9 / (self.strength - 1))),
}


SHOWN_BY = {"steps": 76, "one level": 137, "no margin": 12}  # tried first: it takes long to find them


@contextmanager
def mutated(name):
    """The package with one guard removed."""
    owner, attribute, wrong = MUTANTS[name]
    with ExitStack() as stack:
        stack.enter_context(patch.object(owner, attribute, wrong))
        if attribute == "inflation":
            stack.enter_context(patch.object(stability, "inflation", wrong))
        yield


@pytest.mark.parametrize("name", MUTANTS)
def test_a_guard_that_is_removed_is_found_out(name):
    with mutated(name):
        assert any(caught(seed) for seed in (SHOWN_BY.get(name, 0), *range(4000)))


def caught(seed):
    """Whether one of five random pairs shows a mistake, or makes the run fail."""
    try:
        return any(broken(made(np.random.default_rng((5, seed)))) for made in MADE)
    except (AssertionError, np.linalg.LinAlgError, ArgumentError):
        return True


@pytest.mark.daily
@pytest.mark.parametrize("order", [1.5, 4.0, 30.0])
def test_one_pair_of_rows_at_the_ends_has_the_largest_renyi_divergence(order):
    rng, distance = np.random.default_rng(4), 0.02
    most = renyi(distance, np.array([order]), 4)[0]
    for _ in range(200):
        logs = rng.standard_normal(4) * rng.random(4)
        for sign in (1, -1):
            part = np.maximum(sign * logs, 0)
            logs = np.where(sign * logs > 0, sign * part * distance / max(part.sum(), 1e-9), logs)
        assert sum(_renyi(order, value) for value in logs) <= most * (1 + 1e-9)


def _renyi(order, v):
    """Of a gamma variable of shape 1/2 and scale e^v against scale 1, by numerical integration."""
    t = np.linspace(1e-6, 12.0, 200_001)  # x = t²: the density is smooth
    p, q = -(t**2) * np.exp(-v) - v / 2, -(t**2)
    mass = np.exp(order * p + (1 - order) * q).sum() / np.exp(q).sum()
    return log(mass) / (order - 1)


@pytest.mark.daily
def test_kept_cells_are_those_that_are_simulated():
    kept = cells.cells(2, 3)
    for one, other in zip(kept, cells.simulated(2, 3), strict=True):
        assert np.allclose(one.slopes, other.slopes, atol=2e-7)
        assert one.trace == pytest.approx(other.trace, abs=2e-7)


def test_slopes_between_cells_are_those_of_normal_rows():
    law, d, n = interpolated(1500, 2, 1), 2, 1500
    made = design(n, d, BUDGET, 0.1)
    found = []
    for seed in range(30):
        x = np.random.default_rng(seed).standard_normal((n, d))
        found.append(made.test.measure(x)[0])
    assert np.mean(np.array(found) == made.test.most) > 0.8
    assert 0 < law.slopes[-1] < law.slopes[0]


@pytest.mark.parametrize(("n", "d", "share", "strength"), [(332, 1, 0.3, 5.0), (5088, 5, 0.1, 240.0),
                                                           (12_800, 10, 0.06, 420.0), (8064, 20, 0.03, 120.0),
                                                           (8064, 20, 0.03, 0.98 * 300)])  # fmt: skip
def test_the_change_holds_what_the_steps_and_the_root_may_lose(n, d, share, strength):
    made = Stability(n, d, Influence(0.5), share * n, 27, strength)
    eta, kappa = made.solver.inflation, made.contraction
    tau = made._left
    for _ in range(made.polishing):  # proofs/matrix_quantile.md, 4.6
        tau = (1 - kappa) * tau + 2.1 * eta * (d + tau)
    tau += ((1 + eta) ** 4 - 1) * (d + tau)
    exact = 1 / (made.strength - 1)
    assert exact + (1 + exact) * tau <= made.change <= 1.01 * exact


@pytest.mark.parametrize(("n", "d"), CHARGED)
def test_the_charge_is_that_of_the_test_that_it_prices(n, d):
    """Eigenvalues are between 1/(1 + g) and 1 + g; their logarithms of one sign add up to g at most."""
    made = design(n, d, ApproxDP(8.0, 1e-6), 0.1)
    thin, g = made.charge.mechanism == LAPLACE, made.test.change
    assert made.charge.sensitivity == (log1p(g) if thin else g)
    assert thin == (d < 5)
    assert (made.plan, made.charge.most, made.charge.d) == (made.charge, made.test.most, d)


def test_a_slack_that_is_not_far_below_the_contraction_is_refused():
    with pytest.raises(ArgumentError, match="fewer rows"):
        Stability(10**6, 1, Influence(1.0), 10**5, 5, 30.0)


def test_levels_that_rounding_spaces_too_far_apart_are_refused():
    made = Stability(10_000, 20, Influence(0.5), 260.0, 40, 180.0, 2.0**44)
    assert 1.5 < made.spacing < 2
    with pytest.raises(ArgumentError, match="fewer rows"):
        replace(made, widest=2.0**46)


def test_in_five_dimensions_the_draws_are_those_of_the_plan():
    estimator, budget, d = MatrixQuantileCovariance(centred=True), ApproxDP(8.0, 1e-6), 5
    x = np.random.default_rng(7).standard_normal((estimator.fewest(d, budget), d))
    counting = CountingNoise(SimulatedNoise(np.random.default_rng(8)))
    found = estimator(x, budget=budget, rng=counting)
    charges = tuple(found.plan.charges())
    assert [charge.mechanism for charge in charges] == ["stable_wishart"]
    for draw, charge in zip(counting.draws, charges, strict=True):
        kind, sensitivity, scale = expected_draw(charge, d)
        assert (draw.kind, draw.sensitivity) == (kind, sensitivity)
        assert draw.scale == pytest.approx(scale, rel=2e-3)
    assert not found.abstained


def test_fewer_rows_than_planned_are_refused_with_their_number():
    estimator = MatrixQuantileCovariance(centred=True)
    fewest = fewest_rows(2, BUDGET, 0.1, "thompson", log(2))
    with pytest.raises(ArgumentError, match=str(fewest)):
        estimator.plan(fewest - 1, 2, BUDGET)
    (charge,) = estimator.plan(fewest, 2, BUDGET).charges()
    assert (charge.mechanism, charge.cost) == ("stable_thompson_laplace", BUDGET)


@pytest.mark.daily
def test_degenerate_rows_have_an_answer_in_their_subspace():
    line = np.random.default_rng(5).standard_normal((3000, 1)) * [3.0, 4.0] + [1.0, 2.0]
    estimator = MatrixQuantileCovariance(degenerate=True)
    found = estimator(line, budget=BUDGET, rng=np.random.default_rng(6)).value
    values = np.linalg.eigvalsh(found)
    assert abs(values[0]) < 1e-3
    assert 12 < values[1] < 50
    assert MatrixQuantileCovariance()(line, budget=BUDGET, rng=np.random.default_rng(6)).abstained
