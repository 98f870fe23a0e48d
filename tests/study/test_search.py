"""The search for the least n: intervals cover, cliffs, plateaus and dips are told, and it stops when told."""

from math import inf, log

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from workbench.errors import ArgumentError, integer_at_least
from workbench.privacy import Charge, PureDP
from workbench.study.search import (
    BRACKETING,
    STRIDE,
    Belief,
    Counts,
    Target,
    crossing_line,
    fewest_rows,
    fitted,
    least_n,
)

TRUTH, LEVEL = 1000.0, 0.05
REPEATS, WRONG = 30, 1e-5  # searches of one curve, and how often a test of coverage may fail by chance


def successes(curve, seed):
    """Runs that succeed with the probability of a curve, and tell no more than that."""

    def measure(n, place, block, runs):
        rng = np.random.default_rng((seed, place + 10**4, block))
        return np.where(rng.random(runs) < curve(n), 0.5, 2.0)

    return measure


def probit(width, share):
    return lambda n: ndtr(log(n / TRUTH) / width + ndtri(share))


def step(high):
    return lambda n: high if n >= TRUTH else 0.0


def searched(curve, share):
    """Searches from predictions within a factor of 4."""
    away = [np.random.default_rng(seed).uniform(-log(4), log(4)) for seed in range(REPEATS)]
    target = Target(alpha=1.0, share=share, level=LEVEL)
    return [least_n(successes(curve, k), target, round(TRUTH * np.exp(by))) for k, by in enumerate(away)]


CURVES = {
    **{f"probit {width}": lambda q, width=width: probit(width, q) for width in (0.05, 0.4)},
    "laplace": lambda q: lambda n: 1 - (1 - q) ** (n / TRUTH),
    "step": lambda q: step((1 + q) / 2),
}


@pytest.mark.turns(6)
@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("curve", CURVES)
def test_the_interval_covers_the_crossing_of_every_curve(curve, share):
    found = searched(CURVES[curve](share), share)
    missed = sum(not one.interval[0] <= TRUTH * (1 + 1e-9) <= one.interval[1] * (1 + 2e-9) for one in found)
    assert missed <= binom.isf(WRONG, len(found), LEVEL)
    assert sum(one.kind in ("found", "rough") for one in found) > 0.7 * len(found)
    assert abs(np.median([log(one.n / TRUTH) for one in found])) < 0.25


@pytest.mark.turns(4)
def test_plateaus_and_dips_are_told_and_a_curve_may_begin_or_end_nowhere():
    found = searched(step(0.8), 0.9)
    assert sum(one.kind in ("plateau", "never") for one in found) >= 0.9 * len(found)
    assert all(one.interval[1] == inf for one in found if one.kind == "plateau")
    dip = lambda n: 0.99 if TRUTH / 4 <= n < TRUTH / 2 or n >= TRUTH else 0.05  # noqa: E731
    target = Target(alpha=1.0, share=0.9)
    found = [least_n(successes(dip, seed), target, round(TRUTH / 4)) for seed in range(40)]
    assert sum(one.kind == "dip" and one.interval[0] <= TRUTH <= one.interval[1] for one in found) >= 32
    always = least_n(successes(lambda n: 1.0, 0), Target(alpha=1.0), 1000)
    assert (always.kind, always.rows, always.interval) == ("always", 1, (0.0, 1.0))
    never = least_n(successes(lambda n: 0.0, 0), Target(alpha=1.0, most=5000), 1000)
    assert (never.kind, never.rows, never.interval) == ("never", None, (5000.0, inf))
    assert never.runs <= 4 * BRACKETING


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


def test_a_line_is_fitted_only_where_errors_are_one_and_else_the_interval_is_an_exact_bracket():
    n, shares = np.array([600.0, 800, 1000, 1200, 1500, 1900]), np.array([0.0, 0.7, 0.3, 0.99, 0.6, 1.0])
    fit = fitted(Counts(n, 200 * shares, np.full(6, 200.0)), 0.9, LEVEL, Belief(log(1100), 0.3), 0.06)
    assert fit.rough
    assert fit.interval == (1000.0, 1900.0)
    rng = np.random.default_rng(1)
    errors = {n: abs(rng.standard_normal(40)) * n**-0.5 for n in (600, 800, 1000, 1300)}
    alpha = 0.6745 * 1000**-0.5
    _, (low, high) = crossing_line(errors, alpha, 0.5, LEVEL, 900.0, 0.5)
    assert low < 1000 < high
    assert crossing_line(errors, alpha, 0.5, LEVEL, 900.0, 0.05) is None  # a cliff
    lost = {n: np.where(rng.random(40) < 0.3, inf, found) for n, found in errors.items()}
    assert crossing_line(lost, alpha, 0.5, LEVEL, 900.0, 0.5) is None
    assert crossing_line({1000: errors[1000]}, alpha, 0.5, LEVEL, 900.0, 0.5) is None


# The fewest rows that a plan takes


class Needs:
    def __init__(self, rows):
        self.rows = rows

    def plan(self, n, d, budget):
        integer_at_least(1, d=d)
        integer_at_least(self.rows, n=n)
        return Charge("step", "laplace", 1.0, budget)


@pytest.mark.parametrize("rows", [1, 64, 10**9 + 7])
def test_the_number_that_the_plan_asks_for_is_found_and_other_refusals_are_passed_on(rows):
    assert fewest_rows(Needs(rows), 2, PureDP(1.0)) == rows
    for needed, d, words in ((rows, 0, "d = 0"), (10**13, 1, "n = ")):
        with pytest.raises(ArgumentError, match=words):
            fewest_rows(Needs(needed), d, PureDP(1.0))
