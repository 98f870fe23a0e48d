"""The search for the least n: intervals cover, cliffs, plateaus and dips are told, and it stops when told."""

from math import inf, log

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from workbench.errors import ArgumentError
from workbench.study.search import AHEAD, BRACKETING, FORWARD, STRIDE, Target, least_n
from workbench.study.success import Belief, Counts, belief, crossing_line, curves, fitted

TRUTH, LEVEL = 1000.0, 0.05
REPEATS, WRONG = 30, 1e-5  # searches of one curve, and how often a test of coverage may fail by chance


def successes(curve, seed):
    """Runs that succeed with the probability of a curve, and tell no more than that."""

    def measure(n, place, block, runs):
        rng = np.random.default_rng((seed, place + 10**4, block))
        return np.where(rng.random(runs) < curve(n), 0.5, 2.0)

    return measure


def sized(draw, seed):
    """Runs with errors of a law."""

    def measure(n, place, block, runs):
        return draw(np.random.default_rng((seed, place + 10**4, block)), runs, n)

    return measure


def start(seed):
    """A prediction within a factor of 4."""
    return round(TRUTH * np.exp(np.random.default_rng(seed).uniform(-log(4), log(4))))


def probit(width, share):
    return lambda n: ndtr(log(n / TRUTH) / width + ndtri(share))


def step(low, high):
    return lambda n: high if n >= TRUTH else low


def searched(world, share, repeats=REPEATS, **more):
    target = Target(alpha=1.0, share=share, level=LEVEL, **more)
    return [least_n(world(seed), target, start(seed)) for seed in range(repeats)]


def length(one):
    """Of an interval, in ln n; infinite where an end is open."""
    low, high = one.interval
    return log(high / low) if low > 0 else inf


def missed(found):
    return sum(not one.interval[0] <= TRUTH * (1 + 1e-9) <= one.interval[1] * (1 + 2e-9) for one in found)


def covers(found, level=LEVEL):
    """Misses are no more than those of a coverage of 1 - level."""
    return missed(found) <= binom.isf(WRONG, len(found), level)


CURVES = {
    **{f"probit {width}": lambda q, width=width: probit(width, q) for width in (0.05, 0.15, 0.4)},
    "logit": lambda q: lambda n: 1 / (1 + (1 / q - 1) * (n / TRUTH) ** -2.0),
    "normal": lambda q: lambda n: 2 * ndtr((n / TRUTH) ** 0.5 * ndtri((1 + q) / 2)) - 1,
    "laplace": lambda q: lambda n: 1 - (1 - q) ** (n / TRUTH),
    "step": lambda q: step(0.0, (1 + q) / 2),
}


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("curve", CURVES)
def test_the_interval_covers_the_crossing_of_every_curve(curve, share):
    found = searched(lambda seed: successes(CURVES[curve](share), seed), share)
    assert covers(found)
    assert sum(one.kind in ("found", "rough") for one in found) > 0.7 * len(found)
    assert abs(np.median([log(one.n / TRUTH) for one in found])) < 0.25


LAWS = {
    "normal": (lambda rng, m, n: abs(rng.standard_normal(m)) * n**-0.5, lambda q: ndtri((1 + q) / 2), 0.5),
    "laplace": (lambda rng, m, n: rng.exponential(size=m) / n, lambda q: -log(1 - q), 1.0),
    "chi 20": (lambda rng, m, n: (rng.chisquare(20, m) / n) ** 0.5, None, 0.5),
}


@pytest.mark.daily
@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("law", LAWS)
def test_errors_give_a_narrower_interval_that_covers(law, share):
    draw, quantile, power = LAWS[law]
    at_truth = quantile(share) if quantile else 4.3972 if share == 0.5 else 5.3303
    unit = at_truth * TRUTH**-power
    told = searched(lambda seed: sized(lambda *a: draw(*a) / unit, seed), share)
    hidden = searched(lambda seed: sized(lambda *a: np.where(draw(*a) <= unit, 0.5, 2.0), seed), share)
    assert covers(told)
    assert covers(hidden)
    widths = [np.median([length(one) for one in both]) for both in (told, hidden)]
    assert widths[0] < 1.05 * widths[1]


def test_an_interval_of_half_the_level_would_be_found_out():
    """The power of these tests: a search whose interval misses in one of three is refused."""
    assert binom.isf(WRONG, REPEATS, LEVEL) <= REPEATS / 3


def test_a_plateau_below_the_share_is_not_called_a_crossing():
    found = searched(lambda seed: successes(step(0.0, 0.8), seed), 0.9)
    assert sum(one.kind in ("plateau", "never") for one in found) >= 0.9 * len(found)
    assert all(one.interval[1] == inf for one in found if one.kind == "plateau")


def test_of_a_curve_with_a_dip_the_last_crossing_is_found():
    def curve(n):
        return 0.99 if TRUTH / 4 <= n < TRUTH / 2 or n >= TRUTH else 0.05

    target = Target(alpha=1.0, share=0.9)
    found = [least_n(successes(curve, seed), target, round(TRUTH / 4)) for seed in range(40)]
    assert sum(one.kind == "dip" and one.interval[0] <= TRUTH <= one.interval[1] for one in found) >= 32


