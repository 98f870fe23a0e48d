"""What more rows buy, and what the proved bounds promise, on rows of the entry's own population."""

from dataclasses import replace
from functools import cache
from math import inf, isfinite

import numpy as np
from scipy.stats import binom

from workbench.catalog import Example
from workbench.catalog.hardest import hardest
from workbench.contracts.datasets import dimension, entry_of, least, sizes
from workbench.contracts.kit import FALSE_ALARM, answer, louder
from workbench.populations import UnivariateGaussian

FEW_PAIRS = 60  # in d dimensions
PAIRS = 300  # runs with few and with four times as many rows that are compared
RUNS, BETA = 300, 0.1


def error_does_not_rise_with_n(example, pairs=PAIRS):
    """A sign test over independent pairs of runs: with four times the rows the error is not larger.

    If the error for more rows is stochastically no larger, a pair shows a larger one with probability at
    most 1/2, ties apart. No answer is an infinite error; a pair of them tells nothing.
    """
    starts = sizes(example, 100, 400, 2500, 10_000)
    if dimension(example) is not None:
        pairs, fewest = min(pairs, FEW_PAIRS), least(example) + 300
        starts = [fewest, 8 * fewest]
    for n in starts:
        few, many = (errors(example, rows, pairs) for rows in (n, 4 * n))
        rises, falls = int((many > few).sum()), int((many < few).sum())
        assert rises < refused(rises + falls, 0.5), (n, rises, falls)
        if min(np.isfinite(few).mean(), np.isfinite(many).mean()) > 0.9:
            return
    raise AssertionError("hardly any run gave an answer: nothing was tested")


def error_bound_is_exceeded_with_probability_at_most_beta(example, runs=RUNS):
    estimator, d, given = example.estimator, dimension(example), example.budget
    if not hasattr(estimator, "error_bound"):
        assert d is not None or hasattr(estimator, "predicted_error")
        return "no bound is stated"
    if d is not None:
        runs = min(runs, FEW_PAIRS)
        if getattr(estimator, "mode", "proved") == "practical":
            assert estimator.error_bound(10**6, d, louder(given), BETA) == inf
            return "no bound is promised in this mode"
    many = {given: (100, 1000, 3000), louder(given): (300, 3000, 20_000, 40_000)}
    for budget, numbers in many.items():
        example = Example(estimator, budget)
        for n in (n for n in numbers if d is None or n >= least(example)):
            bound = estimator.error_bound(n, d or 1, budget, BETA)
            if isfinite(bound):
                failures = int((errors(example, n, runs) > bound * (1 + 1e-12)).sum())
                assert failures < refused(runs, BETA), (n, budget, bound, failures)
                return None
    raise AssertionError("no n has a finite bound: nothing was tested")


@cache
def refused(trials, chance):
    return int(binom.isf(FALSE_ALARM, trials, chance)) + 1


def errors(example, n, runs, entry=None):
    entry, rng = entry or world(example), np.random.default_rng(n)
    rows = (entry.population.sample(n, rng=rng) for _ in range(runs))
    return np.array([entry.error(answer(example, x, seed)) for seed, x in enumerate(rows)])


def world(example):
    """The entry; of normal rows on the line those that are hardest for the example's own public numbers."""
    entry = entry_of(example)
    if not isinstance(entry.population, UnivariateGaussian):
        return entry
    return replace(hardest(entry, example.estimator, 1), examples=(example,))
