"""A sparse covariance: perturb, keep what stands out of the noise, repair.  WX19 Algorithms 1 and 2.

Rows x of shape (n, p), n and p public, mean 0. Neighbours: replace one row.

    entry                        radius r                 who adds the noise                       steps
    PerturbedCovariance          given                    the curator                              (2)
    ThresholdedCovariance        given, or private (1)    the curator                              (1) to (4)
    LocalThresholdedCovariance   given                    every user, whose releases are averaged  (2) to (4)

    (1) r = the given radius, or a private quantile of the norms             with a share of the budget
    (2) T = (1/n) Σ w_i w_iᵀ + N, w_i = x_i shrunk to the ball of radius r; N symmetric Gaussian, sd σ on the
        diagonal, σ/√2 off it                                                sensitivity √2 r²/n
    (2') "tight" PerturbedCovariance: with S the mean of (2), also r² - tr S, with noise of sd σ, the rest;
        out = T + (r² - rest - tr T)/(d + 1) I: both know the trace          together √2 r²/n, as S alone
    (3) keep or shrink the entries of T by a rule                            post-processing
    (4) set negative eigenvalues to 0                                        at most doubles spectral errors

The matrices of (3) and (4) are both returned; the support is that of (3), since the repair fills zeros.
The radius of (1), for rows of unknown norm (the source's second open problem), over 80 octaves:

    (a) counts of |x_i| over 321 bins, a quarter of an octave each, from 2⁻⁴⁰ to 2⁴⁰; smaller norms are in the
        first bin, larger ones in the last                                   l2-sensitivity √2: two bins
    (b) noisy counts, those below 4.5 sd taken as 0
    (c) r = the smallest upper edge beyond which at most a share 1 - q of the rows is left; none: the last

Where so few rows are given that no bin stands out of its noise, r is the first edge, and the covariance about
0. With q = .9 r is near that quantile of the norms: better than their maximum, for light and heavy tails.

The rules of (3) see only T, n, and the public sds of its noise. For rows that are about normal entry (i, j)
has the noise level s_ij = √(sd_ij² + (T_ii⁺ T_jj⁺ + T_ij²)/n), of privacy and sampling together:

    paper            |T_ij| > 4 √ln p sd + γ √(ln p/n)                eq. (9); γ = 4 max_i T_ii⁺, chosen
    hard             |T_ij| > κ √ln p s_ij, κ = 1.6
    adaptive-lasso   T_ij (1 - (t_ij/|T_ij|)⁴)₊, t_ij = κ √ln p s_ij, κ = 1.4
    bh               adaptive lasso at the threshold of Benjamini & Hochberg for level .1, times .9
    stein            T_ij (1 - (κ l_ij/|T_ij|)⁸)₊, l_ij² = sd_ij² + T_ii⁺ T_jj⁺/n; κ the largest of 1.5, 1.6,
                     .., 5 within half a standard error of the least risk by Stein's estimate; adaptive lasso
                     where small entries are spread wider than l_ij, as of rows with heavy tails
    thinning         adaptive lasso, κ by validation: T + c Z against T - Z/c, Z of the sds s_ij, c = 1/2

The diagonal is kept as it is: as printed, eq. (9) would compare it with t as well.

`calibration="paper"` has the source's noise, σ = r² √(2 ln(1.25/δ))/(nε) on every entry from the diagonal up,
classic for r²/n, the sensitivity of an added row. One replaced row moves the triangle by up to √2 r²/n, so
that this is √2 r²/(nσ)-GDP and no more, as the guarantee says beside what was requested. Its rule is eq. (9)
unless another is asked for. "tight", ours: exactly the requested budget.

In the local model `randomise` is what one user runs. A run draws the average of the n noises at once: that of
independent N(0, σ²) is N(0, σ²/n). Its step is charged what every user's own release costs, at sensitivity
√2 r²/√n, which is the average's; exact noise is rounded once for the average.

Departures: rows are clipped, where the source assumes their norm; its local sensitivity is r². Beyond it:
(2'), which takes half of the variance of the noise for d = 1, a sixth of its norm for d = 2, a fiftieth for
d = 10; rules that need no unknown constant (its first open problem); a private radius. Proof:
`proofs/sparse.md`.
"""

