"""Claims about single entries: how they concentrate, and what a threshold makes of them.

WX19 Lemma 1, equation (9) and Lemma 3. The algorithm is the source's own:
calibration "paper" and the rule of equation (9), its γ chosen as 4 max T_ii.
"""

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds import wx19 as bounds
from workbench.chapters.sparse_covariance.runs.designs import (
    Run,
    released,
    share_of,
    spread,
)
from workbench.chapters.sparse_covariance.runs.measures import geometric
from workbench.estimators.sparse import paper_threshold
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Sweep, grid
from workbench.study.measures import at, seldom
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict
from workbench.study.run import Row, each_trial
from workbench.types import Array

BETA, LOOSE = 0.05, 0.5
ENTRY_P, LEMMA_P = (10, 50), (5, 10)


def run_of(covariance: Array, n: int, epsilon: float, data: Generator, noise: Generator) -> Run:
    """Return a run with the source's noise."""
    return released(covariance, n, epsilon, data, noise, calibration="paper")


def covariance_of(p: int, n: int, degree: float, data: Generator) -> Array:
    """Return a covariance with a spread support of some degree."""
    return spread(p, share_of(p, degree), n, data)


@each_trial
def deviations(p: int, n: int, epsilon: float, degree: int, *, data: Generator, noise: Generator) -> Row:
    """Measure the largest |T_ij - σ_ij| over its bound, both of every entry."""
    one = run_of(covariance_of(p, n, degree, data), n, epsilon, data, noise)
    sds = one.noise.off_diagonal, one.noise.diagonal
    allowed = bounds.entry_deviation(one.truth, one.n, *sds, BETA)
    return {"ratio": float((np.abs(one.released - one.truth) / allowed).max())}


ENTRIES = Sweep(
    "wx19-entries",
    grid(p=ENTRY_P, n=2000, epsilon=1.0, degree=2),
    deviations,
    trials=75,
    blocks=blocks(20),
)


def entry_checks(frame: pd.DataFrame) -> list[Verdict]:
    """Return how often an entry breaks the bound, and how close the largest comes to it."""
    checks = []
    for p in ENTRY_P:
        ratio = at(frame, p=p)["ratio"]
        name = f"runs with an entry beyond its bound, p = {p}"
        checks.append(seldom(name, ratio > 1, BETA, "at most 5 %", level=claim_level(parts=4), n=2000))
        close = geometric(ratio, claim_level(parts=4))
        checks.append(measures.between(f"largest deviation over its bound, p = {p}", close, LOOSE, 1.0))
    return checks


@each_trial
def lemma_3(p: int, n: int, epsilon: float, degree: int, *, data: Generator, noise: Generator) -> Row:
    """Record whether any thresholded entry is off by more than 4 min(|σ_ij|, t)."""
    one = run_of(covariance_of(p, n, degree, data), n, epsilon, data, noise)
    allowed = bounds.lemma_3(one.truth, paper_threshold(one.released, one.noise))
    broken = np.abs(one.kept("paper", noise) - one.truth) > allowed
    return {"broken": float(broken.any())}


LEMMA = Sweep(
    "wx19-lemma-3",
    grid(p=LEMMA_P, n=5000, epsilon=1.0, degree=2),
    lemma_3,
    trials=1200,
    blocks=blocks(20),
)


def entry_by_entry(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of sparse-covariance/entry-by-entry."""
    return [lemma_check(at(frame, p=p), p) for p in LEMMA_P]


def lemma_check(frame: pd.DataFrame, p: int) -> Verdict:
    """Return how often any of the p(p+1)/2 entries breaks the lemma, against the sum of their chances."""
    allowed = p * (p + 1) / 2 * bounds.lemma_3_failure(p)
    name, level = f"runs with an entry that breaks the lemma, p = {p}", claim_level(parts=len(LEMMA_P))
    return seldom(name, frame["broken"], allowed, "p(p+1)/2 · 2 p^(-9/2)", level=level, n=5000)


CLAIMS = (
    Claim(
        "sparse-covariance/entries-concentrate",
        "S9",
        ("WX19/Lem1", "WX19/Eq9"),
        "With constants derived, no entry of the released matrix is further from the truth than √(2(σ_ii"
        " σ_jj + σ_ij²)L/n) + (√(σ_ii σ_jj) + |σ_ij|)L/n + sd √(2L), L = ln(2p(p+1)/β), but for β = 5 % of"
        " runs (p = 10, 50; n = 2000), and the largest comes within a factor of two of it.",
        sweeps=lambda: (ENTRIES,),
        checks=entry_checks,
    ),
    Claim(
        "sparse-covariance/entry-by-entry",
        "S10",
        ("WX19/Lem3",),
        "Entry by entry |σ̌_ij - σ_ij| ≤ 4 min(|σ_ij|, t), t of equation (9) with γ = 4 max T_ii: any of"
        " the p(p+1)/2 entries breaks it with probability at most 2 p^(-9/2) each, at p = 5 and 10, n ="
        " 5000.",
        sweeps=lambda: (LEMMA,),
        checks=entry_by_entry,
    ),
)
