"""The filter of single rows: what it removes, costs and moves with. Sensitivities: the contracts."""

from dataclasses import replace
from math import exp, pi, sqrt

import numpy as np
import pytest
from scipy.special import ndtr

from tests.estimators.streams import rng
from workbench.estimators.base import Trace, sanitised
from workbench.estimators.robust import RobustHeavyMean, RobustMean, RowFilter, Rows
from workbench.estimators.shared.moments import clipped_moment, kept_moment, radius_within
from workbench.estimators.weighted_moments import grid
from workbench.populations.corruption import MEAN_ATTACKS
from workbench.privacy import (
    ApproxDP,
    SimulatedNoise,
    UnitNoise,
)
from workbench.privacy.mechanisms import gaussian_mu
from workbench.study.faults import spied

BUDGET = ApproxDP(10.0, 0.01)
ATTACKS = {adversary.name: adversary for adversary in MEAN_ATTACKS}
NORMAL, HEAVY = RobustMean(radius=10.0, sigma=1.0), RobustHeavyMean(radius=10.0, upper=1.0)
BOTH = pytest.mark.parametrize("estimator", [NORMAL, HEAVY], ids=["normal", "heavy"])


class Silent(UnitNoise):
    """Adds nothing: what a run makes of exact statistics."""

    def gaussian(self, value, sensitivity, scale):
        """Return the value."""
        return np.asarray(value, np.float64)


def planted(n, d, seed, attack="shift-ones", mean=0.0):
    x = rng(seed).standard_normal((n, d))
    return ATTACKS[attack].corrupt(x, 0.05, rng=rng(seed + 1)) + mean


def whitened_gaps(estimator, x, other, seed):
    """The gap of every step in units of its sensitivity, given the releases of the run on x."""
    with spied() as events:
        estimator.estimate(sanitised(x), BUDGET, SimulatedNoise(rng(seed)))
    with spied(events) as again:
        estimator.estimate(sanitised(other), BUDGET, SimulatedNoise(rng(seed)))
    assert [event.charge for event in events] == [event.charge for event in again]
    return {
        one.charge.step: float(np.linalg.norm(one.statistic - two.statistic)) / one.charge.sensitivity
        for one, two in zip(events, again, strict=True)
    }


def test_a_cut_at_the_largest_scores_would_be_caught(monkeypatch):
    """Weights that depend on other rows: the replay sees that more than one summand moves."""
    plain = RowFilter.sums

    def relative(self, rows, radius, square):
        if self.rank:
            whole = rows.whole(slice(None), self.centre, radius)
            self = RowFilter(self.centre, self.basis, float(self.scores(whole, radius).mean()))
        return plain(self, rows, radius, square)

    x = planted(2000, 3, 1)
    other = x.copy()
    other[0] = 50.0
    assert max(whitened_gaps(NORMAL, x, other, 1).values()) <= 1 + 1e-9
    monkeypatch.setattr(RowFilter, "sums", relative)
    assert max(whitened_gaps(NORMAL, x, other, 1).values()) > 1.5


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


@BOTH
def test_the_loop_turns_with_its_rows(estimator):
    n, d = 4000, 5
    x = planted(n, d, 5, "shift-axis")
    turn = np.linalg.qr(rng(6).standard_normal((d, d)))[0]
    loop = estimator.steps(n, d, BUDGET)
    charges = [c for c in estimator.plan(n, d, BUDGET).charges() if c.step not in ("range", "recentre")]
    trace = Trace()
    one = loop.filtered(Rows(x, 0.0, 1.0), np.zeros(d), charges, Silent(), trace)
    two = loop.filtered(Rows(x @ turn.T, 0.0, 1.0), np.zeros(d), charges, Silent())
    assert trace.records["basis"][-1].shape[1] >= 1, "nothing was filtered: nothing was tested"
    rounding = grid(loop.radius) * np.sqrt(d)  # half a step in every entry of both means
    assert np.abs(two - turn @ one).max() < rounding


@BOTH
def test_a_run_moves_with_its_rows_by_multiples_of_the_bins(estimator):
    width = estimator.steps(5000, 3, BUDGET).modes.width
    x = np.round(planted(5000, 3, 7) * 2.0**20) / 2.0**20
    one = estimator(x, budget=BUDGET, rng=Silent()).value
    for move in (width, -width, np.array([width, 0.0, -2 * width])):
        two = estimator(x + move, budget=BUDGET, rng=Silent()).value
        assert np.abs(two - one - move).max() < 1e-9


