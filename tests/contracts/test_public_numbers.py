"""Public numbers of any type and at their ends: of every key, of budgets, their conversions, and the ledger.

That parameters and budgets of any type are Python's is the contract `public_numbers_are_pythons`.
"""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from workbench.catalog import CATALOG
from workbench.contracts.accounting import Tally
from workbench.contracts.behaviour import forms, outcome
from workbench.contracts.datasets import dimension, sizes, typical_rows
from workbench.errors import ArgumentError
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Charge,
    GaussianDP,
    Ledger,
    PureDP,
    Sequential,
    SimulatedNoise,
    budgets,
    compose,
    mechanisms,
)

FLOATS = (1e-300, 1e-140, 1e-12, 1e12, 1e140, 1e200)
INTEGERS = (2**53, 2**63 - 1, 2**63, 2**64, 10**400)
ENDS = (*FLOATS, *INTEGERS)


def spent(**cost):
    name = next(iter(cost))
    of = {"epsilon": PureDP(1.0), "rho": ZCDP(1.0), "mu": GaussianDP(1.0)}
    ledger = Ledger(ApproxDP(1.0, 0.5) if {*cost} == {"epsilon", "delta"} else of[name])
    with ledger.spend("mean", **cost) as granted:
        return granted, ledger.spent, ledger.remaining, str(ledger)


CALLS = {  # what a number is given to
    "PureDP": PureDP,
    "ApproxDP": lambda x: ApproxDP(x, 1e-6),
    "delta": lambda x: ApproxDP(1.0, x),
    "ZCDP": lambda x: ZCDP(x, 1e-6),
    "GaussianDP": GaussianDP,
    "sensitivity": lambda x: Charge("mean", "laplace", x, PureDP(1.0)),
    "shares": lambda x: ZCDP(0.5).split(x, 1),
    "delta of zcdp": lambda x: budgets.approx_from_zcdp(ZCDP(0.5), x),
    "delta of zcdp as stated": lambda x: budgets.approx_from_zcdp_stated(ZCDP(0.5), x),
    "delta of gdp": lambda x: budgets.approx_from_gdp(GaussianDP(0.5), x),
    "mu": lambda x: budgets.gaussian_delta(x, 0.3),
    "slack of the best": lambda x: budgets.optimal_composition(ApproxDP(0.1, 1e-6), 3, slack=x),
    "classic scale": lambda x: mechanisms.classic_gaussian_scale(1.0, x, 1e-6),
    "ledger, epsilon": lambda x: spent(epsilon=x),
    "ledger, delta": lambda x: spent(epsilon=0.1, delta=x),
    "ledger, rho": lambda x: spent(rho=x),
    "ledger, mu": lambda x: spent(mu=x),
    "rho of laplace": budgets.zcdp_from_laplace,
    "rho of a range": budgets.zcdp_from_bounded_range,
    "epsilon of laplace": budgets.laplace_epsilon,
    "epsilon of a range": budgets.bounded_range_epsilon,
}
OF_BUDGETS = {  # what a budget is given to
    "zcdp": budgets.to_zcdp,
    "epsilon": lambda one: budgets.approx_from_zcdp(budgets.to_zcdp(one), 1e-5),
    "epsilon of gdp": lambda one: budgets.approx_from_gdp(GaussianDP(one.mu), 1e-5),
    "zcdp within": lambda one: budgets.zcdp_within_approx(ApproxDP(one.epsilon, 1e-6)),
    "gdp within": lambda one: budgets.gdp_within_approx(ApproxDP(one.epsilon, 1e-6)),
    "group": lambda one: one.for_group(3),
    "shares": lambda one: compose(Sequential("zcdp", tuple(map(charged, one.split(1, 2))))),
    "ledger": lambda one: spend(Ledger(one), one),
    "ledger of others": lambda one: spend(Ledger(ZCDP(1e150, 0.5)), one),
}


def charged(cost):
    return Charge("mean", "laplace", 1.0, cost)


def spend(ledger, budget):
    ledger.charge(budget, "mean")
    return str(ledger), ledger.spent, ledger.remaining


def refused_or(call, *given, **named):
    with suppress(ArgumentError):
        return call(*given, **named)
    return None


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_number_of_any_type_is_what_it_is_as_pythons(call):
    for value in (0.3, 1.0, 1e-6):
        for form, meant in forms(value):
            assert outcome(call, form) == outcome(call, meant), repr(form)
    for number in (np.int8(3), np.uint64(3), np.array(3)):
        assert outcome(PureDP(0.5).for_group, number) == outcome(PureDP(0.5).for_group, 3)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_number_at_an_end_is_taken_or_refused(call):
    for end in ENDS:
        refused_or(call, end)


@pytest.mark.parametrize("call", OF_BUDGETS.values(), ids=OF_BUDGETS)
def test_a_budget_at_an_end_is_taken_or_refused(call):
    for end in (*ENDS, 1e-150, 1e150, 1e-75, 1e75):
        for made in (PureDP, lambda end: ApproxDP(end, 1e-6), ZCDP, GaussianDP):
            if (one := refused_or(made, end)) is not None:
                with suppress(AttributeError):  # of another kind
                    refused_or(call, one)


def at_their_ends(key):
    seen = set()
    for example in CATALOG[key].examples:
        chosen = [getattr(example.estimator, name, None) for name in ("calibration", "mode")]
        for what, of in (("budget", example.budget), ("estimator", example.estimator)):
            for name, value in vars(of).items():
                case = (type(of).__name__, name, *chosen)
                if (
                    case not in seen
                    and isinstance(value, (int, float, tuple))
                    and not isinstance(value, bool)
                ):
                    seen.add(case)
                    for end in FLOATS if isinstance(value, float) else ENDS:
                        whole = (end,) * len(value) if isinstance(value, tuple) else end
                        yield f"{case}: {min(end, 2**64)}", example, what, {name: whole}


def ended(example, what, change):
    tally, n = Tally(SimulatedNoise(np.random.default_rng(0))), sizes(example, 300)[-1]
    try:
        changed = replace(example, **{what: replace(getattr(example, what), **change)})
        estimator, budget = changed.estimator, changed.budget
        public = n, dimension(example) or 1, budget
        estimator.plan(*public)
        for ask, *more in (("predicted_error",), ("error_bound", 0.05)):
            refused_or(getattr(estimator, ask, lambda *_: None), *public, *more)
        estimator(typical_rows(example, n, 0), budget=budget, rng=tally)
    except ArgumentError as error:
        if tally.draws:
            raise RuntimeError("an error after a draw") from error


@pytest.mark.daily
@pytest.mark.parametrize("key", CATALOG)
def test_an_estimator_with_a_number_at_an_end_refuses_before_a_draw_or_answers(key):
    failed = []
    for words, *case in at_their_ends(key):
        try:
            ended(*case)
        except Exception as error:
            failed.append(f"{words}: {error!r}")
    assert not failed
