"""PRIME and its family: interactive versions, replays, symmetries, splits, small dimensions."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from tests.oracles.interactive_filter import one_direction_a_pass, one_release_a_pass, query_by_query
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Trace
from workbench.estimators.base import sanitised
from workbench.estimators.mean.filter import FilterMean
from workbench.estimators.mean.prime import PrimeMean
from workbench.estimators.mean.prime_heavy import PrimeHeavyMean
from workbench.estimators.parts.filters.design import FilterDesign
from workbench.estimators.parts.filters.paper_run import (
    Queries,
    by_directions,
    by_matrices,
    exponential,
)
from workbench.estimators.parts.filters.removal import edges, score_counts, threshold
from workbench.estimators.parts.filters.run import Filter, judged, rows_within, weighed, within
from workbench.estimators.parts.filters.weighted_moments import Sums, grid
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, SimulatedNoise, UnitNoise, compose
from workbench.study.faults.replay import spied

LOUD, FAINT = GaussianDP(20.0), ApproxDP(100.0, 0.1)
TIGHT = [PrimeMean(radius=10.0), FilterMean(radius=10.0), PrimeHeavyMean(radius=10.0)]
PAPER = [replace(one, calibration="paper", passes=2) for one in TIGHT]
EACH = pytest.mark.parametrize("estimator", TIGHT, ids=lambda one: type(one).__name__)
BOTH = pytest.mark.parametrize(
    "estimator", [*TIGHT, *PAPER], ids=lambda one: f"{type(one).__name__}-{one.calibration}"
)


class Silent(UnitNoise):
    """A source without noise."""

    def _none(self, value: Any, *rest: float) -> np.ndarray:
        return np.array(value, float)

    gaussian = symmetric_gaussian = laplace = _none


def planted(n: int, d: int, seed: int = 1, distance: float = 6.0) -> np.ndarray:
    """Normal rows of which one in twenty lies elsewhere."""
    x = np.random.default_rng(seed).standard_normal((n, d))
    x[: n // 20] += distance / np.sqrt(d)
    return x


def run(estimator: Any, x: np.ndarray, budget: Any, seed: int = 2, trace: Trace | None = None) -> Any:
    with np.errstate(all="ignore"):
        return estimator.estimate(sanitised(x), budget, SimulatedNoise(np.random.default_rng(seed)), trace)


@EACH
@pytest.mark.parametrize("d", [1, 2, 3, 8])
def test_the_interactive_filter_gives_the_same_mean_from_the_same_stream(estimator: Any, d: int) -> None:
    recipe, n = estimator.recipe, 240
    design = replace(recipe.design(n, d), passes=3, level=0.2)
    for seed in range(3):
        y = rows_within(planted(n, d, seed), np.zeros(d), design.radius)
        costs = LOUD.split(*design.shares)
        charges = list(design.charges(costs))[2:]
        rng = np.random.default_rng
        found = within(Filter(y, design, SimulatedNoise(rng(seed))).run(iter(charges)), design)
        rows = y * grid(design.radius)
        wanted = one_release_a_pass(rows, design, iter(charges), SimulatedNoise(rng(seed)))
        assert found == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("estimator", PAPER, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("d", [1, 3])
def test_the_interactive_queries_give_the_same_answer_from_the_same_stream(estimator: Any, d: int) -> None:
    recipe, n = estimator.recipe, 4000
    rules = replace(recipe.rules(n, d), epochs=2, rounds=2)
    y = recipe.region(n, d).whole(planted(n, d, distance=9.0))[:400]
    narrow = replace(rules, diameter=40.0, tail=rules.tail and rules.tail // 10)
    directions, answers = recipe.kind == "directions", []
    queries = recipe.queries(n, d, ApproxDP(1e6, 0.3))
    turns = {"passes": 2} if directions else {"epochs": 2, "rounds": 2}
    plan = replace(queries, n=10**9, diameter=40.0, **turns).plan()
    for seed in range(3):
        shrink = np.random.default_rng(seed).random(4) / 10
        state = Queries(y, narrow, plan.charges(), SimulatedNoise(np.random.default_rng(seed)), iter(shrink))
        found = by_directions(state, 2) if directions else by_matrices(state)
        ask = one_direction_a_pass if directions else query_by_query
        noise = SimulatedNoise(np.random.default_rng(seed))
        wanted = ask(y * rules.step, narrow, plan.charges(), noise, iter(shrink))
        answers.append(int(state.kept.sum()))
        if isinstance(found, Abstention):
            assert found.step == wanted
        else:
            assert found == pytest.approx(wanted, abs=1e-9)
    assert min(answers) < len(y), "nothing was removed: nothing was compared"


def hostile(x: np.ndarray, row: int) -> list[np.ndarray]:
    """Neighbours of x and of each other: one row goes where it may do most harm."""
    d, direction = x.shape[1], np.ones(x.shape[1]) / np.sqrt(x.shape[1])
    places = [1e6 * direction, -1e6 * direction, np.full(d, np.nan), np.full(d, 1e200), np.zeros(d)]
    if d > 1:
        places.append(1e6 * (np.eye(d)[0] - np.eye(d)[1]))  # at a right angle to the direction
    places += [reach * np.eye(d)[-1] for reach in (1.0, 2.0, 2.83, 4.0, 5.66, 8.0)]
    places += [reach * direction for reach in (0.5, 1.41, 2.83, 4.0, 6.0)]
    return [np.vstack([x[:row], place, x[row + 1 :]]) for place in places]


@pytest.mark.daily
@BOTH
@pytest.mark.parametrize("d", [1, 2, pytest.param(3, marks=pytest.mark.slow), 8])
def test_replayed_releases_move_by_at_most_the_charged_sensitivity(estimator: Any, d: int) -> None:
    """The run on X' is fed the releases of the run on X, so that both ask the same questions.

    On a line, in a plane and in many dimensions; in three, which are no other case, if slow.
    """
    budget = FAINT if estimator.calibration == "paper" else LOUD
    largest: dict[str, float] = {}
    for seed, distance in enumerate((0.0, 6.0, 30.0)):
        base = planted(400 if estimator.calibration == "tight" else 2000, d, distance=distance)
        for number in range(4):
            others = hostile(base, 0 if number % 2 else len(base) - 1)
            first = base if number < 2 else others[0]
            with spied() as events:
                run(estimator, first, budget, seed)
            for other in others:
                with spied(events) as again:
                    run(estimator, other, budget, seed)
                assert len(again) == len(events)
                for one, two in zip(events, again, strict=True):
                    if one.mechanism == "stability_histogram":
                        continue  # the contracts price it
                    gap = np.linalg.norm(np.ravel(one.statistic - two.statistic))
                    ratio = float(gap) / one.charge.sensitivity
                    assert ratio <= 1 + 1e-9, (one.charge.step, ratio)
                    largest[one.charge.step] = max(largest.get(one.charge.step, 0.0), ratio)
    last = "mean 1" if estimator in PAPER and isinstance(estimator, FilterMean) else "mean"
    rounding = 2.0**-15  # rows on the sphere are 2^17 steps long or more, and lose a few
    assert largest[last] == pytest.approx(1, abs=rounding)
    if estimator.calibration == "tight":
        assert largest["range"] == pytest.approx(1, abs=1e-9)
        assert min(largest[f"{step} 1"] for step in ("moments", "scores")) > (0.99 if d > 1 else 0.7)


@EACH
@pytest.mark.parametrize("d", [2, 3, 6])
def test_passes_turn_with_the_rows(estimator: Any, d: int) -> None:
    design = estimator.recipe.design(600, d)
    charges = list(design.charges(LOUD.split(*design.shares)))[2:]
    turn = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    y = planted(600, d)
    whole = [rows_within(x, np.zeros(d), design.radius) for x in (y, y @ turn)]
    found = [within(Filter(rows, design, Silent()).run(iter(charges)), design) for rows in whole]
    rounding = grid(design.radius) * np.sqrt(d)  # half a step in every entry of both means
    assert found[0] @ turn == pytest.approx(found[1], abs=rounding)


def entrywise(matrix: np.ndarray) -> np.ndarray:
    """The mistake of taking the exponential of every entry."""
    u = np.exp(matrix)
    return u / np.trace(u)


def test_the_exponential_is_that_of_a_matrix() -> None:
    rng = np.random.default_rng(1)
    for d in (1, 2, 5, 20):
        m = rng.standard_normal((d, d))
        m = m + m.T
        wanted = expm(m - np.linalg.eigvalsh(m)[-1] * np.eye(d))
        assert exponential(m) == pytest.approx(wanted / np.trace(wanted), abs=1e-10)
    assert np.isfinite(exponential(1e4 * m)).all()
    assert np.trace(exponential(1e4 * m)) == pytest.approx(1)


@pytest.mark.parametrize(("function", "turns"), [(exponential, True), (entrywise, False)])
def test_only_a_matrix_exponential_turns_with_its_argument(function: Any, turns: bool) -> None:
    rng = np.random.default_rng(2)
    m = rng.standard_normal((4, 4))
    m, q = m + m.T, np.linalg.qr(rng.standard_normal((4, 4)))[0]
    assert np.allclose(q.T @ function(m) @ q, function(q.T @ m @ q), atol=1e-9) is turns


def test_scores_of_a_pass_are_those_of_the_exponential_of_the_excess() -> None:
    rng, d = np.random.default_rng(3), 5
    y = rng.standard_normal((400, d)) * [2.0, 1.5, 1.0, 1.0, 0.5]
    design = FilterDesign(400, d, 0.05, 10.0, 1.0, 3, "softmax", 0.05)
    sums = Sums(400.0, y.sum(axis=0), y.T @ y)
    score, psi, top = judged(sums, design)
    m = y.mean(axis=0)
    excess = y.T @ y / 400 - np.outer(m, m) - np.eye(d)
    u = expm(design.sharpness * excess / top)
    u /= np.trace(u)
    found = score.of(y / grid(design.radius))
    assert found == pytest.approx(np.einsum("ij,jk,ik->i", y - m, u, y - m), abs=1e-9)
    assert psi == pytest.approx(np.vdot(excess, u))
    assert not np.allclose(score.root @ score.root.T, entrywise(design.sharpness * excess / top))


def test_the_two_extremes_of_the_score_are_the_widest_direction_and_the_norm() -> None:
    values = np.array([-0.2, 0.1, 0.5, 2.0])
    assert weighed(values, np.inf).tolist() == [0, 0, 0, 1]
    assert weighed(values, 1e3) == pytest.approx([0, 0, 0, 1], abs=1e-12)
    assert weighed(values, 0.0) == pytest.approx([0.25] * 4)


@EACH
def test_a_move_by_whole_bins_moves_the_mean(estimator: Any) -> None:
    width = 4.0 if isinstance(estimator, PrimeHeavyMean) else 2.0
    x = np.round(planted(3000, 3) * 2**20) / 2**20
    here = run(estimator, x, LOUD)
    for move in (width, -2 * width):
        assert run(estimator, x + move, LOUD) - move == pytest.approx(here, abs=1e-9)
        moved = replace(estimator, centre=move)
        assert run(moved, x + move, LOUD) - move == pytest.approx(here, abs=1e-12)


@EACH
@pytest.mark.parametrize("d", [1, 2, 3])
def test_small_dimensions_work_and_far_rows_are_removed(estimator: Any, d: int) -> None:
    x = planted(20_000, d, distance=9.0)
    before, trace = x.copy(), Trace()
    release = estimator(x, budget=ApproxDP(5.0, 1e-6), rng=np.random.default_rng(1), trace=trace)
    assert np.array_equal(x, before)
    assert np.linalg.norm(release.value) < 0.6 * np.linalg.norm(x.mean(axis=0))
    assert trace.records["excess"][-1] < trace.records["excess"][0]
    assert not hasattr(release, "trace")


@pytest.mark.daily
def test_without_corruption_nothing_is_removed_and_all_of_the_budget_buys_the_mean() -> None:
    estimator, errors = PrimeMean(radius=10.0, corruption=0.0), []
    x, budget = planted(1000, 3), GaussianDP(1.0)
    plan = estimator.plan(1000, 3, budget)
    spent = sum(charge.cost.mu**2 for charge in list(plan.charges())[2:])
    for seed in range(200):
        errors.append(run(estimator, x, budget, seed) - x.mean(axis=0))
    wanted = 2 * estimator.recipe.design(1000, 3).radius / (1000 * np.sqrt(spent))
    assert np.std(errors) == pytest.approx(wanted, rel=0.15)  # 600 numbers: 5 sd are 14 %


def test_a_pass_that_ends_the_filter_gives_what_is_left_to_the_mean() -> None:
    estimator, x = PrimeMean(radius=10.0), np.random.default_rng(1).standard_normal((20_000, 3))
    design = estimator.recipe.design(20_000, 3)
    charges = list(design.charges(GaussianDP(0.2).split(*design.shares)))[2:]
    whole = rows_within(x, np.zeros(3), design.radius)
    state = Filter(whole, design, SimulatedNoise(np.random.default_rng(2)))
    state.run(iter(charges))
    assert state.kept.all()
    assert len(state.found) == len(charges)


@EACH
def test_splits_answer_apart_and_the_most_central_answer_wins(estimator: Any) -> None:
    several = replace(estimator, splits=5)
    x = planted(5000, 2)
    plan = several.plan(5000, 2, LOUD)
    assert vars(compose(plan)) == pytest.approx(vars(LOUD), rel=1e-12)
    assert len(list(plan.charges())) == 5 * len(list(estimator.plan(1000, 2, LOUD).charges()))
    assert len({charge.step for charge in plan.charges()}) == len(list(plan.charges()))
    noise = SimulatedNoise(np.random.default_rng(3))
    answers = [estimator.estimate(np.ascontiguousarray(x[p::5]), LOUD, noise) for p in range(5)]
    value = run(several, x, LOUD, 3)
    assert any(np.array_equal(value, answer) for answer in answers)
    worst = [np.median([np.linalg.norm(a - b) for b in answers]) for a in answers]
    assert np.median([np.linalg.norm(value - b) for b in answers]) == pytest.approx(min(worst))


@pytest.mark.parametrize(
    ("options", "n", "budget", "name"),
    [
        ({"calibration": "paper"}, 10_000, ZCDP(1.0), "budget"),
        ({"calibration": "paper"}, 20, ApproxDP(1.0, 0.01), "n"),
        ({"splits": 20}, 30, ZCDP(1.0), "n"),
    ],
)
def test_wrong_public_numbers_are_refused(options: Any, n: int, budget: Any, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{name} = "):
        PrimeMean(radius=1.0, **options).plan(n, 2, budget)


def test_counts_and_threshold_are_those_of_the_definition() -> None:
    tau = np.array([0.0, 0.3, 0.5, 0.9, 1.0, 7.9, 8.0, 15.9])
    counts = score_counts(tau, np.ones(8, bool), 15.9)
    assert edges(15.9).tolist() == [0.25, 0.5, 1, 2, 4, 8]
    assert counts.tolist() == [2, 2, 1, 0, 1, 2]
    # largest edge e with Σ_{bins ≥ e} (edge - e) count / n ≥ .31 ψ: at 4 it is (8 - 4) 2/8 = 1, at 2: 1.75
    assert threshold(counts, 8, 1 / 0.31) == 4.0
    assert threshold(counts, 8, 1.1 / 0.31) == 2.0
    assert threshold(counts, 8, 1e9) == 0.25


@pytest.mark.slow
def test_the_source_s_own_queries_find_a_cluster_among_ten_million_rows() -> None:
    """One run of calibration "paper" on real rows: d = 3, corruption .05, shift 3 per coordinate, ε = 10."""
    x = np.random.default_rng(1).standard_normal((10**7, 3))
    x[:500_000] += 3.0
    estimator, trace = PrimeMean(radius=10.0, calibration="paper"), Trace()
    plain = float(np.linalg.norm(x.mean(axis=0)))
    release = estimator(x, budget=ApproxDP(10.0, 0.01), rng=np.random.default_rng(11), trace=trace)
    assert plain > 0.25
    assert np.linalg.norm(release.value) < 0.05  # measured: .034, and .034 with another seed
    assert trace.records["excess"][-1] < trace.records["excess"][0] / 2
