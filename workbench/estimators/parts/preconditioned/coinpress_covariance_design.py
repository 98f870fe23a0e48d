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

from workbench.estimators.parts.normal_ball import radius_within
from workbench.estimators.parts.preconditioned.coinpress_design import COVERED, failures_of, shares
from workbench.estimators.parts.preconditioned.expected_frame import mean_size, noise_radius, positive_mean
from workbench.estimators.parts.preconditioned.winsorised_covariance import (
    WinsorisedCovariance,
    squared_errors,
)
from workbench.estimators.parts.rows import second_moment_sensitivity
from workbench.linalg import sample_covariance_excess, symmetric_noise_frobenius, symmetric_noise_norm, tail
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
def covariance_design(
    n: int,
    d: int,
    upper: float,
    mu: float,
    steps: int | None,
    mode: Mode,
    calibration: Calibration,
    beta: float,
) -> CovarianceDesign:
    """Return the design with the smallest error bound, or rms error in mode "practical".

    For n rows with covariance at least I and at most `upper` I.
    """
    ways = shares(steps, calibration)
    tried = (_covariance(n, d, upper, mu, weights, mode, calibration, beta) for weights in ways)
    return min(tried, key=attrgetter("rms" if mode == "practical" else "error"))


@dataclass(frozen=True)
class _Step:
    """A preconditioning step: its share, radius, noise, e, and ℓ after it."""

    weight: float
    clip: float
    sd: float
    excess: float
    lower: float


def _covariance(
    n: int,
    d: int,
    upper: float,
    mu: float,
    weights: Sequence[float],
    mode: Mode,
    calibration: Calibration,
    beta: float,
) -> CovarianceDesign:
    failures = failures_of(len(weights), beta)
    early = list(_early(n, d, upper, mu, weights, failures, mode, calibration))
    lower, excess = (1 / upper, *(step.lower for step in early)), tuple(step.excess for step in early)
    share = 1 - sum(step.weight for step in early)
    if winsorised(mode, calibration):
        clip = WinsorisedCovariance(n, d, GaussianDP(mu * sqrt(share))).radius
        squared = _winsorised_error(n, d, mu * sqrt(share), clip, lower, early)
    else:
        clip = _covariance_clip(n, d, mode, failures[-1] / 3)
        size = lower[-1] if mode == "practical" else reduce(lambda b, e: b / (b + e), excess, 1 / upper)
        noise = _noise(d, _sd(n, clip, mu * sqrt(share), calibration), calibration)
        squared = d * (d + 1) / n + noise / size**2
    error = _error_bound(n, d, _sd(n, clip, mu * sqrt(share), calibration), lower[-1], beta)
    floors = excess if mode == "practical" else lower[:-1]
    return CovarianceDesign(
        weights=(*(step.weight for step in early), share),
        clips=(*(step.clip for step in early), clip),
        excess=excess,
        floors=floors,
        lower=lower,
        error=error,
        rms=sqrt(squared),
    )


def _early(
    n: int,
    d: int,
    upper: float,
    mu: float,
    weights: Sequence[float],
    failures: Sequence[float],
    mode: Mode,
    calibration: Calibration,
) -> Iterator[_Step]:
    """Yield all steps but the last, up to the first that would not raise ℓ."""
    lower = 1 / upper
    for weight, b in zip(weights[:-1], failures, strict=False):
        clip = _covariance_clip(n, d, mode, b / 3)
        sd = _sd(n, clip, mu * sqrt(weight), calibration)
        e = _excess(n, d, sd, mode, b / 3)
        practical = mode == "practical"
        size = positive_mean(lower, noise_radius(d, sd)) + e if practical else lower + 2 * e
        if size >= 1:
            break
        lower = lower / size
        yield _Step(weight, clip, sd, e, lower)


def _sd(n: int, clip: float, mu: float, calibration: Calibration) -> float:
    """Return the sd of the noise, of which norms are measured as if those of symmetric noise."""
    wider = sqrt(2) if calibration == "paper" else 1.0
    return wider * second_moment_sensitivity(n, clip) / mu


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


def _covariance_clip(n: int, d: int, mode: Mode, b: float) -> float:
    return radius_within(d, COVERED) if mode == "practical" else tail(d, b / n)


@lru_cache(maxsize=256)
def _excess(n: int, d: int, sd: float, mode: Mode, b: float) -> float:
    """Return e, how far the noisy covariance of a step may be from the true one in spectral norm."""
    if mode == "practical":
        return CAUTION * (sample_covariance_excess(n, d, COVERED) + sd * symmetric_noise_norm(d, COVERED))
    return sample_covariance_excess(n, d, b) + sd * symmetric_noise_norm(d, b)


def _error_bound(n: int, d: int, sd: float, lower: float, beta: float) -> float:
    """Return a bound on the error in the norm of Σ: √d times the sampling excess, and the noise over ℓ.

    Below 1 it makes Z positive definite, so that its positive part is Z. Otherwise that part moves Z by at
    most the noise once more.
    """
    sampling = sqrt(d) * sample_covariance_excess(n, d, beta / 4)
    noise = sd / lower * symmetric_noise_frobenius(d, beta / 4)
    return sampling + (noise if sampling + noise < 1 else 2 * noise)


def _noise(d: int, sd: float, calibration: Calibration) -> float:
    """Return the mean squared Frobenius norm of the noise; that of "paper" has entries of sd/√2."""
    return sd**2 * d * (d + (calibration == "tight")) / 2
