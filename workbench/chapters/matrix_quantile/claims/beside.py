"""Claims about the matrix quantile beside others, and where it gives no answer: derived here."""

from math import inf, log

import pandas as pd

from workbench.chapters.matrix_quantile.claims.quantile import STATEMENT
from workbench.chapters.matrix_quantile.runs import beside as sweeps
from workbench.chapters.matrix_quantile.runs.quantile import BETA, DIMENSIONS, planned
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.measures import Measure, certain, known, seldom
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, beside, combine

FRUGAL = {"spectral/preconditioner": 0.2, "covariance/unbounded": 1.0}  # our rows over theirs, at most
SHORT, OFTEN = (1, 2, 20), 0.4  # columns for which our rows are fewer than a known bound asks for
SPOILT_D, RIGHT, NONE, WRONG = 5, 0.01, 0.05, 0.2  # shares of far rows
MOSTLY, MOST = 0.9, 4.0  # of all runs; the condition that is promised
FAR_OFF, CLEARLY = 1e3, 0.5


def fewer_rows(*frames: pd.DataFrame) -> Verdict:
    """Return the checks of matrix-quantile/fewer-rows."""
    checks = [_fewer(key, d) for key in FRUGAL for d in DIMENSIONS]
    for d, frame in zip(sweeps.TOLD_PLANNED, frames, strict=True):
        n = planned(d, None)
        failed, allowed = share(frame["fourfold"] > log(2)), (BETA, 1.0) if d in SHORT else (0.0, OFTEN)
        name = f"d = {d}: CoinPress, told 1 and 1e4, fails with our rows"
        checks.append(measures.between(name, failed, *allowed, n=n))
    return combine(checks)


def _fewer(key: str, d: int) -> Verdict:
    ours, theirs = planned(d, None), sweeps.fewest(key, d)
    check = certain(f"d = {d}: our rows over those of {key}", ours / theirs, 0.0, FRUGAL[key])
    return beside(
        check, STATEMENT, f"fewest rows of {key}", float(theirs), known(float(ours)), kind="planned"
    )


def share(found: pd.Series) -> Measure:
    """Return the share of runs for which something is true, with the claim's interval."""
    return measures.share(int(found.sum()), len(found), 2 * claim_level())


def answers_are_right_or_none(far: pd.DataFrame, heavy: pd.DataFrame) -> list[Verdict]:
    """Return the checks of matrix-quantile/right-or-none."""
    rows = {at: measures.at(far, d=SPOILT_D, share=at)["condition"] for at in (RIGHT, NONE, WRONG)}
    tails = measures.at(heavy, d=SPOILT_D, degrees=sweeps.DEGREES[0])["condition"]
    n, said = planned(SPOILT_D, None), "a condition above 4, or no answer"
    return [
        seldom("1 % far rows", rows[RIGHT] > MOST, BETA, said, factor=2.5, n=n),
        measures.between("5 % far rows: no answer", share(rows[NONE] == inf), MOSTLY, 1.0, n=n),
        measures.between("t with 3 degrees of freedom: no answer", share(tails == inf), MOSTLY, 1.0, n=n),
        measures.between("20 % far rows: their line", share(_other(rows[WRONG])), CLEARLY, 1.0, n=n),
    ]


def _other(condition: pd.Series) -> pd.Series:
    return (condition > FAR_OFF) & (condition < inf)


CLAIMS = (
    Claim(
        "matrix-quantile/fewer-rows",
        "MQ6",
        (STATEMENT,),
        "For a condition of at most 4 at (1, 1e-6), d = 1 .. 20, the planned rows are at most a fifth of the"
        " fewest of spectral/preconditioner and at most the fewest of covariance/unbounded. CoinPress, told"
        " that eigenvalues lie between 1 and 1e4, fails with so many rows in more than one run of ten for"
        " d = 1, 2, 20, and in fewer than four for d = 5, 10.",
        sweeps=lambda: sweeps.TOLD_PLANNED.values(),
        checks=fewer_rows,
        kind="lock",
    ),
    Claim(
        "matrix-quantile/right-or-none",
        "MQ7",
        (STATEMENT,),
        "At d = 5 and its planned rows, with 1 % of the rows far away in one place nine answers of ten are as"
        " promised; with 5 %, and with t-distributed rows of 3 degrees of freedom, nine runs of ten or more"
        " give no answer; 20 %, more rows than the level, are answered for: most releases show their line.",
        sweeps=lambda: (sweeps.SPOILT, sweeps.TAILED),
        checks=answers_are_right_or_none,
        kind="ours",
    ),
)
