"""Private moments of heavy-tailed rows.  M21/HT Algorithms 1 to 3; the mean: Kamath, Singhal & Ullman 2020.

Rows x of shape (n, d), n and d public, (C, 2k)-hypercontractive: E⟨v, x - μ⟩^{2k} ≤ C (vᵀΣv)^k for every v,
k = `moments`, C = `hypercontractivity`. Neighbours: replace one row.

    entry                        what is known                                           ends of a step
    HeavyTailedNaiveCovariance   lower I ≤ Σ ≤ upper I; mean 0, or pairs                 (3) alone
    HeavyTailedCovariance        the same                                                (4), then (3)
    ClippedHeavyMean             μ within `radius` of `centre`, moments as of upper I    (5) to (8)

Covariance: the rows have mean 0 if `centred`; otherwise they are paired first, m = ⌊n/2⌋ rows (x_1 - x_2)/√2
with the constants of `Moments.paired`. From A = I/√upper, ℓ = lower/upper:

    (1) w_j = A x_j, cut at the ball of a public radius γ
    (2) Z = (1/m) Σ w_j w_jᵀ + N, N symmetric Gaussian                                     sensitivity √2 γ²/m
    (3) last step: out = A⁻¹ (PSD part of Z) A⁻ᵀ
    (4) otherwise: A ← U^{-1/2} A, U = V diag(max(λ + e, keep·ℓ)) Vᵀ/keep for Z = V diag(λ) Vᵀ;
        ℓ ← keep·ℓ/(ℓ + 2e); not taken where ℓ would not rise

ℓ I ≤ S = A Σ Aᵀ ≤ I throughout if Z is in its band, keep·S - e I ≤ Z ≤ S + e I: then S ≤ U ≤ (S + 2e I)/keep.
`calibration="paper"`: rows beyond γ are zeroed, a step's bias is a/2 = 1/32 and the last one's alpha/2, steps
until ℓ ≥ 1/4; (1) to (3) once cost upper/lower along the shortest axis (M21/HT Theorem 3.1). "tight": rows
are clipped, γ is the best for this n. `mode="proved"`: each step has a batch of rows of its own and the whole
budget. With the same rows in every step A depends on them, and the bands are not proved: "practical", of the
same privacy, in which steps share the budget, e is a quarter of its bound, and keep·U is at least e.

Public numbers, for noise of scale u γ², u = √2/(mμ), c the bias of the cut, F₄ the bound on fourth moments,
β' a step's failure probability; the number of steps and their shares minimise the predicted error:

    η = L γ²/(3m) + √((Lγ²/(3m))² + 2VL/m),  V = min(γ², F₄ d),  L = ln(4d/β')        matrix Bernstein
    ν = √2 u γ² (√d + √ln(4/β'))                                                       noise
    preconditioning   "tight": keep = 1 - c, e = η + ν, γ maximises the next ℓ;  "paper": keep = 1,
                      e = a/2 + η + ν, a = 1/16, γ from c = a/2
    last step         error √d c + u γ² T/ℓ, T = tail(d(d+1)/2, β/4): "tight" minimises it in closed form,
                      γ^{2k} = (k-1) √d c₁ ℓ/(u T) with c = c₁ γ^{-2(k-1)};  "paper": √d c = alpha/2

Mean, k = 1, C = 1 for the covariance alone. In units of √upper, from c = centre, r = radius, in t steps:

    (5) γ = r + g, g = ((2k-1) K/N)^{1/2k}: the sum of the bias K/g^{2k-1} and the noise N γ is least
    (6) m = (1/n) Σ w_j, w_j = x_j - c shrunk to the ball of radius γ                      l2-sensitivity 2γ/n
    (7) c = c + m + Gaussian noise
    (8) r = √(3d/(nβ)) + K/g^{2k-1} + √(3t K₂/(nβ g^{2k-2})) + N γ; not taken where r would not shrink

with K and K₂ of `Moments` and N γ what the noise exceeds with probability β/(3t). t, at most `steps`, and the
shares make the last radius small: a radius of any size costs a step or two. r holds |c - μ| in every step
with probability 1 - beta although all use the same rows: clipping moves one by at most (|x - μ| - g)₊.

Departures: A is not symmetric; U is not cut from above, after which the upper bound I would fail; the mean is
not located by histograms, and no batches are averaged.
Proof: `proofs/heavy_tails.md`.
"""

