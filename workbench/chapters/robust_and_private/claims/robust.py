"""Claims about `mean/robust` and `mean/robust-heavy`: what LKKO21 asks of a robust private mean, and more.

Errors are distances to the mean of the clean law. Medians have exact intervals (two order statistics), ratios
of medians of the same rows are resampled in pairs, and shares are binomial.
"""

from math import inf, log, sqrt

import pandas as pd

from workbench.chapters.robust_and_private.runs import robust as sweeps
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import resampler
from workbench.study.measures import median_ratio
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, combine
from workbench.types import Array

WORSE, LOW_DIMENSION, ATTACKED = 1.25, 0.02, 0.045
HARMLESS, HALF = 1.10, 0.5
HEAVY, MISSED = 1.5, 0.05
HIDDEN = 2.5  # times α √ln(1/α)
SEEN = (
    *("shift-sparse", "five-clusters", "axis-clusters", "far", "cluster-2", "two-sided", "two-depths"),
    *("cancelling", "point-3", "point-1.5", "upper-tail", "wide", "half-sphere", "half-space", "cauchy"),
    *("ladder", *sweeps.BASE_ATTACKS),
)
UNSEEN = ("tail-swap", "inward", "one-sided", "cluster-0.9")


def clean_and_planted(*frames: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks of robust-and-private/clean-and-planted."""
    checks = list[Verdict]()
    for frame in frames:
        for d, rows in measures.by(frame, "d").items():
            checks += [_planted(rows, int(d), name, seed) for name in sweeps.DIRECTIONS if d >= 3]
    return checks


def _planted(rows: pd.DataFrame, d: int, name: str, seed: int) -> Verdict:
    errors = rows[name].to_numpy()
    if d == 3:
        return _median(f"median, {name}, d = 3", errors, LOW_DIMENSION)
    title = f"median over that without corruption, {name}, d = {d}"
    return _ratio(title, errors, rows[sweeps.NONE].to_numpy(), WORSE, seed, sweeps.N)


def every_attack(frame: pd.DataFrame, planted: pd.DataFrame) -> Verdict:
    """Return the checks of robust-and-private/every-attack."""
    checks = [_median(f"median, {name}", _errors(frame, name), ATTACKED) for name in SEEN]
    more = measures.at(planted, d=sweeps.D)
    checks.append(_median(f"median, {sweeps.EXTRA}", more[sweeps.EXTRA].to_numpy(), ATTACKED))
    return combine(checks, len(frame) + len(more))


def what_is_not_seen(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of robust-and-private/unseen-attacks."""
    limit = HIDDEN * sweeps.CORRUPTION * sqrt(log(1 / sweeps.CORRUPTION))
    checks = [_median(f"median, {name}", _errors(frame, name), limit) for name in UNSEEN]
    swapped = measures.median(_errors(frame, "tail-swap"), claim_level())
    name = "median, tail-swap, from below"
    return [*checks, measures.between(name, swapped, 0.8 * limit, inf, n=sweeps.N)]


def few_rows(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks of robust-and-private/few-rows-harmless."""
    checks = []
    for n in sweeps.FEW[2:]:
        rows = measures.at(frame, n=n)
        for kind in ("clean", "planted"):
            most = HALF if (n, kind) == (3000, "planted") else HARMLESS
            filtered, plain = (rows[f"{kind} {side}"].to_numpy() for side in ("filter", "plain"))
            name = f"median over that of the plain mean, {kind}, n = {n}"
            checks.append(_ratio(name, filtered, plain, most, seed, n))
    return checks


def without_filter(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks: below the rule's n, not one release differs from that of the plain mean."""
    rows = frame[frame["n"].isin(sweeps.FEW[:2])]
    return [
        measures.between(f"largest difference, {kind}", measures.known(_apart(rows, kind)), 0.0, 0.0)
        for kind in ("clean", "planted")
    ]


def _apart(rows: pd.DataFrame, kind: str) -> float:
    return float((rows[f"{kind} filter"] - rows[f"{kind} plain"]).abs().max())


def heavy_tails(frame: pd.DataFrame) -> Verdict:
    """Return the checks: at most one of twenty errors above the bound, over all laws and attacks."""
    above = int((frame["error"] > HEAVY).sum())
    found = measures.share(above, len(frame), claim_level())
    return measures.between("share of errors above 1.5 √corruption", found, 0.0, MISSED, n=sweeps.N)


def _errors(frame: pd.DataFrame, attack: str) -> Array:
    return measures.at(frame, attack=attack)["error"].to_numpy()


def _median(name: str, errors: Array, most: float) -> Verdict:
    return measures.between(name, measures.median(errors, claim_level()), 0.0, most, n=sweeps.N)


def _ratio(name: str, top: Array, bottom: Array, most: float, seed: int, n: int) -> Verdict:
    return median_ratio(name, top, bottom, 0.0, most, claim_level(), resampler(seed, name), n=n)


CLAIMS = (
    Claim(
        "robust-and-private/clean-and-planted",
        "R1",
        ("LKKO21/Asm1",),
        "n = 1e5, corruption .05, (10, .01)-DP, a cluster at 1.5 √d in six directions: the median error of"
        " mean/robust is at most 1.25 times its own without corruption at d = 10, 20, 50, and at most .02 at"
        " d = 3.",
        sweeps=lambda: (sweeps.PLANTED_LOW, sweeps.PLANTED_HIGH),
        checks=clean_and_planted,
        kind="lock",
    ),
    Claim(
        "robust-and-private/every-attack",
        "R2",
        ("LKKO21/Asm1",),
        "The same at d = 10 with 27 other attacks, on rows that are normal, uniform, signs, Laplace,"
        " exponential or narrower than stated: every median error is at most .045.",
        sweeps=lambda: (sweeps.ATTACKED, sweeps.PLANTED_LOW),
        checks=every_attack,
        kind="lock",
    ),
    Claim(
        "robust-and-private/unseen-attacks",
        "R3",
        ("LKKO21/Asm1",),
        "What hardly changes the second moment, or makes it smaller, is not seen: with the tails swapped, one"
        " tail moved inward, half-normal coordinates on one side, and a cluster at .9, median errors are at"
        " most 2.5 ξ √ln(1/ξ), and that of swapped tails is above 2 ξ √ln(1/ξ).",
        sweeps=lambda: (sweeps.ATTACKED,),
        checks=what_is_not_seen,
        kind="lock",
    ),
    Claim(
        "robust-and-private/few-rows-harmless",
        "R4",
        ("LKKO21/Asm1",),
        "(1, .01)-DP, d = 10, n = 3e3, 1e4: the median error of mean/robust is at most 1.10 times that of the"
        " plain mean in a ball with the same noise on the same rows, clean and planted, and half of it at"
        " most on planted rows at n = 3e3.",
        sweeps=lambda: (sweeps.FEWER,),
        checks=few_rows,
        kind="ours",
    ),
    Claim(
        "robust-and-private/no-filter-few-rows",
        "R4.2",
        ("LKKO21/Asm1",),
        "The same at n = 300, 1e3, where the public rule leaves the filter out: mean/robust is that plain"
        " mean, to the last bit.",
        sweeps=lambda: (sweeps.FEWER,),
        checks=without_filter,
        kind="identity",
    ),
    Claim(
        "robust-and-private/heavy-tails-robust",
        "R5",
        ("LKKO21/Asm2",),
        "n = 1e5, d = 10, (10, .01)-DP, Student and Pareto rows of tail index 2.5, covariance I, corruption"
        " .02, .05, .1, seven attacks: 95 % of the errors of mean/robust-heavy, of all cells together, are at"
        " most 1.5 √corruption.",
        sweeps=lambda: (sweeps.HEAVY,),
        checks=heavy_tails,
        kind="lock",
    ),
)
