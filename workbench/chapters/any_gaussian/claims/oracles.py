"""Claims about robust oracles and votes of robust groups: AL22 Theorems 6.1, 6.3, 7.3 and 7.4.

The source's theorems hide a constant in front of ξ ln 1/ξ and of ξ √(ln 1/ξ). The constants here are
chosen; beside them stands what no estimator can do (`bounds.corruption`): at ξ = .02, .05 and .1, 1.05,
1.36 and 1.72 times ξ ln 1/ξ, and 1.27, 1.45 and 1.67 times ξ √(ln 1/ξ). No run of a simulation shows a
theorem about all adversaries; what is decided is about the named ones, about those that no constant was
chosen on, and about a search for the worst.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from workbench.bounds import al22
from workbench.bounds.corruption import mean_limit, mean_unit, scale_limit, unit
from workbench.chapters.any_gaussian.runs import attacks
from workbench.study.claim import Claim
from workbench.study.complexity import enough
from workbench.study.measures import seldom
from workbench.study.rules import combine
from workbench.study.verdict import Verdict

NAMED, SEARCHED, NEVER_WORSE, SMALL = 2.4, 3.0, 1.1, 0.7  # in units of ξ ln 1/ξ, but for the third
VOTED, VOTED_MEAN = 3.0, 3.0
LUCK = 1 / 3  # what remains where plant and take cancel: the plain moment is right by luck
SELDOM, TOUCHED = 0.1, 0.01  # of runs, of clean samples
HALF = 0.5
BETA = 0.1
EVENTS = attacks.BUDGET.epsilon, attacks.BUDGET.delta
COVARIANCE = "d^3.5 √ln(1/δ)/(α ε ξ²), α = 3 ξ ln 1/ξ: constant 1"
MEAN = "√(d ln(1/δ))/ε · d/α², α = 3 ξ √(ln 1/ξ): constant 1"
LAW = "the sum of both, 2ξ for the covariance: constants 1"


def limits(corruption: float) -> tuple[float, float]:
    """Return the information limits of covariance and mean in their units."""
    return scale_limit(corruption) / unit(corruption), mean_limit(corruption) / mean_unit(corruption)


def table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors for every cell and attack, and the limit: what a picture of them shows."""
    columns = ["error", "paper", "plain", "remains"]
    means = frame.groupby(["d", "corruption", "n", "attack"], sort=False)[columns].mean().reset_index()
    means["limit"] = [limits(share)[0] for share in means["corruption"]]
    return means