from math import hypot, inf, log, sqrt
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from workbench.distributions import SparseCovariance
from workbench.errors import ArgumentError, one_of
from workbench.estimators.base import Estimator, T, own_stream, sanitised
from workbench.estimators.reading import read
from workbench.estimators.release import UNCENTRED
from workbench.estimators.shared.budgets import require_gaussian, step_budgets, steps_plan
from workbench.estimators.shared.noisy_means import better_than, median_noise_norm, median_norm
from workbench.estimators.shared.rows import (
    SQUARED_BITS,
    moment_in_ball,
    only_present,
    require_radius,
    row_blocks,
    second_moment_sensitivity,
    second_moment_within,
)
from workbench.linalg import norms, psd_part
from workbench.privacy import ApproxDP, Budget, Charge, Converted, GaussianDP, NoiseSource, Plan, noise_source
from workbench.privacy.budgets import approx_from_gdp
from workbench.privacy.grid import OnGrid, longest, step_of
from workbench.privacy.mechanisms import gaussian, gaussian_scale, symmetric_gaussian
from workbench.special import ndtr, ndtri
from workbench.types import Array, Calibration, Counts, RowMap, public

Rule: TypeAlias = Literal["adaptive-lasso", "hard", "paper", "bh", "thinning", "stein"]
RULES: tuple[Rule, ...] = get_args(Rule)
DEFAULT: dict[str, Rule] = {"tight": "adaptive-lasso", "paper": "paper"}  # by calibration
LASSO, HARD, PAPER, BH_LEVEL, BH_FACTOR = 1.4, 1.6, 4.0, 0.1, 0.9
LEVELS, POWER, HALF = np.arange(1.5, 5.05, 0.1), 8, 0.5  # κ of Stein's rule, and of a standard error
WIDER, DOUBT = 1.65, 3.25  # of a ratio of counts: a level 1.2 times as wide, and 2.5 of its sds
SPLIT, KAPPAS = 0.5, np.linspace(0.4, 3.2, 15)  # c of thinning, and the κ that it tries

STEP, USERS, NORMS = "covariance", "users", "norms"
OCTAVES, PARTS = 40, 4
EDGES = 2.0 ** (np.arange(-OCTAVES * PARTS, OCTAVES * PARTS + 1) / PARTS)  # upper edges of the bins
SHARE, QUANTILE, SILENT = 0.05, 0.9, 4.5


def delivered_mu(budget: ApproxDP) -> GaussianDP:
    """Return μ = ε/√ln(1.25/δ), what the stated noise delivers for a replaced row.

    >>> round(delivered_mu(ApproxDP(1.0, 1e-5)).mu, 4)
    0.2919
    """
    return GaussianDP(budget.epsilon / sqrt(log(1.25 / budget.delta)))


def perturbed(moment: OnGrid | Array, charge: Charge, noise: NoiseSource) -> Array:
    if charge.mechanism == "symmetric_gaussian":
        return symmetric_gaussian(moment, charge, noise)
    above = np.triu_indices(len(moment))
    noisy = np.zeros(moment.shape)
    noisy[above] = gaussian(moment[above], charge, noise)
    return np.triu(noisy) + np.triu(noisy, 1).T


def expected_norm(charge: Charge, n: int, d: int, radius: float, left: float = 1.0) -> float:
    """Return the median spectral norm of noise, or what is left, and sampling error of rows on a circle.

    A traceless matrix with two entries of variance r⁴/(8n): the largest. Infinite from the radius² on.
    """
    wider = 1.0 if charge.mechanism == "symmetric_gaussian" or d == 1 else sqrt(2)
    noise = left * wider * gaussian_scale(charge) * median_noise_norm(d)
    sampling = radius**2 * median_norm(min(d, 2)) / sqrt(8 * n)
    return better_than(radius**2, hypot(noise, sampling))


def norm_counts(x: Array, edges: Array = EDGES, change: RowMap = np.asarray) -> Counts:
    """Return how many rows have lengths up to each edge, the longest in the last bin."""
    counts = np.zeros(len(edges), np.int64)
    for rows in row_blocks(x):
        places = np.searchsorted(edges, only_present(norms(change(rows))))
        counts += np.bincount(np.minimum(places, len(edges) - 1), minlength=len(edges))
    return counts


def private_radius(x: Array, charge: Charge, noise: NoiseSource) -> float:
    noisy = gaussian(norm_counts(x), charge, noise)  # (a)
    counts = np.where(noisy < SILENT * gaussian_scale(charge), 0.0, noisy)  # (b)
    beyond = counts.sum() - np.cumsum(counts)
    enough = np.flatnonzero(beyond <= (1 - QUANTILE) * len(x))  # (c)
    return float(EDGES[enough[0]] if len(enough) else EDGES[-1])


