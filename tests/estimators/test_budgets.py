"""Shares of Gaussian steps add up to the budget in every currency."""

import pytest

from workbench.errors import ArgumentError
from workbench.estimators.shared.budgets import step_budgets, steps_plan
from workbench.privacy import ZCDP, ApproxDP, Charge, GaussianDP, PureDP, compose
from workbench.privacy.mechanisms import gaussian_mu, gaussian_scale


@pytest.mark.parametrize("budget", [ZCDP(0.3), GaussianDP(0.7), ApproxDP(1.0, 1e-6), ApproxDP(6.0, 1e-9)])
@pytest.mark.parametrize("weights", [(1.0,), (1.0, 3.0), (0.2, 0.3, 0.5)])
def test_shares_add_up_and_cost_what_one_step_would(budget, weights):
    costs = step_budgets(budget, weights)
    charges = [Charge(f"step {i}", "gaussian", 1.0, cost) for i, cost in enumerate(costs)]
    delivered = compose(steps_plan(budget, charges))
    assert type(delivered) is type(budget)
    for name in ("rho", "mu", "epsilon", "delta"):
        assert getattr(delivered, name, 0.0) == pytest.approx(getattr(budget, name, 0.0), rel=1e-12)
    whole = gaussian_mu(budget)
    assert sum(gaussian_scale(charge) ** -2 for charge in charges) == pytest.approx(whole**2, rel=1e-9)


@pytest.mark.parametrize("budget", [PureDP(1.0), ZCDP(0.1, 1e-9), ApproxDP(1.0, 0.0)])
def test_budgets_without_a_gaussian_are_refused(budget):
    with pytest.raises(ArgumentError, match=r"^budget = "):
        step_budgets(budget, (1.0,))
