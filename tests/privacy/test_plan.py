"""Plans, ledgers and what they add up to."""

from fractions import Fraction
from itertools import product
from math import exp, fsum

import numpy as np
import pytest

from workbench.errors import ArgumentError, OverspentError
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Charge,
    Converted,
    GaussianDP,
    Interleaved,
    Ledger,
    NonPrivate,
    Parallel,
    PureDP,
    Sequential,
    compose,
)
from workbench.privacy.budgets import (
    approx_from_gdp,
    approx_from_zcdp,
    zcdp_from_approx,
    zcdp_from_bounded_range,
    zcdp_from_laplace,
    zcdp_from_pure,
)


def charge(cost, step="step"):
    return Charge(step, "laplace", 1.0, cost)


@pytest.mark.parametrize(
    ("rule", "costs", "total"),
    [
        ("basic", (PureDP(0.2), PureDP(0.8)), PureDP(1.0)),
        ("basic", (PureDP(0.25), ApproxDP(0.5, 1e-6)), ApproxDP(0.75, 1e-6)),
        ("zcdp", (ZCDP(0.25), ZCDP(0.5, 1e-9)), ZCDP(0.75, 1e-9)),
        ("zcdp", (PureDP(1.0), ZCDP(0.5)), ZCDP(0.5 + exp(-1.0))),
        ("zcdp", (GaussianDP(1.0), ZCDP(0.5)), ZCDP(1.0)),
        ("gdp", (GaussianDP(3.0), GaussianDP(4.0)), GaussianDP(5.0)),
        ("basic", (PureDP(1.0), NonPrivate()), NonPrivate()),
    ],
)
def test_parts_that_see_the_same_rows_add_up(rule, costs, total):
    assert compose(Sequential(rule, tuple(map(charge, costs)))) == total


@pytest.mark.parametrize(
    ("mechanism", "cost", "total"),
    [
        ("laplace", PureDP(1.0), zcdp_from_laplace(1.0)),
        ("discrete_laplace", PureDP(1.0), zcdp_from_pure(PureDP(1.0))),
        ("noisy_max", PureDP(1.0), zcdp_from_pure(PureDP(1.0))),
        ("exponential", PureDP(1.0), zcdp_from_bounded_range(1.0)),
        ("window_median", PureDP(1.0), zcdp_from_bounded_range(1.0)),
        ("window_median", ApproxDP(1.0, 1e-6), ZCDP(zcdp_from_bounded_range(1.0).rho, 1e-6)),
        ("stability_histogram", ApproxDP(1.0, 1e-6), ZCDP(2 * zcdp_from_pure(PureDP(0.5)).rho, 1e-6)),
        ("truncated_laplace", ApproxDP(1.0, 1e-6), zcdp_from_approx(ApproxDP(1.0, 1e-6))),
        ("laplace", ZCDP(0.3), ZCDP(0.3)),
    ],
)
def test_a_charge_under_zcdp_costs_what_its_mechanism_costs(mechanism, cost, total):
    part = Charge("step", mechanism, 2.0, cost)
    assert compose(Sequential("zcdp", (part,))) == total
    assert compose(Sequential("zcdp", (Parallel((part, part)),))) == total
    assert compose(part) == cost


def test_what_is_converted_costs_under_zcdp_what_it_cost_before():
    converted = Converted(Sequential("gdp", (charge(GaussianDP(0.2)),)), ApproxDP(1.0, 1e-6))
    assert compose(converted) == ApproxDP(1.0, 1e-6)
    assert compose(Sequential("zcdp", (converted, charge(ZCDP(0.5))))) == ZCDP(0.5 + 0.2**2 / 2)
    nested = Sequential("basic", (charge(PureDP(1.0)), charge(PureDP(1.0))))
    assert compose(nested) == PureDP(2.0)
    assert compose(Sequential("zcdp", (nested,))) == ZCDP(2 * exp(-1.0))