from math import comb, inf, log, sqrt
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from workbench.errors import ArgumentError, few, integer_at_least, probability, real
from workbench.estimators.base import record
from workbench.estimators.coinpress import BallMean, InSteps, MeanDesign, noise_radius, positive_mean
from workbench.estimators.shared.budgets import (
    divisions,
    gaussian_total,
    numbered_plan,
)
from workbench.estimators.shared.moments import kept_share
from workbench.estimators.shared.noisy_means import better_than, median_of_matrix
from workbench.estimators.shared.rows import (
    centred_count,
    centred_rows,
    mean_sensitivity,
    moment_in_ball,
    require_spread,
    second_moment_sensitivity,
)
from workbench.linalg import (
    mapped_back,
    norms,
    psd_part,
    spectral_map,
    symmetric_noise_frobenius,
    symmetric_noise_norm,
    tail,
)
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.special import gammainc
from workbench.types import Array, Calibration, Floats, Mode, PerColumn, frozen, public, remembered

MOST_STEPS, SHARES = 20, (0.1, 0.25, 0.5)  # of all steps but the last: of rows if "proved", else of μ²
CAUTION = 0.25  # "practical": the share of e that is used
STEP_BIAS = 1 / 16  # a of M21/HT Algorithm 3
ENOUGH = 0.25  # "paper" preconditions until ℓ reaches this
RADII = np.geomspace(0.5, 1e3, 150)  # tried for a preconditioning step, in units of √d
MOST_MEAN_STEPS, MEAN_SHARES = 8, (0.01, 0.05, 0.1, 0.25)  # of μ², of all steps but the last


@frozen
class Moments:
    """What bounded moments say of a distribution: `order` = k at least 1, `constant` = C at least 1."""

    order: int
    constant: float

    def __post_init__(self) -> None:
        few(100, moments=self.order)
        if not (real(self.constant) and self.constant >= 1):
            raise ArgumentError("hypercontractivity", self.constant, "a finite number, at least 1")

    def paired(self) -> "Moments":
        """Return the constants of (X - X')/√2 for independent X, X'; never above (2^k C, 2k).

        C' = 2^{-k} (2C + C^{(k-2)/(k-1)} Σ_j comb(2k, j)), j from 2 to 2k - 2 without k if k is odd. At k = 2
        it is (C + 3)/2, at k = 3 (2C + 30√C)/8. Odd products other than j = k may have either sign.

        >>> Moments(2, 3.0).paired().constant, Moments(3, 16.0).paired().constant
        (3.0, 19.0)
        """
        k, c = self.order, self.constant
        if k == 1:
            return self
        middle = sum(comb(2 * k, j) for j in range(2, 2 * k - 1) if not (j == k and k % 2))
        exact = (2 * c + c ** ((k - 2) / (k - 1)) * middle) / 2**k
        return Moments(k, max(min(exact, 2**k * c), 1.0))

    @property
    def fourth(self) -> float:  # F₄ = C^{1/(k-1)}: E|X|⁴ ≤ F₄ tr(Σ)²; k at least 2
        return float(self.constant ** (1 / (self.order - 1)))

    def bias(self, d: int, radius: Array | float, zeroed: bool = False) -> Array:
        """Return c with (1 - c) Σ ≤ E[w wᵀ] ≤ Σ for rows w cut at `radius`, if Σ ≤ I.

        c = κ C (d/γ²)^{k-1}; κ = 1 for rows zeroed, (k-1)^{k-1}/k^k for rows clipped.
        """
        return self._cut(zeroed) * (d / np.asarray(radius) ** 2) ** (self.order - 1)

    def radius(self, d: int, bias: float, zeroed: bool = False) -> float:
        return sqrt(d) * float((self._cut(zeroed) / bias) ** (1 / (2 * (self.order - 1))))

    def _cut(self, zeroed: bool) -> float:
        k = self.order
        return self.constant * (1.0 if zeroed else (k - 1) ** (k - 1) / k**k)

    def excess(self, d: int) -> float:
        """Return K with E(|X| - g)₊ ≤ K/g^{2k-1} for every g > 0, if Σ ≤ I.

        K = (2k-1)^{2k-1}/(2k)^{2k} C d^k, by (z - g)₊ ≤ (2k-1)^{2k-1}/(2k)^{2k} z^{2k}/g^{2k-1}.
        """
        p = 2 * self.order
        return float((p - 1) ** (p - 1) / p**p * self.constant * d**self.order)

    def squared_excess(self, d: int) -> float:
        """Return K₂ with E(|X| - g)₊² ≤ K₂/g^{2k-2} for every g > 0, if Σ ≤ I; at k = 1, d itself."""
        p = 2 * self.order
        return float((4 * (p - 2) ** (p - 2) / p**p if p > 2 else 1.0) * self.constant * d**self.order)

    def outer_radius(self, d: int, share: float) -> float:
        """Return an upper `share`-quantile of |X|, if Σ ≤ I: √d (C/share)^{1/2k}."""
        return sqrt(d) * float((self.constant / share) ** (1 / (2 * self.order)))


