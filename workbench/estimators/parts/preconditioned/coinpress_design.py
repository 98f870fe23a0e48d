"""Public radii and shares of CoinPress for a mean: everything that is fixed before a row is read.

With b the failure probability of a step and b' = b/3, γ the size of a normal row, s the sd of a step's noise:

    B = min(r + γ, √(γ² + 2(r + γ/n) √(2 ln(2n/b')) + r²)),   γ = tail(d, b'/(2n))
    r ← tail(d, b') √(1/n + s²)

"practical" takes b' = .1 for one row instead of all rows: radii that data exceed now and then, and no proof
of coverage. "paper" has the source's constants: B = r + γ, and a quarter of the budget for all steps but the
last. Proof: `proofs/gaussian_steps.md`, section 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

from workbench.estimators.parts.budgets import divisions
from workbench.estimators.parts.normal_ball import radius_within
from workbench.estimators.parts.rows import mean_sensitivity
from workbench.linalg import tail
from workbench.types import Calibration, Mode

MOST_STEPS = 30
SPREAD = {"tight": (0.02, 0.05, 0.1, 0.15, 0.25, 0.4), "paper": (0.25,)}  # shares of all steps but the last
ROW, COVERED = 0.05, 0.01  # "practical": share of rows clipped, of balls missed


@dataclass(frozen=True)
class Problem:
    """Public facts of a run: n rows of dimension d, `mu` of the whole budget, the entry's options.

    `reach` is how far the mean may be from the centre, or the condition number of the covariance, in units.
    """

    n: int
    d: int
    reach: float
    mu: float
    steps: int | None
    mode: Mode
    calibration: Calibration
    beta: float

    @property
    def practical(self) -> bool:
        """Whether radii are smaller than what is proved."""
        return self.mode == "practical"

    @property
    def shares(self) -> Iterator[tuple[float, ...]]:
        """The shares of all steps, for every number of steps and every way that is tried."""
        counts = range(1, MOST_STEPS + 1) if self.steps is None else (self.steps,)
        return divisions(counts, SPREAD[self.calibration])

    def length(self, b: float, share: float = COVERED) -> float:
        """Return an upper b-quantile of the norm of N(0, I_d), or more; in mode "practical" a `share`-one."""
        return radius_within(self.d, share) if self.practical else tail(self.d, b)


@dataclass(frozen=True)
class MeanDesign:
    """Weights and clipping radii of the steps that are taken; r before each of them and after the last."""

    weights: tuple[float, ...]
    clips: tuple[float, ...]
    radii: tuple[float, ...]

    @property
    def radius(self) -> float:
        """The last r."""
        return self.radii[-1]


@lru_cache(maxsize=4096)
def mean_design(problem: Problem) -> MeanDesign:
    """Return the design with the smallest final radius, for rows of covariance I and `mu`-GDP in all."""
    return min((_mean(problem, weights) for weights in problem.shares), key=lambda design: design.radius)


def failures_of(count: int, beta: float) -> list[float]:
    """Return b of every step: half of beta for the last one, the rest for all others."""
    return [beta / 2 / (count - 1)] * (count - 1) + [beta / 2] if count > 1 else [beta]


def _mean(problem: Problem, weights: Sequence[float]) -> MeanDesign:
    taken: list[float] = []
    clips: list[float] = []
    radii, skipped = [problem.reach], 0.0
    failures = failures_of(len(weights), problem.beta)
    for place, (weight, b) in enumerate(zip(weights, failures, strict=True)):
        last = place == len(weights) - 1
        share = weight + skipped if last else weight
        clip = _mean_clip(problem, radii[-1], b / 3)
        sd = mean_sensitivity(problem.n, clip) / (problem.mu * sqrt(share))
        shrunk = problem.length(b / 3) * sqrt(1 / problem.n + sd**2)
        if shrunk >= radii[-1] and not last:
            skipped += weight
            continue
        taken.append(share)
        clips.append(clip)
        radii.append(shrunk)
    return MeanDesign(tuple(taken), tuple(clips), tuple(radii))


def _mean_clip(problem: Problem, r: float, b: float) -> float:
    n, size = problem.n, problem.length(b / (2 * problem.n), ROW)
    if problem.calibration == "paper":
        return r + size
    across = 2 * r if problem.practical else (r + size / n) * sqrt(2 * log(2 * n / b))
    return min(r + size, sqrt(size**2 + 2 * across + r**2))
