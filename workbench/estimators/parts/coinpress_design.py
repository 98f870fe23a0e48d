"""Public radii and shares of CoinPress: everything that is fixed before a row is read.

With b the failure probability of a step and b' = b/3, γ the size of a normal row, s the sd of a step's noise:

    mean         B = min(r + γ, √(γ² + 2(r + γ/n) √(2 ln(2n/b')) + r²)),   γ = tail(d, b'/(2n))
                 r ← tail(d, b') √(1/n + s²)
    covariance   B = γ = tail(d, b'/n)
                 x = √(d/n) + √(2 ln(2/b')/n),  e = 2x + x² + √2 s (√d + √ln(2/b'))
                 ℓ ← ℓ/(ℓ + 2e), skipped where ℓ + 2e ≥ 1

"practical" takes b' = .1 for one row instead of all rows: radii that data exceed now and then, and no proof
of coverage. For a covariance it takes .15 e, and U = Z₊ + eI: eigenvalues that noise hides are overestimated,
at most by 1/.15 or so, until the next step sees them. Its ℓ is what is expected of the smallest axes
(`expected_frame`), and a step is skipped where it would not raise that. Proof of both recursions of "proved":
`proofs/gaussian_steps.md`, sections 1 and 2.

"paper" has the source's constants: B = r + γ, a quarter of the budget for all steps but the last, and noise
of one sd on every entry of a matrix, whose norms are √2 times as large.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import log, sqrt
from operator import attrgetter
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import gammainccinv

from workbench.estimators.parts.expected_frame import noise_radius, positive_mean
from workbench.estimators.parts.rows import mean_sensitivity, second_moment_sensitivity
from workbench.estimators.parts.winsorised_covariance import WinsorisedCovariance, squared_errors
from workbench.linalg import sample_covariance_excess, symmetric_noise_frobenius, symmetric_noise_norm, tail
from workbench.privacy import GaussianDP

Mode: TypeAlias = Literal["practical", "proved"]
Calibration: TypeAlias = Literal["paper", "tight"]

MOST_STEPS = 30
SPREAD = {"tight": (0.02, 0.05, 0.1, 0.15, 0.25, 0.4), "paper": (0.25,)}  # shares of all steps but the last
ROW, COVERED, CAUTION = 0.05, 0.01, 0.15  # "practical": share of rows clipped, of balls missed, of e used


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
def mean_design(
    n: int,
    d: int,
    radius: float,
    mu: float,
    steps: int | None,
    mode: Mode,
    calibration: Calibration,
    beta: float,
) -> MeanDesign:
    """Return the design with the smallest final radius, for n rows of covariance I and `mu`-GDP in all."""
    shares = _shares(steps, calibration)
    tried = (_mean(n, d, radius, mu, weights, mode, calibration, beta) for weights in shares)
    return min(tried, key=lambda design: design.radius)


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
    shares = _shares(steps, calibration)
    tried = (_covariance(n, d, upper, mu, weights, mode, calibration, beta) for weights in shares)
    return min(tried, key=attrgetter("rms" if mode == "practical" else "error"))


def _shares(steps: int | None, calibration: Calibration) -> Iterator[tuple[float, ...]]:
    for count in range(1, MOST_STEPS + 1) if steps is None else (steps,):
        for spread in SPREAD[calibration] if count > 1 else (0.0,):
            yield (*(spread / (count - 1),) * (count - 1), 1 - spread) if count > 1 else (1.0,)


def _failures(count: int, beta: float) -> list[float]:
    """Return b of every step: half of beta for the last one, the rest for all others."""
    return [beta / 2 / (count - 1)] * (count - 1) + [beta / 2] if count > 1 else [beta]


def _mean(
    n: int,
    d: int,
    radius: float,
    mu: float,
    weights: Sequence[float],
    mode: Mode,
    calibration: Calibration,
    beta: float,
) -> MeanDesign:
    taken: list[float] = []
    clips: list[float] = []
    radii, skipped = [radius], 0.0
    for place, (weight, b) in enumerate(zip(weights, _failures(len(weights), beta), strict=True)):
        last = place == len(weights) - 1
        share = weight + skipped if last else weight
        clip = _mean_clip(n, d, radii[-1], mode, calibration, b / 3)
        sd = mean_sensitivity(n, clip) / (mu * sqrt(share))
        shrunk = _mean_tail(d, mode, b / 3) * sqrt(1 / n + sd**2)
        if shrunk >= radii[-1] and not last:
            skipped += weight
            continue
        taken.append(share)
        clips.append(clip)
        radii.append(shrunk)
    return MeanDesign(tuple(taken), tuple(clips), tuple(radii))


def _mean_clip(n: int, d: int, r: float, mode: Mode, calibration: Calibration, b: float) -> float:
    practical = mode == "practical"
    size = _chi(d, ROW) if practical else tail(d, b / (2 * n))
    if calibration == "paper":
        return r + size
    across = 2 * r if practical else (r + size / n) * sqrt(2 * log(2 * n / b))
    return min(r + size, sqrt(size**2 + 2 * across + r**2))


def _mean_tail(d: int, mode: Mode, b: float) -> float:
    return _chi(d, COVERED) if mode == "practical" else tail(d, b)


@lru_cache(maxsize=256)
def _chi(d: int, share: float) -> float:
    """Return what the norm of N(0, I_d) exceeds with probability `share`."""
    return sqrt(2 * float(gammainccinv(d / 2, share)))


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
    practical, failures = mode == "practical", _failures(len(weights), beta)
    wider = sqrt(2) if calibration == "paper" else 1.0
    taken: list[float] = []
    clips: list[float] = []
    excess: list[float] = []
    lower = [1 / upper]
    for weight, b in zip(weights[:-1], failures, strict=False):
        clip = _covariance_clip(n, d, mode, b / 3)
        sd = wider * second_moment_sensitivity(n, clip) / (mu * sqrt(weight))
        e = _excess(n, d, sd, mode, b / 3)
        size = positive_mean(lower[-1], noise_radius(d, sd)) + e if practical else lower[-1] + 2 * e
        if size >= 1:
            break
        taken.append(weight)
        clips.append(clip)
        excess.append(e)
        lower.append(lower[-1] / size)
    share = 1 - sum(taken)
    if winsorised(mode, calibration):
        clip = WinsorisedCovariance(n, d, GaussianDP(mu * sqrt(share))).radius
    else:
        clip = _covariance_clip(n, d, mode, failures[-1] / 3)
    sd = wider * second_moment_sensitivity(n, clip) / (mu * sqrt(share))
    expected = lower[-1] if practical else reduce(lambda size, e: size / (size + e), excess, 1 / upper)
    if winsorised(mode, calibration):
        squared = float(squared_errors(np.array([clip**2 / expected]), n, d, mu * sqrt(share))[0])
    else:
        squared = d * (d + 1) / n + _noise(d, sd, calibration) / expected**2
    return CovarianceDesign(
        weights=(*taken, share),
        clips=(*clips, clip),
        excess=tuple(excess),
        floors=tuple(excess if practical else lower[:-1]),
        lower=tuple(lower),
        error=_error_bound(n, d, sd, lower[-1], beta),
        rms=sqrt(squared),
    )


def winsorised(mode: Mode, calibration: Calibration) -> bool:
    """Return whether the last step clips many rows and inverts the bias (`parts.winsorised_covariance`)."""
    return mode == "practical" and calibration == "tight"


def _covariance_clip(n: int, d: int, mode: Mode, b: float) -> float:
    return _chi(d, COVERED) if mode == "practical" else tail(d, b / n)


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