def zeroed_beyond(x: Array, radius: float) -> Array:
    """Return rows with those beyond the ball of `radius` round 0 set to 0 (M21/HT Algorithm 1)."""
    return np.where((norms(x) <= radius)[:, None], x, 0.0)


class Band(NamedTuple):
    error: float  # e
    keep: float = 1.0  # the least share of S that Z sees
    floor: float = 0.0  # the least keep·U

    def next_lower(self, lower: float) -> float:
        """Return the next ℓ. With keep = 1 it is at least 2ℓ where ℓ ≤ 1/4 and e ≤ 1/8.

        >>> Band(0.125).next_lower(0.25)
        0.5
        """
        return self.keep * lower / (lower + 2 * self.error)

    def preconditioned(self, z: Array, lower: float, a: Array) -> Array:
        least = max(self.keep * lower, self.floor)
        return spectral_map(z, lambda v: 1 / np.sqrt(np.maximum(v + self.error, least) / self.keep)) @ a


class Stage(NamedTuple):
    """A step on rows start .. stop - 1: its share of μ², γ, ℓ before it and, but for the last, a band."""

    start: int
    stop: int
    weight: float
    radius: float
    lower: float
    band: Band | None = None

    @property
    def sensitivity(self) -> float:
        return second_moment_sensitivity(self.stop - self.start, self.radius)

    def sd(self, mu: float) -> float:
        return self.sensitivity / (mu * sqrt(self.weight))


