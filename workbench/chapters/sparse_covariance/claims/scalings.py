"""Claims about how n grows: every number in the sample sizes of Theorems 2 and 3, and of Corollary 1.

The source bounds the squared error by s² ln p (γ²/n + ln(1/δ)/(nε)²), locally by s² ln p (γ² + ln(1/δ)/ε²)/n.
What is searched is the n with which an error is at most α, on circles of correlations (`runs.searched`). The
noise stands out where the variances are small beside √n; sampling where ε is so large that there is no noise
to speak of. Beside the shapes stands the n at which the bound that Lemma 3 adds up to, 8 t (s + 1), is α.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from workbench.chapters.sparse_covariance.claims.searches import Algorithm, proved
from workbench.chapters.sparse_covariance.runs.searched import (
    UNIT,
    largest_variance,
)
from workbench.study.claim import Claim
from workbench.study.rules import Verdict
from workbench.study.scaling import Least, Move, Scaling, follow, within

NO_NOISE = 1e4  # ε

SMALL = 2e-5  # α of the central model: with variances of this order the noise is nearly all of t
DIMENSIONS, DEGREES = (8, 24, 80, 256), (2, 4, 8, 16, 32)
DELTAS = (1e-2, 1e-4, 1e-8, 1e-16)
EIGHTH = (1.0, 0.5, 0.25, 0.125)

SQUARED = {"1/α": -1.0}, {"1/ε": -1.0}
SINGLE = {"1/α²": -2.0, "1/√α": -0.5}, {"1/ε²": -2.0, "1/√ε": -0.5}


def _block(active: int, degree: int, variance: float | None = None) -> dict[str, Any]:
    """Return a circle and its α: a fixed share of the variance, the largest that the unit ball allows."""
    v = largest_variance(active, degree) if variance is None else variance
    return {"active": active, "degree": degree, "variance": v, "alpha": UNIT * v}


def _quiet(active: int, degree: int) -> dict[str, Any]:
    return _block(active, degree, SMALL / UNIT)


def _alphas(first: float) -> tuple[float, ...]:
    return tuple(first * share for share in EIGHTH)


NOISE = Algorithm(
    id="WX19/Thm2",
    model="central",
    term="noise",
    usual={"d": 64, "epsilon": 0.5, "delta": 1e-6, **_quiet(16, 4)},
    quick=("epsilon",),
    moves={
        "epsilon": Move((0.8, 0.4, 0.2, 0.1), -1, SINGLE[1], "s √ln p √ln(1/δ)/(αε)"),
        "delta": Move(DELTAS, 0.5, {"ln 1/δ": 1.0, "no δ": 0.0}, "s √ln p √ln(1/δ)/(αε)", logarithm=True),
        "alpha": Move(_alphas(SMALL), -1, SINGLE[0], "s √ln p √ln(1/δ)/(αε)"),
        "degree": Move(DEGREES, 1, {"√s": 0.5, "s²": 2.0}, "s √ln p √ln(1/δ)/(αε)", _quiet(64, 4)),
        "d": Move(
            DIMENSIONS,
            0.5,
            {"ln p": 1.0, "no p": 0.0},
            "s √ln p √ln(1/δ)/(αε)",
            _quiet(8, 2),
            logarithm=True,
        ),
    },
)

SAMPLING = Algorithm(
    id="WX19/Thm2",
    model="central",
    term="sampling",
    usual={"d": 64, "epsilon": NO_NOISE, "delta": 1e-6, **_block(16, 4)},
    quick=("alpha",),
    moves={
        "alpha": Move(_alphas(UNIT * largest_variance(16, 4)), -2, SQUARED[0], "s² ln p γ²/α²"),
        "degree": Move(DEGREES, 2, {"s": 1.0, "s³": 3.0}, "s² ln p γ²/α²", _block(64, 4)),
        "d": Move(DIMENSIONS, 1, {"√ln p": 0.5, "ln² p": 2.0}, "s² ln p γ²/α²", _block(8, 2), logarithm=True),
    },
)

USERS = Algorithm(
    id="WX19/Thm3",
    model="local",
    term="noise",
    usual={"d": 16, "epsilon": 4.0, "delta": 1e-3, **_block(8, 2)},
    quick=("epsilon",),
    moves={
        "epsilon": Move((8.0, 4.0, 2.0, 1.0), -2, SQUARED[1], "s² ln p ln(1/δ)/(αε)²"),
        "delta": Move(DELTAS, 1, {"√ln 1/δ": 0.5, "no δ": 0.0}, "s² ln p ln(1/δ)/(αε)²", logarithm=True),
        "alpha": Move(
            _alphas(UNIT * largest_variance(8, 2)),
            -2,
            SQUARED[0],
            "s² ln p ln(1/δ)/(αε)²",
            {"epsilon": 8.0},
        ),
        "degree": Move(
            DEGREES[:4],
            2,
            {"s": 1.0, "s³": 3.0},
            "s² ln p ln(1/δ)/(αε)²",
            {"d": 32, "epsilon": 8.0, **_block(32, 4)},
        ),
        "d": Move(DIMENSIONS, 1, {"√ln p": 0.5, "ln² p": 2.0}, "s² ln p ln(1/δ)/(αε)²", logarithm=True),
    },
)

COLUMNS = Algorithm(
    id="WX19/Cor1",
    model="central",
    term="noise",
    norm="w = 1",
    usual=NOISE.usual,
    quick=("epsilon",),
    moves={name: NOISE.moves[name] for name in ("epsilon", "degree", "d")},
)


def checks(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
    """Return what the growth of every number is, and that no n is above the proved one."""
    return follow(*growths) + [within(*growth, proved) for growth in growths]


def _claim(
    name: str, number: str, sources: tuple[str, ...], scalings: Callable[[], Iterator[Scaling]], said: str
) -> Claim:
    return Claim(
        id=f"sparse-covariance/{name}",
        number=number,
        sources=sources,
        statement=f"On circles of equal correlations the searched n of {said}, and by no other power nearby;"
        " none is above the n at which 8 t (s + 1) is α.",
        scalings=scalings,
        checks=checks,
    )


CLAIMS = (
    _claim(
        "rows-grow-with-noise",
        "N51",
        ("WX19/Thm2",),
        NOISE.scalings,
        "Algorithm 1, where noise dominates, grows at most as s √(ln p ln(1/δ))/(αε): in ε = .8 .. .1,"
        " δ = 1e-2 .. 1e-16, α over a factor 8, s = 2 .. 32, p = 8 .. 256",
    ),
    _claim(
        "rows-grow-with-sampling",
        "N52",
        ("WX19/Thm2",),
        SAMPLING.scalings,
        "Algorithm 1, with next to no noise, grows at most as s² ln p γ²/α²: in α over a factor 8,"
        " s = 2 .. 32, p = 8 .. 256",
    ),
    _claim(
        "users-grow",
        "N53",
        ("WX19/Thm3",),
        USERS.scalings,
        "Algorithm 2 grows at most as s² ln p ln(1/δ)/(αε)²: in ε = 8 .. 1, δ = 1e-2 .. 1e-16, α over a"
        " factor 8, s = 2 .. 16, p = 8 .. 256",
    ),
    _claim(
        "rows-grow-in-column-sums",
        "N54",
        ("WX19/Cor1",),
        COLUMNS.scalings,
        "Algorithm 1 for an error in the norm for w = 1 grows at most as s √(ln p ln(1/δ))/(αε), as that"
        " for w = 2 does: in ε = .8 .. .1, s = 2 .. 32, p = 8 .. 256",
    ),
)
