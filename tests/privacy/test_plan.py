"""Plans and ledgers: what they add up to, what is left, what is refused, written and read."""

import json
from contextlib import suppress
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench import EmpiricalMean, TwoStepMean
from workbench.errors import ArgumentError, OverspentError
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, GaussianDP, NonPrivate, PureDP, budgets, compose
from workbench.privacy.budgets import gdp_within_approx, zcdp_from_bounded_range, zcdp_from_laplace
from workbench.privacy.ledger import Ledger, composed
from workbench.privacy.plan import Converted, Interleaved, Parallel, Sequential
from workbench.special import ndtr


def charge(cost, step="step", mechanism="laplace"):
    return Charge(step, mechanism, 1.0, cost)


def of(rule, *costs):
    """A plan of charges of Laplace noise, or of parts."""
    parts = tuple(charge(cost) if isinstance(cost, Budget) else cost for cost in costs)
    return Parallel(parts) if rule == "parallel" else Sequential(rule, parts)


TWO = Parallel((charge(PureDP(1.0)), charge(PureDP(0.5), mechanism="noisy_max")))
CONVERTED = Converted(of("gdp", GaussianDP(0.2)), ApproxDP(1.0, 1e-6))
COMPOSED = (
    (of("basic", PureDP(0.25), ApproxDP(0.5, 1e-6)), ApproxDP(0.75, 1e-6)),
    (of("basic", PureDP(1.0), NonPrivate()), NonPrivate()),
    (of("basic", PureDP(0.25), of("parallel", PureDP(0.3), PureDP(0.5))), PureDP(0.75)),
    (of("zcdp", ZCDP(0.25), ZCDP(0.5, 1e-9)), ZCDP(0.75, 1e-9)),
    (of("zcdp", PureDP(1.0), ZCDP(0.5)), ZCDP(0.5 + exp(-1.0))),
    (of("zcdp", GaussianDP(1.0), ZCDP(0.5)), ZCDP(1.0)),
    (of("zcdp", TWO), zcdp_from_laplace(1.0)),  # each part by its mechanism
    (of("gdp", GaussianDP(3.0), GaussianDP(4.0)), GaussianDP(5.0)),
    (of("parallel", ApproxDP(0.2, 1e-6), ApproxDP(0.8, 1e-9)), ApproxDP(0.8, 1e-6)),
    (of("parallel", ZCDP(0.2, 1e-6), ZCDP(0.8)), ZCDP(0.8, 1e-6)),
    (CONVERTED, ApproxDP(1.0, 1e-6)),
    (of("zcdp", CONVERTED, ZCDP(0.5)), ZCDP(0.5 + 0.2**2 / 2)),  # it costs what it cost before
    (of("basic", CONVERTED, PureDP(0.5)), ApproxDP(1.5, 1e-6)),
)


@pytest.mark.parametrize(("plan", "total"), COMPOSED)
def test_parts_add_up_or_cost_their_maximum(plan, total):
    assert compose(plan) == total


OF_PURE = budgets.zcdp_from_pure(PureDP(1.0))
IN_ZCDP = (
    ("laplace", PureDP(1.0), zcdp_from_laplace(1.0)),
    ("discrete_laplace", PureDP(1.0), OF_PURE),
    ("noisy_max", PureDP(1.0), OF_PURE),
    ("exponential", PureDP(1.0), zcdp_from_bounded_range(1.0)),
    ("window_median", PureDP(1.0), zcdp_from_bounded_range(1.0)),
    ("window_median", ApproxDP(1.0, 1e-6), ZCDP(zcdp_from_bounded_range(1.0).rho, 1e-6)),
    ("stability_histogram", ApproxDP(1.0, 1e-6), ZCDP(2 * budgets.zcdp_from_pure(PureDP(0.5)).rho, 1e-6)),
    ("truncated_laplace", ApproxDP(1.0, 1e-6), budgets.to_zcdp(ApproxDP(1.0, 1e-6))),
    ("laplace", ZCDP(0.3), ZCDP(0.3)),
)


@pytest.mark.parametrize(("mechanism", "cost", "total"), IN_ZCDP)
def test_a_charge_under_zcdp_costs_what_its_mechanism_costs(mechanism, cost, total):
    part = charge(cost, mechanism=mechanism)
    for plan in (part, Parallel((part, part))):
        assert compose(Sequential("zcdp", (plan,))) == total
    assert compose(part, in_zcdp=True) == total
    assert compose(part) == cost


def test_currencies_do_not_mix_by_themselves():
    for plan, word in (
        (of("basic"), "parts"),
        (of("basic", ZCDP(0.5)), "cost"),
        (of("gdp", PureDP(0.5)), "costs"),
        (of("parallel", PureDP(0.5), ZCDP(0.5)), "parts"),
        (of("zcdp", of("parallel", PureDP(0.5), NonPrivate())), "parts"),
    ):
        with pytest.raises(ArgumentError, match=word):
            compose(plan)