@public
class HeavyTailed(InSteps):
    upper: float
    lower: float
    centred: bool = False
    moments: int = 2
    hypercontractivity: float = 3.0
    calibration: Calibration = "tight"
    alpha: float = 0.1
    beta: float = 0.05

    def _validate(self) -> None:
        require_spread(self.lower, self.upper)
        Moments(self.moments, self.hypercontractivity)
        integer_at_least(2, moments=self.moments)  # fourth moments
        probability(alpha=self.alpha)

    @property
    def zeroed(self) -> bool:
        return self.calibration == "paper"

    @property
    def bounded(self) -> Moments:
        moments = Moments(self.moments, self.hypercontractivity)
        return moments if self.centred else moments.paired()

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        stages = self.stages(n, d, budget)
        weights, moved = zip(*((stage.weight, stage.sensitivity) for stage in stages), strict=True)
        batches = not self.practical and len(stages) > 1
        return numbered_plan(budget, weights, "symmetric_gaussian", moved, batches)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        n, d = x.shape
        stages, charges = self.stages(n, d, budget), self.plan(n, d, budget).charges()
        rows, a = centred_rows(x, self.centred), np.eye(d) / sqrt(self.upper)
        for stage, charge in zip(stages, charges, strict=True):
            record(preconditioner=a, lower=stage.lower)
            moment = self.moment(rows[stage.start : stage.stop], a, stage)  # (1)
            z = symmetric_gaussian(moment, charge, noise)  # (2)
            if stage.band is not None:
                a = stage.band.preconditioned(z, stage.lower, a)  # (4)
        return mapped_back(psd_part(z), a)  # (3)

    def moment(self, rows: Array, a: Array, stage: Stage) -> OnGrid:
        def cut(block: Array) -> Array:
            w = block @ a.T
            return zeroed_beyond(w, stage.radius) if self.zeroed else w

        return moment_in_ball(rows, cut, stage.radius)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error in the norm of Σ, true with probability 1 - beta, if mode is "proved".

        beta/4 each for the sampling (Chebyshev) and the noise of the last step, beta/2 for the bands. From 1
        on the PSD part costs a factor 1/ℓ. Infinite in mode "practical", and for a beta below the field where
        several steps are taken.
        """
        mu, stages = gaussian_total(budget), self.stages(n, d, budget)
        if self.practical or (len(stages) > 1 and beta < self.beta):
            return inf
        last, level = stages[-1], beta / 4 if len(stages) > 1 else beta / 2
        bias, noise = self.last_bias(d, last), last.sd(mu) * symmetric_noise_frobenius(d, level)
        sampling = d * sqrt(self.bounded.fourth / ((last.stop - last.start) * level))
        error = bias + sampling + noise / last.lower
        return error if error < 1 else (bias + sampling + noise) / last.lower

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ for rows of light tails; infinite from √d on.

        The larger of that at Σ = `lower` I and where the last frame is round; heavy tails add the cut's bias.
        """
        mu, size = gaussian_total(budget), 1 / (self.upper / self.lower)
        *early, last = self.stages(n, d, budget)
        for stage in early:
            assert stage.band is not None
            found = positive_mean(size, noise_radius(d, stage.sd(mu))) if self.practical else size
            size *= stage.band.keep / (found + stage.band.error)

        def rms(size: float) -> float:  # for rows of covariance `size` I
            inside, rows = last.radius**2 / size, last.stop - last.start
            kept = gammainc(d / 2 + 1, inside / 2) if self.zeroed else kept_share(np.asarray(inside), d)
            noise = min(last.sd(mu) / size, 1e150) ** 2 / 2
            return sqrt(d * (d + 1) * (1 / rows + noise) + d * (1 - float(kept)) ** 2)

        return better_than(sqrt(d), median_of_matrix(max(map(rms, (size, 1.0))), d))

    def last_bias(self, d: int, last: Stage) -> float:  # in the norm of Σ
        return sqrt(d) * float(self.bounded.bias(d, last.radius, self.zeroed))

    def stages(self, n: int, d: int, budget: Budget) -> tuple[Stage, ...]:
        return stages_of(self, n, d, budget)


