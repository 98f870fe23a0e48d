"""Ledgers of every kind of cost: exact composition, what may be entered, and what is written and read."""

import json
from contextlib import suppress
from fractions import Fraction

import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from workbench.errors import ArgumentError, OverspentError
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, Ledger, PureDP
from workbench.privacy.budgets import gdp_from_pure, gdp_within_approx, zcdp_within_approx
from workbench.privacy.ledger import composed
from workbench.special import ndtr

TOTAL, SLACK = ApproxDP(2.0, 1e-6), 4e-7
HALF = ApproxDP(2.0, 2e-7)


@pytest.mark.turns(4)
@pytest.mark.parametrize(("epsilons", "mu"), [([0.02] * 150, 0.0), ([0.1, 0.07, 0.3] * 5, 0.4), ([], 0.5)])
def test_the_exact_composition_is_that_of_dp_accounting_and_not_below(epsilons, mu):
    def peer(pessimistic):
        options = {"value_discretization_interval": 1e-4, "pessimistic_estimate": pessimistic}
        parts = [
            pld.from_randomized_response(2 / (1 + 2.718281828459045**one), 2, **options) for one in epsilons
        ]
        parts += [pld.from_gaussian_mechanism(1 / mu, **options)] if mu else []
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.compose(part)
        return whole.get_epsilon_for_delta(1e-6)

    found = composed(epsilons, mu, 1e-6)
    assert peer(False) * (1 - 1e-6) <= found <= 1.005 * peer(True)


def test_pure_dp_is_gaussian_dp_of_the_least_mu():
    for epsilon in (1e-6, 0.99e-4, 1.01e-4, 0.5, 5.0):
        mu = gdp_from_pure(PureDP(epsilon)).mu
        attained = 2 * ndtr(mu / 2) - 1
        wanted = 2 / (1 + 2.718281828459045 ** (-epsilon)) - 1
        assert wanted * (1 - 1e-9) <= attained <= wanted * (1 + 1e-7)


def refused(ledger, cost):
    before = len(ledger.entries)
    with suppress(OverspentError):
        ledger.charge(cost, "more")
    return len(ledger.entries) == before


@pytest.mark.parametrize(
    "cost",
    [
        lambda share: PureDP(2.0 * share),
        lambda share: ZCDP(zcdp_within_approx(HALF).rho * share),
        lambda share: GaussianDP(gdp_within_approx(HALF).mu * share**0.5),
    ],
    ids=["epsilon", "rho", "mu"],
)
def test_each_sum_is_spent_to_its_own_limit(cost):
    ledger = Ledger(TOTAL, slack=SLACK)
    ledger.charge(cost(0.5), "half")
    assert refused(ledger, cost(0.5 * (1 + 1e-6)))
    ledger.charge(cost(0.5), "rest")
    assert ledger.spent.epsilon <= 2.0 * (1 + 1e-9)
    assert ledger.spent.delta <= 1e-6


def test_sums_are_exact_up_to_one_rounding():
    ledger = Ledger(PureDP(1.0))
    for _ in range(10):
        ledger.charge(PureDP(0.1), "tenth")
    assert ledger.spent == PureDP(float(sum(Fraction(0.1) for _ in range(10))))
    assert refused(ledger, PureDP(1e-9))


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
    with suppress(OverspentError):
        for _ in range(150):
            ledger.charge(PureDP(0.02), "day")
    assert len(ledger.entries) < 150
    assert ledger.planned.epsilon < 1.0 < ledger.spent.epsilon
    left = ledger.remaining
    with pytest.raises(OverspentError):
        ledger.charge(ApproxDP(left.epsilon * (1 + 1e-6), left.delta), "more")
    ledger.charge(left, "left")
    assert "planned" in str(ledger)


def test_a_ledger_is_written_and_read_and_nothing_else_is():
    ledger = Ledger(TOTAL, slack=SLACK)
    for name, cost in (
        ("a", PureDP(0.1)),
        ("b", ApproxDP(0.1, 1e-7)),
        ("c", ZCDP(0.01)),
        ("µ", GaussianDP(0.1)),
    ):
        ledger.charge(cost, name)
    text = ledger.to_json()
    assert Ledger.from_json(text) == ledger
    assert Ledger.from_json(text).spent == ledger.spent
    read = json.loads(text)
    for wrong in (
        "",
        "[]",
        "3",
        "1" * 5000,
        "[" * 100_000,
        b"\xff",
        text.replace("PureDP", "NonPrivate"),
        json.dumps({**read, "entries": [{"name": 1}]}),
    ):
        with pytest.raises(ArgumentError, match=r"^text = "):
            Ledger.from_json(wrong)
    with pytest.raises(OverspentError):
        Ledger.from_json(json.dumps({**read, "entries": read["entries"] * 30}))
    for slack in (-1e-7, 2e-6, float("nan"), "a", 1e-18):
        with pytest.raises(ArgumentError, match=r"^slack = "):
            Ledger(TOTAL, slack=slack)
