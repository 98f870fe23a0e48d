"""Rules that keep the entries of a released covariance that stand out of their noise.  WX19 eq. (9).

Everything here sees only the released matrix T, n, and the public sds of its noise: post-processing, free of
privacy cost. The noise level of entry (i, j), for rows that are about normal:

    s_ij = √(sd_ij² + (T_ii⁺ T_jj⁺ + T_ij²)/n)                       privacy and sampling together

    paper            |T_ij| > 4 √ln p sd + γ √(ln p/n)                eq. (9); γ = 4 max_i T_ii⁺, chosen
    hard             |T_ij| > κ √ln p s_ij, κ = 1.6
    adaptive-lasso   T_ij (1 - (t_ij/|T_ij|)⁴)₊, t_ij = κ √ln p s_ij, κ = 1.4
    bh               adaptive lasso at the threshold of Benjamini & Hochberg for level .1, times .9
    thinning         adaptive lasso, κ by validation: T + c Z against T - Z/c, Z of the sds s_ij, c = 1/2

With κ = 1.2 the adaptive lasso errs by 1 % less on average, but it keeps so many small entries of pure noise
that its support never gets clean (p = 100: F1 below .9 for any n); with 1.4 it does.

The diagonal is kept as it is, whatever the rule: as printed, eq. (9) would compare it with t as well.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Literal, TypeAlias

import numpy as np

from workbench.special import ndtr, ndtri
from workbench.types import Array

Rule: TypeAlias = Literal["adaptive-lasso", "hard", "paper", "bh", "thinning"]
RULES: tuple[Rule, ...] = ("adaptive-lasso", "hard", "paper", "bh", "thinning")
DEFAULT: dict[str, Rule] = {"tight": "adaptive-lasso", "paper": "paper"}  # by calibration

LASSO, HARD, PAPER, BH_LEVEL, BH_FACTOR = 1.4, 1.6, 4.0, 0.1, 0.9
SPLIT = 0.5  # c of thinning
KAPPAS = np.linspace(0.4, 3.2, 15)  # that thinning tries


@dataclass(frozen=True)
class Noise:
    """The public sds of the noise of a released matrix, and the number of rows behind it."""

    diagonal: float
    off_diagonal: float
    n: int

    def levels(self, released: Array) -> Array:
        """Return s_ij of every entry."""
        sds = np.full(released.shape, self.off_diagonal)
        np.fill_diagonal(sds, self.diagonal)
        scale = np.maximum(np.diag(released), 0.0)
        return np.sqrt(sds**2 + (np.outer(scale, scale) + released**2) / self.n)


def thresholded(released: Array, noise: Noise, rule: Rule, stream: np.random.Generator) -> Array:
    """Return the released matrix with small entries off the diagonal set to 0 or shrunk."""
    levels, root = noise.levels(released), sqrt(log(max(len(released), 2)))
    match rule:
        case "hard":
            return _kept(released, np.abs(released) > HARD * root * levels)
        case "paper":
            return _kept(released, np.abs(released) > paper_threshold(released, noise))
        case "bh":
            return _lasso(released, BH_FACTOR * bh_factor(released, levels) * levels)
        case "thinning":
            return _lasso(released, thinned_kappa(released, levels, stream) * root * levels)
    return _lasso(released, LASSO * root * levels)


def paper_threshold(released: Array, noise: Noise) -> float:
    """Return t of equation (9)."""
    p = max(len(released), 2)
    spread = max(float(np.diag(released).max()), 0.0)
    return PAPER * (sqrt(log(p)) * noise.off_diagonal + spread * sqrt(log(p) / noise.n))


def bh_factor(released: Array, levels: Array) -> float:
    """Return the least |T_ij|/s_ij that Benjamini and Hochberg reject; with none, Bonferroni's."""
    scores = np.sort(np.abs(released / levels)[np.triu_indices(len(released), 1)])[::-1]
    count = max(len(scores), 1)
    rejected = np.flatnonzero(2 * ndtr(-scores) <= BH_LEVEL * np.arange(1, len(scores) + 1) / count)
    return float(scores[rejected[-1]]) if len(rejected) else float(-ndtri(BH_LEVEL / (2 * count)))


def thinned_kappa(released: Array, levels: Array, stream: np.random.Generator) -> float:
    """Return the κ whose lasso of T + cZ is closest to T - Z/c off the diagonal."""
    draw = stream.standard_normal(released.shape)
    noise = levels * (np.triu(draw) + np.triu(draw, 1).T)
    first, second = released + SPLIT * noise, released - noise / SPLIT
    root = sqrt(log(max(len(released), 2)))
    spread = levels * sqrt(1 + SPLIT**2)
    away = ~np.eye(len(released), dtype=bool)
    losses = [((_lasso(first, kappa * root * spread) - second)[away] ** 2).sum() for kappa in KAPPAS]
    return float(KAPPAS[int(np.argmin(losses))])


def _kept(matrix: Array, large: np.ndarray) -> Array:
    return np.where(large | np.eye(len(matrix), dtype=bool), matrix, 0.0)


def _lasso(matrix: Array, thresholds: Array) -> Array:
    with np.errstate(all="ignore"):
        shrunk = matrix * np.maximum(1 - (thresholds / np.abs(matrix)) ** 4, 0.0)
    kept = np.where(np.isfinite(shrunk), shrunk, 0.0)
    np.fill_diagonal(kept, np.diag(matrix))
    return np.asarray(kept)
