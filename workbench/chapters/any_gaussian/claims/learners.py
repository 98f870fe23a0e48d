"""Claims about what AL22's votes learn: Lemma 3.6, Theorems 4.1, 5.4, 5.6, 5.7 and 7.4.

(ε, δ) = (1, 1e-6), β = .1. Numbers of rows are those of the plan; no answer counts as a failure.
"""

from math import log

import pandas as pd

from workbench.bounds import al22
from workbench.chapters.any_gaussian.runs import votes
from workbench.estimators.subspaces import SubspaceExact
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.measures import seldom
from workbench.study.over_spectra import supremum
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, enough

BETA, ALPHA = votes.BETA, 0.2
NEVER, SELDOM = 1e-3, 0.1
CLOSE, FLAT = log(2), 1.5  # Thompson distance that leaves a condition of 4; medians over each other
EVENTS = votes.BUDGET.epsilon, votes.BUDGET.delta
LEAST = "(20/ε') ln(1 + (e^ε' - 1)/(2δ')): groups, not rows"
SUBSPACE = "d ln(1/δ)/ε: constant 1"
FRAME = "d² √ln(1/δ)/ε + d ln(1/δ)/ε: constants 1"
COVARIANCE = "d²/α² + d² √ln(1/δ)/(αε) and the frame's: constants 1"
MEAN = "√(d ln(1/δ))/ε · d/α²: constant 1"
LAW = "d²/α² + d² √ln(1/δ)/(αε) + d ln(1/δ)/(αε): constants 1"


