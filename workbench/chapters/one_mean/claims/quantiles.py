"""Claims about many quantiles: what drawing them together gains, and how the n of both ways grow in m, ε, α.

Both are predicted with all constants before any run: what is drawn together by the normal law of
`proofs/quantiles.md`, section 4, and one by one by the exponential mechanism on the law of the rows.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pandas as pd

from workbench.chapters.one_mean.runs import quantiles as sweeps
from workbench.study.claim import Claim
from workbench.study.grids import resampler
from workbench.study.measures import at, median_ratio
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict
from workbench.study.scaling import Growth, Move, Public, Scaling, follow

STATEMENT = "LKKO21/quantiles"
NEAR = {3: 1.7, 9: 1.5, 33: 1.5, 99: 1.5}  # of the predicted ratio of errors; three are off by whole ranks
SHARE = 0.9  # of the runs that succeed
CAPS, SEEN = {"full": 150}, {"quick": 60, "full": 150}


def gain(few: pd.DataFrame, many: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the ratio of the median errors at every m, beside the predicted one."""
    rng, frames = resampler(seed, sweeps.FEW.name), pd.concat([few, many], ignore_index=True)
    return [_gain(at(frames, m=m), m, rng) for m in sweeps.COUNTS]


def _gain(frame: pd.DataFrame, m: int, rng: Any) -> Verdict:
    together, apart = sweeps.largest(m, sweeps.N, sweeps.EPSILON)
    limits = apart / together / NEAR[m], apart / together * NEAR[m]
    top, bottom = (frame[name].to_numpy() for name in ("apart", "together"))
    return median_ratio(f"m = {m}", top, bottom, *limits, claim_level(), rng, n=sweeps.N)


def _rows(ranks: float, public: Public) -> float:
    return ranks / float(public["epsilon"] * public["alpha"])


def together_rows(public: Public) -> float:
    """Return the n from which all of m quantiles, drawn together, are predicted to be within α."""
    return _rows(sweeps.ranks_together(int(public["m"]), SHARE), public)


def apart_rows(public: Public) -> float:
    """Return the n from which all of m quantiles, drawn one by one, are."""
    return _rows(sweeps.ranks_apart(int(public["m"]), SHARE), public)


def _growth(key: str, block: Any, rows: Any, moves: dict[str, Move]) -> Growth:
    return Growth(
        id=STATEMENT,
        key=key,
        block=block,
        usual={"m": 9, "epsilon": 1.0, "alpha": 0.03},
        alpha=lambda public: float(public["alpha"]),
        shape=rows,
        start=rows,
        predicted=rows,
        bound="equal",
        share=SHARE,
        caps=CAPS,
        moves=moves,
    )


NUMBERS, CLOSE = (1.0, 3.0, 5.0, 11.0), {"alpha": 0.02}
TOGETHER = _growth(
    "univariate/quantiles",
    sweeps.together_errors,
    together_rows,
    {
        "m": Move(NUMBERS, 0.5, {"m": 1.0, "flat": 0.0}, "√m/(αε), a logarithm left out", CLOSE),
        "epsilon": Move((1.0, 0.5, 0.25, 0.125), -1, {"1/ε²": -2.0, "1/√ε": -0.5}, "√m/(αε)"),
        "alpha": Move((0.06, 0.03, 0.015, 0.0075), -1, {"1/α²": -2.0, "1/√α": -0.5}, "√m/(αε)"),
    },
)
APART = _growth(
    "univariate/quantiles [one by one]",
    sweeps.apart_errors,
    apart_rows,
    {"m": Move(NUMBERS, 1, {"√m": 0.5, "m²": 2.0}, "m ln(m)/(αε)", CLOSE)},
)


def both() -> Iterator[Scaling]:
    """Return the scalings of both ways; quick looks at one of them."""
    for one in (*TOGETHER.scalings(), *APART.scalings()):
        yield replace(one, caps=SEEN) if one.key == TOGETHER.key and one.variable == "m" else one


CLAIMS = (
    Claim(
        id="one-mean/many-quantiles-gain",
        number="Q1",
        sources=(STATEMENT, "LKKO21/Alg14"),
        statement="Of 10,000 log-normal rows on [0, 100] at ε = 1 the largest rank error of m = 3, 9, 33, 99"
        " quantiles, a median each with ε/m, is 1.9, 4.3, 10 and 21 times that of all drawn together: as"
        " predicted with all constants, within a factor of 1.7 at m = 3 and of 1.5 at the others.",
        sweeps=lambda: (sweeps.FEW, sweeps.MANY),
        checks=gain,
        kind="ours",
    ),
    Claim(
        id="one-mean/quantile-rows-grow",
        number="Q2",
        sources=(STATEMENT,),
        statement="Searched n with which all of m quantiles, drawn together, are within α in rank in 9 of 10"
        " runs grow as predicted with all constants, near √m/(αε), and those of a median each as m ln(m)/(αε)"
        " does: m = 1 .. 11, ε = 1 .. 1/8, α = .06 .. .0075.",
        scalings=both,
        checks=follow,
        kind="ours",
    ),
)
