"""Claims about what AL22's votes learn: Lemma 3.6, Theorems 4.1, 5.4, 5.6, 5.7 and 7.4.

(ε, δ) = (1, 1e-6), β = .1. Numbers of rows are those of the plan; no answer counts as a failure.
"""

from math import log

import numpy as np
import pandas as pd

from workbench.bounds import al22
from workbench.chapters.any_gaussian.claims.checks import certain
from workbench.chapters.any_gaussian.runs import theory, votes
from workbench.estimators.covariance.populous import PopulousCovariance
from workbench.estimators.covariance.unbounded import UnboundedCovariance
from workbench.estimators.parts.gaussians.populous_learner import preconditioned_rows
from workbench.estimators.spectral.subspace_exact import SubspaceExact
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.complexity import enough
from workbench.study.intervals import local_slope
from workbench.study.least_rows import fewest_rows
from workbench.study.measures import seldom
from workbench.study.over_spectra import supremum
from workbench.study.profiles import claim_level
from workbench.study.verdict import Verdict

BETA, ALPHA = votes.BETA, 0.2
NEVER, SELDOM = 1e-3, 0.1
CLOSE, FLAT = log(2), 1.5  # Thompson distance that leaves a condition of 4; medians over each other
EPSILONS, DELTAS = (0.25, 0.5, 1.0, 2.0), (1e-3, 1e-5, 1e-7, 1e-9)
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
    planned = [SubspaceExact().groups(ApproxDP(1.0, delta)) for delta in DELTAS]
    by_epsilon = [SubspaceExact().groups(ApproxDP(epsilon, 1e-6)) for epsilon in (0.1, 0.2, 0.5, 1.0)]
    rows_of = [SubspaceExact().fewest(d, votes.BUDGET) for d in (2, 5, 10, 20)]
    checks += [
        certain("exponent of n in d", local_slope([2, 5, 10, 20], rows_of), 1 - 1e-9, 1 + 1e-9),
        certain(
            "exponent of n in ln 1/δ", local_slope([log(1 / delta) for delta in DELTAS], planned), 0.8, 1.0
        ),
        certain("exponent of n in ε", local_slope([0.1, 0.2, 0.5, 1.0], by_epsilon), -1.0, -0.85),
    ]
    return checks


def frames_are_found(small: pd.DataFrame, *frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/preconditioners-found."""
    checks = []
    for d, of_d in measures.by(small, "d").items():
        name, bad = f"above a condition of 4, d = {d:g}", of_d["error"] > CLOSE
        found = supremum(name, of_d, bad, BETA, factor=2.5, n=votes.FRAME_ROWS[int(d)])
        checks.append(_framed(found, int(d)))
    kinds = (5, "groups in law", 3.0), (5, "rows", 6.0), (10, "rows", 7.0)
    for frame, (size, name, factor) in zip(frames, kinds, strict=True):
        found = seldom(
            f"above a condition of 4, d = {size}, {name}", frame["error"] > CLOSE, BETA, factor=factor
        )
        checks.append(_framed(found, size))
    planned = [preconditioned_rows(2, ApproxDP(epsilon, 1e-6), BETA, "auto") for epsilon in EPSILONS]
    return [*checks, _flat(small), *_frame_rows(planned)]


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


def _frame_rows(planned: list[int]) -> list[Verdict]:
    by_d = [votes.FRAME_ROWS[d] for d in (5, 10)]
    return [
        certain("exponent of the planned n in d, from 5 to 10", local_slope([5, 10], by_d), 1.0, 2.0),
        certain("exponent of the planned n in ε, d = 2", local_slope(EPSILONS, planned), -1.1, -0.8),
    ]


def means_need_no_range(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/means-without-range."""
    checks = []
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"no mean within .2, d = {d:g}", rows["error"] > ALPHA, BETA * 4 / 3, factor=4.0)
        shape = al22.robust_mean_shape(int(d), ALPHA, *EVENTS)
        checks.append(_beside(found, "AL22/Thm7.4", votes.MEAN_ROWS[int(d)], MEAN, shape))
    coarse, fine, budget = (0.4, 0.2, 0.1), (0.02, 0.01), votes.BUDGET
    by_alpha = [[theory.mean_rows(2, alpha, budget, BETA) for alpha in alphas] for alphas in (coarse, fine)]
    by_d = [theory.mean_rows(d, ALPHA, budget, BETA) for d in (5, 10, 20)]
    checks += [
        certain("exponent of the planned n in d", local_slope([5, 10, 20], by_d), 0.0, 1.5),
        certain("exponent in α, .4 to .1", local_slope(coarse, by_alpha[0]), -1.1, -0.5),
        certain("exponent in α, .02 to .01", local_slope(fine, by_alpha[1]), -2.1, -1.7),
    ]
    return checks


