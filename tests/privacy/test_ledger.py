"""What a ledger says is left, what it takes, and what it says when it refuses."""

import re
from math import exp, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import (
    ClippedMean,
    CoinPressMean,
    CoordinatewiseMean,
    EmpiricalMean,
    StableLocation,
    TwoStepMean,
)
from workbench.errors import ArgumentError, OverspentError
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, Ledger, PureDP
from workbench.privacy.budgets import (
    gdp_within_approx,
    to_zcdp,
    zcdp_from_bounded_range,
    zcdp_from_gdp,
    zcdp_from_laplace,
)

BUDGETS = [PureDP(0.7), ApproxDP(0.7, 1e-6), ApproxDP(0.7, 0.0), ZCDP(0.7), ZCDP(0.7, 1e-6), GaussianDP(0.7)]
HEIGHTS = np.random.default_rng(1).normal(172.0, 9.0, size=2000)


def scaled(budget, factor):
    """The same kind with every number times `factor`."""
    return type(budget)(**{name: value * factor for name, value in vars(budget).items()})


@pytest.mark.parametrize("budget", BUDGETS)
@given(weights=st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=12))
def test_what_is_left_may_be_charged_and_nothing_larger(budget, weights):
    *shares, _ = budget.split(*weights)
    ledger = Ledger(budget)
    assert ledger.remaining == budget
    for share in shares:
        ledger.charge(share, "share")
    left = ledger.remaining
    with pytest.raises(OverspentError):
        ledger.charge(scaled(left, 1 + 1e-6), "more")
    ledger.charge(left, "all")
    assert ledger.remaining is None
    with pytest.raises(OverspentError, match="expected at most nothing, what is left of"):
        ledger.charge(scaled(budget, 1e-3), "anything")


@pytest.mark.parametrize("budget", BUDGETS)
def test_all_shares_leave_nothing(budget):
    ledger = Ledger(budget)
    for share in budget.split(*range(1, 50)):
        ledger.charge(share, "share")
    assert ledger.remaining is None


def test_delta_can_be_left_alone_of_all():
    ledger = Ledger(ApproxDP(1.0, 1e-6))
    ledger.charge(ApproxDP(0.25, 1e-6), "interval")
    assert ledger.remaining == ApproxDP(0.75, 0.0)
    ledger.charge(PureDP(0.75), "mean")
    assert ledger.remaining is None


@pytest.mark.parametrize(
    ("budget", "cost", "said"),
    [
        (PureDP(1.0), ApproxDP(0.1, 1e-9), "expected no δ and at most ε = 0.4, what is left of ε = 1"),
        (PureDP(1.0), PureDP(0.5), "expected at most ε = 0.4, what is left of ε = 1"),
        (
            ApproxDP(1.0, 1e-6),
            ApproxDP(0.1, 1e-5),
            "expected at most (ε = 0.4, δ = 1e-06)-DP, what is left of (ε = 1, δ = 1e-06)-DP",
        ),
        (ApproxDP(1.0, 0.0), ApproxDP(0.1, 1e-5), "expected no δ and at most (ε = 0.4, δ = 0)-DP, what is"),
    ],
)
def test_a_refusal_says_what_is_left(budget, cost, said):
    ledger = Ledger(budget)
    ledger.charge(PureDP(0.6), "first")
    with pytest.raises(OverspentError) as refusal:
        ledger.charge(cost, "second")
    assert said in str(refusal.value)


@pytest.mark.parametrize("budget", [PureDP(1.0), ApproxDP(1.0, 1e-6), ZCDP(1.0)])
def test_no_delta_is_pure(budget):
    as_pure, as_approximate = Ledger(budget), Ledger(budget)
    as_pure.charge(PureDP(0.5), "release")
    as_approximate.charge(ApproxDP(0.5, 0.0), "release")
    assert as_pure.spent == as_approximate.spent
    assert as_approximate.entries == [("release", ApproxDP(0.5, 0.0))]


def test_a_release_is_charged_with_what_it_delivers_under_the_names_of_its_steps():
    rng, ledger = np.random.default_rng(2), Ledger(PureDP(1.0))
    release = TwoStepMean(radius=1000.0, sigma=9.0)(HEIGHTS, budget=PureDP(0.25), rng=rng)
    ledger.charge(release)
    ledger.charge(release, "again")
    steps = ", ".join(charge.step for charge in release.plan.charges())
    assert ledger.entries == [(steps, PureDP(0.25)), ("again", PureDP(0.25))]
    assert ledger.remaining == PureDP(0.5)


@pytest.mark.parametrize(
    ("estimator", "budget", "cost"),
    [
        (ClippedMean(radius=10.0, sigma=1.0), PureDP(1.0), ZCDP(exp(-1.0))),
        (StableLocation(sigma=1.0), ApproxDP(1.0, 1e-6), ZCDP(tanh(0.25), 1e-6)),
        (
            CoinPressMean(radius=10.0, sigma=1.0),
            ApproxDP(1.0, 1e-6),
            zcdp_from_gdp(gdp_within_approx(ApproxDP(1.0, 1e-6))),
        ),
    ],
    ids=["laplace", "histogram", "gaussian steps"],
)
def test_a_release_on_a_ledger_in_zcdp_costs_what_its_mechanisms_cost(estimator, budget, cost):
    ledger = Ledger(ZCDP(2.0, 1e-3))
    x = np.ones((400, 2)) if isinstance(estimator, CoinPressMean) else np.ones(400)
    ledger.charge(estimator(x, budget=budget, rng=np.random.default_rng(1)), "release")
    spent = ledger.spent
    assert spent.rho == pytest.approx(cost.rho, rel=1e-12)
    assert spent.delta == pytest.approx(cost.delta, rel=1e-12)
    assert spent.rho < to_zcdp(budget).rho


