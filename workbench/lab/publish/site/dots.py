"""A picture of all sample sizes: measured over predicted n, a line for each claim."""

from collections.abc import Callable, Sequence
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

from workbench.lab.publish.site.records import Claim, Size

THIN = "\u202f"  # between thousands, where no line breaks
LINE, TOP, LEFT, RIGHT, WIDTH = 18, 26, 268, 40, 900  # px


class Dot(NamedTuple):
    """One number: where it stands, and what it says."""

    x: float
    words: str


class Line(NamedTuple):
    """A claim: how far down, its name and card, and its numbers."""

    y: float
    name: str
    target: str
    status: str
    dots: Sequence[Dot]


class Picture(NamedTuple):
    """Lines below each other, on one logarithmic axis with ticks."""

    height: float
    width: float
    left: float
    lines: Sequence[Line]
    ticks: Sequence[Dot]


def picture(claims: Sequence[Claim]) -> Picture:
    """Return a picture of the claims that have a measured and another n."""
    shown = [claim for claim in claims if _ratios(claim)]
    logs = [log10(ratio) for claim in shown for ratio, _ in _ratios(claim)]
    low, high = floor(min(logs, default=-1)), ceil(max(logs, default=1))

    def place(ratio: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (log10(ratio) - low) / max(high - low, 1)

    lines = [
        Line(TOP + LINE * (row + 0.5), claim.name, claim.id, claim.status, _dots(claim, place))
        for row, claim in enumerate(shown)
    ]
    ticks = [Dot(place(10.0**power), number(10.0**power)) for power in range(low, high + 1)]
    return Picture(TOP + LINE * len(shown) + 8, WIDTH, LEFT, lines, ticks)


def _ratios(claim: Claim) -> list[tuple[float, str]]:
    """Return measured over predicted n with the words for it, where a number was searched or converted."""
    sizes = [(size.ratio, size) for size in claim.sizes if size.kind != "tried"]
    return [
        (ratio, f"{size.statement}: measured {number(size.estimate)}, predicted {number(size.predicted)}")
        for ratio, size in sizes
        if ratio is not None and isfinite(ratio) and ratio > 0
    ]


def _dots(claim: Claim, place: Callable[[float], float]) -> list[Dot]:
    return [Dot(round(place(ratio), 1), words) for ratio, words in _ratios(claim)]


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


def between(size: Size) -> str:
    """Return the interval of a measured n in words."""
    low, high = size.interval
    if low == 0 and not isfinite(high):
        return "open"
    if low == 0:
        return f"{number(high)} are enough"
    return f"more than {number(low)}" if not isfinite(high) else f"{number(low)} to {number(high)}"
