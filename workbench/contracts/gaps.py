"""The sensitivity that a charge declares is the largest gap of its statistic, no less and no more."""

from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from itertools import pairwise
from unittest.mock import patch

import numpy as np

from workbench.contracts import datasets
from workbench.contracts.datasets import (
    by_row,
    calm,
    dimension,
    ends,
    entry_of,
    filled,
    least,
    middle,
    planned,
    row_values,
    typical_rows,
    with_absent,
)
from workbench.contracts.kit import answer, distance, norm, release, warm
from workbench.estimators import intervals
from workbench.estimators.shared import moments as winsorised_covariance
from workbench.privacy import CountingNoise, SimulatedNoise
from workbench.privacy.cuts import Level
from workbench.privacy.grid import UP, OnGrid, on_grid
from workbench.privacy.stable import MASKS
from workbench.study.faults import watched

FAR = (4e14, -1.3e14, 6.1e13, -2.7e13, 1.3e13, -4.1e12)  # where a unit is a few spacings of the floats
GROUPS = (2, 3, 4, 6, 9, 14, 22, 35)
MOST, ATTAINED, NEARLY = 1 + 1e-9, 1 - 1e-6, 0.97  # in d dimensions few directions are tried
ALIKE = 6  # more share one run, and with it one path through the steps
DIRECTIONS_OF = winsorised_covariance._directions.__wrapped__
SMALL, LARGE = 24, (300, 1000, 3000, 10_000)  # all pairs; few pairs, as far as it takes to see every step


def gap_is_the_sensitivity(example, sizes=LARGE, small=True):
    """Never above the declared sensitivity, and equal to it, but for steps whose entry declares a bound."""
    ratios, tried, attained = {}, [], ATTAINED if dimension(example) is None else NEARLY
    steps = {charge.step for charge in planned(example, max(LARGE[1], least(example))).charges()}
    floors = {step: 0.0 if step in entry_of(example).bounded_steps else attained for step in steps}

    def lacking():
        return {step: ratios.get(step) for step, floor in floors.items() if ratios.get(step, -1.0) < floor}

    for n in datasets.sizes(example, *sizes):
        largest_ratios(example, n, ratios)
        tried.append(n)
        if not lacking():
            break
    fewest = max(SMALL, least(example))
    if small and fewest not in tried:  # where it was, its pairs were the same
        largest_ratios(example, fewest, ratios)
    assert not lacking(), f"no gap attains the sensitivity, or no run the step: {lacking()}"


def largest_ratios(example, n, ratios):
    with watched() as spy:
        for event, again in replays(example, n, spy):
            step, gap, declared = event.charge.step, distance(event, again), event.charge.sensitivity
            assert gap <= declared * MOST, (n, step, gap, declared)
            moves_by_what_is_charged(event, again)
            ratios[step] = max(ratios.get(step, 0.0), gap / declared)


def replays(example, n, spy):
    """Every step on a data set and on a neighbour, given the same outputs of the former steps.

    Up to `ALIKE` neighbours of a data set are compared with one run on it; then it is run with fresh noise.
    """
    warm(example, n)
    stars = neighbours if n == SMALL else extremes if dimension(example) is None else far_directions
    with coarse_afterwards():
        number = 0
        for x, row, values in stars(example, n):
            for start in range(0, len(values), ALIKE):
                with spy.recorded() as events:
                    answer(example, x, number)
                for value in values[start : start + ALIKE]:
                    with spy.recorded(events) as replayed:
                        answer(example, replaced(x, row, value), number)
                    assert len(events) == len(replayed), "steps depend on more than released outputs"
                    yield from zip(events, replayed, strict=True)
                number += 1


@contextmanager
def coarse_afterwards():
    """Work roughly on what has been released: gaps given its result stay gaps.

    Few directions undo the winsorising of a matrix, and no run is simulated for a critical value.
    """
    with (
        patch.multiple(winsorised_covariance, DIRECTIONS=64, _directions=cache(DIRECTIONS_OF)),
        patch.object(intervals, "critical_value", lambda *_: 1.0),
    ):
        yield