class Noise(NamedTuple):
    """The public sds of the noise of a released matrix, and the number of rows behind it."""

    diagonal: float
    off_diagonal: float
    n: int

    def levels(self, released: Array, size: Array | float | None = None) -> Array:
        """Return the sds of entries of this size, by default as released, for rows that are about normal."""
        sds = np.full(released.shape, self.off_diagonal)
        np.fill_diagonal(sds, self.diagonal)
        scale = np.maximum(np.diag(released), 0.0)
        size = released if size is None else size
        return np.sqrt(sds**2 + (np.outer(scale, scale) + size**2) / self.n)


def kept_and_repaired(
    released: Array, charge: Charge, n: int, rule: Rule, noise: NoiseSource
) -> SparseCovariance:
    """Return (3) and (4) of a released matrix; no row is looked at.

    Thinning alone draws: one uniform number, which sees no data, seeds its fresh noise.
    """
    sd = gaussian_scale(charge)
    off_diagonal = sd / sqrt(2) if charge.mechanism == "symmetric_gaussian" else sd
    fresh = own_stream(noise) if rule == "thinning" else np.random.default_rng(0)
    kept = thresholded(released, Noise(sd, off_diagonal, n), rule, fresh)  # (3)
    return SparseCovariance(kept, psd_part(kept))  # (4)


def thresholded(released: Array, noise: Noise, rule: Rule, stream: np.random.Generator) -> Array:
    """Return the released matrix with small entries off the diagonal set to 0 or shrunk."""
    levels, root = noise.levels(released), sqrt(log(max(len(released), 2)))
    match rule:
        case "hard":
            kept = np.where(np.abs(released) > HARD * root * levels, released, 0.0)
        case "paper":
            kept = np.where(np.abs(released) > paper_threshold(released, noise), released, 0.0)
        case "bh":
            kept = lasso(released, BH_FACTOR * bh_factor(released, levels) * levels)
        case "stein":
            kept = stein(released, noise)
        case "thinning":
            kept = lasso(released, thinned_kappa(released, levels, stream) * root * levels)
        case _:
            kept = lasso(released, LASSO * root * levels)
    np.fill_diagonal(kept, np.diag(released))
    return kept


def paper_threshold(released: Array, noise: Noise) -> float:
    p = max(len(released), 2)
    spread = max(float(np.diag(released).max()), 0.0)
    return PAPER * (sqrt(log(p)) * noise.off_diagonal + spread * sqrt(log(p) / noise.n))


def bh_factor(released: Array, levels: Array) -> float:
    # the critical value of Benjamini and Hochberg, not the least score that they reject: far above the noise
    # that is a signal's own size
    scores = np.sort(np.abs(released / levels)[np.triu_indices(len(released), 1)])[::-1]
    count = max(len(scores), 1)
    rejected = np.flatnonzero(2 * ndtr(-scores) <= BH_LEVEL * np.arange(1, len(scores) + 1) / count)
    number = int(rejected[-1]) + 1 if len(rejected) else 1
    return float(-ndtri(BH_LEVEL * number / (2 * count)))


def thinned_kappa(released: Array, levels: Array, stream: np.random.Generator) -> float:
    draw = stream.standard_normal(released.shape)
    noise = levels * (np.triu(draw) + np.triu(draw, 1).T)
    first, second = released + SPLIT * noise, released - noise / SPLIT
    root = sqrt(log(max(len(released), 2)))
    spread = levels * sqrt(1 + SPLIT**2)
    away = ~np.eye(len(released), dtype=bool)
    losses = [((lasso(first, kappa * root * spread) - second)[away] ** 2).sum() for kappa in KAPPAS]
    return float(KAPPAS[int(np.argmin(losses))])


