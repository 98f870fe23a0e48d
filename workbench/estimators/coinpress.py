"""CoinPress: private moments by confidence regions that shrink.  Biswas, Dong, Kamath & Ullman 2020, for M21.

Rows x of shape (n, d), n and d public. Neighbours: replace one row. Every step is a Gaussian mechanism on
rows that are mapped by what was released before and then shrunk to a ball; what it releases makes the next
ball smaller, or rounder.

    entry                 what is known                            a step releases         it improves
    CoinPressMean         covariance sigma² I, mean in a ball      a mean                  the ball
    CoinPressCovariance   Σ ≤ upper I; mean 0, in a ball, or pairs a second moment         the ellipsoid
    CoinPressGaussian     lower I ≤ Σ ≤ upper I, mean in a ball    both, in one draw       ball and ellipsoid
    ClippedCovariance     Σ ≤ upper I; mean 0, or pairs            a second moment, once   nothing

Mean, in units of sigma, from c = centre and r = radius:

    (1) B = the clipping radius, from r, n and d
    (2) m = (1/n) Σ w_j, w_j = x_j - c shrunk to the ball of radius B                    l2-sensitivity 2 B/n
    (3) c = c + m + N(0, s² I)
    (4) r = a radius that holds the mean now

Covariance: the rows have mean 0 if `centred`. Otherwise the joint steps (8) to (11) are taken where they are
predicted to err less than pairs; elsewhere, and if `paired`, in mode "proved", calibration "paper", or for a
given number of steps, m = ⌊n/2⌋ pairs (x_1 - x_2)/√2, and m is the number of rows in everything below. From
A = I/√upper, ℓ = 1/upper (in units of lower):

    (5) Z = (1/m) Σ w_j w_jᵀ + N, w_j = A x_j shrunk to the ball of radius g, N symmetric Gaussian
                                                                                         sensitivity √2 g²/m
    (6) but for the last step: U = V diag(max(λ + e, f)) Vᵀ for Z = V diag(λ) Vᵀ;  A ← U^(-1/2) A
    (7) last step: out = A⁻¹ M A⁻ᵀ, M the PSD part of Z, its winsorising inverted if "tight" and "practical"
        (`shared.moments`)

ℓ I ≤ A Σ Aᵀ ≤ I holds throughout if e bounds the spectral error of Z and f = ℓ: the ellipsoid becomes round,
a constant factor at a time. A is not symmetric after two steps.

ClippedCovariance is one step with A = I and g = √upper tail(d, β/m), which clips no row of normal data with
probability 1 - β.

Gaussian (ours): all n rows in every step, round a private centre: nothing is paired. From c = centre and
A = I/√upper:

    (8) m, M = the mean and the second moment of w_j = A (x_j - c)/g, shrunk to the unit ball, in one
        symmetric draw of the rows (τ, w_j) (`shared.moments`)        sensitivity √2 (1 + τ²)/n
    (9) S = g² (M - m mᵀ + s² I), s the sd of the noise on m: the moment round the mean
    (10) c ← c + g A⁻¹ m;  A ← U^(-1/2) A, U = S/k with eigenvalues max(λ + e, ℓ/2, e/4)
    (11) last step: C = S, its winsorising inverted; out = N(c + g A⁻¹ m/slope, A⁻¹ C A⁻ᵀ), the slope that the
        mean of white rows of C's trace keeps when they are shrunk to the ball

Public numbers, b the failure probability of a step, b' = b/3, γ the size of a normal row, s the sd of noise:

    mean         B = min(r + γ, √(γ² + 2(r + γ/n) √(2 ln(2n/b')) + r²)),  γ = tail(d, b'/(2n))
                 r ← tail(d, b') √(1/n + s²), skipped where that is not smaller
    covariance   g = γ = tail(d, b'/n),  ℓ ← ℓ/(ℓ + 2e), skipped where ℓ + 2e ≥ 1
                 e = 2x + x² + √2 s (√d + √ln(2/b')),  x = √(d/n) + √(2 ln(2/b')/n)
    Gaussian     s = √2 g² (1 + τ²)/(nμ√a),  t = s/(√2 τ g)       sds of moment and mean, a the share of μ²
                 e = max(0, (√2 (√d + 1) s + 2 r √d t + d t²)/k - ℓ/2),  k = what the ball leaves of variances
                 ℓ ← ℓ/(ℓ + e);  r ← q √(1/n + t²/(ℓ + e)) + (1 - slope) r/√(ℓ + e),  q a quantile of lengths
                 where ℓ + e ≥ 1 the step is for the mean alone, τ = 1, r ← q √(1/n + t²), and A stays

The share of a step that is skipped goes to the last. `mode="proved"`: nothing is clipped and all bounds hold,
with probability 1 - beta, for normal rows. `mode="practical"`, the default: the same privacy, no proof of
coverage; γ is what 5 % of rows exceed, 1 % for a covariance, 2 stands for the root in B, b' = .01 elsewhere;
.15 e, and f = e, so that an axis that noise hides is not taken for a much shorter one. ℓ is what is expected
of the smallest axes: where all eigenvalues of A Σ Aᵀ are one small b, noise adds x from a semicircle of
radius s√(2(d + 1)): b ← b/(E(b + x)₊ + e). Where that divisor reaches 1, no number of steps finds the axes:
the cliff.

`calibration="paper"`: B = r + γ, a quarter of the budget for all steps but the last, noise of one sd on every
entry of a moment, a last step like the others. "tight", ours: shares that make the last radius, the proved
error or the predicted one small; symmetric noise. Of the Gaussian, τ makes d t² + d(d + 1) s²/2, what noise
adds to the squared error, least; all else makes the predicted error of the worse of T = ℓ I and T = I least.

Departure: every step clips the original rows afresh (the authors' program clips clipped rows again). Proofs:
`proofs/gaussian_steps.md`, sections 1 and 2.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from math import asin, hypot, inf, log, pi, sqrt
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Estimator, OfUnit, in_columns, record
from workbench.estimators.shared.budgets import divisions, gaussian_total, numbered_plan, require_gaussian
from workbench.estimators.shared.moments import (
    Frame,
    LiftedMoment,
    SquaredErrors,
    best_radius,
    clipped_moment,
    radius_within,
    slope,
    squared_errors,
    squares_beyond,
    unwinsorised,
)
from workbench.estimators.shared.noisy_means import (
    better_than,
    median_of_matrix,
    median_of_mean,
    rescaled_mean,
    rescaled_moment,
    shrinking_bias,
)
from workbench.estimators.shared.rows import (
    WIDEST,
    centred_count,
    centred_rows,
    from_centre,
    mean_in_ball,
    mean_sensitivity,
    moment_in_ball,
    require_spread,
    second_moment_sensitivity,
)
from workbench.estimators.sparse import perturbed
from workbench.linalg import (
    mapped_back,
    psd_part,
    sample_covariance_excess,
    spectral_map,
    symmetric_noise_frobenius,
    symmetric_noise_norm,
    tail,
)
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.mechanisms import additive, gaussian_scale, symmetric_gaussian
from workbench.special import chdtri
from workbench.types import Array, Calibration, Floats, Mode, PerColumn, public, remembered

MOST_STEPS = 30
SHARES = {"tight": (0.02, 0.05, 0.1, 0.15, 0.25, 0.4), "paper": (0.25,)}  # of all steps but the last
ROW, COVERED = 0.05, 0.01  # "practical": share of rows clipped, of balls missed
CAUTION = 0.15  # "practical": the share of e that is used
JOINT_SHARES = (0.02, 0.05, 0.1, 0.15, 0.25, 0.4, 0.6)
CLIPPED, MEAN_CLIPPED = 0.7, 0.05  # of white rows, in joint steps
MISSED, MEAN_MISSED = 0.01, 1e-5  # share of balls that miss the mean: far from it, it is lost for good
ANYWHERE = 1e12  # √upper, from a centre to a mean of which nothing is said
DEAR = 1.002  # a joint step more has to make the error smaller by this factor
BENT = 0.2  # of r²/ℓ: what clipping rows that are off their centre adds to the error
SMALLEST = 1e-9  # variance in the last frame for which the slope is computed
_ANGLES = np.pi * np.arange(1, 64) / 64
_NODES, _WEIGHTS = np.cos(_ANGLES), np.sin(_ANGLES) ** 2 / 32  # for the semicircle on [-1, 1]


class MeanDesign(NamedTuple):
    """Shares and clipping radii of the steps that are taken; r before each of them and after the last."""

    weights: Floats
    clips: Floats
    radii: Floats

    @property
    def error(self) -> float:
        return self.radii[-1]


class CovarianceDesign(NamedTuple):
    """Shares and clipping radii; e of all steps but the last; ℓ before each; proved and rms error."""

    weights: Floats
    clips: Floats
    excess: Floats
    lower: Floats
    error: float
    rms: float


class InSteps(Estimator[Array]):
    steps: int | None
    mode: Mode

    @property
    def practical(self) -> bool:
        return self.mode == "practical"


class Stepped(InSteps):
    calibration: Calibration
    beta: float

    in_passes = True

    def divisions(self) -> Iterator[Floats]:
        counts = range(1, MOST_STEPS + 1) if self.steps is None else (self.steps,)
        return divisions(counts, SHARES[self.calibration])

    def failures(self, count: int) -> list[float]:  # b of every step
        return [self.beta / 2 / (count - 1)] * (count - 1) + [self.beta / 2] if count > 1 else [self.beta]

    def length(self, d: int, b: float, share: float = COVERED) -> float:  # of N(0, I_d), but for b
        return radius_within(d, share) if self.practical else tail(d, b)


class BallMean(OfUnit[Array]):
    radius: float
    centre: PerColumn
    beta: float

    in_passes = True

    @property
    def practical(self) -> bool:  # then the share of rows that are there is released, too
        return False

    @abstractmethod
    def design(self, n: int, d: int, budget: Budget) -> MeanDesign: ...

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        design = self.design(n, d, budget)
        moved = [mean_sensitivity(n, clip) for clip in design.clips]
        return numbered_plan(budget, design.weights, "gaussian", moved)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        n, d = x.shape
        c = in_columns(self.centre, d)
        steps = zip(self.design(n, d, budget).clips, self.plan(n, d, budget).charges(), strict=True)
        for clip, charge in steps:  # (1) (4)
            record(centre=c)
            apart = from_centre(c)
            m = mean_in_ball(x, lambda w: apart(w) / self.unit, clip, self.practical)  # (2)  # noqa: B023
            moved = rescaled_mean(m, n, charge, noise) if self.practical else additive(m, charge, noise)
            c = c + self.unit * moved  # (3)
        return c

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the last radius, which |out - mean| exceeds with probability at most beta.

        Infinite in mode "practical", and for a beta below the field.
        """
        return inf if self.practical or beta < self.beta else self.unit * self.design(n, d, budget).error

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean| in the unit for normal rows; infinite from the radius on.

        Of the last step: noise, sampling, and what it shrinks with the centre as far off as the step before
        puts it, or at the edge of the range.
        """
        radius, plan = self.radius / self.unit, self.plan(n, d, budget)
        *before, last = map(gaussian_scale, plan.charges())
        apart = sqrt(d * (1 / n + before[-1] ** 2)) if before else radius
        bias = shrinking_bias(d, apart, self.design(n, d, budget).clips[-1])
        return better_than(radius, median_of_mean(hypot(bias, sqrt(d * (1 / n + last**2))), d))


@public
class CoinPressMean(Stepped, BallMean):
    """Private mean by a confidence ball that shrinks: CoinPress (M21, prior work).

    Accurate for rows of covariance sigma² I, normal or lighter, with the mean within `radius` of `centre`.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left: it is divided by their share, which is drawn with the sum at no cost. A share of
    absent rows that its noise hides, and any in mode "proved", shrinks the mean towards a private place.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`, in Euclidean distance; in the unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    sigma : float
        Standard deviation of the rows in every direction, known.
    steps : int or None, default None
        Number of steps; None leaves it to the design, which makes the predicted error small.
    mode : {"practical", "proved"}, default "practical"
        "proved" bounds the error with probability 1 - `beta`, if no row is absent; "practical" has smaller
        radii and no proof of coverage.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.
    beta : float, default 0.05
        Failure probability of all bounds together; they are proved in mode "proved" alone.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(2000, 2))
    >>> release = CoinPressMean(radius=1000.0, sigma=1.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.2)
    True
    """

    radius: float
    centre: PerColumn = 0.0
    sigma: float
    steps: int | None = None
    mode: Mode = "practical"
    calibration: Calibration = "tight"
    beta: float = 0.05

    def _validate(self) -> None:
        if self.radius > WIDEST * self.sigma:
            raise ArgumentError("radius", self.radius, f"at most {WIDEST:g} sigma")

    def design(self, n: int, d: int, budget: Budget) -> MeanDesign:
        return mean_design(self, n, d, budget)


@remembered
def mean_design(of: CoinPressMean, n: int, d: int, budget: Budget) -> MeanDesign:
    mu = gaussian_total(budget)

    def tried(weights: Sequence[float]) -> MeanDesign:
        r = whole = of.radius / of.sigma
        steps, skipped = list[Floats](), 0.0
        for place, (weight, failure) in enumerate(
            zip(weights, of.failures(len(weights)), strict=True), start=1
        ):
            last, b = place == len(weights), failure / 3
            share, size = weight + skipped if last else weight, of.length(d, b / (2 * n), ROW)
            clip = r + size
            if of.calibration == "tight":
                across = 2 * r if of.practical else (r + size / n) * sqrt(2 * log(2 * n / b))
                clip = min(clip, sqrt(size**2 + 2 * across + r**2))
            sd = mean_sensitivity(n, clip) / (mu * sqrt(share))
            shrunk = of.length(d, b) * sqrt(1 / n + sd**2)
            if shrunk >= r and not last:
                skipped += weight
                continue
            steps.append((share, clip, shrunk))
            r = shrunk
        shares, clips, radii = zip(*steps, strict=True)
        return MeanDesign(shares, clips, (whole, *radii))

    return min(map(tried, of.divisions()), key=attrgetter("error"))


@public
class CoinPressCovariance(Stepped):
    """Private covariance below a known bound, by steps of preconditioning: CoinPress (M21, prior work).

    Accurate for normal rows of covariance between `lower` and `upper` times the identity; a loose `upper`
    costs a step or two, an unknown mean within 1e12 √upper of 0 hardly anything but where rows are few. All
    else as of `CoinPressMean`; a pair with an absent row is absent. Joint steps abstain where eigenvalues
    leave the floats.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    lower : float
        The least eigenvalue that matters: 1 in the source.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise it is found beside the covariance, by the joint steps of
        `CoinPressGaussian`, or drops out of pairs.
    radius : float or None, default None
        The mean lies within it of 0; None for 1e12 √upper. Joint steps are useless beyond it.
    paired : bool, default False
        Whether pairs (x_1 - x_2)/√2 always take the place of rows of unknown mean: whatever that is, at an
        error up to √2 times as large. They do so anyway in mode "proved", calibration "paper", for given
        `steps`, and where their predicted error is smaller.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> release = CoinPressCovariance(upper=1e4, lower=1.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.1)
    True
    """

    upper: float
    lower: float
    centred: bool = False
    radius: float | None = None
    paired: bool = False
    steps: int | None = None
    mode: Mode = "practical"
    calibration: Calibration = "tight"
    beta: float = 0.05

    def _validate(self) -> None:
        _ = self.joint

    @property
    def winsorises(self) -> bool:  # whether the last step winsorises many rows, and inverts that
        return self.practical and self.calibration == "tight"

    @property
    def joint(self) -> "CoinPressGaussian":
        radius = ANYWHERE * sqrt(self.upper) if self.radius is None else self.radius
        return CoinPressGaussian(radius=radius, upper=self.upper, lower=self.lower)

    def jointly(self, n: int, d: int, budget: Budget) -> bool:  # by public numbers, where they err less
        if self.centred or self.paired or self.steps is not None or not self.winsorises:
            return False
        errors = self.joint.design(n, d, budget).errors
        return better_than(sqrt(d), sqrt(errors.covariance)) < self.design(n, d, budget).rms

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        if self.jointly(n, d, budget):
            return self.joint.plan(n, d, budget)
        design, m = self.design(n, d, budget), centred_count(n, self.centred)
        mechanism = "symmetric_gaussian" if self.calibration == "tight" else "gaussian"
        moved = [second_moment_sensitivity(m, clip) for clip in design.clips]
        return numbered_plan(budget, design.weights, mechanism, moved)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        n, d = x.shape
        if self.jointly(n, d, budget):
            law = self.joint.estimate(x, budget, noise)
            return law if isinstance(law, Abstention) else law.covariance
        rows, design = centred_rows(x, self.centred), self.design(n, d, budget)
        a = np.eye(d) / np.sqrt(self.upper)
        charges = tuple(self.plan(n, d, budget).charges())
        for place, (charge, clip) in enumerate(zip(charges, design.clips, strict=True)):
            z = noisy_moment(rows, a, clip, charge, noise, self.practical)  # (5)
            record(preconditioner=a, lower=design.lower[place])
            if place < len(charges) - 1:
                floors = design.excess if self.practical else design.lower  # f
                a = preconditioned(z, design.excess[place], floors[place], a)  # (6)
        return mapped_back(unwinsorised(z, clip) if self.winsorises else psd_part(z), a)  # (7)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error in the norm of Σ, true with probability 1 - beta, in mode "proved".

        Needs normal rows and `lower` I ≤ Σ. Infinite in mode "practical", and for a beta below the field.
        """
        return inf if self.practical or beta < self.beta else self.design(n, d, budget).error

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ at Σ = `lower` I, the hardest; infinite from √d on.

        √d is the error of the zero matrix. Needs normal rows.
        """
        if self.jointly(n, d, budget):
            return self.joint.design(n, d, budget).errors.covariance_median
        return better_than(sqrt(d), median_of_matrix(self.design(n, d, budget).rms, d))

    def design(self, n: int, d: int, budget: Budget) -> CovarianceDesign:
        return covariance_design(self, n, d, budget)


@remembered
def covariance_design(of: CoinPressCovariance, n: int, d: int, budget: Budget) -> CovarianceDesign:
    m, mu = centred_count(n, of.centred), gaussian_total(budget)
    wider = sqrt(2) if of.calibration == "paper" else 1.0  # its noise is measured as if symmetric

    def noise_sd(clip: float, share: float) -> float:
        return wider * second_moment_sensitivity(m, clip) / (mu * sqrt(share))

    def tried(weights: Sequence[float]) -> CovarianceDesign:
        *failures, final = of.failures(len(weights))
        size = lower = 1 / (of.upper / of.lower)
        steps = list[Floats]()
        for weight, failure in zip(weights, failures, strict=False):
            b, clip = failure / 3, of.length(d, failure / 3 / m)
            sd, covered = noise_sd(clip, weight), COVERED if of.practical else b
            e = sample_covariance_excess(m, d, covered) + sd * symmetric_noise_norm(d, covered)
            if of.practical:
                e *= CAUTION
                divisor = positive_mean(lower, noise_radius(d, sd)) + e
            else:
                divisor = lower + 2 * e
            if divisor >= 1:
                break
            # of the frame, whose rows the last ball cuts; proved: of Σ = lower I, which sees no noise
            size = mean_size(lower, noise_radius(d, sd), e) if of.practical else size / (size + e)
            steps.append((weight, clip, e, lower))
            lower /= divisor
        share = 1 - sum(weight for weight, *_ in steps)
        if of.winsorises:  # rows are cut as for that mean size, noise is over its ℓ
            told = mu * sqrt(share)
            clip = best_radius(m, d, told)
            squared = float(squared_errors(np.array([clip**2 / size]), m, d, told * lower / size)[0])
            sd = noise_sd(clip, share)
        else:
            clip = of.length(d, final / 3 / m)
            sd = noise_sd(clip, share)
            size = lower if of.practical else size
            # noise of "paper" has entries of sd/√2
            squared = d * (d + 1) / m + sd**2 * d * (d + (of.calibration == "tight")) / 2 / size**2
        b = of.beta / 4
        sampling = sqrt(d) * sample_covariance_excess(m, d, b)
        noise = sd / lower * symmetric_noise_frobenius(d, b)
        # below 1 that makes Z positive definite; else its PSD part moves it by the noise once more
        error = sampling + (noise if sampling + noise < 1 else 2 * noise)
        shares, clips, excess, lowers = zip(*steps, (share, clip, inf, lower), strict=True)
        return CovarianceDesign(shares, clips, excess[:-1], lowers, error, sqrt(squared))

    return min(map(tried, of.divisions()), key=attrgetter("rms" if of.practical else "error"))


def noisy_moment(
    rows: Array, a: Array, clip: float, charge: Charge, noise: NoiseSource, counted: bool = False
) -> Array:
    moment = moment_in_ball(rows, lambda block: block @ a.T, clip, counted)
    if not counted:
        return perturbed(moment, charge, noise)
    return rescaled_moment(moment, len(rows), charge, lambda joint: perturbed(joint, charge, noise))


def preconditioned(z: Array, excess: float, floor: float, a: Array) -> Array:
    return spectral_map(z, lambda values: 1 / np.sqrt(np.maximum(values + excess, floor))) @ a


def positive_mean(b: float, radius: float) -> float:
    """Return E(b + x)₊ for b ≥ 0 and x from a semicircle.

    >>> round(positive_mean(0.0, 1.0), 4), positive_mean(2.0, 1.0)
    (0.2122, 2.0)
    """
    if b >= radius:
        return b
    share = b / radius
    height = sqrt(1 - share**2)
    return b * (0.5 + (share * height + asin(share)) / pi) + radius * 2 * height**3 / (3 * pi)


def noise_radius(d: int, sd: float) -> float:
    return sd * sqrt(2 * (d + 1))


def mean_size(b: float, radius: float, excess: float) -> float:
    """Return E[b/((b + x)₊ + e)], the mean eigenvalue of a frame that was b I: what the last ball cuts.

    >>> round(mean_size(0.5, 0.0, 0.5), 4)
    0.5
    """
    return float(_WEIGHTS @ (b / (np.maximum(b + radius * _NODES, 0.0) + excess)))


@public
class ClippedCovariance(Estimator[Array]):
    """Private covariance below a known bound, by one noisy step (M21/UG NaiveEstimator).

    Accurate for normal rows of covariance at most `upper` times the identity; axes that are short beside
    `upper` are lost in the noise. All else as of `CoinPressCovariance`.

    Parameters
    ----------
    lower : float or None, default None
        Least eigenvalue that matters, for the predicted error alone; None, and no error is predicted.
    beta : float, default 0.05
        Chance that some normal row is clipped.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> release = ClippedCovariance(upper=2.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.1)
    True
    """

    upper: float
    lower: float | None = None
    centred: bool = False
    beta: float = 0.05

    in_passes = True

    def _validate(self) -> None:
        if self.lower is not None:
            require_spread(self.lower, self.upper)

    def reach(self, m: int, d: int) -> float:  # g
        return sqrt(self.upper) * tail(d, self.beta / m)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        require_gaussian(budget)
        m = centred_count(n, self.centred)
        moved = second_moment_sensitivity(m, self.reach(m, d))
        return Charge("covariance", "symmetric_gaussian", moved, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        (n, d), rows = x.shape, centred_rows(x, self.centred)
        charge = self.plan(n, d, budget)["covariance"]
        moment = moment_in_ball(rows, lambda block: block, self.reach(len(rows), d), counted=True)
        return psd_part(
            rescaled_moment(moment, len(rows), charge, lambda one: symmetric_gaussian(one, charge, noise))
        )

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ at Σ = `lower` I, the hardest; infinite from √d on.

        And without `lower`.
        """
        sd = gaussian_scale(self.plan(n, d, budget)["covariance"])
        if self.lower is None:
            return inf
        m = centred_count(n, self.centred)
        rms = sqrt(d * (d + 1) * (1 / m + (sd / self.lower) ** 2 / 2))
        return better_than(sqrt(d), median_of_matrix(rms, d))


class JointStep(NamedTuple):
    """One joint step: its share, g, τ and e (infinite if the frame stays as it is); ℓ and r before it."""

    weight: float
    clip: float
    height: float
    excess: float
    lower: float
    offset: float


class JointDesign(NamedTuple):
    """All steps, of which the last one measures, and its predicted errors."""

    steps: tuple[JointStep, ...]
    errors: SquaredErrors


@public
class CoinPressGaussian(Estimator[Gaussian]):
    """Private mean and covariance of a Gaussian within known bounds, in joint steps (ours, after CoinPress).

    Accurate for normal rows of covariance between `lower` and `upper` times the identity, with the mean
    within `radius` of `centre`; loose bounds cost a few steps, an unknown mean next to nothing. All else as
    of `CoinPressMean`; the moments are those of the rows that are there.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    lower : float
        The least eigenvalue that matters.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> estimator = CoinPressGaussian(radius=1000.0, upper=1e4, lower=1.0)
    >>> law = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2)).value
    >>> bool(abs(law.mean - 3.0).max() < 0.1 and abs(law.covariance - np.eye(2)).max() < 0.1)
    True
    """

    radius: float
    upper: float
    lower: float
    centre: PerColumn = 0.0

    in_passes = True

    def _validate(self) -> None:
        require_spread(self.lower, self.upper)
        if self.radius > WIDEST * sqrt(self.upper):
            raise ArgumentError("radius", self.radius, f"at most {WIDEST:g} √upper")

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        steps = self.design(n, d, budget).steps
        moved = [LiftedMoment(n, d, step.height).sensitivity() for step in steps]
        return numbered_plan(budget, [step.weight for step in steps], "symmetric_gaussian", moved)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Gaussian | Abstention:
        n, d = x.shape
        steps, charges = self.design(n, d, budget).steps, self.plan(n, d, budget).charges()
        c, frame = in_columns(self.centre, d), Frame(np.eye(d), np.eye(d) / sqrt(self.upper))
        for step, charge in zip(steps, charges, strict=True):
            recipe, mapping = LiftedMoment(n, d, step.height), frame.matrix.T / step.clip
            lifted = recipe.of(x, lambda block: (block - c) @ mapping)  # noqa: B023 (called at once)
            noisy = symmetric_gaussian(lifted, charge, noise)
            m, moment = recipe.read(noisy, d, charge)  # (8)
            there = recipe.share(float(noisy[0, 0]), charge)
            drawn = (gaussian_scale(charge) / (step.height * there)) ** 2 / 2
            m, s = step.clip * m, step.clip**2 * (moment - np.outer(m, m) + drawn * np.eye(d))  # (9)
            if step is not steps[-1]:
                c, frame = c + frame.back(m), rounder(frame, s, step)  # (10)
        found = unwinsorised(s, step.clip)  # (11)
        size = min(max(float(np.trace(found)) / d, SMALLEST), 1.0)
        mean, covariance = c + frame.back(m / slope(d, step.clip / sqrt(size))), frame.covariance(found)
        numbers = np.isfinite(mean).all() and np.isfinite(covariance).all()
        return Gaussian(mean, covariance) if numbers else Abstention(charge.step)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error of the worst normal distribution within the bounds, in its own norm.

        Just above the least n at which it is finite, an upper bound.
        """
        return self.design(n, d, budget).errors.gaussian_median

    def design(self, n: int, d: int, budget: Budget) -> JointDesign:
        return joint_design(self, n, d, budget)


@remembered
def joint_design(of: CoinPressGaussian, n: int, d: int, budget: Budget) -> JointDesign:
    mu = gaussian_total(budget)

    def noise(step: JointStep) -> tuple[float, float]:  # s and t
        reach = step.clip * hypot(1.0, step.height)
        s = second_moment_sensitivity(n, reach) / (mu * sqrt(step.weight))
        return s, s / (sqrt(2) * step.height * step.clip)

    def ball(clipped: float, offset: float) -> float:
        return sqrt(square_beyond(d, clipped) + 4 * offset + offset**2)

    def frame_step(weight: float, lower: float, offset: float) -> tuple[JointStep, float, float]:
        # and ℓ and r after it
        clip = ball(CLIPPED, offset)
        step = JointStep(weight, clip, balanced_height(d, clip), inf, lower, offset)
        s, t = noise(step)
        edge, shift = sqrt(2) * (sqrt(d) + 1) * s, sqrt(d) * t
        taken = (edge + 2 * offset * shift + shift**2) / clipped_moment(d, clip)
        excess = max(0.0, taken - lower / 2)
        raised = lower + excess
        if raised < 1:
            found = sqrt(square_beyond(d, MISSED) * (1 / n + t**2 / raised))
            found += (1 - slope(d, clip)) * offset / sqrt(raised)
            return step._replace(excess=excess), lower / raised, found
        step = JointStep(weight, ball(MEAN_CLIPPED, offset), 1.0, inf, lower, offset)
        return step, lower, sqrt(square_beyond(d, MEAN_MISSED) * (1 / n + noise(step)[1] ** 2))

    def errors(last: JointStep, size: float) -> SquaredErrors:  # of covariance `size` I in its frame
        inside, told = last.clip / sqrt(size), mu * sqrt(last.weight) / (1 + last.height**2)
        covariance = float(squared_errors(np.array(inside**2), n, d, told))
        drawn = d * (clipped_moment(d, inside) / n + noise(last)[1] ** 2 / size) / slope(d, inside) ** 2
        return SquaredErrors(d, drawn + (BENT * last.offset**2 / size) ** 2, covariance)

    def tried(weights: Sequence[float]) -> JointDesign:
        lower, offset = 1 / (of.upper / of.lower), of.radius / sqrt(of.upper)
        steps = list[JointStep]()
        for weight in weights:
            step, risen, left = frame_step(weight, lower, offset)
            if risen > lower or left < offset:
                steps.append(step)
                lower, offset = risen, left
        weight, squares = 1 - sum(step.weight for step in steps), squares_beyond(d)
        told = mu * sqrt(weight)
        least, most = (squared_errors(squares / size, n, d, told) for size in (lower, 1.0))
        clip = sqrt(squares[np.argmin(np.maximum(least, most))])
        last = JointStep(weight, clip, balanced_height(d, clip), inf, lower, offset)
        worst = max((errors(last, size) for size in (lower, 1.0)), key=lambda one: one.mean + one.covariance)
        return JointDesign((*steps, last), worst)

    shares = ((), *((part / count,) * count for count in range(1, MOST_STEPS) for part in JOINT_SHARES))
    return min(
        map(tried, shares),
        key=lambda one: sqrt(one.errors.mean + one.errors.covariance) * DEAR ** len(one.steps),
    )


def rounder(frame: Frame, s: Array, step: JointStep) -> Frame:
    if step.excess == inf:
        return frame
    least = max(step.lower / 2, step.excess / 4)
    whole = s / clipped_moment(len(s), step.clip)
    return frame.then(spectral_map(whole, lambda values: np.maximum(values + step.excess, least) ** -0.5))


def balanced_height(d: int, radius: float) -> float:
    # τ at which (1 + τ²)² (1/τ² + a), a = (d + 1) radius², is least: 2aτ⁴ + τ² = 1
    return sqrt(2 / (1 + sqrt(1 + 8 * (d + 1) * radius**2)))


@remembered
def square_beyond(d: int, share: float) -> float:
    return float(chdtri(d, share))