def test_without_corruption_there_is_no_filter():
    for filtering in (NORMAL, HEAVY):
        estimator = replace(filtering, corruption=0.0)
        steps = [charge.step for charge in estimator.plan(10**5, 3, BUDGET).charges()]
        assert steps == ["range", "recentre", "mean"]
        assert not estimator.filters(10**5, 3, BUDGET)
        assert filtering.filters(10**5, 3, BUDGET)
        assert not filtering.filters(50, 3, ApproxDP(1.0, 0.01))
        x = np.random.default_rng(1).standard_normal((50, 3))
        one, other = (
            made(x, budget=ApproxDP(1.0, 0.01), rng=np.random.default_rng(2)).value
            for made in (filtering, estimator)
        )
        assert (one == other).all()  # the plain mean, to the last bit


def test_the_filter_costs_clean_rows_at_most_eight_per_cent():
    """The public rule: with all that its moments cost once, the predicted error is 1.08 of the plain one."""
    for n in (1500, 3000, 10_000, 100_000):
        design = RobustMean(radius=10.0, sigma=1.0).steps(n, 10, ApproxDP(1.0, 0.01))
        plain = RobustMean(radius=10.0, corruption=0.0, sigma=1.0).steps(n, 10, ApproxDP(1.0, 0.01))
        assert design.shares.passes >= 2
        noise = 4 * design.radius**2 * 10 / (n * design.mu) ** 2
        rest = 1 - plain.shares.range - plain.shares.recentre
        assert 10 / n + noise / (rest - design.shares.moment) <= 1.08**2 * (10 / n + noise / rest) * (
            1 + 1e-9
        )
        assert design.shares.weights["mean"] >= 0.2 - 1e-12
        assert sum(design.shares.weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(("estimator", "limit"), [(NORMAL, 0.06), (HEAVY, 0.2)])
@pytest.mark.parametrize("attack", ["shift-ones", "shift-random", "far", "five-clusters", "point-3"])
def test_a_planted_cluster_does_not_move_the_mean(estimator, limit, attack):
    errors = [
        np.linalg.norm(
            estimator(planted(20_000, 6, seed, attack, 3.0), budget=BUDGET, rng=rng(seed)).value - 3
        )
        for seed in range(7)
    ]
    plain = replace(estimator, corruption=0.0)
    moved = np.linalg.norm(plain(planted(20_000, 6, 0, attack, 3.0), budget=BUDGET, rng=rng(0)).value - 3)
    assert np.median(errors) < limit < moved + 0.1
    assert np.median(errors) < moved / 2


def test_moments_of_rows_in_and_out_of_balls():
    z = rng(9).standard_normal((400_000, 3))
    lengths = np.linalg.norm(z, axis=1)
    for radius in (1.0, 2.0, 3.0):
        shrunk = np.minimum(lengths, radius) ** 2 / 3
        assert abs(shrunk.mean() - clipped_moment(3, radius)) < 5 * shrunk.std() / sqrt(len(z))
        kept = lengths[lengths <= radius] ** 2 / 3
        assert abs(kept.mean() - kept_moment(3, radius**2)) < 5 * kept.std() / sqrt(len(kept))
    assert abs((lengths > radius_within(3, 0.05)).mean() - 0.05) < 5 * sqrt(0.05 / len(z))


def test_newtons_step_undoes_what_a_cut_does_to_an_offset():
    """Exact for d = 1: the mean of N(m, 1) within ±a, by the normal density at both ends."""
    for cut in (0.5, 1.0, 4.0):
        a, m = sqrt(cut), 1e-4
        density = exp(-((a + m) ** 2) / 2) - exp(-((a - m) ** 2) / 2)
        mean = m + density / sqrt(2 * pi) / (ndtr(a - m) - ndtr(-a - m))
        assert mean / m == pytest.approx(kept_moment(1, cut), rel=1e-4)


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


def test_the_cut_of_heavy_rows_leaves_a_bounded_moment():
    n = 100_000
    rule = HEAVY.steps(n, 10, BUDGET)
    edges, clean = rule.edges(1), 0.5 * rng(13).standard_t(5, n) ** 2
    assert rule.cut(1, histogram(clean, edges)) == np.inf
    scores = clean.copy()
    scores[:5000] = 60.0
    cut = rule.cut(1, histogram(scores, edges))
    assert cut < 60.0
    assert (scores > cut).sum() <= 2 * 0.05 * n
    assert scores[scores <= cut].mean() < 1.2


@BOTH
def test_suspects_are_the_directions_that_vary_too_much(estimator):
    n, d = 20_000, 6
    steps, x = estimator.steps(n, d, BUDGET), rng(14).standard_normal((n, d))
    everything = RowFilter(np.zeros(d), np.zeros((d, 0)))
    for factor, found in ((1.0, 0), (3.0, 1)):
        rows = Rows(x * np.array([1, 1, factor, 1, 1, 1]), 0.0, 1.0)
        suspects = steps.suspects(everything, everything.sums(rows, steps.radius, square=True))
        assert suspects.shape == (d, found)
        assert np.allclose(np.abs(suspects.T), np.eye(d)[2:3][:found], atol=0.05)