def stein(released: Array, noise: Noise) -> Array:
    """Return the lasso of eighth power at the κ of Stein's rule.

    With z = |T_ij|/l_ij, q = κ/z the risk of an entry is l_ij² (z² - 1) for z ≤ κ, else l_ij² (z² q¹⁶ + 1 +
    14 q⁸): unbiased for entries that are normal with sd l_ij. Entries of z ≤ 1.5 have no part in a choice.
    """
    levels, places = noise.levels(released, 0.0), np.triu_indices(len(released), 1)
    if heavy(np.abs(released[places]), levels[places]):
        return lasso(released, LASSO * sqrt(log(len(released))) * noise.levels(released))
    above = np.triu(np.abs(released) > LEVELS[0] * levels, 1)
    z, weights = np.abs(released[above]) / levels[above], levels[above] ** 2
    q = (LEVELS[:, None] / z) ** POWER
    risks = weights * np.where(q >= 1, z**2 - 1, z**2 * q**2 + 1 + 2 * (POWER - 1) * q)
    more = risks - risks[risks.sum(axis=1).argmin()]
    near = more.sum(axis=1) <= HALF * np.sqrt((more**2).sum(axis=1))
    return lasso(released, LEVELS[near][-1] * levels, POWER)


def heavy(entries: Array, levels: Array) -> bool:
    # of normal noise 1.585 times as many are within 1.5 levels as within .75, the more the wider it is, up to
    # 2, as of rows of heavy tails
    inner, outer = (np.count_nonzero(entries <= reach * levels) for reach in (0.75, 1.5))
    return bool(outer > inner * (WIDER + DOUBT / sqrt(max(len(entries), 1))))


def lasso(matrix: Array, thresholds: Array | float, power: int = 4) -> Array:
    with np.errstate(all="ignore"):
        shrunk = matrix * np.maximum(1 - (thresholds / np.abs(matrix)) ** power, 0.0)
    return np.where(np.isfinite(shrunk), shrunk, 0.0)


class Perturbed(Estimator[T]):
    radius: float | None
    calibration: Calibration

    in_passes = True

    def _validate(self) -> None:
        if self.radius is not None:
            require_radius(self.radius)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charge of (2), of a user's release in the unit of the average; "paper" as (ε', δ)."""
        local = self.model == "local"
        assert self.radius is not None
        moved = second_moment_sensitivity(1 if local else n, self.radius)
        step, moved = (USERS, moved / sqrt(n)) if local else (STEP, moved)
        if self.calibration == "tight":
            require_gaussian(budget)
            return Charge(step, "symmetric_gaussian", moved, budget)
        if not isinstance(budget, ApproxDP) or not budget.delta > 0:
            raise ArgumentError("budget", budget, "ApproxDP with delta > 0 for calibration 'paper'")
        cost = delivered_mu(budget)
        return Converted(Charge(step, "gaussian", moved, cost), approx_from_gdp(cost, budget.delta))

    def released(self, x: Array, budget: Budget, noise: NoiseSource) -> tuple[Array, Charge]:
        assert self.radius is not None
        n, d = x.shape
        (charge,) = self.plan(n, d, budget).charges()
        return perturbed(second_moment_within(x, self.radius), charge, noise), charge  # (2)

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return what the matrix is of rows of another mean, in words."""
        return UNCENTRED

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median spectral error of the released matrix where rows lie on a circle.

        Thresholds lower it where few columns are correlated. Infinite from radius² on, and without a radius:
        no unit is known.
        """
        *_, charge = self.plan(n, d, budget).charges()
        return inf if self.radius is None else expected_norm(charge, n, d, self.radius)


@public
class PerturbedCovariance(Perturbed[Array]):
    """Private second moment of rows of known norm, noise on every entry (WX19 equation (7)).

    Accurate for rows of mean 0 and norm at most `radius`; the matrix need not be positive semidefinite. Its
    `calibration` is as of `ThresholdedCovariance`; "tight" measures the trace twice, at no cost (2').

    Parameters
    ----------
    radius : float
        Rows are shrunk to this norm, in the unit of the data.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(0.0, 0.1, size=(10_000, 3))
    >>> release = PerturbedCovariance(radius=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 0.01 * np.eye(3)).max() < 0.003)
    True
    """

    radius: float
    calibration: Calibration = "tight"

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        if self.calibration == "paper":
            return self.released(x, budget, noise)[0]
        (n, d), moment = x.shape, second_moment_within(x, self.radius)
        longest_rows = n * longest(self.radius, step_of(self.radius, SQUARED_BITS))
        joint = moment.padded((0, 1))
        joint.counts[-1, -1] = longest_rows - int(np.trace(moment.counts))
        noisy = symmetric_gaussian(joint, self.plan(n, d, budget)[STEP], noise)  # (2')
        released, other = noisy[:-1, :-1], longest_rows * moment.unit - noisy[-1, -1]
        return released + (other - np.trace(released)) / (d + 1) * np.eye(d)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median spectral error where rows lie on a circle; infinite from radius² on.

        What is left of the norm of the noise is that of simulations at d = 1 to 30, within 1 %.
        """
        left = 1.0 if self.calibration == "paper" else 1 - 0.292 * (2 / (d + 1)) ** 1.56
        (charge,) = self.plan(n, d, budget).charges()
        return expected_norm(charge, n, d, self.radius, left)