def test_disjoint_parts_of_several_mechanisms_cost_their_maximum_under_zcdp():
    parts = (Charge("a", "laplace", 1.0, PureDP(1.0)), Charge("b", "noisy_max", 1.0, PureDP(0.5)))
    assert compose(Sequential("zcdp", (Parallel(parts),))) == zcdp_from_laplace(1.0)
    open_ended = (*parts, Charge("c", "mean", 1.0, NonPrivate()))
    with pytest.raises(ArgumentError, match="parts"):
        compose(Sequential("zcdp", (Parallel(open_ended),)))


@pytest.mark.parametrize(
    ("costs", "largest"),
    [
        ((PureDP(0.2), PureDP(0.8)), PureDP(0.8)),
        ((ApproxDP(0.2, 1e-6), ApproxDP(0.8, 1e-9)), ApproxDP(0.8, 1e-6)),
        ((ZCDP(0.2, 1e-6), ZCDP(0.8)), ZCDP(0.8, 1e-6)),
        ((GaussianDP(1.0), GaussianDP(2.0)), GaussianDP(2.0)),
    ],
)
def test_parts_that_see_disjoint_rows_cost_their_maximum(costs, largest):
    assert compose(Parallel(tuple(map(charge, costs)))) == largest


def test_a_tree_composes_from_its_leaves():
    halves = Parallel((charge(PureDP(0.3), "left"), charge(PureDP(0.5), "right")))
    plan = Sequential("basic", (charge(PureDP(0.25), "first"), halves))
    assert compose(plan) == PureDP(0.75)
    assert [one.step for one in plan.charges()] == ["first", "left", "right"]
    assert plan["right"].cost == PureDP(0.5)
    with pytest.raises(KeyError):
        plan["middle"]


@pytest.mark.parametrize(
    ("plan", "word"),
    [
        (Sequential("basic", ()), "parts"),
        (Sequential("basic", (charge(ZCDP(0.5)),)), "cost"),
        (Sequential("gdp", (charge(PureDP(0.5)),)), "costs"),
        (Parallel((charge(PureDP(0.5)), charge(ZCDP(0.5)))), "parts"),
    ],
)
def test_currencies_do_not_mix_by_themselves(plan, word):
    with pytest.raises(ArgumentError, match=word):
        compose(plan)


@pytest.mark.parametrize("weights", [(1, 1, 1), (0.1, 0.2, 0.7), tuple(range(1, 50))])
@pytest.mark.parametrize("budget", [PureDP(0.7), ApproxDP(0.7, 1e-6), ZCDP(0.7, 1e-6), GaussianDP(0.7)])
def test_shares_add_up_to_the_budget(budget, weights):
    rule = {PureDP: "basic", ApproxDP: "basic", ZCDP: "zcdp", GaussianDP: "gdp"}[type(budget)]
    total = compose(Sequential(rule, tuple(map(charge, budget.split(*weights)))))
    for field in vars(budget):
        assert getattr(total, field) == pytest.approx(getattr(budget, field), rel=1e-12)


@pytest.mark.parametrize(
    ("budget", "fits", "too_much"),
    [
        (PureDP(1.0), PureDP(0.5), PureDP(0.500001)),
        (PureDP(1.0), PureDP(0.5), ApproxDP(0.5, 1e-12)),
        (ApproxDP(1.0, 1e-6), PureDP(0.5), ApproxDP(0.5, 1.000001e-6)),
        (ApproxDP(1.0, 1e-6), ApproxDP(0.5, 1e-6), ApproxDP(0.5, 1e-12)),
        (ZCDP(0.5), PureDP(0.5), ZCDP(0.5)),
        (ZCDP(0.5, 1e-6), ZCDP(0.25, 1e-6), ZCDP(0.25, 1e-12)),
        (GaussianDP(1.0), GaussianDP(0.8), GaussianDP(0.600001)),
        (PureDP(1.0), PureDP(1.0), NonPrivate()),
    ],
)
def test_a_ledger_refuses_to_overspend_and_enters_nothing(budget, fits, too_much):
    ledger = Ledger(budget)
    assert ledger.spent is None
    ledger.charge(fits, "first")
    before = ledger.spent
    with pytest.raises(OverspentError):
        ledger.charge(too_much, "second")
    assert ledger.spent == before
    assert [name for name, _ in ledger.entries] == ["first"]


