"""Claims about the matrix quantile, derived here: L2 to L5 of its proof, and the rows that it needs."""

from math import inf, log

import pandas as pd

from workbench.chapters.matrix_quantile.runs import quantile as sweeps
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.measures import certain
from workbench.study.over_spectra import supremum
from workbench.study.rules import Verdict, combine, enough

STATEMENT = "AL22/matrix-quantile"
BAND = 1.15  # planned rows over those of the first design
SHAPE = (14.0, 26.0)  # planned rows over (d^1.5 + d ln(1/δ))/ε
RARE = 0.05  # of all pairs: what a fuzz of this size is sure to notice
TENTH = 0.9  # of a bound: pairs that use up more would break one that is a tenth smaller
ROUNDING = 1 + 1e-6

FOURFOLD = (STATEMENT, "enough for a condition of 4, whatever the covariance: planned")
NEARBY = (STATEMENT, "enough for a relative Frobenius error of .2, whatever the covariance: planned")


def exact_on_small_cases() -> Verdict:
    """Return the checks of matrix-quantile/exact-small-cases."""
    broken, tried = sweeps.violations()
    check = certain("neighbours of five whole numbers that break L2 or L3", broken, 0.0, 0.0)
    return combine([check], tried)


def bounds_hold_in_floats(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: no exception, by a search that would find a bound which is a tenth too small.

    Half of the pairs are random; the others are `runs.pairs.extreme`, known by calculation to use
    up 55/59 of the bound on the trace or more, ln(60/59) · 55 = .924 of that on the logs, and to move h by 1
    in half of all cases. If they do not, the claim is refuted: the search would have no power.
    """
    exceptions = (
        ("|h - h'| ≤ 1", frame["apart"] > 1),
        ("trace within 1/(G - 1) and a little", frame["trace"] > ROUNDING),
        ("sums of logs within the same", frame["positive"] > ROUNDING),
    )
    checks = [_none(name, found) for name, found in exceptions]
    known = measures.at(frame, kind="extreme")
    for name in ("trace", "positive"):
        least = float(known[name].min())
        checks.append(certain(f"extreme pairs use of the bound, {name}: at least", least, TENTH, ROUNDING))
    checks.append(certain("extreme pairs that move h", float((known["apart"] == 1).sum()), 1.0, inf))
    return checks


def _none(name: str, exceptions: pd.Series) -> Verdict:
    verdict = measures.seldom("", exceptions, RARE, factor=4.0)
    found = certain(f"exceptions to {name}", float(exceptions.sum()), 0.0, 0.0)
    return combine([found, verdict]).about(name, f"{name}, for every pair")


def planned_rows_succeed(*frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks of matrix-quantile/planned-rows-succeed."""
    return _planned(dict(zip(sweeps.CLAIMED, frames, strict=True)), None, sweeps.PLANNED, FOURFOLD)


def planned_rows_are_near(*frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks of matrix-quantile/planned-rows-near."""
    tables = dict(zip(sweeps.NEAR_CLAIMED, frames, strict=True))
    return _planned(tables, sweeps.NEAR, sweeps.NEAR_PLANNED, NEARBY)


def _planned(
    tables: dict[int, pd.DataFrame], alpha: float | None, first: dict[int, int], size: tuple[str, str]
) -> list[Verdict]:
    checks = []
    for d, rows in first.items():
        n = sweeps.planned(d, alpha)
        checks.append(certain(f"d = {d}: planned rows over {rows}", n / rows, 0.0, BAND))
        if d not in tables:
            continue
        bad = tables[d]["error"] > sweeps.within(alpha)
        name = f"d = {d}: all but one run of ten"
        found = supremum(name, tables[d], bad, sweeps.BETA, factor=sweeps.FACTOR, n=n)
        checks.append(enough(found, *size))
    return checks


def rows_follow_the_shape() -> Verdict:
    """Return the checks of matrix-quantile/rows-follow-shape."""
    checks = []
    for d in sweeps.SHAPE_D:
        for epsilon in sweeps.SHAPE_EPSILON:
            n = sweeps.planned(d, None, ApproxDP(epsilon, sweeps.DELTA))
            over = n * epsilon / (d**1.5 + d * log(1 / sweeps.DELTA))
            checks.append(certain(f"d = {d}, ε = {epsilon:g}: planned rows over the shape", over, *SHAPE))
    return combine(checks, len(checks))


CLAIMS = (
    Claim(
        "matrix-quantile/exact-small-cases",
        "MQ1",
        (STATEMENT,),
        "P_{v+1} of a data set is at most P_v of its neighbour, and h moves by at most 1: every pair of five"
        " whole numbers from 0, 1, 2, 3, 5, one column, psi(q) = min(q, 1), in exact arithmetic.",
        checks=exact_on_small_cases,
        kind="ours",
    ),
    Claim(
        "matrix-quantile/bounds-hold-in-floats",
        "MQ2",
        (STATEMENT,),
        "As computed, without exception: |h - h'| <= 1, tr(P0^-1 f - I) <= g and both sums of |ln lambda| of"
        " f^-1 f' <= g, for neighbours with far, equal, thin and huge rows, at strengths where the test just"
        " holds and near the guard; a bound that is a tenth smaller would be found out.",
        sweeps=lambda: (sweeps.PAIRS,),
        checks=bounds_hold_in_floats,
        kind="ours",
    ),
    Claim(
        "matrix-quantile/planned-rows-succeed",
        "MQ3",
        (STATEMENT,),
        "At its planned rows, at most 1.15 times 324, 607, 2156, 4070, 8255 for d = 1, 2, 5, 10, 20, nine"
        " runs of ten (d up to 10) leave a condition of at most 4, for each of several spectra of"
        " condition numbers up to 1e8 and the worst that a search found: (1, 1e-6); a failure rate of .27"
        " would be refuted.",
        sweeps=lambda: sweeps.CLAIMED.values(),
        checks=planned_rows_succeed,
        kind="ours",
    ),
    Claim(
        "matrix-quantile/planned-rows-near",
        "MQ4",
        (STATEMENT,),
        "At its planned rows, at most 1.15 times 570, 1260, 5300, 13800 for d = 1, 2, 5, 10, nine runs of"
        " ten (d up to 5) have a relative Frobenius error of at most .2, for each of several spectra of"
        " condition numbers up to 1e8 and the worst that a search found: (1, 1e-6); a failure rate of .27"
        " would be refuted.",
        sweeps=lambda: sweeps.NEAR_CLAIMED.values(),
        checks=planned_rows_are_near,
        kind="ours",
    ),
    Claim(
        "matrix-quantile/rows-follow-shape",
        "MQ5",
        (STATEMENT,),
        "The planned rows are 14 to 26 times (d^1.5 + d ln(1/delta))/eps for d = 1 .. 20 and eps = 1/4 .. 4,"
        " delta = 1e-6: the rate d^1.5 that answers AL22's question for fewer than d^2 rows (Brown, Hopkins &"
        " Smith 2023).",
        checks=rows_follow_the_shape,
        kind="lock",
    ),
)
