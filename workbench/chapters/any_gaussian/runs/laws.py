"""The sweeps that only the pictures of notebook 05 show: laws at more rows, and oracles under ten attacks."""

from collections.abc import Iterable

from workbench.chapters.any_gaussian.runs import attacks, votes
from workbench.study.grids import Point, Sweep, grid
from workbench.study.profiles import blocks

FACTORS = (1.0, 2.0, 4.0)  # of the fewest rows
DIMENSIONS = (1, 2, 3)
SHOWN = ("planted", "zeros", "far", "top-to-zero", "small-to-quantile", *attacks.HELD_OUT)
D = 2


def law_sizes(fewest: int) -> list[int]:
    """Return the numbers of rows that laws are learned from."""
    return [round(factor * fewest) for factor in FACTORS]


def oracle_points(corruptions: Iterable[float]) -> tuple[Point, ...]:
    """Return every attack that is shown at shares ξ, each with its rows."""
    return tuple(
        {**point, "n": attacks.size(D, point["corruption"])}
        for point in grid(d=D, corruption=list(corruptions), attack=list(SHOWN))
    )


LAW_SIZES = Sweep(
    "any-gaussian-law-sizes",
    tuple({"d": d, "kind": "full", "n": n} for d in DIMENSIONS for n in law_sizes(votes.LAW_ROWS[d])),
    votes.laws,
    6,
    blocks(3),
)
ORACLES = Sweep(
    "any-gaussian-oracles",
    oracle_points(attacks.CORRUPTIONS),
    attacks.oracles,
    3,
    blocks(5),
)
