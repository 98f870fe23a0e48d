"""Tables 1 and 2 of LKKO21: what is claimed of their sizes.

The rows of private means without corruption are those of `sizes`; those of robust means are searched against
the worst of the clusters of `runs.clusters`, for nine runs of ten.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from workbench.chapters.robust_and_private.claims.filter_scalings import HEAVY, PRIME, Theorem
from workbench.chapters.robust_and_private.claims.sizes import (
    SETTINGS,
    SIZES,
    UPPER,
    USUAL,
    Terms,
    beside_formula,
)
from workbench.chapters.robust_and_private.claims.worst import Growth, families, worst
from workbench.study.claim import Claim
from workbench.study.grids import Point
from workbench.study.rules import Status, Verdict
from workbench.study.scaling import Least, Scaling, within

PRIVATE = replace(
    SIZES, points=tuple(one for one in SIZES.points if SETTINGS[one["setting"]].attack == "none")
)
"""The runs without corruption."""


def below_formula(growths: Iterable[Growth]) -> list[Verdict]:
    """Return the checks that n against the worst of the clusters is at most ten times that of the table."""
    largest = [worst(family)[:2] for family in families(growths)]
    return [_below(scaling, found) for scaling, found in largest]


def hidden_cluster(*growths: Growth) -> list[Verdict]:
    """Return the check of robust-and-private/table-1-hidden-cluster: the one value at ε = 1."""
    scaling, found, _ = worst(growths)
    return [_below(scaling, [one for one in found if one.value == USUAL.epsilon])]


def _below(scaling: Scaling, found: Sequence[Least]) -> Verdict:
    name = scaling.key.partition(" [")[0]
    check = within(scaling, found, lambda setting: UPPER * _total(name, setting.point))
    return check.about(f"n over ten times the formula: {name}, in {scaling.variable}", "at most 1")


def _total(name: str, point: Point) -> float:
    """Return the n of the row of its table that an estimator stands for, constants 1."""
    setting = SETTINGS[name]
    terms = Terms(*(point.get(one, getattr(USUAL, one)) for one in ("corruption", "epsilon", "delta")))
    return setting.formula(int(point["d"]), terms)


def in_dimension(*theorems: Theorem) -> Callable[[], Iterator[Scaling]]:
    """Return what gives the scalings in d, but for d = 2, where a cluster hides longest."""
    return lambda: (
        replace(one, values=tuple(value for value in one.values if value > 2))
        for theorem in theorems
        for one in replace(theorem, moves=theorem.moves[:1]).scalings()
    )


def _private(table: str) -> Callable[..., list[Verdict]]:
    names = [name for name, one in SETTINGS.items() if one.table == table and one.attack == "none"]

    def checks(frame: pd.DataFrame, *growths: Growth, seed: int) -> list[Verdict]:
        found = [beside_formula(frame, name, d, seed) for name in names for d in SETTINGS[name].top]
        return [*found, *below_formula(growths)]

    return checks


CLAIMS = (
    Claim(
        "robust-and-private/table-1-in-shape",
        "TB1",
        ("LKKO21/Table1", "LKKO21/Thm6"),
        "ξ = .05, error 1.2 ξ √ln(1/ξ): without corruption mean/coinpress needs the rows of Table 1 with"
        " constants 1 within a factor 10, (1, 1e-6)-DP, d = 2, 8, 32; against the worst of five distances of"
        " a cluster mean/prime, (2, 1e-6)-DP, d = 4, 8, 16, needs at most ten times as many.",
        checks=_private("1"),
        sweeps=lambda: (PRIVATE,),
        scalings=in_dimension(PRIME),
    ),
    Claim(
        "robust-and-private/table-2-in-shape",
        "TB2",
        ("LKKO21/Table2", "LKKO21/Thm9"),
        "Student rows with 2.5 degrees of freedom, ξ = .05, error 1.5 √ξ: without corruption"
        " mean/clipped-heavy needs the rows of Table 2 with constants 1 within a factor 10, (1, 1e-6)-DP,"
        " d = 2, 8, 32; against the worst of five distances of a cluster mean/prime-heavy, (2, 1e-6)-DP,"
        " d = 4, 8, 16, needs at most ten times as many.",
        checks=_private("2"),
        sweeps=lambda: (PRIVATE,),
        scalings=in_dimension(HEAVY),
        expected=Status.UNDECIDED,
        reason="mean/clipped-heavy is in shape. The n of mean/prime-heavy are at most half of what may be,"
        " but one interval, at the level of a check, reaches beyond: success rises slowly under heavy tails.",
    ),
)
FULL = (
    Claim(
        "robust-and-private/table-1-hidden-cluster",
        "TB1.2",
        ("LKKO21/Table1", "LKKO21/Thm6"),
        "The same for mean/prime at d = 2, (1, 1e-6)-DP.",
        checks=hidden_cluster,
        scalings=lambda: replace(PRIME, moves=PRIME.moves[1:2]).scalings(),
        expected=Status.UNDECIDED,
        reason="It needs about 15 times as many, within a factor 1.7 at the level of a check: more than 10 in"
        " 95 % of such searches, and not certain enough. Over the formula, constants 1, its n falls with d.",
    ),
)