@pytest.mark.parametrize("cost", [GaussianDP(0.3), ZCDP(0.05), ZCDP(0.05, 1e-7)])
def test_a_converted_part_is_delivered_as_what_it_implies_and_no_less(cost):
    convert = budgets.approx_from_gdp if isinstance(cost, GaussianDP) else budgets.approx_from_zcdp
    wanted = convert(cost, 1e-6)
    plan = of("gdp" if convert is budgets.approx_from_gdp else "zcdp", cost)
    assert compose(Converted(plan, wanted)) == wanted
    for less in (ApproxDP(wanted.epsilon * (1 - 1e-6), 1e-6), ApproxDP(wanted.epsilon, 0.999e-6)):
        with pytest.raises(ArgumentError, match=r"^budget = "):
            Converted(charge(cost), less)


def test_steps_that_take_turns_cost_what_they_cost_in_groups():
    inner = of("zcdp", charge(ZCDP(0.01), "b", "gaussian"), charge(ZCDP(0.01), "d"))
    inner = Converted(inner, ApproxDP(1.0, 1e-6))
    whole = of("basic", charge(PureDP(0.2), "a"), charge(PureDP(0.2), "c"), inner)
    plan = Interleaved(whole, tuple("abcd"))
    assert compose(plan) == compose(whole) == ApproxDP(1.4, 1e-6)
    assert "".join(charge.step for charge in plan.charges()) == "abcd"
    assert plan["b"].cost == ZCDP(0.01)
    for wrong in ("abc", "abcdd", "abcc"):
        with pytest.raises(ArgumentError, match="order"):
            Interleaved(whole, tuple(wrong))


# Ledgers


def refused(ledger, cost):
    before = len(ledger.entries)
    with suppress(OverspentError):
        ledger.charge(cost, "more")
    return len(ledger.entries) == before


BUDGETS = [PureDP(0.7), ApproxDP(0.7, 1e-6), ApproxDP(0.7, 0.0), ZCDP(0.7), ZCDP(0.7, 1e-6), GaussianDP(0.7)]


@pytest.mark.parametrize("budget", BUDGETS)
@settings(max_examples=25)
@given(weights=st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=12))
def test_what_is_left_may_be_charged_and_nothing_larger(budget, weights):
    *shares, _ = budget.split(*weights)
    ledger = Ledger(budget)
    assert ledger.remaining == budget
    for share in shares:
        ledger.charge(share, "share")
    left = ledger.remaining
    assert refused(ledger, type(left)(*(value * (1 + 1e-6) for value in vars(left).values())))
    ledger.charge(left, "all")
    assert ledger.remaining is None
    with pytest.raises(OverspentError, match="expected at most nothing, what is left of"):
        ledger.charge(share, "anything")


def test_a_release_without_privacy_is_refused_and_not_shown():
    ledger, secret = Ledger(PureDP(1.0)), EmpiricalMean()([[7.25], [7.25]])
    with pytest.raises(OverspentError) as refusal:
        ledger.charge(secret)
    assert "7.25" not in str(refusal.value)
    with pytest.raises(ArgumentError, match="name = None"):
        ledger.charge(PureDP(0.1))
    for rows in (0.1, np.array([0.1])):  # what may be rows is not shown
        with pytest.raises(ArgumentError, match=rf"charge = '{type(rows).__name__}'"):
            ledger.charge(rows, "mean")
    assert not ledger.entries


def test_a_block_gets_what_it_spends_and_one_that_raises_has_spent():
    for cost in BUDGETS[:2] + BUDGETS[3:]:
        ledger = Ledger(cost)
        with ledger.spend("mean", **{name: value for name, value in vars(cost).items() if value}) as granted:
            assert (granted, ledger.entries) == (cost, [("mean", cost)])
    ledger, entered = Ledger(PureDP(1.0)), []
    with pytest.raises(ZeroDivisionError), ledger.spend("mean", epsilon=0.9):
        raise ZeroDivisionError
    with pytest.raises(OverspentError), ledger.spend("scale", epsilon=0.2):
        entered.append("scale")
    for cost in ({}, {"delta": 0.1}, {"epsilon": 0.1, "rho": 0.1}, {"mu": 0.1, "delta": 0.1}):
        with pytest.raises(ArgumentError, match=r"^spend = "), ledger.spend("none", **cost):
            entered.append("none")
    assert (entered, ledger.spent) == ([], PureDP(0.9))


def test_a_release_is_charged_with_what_it_delivers_under_the_names_of_its_steps():
    ledger, estimator = Ledger(PureDP(1.0)), TwoStepMean(radius=1000.0, sigma=9.0)
    release = estimator(np.zeros(2000), budget=PureDP(0.25), rng=np.random.default_rng(2))
    ledger.charge(release)
    with pytest.raises(ArgumentError, match="again=True"):
        ledger.charge(release, "again")
    ledger.charge(release, "again", again=True)
    steps = ", ".join(charge.step for charge in release.plan.charges())
    assert ledger.entries == [(steps, PureDP(0.25)), ("again", PureDP(0.25))]


# Ledgers of every kind of cost: exact composition, what may be entered, and what is written and read.