def laws_are_learned(*frames: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/laws-learned."""
    frame = pd.concat(frames, ignore_index=True)
    checks = []
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"no law within .2, d = {d:g}", rows["error"] > ALPHA, BETA, factor=6.0)
        shape = al22.gaussian_shape(int(d), ALPHA, *EVENTS).total
        checks.append(_beside(found, "AL22/Thm5.7", votes.LAW_ROWS[int(d)], LAW, shape))
    return checks


def covariances_are_learned(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/covariances-learned."""
    checks = []
    for d, rows in measures.by(frame, "d").items():
        found = seldom(f"error above .2, d = {d:g}", rows["error"] > ALPHA, BETA, factor=7.0)
        shape = al22.covariance_shape(int(d), ALPHA, *EVENTS).total
        checks.append(_beside(found, "AL22/Thm5.6", votes.LAW_ROWS[int(d)], COVARIANCE, shape))
    sizes = (5, 10)
    populous, unbounded = (
        [fewest_rows(one, d, votes.BUDGET) for d in sizes]
        for one in (PopulousCovariance(), UnboundedCovariance())
    )
    checks += [
        certain("exponent of the fewest rows in d", local_slope(sizes, populous), 0.0, 2.0),
        certain("the same of covariance/unbounded", local_slope(sizes, unbounded), 0.0, 2.5),
        certain("rows of covariance/unbounded over these", np.divide(unbounded, populous), 0.0, 1.0),
    ]
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
    ),
    Claim(
        "any-gaussian/subspaces-exact",
        "C8",
        ("AL22/Thm4.1", "AL22/Thm1.2", "AL22/Alg2"),
        "the subspace, from the planned rows, with probability .9 (d = 2 .. 20), from half of them at most"
        " once in ten; n grows as d, with exponents .8 to 1 in ln 1/δ and -1 to -.85 in ε",
        sweeps=lambda: (votes.SUBSPACES,),
        checks=subspaces_are_exact,
    ),
    Claim(
        "any-gaussian/preconditioners-found",
        "C9",
        ("AL22/Thm5.4", "AL22/Alg3", "AL22/Lem5.3"),
        "spectral/preconditioner leaves a condition of 4 with probability .9 at its planned n (d = 1, 2,"
        " 5, 10), the same for round spectra, equal ratios of 9, condition number 1e8, and the worst that a"
        " search found where it is none of these (d = 5); n grows with d from 5 to 10 by an exponent from 1"
        " to 2, with ε from -1.1 to -.8",
        sweeps=lambda: (votes.FRAMES, votes.DRAWN_FRAMES, votes.LARGE_FRAMES, votes.LARGEST_FRAMES),
        checks=frames_are_found,
    ),
    Claim(
        "any-gaussian/means-without-range",
        "C10",
        ("AL22/Thm7.4", "AL22/Alg5"),
        "mean/populous finds a mean 1e4 away within .2 at the n of its bound, but for probability β + β/3"
        " (d = 1 .. 20); n grows by at most d^1.5, as α^-1 for large α and α^-2 for small",
        sweeps=lambda: (votes.MEANS,),
        checks=means_need_no_range,
    ),
    Claim(
        "any-gaussian/laws-learned",
        "C12",
        ("AL22/Thm5.7", "AL22/Thm1.1", "AL22/four-steps"),
        "gaussian/populous: total variation above .2 with probability at most β, for full, degenerate and"
        " far laws at about the fewest rows (d = 1, 2, 3, 5), (1, 1e-6)",
        sweeps=lambda: (votes.LAWS, votes.LARGE_LAWS),
        checks=laws_are_learned,
    ),
    Claim(
        "any-gaussian/covariances-learned",
        "AL22.5",
        ("AL22/Thm5.6",),
        "covariance/populous: error above .2 with probability at most β at condition numbers 1 and 1e8 (d"
        " = 1, 2, 3); its fewest rows grow by at most d², those of covariance/unbounded, which are fewer,"
        " by at most d^2.5 (d = 5 and 10)",
        sweeps=lambda: (votes.COVARIANCES,),
        checks=covariances_are_learned,
    ),
)
