"""What is planned, and what is drawn: kinds, numbers and scales."""

from dataclasses import replace
from decimal import Decimal
from itertools import product

import numpy as np

from workbench.catalog import Example
from workbench.contracts.datasets import (
    by_row,
    calm,
    dimension,
    entry_of,
    filled,
    frame,
    least,
    planned,
    sizes,
    typical_rows,
)
from workbench.contracts.draws import expected_draw
from workbench.contracts.kit import answer, louder, refusal, release, stopped_early
from workbench.estimators.base import ASKED
from workbench.privacy import ApproxDP, CountingNoise, NonPrivate, PureDP, SimulatedNoise, compose
from workbench.privacy.budgets import within
from workbench.privacy.stable import STABLE, VOTED

OVERSPENDING = {"PerturbedCovariance", "ThresholdedCovariance", "LocalThresholdedCovariance"}  # WX19's noise


def plan_composes_to_the_budget(example):
    """The delivered budget is the requested one, in the plan and in the guarantee of a release."""
    for n in sizes(example, 4, 24, 300, 1000):
        delivered = compose(planned(example, n))
        requested = within(delivered, example.budget)
        if requested:
            wanted = vars(example.budget)
            got = [getattr(delivered, field) for field in wanted]
            assert np.allclose(got, [*wanted.values()], rtol=1e-12, atol=0.0), (n, got, wanted)
        if not requested or n <= max(300, least(example)):
            guarantee = release(example, typical_rows(example, n, 1), 1).guarantee
            assert guarantee.budget == delivered
            assert requested or more_than_requested_is_said(example, guarantee)


def more_than_requested_is_said(example, guarantee):
    stated = getattr(example.estimator, "calibration", "") == "paper" and isinstance(example.budget, ApproxDP)
    said = all(str(budget) in str(guarantee) for budget in (guarantee.budget, example.budget))
    known = type(example.estimator).__name__ in OVERSPENDING
    return stated and known and said and guarantee.requested == example.budget


def plan_is_a_pure_function_of_public_numbers(example):
    """Equal estimators, n and budgets have equal plans, whatever the rows and however often one asks."""
    for n in sizes(example, 24, 300):
        plan = planned(example, n)
        for rows in calm(example, n, 2):
            assert release(example, rows, n).plan == plan
        again = Example(replace(example.estimator), replace(example.budget))
        assert planned(again, n) == plan


LOOSE = dict.fromkeys(  # beyond the least scale
    ("wishart", "located_normal", "stable_thompson_laplace", "stable_wishart"), 2e-3
)


def draws_are_those_of_the_plan(example):
    """Kind, sensitivity and scale of every draw follow from the charges, one draw each, in their order."""
    enough, d = max(1000, least(example)), dimension(example) or 1
    waiting = {charge.step for charge in planned(example, enough).charges()}
    for n in sizes(example, 24, 300, 1000, 3000, 10_000):
        if n > enough and not waiting:
            break
        counting = CountingNoise(SimulatedNoise(np.random.default_rng(n)))
        found = release(example, typical_rows(example, n, n), counting)
        charges = [*found.plan.charges()]
        assert len(counting.draws) <= len(charges)
        assert len(counting.draws) == len(charges) or stopped_early(found.value), (counting.draws, charges)
        for charge, draw in zip(charges, counting.draws, strict=False):
            kind, sensitivity, scale = expected_draw(charge, d)
            loose = LOOSE.get(charge.mechanism, 1e-9)
            assert (draw.kind, draw.sensitivity) == (kind, sensitivity)
            assert -min(loose, 1e-6) <= draw.scale / scale - 1 <= loose, (draw, scale)
            waiting.discard(charge.step)
    assert not waiting, f"steps that no run reached: {waiting}"


class Tally(CountingNoise):
    points = 0

    def uniform(self, low, high):
        self.points += 1
        return super().uniform(low, high)