@remembered
def stages_of(of: HeavyTailed, n: int, d: int, budget: Budget) -> tuple[Stage, ...]:
    m, mu = centred_count(n, of.centred), gaussian_total(budget)

    def staged(count: int, share: float) -> tuple[Stage, ...]:
        stages, lower, start = list[Stage](), 1 / (of.upper / of.lower), 0
        for _ in range(count - 1):
            if of.zeroed and lower >= ENOUGH:
                break
            stop = m if of.practical else start + int(share * m) // (count - 1)
            weight, beta = share / (count - 1) if of.practical else 1.0, of.beta / (2 * (count - 1))
            radius, band = preconditioning_step(of, d, mu * sqrt(weight), stop - start, lower, beta)
            risen = band.next_lower(lower)
            if not risen > lower:
                break
            stages.append(Stage(start, stop, weight, radius, lower, band))
            lower, start = risen, 0 if of.practical else stop
        weight = 1 - sum(stage.weight for stage in stages) if of.practical else 1.0
        moments, k = of.bounded, of.moments
        if of.zeroed:
            radius = moments.radius(d, of.alpha / (2 * sqrt(d)), zeroed=True)
        else:
            unit = second_moment_sensitivity(m - start, 1.0) / (mu * sqrt(weight))
            unit *= symmetric_noise_frobenius(d, of.beta / 4)
            radius = ((k - 1) * sqrt(d) * float(moments.bias(d, 1.0)) * lower / unit) ** (1 / (2 * k))
        return *stages, Stage(start, m, weight, radius, lower)

    def expected(stages: tuple[Stage, ...]) -> float:  # of the last step, with mean noise, for choices
        last = stages[-1]
        sampling = d * sqrt(of.bounded.fourth / (last.stop - last.start))
        return of.last_bias(d, last) + last.sd(mu) * sqrt(d * (d + 1) / 2) / last.lower + sampling

    ways = (
        (count, share)
        for count in (range(1, MOST_STEPS + 1) if of.steps is None else dict.fromkeys((of.steps, 1)))
        for share in (SHARES if count > 1 else (0.0,))
        if of.practical or count == 1 or int(share * m) // (count - 1) >= 2
    )
    return min((staged(*way) for way in ways), key=expected)


def preconditioning_step(
    of: HeavyTailed, d: int, mu: float, m: int, lower: float, beta: float
) -> tuple[float, Band]:
    moments, caution = of.bounded, CAUTION if of.practical else 1.0
    paper = moments.radius(d, STEP_BIAS / 2, zeroed=True) if of.zeroed else 0.0
    radii = np.asarray([paper]) if of.zeroed else sqrt(d) * RADII
    squares, level = radii**2, log(4 * d / beta)
    slope = level * squares / (3 * m)
    sampling = slope + np.sqrt(slope**2 + 2 * np.minimum(squares, moments.fourth * d) * level / m)
    unit = second_moment_sensitivity(m, 1.0) / mu
    errors = sampling + unit * squares * symmetric_noise_norm(d, beta / 2)
    if of.zeroed:
        error, keep, best = caution * (float(errors[0]) + STEP_BIAS / 2), 1.0, 0
    else:
        errors, kept = caution * errors, 1 - moments.bias(d, radii)
        best = int(np.argmax(np.where(kept > 0, kept / (lower + 2 * errors), -inf)))
        error, keep = float(errors[best]), float(kept[best])
    return float(radii[best]), Band(error, keep, error if of.practical else 0.0)


@public
class HeavyTailedCovariance(HeavyTailed):
    """Private covariance of heavy-tailed rows, by steps of preconditioning (M21/HT Algorithms 2 and 3).

    Accurate for rows of covariance between `lower` and `upper` times the identity, with bounded moments of
    order 2 `moments`. All else as of `CoinPressCovariance`, but that the covariance shrinks by the share of
    rows, or pairs, that is absent.

    Parameters
    ----------
    moments : int, default 2
        Half the order 2k of the moments that are bounded, at least 2.
    hypercontractivity : float, default 3.0
        C of the bound E⟨v, x - μ⟩^{2k} ≤ C (vᵀΣv)^k.
    steps : int or None, default None
        Most steps that are taken; None for no limit but the design's own.
    calibration : {"paper", "tight"}, default "tight"
        "paper" zeroes rows beyond a radius, "tight" clips them at the best radius for this n.
    mode : {"practical", "proved"}, default "practical"
        "proved" gives every step rows of its own and bounds the error; "practical" uses all rows in every
        step.
    alpha : float, default 0.1
        Wanted accuracy that sets the last radius of "paper".

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> estimator = HeavyTailedCovariance(upper=1e4, lower=1.0)
    >>> release = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.2)
    True
    """

    steps: int | None = None
    mode: Mode = "practical"


