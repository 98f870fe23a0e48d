"""The sweeps that only the pictures of notebook 05 show: laws at more rows, and oracles under ten attacks."""

from workbench.chapters.any_gaussian.runs import attacks, votes
from workbench.study.profiles import blocks
from workbench.study.sweeps.sweep import Sweep, grid

FACTORS = (1.0, 2.0, 4.0)  # of the fewest rows
DIMENSIONS = (1, 2, 3)
SHOWN = ("planted", "zeros", "far", "top-to-zero", "small-to-quantile", *attacks.HELD_OUT)
D = 2

LAW_SIZES = Sweep(
    "any-gaussian-law-sizes",
    tuple(
        {"d": d, "kind": "full", "n": round(factor * votes.LAW_ROWS[d])}
        for d in DIMENSIONS
        for factor in FACTORS
    ),
    votes.laws,
    6,
    blocks(3),
)
ORACLES = Sweep(
    "any-gaussian-oracles",
    tuple(
        {**point, "n": attacks.size(D, point["corruption"])}
        for point in grid(d=D, corruption=list(attacks.CORRUPTIONS), attack=list(SHOWN))
    ),
    attacks.oracles,
    3,
    blocks(5),
)