def draws_do_not_depend_on_the_rows(example):
    """How many draws there are, of which kind and size, is public until a step gives no answer."""
    for n in sizes(example, 24, 300):
        typical, *constant = calm(example, n, n)
        spread = by_row(example, np.geomspace(1e-3, 1e6, n) * np.resize([1.0, -1.0], n))
        runs = []
        for x in (typical, 1e4 * typical, *constant, spread):
            counting = CountingNoise(SimulatedNoise(np.random.default_rng(n)))
            value = release(example, x, counting).value
            runs.append(([(draw.kind, draw.size) for draw in counting.draws], value))
        longest = max((draws for draws, _ in runs), key=len)
        for draws, value in runs:
            assert draws == longest[: len(draws)], (n, draws, longest)
            assert draws, "a run without any noise"
            assert len(draws) == len(longest) or stopped_early(value), (n, draws, longest)


def work_is_bounded_at_a_large_budget(example):
    """At 100 times ε or μ, 10⁴ times ρ, a run draws at most 3n + 2 numbers in a step, or one a bin."""
    estimator, n = example.estimator, max(160, least(example))
    loud = Example(estimator, louder(example.budget, 100))
    bins = 2 * (getattr(estimator, "radius", None) or 50.0) / frame(example)[1] + 2
    candidates = getattr(estimator, "candidates", lambda _: 0)(dimension(example) or 1)
    for x in (*calm(example, n, 3), by_row(example, np.resize([-1e9, 1e-9], n))):
        tally = Tally(SimulatedNoise(np.random.default_rng(4)))
        charges = [*release(loud, x, tally).plan.charges()]
        ramps = sum(charge.mechanism in (*STABLE, *VOTED) for charge in charges)
        assert len(tally.draws) <= len(charges)
        assert tally.points <= len(charges) + 2 * ramps, tally.points  # a test and a mask each
        assert all(draw.size <= max(3 * n + 2, bins, candidates) for draw in tally.draws), tally.draws


ODD = (np.ones(2), np.ones(0), Decimal("sNaN"), [1], {}, "1", None, 1.0j)  # no numbers and no budgets
CHANCES = {"error_bound": {"beta": 0.05}, "interval_reach": {"level": 0.05}}


def wrong_public_arguments_are_refused_before_any_draw(example):
    """Too few rows, a wrong dimension or budget or source: one error that names it, and nothing drawn."""
    estimator, fewest, d = example.estimator, entry_of(example).least_rows, dimension(example)
    columns, enough, budget = d or 1, max(24, least(example)), example.budget
    tally, zeros = Tally(SimulatedNoise(np.random.default_rng(7))), filled(example, enough, 0.0)

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
    calls += [("n", estimator.plan, public | {"n": n}) for n in (-1, *few, float(enough), True, 10**30)]
    calls += [("d", estimator.plan, public | {"d": d}) for d in ((0, 2) if d is None else (0, -1, 1.5))]
    calls += [("n", estimator.plan, public | {"n": 2**53 + 1}), ("d", estimator.plan, public | {"d": 10**30})]
    for asked in ASKED & {*dir(estimator)}:
        call, given = getattr(estimator, asked), public | CHANCES.get(asked, {})
        calls += [(name, call, given | {name: odd}) for name, odd in product(public, ODD)]
    if hasattr(estimator, "error_bound"):
        calls += [("beta", estimator.error_bound, public | {"beta": beta}) for beta in (0.0, 1.0, np.nan)]
    for argument, call, given in calls:
        error = refusal(call, **given)
        assert error.argument == argument, (argument, str(error))
        assert "\n" not in str(error)
    assert (tally.draws, tally.points) == ([], 0)


def every_accepted_number_of_rows_is_answered(example):
    """What `plan` accepts, a run takes: no n raises after the first draw."""
    for n in sizes(example, least(example), least(example) + 1, 5, 13, 24, 25):
        answer(example, typical_rows(example, n, n), n)
