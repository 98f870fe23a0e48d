"""The sensitivity that a charge declares is the largest gap of its statistic, no less and no more."""

from collections.abc import Iterator

import numpy as np
from kit import Event, distance, ends, row_values, run, spied, typical_rows, warm

from workbench.catalog import Example

FAR = (4e14, -1.3e14, 6.1e13, -2.7e13, 1.3e13, -4.1e12)  # where a unit is a few spacings of the floats
GROUPS = (2, 3, 4, 6, 9, 14, 22, 35)
SMALL, LARGE = 24, (300, 1000, 3000, 10_000)  # all pairs; few pairs, as far as it takes to see every step


def gap_is_the_sensitivity(example: Example, sizes: tuple[int, ...] = LARGE, small: bool = True) -> None:
    """Never above the declared sensitivity, and equal to it: every mechanism here declares it attained."""
    missing = {charge.step for charge in example.estimator.plan(LARGE[1], 1, example.budget).charges()}
    ratios: dict[str, float] = {}
    for n in sizes:
        largest_ratios(example, n, ratios)
        if missing <= {step for step, ratio in ratios.items() if ratio >= 1 - 1e-6}:
            break
    if small:
        largest_ratios(example, SMALL, ratios)
    for step in missing:
        assert ratios.get(step, 0.0) >= 1 - 1e-6, f"{step}: no gap attains the sensitivity, {ratios}"


def largest_ratios(example: Example, n: int, ratios: dict[str, float]) -> None:
    """Enter the largest gap of every step in units of its sensitivity; fail where it is above 1."""
    for event, again in replays(example, n):
        step, gap, declared = event.charge.step, distance(event, again), event.charge.sensitivity
        assert gap <= declared * (1 + 1e-9), (n, step, gap, declared)
        ratios[step] = max(ratios.get(step, 0.0), gap / declared)


def replays(example: Example, n: int) -> Iterator[tuple[Event, Event]]:
    """Every step on a data set and on a neighbour, given the same outputs of the former steps."""
    warm(example, n)
    for number, (x, other) in enumerate(neighbours(example, n) if n == SMALL else extremes(example, n)):
        with spied() as events:
            run(example, x, number)
        with spied(events) as replayed:
            run(example, other, number)
        assert len(events) == len(replayed), "which steps run depends on more than the released outputs"
        yield from zip(events, replayed, strict=True)


def neighbours(example: Example, n: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs that differ in one row: typical, constant and two-valued rows against every extreme value."""
    typical, values = typical_rows(example, n, 5), row_values(example, n)
    spread = np.resize([values[0], values[1]], n)
    for base in (typical, typical + 1e6, spread, *(np.full(n, value) for value in values)):
        for value in values:
            yield base, replaced(base, n // 3, value)
    yield typical, replaced(typical, n // 3, typical[n // 3 + 1])  # a pair without a difference
    middle = getattr(example.estimator, "centre", 0.0)
    crowd = replaced(np.full(n, middle), n // 3, middle - 1e6)
    for value in values:  # a crowd, and one row that crosses it
        yield crowd, replaced(crowd, n // 3, value)


def extremes(example: Example, n: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Few pairs: typical, constant and staircase rows, the first row against far and unusable values."""
    centre, calm = getattr(example.estimator, "centre", 0.0), typical_rows(example, n, 7)
    for group in GROUPS:  # sorted, they change one row in every group
        steps = typical_rows(example, n, 6) + 1e6 * (np.arange(n) // group)
        yield steps, replaced(steps, 0, 1e12)
    yield calm, replaced(calm, 0, calm[1])
    calm[:40] = calm[0]  # differences and variances of the first rows vanish
    low, high = ends(example, n)
    for base in (calm, *(np.full(n, place) for place in (centre, centre - 1e6, centre + 1e6))):
        yield replaced(base, 0, low), replaced(base, 0, high)
        for value in (centre - 1e6, centre + 1e6, np.nan, 1e308):
            yield base, replaced(base, 0, value)
    for far in FAR:
        for base in (np.full(n, far), far + typical_rows(example, n, 8)):
            yield replaced(base, 0, far - 1e6), replaced(base, 0, far + 1e6)


def replaced(x: np.ndarray, row: int, value: float) -> np.ndarray:
    """A copy of x with one row replaced."""
    other = x.copy()
    other[row] = value
    return other
