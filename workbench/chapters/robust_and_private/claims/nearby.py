"""The constant in front of α √ln(1/α): the error against a cluster at the worst of several distances.

At 1.5 √d, where LKKO21 plants its cluster, a filter errs less than at any nearer place: what a theorem for
every adversary allows is the supremum.
"""

from collections.abc import Iterator

import pandas as pd

from workbench.bounds import lkko21
from workbench.chapters.robust_and_private.runs import clusters
from workbench.chapters.robust_and_private.runs.prime import DELTA, EPSILON
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep
from workbench.study.measures import Measure
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict

FAR = {"mean/prime": (0.7, 0.8, 0.85, 1.0, 1.5), "mean/robust": (0.3, 0.5, 0.7, 0.85, 1.0)}
PUBLIC = ((3, 0.05), (10, 0.05), (30, 0.05), (10, 0.1))  # d, α
N = 40_000
LEAST, MOST = 0.5, 1.2  # of α √ln(1/α)

NEARBY = Sweep(
    "lkko21-nearby",
    tuple(
        {"key": key, "d": d, "n": N, "corruption": alpha, "far": one, "epsilon": EPSILON, "delta": DELTA}
        for key, far in FAR.items()
        for d, alpha in PUBLIC
        for one in far
    ),
    clusters.errors,
    11,
    {"full": 2},
)


def suprema(frame: pd.DataFrame, key: str) -> Iterator[tuple[int, float, Measure]]:
    """Return for every d and α the largest median error over distances, in units of α √ln(1/α)."""
    for d, alpha in PUBLIC:
        rows = measures.by(measures.at(frame, key=key, d=d, corruption=alpha), "far")
        found = [measures.median(one["error"], claim_level(parts=len(rows))) for one in rows.values()]
        largest = max(found, key=lambda one: one.estimate)
        yield d, alpha, measures.scaled(largest, 1 / lkko21.sub_gaussian_error(alpha))


def constant(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/worst-distance."""
    return [
        measures.between(f"{key}, d = {d}, ξ = {alpha:g}", found, low, MOST, n=N)
        for key, low in (("mean/prime", LEAST), ("mean/robust", 0.0))
        for d, alpha, found in suprema(frame, key)
    ]


CLAIMS = (
    Claim(
        "robust-and-private/worst-distance",
        "N84",
        ("LKKO21/Thm6",),
        "n = 4e4, (10, .01)-DP, a cluster at five distances, .3 to 1.5 times 1.2 √ln(1/ξ): at the worst of"
        " them the median error of mean/prime is .5 to 1.2 times ξ √ln(1/ξ), that of mean/robust at most"
        " 1.2 times, at ξ = .05 in d = 3, 10, 30 and at d = 10 for ξ = .1.",
        sweeps=lambda: (NEARBY,),
        checks=constant,
        kind="lock",
    ),
)