def test_a_ledger_may_be_used_adaptively():
    """Later costs depend on earlier outputs: randomised responses whose worst path is enumerated exactly."""
    ledger_total = 1.0

    def paths(bit):
        """Yield (probability, spent) of every transcript; a 1 makes the next question dearer."""
        for answers in product((0, 1), repeat=3):
            probability, left, cost, spent = 1.0, ledger_total, 0.2, []
            for answer in answers:
                cost = min(cost, left)
                truth = exp(cost) / (1 + exp(cost))
                probability *= truth if answer == bit else 1 - truth
                left -= cost
                spent.append(cost)
                cost = 0.5 if answer else 0.1
            yield probability, spent

    worst = 0.0
    for (p, spent), (q, _) in zip(paths(0), paths(1), strict=True):
        ledger = Ledger(PureDP(ledger_total))
        for cost in spent:
            ledger.charge(PureDP(cost), "question")
        worst = max(worst, abs(np.log(p / q)))
        assert abs(np.log(p / q)) <= fsum(spent) * (1 + 1e-12)
    assert worst <= ledger_total * (1 + 1e-12)


def test_sums_are_exact_up_to_one_rounding():
    ledger = Ledger(PureDP(1.0))
    for _ in range(10):
        ledger.charge(PureDP(0.1), "tenth")
    assert ledger.spent == PureDP(float(sum(Fraction(0.1) for _ in range(10))))
    with pytest.raises(OverspentError):
        ledger.charge(PureDP(1e-9), "a little")


@pytest.mark.parametrize("cost", [GaussianDP(0.3), ZCDP(0.05), ZCDP(0.05, 1e-7)])
def test_a_converted_part_is_delivered_as_what_it_implies_and_no_less(cost):
    convert = approx_from_gdp if isinstance(cost, GaussianDP) else approx_from_zcdp
    wanted = convert(cost, 1e-6)
    plan = Converted(
        Sequential("gdp" if convert is approx_from_gdp else "zcdp", (charge(cost, "a"),)), wanted
    )
    assert compose(plan) == wanted
    assert plan["a"].cost == cost
    assert compose(Sequential("basic", (plan, charge(PureDP(0.5))))).epsilon == wanted.epsilon + 0.5
    for less in (ApproxDP(wanted.epsilon * (1 - 1e-6), 1e-6), ApproxDP(wanted.epsilon, 0.999e-6)):
        with pytest.raises(ArgumentError, match=r"^budget = "):
            Converted(charge(cost), less)


def test_pure_parts_have_no_conversion():
    with pytest.raises(ArgumentError):
        Converted(charge(PureDP(0.1)), ApproxDP(5.0, 0.1))


def test_steps_that_take_turns_cost_what_they_cost_in_groups() -> None:
    outer = tuple(Charge(f"outer {s}", "laplace", 1.0, PureDP(0.2)) for s in (1, 2))
    inner = Sequential("zcdp", tuple(Charge(f"inner {s}", "gaussian", 1.0, ZCDP(0.01)) for s in (1, 2)))
    whole = Sequential("basic", (*outer, Converted(inner, ApproxDP(1.0, 1e-6))))
    order = ("outer 1", "inner 1", "outer 2", "inner 2")
    plan = Interleaved(whole, order)
    assert compose(plan) == compose(whole) == ApproxDP(1.4, 1e-6)
    assert tuple(charge.step for charge in plan.charges()) == order
    assert plan["inner 2"].cost == ZCDP(0.01)
    for wrong in (order[:-1], (*order, "inner 2"), ("outer 1", "inner 1", "outer 2", "outer 2")):
        with pytest.raises(ArgumentError, match="order"):
            Interleaved(whole, wrong)