def test_a_choice_and_laplace_noise_on_a_ledger_in_zcdp_cost_their_own():
    release = TwoStepMean(radius=100.0, sigma=1.0)(HEIGHTS, budget=PureDP(2.0), rng=np.random.default_rng(1))
    ledger, (choice, mean) = Ledger(ZCDP(2.0)), release.plan.charges()
    assert (choice.mechanism, mean.mechanism) == ("window_median", "laplace")
    ledger.charge(release)
    costs = zcdp_from_bounded_range(choice.cost.epsilon), zcdp_from_laplace(mean.cost.epsilon)
    assert ledger.spent.rho == pytest.approx(sum(cost.rho for cost in costs), rel=1e-12)
    with pytest.raises(OverspentError):
        Ledger(ZCDP(0.99 * ledger.spent.rho)).charge(release)


def test_a_long_plan_is_named_in_short():
    rows = np.random.default_rng(1).normal(size=(500, 6))
    ledger = Ledger(PureDP(1.0))
    ledger.charge(
        CoordinatewiseMean(radius=9.0, sigma=1.0)(rows, budget=PureDP(0.25), rng=np.random.default_rng(2))
    )
    [(name, _)] = ledger.entries
    assert re.fullmatch(r"[^,]+, [^,]+, [^,]+, … \(6 steps\)", name)


def test_a_release_without_privacy_is_refused_and_not_shown():
    ledger, secret = Ledger(PureDP(1.0)), EmpiricalMean()([[7.25], [7.25]])
    with pytest.raises(OverspentError) as refusal:
        ledger.charge(secret)
    assert "7.25" not in str(refusal.value)
    assert not ledger.entries


def test_a_budget_needs_a_name_and_nothing_else_is_taken():
    ledger = Ledger(PureDP(1.0))
    with pytest.raises(ArgumentError, match="name = None: expected a name"):
        ledger.charge(PureDP(0.1))
    for rows in (0.1, [0.1], np.array([0.1])):  # what may be rows is not shown
        with pytest.raises(ArgumentError, match=rf"charge = '{type(rows).__name__}': expected a budget or a"):
            ledger.charge(rows, "mean")


def test_both_renderings_tell_what_was_spent_and_what_is_left():
    ledger = Ledger(PureDP(1.0))
    ledger.charge(PureDP(0.25), "<b>mean</b>")
    lines = [line.split(None, 1) for line in str(ledger).splitlines()]
    assert lines[1:] == [["spent", "ε = 0.25"], ["left", "ε = 0.75"], ["budget", "ε = 1"]]
    page = ledger._repr_html_()
    assert "<td>&lt;b&gt;mean&lt;/b&gt;</td><td>ε = 0.25</td>" in page
    assert "<th>left</th><td>ε = 0.75</td>" in page


@pytest.mark.parametrize(
    ("budget", "cost", "given"),
    [
        (PureDP(1.0), {"epsilon": 0.4}, PureDP(0.4)),
        (PureDP(1.0), {"epsilon": np.float32(0.5)}, PureDP(0.5)),
        (ApproxDP(1.0, 1e-6), {"epsilon": 0.4, "delta": 1e-7}, ApproxDP(0.4, 1e-7)),
        (ZCDP(1.0), {"rho": 0.4}, ZCDP(0.4)),
        (ZCDP(1.0, 1e-6), {"rho": 0.4, "delta": 1e-7}, ZCDP(0.4, 1e-7)),
        (GaussianDP(1.0), {"mu": 0.4}, GaussianDP(0.4)),
    ],
)
def test_a_block_gets_what_it_spends(budget, cost, given):
    ledger = Ledger(budget)
    with ledger.spend("mean", **cost) as granted:
        assert granted == given
        assert ledger.entries == [("mean", given)]
    assert ledger.entries == [("mean", given)]


def test_a_block_that_raises_has_spent_and_one_that_overspends_is_not_entered():
    ledger = Ledger(PureDP(1.0))
    with pytest.raises(ZeroDivisionError), ledger.spend("mean", epsilon=0.9):
        raise ZeroDivisionError
    assert ledger.spent == PureDP(0.9)
    entered = []
    with pytest.raises(OverspentError), ledger.spend("scale", epsilon=0.2):
        entered.append("scale")
    assert not entered
    assert ledger.spent == PureDP(0.9)
    for cost in ({}, {"delta": 0.1}, {"epsilon": 0.1, "rho": 0.1}, {"mu": 0.1, "delta": 0.1}):
        with pytest.raises(ArgumentError, match=r"^spend = "), ledger.spend("none", **cost):
            entered.append("none")
    assert not entered
