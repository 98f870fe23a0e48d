import pytest

from workbench.chapters.registry import CLAIMS
from workbench.chapters.start_here import claims as accounting
from workbench.privacy import GaussianDP, ledger
from workbench.privacy import budgets as budget
from workbench.study.rules import Status


@pytest.mark.daily
def test_shares_add_up_for_any_seed_and_profile():
    first, second = (
        CLAIMS["start-here/shares-add-up"].decide(profile, seed, 1)
        for profile, seed in (("quick", 1), ("full", 2))
    )
    assert first == second
    assert first.status == Status.HOLDS
    assert first.level == 0


@pytest.mark.daily
def test_a_ledger_that_lets_a_millionth_pass_is_refuted(monkeypatch):
    monkeypatch.setattr(budget, "SLACK", 1e-5)
    assert CLAIMS["start-here/shares-add-up"].decide("quick", 1, 1).status == Status.REFUTED


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_sum_that_is_a_thousandth_off_is_measured(monkeypatch, factor):
    true = ledger.add

    def wrong(costs, rule):
        total = true(costs, rule)
        return GaussianDP(factor * total.mu) if isinstance(total, GaussianDP) else total

    monkeypatch.setattr(ledger, "add", wrong)
    monkeypatch.setattr(budget, "SLACK", 1e-2)
    assert accounting._error(GaussianDP(1.0), 7) > accounting.ROUNDING
    assert (accounting._gaussian(7) > 1 + 1e-9) == (factor > 1)
