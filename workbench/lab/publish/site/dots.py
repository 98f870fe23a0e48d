"""A picture of all sample sizes: measured over predicted n, a line for each claim."""

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from workbench.lab.publish.site.records import Claim

THIN = "\u202f"  # between thousands, where no line breaks


class Dot(NamedTuple):
    """One number: its place, in per cent of the axis, and what it says."""

    place: float
    words: str


class Line(NamedTuple):
    """A claim and its numbers."""

    claim: Claim
    dots: Sequence[Dot]


class Picture(NamedTuple):
    """Lines below each other, on one logarithmic axis with ticks."""

    lines: Sequence[Line]
    ticks: Sequence[Dot]


def picture(claims: Sequence[Claim]) -> Picture:
    """Return a picture of the claims that have a measured and another n."""
    ratios = [(claim, _ratios(claim)) for claim in claims]
    logs = [log10(ratio) for _, found in ratios for ratio, _ in found]
    low, high = floor(min(logs, default=-1)), ceil(max(logs, default=1))

    def dot(ratio: float, words: str) -> Dot:
        return Dot(round(100 * (log10(ratio) - low) / max(high - low, 1), 2), words)

    lines = [Line(claim, [dot(*pair) for pair in found]) for claim, found in ratios if found]
    return Picture(lines, [dot(10.0**power, number(10.0**power)) for power in range(low, high + 1)])


def _ratios(claim: Claim) -> list[tuple[float, str]]:
    """Return measured over predicted n with the words for it, where a number was searched or converted."""
    sizes = [(size.ratio, size) for size in claim.sizes if size.kind != "tried"]
    return [
        (ratio, f"{size.statement}: measured {number(size.estimate)}, predicted {number(size.predicted)}")
        for ratio, size in sizes
        if ratio is not None and isfinite(ratio) and ratio > 0
    ]


def number(value: float) -> str:
    """Return a number of rows or a ratio for readers.

    >>> [number(value) for value in (0.1, 1.0, 41.92, 2.8e10, float("inf"))]
    ['0.1', '1', '41.9', '2.8e10', 'beyond the grid']
    >>> number(4851.3).split(), number(62719.0).split()
    (['4851'], ['62', '719'])
    """
    if not isfinite(value):
        return "beyond the grid"
    if abs(value) >= 1e7:
        return f"{value:.3g}".replace("e+", "e")
    if abs(value) >= 1e4:
        return f"{value:,.0f}".replace(",", THIN)
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def between(interval: tuple[float, float]) -> str:
    """Return the interval of a measured n in words.

    >>> between((0.0, 2000.0)), between((300.0, float("inf"))), between((300.0, 400.0))
    ('2000 are enough', 'more than 300', '300 to 400')
    """
    low, high = interval
    if low == 0:
        return f"{number(high)} are enough" if isfinite(high) else "open"
    return f"{number(low)} to {number(high)}" if isfinite(high) else f"more than {number(low)}"