def agreeing_groups_are_heard(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/agreeing-groups-heard."""
    heard, above = frame["passed"].astype(bool), frame["share"] >= 1
    return [
        enough(
            seldom("silent at k₀ groups and above", ~heard[above], NEVER, factor=15.0),
            *("AL22/Lem3.6", LEAST, votes.PAPER_GROUPS),
        ),
        seldom("silent at .6 k₀", ~heard[frame["share"] == 0.6], SELDOM, factor=2.0),
        seldom("heard at .4 k₀", heard[frame["share"] == 0.4], SELDOM, factor=2.0),
    ]


def subspaces_are_exact(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/subspaces-exact."""
    checks = []
    wrong = frame["error"] > votes.ACROSS
    for d, rows in measures.by(frame, "d").items():
        failed = wrong[rows.index]
        found = seldom(
            f"not found with the planned rows, d = {d:g}", failed[rows["share"] == 1], BETA, factor=2.5
        )
        rows_used = SubspaceExact().fewest(int(d), votes.BUDGET)
        checks.append(
            _beside(found, "AL22/Thm4.1", rows_used, SUBSPACE, al22.subspace_shape(int(d), *EVENTS))
        )
        checks.append(
            seldom(f"found with half of them, d = {d:g}", ~failed[rows["share"] == 0.5], BETA, factor=2.5)
        )
    return checks


def frames_are_found(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/preconditioners-found."""
    checks = []
    for d, of_d in measures.by(frame, "d").items():
        name, bad = f"above a condition of 4, d = {d:g}", of_d["error"] > CLOSE
        found = supremum(name, of_d, bad, BETA, factor=2.5, n=votes.FRAME_ROWS[int(d)])
        checks.append(_framed(found, int(d)))
    return [*checks, _flat(frame)]


def _framed(check: Verdict, d: int) -> Verdict:
    shape = al22.preconditioner_shape(d, *EVENTS)
    return _beside(check, "AL22/Thm5.4", votes.FRAME_ROWS[d], FRAME, shape)


def _beside(check: Verdict, statement: str, n: int, formula: str, shape: float) -> Verdict:
    """Return a check at the n of a plan with that n, and beside the shape of the theorem."""
    return enough(enough(check, statement, "planned", n), statement, formula, n, shape)


def _flat(frame: pd.DataFrame) -> Verdict:
    rows = frame[frame["d"] == 2]
    groups = rows.groupby("spectrum")
    medians = {name: measures.median(one["error"], claim_level(parts=len(groups))) for name, one in groups}
    return measures.between("largest over smallest median error, d = 2", measures.spread(medians), 0.0, FLAT)


def means_need_no_range(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/means-without-range."""
    checks = []
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"no mean within .2, d = {d:g}", rows["error"] > ALPHA, BETA * 4 / 3, factor=2.3)
        shape = al22.robust_mean_shape(int(d), ALPHA, *EVENTS)
        checks.append(_beside(found, "AL22/Thm7.4", votes.MEAN_ROWS[int(d)], MEAN, shape))
    return checks


def laws_are_learned(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/laws-learned."""
    checks = []
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"no law within .2, d = {d:g}", rows["error"] > ALPHA, BETA, factor=2.8)
        shape = al22.gaussian_shape(int(d), ALPHA, *EVENTS).total
        checks.append(_beside(found, "AL22/Thm5.7", votes.LAW_ROWS[int(d)], LAW, shape))
    return checks


def covariances_are_learned(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/covariances-learned."""
    checks = []
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"error above .2, d = {d:g}", rows["error"] > ALPHA, BETA, factor=2.8)
        shape = al22.covariance_shape(int(d), ALPHA, *EVENTS).total
        checks.append(_beside(found, "AL22/Thm5.6", votes.LAW_ROWS[int(d)], COVARIANCE, shape))
    return checks


CLAIMS = (
    Claim(
        "any-gaussian/agreeing-groups-heard",
        "C7",
        ("AL22/Lem3.6", "AL22/Alg1"),
        "k₀ = (20/ε') ln(1 + (e^ε' - 1)/(2δ')) groups that agree are heard surely by the source's vote; of"
        " .6 k₀ nine times in ten, of .4 k₀ once in ten at most",
        sweeps=lambda: (votes.PASSES,),
        checks=agreeing_groups_are_heard,
        kind="lock",
    ),
    Claim(
        "any-gaussian/subspaces-exact",
        "C8",
        ("AL22/Thm4.1", "AL22/Thm1.2", "AL22/Alg2"),
        "the subspace, from the planned rows, with probability .9 (d = 2 .. 20), from half of them at most"
        " once in ten; a rate of .25 would be refuted",
        sweeps=lambda: (votes.SUBSPACES,),
        checks=subspaces_are_exact,
    ),
    Claim(
        "any-gaussian/preconditioners-found",
        "C9",
        ("AL22/Thm5.4", "AL22/Alg3", "AL22/Lem5.3"),
        "spectral/preconditioner leaves a condition of 4 with probability .9 at its planned n (d = 1, 2), the"
        " same for round spectra, equal ratios of 9 and condition number 1e8: medians within a factor 1.5; a"
        " failure rate of .25 would be refuted",
        sweeps=lambda: (votes.FRAMES,),
        checks=frames_are_found,
    ),
    Claim(
        "any-gaussian/means-without-range",
        "C10",
        ("AL22/Thm7.4", "AL22/Alg5"),
        "mean/populous finds a mean 1e4 away within .2 at the n of its bound, but for probability β + β/3"
        " (d = 1, 2, 5); a rate of .31 would be refuted",
        sweeps=lambda: (votes.MEANS,),
        checks=means_need_no_range,
    ),
    Claim(
        "any-gaussian/laws-learned",
        "C12",
        ("AL22/Thm5.7", "AL22/Thm1.1", "AL22/four-steps"),
        "gaussian/populous: total variation above .2 with probability at most β, for full, degenerate and"
        " far laws at about the fewest rows (d = 1, 2), (1, 1e-6); a rate of .28 would be refuted",
        sweeps=lambda: (votes.LAWS,),
        checks=laws_are_learned,
    ),
    Claim(
        "any-gaussian/covariances-learned",
        "AL22.5",
        ("AL22/Thm5.6",),
        "covariance/populous: error above .2 with probability at most β at condition numbers 1 and 1e8 (d"
        " = 1, 2), at about the fewest rows; a rate of .28 would be refuted",
        sweeps=lambda: (votes.MORE_COVARIANCES,),
        checks=covariances_are_learned,
    ),
)
