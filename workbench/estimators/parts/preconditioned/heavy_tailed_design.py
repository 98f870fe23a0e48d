"""Everything about the heavy-tailed covariance that is fixed before a row is read: radii, bands, shares.

Rows w of covariance S with ℓI ≤ S ≤ I, (C, 2k)-hypercontractive; m of them, μ of the budget for the step, so
that noise of scale u γ², u = √2/(mμ), goes on the second moment of rows cut at γ. With c the bias of the cut
(`parts.preconditioned.bounded_moments`), F₄ the bound on fourth moments, β' a step's failure probability:

    η = L γ²/(3m) + √((Lγ²/(3m))² + 2VL/m),  V = min(γ², F₄ d),  L = ln(4d/β')        matrix Bernstein
    ν = √2 u γ² (√d + √ln(4/β'))                                                       noise
    preconditioning   "tight": keep = 1 - c, e = η + ν, γ maximises ℓ';  "paper": keep = 1, e = a/2 + η + ν,
                      a = 1/16, γ from c = a/2
    last step         error √d c + u γ² T/ℓ, T = tail(d(d+1)/2, β/4): "tight" minimises it in closed form,
                      γ^{2k} = (k-1) √d c₁ ℓ/(u T) with c = c₁ γ^{-2(k-1)};  "paper": √d c = alpha/2

"proved": every step has rows of its own and the whole budget. "practical": all steps see all rows and share
the budget; e is taken as a quarter of its bound, and coverage is not proved. The number of steps and the
share of all but the last one minimise the predicted error; a step that would not raise ℓ is not taken.
Proofs: `proofs/heavy_tails.md`, sections 3 to 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf, log, sqrt

import numpy as np

from workbench.estimators.parts.normal_ball import kept_share
from workbench.estimators.parts.preconditioned.bounded_moments import Moments
from workbench.estimators.parts.preconditioned.expected_frame import noise_radius, positive_mean
from workbench.estimators.parts.preconditioned.preconditioning import Band
from workbench.estimators.parts.rows import second_moment_sensitivity
from workbench.linalg import symmetric_noise_frobenius, symmetric_noise_norm
from workbench.special import gammainc
from workbench.types import Array, Calibration, Mode

MOST_STEPS = 20
SPREAD = (0.1, 0.25, 0.5)  # shares of all steps but the last, together: of rows if "proved", else of μ²
CAUTION = 0.25  # "practical": the share of e that is used
STEP_BIAS = 1 / 16  # a of M21/HT Algorithm 3
ENOUGH = 0.25  # "paper" preconditions until ℓ reaches this
RADII = np.geomspace(0.5, 1e3, 150)  # tried for a preconditioning step, in units of √d


@dataclass(frozen=True)
class Problem:
    """Public facts: m rows of dimension d, upper/lower = `ratio`, `mu` of the whole budget, the options."""

    m: int
    d: int
    ratio: float
    mu: float
    moments: Moments
    calibration: Calibration
    mode: Mode
    alpha: float
    beta: float

    @property
    def zeroed(self) -> bool:
        """Whether rows beyond the radius are zeroed instead of clipped."""
        return self.calibration == "paper"


@dataclass(frozen=True)
class Stage:
    """A step on rows start .. stop - 1 with its share of μ², its radius, ℓ before it and its band."""

    start: int
    stop: int
    weight: float
    radius: float
    lower: float
    band: Band | None = None

    @property
    def sensitivity(self) -> float:
        """Of the second moment of its rows, in Frobenius norm."""
        return second_moment_sensitivity(self.stop - self.start, self.radius)


@dataclass(frozen=True)
class Design:
    """The steps, the last without a band, and the predicted error in the norm of Σ."""

    stages: tuple[Stage, ...]
    error: float


@lru_cache(maxsize=1024)
def design(problem: Problem, steps: int | None) -> Design:
    """Return the design with the smallest predicted error for at most `steps` steps (None: any number)."""
    tried = (_designed(problem, count, spread) for count, spread in _shares(problem, steps))
    return min(tried, key=lambda one: one.error)


def _shares(problem: Problem, steps: int | None) -> Iterator[tuple[int, float]]:
    for count in range(1, MOST_STEPS + 1) if steps is None else (steps,):
        for spread in SPREAD if count > 1 else (0.0,):
            if problem.mode == "practical" or _batch(problem, count, spread) >= 2 or count == 1:
                yield count, spread
    if steps is not None and steps > 1:
        yield 1, 0.0


def _batch(problem: Problem, count: int, spread: float) -> int:
    return int(spread * problem.m) // (count - 1) if count > 1 else 0


def _designed(problem: Problem, count: int, spread: float) -> Design:
    stages: list[Stage] = []
    lower, start, whole = 1 / problem.ratio, 0, problem.mode == "practical"
    for _ in range(count - 1):
        if problem.calibration == "paper" and lower >= ENOUGH:
            break
        stop = problem.m if whole else start + _batch(problem, count, spread)
        weight = spread / (count - 1) if whole else 1.0
        radius, band = preconditioning_step(
            problem, stop - start, weight, lower, problem.beta / (2 * (count - 1))
        )
        if not band.helps(lower):
            break
        stages.append(Stage(start, stop, weight, radius, lower, band))
        lower, start = band.next_lower(lower), 0 if whole else stop
    left = 1 - sum(stage.weight for stage in stages) if whole else 1.0
    last = _last(problem, start, left, lower)
    return Design((*stages, last), _expected_error(problem, last))


def _unit(problem: Problem, m: int, weight: float) -> float:
    """Return the noise scale of a second moment for γ = 1."""
    return second_moment_sensitivity(m, 1.0) / (problem.mu * sqrt(weight))


def preconditioning_step(
    problem: Problem, m: int, weight: float, lower: float, beta: float
) -> tuple[float, Band]:
    """Return the radius and the band of a step on m rows that starts at ℓ and fails with chance `beta`."""
    d, moments = problem.d, problem.moments
    caution = CAUTION if problem.mode == "practical" else 1.0
    if problem.calibration == "paper":
        radius = moments.radius(d, STEP_BIAS / 2, zeroed=True)
        error = float(_spectral_error(problem, m, weight, np.float64(radius), beta)) + STEP_BIAS / 2
        return radius, Band(caution * error, floor=_floor(problem, caution * error))
    radii = sqrt(d) * RADII
    errors = caution * _spectral_error(problem, m, weight, radii, beta)
    keep = 1 - moments.bias(d, radii)
    best = int(np.argmax(np.where(keep > 0, keep / (lower + 2 * errors), -inf)))
    error = float(errors[best])
    return float(radii[best]), Band(error, float(keep[best]), _floor(problem, error))


def _floor(problem: Problem, error: float) -> float:
    return error if problem.mode == "practical" else 0.0


def _spectral_error(
    problem: Problem, m: int, weight: float, radius: Array | np.float64, beta: float
) -> Array:
    """Return η + ν, the error of the noisy second moment round its expectation, with probability 1 - beta."""
    d, square, level = problem.d, np.asarray(radius**2), log(4 * problem.d / beta)
    variance = np.minimum(square, problem.moments.fourth * d)
    slope = level * square / (3 * m)
    sampling = slope + np.sqrt(slope**2 + 2 * variance * level / m)
    noise = _unit(problem, m, weight) * square * symmetric_noise_norm(d, beta / 2)
    return np.asarray(sampling + noise)


def _last(problem: Problem, start: int, weight: float, lower: float) -> Stage:
    d, moments, k = problem.d, problem.moments, problem.moments.order
    if problem.calibration == "paper":
        radius = moments.radius(d, problem.alpha / (2 * sqrt(d)), zeroed=True)
    else:
        unit = _unit(problem, problem.m - start, weight) * symmetric_noise_frobenius(d, problem.beta / 4)
        radius = ((k - 1) * sqrt(d) * float(moments.bias(d, 1.0)) * lower / unit) ** (1 / (2 * k))
    return Stage(start, problem.m, weight, radius, lower)


def _expected_error(problem: Problem, last: Stage) -> float:
    """Return a bound on the error of the last step with its mean noise and sampling error: for choices."""
    d, m = problem.d, last.stop - last.start
    bias, sd = last_errors(problem, last)
    return bias + sd * sqrt(d * (d + 1) / 2) / last.lower + d * sqrt(problem.moments.fourth / m)


def last_errors(problem: Problem, last: Stage) -> tuple[float, float]:
    """Return the bias of the last step in the norm of Σ, and the scale of its noise in the unit of w."""
    bias = sqrt(problem.d) * float(problem.moments.bias(problem.d, last.radius, problem.zeroed))
    return bias, last.sensitivity / (problem.mu * sqrt(last.weight))


def error_bound(problem: Problem, stages: tuple[Stage, ...], beta: float) -> float:
    """Return an upper `beta`-quantile of the error in the norm of Σ, if the bands hold.

    beta/4 each for the sampling (Chebyshev) and the noise of the last step, beta/2 for the bands. Where the
    sum is below 1 the noisy matrix is positive definite; otherwise its positive part costs a factor 1/ℓ.
    """
    last, d = stages[-1], problem.d
    level = beta / 4 if len(stages) > 1 else beta / 2
    bias, sd = last_errors(problem, last)
    noise = sd * symmetric_noise_frobenius(d, level)
    sampling = d * sqrt(problem.moments.fourth / ((last.stop - last.start) * level))
    error = bias + sampling + noise / last.lower
    return error if error < 1 else (bias + sampling + noise) / last.lower


def expected_rms(problem: Problem, stages: tuple[Stage, ...]) -> float:
    """Return the root mean square error in the norm of Σ for rows of light tails: the larger of two.

    At Σ = `lower` I, where the noise is largest, and where the last frame is round, where most is cut.
    """
    *early, last = stages
    size = 1 / problem.ratio
    for stage in early:
        assert stage.band is not None
        spread = noise_radius(problem.d, stage.sensitivity / (problem.mu * sqrt(stage.weight)))
        error, keep = stage.band.error, stage.band.keep
        if problem.mode == "practical":
            size *= keep / (positive_mean(size, spread) + error)
        else:
            size *= keep / (size + error)
    return max(_rms(problem, last, size), _rms(problem, last, 1.0))


def _rms(problem: Problem, last: Stage, size: float) -> float:
    """Return the root mean square error of the last step on rows of covariance `size` I."""
    _, sd = last_errors(problem, last)
    d, rows = problem.d, last.stop - last.start
    inside = last.radius**2 / size
    kept = gammainc(d / 2 + 1, inside / 2) if problem.zeroed else kept_share(np.asarray(inside), d)
    return sqrt(d * (d + 1) * (1 / rows + (sd / size) ** 2 / 2) + d * (1 - float(kept)) ** 2)
