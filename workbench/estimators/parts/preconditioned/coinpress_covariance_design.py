"""Public radii and shares of CoinPress for a covariance: everything that is fixed before a row is read.

With b the failure probability of a step and b' = b/3, γ the size of a normal row, s the sd of a step's noise:

    B = γ = tail(d, b'/n)
    x = √(d/n) + √(2 ln(2/b')/n),  e = 2x + x² + √2 s (√d + √ln(2/b'))
    ℓ ← ℓ/(ℓ + 2e), skipped where ℓ + 2e ≥ 1

"practical" takes b' = .1 for one row instead of all rows, a radius that data exceed now and then, .15 e, and
U = Z₊ + eI: an axis that noise hides is overestimated, at most by 1/.15 or so, until the next step sees it.
Its ℓ is what is expected of the smallest axes (`parts.preconditioned.expected_frame`), and a step is skipped
where it would not raise that; nothing is proved of coverage. Proof of "proved": `proofs/gaussian_steps.md`,
section 2.

"paper" has the source's constants: a quarter of the budget for all steps but the last, and noise of one sd on
every entry, whose norms are √2 times as large.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import sqrt
from operator import attrgetter

import numpy as np

from workbench.estimators.parts.preconditioned.coinpress_design import COVERED, Problem, failures_of
from workbench.estimators.parts.preconditioned.expected_frame import mean_size, noise_radius, positive_mean
from workbench.estimators.parts.preconditioned.winsorised_covariance import (
    WinsorisedCovariance,
    squared_errors,
)
from workbench.estimators.parts.rows import second_moment_sensitivity
from workbench.linalg import sample_covariance_excess, symmetric_noise_frobenius, symmetric_noise_norm
from workbench.privacy import GaussianDP
from workbench.types import Calibration, Mode

CAUTION = 0.15  # "practical": the share of e that is used


@dataclass(frozen=True)
class CovarianceDesign:
    """Weights and clipping radii; e and the least eigenvalue of U for all steps but the last.

    `lower` is ℓ before each step, a bound in mode "proved", expected in mode "practical"; `error` what the
    error exceeds with probability at most beta if ℓ is a bound, `rms` its root mean square.
    """

    weights: tuple[float, ...]
    clips: tuple[float, ...]
    excess: tuple[float, ...]
    floors: tuple[float, ...]
    lower: tuple[float, ...]
    error: float
    rms: float


@lru_cache(maxsize=4096)
def covariance_design(problem: Problem) -> CovarianceDesign:
    """Return the design with the smallest error bound, or rms error in mode "practical".

    For n rows with covariance at least I and at most `reach` I.
    """
    tried = (_covariance(problem, weights) for weights in problem.shares)
    return min(tried, key=attrgetter("rms" if problem.practical else "error"))


@dataclass(frozen=True)
class _Step:
    """A preconditioning step: its share, radius, noise, e, and ℓ after it."""

    weight: float
    clip: float
    sd: float
    excess: float
    lower: float


def _covariance(problem: Problem, weights: Sequence[float]) -> CovarianceDesign:
    n, d, failures = problem.n, problem.d, failures_of(len(weights), problem.beta)
    early = list(_early(problem, weights, failures))
    lower, excess = (1 / problem.reach, *(step.lower for step in early)), tuple(step.excess for step in early)
    share = 1 - sum(step.weight for step in early)
    mu = problem.mu * sqrt(share)
    if winsorised(problem.mode, problem.calibration):
        clip = WinsorisedCovariance(n, d, GaussianDP(mu)).radius
        squared = _winsorised_error(n, d, mu, clip, lower, early)
    else:
        clip = problem.length(failures[-1] / 3 / n)
        size = lower[-1] if problem.practical else reduce(lambda b, e: b / (b + e), excess, 1 / problem.reach)
        noise = _noise(d, _sd(problem, clip, mu), problem.calibration)
        squared = d * (d + 1) / n + noise / size**2
    return CovarianceDesign(
        weights=(*(step.weight for step in early), share),
        clips=(*(step.clip for step in early), clip),
        excess=excess,
        floors=excess if problem.practical else lower[:-1],
        lower=lower,
        error=_error_bound(problem, _sd(problem, clip, mu), lower[-1]),
        rms=sqrt(squared),
    )


def _early(problem: Problem, weights: Sequence[float], failures: Sequence[float]) -> Iterator[_Step]:
    """Yield all steps but the last, up to the first that would not raise ℓ."""
    lower = 1 / problem.reach
    for weight, b in zip(weights[:-1], failures, strict=False):
        clip = problem.length(b / 3 / problem.n)
        sd = _sd(problem, clip, problem.mu * sqrt(weight))
        e = _excess(problem, sd, b / 3)
        mean = positive_mean(lower, noise_radius(problem.d, sd))
        size = mean + e if problem.practical else lower + 2 * e
        if size >= 1:
            break
        lower = lower / size
        yield _Step(weight, clip, sd, e, lower)


def _sd(problem: Problem, clip: float, mu: float) -> float:
    """Return the sd of the noise, of which norms are measured as if those of symmetric noise."""
    wider = sqrt(2) if problem.calibration == "paper" else 1.0
    return wider * second_moment_sensitivity(problem.n, clip) / mu


def _winsorised_error(
    n: int, d: int, mu: float, clip: float, lower: Sequence[float], early: Sequence[_Step]
) -> float:
    """Return the mean squared error in the last frame: noise over its ℓ, rows cut as for its mean size."""
    size = lower[-1]
    if early:
        size = mean_size(lower[-2], noise_radius(d, early[-1].sd), early[-1].excess)
    squared = np.array([clip**2 / size])
    return float(squared_errors(squared, n, d, mu * lower[-1] / size)[0])


def winsorised(mode: Mode, calibration: Calibration) -> bool:
    """Return whether the last step is `parts.preconditioned.winsorised_covariance`."""
    return mode == "practical" and calibration == "tight"


def _excess(problem: Problem, sd: float, b: float) -> float:
    """Return e, how far the noisy covariance of a step may be from the true one in spectral norm."""
    n, d = problem.n, problem.d
    if problem.practical:
        return CAUTION * (sample_covariance_excess(n, d, COVERED) + sd * symmetric_noise_norm(d, COVERED))
    return sample_covariance_excess(n, d, b) + sd * symmetric_noise_norm(d, b)


def _error_bound(problem: Problem, sd: float, lower: float) -> float:
    """Return a bound on the error in the norm of Σ: √d times the sampling excess, and the noise over ℓ.

    Below 1 it makes Z positive definite, so that its positive part is Z. Otherwise that part moves Z by at
    most the noise once more.
    """
    d, b = problem.d, problem.beta / 4
    sampling = sqrt(d) * sample_covariance_excess(problem.n, d, b)
    noise = sd / lower * symmetric_noise_frobenius(d, b)
    return sampling + (noise if sampling + noise < 1 else 2 * noise)


def _noise(d: int, sd: float, calibration: Calibration) -> float:
    """Return the mean squared Frobenius norm of the noise; that of "paper" has entries of sd/√2."""
    return sd**2 * d * (d + (calibration == "tight")) / 2