TOTAL, SLACK = ApproxDP(2.0, 1e-6), 4e-7
HALF = ApproxDP(2.0, 2e-7)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("epsilons", "mu"), [([0.02] * 150, 0.0), ([0.1, 0.07, 0.3] * 5, 0.4), ([], 0.5)])
def test_the_exact_composition_is_that_of_dp_accounting_and_not_below(epsilons, mu):
    def peer(pessimistic):
        options = {"value_discretization_interval": 1e-4, "pessimistic_estimate": pessimistic}
        parts = [pld.from_randomized_response(2 / (1 + exp(one)), 2, **options) for one in epsilons]
        parts += [pld.from_gaussian_mechanism(1 / mu, **options)] if mu else []
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.compose(part)
        return whole.get_epsilon_for_delta(1e-6)

    found = composed(epsilons, mu, 1e-6)
    assert peer(False) * (1 - 1e-6) <= found <= 1.005 * peer(True)


@pytest.mark.parametrize("epsilon", [1e-6, 0.99e-4, 1.01e-4, 0.5, 5.0])
def test_pure_dp_is_gaussian_dp_of_the_least_mu(epsilon):
    attained = 2 * ndtr(budgets.gdp_from_pure(PureDP(epsilon)).mu / 2) - 1
    wanted = 2 / (1 + exp(-epsilon)) - 1
    assert wanted * (1 - 1e-9) <= attained <= wanted * (1 + 1e-7)


OF_SHARES = {
    "epsilon": lambda share: PureDP(2.0 * share),
    "rho": lambda share: ZCDP(budgets.zcdp_within_approx(HALF).rho * share),
    "mu": lambda share: GaussianDP(gdp_within_approx(HALF).mu * share**0.5),
}


@pytest.mark.parametrize("cost", OF_SHARES.values(), ids=OF_SHARES)
def test_each_sum_is_spent_to_its_own_limit(cost):
    ledger = Ledger(TOTAL, slack=SLACK)
    ledger.charge(cost(0.5), "half")
    assert refused(ledger, cost(0.5 * (1 + 1e-6)))
    ledger.charge(cost(0.5), "rest")
    assert ledger.spent.epsilon <= 2.0 * (1 + 1e-9)
    assert ledger.spent.delta <= 1e-6


def test_sums_are_exact_up_to_one_rounding_and_both_renderings_tell_them():
    ledger = Ledger(PureDP(1.0))
    for _ in range(10):
        ledger.charge(PureDP(0.1), "<b>")
    assert ledger.spent == PureDP(float(10 * Fraction(0.1)))
    assert refused(ledger, PureDP(1e-9))
    assert " ".join(str(ledger).split()).endswith("spent ε = 1 left nothing budget ε = 1")
    assert "<td>&lt;b&gt;</td><td>ε = 0.1</td>" in ledger._repr_html_()


def test_costs_with_delta_never_take_what_is_set_aside():
    ledger = Ledger(TOTAL, slack=SLACK)
    ledger.charge(ApproxDP(0.1, 5e-7), "first")
    for more in (ApproxDP(0.1, 1.01e-7), ZCDP(0.001, 1.01e-7)):
        assert refused(ledger, more)
    ledger.charge(ZCDP(0.001, 1e-7), "rest")
    with pytest.raises(ArgumentError, match="slack="):
        Ledger(TOTAL).charge(ZCDP(0.001), "no slack")


def test_what_is_planned_decides_nothing_and_what_is_left_may_be_charged():
    ledger = Ledger(ApproxDP(1.1, 1e-6), slack=1e-6)
    for _ in range(150):
        refused(ledger, PureDP(0.02))
    assert len(ledger.entries) < 150
    assert ledger.planned.epsilon < 1.0 < ledger.spent.epsilon
    left = ledger.remaining
    assert refused(ledger, ApproxDP(left.epsilon * (1 + 1e-6), left.delta))
    ledger.charge(left, "left")
    assert "planned" in str(ledger)


def test_a_ledger_is_written_and_read_and_nothing_else_is():
    ledger = Ledger(TOTAL, slack=SLACK)
    for cost in (PureDP(0.1), ApproxDP(0.1, 1e-7), ZCDP(0.01), GaussianDP(0.1)):
        ledger.charge(cost, "µ")
    text = ledger.to_json()
    again, read = Ledger.from_json(text), json.loads(text)
    assert (again, again.spent) == (ledger, ledger.spent)
    others = text.replace("PureDP", "NonPrivate"), json.dumps({**read, "entries": [{"name": 1}]})
    for wrong in ("", "[]", "1" * 5000, "[" * 100_000, b"\xff", *others):
        with pytest.raises(ArgumentError, match=r"^text = "):
            Ledger.from_json(wrong)
    with pytest.raises(OverspentError):
        Ledger.from_json(json.dumps({**read, "entries": read["entries"] * 30}))
    for slack in (-1e-7, 2e-6, float("nan"), 1e-18):
        with pytest.raises(ArgumentError, match=r"^slack = "):
            Ledger(TOTAL, slack=slack)
