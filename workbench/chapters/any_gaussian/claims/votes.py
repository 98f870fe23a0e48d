"""Claims about the geometry of AL22: Lemmas 3.2, 3.6, 5.1 and 5.2, Theorem 2.12, Proposition 6.2.

An inequality about all matrices or all neighbours is checked on many; one violation refutes it, and it holds
only if a stated share of its bound was reached. What follows from public numbers is computed, not measured.
The corrections to the source's formulas are part of what is run (`proofs/populous.md`).
"""

from math import log

import numpy as np
import pandas as pd

from workbench.bounds.al22 import mask_error
from workbench.chapters.any_gaussian.claims.checks import certain, reached
from workbench.chapters.any_gaussian.runs import geometry, theory
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.intervals import local_slope
from workbench.study.measures import seldom
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict

BETA = geometry.BETA
NARROW, WIDE = 2.5, 4.3  # .9-quantile of the source's mask, in units of η√d
MASKED = (1, 2, 5, 10)
SPLIT = ApproxDP(0.5, 5e-7)
EPSILONS, DELTAS = (0.25, 0.5, 1.0, 2.0), (1e-3, 1e-5, 1e-7, 1e-9)


def triangles_hold(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/triangles-hold."""
    return [
        reached("dist(A, C) over dist(A, B) + dist(B, C)", frame["source"], 1.5, 0.95),
        reached("1 + dist(A, C) over the product", frame["sharp"], 1.0, 0.99),
    ]


def mixtures_are_local(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/mixtures-are-local."""
    return [
        reached("dist over |a - a'|₁ (1 + D)", frame["source"], 1.0, 0.4),
        reached("dist over D TV(a, a')", frame["sharp"], 1.0, 0.98),
    ]


def truncated_noise_is_exact() -> Verdict:
    """Return the checks of any-gaussian/truncated-noise-exact; nothing is random."""
    pairs = [(epsilon, delta) for epsilon in (0.1, 0.5, 1.0, 5.0) for delta in (0.4, 0.01, *DELTAS)]
    ratios = [theory.truncated_divergence(*pair) for pair in pairs]
    return certain("divergence at a shift of the sensitivity, over δ", ratios, 1 - 1e-4, 1 + 1e-4)


def masks_hide_more() -> list[Verdict]:
    """Return the checks of any-gaussian/masks-hide-more; nothing is random."""
    budget = SPLIT.epsilon, SPLIT.delta
    gains = [theory.gain(d, *budget) for d in MASKED]
    radii = [theory.exact_radius(1 / (6 * d**0.5), d, 0.7, SPLIT.delta) * d for d in MASKED]
    eta = 1 / (6 * 2**0.5)
    by_epsilon = [theory.exact_radius(eta, 2, epsilon, SPLIT.delta) for epsilon in EPSILONS]
    by_delta = [theory.exact_radius(eta, 2, SPLIT.epsilon, delta) for delta in DELTAS]
    levels = [log(1 / delta) for delta in DELTAS]
    return [
        certain(
            "exact δ at the stated γ, over δ",
            [theory.stated_excess(d, *budget) for d in MASKED],
            0.0,
            1.0,
        ),
        certain("exact γ over the stated one", gains, 13.0, 21.0),
        certain("γ d", radii, 0.03, 0.055),
        certain("exponent of γ in ε", local_slope(EPSILONS, by_epsilon), 0.85, 1.0),
        certain("exponent of γ in ln 1/δ", local_slope(levels, by_delta), -1.0, -0.5),
    ]


def masks_are_concentrated(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/masks-concentrate."""
    unit = frame["eta"] * np.sqrt(frame["d"])
    checks = []
    for d in frame["d"].unique().tolist():
        rows = frame[frame["d"] == d]
        limits = np.array([mask_error(eta, d, BETA) for eta in rows["eta"]])
        checks.append(seldom(f"beyond (1 - x)⁻² - 1, d = {d}", rows["dist"] > limits, BETA, factor=2.5))
        here = rows["dist"] / unit[rows.index]
        checks.append(seldom(f"beyond {WIDE} η√d, d = {d}", here > WIDE, BETA, factor=2.5))
        checks.append(seldom(f"within {NARROW} η√d, d = {d}", here <= NARROW, 1 - BETA, factor=1.1))
    return checks


def neighbours_move_little(frame: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/neighbours-move-little."""
    return [
        reached("count of friends over its sensitivity", frame["count"], 1.0, 1.0),
        reached("weights in total variation over C/k", frame["shares"], 1.0, 0.9),
        reached("averages in Thompson's metric over ln(1 + CE/k)", frame["distance"], 1.0, 0.1),
    ]


def frobenius_masks_are_concentrated(frame: pd.DataFrame, twice: pd.DataFrame) -> list[Verdict]:
    """Return the checks of any-gaussian/frobenius-masks-concentrate."""
    checks = [
        seldom(f"d = {d}", rows["frobenius"] > geometry.ALPHA, geometry.BETA)
        for d, rows in frame.groupby("d")
    ]
    for d, rows in twice.groupby("d"):
        moved = int((rows["frobenius"] > geometry.ALPHA).sum())
        share = measures.share(moved, len(rows), 2 * claim_level())
        checks.append(measures.between(f"twice as wide, d = {d}", share, geometry.BETA, 1.0))
    return checks


CLAIMS = (
    Claim(
        "any-gaussian/triangles-hold",
        "C1",
        ("AL22/Lem3.2", "AL22/Eq5.1"),
        "dist(A, C) ≤ 3/2 (dist(A, B) + dist(B, C)) where both are at most 1, and 1 + dist(A, C) ≤ (1 +"
        " dist(A, B))(1 + dist(B, C)); both are attained",
        sweeps=lambda: (geometry.TRIANGLES,),
        checks=triangles_hold,
    ),
    Claim(
        "any-gaussian/mixtures-are-local",
        "C2",
        ("AL22/Lem3.2",),
        "two mixtures of covariances at most D apart: dist ≤ |a - a'|₁ (1 + D), and dist ≤ D TV(a, a'),"
        " which is attained",
        sweeps=lambda: (geometry.MIXTURES,),
        checks=mixtures_are_local,
    ),
    Claim(
        "any-gaussian/truncated-noise-exact",
        "C3",
        ("AL22/Thm2.12",),
        "truncated Laplace noise moved by its sensitivity: the hockey-stick divergence at ε is δ, to 1e-4",
        checks=truncated_noise_is_exact,
    ),
    Claim(
        "any-gaussian/masks-hide-more",
        "C4",
        ("AL22/Lem5.1", "AL22/LemD.1"),
        "the source's mask at the stated γ is within δ; exactly it hides γ 13 to 21 times as large (d = 1"
        " .. 10, η = 1/(6√d)), γd from .03 to .055, with exponents from .85 to 1 in ε and -1 to -1/2 in ln"
        " 1/δ",
        checks=masks_hide_more,
        kind="lock",
    ),
    Claim(
        "any-gaussian/masks-concentrate",
        "C5",
        ("AL22/Lem5.2", "AL22/Def3.5", "AL22/ThmA.5"),
        "dist of the source's mask is beyond (1 - x)⁻² - 1 with probability at most .1; its .9-quantile is"
        " from 2.5 to 4.3 η√d (d = 2 .. 20)",
        sweeps=lambda: (geometry.MASKS,),
        checks=masks_are_concentrated,
        kind="lock",
    ),
    Claim(
        "any-gaussian/neighbours-move-little",
        "C6",
        (
            "AL22/Lem3.6",
            "AL22/Alg1",
            "AL22/ClaimC.2",
            "AL22/ClaimC.3",
            "AL22/ClaimC.4",
            "AL22/ClaimC.5",
            "AL22/ClaimC.6",
        ),
        "one replaced group moves the count of friends by at most 2(k - 1), which is attained, the weights"
        " by at most C/k, and the average by at most ln(1 + CE/k)",
        sweeps=lambda: (geometry.NEIGHBOURS,),
        checks=neighbours_move_little,
    ),
    Claim(
        "any-gaussian/frobenius-masks-concentrate",
        "AL22.6",
        ("AL22/Prop6.2",),
        "the source's mask at the η of order α/d moves I by more than α = .2 in Frobenius norm with"
        " probability at most .1 (d = 1 .. 10), at twice that η with a larger one (d = 5, 10)",
        sweeps=lambda: (geometry.FROBENIUS, geometry.TWICE),
        checks=frobenius_masks_are_concentrated,
    ),
)
