import pytest

from workbench.chapters.registry import CLAIMS
from workbench.chapters.what_epsilon_means.claims import currencies
from workbench.privacy import ApproxDP
from workbench.study.rules import Status


def test_the_order_holds_for_any_seed_and_profile():
    first, second = (
        CLAIMS["what-epsilon-means/conversions-in-order"].decide(profile, seed, 1)
        for profile, seed in (("quick", 1), ("full", 2))
    )
    assert first == second
    assert first.status == Status.HOLDS
    assert first.level == 0
    assert first.trials > 300


@pytest.mark.parametrize("function", ["approx_from_gdp", "approx_from_zcdp", "optimal_composition"])
def test_a_looser_theorem_is_refuted(monkeypatch, function):
    true = getattr(currencies, function)

    def looser(*args):
        budget = true(*args)
        return ApproxDP(1.3 * budget.epsilon, budget.delta)

    monkeypatch.setattr(currencies, function, looser)
    assert CLAIMS["what-epsilon-means/conversions-in-order"].decide("quick", 1, 1).status == Status.REFUTED


def test_a_wrong_entry_of_the_table_is_refuted(monkeypatch):
    known = {**currencies.KNOWN, (0.5, 1e-6): (5.757, 5.222, 4.888)}
    monkeypatch.setattr(currencies, "KNOWN", known)
    assert CLAIMS["what-epsilon-means/conversions-in-order"].decide("quick", 1, 1).status == Status.REFUTED
