"""The filter of single rows: what it removes, costs and moves with. Sensitivities: the contracts."""

from math import sqrt

import numpy as np
import pytest

from tests.estimators.streams import rng
from workbench.estimators.robust import RobustHeavyMean, RobustMean, Rows
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.mechanisms import gaussian_mu

BUDGET = ApproxDP(10.0, 0.01)
NORMAL, HEAVY = RobustMean(radius=10.0, sigma=1.0), RobustHeavyMean(radius=10.0, upper=1.0)


@pytest.mark.daily
def test_steps_that_are_left_give_the_mean_of_a_refund():
    """P4: on clean rows the noise of the sum is that of one release with all that was not needed."""
    n, d, runs = 3000, 4, 400
    x = rng(3).standard_normal((n, d))
    design, plan, rows = NORMAL.steps(n, d, BUDGET), NORMAL.plan(n, d, BUDGET), Rows(x, 0.0, 1.0)
    charges = [charge for charge in plan.charges() if charge.step not in ("range", "recentre")]
    found = np.array(
        [design.filtered(rows, np.zeros(d), charges, SimulatedNoise(rng(seed))) for seed in range(runs)]
    )
    left = design.mu**2 * (1 - design.shares.range - design.shares.recentre)
    unused = left - gaussian_mu(charges[0].cost) ** 2 * (1 - design.prices.total**2)
    sd = 2 * design.radius / (n * sqrt(unused))
    ratio = float(((found - found.mean(axis=0)) ** 2).sum() / sd**2 / (d * (runs - 1)))
    assert abs(ratio - 1) < 5 * sqrt(2 / (d * runs))  # and not that of the last step alone
    alone = 2 * design.radius / (n * gaussian_mu(charges[-1].cost))
    assert alone > 1.3 * sd


def histogram(scores, edges):
    """Counts of scores from each edge to the next."""
    return np.bincount(np.searchsorted(edges, scores, side="right"), minlength=len(edges) + 1)[1:]


def test_the_cut_of_normal_rows_lies_where_the_bad_ones_begin():
    n = 100_000
    rule = NORMAL.steps(n, 10, BUDGET)
    edges, clean = rule.edges(2), rng(10).chisquare(2, n)
    for place, most in ((30.0, 30.0), (15.0, 15.0), (8.0, 8.0)):
        scores = clean.copy()
        scores[:5000] = place + rng(11).random(5000)
        cut = rule.cut(2, histogram(scores, edges))
        assert cut <= most
        assert (scores[5000:] <= cut).mean() > 0.9, "too many good rows go"
        assert (scores[:5000] > cut).all()
    lighter = histogram(rng(12).uniform(0, 4, n), edges)  # the excess is not the adversary's: at most α n
    excess = (lighter[::-1].cumsum()[::-1] - n * np.array([0.6])) / 0.4
    assert excess.max() > 0.05 * n
    assert rule.cut(2, lighter) >= 2.0