def unlucky(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the runs in which what was planted does not cancel what was taken away."""
    return frame[frame["remains"] > LUCK]


def oracles_err_by_the_unit(frame: pd.DataFrame, clean: pd.DataFrame) -> Verdict:
    """Return the checks of any-gaussian/oracles-within-unit."""
    checks = []
    for d in attacks.D:
        here = frame[frame["d"] == d]
        named = here[~here["attack"].isin(attacks.HELD_OUT)]
        checks.append(seldom(f"above {NAMED} on named attacks, d = {d}", named["error"] > NAMED, SELDOM))
        fair = unlucky(here)
        worse = fair["error"] > np.maximum(NEVER_WORSE * fair["plain"], SMALL)
        checks.append(seldom(f"above the plain moment, d = {d}", worse, SELDOM))
    return combine([*checks, seldom("clean samples that are touched", clean["changed"], TOUCHED)])


def searches_stay_below(*frames: pd.DataFrame) -> Verdict:
    """Return the check of any-gaussian/searches-stay-below."""
    frame = pd.concat(frames)
    return seldom("", frame["error"] > SEARCHED, HALF, factor=1.9)


def votes_err_by_the_unit(frame: pd.DataFrame) -> Verdict:
    """Return the checks of any-gaussian/robust-votes."""
    return _voted(frame, VOTED, "AL22/Thm6.3", COVARIANCE, covariance_rows)


def mean_votes_err_by_the_unit(frame: pd.DataFrame) -> Verdict:
    """Return the checks of any-gaussian/robust-mean-votes."""
    return _voted(frame, VOTED_MEAN, "AL22/Thm7.4", MEAN, mean_rows)


def laws_err_by_the_unit(frame: pd.DataFrame) -> Verdict:
    """Return the checks of any-gaussian/robust-laws."""
    worse = frame.assign(error=np.maximum(frame["error"], frame["mean"]))
    return _voted(worse, VOTED, "AL22/Cor7.5", LAW, law_rows)


def covariance_rows(d: int, corruption: float) -> float:
    """Return the shape of Theorem 6.3 at the error that is claimed."""
    return al22.robust_covariance_shape(d, VOTED * unit(corruption), corruption, *EVENTS)


def mean_rows(d: int, corruption: float) -> float:
    """Return the shape of Theorem 7.4 at the error that is claimed."""
    return al22.robust_mean_shape(d, VOTED_MEAN * mean_unit(corruption), *EVENTS)


def law_rows(d: int, corruption: float) -> float:
    """Return the shape of Corollary 7.5 at the errors that are claimed; pairs have twice the corruption."""
    return covariance_rows(d, 2 * corruption) + mean_rows(d, corruption)


def _voted(
    frame: pd.DataFrame, bound: float, statement: str, formula: str, shape: Callable[[int, float], float]
) -> Verdict:
    """Check abstentions against the plan's β/3, and the errors of answers against the bound."""
    answers = frame[~frame["abstained"]]
    heard = seldom("no answer", frame["abstained"], BETA / 3, factor=6.0)
    near = seldom(f"above {bound:g}", answers["error"] > bound, BETA, factor=4.0)
    for n, d, corruption in frame[["n", "d", "corruption"]].drop_duplicates().itertuples(index=False):
        near = enough(near, statement, formula, int(n), shape(int(d), float(corruption)))
    return combine([heard, near], len(frame))


CLAIMS = (
    Claim(
        "any-gaussian/oracles-within-unit",
        "C11",
        ("AL22/Thm6.1",),
        "tail filter: error > 2.4 ξ ln 1/ξ on named attacks, or > max(1.1 plain, .7 ξ ln 1/ξ) where the plain"
        " moment is not right by luck, in at most 1 run of 10, for every d; at most 1 of 100 clean samples"
        " touched",
        sweeps=lambda: (attacks.ORACLES, attacks.CLEAN),
        checks=oracles_err_by_the_unit,
    ),
    Claim(
        "any-gaussian/searches-stay-below",
        "AL22.1",
        ("AL22/Thm6.1",),
        "the attack that a search of 150 evaluations finds errs by at most 3 ξ ln 1/ξ on fresh rows, in at"
        " least half of the searches",
        sweeps=lambda: (attacks.SEARCHES, attacks.LARGE_SEARCHES),
        checks=searches_stay_below,
    ),
    Claim(
        "any-gaussian/robust-votes",
        "AL22.2",
        ("AL22/Thm6.3", "AL22/Alg4"),
        "covariance/populous-robust at n = 45,000 (d = 1) and 140,000 (d = 2), ξ = .05, (1, 1e-6): no answer"
        " with probability at most β/3, error at most 3 ξ ln 1/ξ but for 1 run of 10",
        sweeps=lambda: (attacks.VOTES,),
        checks=votes_err_by_the_unit,
    ),
    Claim(
        "any-gaussian/robust-mean-votes",
        "AL22.3",
        ("AL22/Thm7.4", "AL22/Alg5"),
        "mean/populous-robust at n = 8,000, 12,000, 30,000 (d = 1, 2, 5), ξ = .05, (1, 1e-6): no answer with"
        " probability at most β/3, error at most 3 ξ √(ln 1/ξ) but for 1 run of 10",
        sweeps=lambda: (attacks.MEAN_VOTES,),
        checks=mean_votes_err_by_the_unit,
    ),
    Claim(
        "any-gaussian/robust-laws",
        "AL22.4",
        ("AL22/Cor7.5",),
        "gaussian/populous-robust at n = 120,000 (d = 1), 300,000 (d = 2), ξ = .02, (1, 1e-6): no answer with"
        " probability at most β/3, errors at most 3 · 2ξ ln 1/2ξ and 3 ξ √(ln 1/ξ) but for 1 run of 10",
        sweeps=lambda: (attacks.LAWS,),
        checks=laws_err_by_the_unit,
    ),
)