def neighbours(example, n):
    """All changes of one row: typical, constant and two-valued rows against every extreme value."""
    typical, values, line = typical_rows(example, n, 5), row_values(example, n), dimension(example) is None
    spread = np.array([values[number % 2] for number in range(n)])
    holes = [with_absent(typical, every) for every in (2, 5)]
    constant = [np.array([value] * n) for value in values[:: 1 if line else 12]]
    crowd = replaced(filled(example, n, middle(example)), n // 3, middle(example) - 1e6)  # one row crosses it
    for base in (typical, typical + 1e6, spread, *holes, *constant, crowd):
        yield base, n // 3, values
    yield typical, n // 3, [typical[n // 3 + 1]]  # a pair without a difference


def extremes(example, n):
    """Few pairs: typical, constant and staircase rows, the first row against far and unusable values."""
    centre, calm = middle(example), typical_rows(example, n, 7)
    for group in GROUPS:  # sorted, they change one row in every group
        steps = typical_rows(example, n, 6) + 1e6 * (np.arange(n) // group)
        yield steps, 0, [1e12]
    yield calm, 0, [calm[1]]
    absent = with_absent(calm, 3)
    yield absent, 0, (np.nan, 1e12, -1e12, centre)
    calm[:40] = calm[0]  # differences and variances of the first rows vanish
    low, high = ends(example, n)
    for base in (calm, *(np.full(n, place) for place in (centre, centre - 1e6, centre + 1e6))):
        yield replaced(base, 0, low), 0, [high]
        yield base, 0, (centre - 1e6, centre + 1e6, np.nan, 1e308)
    for far in FAR:
        for base in (np.full(n, far), far + typical_rows(example, n, 8)):
            yield replaced(base, 0, far - 1e6), 0, [far + 1e6]


def far_directions(example, n):
    """Few pairs in d dimensions: one row of a calm, a constant, and a spread data set moves far away."""
    calm, values = typical_rows(example, n, 7), row_values(example, n)
    spread = by_row(example, np.geomspace(1e-3, 1e6, n))
    absent, far = with_absent(1e4 * calm, 3), 1e9 * values[-1]
    yield absent, 0, (np.nan, far, -far)
    for base in (calm, filled(example, n, 0.0), 1e4 * calm, spread):
        yield base, 0, [far]
        for value, other in pairwise(values):
            yield replaced(base, 0, value), 0, [other]


def replaced(x, row, value):
    other = x.copy()
    other[row] = value
    return other


# Noise meets whole numbers, and one row moves them by no more than is charged: without a tolerance


class Grids(CountingNoise):
    def __getattr__(self, kind):
        passed = super().__getattr__(kind)

        def whole(value, *numbers):
            assert kind in MASKS or is_whole(value), kind  # noise of a mask is not added
            return passed(value, *numbers)

        return whole


def is_whole(value):
    if isinstance(value, Level):
        return all(isinstance(node.lengths, OnGrid) and type(node.present) is int for node in value.nodes)
    grid = on_grid(value)
    return grid is not None and np.asarray(grid.counts).dtype.kind in "iuO"


def noise_meets_whole_numbers(example):
    """Every statistic that is not masked is one of whole numbers, by its type, whatever the rows."""
    for n in datasets.sizes(example, 24, 300, 1000):
        for x in calm(example, n, 4):
            release(example, x, Grids(SimulatedNoise(np.random.default_rng(n))))


def moves_by_what_is_charged(event, other):
    if event.whole is None or other.whole is None:
        return
    assert np.array_equal(event.whole.unit, other.whole.unit), "a unit that depends on the rows"
    first, second = (np.atleast_1d(one.whole.counts).astype(object).ravel() for one in (event, other))
    units = np.broadcast_to(event.whole.unit, event.whole.shape).ravel().tolist()
    gaps = [abs(gap) * Fraction(unit) for gap, unit in zip((first - second).tolist(), units, strict=True)]
    allowed = Fraction(event.charge.sensitivity) * Fraction(UP)
    match norm(event):
        case 2:
            gaps, allowed = [sum(gap * gap for gap in gaps)], allowed**2
        case 1:
            gaps = [sum(gaps)]
    assert max(gaps) <= allowed, event.charge