def test_it_begins_nowhere_and_ends_nowhere():
    always = least_n(successes(lambda n: 1.0, 0), Target(alpha=1.0), 1000)
    assert (always.kind, always.rows, always.interval) == ("always", 1, (0.0, 1.0))
    never = least_n(successes(lambda n: 0.0, 0), Target(alpha=1.0, most=5000), 1000)
    assert (never.kind, never.rows, never.interval) == ("never", None, (5000.0, inf))
    assert never.runs <= 4 * BRACKETING


def test_rows_that_are_refused_are_a_step_that_is_found():
    found = searched(lambda seed: successes(step(0.0, 1.0), seed), 0.9)
    assert missed(found) == 0
    assert all(one.interval[1] <= 1.3 * one.interval[0] for one in found)


@pytest.mark.parametrize("cap", [60, 200, 400])
def test_no_more_runs_than_the_cap_and_those_beyond_the_answer(cap):
    allowed = cap + BRACKETING * 14 + FORWARD * (len(AHEAD) + 4)
    widths = []
    for one in searched(lambda seed: successes(probit(0.4, 0.9), seed), 0.9, repeats=12, cap=cap):
        assert one.runs <= allowed
        widths.append(length(one))
    assert np.median(widths) < {60: 2.0, 200: 0.6, 400: 0.4}[cap]


def test_it_stops_where_the_goal_is_met():
    (near,) = searched(lambda seed: successes(probit(0.15, 0.9), seed), 0.9, repeats=1, cap=1000, goal=0.1)
    (far,) = searched(lambda seed: successes(probit(0.15, 0.9), seed), 0.9, repeats=1, cap=1000)
    assert near.runs < 0.4 * far.runs
    assert log(near.interval[1] / near.interval[0]) / 2 < 0.15


def test_equal_streams_give_equal_bits_and_blocks_are_asked_in_order():
    asked = {}

    def measure(n, place, block, runs):
        assert block == asked.get(place, 0)
        asked[place] = block + 1
        return successes(probit(0.4, 0.9), 3)(n, place, block, runs)

    first = least_n(measure, Target(alpha=1.0), 700)
    asked.clear()
    assert least_n(measure, Target(alpha=1.0), 700) == first
    assert max(asked) - min(asked) <= 3 * STRIDE


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_every_curve_is_the_share_at_0_and_rises(share):
    u = np.linspace(-30, 30, 601)
    found = curves(u, share)
    assert np.allclose(curves(np.zeros(1), share), share)
    assert (np.diff(found, axis=1) >= 0).all()
    assert ((found >= 0) & (found <= 1)).all()


def test_more_runs_make_the_belief_surer_and_the_fit_narrower():
    n = TRUTH * 1.06 ** np.arange(-10, 11)
    halves, widths = [], []
    for runs in (10, 100):
        p = ndtr(np.log(n / TRUTH) / 0.3 + ndtri(0.9))
        counts = Counts(n, np.round(runs * p), np.full(len(n), float(runs)))
        known = belief(counts, 0.9, log(n[0]), log(n[-1]))
        fit = fitted(counts, 0.9, LEVEL, known, log(1.06))
        halves.append(known.half)
        widths.append(log(fit.interval[1] / fit.interval[0]))
        assert abs(known.centre - log(TRUTH)) < 2 * known.half
        assert fit.interval[0] < TRUTH < fit.interval[1]
    assert halves[1] < 0.7 * halves[0]
    assert widths[1] < 0.6 * widths[0]


def test_where_no_curve_fits_the_interval_is_an_exact_bracket():
    n = np.array([600.0, 800.0, 1000.0, 1200.0, 1500.0, 1900.0])
    shares = np.array([0.0, 0.7, 0.3, 0.99, 0.6, 1.0])
    fit = fitted(Counts(n, 200 * shares, np.full(6, 200.0)), 0.9, LEVEL, Belief(log(1100), 0.3, 0.1), 0.06)
    assert fit.rough
    assert fit.interval == (1000.0, 1900.0)


def test_a_line_is_fitted_only_where_errors_are_one():
    rng = np.random.default_rng(1)
    errors = {n: abs(rng.standard_normal(40)) * n**-0.5 for n in (600, 800, 1000, 1300)}
    alpha = 0.6745 * 1000**-0.5
    line = crossing_line(errors, alpha, 0.5, LEVEL, 900.0, 0.5)
    assert line.interval[0] < 1000 < line.interval[1]
    assert crossing_line(errors, alpha, 0.5, LEVEL, 900.0, 0.05) is None  # a cliff
    lost = {n: np.where(rng.random(40) < 0.3, inf, found) for n, found in errors.items()}
    assert crossing_line(lost, alpha, 0.5, LEVEL, 900.0, 0.5) is None
    assert crossing_line({1000: errors[1000]}, alpha, 0.5, LEVEL, 900.0, 0.5) is None


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"share": 1.0}, {"cap": 5}, {"level": 0.0}, {"most": 0}])
def test_a_wrong_target_is_refused(wrong):
    with pytest.raises(ArgumentError):
        Target(**{"alpha": 1.0} | wrong)
