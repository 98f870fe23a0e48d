"""The claim that neither a covariance nor an offset counts for what a lifted quantile gives: derived here."""

import pandas as pd

from workbench.chapters.matrix_quantile.claims.affine_scalings import LAW, MEAN
from workbench.chapters.matrix_quantile.runs import affine as sweeps
from workbench.study.claim import Claim
from workbench.study.over_spectra import supremum
from workbench.study.rules import Verdict, enough

TIMES = {
    sweeps.MEAN: 2.2,
    sweeps.LAW: 1.3,
}  # the predicted median: hardly one answer in thirty is farther off
FACTOR = 4.0  # times β: what so many runs would notice
STATEMENTS = {sweeps.MEAN: MEAN, sweeps.LAW: LAW}


def the_same_anywhere(*frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks of matrix-quantile/lifted-anywhere."""
    checks = []
    for (key, d), frame in zip(sweeps.ANYWHERE, frames, strict=True):
        n = sweeps.rows(key, d)
        bad = frame["error"] > TIMES[key] * sweeps.expected(key, n, d, sweeps.BUDGET)
        name = f"{key}, d = {d}: within {TIMES[key]:g} times the predicted median"
        found = supremum(name, frame, bad, sweeps.BETA, factor=FACTOR, n=n)
        checks.append(enough(found, STATEMENTS[key], "enough, whatever covariance and mean: planned"))
    return checks


CLAIMS = (
    Claim(
        "matrix-quantile/lifted-anywhere",
        "MQ9",
        (MEAN, LAW),
        "For d = 5, nine means of ten from a lifted quantile of twice its fewest rows are within 2.2 times"
        " the predicted median, and nine whole Gaussians of ten from 1.5 times their fewest within 1.3 times"
        " it in total variation: for means up to 1e9 standard deviations away and each of several spectra of"
        " condition numbers up to 1e8, the worst that a search found among them; (1, 1e-6); a failure rate of"
        " .4 would be refuted.",
        sweeps=lambda: sweeps.ANYWHERE.values(),
        checks=the_same_anywhere,
        kind="ours",
    ),
)
