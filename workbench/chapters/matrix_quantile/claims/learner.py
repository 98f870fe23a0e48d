"""The claim about a whole Gaussian learned by a matrix quantile, without any bound: derived here."""

from math import inf

import pandas as pd

from workbench.chapters.matrix_quantile.claims.quantile import STATEMENT
from workbench.chapters.matrix_quantile.runs import learner as sweeps
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.measures import Measure, certain, seldom
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, enough

MOST = {2: 2000, 5: 7000, 10: 13_000, 20: 30_000}  # rows
SILENT, FACTOR = 0.1, {2: 2.5, 5: 3.0, 10: 5.0, 20: 6.5}  # times that is what so many runs would notice
BAND = (0.85, 1.15)  # measured over predicted total variation


def learned_from_few_rows(*frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks of matrix-quantile/law-from-few-rows."""
    checks = []
    for d, frame in zip(sweeps.LEARNED, frames, strict=True):
        n = sweeps.start(d)
        checks.append(certain(f"d = {d}: the fewest rows", float(n), 0.0, float(MOST[d])))
        checks += [_answered(d, condition, rows) for condition, rows in _at_start(frame).items()]
        checks += [_foreseen(d, share, rows["error"]) for share, rows in measures.by(frame, "share").items()]
    return checks


def _at_start(frame: pd.DataFrame) -> dict[float, pd.DataFrame]:
    return measures.by(measures.at(frame, share=sweeps.START), "condition")


def _answered(d: int, condition: float, rows: pd.DataFrame) -> Verdict:
    n, name = sweeps.rows(d, sweeps.START), f"d = {d}, condition number {condition:g}"
    said = "no answer, in one run of ten"
    found = seldom(name, rows["error"] == inf, SILENT, said, factor=FACTOR[d], n=n)
    return enough(found, STATEMENT, "planned", n)


def _foreseen(d: int, share: float, errors: pd.Series) -> Verdict:
    found, expected = measures.median(errors, claim_level()), sweeps.predicted(d, share)
    low, high = (end / expected for end in found.interval)
    ratio = Measure(found.estimate / expected, (low, high), found.trials)
    name = f"d = {d}, {share:g} times the fewest rows: total variation over the predicted"
    return measures.between(name, ratio, *BAND, n=sweeps.rows(d, share))


CLAIMS = (
    Claim(
        "matrix-quantile/law-from-few-rows",
        "MQ8",
        (STATEMENT,),
        "A whole Gaussian, by a matrix quantile and all rows in its frame, from at most 2,000, 7,000, 13,000,"
        " 30,000 rows for d = 2, 5, 10, 20: at 1.05 times its fewest rows nine runs of ten answer, at"
        " condition numbers 1, 1e6 and 1e12, and there and at 2, 4, 16 times (d up to 10) the median total"
        " variation is .85 to 1.15 times the predicted one: (1, 1e-6).",
        sweeps=lambda: sweeps.LEARNED.values(),
        checks=learned_from_few_rows,
        kind="ours",
    ),
)
