"""What is planned, and what is drawn: kinds, numbers and scales."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from workbench.catalog import Example
from workbench.contracts.datasets import (
    by_row,
    dimension,
    entry_of,
    filled,
    least,
    planned,
    sizes,
    typical_rows,
)
from workbench.contracts.draws import expected_draw
from workbench.contracts.kit import answer, refusal, stopped_early
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    CountingNoise,
    GaussianDP,
    NonPrivate,
    PureDP,
    SimulatedNoise,
    compose,
)
from workbench.privacy.budgets import within
from workbench.privacy.stable import STABLE, VOTED

OVERSPENDING = {"PerturbedCovariance", "ThresholdedCovariance", "LocalThresholdedCovariance"}  # WX19's noise


def plan_composes_to_the_budget(example):
    """The delivered budget is the requested one, in the plan and in the guarantee of a release."""
    for n in sizes(example, 4, 24, 300, 1000):
        delivered = compose(planned(example, n))
        if not within(delivered, example.budget):
            more_than_requested_is_said(example, n, delivered)
            continue
        for field in ("epsilon", "delta", "rho", "mu"):
            wanted = getattr(example.budget, field, 0.0)
            got = getattr(delivered, field, 0.0)
            assert abs(got - wanted) <= 1e-12 * max(wanted, 1e-300), (n, field, got, wanted)
        if n <= max(300, least(example)):
            release = example.estimator(typical_rows(example, n, 1), budget=example.budget, rng=_rng(1))
            assert release.guarantee.budget == delivered


def more_than_requested_is_said(example, n, delivered):
    stated = getattr(example.estimator, "calibration", "") == "paper" and isinstance(example.budget, ApproxDP)
    assert stated, (delivered, example.budget)
    assert type(example.estimator).__name__ in OVERSPENDING, (delivered, example.budget)
    guarantee = example.estimator(typical_rows(example, n, 1), budget=example.budget, rng=_rng(1)).guarantee
    assert (guarantee.budget, guarantee.requested) == (delivered, example.budget)
    assert str(delivered) in str(guarantee)
    assert str(example.budget) in str(guarantee)


def plan_is_a_pure_function_of_public_numbers(example):
    """Equal estimators, n and budgets have equal plans, whatever the rows and however often one asks."""
    for n in sizes(example, 24, 300):
        plan = planned(example, n)
        for rows in (
            typical_rows(example, n, 2),
            *(filled(example, n, value) for value in (0, np.nan, 1e99)),
        ):
            release = example.estimator(rows, budget=example.budget, rng=_rng(n))
            assert release.plan == plan
        again = Example(replace(example.estimator), replace(example.budget))
        assert planned(again, n) == plan


LOOSE = {  # beyond the least scale
    "wishart": 2e-3,
    "located_normal": 2e-3,
    "stable_thompson_laplace": 2e-3,
    "stable_wishart": 2e-3,
}
Numbers = tuple[str, float, float]  # kind, sensitivity and scale of a draw


@dataclass(frozen=True)
class Drawn:
    """What one run drew, what the steps of its plan stand for, and whether a step gave no answer."""

    steps: tuple[str, ...]
    expected: tuple[Numbers, ...]
    seen: tuple[Numbers, ...]
    early: bool
    loose: tuple[float, ...]

    def with_noise(self, wrong, factor):
        changed = [
            (kind, sensitivity, scale * factor if step == wrong else scale)
            for step, (kind, sensitivity, scale) in zip(self.steps, self.seen, strict=False)
            if factor or step != wrong
        ]
        return replace(self, seen=tuple(changed))


def draws_are_those_of_the_plan(example):
    """Kind, sensitivity and scale of every draw follow from the charges, one draw each, in their order."""
    draws_hold(recorded(example), steps_of_many_rows(example))


def draws_hold(runs, steps):
    for run in runs:
        assert len(run.seen) <= len(run.expected), (run.seen, run.expected)
        assert len(run.seen) == len(run.expected) or run.early, (run.seen, run.expected)
        pairs = zip(run.seen, run.expected, run.loose, strict=False)
        for (*what, drawn), (kind, sensitivity, scale), loose in pairs:
            assert what == [kind, sensitivity]
            low, high = (1e-6, loose) if loose else (1e-9, 1e-9)
            assert -low * scale <= drawn - scale <= high * scale, (kind, drawn, scale)
    missing = steps - taken(runs)
    assert not missing, f"steps that no run reached: {missing}"


def taken(runs):
    return {step for run in runs for step in run.steps[: len(run.seen)]}


def steps_of_many_rows(example):
    return {charge.step for charge in planned(example, max(1000, least(example))).charges()}


def recorded(example):
    runs = []
    for n in sizes(example, 24, 300, 1000, 3000, 10_000):
        if n > max(1000, least(example)) and steps_of_many_rows(example) <= taken(runs):
            break
        runs.append(recorded_run(example, n))
    return runs


def recorded_run(example, n):
    counting = CountingNoise(SimulatedNoise(_rng(n)))
    release = example.estimator(typical_rows(example, n, n), budget=example.budget, rng=counting)
    charges, d = list(release.plan.charges()), dimension(example) or 1
    return Drawn(
        tuple(charge.step for charge in charges),
        tuple(expected_draw(charge, d) for charge in charges),
        tuple((draw.kind, draw.sensitivity, draw.scale) for draw in counting.draws),
        stopped_early(release.value),
        tuple(LOOSE.get(charge.mechanism, 0.0) for charge in charges),
    )


class Tally(CountingNoise):
    points = 0

    def uniform(self, low, high):
        self.points += 1
        return super().uniform(low, high)


def draws_do_not_depend_on_the_rows(example):
    """How many draws there are, of which kind and size, is public until a step gives no answer."""
    for n in sizes(example, 24, 300):
        typical = typical_rows(example, n, n)
        spread = by_row(example, np.geomspace(1e-3, 1e6, n) * np.resize([1.0, -1.0], n))
        constant = [filled(example, n, value) for value in (0, 1, np.nan, 1e99)]
        columns = (typical, 1e4 * typical, *constant, spread)
        runs = [_draws(example, x) for x in columns]
        longest = max((draws for draws, _ in runs), key=len)
        for draws, value in runs:
            assert draws == longest[: len(draws)], (n, draws, longest)
            assert draws, "a run without any noise"
            assert len(draws) == len(longest) or stopped_early(value), (n, draws, longest)


def _draws(example, x):
    counting = CountingNoise(SimulatedNoise(_rng(len(x))))
    value = example.estimator(x, budget=example.budget, rng=counting).value
    return [(draw.kind, draw.size) for draw in counting.draws], value


def work_is_bounded_at_a_large_budget(example):
    """At ε = 100 (ρ = 1250, μ = 50) a run draws at most 3n + 2 numbers, or one for each bin, in a step."""
    budget = lavish(example.budget)
    n = max(160, least(example))
    bins = (
        2 * (getattr(example.estimator, "radius", None) or 50.0) / getattr(example.estimator, "sigma", 1.0)
        + 2
    )
    two_values = by_row(example, np.resize([-1e9, 1e-9], n))
    for x in (typical_rows(example, n, 3), filled(example, n, 0), filled(example, n, 1e99), two_values):
        tally = Tally(SimulatedNoise(_rng(4)))
        plan = example.estimator(x, budget=budget, rng=tally).plan
        charges = list(plan.charges())
        steps = len(charges)
        ramps = sum(charge.mechanism in (*STABLE, *VOTED) for charge in charges)
        assert len(tally.draws) <= steps, (tally.draws, steps)
        assert tally.points <= steps + 2 * ramps, (tally.points, steps)  # a test and a mask each
        assert all(draw.size <= max(3 * n + 2, bins, candidates(example)) for draw in tally.draws), (
            tally.draws
        )


def candidates(example):
    return int(getattr(example.estimator, "candidates", lambda *_: 0)(dimension(example) or 1))


def lavish(budget):
    match budget:
        case PureDP() | ApproxDP():
            return replace(budget, epsilon=100.0)
        case ZCDP():
            return replace(budget, rho=1250.0)
    return GaussianDP(50.0)


def wrong_public_arguments_are_refused_before_any_draw(example):
    """Too few rows, a wrong dimension or budget or source: one error that names it, and nothing drawn."""
    estimator, fewest, d = example.estimator, entry_of(example).least_rows, dimension(example)
    columns, enough, budget = d or 1, max(24, least(example)), example.budget
    tally, zeros = Tally(SimulatedNoise(_rng(7))), filled(example, enough, 0.0)

    def run(x=zeros, budget=budget, rng=tally):
        return estimator(x, budget=budget, rng=rng)

    public, words = {"n": enough, "d": columns, "budget": budget}, zeros.astype("U8")
    shapes = (), (24, 0), (24, 1, 1), *(((24, 2),) if d is None else ())
    wrong_rows = [words, words.astype(object), zeros.astype("complex"), zeros.astype("M8[s]")]
    few = [fewest - 1, least(example) - 1]
    calls = [("n", run, {"x": filled(example, n, 0.0)}) for n in (*range(min(fewest, 8)), *few)]
    calls += [("x", run, {"x": wrong}) for wrong in (*map(np.zeros, shapes), *wrong_rows)]
    calls += [("rng", run, {"rng": wrong}) for wrong in (None, 0, np.random)]
    calls += [("budget", run, {"budget": wrong}) for wrong in (NonPrivate(), None, 1.0, PureDP)]
    calls += [("n", estimator.plan, public | {"n": n}) for n in (-1, *few, float(enough), True)]
    calls += [("d", estimator.plan, public | {"d": d}) for d in ((0, 2) if d is None else (0, -1, 1.5))]
    if hasattr(estimator, "error_bound"):
        calls += [("beta", estimator.error_bound, public | {"beta": beta}) for beta in (0.0, 1.0, np.nan)]
    for argument, call, given in calls:
        error = refusal(partial(call, **given))
        assert error.argument == argument, (argument, str(error))
        assert "\n" not in str(error)
    assert (tally.draws, tally.points) == ([], 0)


def every_accepted_number_of_rows_is_answered(example):
    """What `plan` accepts, a run takes: no n raises after the first draw."""
    for n in sizes(example, least(example), least(example) + 1, 5, 13, 24, 25):
        answer(example, typical_rows(example, n, n), n)


def _rng(seed):
    return np.random.default_rng(seed)


CONTRACTS = (
    plan_composes_to_the_budget,
    plan_is_a_pure_function_of_public_numbers,
    draws_are_those_of_the_plan,
    draws_do_not_depend_on_the_rows,
    work_is_bounded_at_a_large_budget,
    wrong_public_arguments_are_refused_before_any_draw,
    every_accepted_number_of_rows_is_answered,
)