@public
class HeavyTailedNaiveCovariance(HeavyTailed):
    """Private covariance of heavy-tailed rows, by one noisy step (M21/HT Algorithm 1).

    Accurate for rows of covariance between `lower` and `upper` times the identity, with bounded moments of
    order 2 `moments`; short axes are lost in the noise. All else as of `HeavyTailedCovariance`.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(20_000, 2))
    >>> estimator = HeavyTailedNaiveCovariance(upper=2.0, lower=1.0)
    >>> release = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - np.eye(2)).max() < 0.2)
    True
    """

    steps = 1
    mode = "proved"

    def cut_radius(self, n: int, d: int, budget: Budget) -> float:
        """Return the norm at which a row, or a pair's difference, is cut, in the unit of the data."""
        unit = sqrt(self.upper) * (1 if self.centred else sqrt(2))
        return unit * self.stages(n, d, budget)[0].radius


@public
class ClippedHeavyMean(BallMean):
    """Private mean of heavy-tailed rows (KSU20, for M21's list of prior work).

    Accurate for rows of covariance at most `upper` times the identity, with bounded moments of order 2
    `moments` and the mean within `radius` of `centre`; a long range costs a step or two. `upper`, `steps` and
    `hypercontractivity`, with upper^k for (vᵀΣv)^k, and all else are as of `HeavyTailedCovariance`; the share
    of absent rows shrinks the mean towards a private place near it.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`, in Euclidean distance; in the unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    moments : int, default 2
        Half the order 2k of the moments that are bounded; 1 asks for the covariance alone.
    beta : float, default 0.05
        Failure probability of the radii of all steps together.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = 3.0 + np.random.default_rng(1).standard_t(5.0, size=(2000, 2)) * 0.6**0.5
    >>> estimator = ClippedHeavyMean(radius=1000.0, hypercontractivity=9.0, upper=1.0)
    >>> release = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.2)
    True
    """

    radius: float
    centre: PerColumn = 0.0
    upper: float
    moments: int = 2
    hypercontractivity: float = 3.0
    steps: int | None = None
    beta: float = 0.05

    def _validate(self) -> None:
        Moments(self.moments, self.hypercontractivity)

    def design(self, n: int, d: int, budget: Budget) -> MeanDesign:  # (6) (7) are (2) (3) of `coinpress`
        return heavy_mean_design(self, n, d, budget)


@remembered
def heavy_mean_design(of: ClippedHeavyMean, n: int, d: int, budget: Budget) -> MeanDesign:
    mu = gaussian_total(budget)
    moments, k = Moments(of.moments, of.hypercontractivity), of.moments
    excess, squared = moments.excess(d), moments.squared_excess(d)

    def step(r: float, weight: float, beta: float) -> tuple[float, float]:
        noise = mean_sensitivity(n, 1.0) / (mu * sqrt(weight)) * tail(d, beta)
        g = ((2 * k - 1) * excess / noise) ** (1 / (2 * k))
        cut = excess / g ** (2 * k - 1) + sqrt(squared / (n * beta * g ** (2 * k - 2)))
        return r + g, sqrt(d / (n * (of.beta / 3))) + cut + noise * (r + g)  # (5) (8)

    def tried(weights: Floats) -> MeanDesign:
        beta = of.beta / (3 * len(weights))
        r = whole = of.radius / of.unit
        steps = list[Floats]()
        for weight in weights[:-1]:
            clip, shrunk = step(r, weight, beta)
            if shrunk >= r:
                break
            steps.append((weight, clip, shrunk))
            r = shrunk
        rest = 1 - sum(weight for weight, *_ in steps)
        shares, clips, radii = zip(*steps, (rest, *step(r, rest, beta)), strict=True)
        return MeanDesign(shares, clips, (whole, *radii))

    least, most = (2, MOST_MEAN_STEPS) if of.steps is None else (max(of.steps, 2), of.steps)
    return min(map(tried, divisions((1, *range(least, most + 1)), MEAN_SHARES)), key=attrgetter("error"))