class Thresholded(Perturbed[SparseCovariance]):
    rule: Rule | None

    def _validate(self) -> None:
        super()._validate()
        one_of((None, *RULES), rule=self.rule)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> SparseCovariance:
        (n, d), rule = x.shape, self.rule or DEFAULT[self.calibration]
        if self.radius is not None:
            return kept_and_repaired(*self.released(x, budget, noise), n, rule, noise)
        plan = self.plan(n, d, budget)
        radius = private_radius(x, plan[NORMS], noise)  # (1)
        released = perturbed(moment_in_ball(x, lambda rows: rows / radius, 1.0), plan[STEP], noise)  # (2)
        return kept_and_repaired(released, plan[STEP], n, rule, noise).scaled(radius**2)


@public
class ThresholdedCovariance(Thresholded):
    """Private sparse covariance: noise, then small entries are dropped (WX19 Algorithm 1).

    Accurate for sub-Gaussian rows of mean 0 with few correlated columns. The value holds the thresholded
    matrix and its positive semidefinite part, which is what `numpy.asarray` gives.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0; with
    calibration "tight" also ZCDP with delta = 0, and GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    adds nothing: the covariance shrinks by the share that is absent.

    Parameters
    ----------
    radius : float or None, default None
        Rows are shrunk to this norm, in the unit of the data; None finds one, with a share of the budget.
    rule : str or None, default None
        How entries are kept: "adaptive-lasso", "hard", "paper", "bh", "thinning" or "stein". None for the
        adaptive lasso, and for equation (9) with calibration "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the noise of the source: the release says what that delivers. "tight" delivers the budget,
        with less noise off the diagonal.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(0.0, 0.1, size=(20_000, 5))
    >>> release = ThresholdedCovariance(radius=1.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value.psd - 0.01 * np.eye(5)).max() < 0.001)
    True
    """

    radius: float | None = None
    rule: Rule | None = None
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        super()._validate()
        if self.calibration == "paper" and self.radius is None:
            raise ArgumentError("radius", None, "a number for calibration 'paper'")

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        if self.radius is not None:
            return super().plan(n, d, budget)
        # a twentieth of μ² for the norms, the rest for the covariance of unit rows
        norm, moment = step_budgets(budget, (SHARE, 1 - SHARE))
        unit_rows = Charge(STEP, "symmetric_gaussian", second_moment_sensitivity(n, 1.0), moment)
        return steps_plan(budget, (Charge(NORMS, "gaussian", sqrt(2), norm), unit_rows))


@public
class LocalThresholdedCovariance(Thresholded):
    """Private sparse covariance in the local model: every user adds the noise (WX19 Algorithm 2).

    Accurate for rows of mean 0 and norm at most `radius` with few correlated columns; `rule` and
    `calibration` are as of `ThresholdedCovariance`.
    Guarantee: local model, every user's own row, for every input. Budgets: ApproxDP with delta > 0; with
    calibration "tight" also ZCDP with delta = 0, and GaussianDP.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    user sends noise alone: the covariance shrinks by the share that is absent.

    Parameters
    ----------
    radius : float
        Rows are shrunk to this norm, in the unit of the data.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(0.0, 0.1, size=(1000, 2))
    >>> estimator = LocalThresholdedCovariance(radius=1.0)
    >>> release = estimator(x, budget=GaussianDP(1.0), rng=np.random.default_rng(2))
    >>> release.guarantee.model
    'local'
    """

    radius: float
    rule: Rule | None = None
    calibration: Calibration = "tight"

    model, least_rows = "local", 1

    def randomise(self, row: object, *, budget: Budget, rng: object) -> Array:
        """Return what the user of one row of shape (p,) releases; one with an unusable entry counts as 0."""
        values, _ = read(row)
        if values.ndim != 1 or not values.size:
            raise ArgumentError("row", f"array of shape {values.shape}", "numbers of one user: shape (p,)")
        with np.errstate(all="ignore"):
            return self.released(sanitised(values[None, :]), budget, noise_source(rng))[0]
