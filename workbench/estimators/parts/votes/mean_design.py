"""Designs of a vote on means: which group sizes, and how far apart the means of normal groups are.

    (1) for groups of s rows of N(m, I), |Y_i - Y_j| = √(2/s) χ_d: its quantiles are exact
    (2) of all designs the one with the narrowest mask                                    `parts.votes.design`

"paper": the source's thresholds and constants (`parts.votes.paper`).
"""

from functools import lru_cache
from math import sqrt

from scipy.special import chdtri

from workbench.errors import ArgumentError
from workbench.estimators.parts.votes.design import FAR, Design, Designer, fewest
from workbench.estimators.parts.votes.paper import mean_design
from workbench.estimators.parts.votes.vote import norm_moves
from workbench.privacy import ApproxDP

SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # rows of a group


@lru_cache(maxsize=4096)
def design(n: int, d: int, budget: ApproxDP, beta: float) -> Design:
    """Return the best design for n rows of unit scale; raise where they are too few for any."""
    best = Designer("gaussian", norm_moves, lambda s: limits(d, s), SIZES).best(n, budget, beta)
    if best is None:
        raise ArgumentError("n", n, f"at least {fewest_rows(d, budget, beta)} for d = {d} at {budget}")
    return best


@lru_cache(maxsize=256)
def fewest_rows(d: int, budget: ApproxDP, beta: float) -> int:
    """Return the fewest rows that have a design."""
    designer = Designer("gaussian", norm_moves, lambda s: limits(d, s), SIZES)
    return fewest(lambda n: designer.best(n, budget, beta), 32)


def limits(d: int, size: int) -> tuple[float, ...]:
    """Return ρ of step (1) for each p."""
    return tuple(sqrt(2 / size * float(chdtri(d, far))) for far in FAR)


def design_of(n: int, d: int, budget: ApproxDP, beta: float, alpha: float, calibration: str) -> Design:
    """Return the design of a calibration; `alpha`, in units of the scale, is what the source's aims at."""
    if calibration == "paper":
        return mean_design(n, d, budget, beta, alpha)
    return design(n, d, budget, beta)
