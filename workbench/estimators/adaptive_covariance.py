"""A covariance of rows within a crude bound: a private radius, one noisy moment, eigenvalues denoised (ours).

Rows x of shape (n, d), n and d public, B = `radius`. Neighbours: replace one row. Every step is a Gaussian
mechanism. A grid hangs from a length e_0: edges e_k = e_0 2^(-k/8), k = 0 .. 319; bin k holds the rows with
e_{k+1} < |x| ≤ e_k, the first one longer rows as well, the last one all that are shorter. σ is the sd of the
noise of a histogram, ρ the budget of the moment. Rows of mean 0 (`centred`), e_0 = B:

    (1) c = counts of |x| on the grid + N(0, σ²)                                         l2-sensitivity √2
    (2) t = where the mass begins: of windows of L = 1, 2, 4, 8, 16 bins the first with a sum of 5 σ √L,
        without the longest part at its start whose sum over m bins is at most 2 σ √m; the least over L
    (3) r = the edge at k ≥ t of least (A_k)₊² + ν_k²: A_k = (1/n) Σ_{t≤j<k} c_j (e_j² 2^(-1/8) - e_k²), the
        trace that clipping at e_k takes, and ν_k = .3 e_k² √(d(d + 1)/2ρ)/n, noise that is left after (5)
    (3') c' = counts of |x| on a grid within bin k, f_i = e_k 2^(-i/64), i = 0 .. 8, + N(0, σ'²); shorter
        rows in one more bin, longer ones in another, but for k = 0 in the first    l2-sensitivity √2
        r = the f_i of least (A_i + .7 sd)₊² + (ν_i/2)²: A_i and ν_i as in (3), of c from t to k and then c',
        sd that of the part of c' in A_i
    (4) M = (1/n) Σ w wᵀ + N, w = x/r shrunk to the unit ball, N symmetric Gaussian with variance 2s² on the
        diagonal and s² off it, s = 1/(n√(2ρ)); over the share of the rows that are there     sensitivity √2/n
    (5) M = V diag(λ) Vᵀ; f_i = λ_i - 2s² Σ_j D/(D² + s²/4), D = λ_i - λ_j; f becomes ascending (isotonic
        regression), then a projection on f ≥ 0, Σ f ≤ 1;  out = r² V diag(f) Vᵀ
    (6) or, by entries: M_ij (1 - (κ/z)⁸)₊ off the diagonal, z = |M_ij|/s, κ from 1.5 to 5, and the PSD part;
        where its estimated risk is lower than that of (5) by more than 6 s² d, and d > 1

Of an unknown mean, in all the same but:

    (7) counts of (x_2j - x_2j-1)/√2 on the grid from 2B, share .03; u = the edge where the counts from t on
        exceed a tenth of the pairs, 2B where there is none
    (8) c = 0, R = B + 1.5 u; K balls, then one with half of the stage's share .08:
        c ← c + R (mean of (x - c)/R shrunk to the unit ball + noise)/(share of present rows), back to |c| ≤ B
                                                                                       l2-sensitivity 2/n
        R ← 1.5 u + (√d + 3.6) R · sd of the noise, at most 2 (B + 1.5 u)
    (9) (1) to (3') for x - c, e_0 = 4R, ν times 1 + τ², τ = min(1, √(2/(d + 1)))
    (10) Z = (1/n) Σ z zᵀ + N, z = (τ, w), w = (x - c)/r shrunk to the unit ball, 0 if the row is absent; over
         the share of present rows                                              sensitivity √2 (1 + τ²)/n
    (11) (5) for Z, Σ f ≤ 1 + τ²: Ẑ;  out = r² (Ẑ_11 - Ẑ_10 Ẑ_01/max(Ẑ_00, τ²)), mean = c + r Ẑ_10/max(·)

The stage of (8) has 13 charges, twelve of a 24th of its budget and one of a half: K from 0 to 12 is chosen
from u and public numbers, and a ball averages as many draws of its mean as it has charges. K rises only where
the radius that is left falls by 2 %.

Step (5) is Stein's identity: for this noise λ_i - 2s² Σ 1/(λ_i - λ_j) estimates v_iᵀ C v_i without bias, C
the moment without noise. It also gives an estimate of the squared error of (5), and of (6) for a fixed κ: the
error that the value states, at no cost. It is no bound: choosing κ, and (6) instead of (5), makes it a little
too small, and clipping is not in it.

Step (3') takes what (3) rounds: r² is up to 19 % too large where all rows are about equally long, and so is
all noise. It clips with more caution than (3), since a few rows in the tail are better kept.

Not proved: that (5) is never worse than projecting M at finite d; how good (3) is for rows whose lengths
spread over more than two octaves with fewer than 5 sd in each window, which are clipped at what is seen. The
constants .3, 5, 2, those of (3') and the shares, h = min(.1, max(.02, (18/d)²)) of (1), .15 h of (3'), were
tuned on eleven cells.
Proof: `proofs/adaptive_covariance.md`.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import hypot, inf, sqrt

import numpy as np

from workbench.distributions import DenoisedCovariance
from workbench.errors import ArgumentError
from workbench.estimators.base import Estimator
from workbench.estimators.release import UNCENTRED
from workbench.estimators.shared.budgets import step_budgets, steps_plan
from workbench.estimators.shared.moments import STEP as GRID
from workbench.estimators.shared.moments import LiftedMoment
from workbench.estimators.shared.noisy_means import LEAST_SHARE, OF_MOMENTS, better_than, share, weighed
from workbench.estimators.shared.rows import (
    FARTHEST,
    NEAREST,
    from_centre,
    mean_in_ball,
    mean_sensitivity,
    moment_in_ball,
    paired,
)
from workbench.estimators.sparse import expected_norm, lasso, norm_counts
from workbench.linalg import norms, psd_part, symmetrised
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.histograms import COUNTS_L2
from workbench.privacy.mechanisms import gaussian, gaussian_scale, symmetric_gaussian
from workbench.special import isotonic_regression
from workbench.types import Array, Floats, public

STEP, NORMS, FINER, PAIRS, CENTRE = "moment", "norms", "finer norms", "pairs", "centre"
BINS, PARTS = 320, 8  # of a grid, and of an octave
EDGES = 2.0 ** (-np.arange(BINS) / PARTS)  # in units of the first
ASCENDING = EDGES[::-1]
WITHIN = 2.0 ** (-np.arange(9) / (8 * PARTS))  # edges within a bin, in units of its own
STANDS, TRIMMED, WINDOWS = 5.0, 2.0, (1, 2, 4, 8, 16)
GAIN, SMOOTH = 0.3, 0.25  # noise that denoising leaves; the square of what is added to a gap, over s²
OF_PAIRS, OF_CENTRE, PAIRED, EARLY = 0.03, 0.08, 0.1, 12
OF_FINER, DOUBT, SURER = 0.15, 0.7, 0.5  # of the share of norms; of an sd, and of that noise, in step (3')
AROUND, TAIL, FASTER = 1.5, 3.6, 0.98
KAPPAS, CUT, MARGIN = np.arange(15, 51) / 10, 1.5, 6.0
LOW, HIGH = NEAREST * 2.0**90, FARTHEST / 64  # grids within a grid stay among the radii that floats resolve


@public
class AdaptiveCovariance(Estimator[DenoisedCovariance]):
    """Private covariance of rows within a crude bound, with its own error bar (ours).

    Accurate for rows of about one length, however much shorter than `radius`: a bound of 1e6 costs as much as
    one of 1. The value holds the positive semidefinite matrix, a mean, the radius at which rows were clipped,
    the level of the noise, and about the Frobenius distance to the second moment of the clipped rows (or, of
    the lifted ones, to that).
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    moment is that of the others: it is divided by their share, which is drawn with it at no cost; a share of
    absent rows that its noise hides shrinks the matrix. A pair with an absent row is absent.

    Parameters
    ----------
    radius : float
        Bound on the length of rows, in the unit of the data: longer ones are shrunk. It may be crude.
    centred : bool, default False
        Whether the second moment of the rows is wanted, which is their covariance where the mean is 0.
        Otherwise their covariance: the mean is found with a tenth of the budget.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(0.0, 0.1, size=(20_000, 5))
    >>> estimator = AdaptiveCovariance(radius=1e6, centred=True)
    >>> release = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(np.asarray(release) - 0.01 * np.eye(5)).max() < 0.0003), release.value.error < 0.0003
    (True, True)
    """

    radius: float
    centred: bool = False

    in_passes = True

    def _validate(self) -> None:
        if not LOW <= self.radius <= HIGH:
            raise ArgumentError("radius", self.radius, f"a bound from {LOW:g} to {HIGH:g}")

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        norm = min(0.1, max(0.02, (18 / d) ** 2))
        shares: Floats = (norm, OF_FINER * norm, 1 - (1 + OF_FINER) * norm)
        moved = {NORMS: COUNTS_L2, FINER: COUNTS_L2}
        if not self.centred:
            rest = 1 - OF_PAIRS - OF_CENTRE
            early = [OF_CENTRE / (2 * EARLY)] * EARLY
            shares = (OF_PAIRS, *early, OF_CENTRE / 2, *(rest * part for part in shares))
            centres = (f"{CENTRE} {place}" for place in range(1, EARLY + 2))
            moved = {PAIRS: COUNTS_L2, **dict.fromkeys(centres, mean_sensitivity(n, 1.0)), **moved}
        *costs, moment = step_budgets(budget, shares)
        steps = zip(moved.items(), costs, strict=True)
        charges = (Charge(step, "gaussian", most, cost) for (step, most), cost in steps)
        return steps_plan(budget, (*charges, self.lifted(n, d).charge(STEP, moment)))

    def lifted(self, n: int, d: int) -> LiftedMoment:
        return LiftedMoment(n, d, 0.0 if self.centred else min(1.0, sqrt(2 / (d + 1))))

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return what the matrix is of rows of another mean, in words."""
        return f"{UNCENTRED} (centred=False)" if self.centred else ""

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> DenoisedCovariance:
        n, d = x.shape
        plan, c, top = self.plan(n, d, budget), np.zeros(d), self.radius
        if not self.centred:
            unit = self.unit(x, plan[PAIRS], noise)  # (7)
            balls, last = self.balls(unit, d, plan)
            for reach, charges in balls:  # (8)
                c = recentred(x, c, reach, charges, noise)
                length = float(np.linalg.norm(c / self.radius))
                c = c / max(1.0, length) if length < inf else np.zeros(d)  # 0 for what leaves the floats
            top = 4 * last  # (9)
        apart = from_centre(c)
        counts = gaussian(norm_counts(x, top * ASCENDING, apart)[::-1], plan[NORMS], noise)  # (1)
        start = first_mass(counts, gaussian_scale(plan[NORMS]))  # (2)
        level = gaussian_scale(plan[STEP]) / sqrt(2)  # s
        left = GAIN * sqrt(d * (d + 1)) * level * n
        place = BINS - 1 if start is None else start + best_edge(counts[start:-1], EDGES[start:], left)  # (3)
        edges = EDGES[place] * WITHIN
        among = np.append(edges[::-1], inf)
        among[-2] = edges[0] if place > 0 else inf
        nearby = norm_counts(x, top * among, apart)[::-1]
        finer = gaussian(nearby, plan[FINER], noise)[1:-1]  # (3')
        if start is not None:
            joined, doubt = np.append(counts[start:place], finer), DOUBT * gaussian_scale(plan[FINER])
            edges = np.append(EDGES[start:place], edges)
            edges = edges[best_edge(joined, edges, SURER * left, place - start, doubt) :]
        r = top * float(edges[0])

        def standard(rows: Array) -> Array:
            return apart(rows) / r

        if self.centred:
            joint, whole = weighed(moment_in_ball(x, standard, 1.0, counted=True), n, plan[STEP], OF_MOMENTS)
            noisy = symmetric_gaussian(joint, plan[STEP], noise)  # (4)
            there = share(float(noisy[-1, -1]), whole, plan[STEP])
            found, error, chosen = denoised(noisy[:-1, :-1] / there, level / there)  # (5) (6)
            mean = c
        else:
            recipe = self.lifted(n, d)
            noisy = symmetric_gaussian(recipe.of(x, standard), plan[STEP], noise)  # (10)
            there, height = recipe.share(float(noisy[0, 0]), plan[STEP]), recipe.steps * GRID
            z, error, chosen = denoised(noisy / there, level / there, 1 + height**2, by_entries=False)
            corner = max(z[0, 0], height**2)  # (11)
            found = symmetrised(z[1:, 1:] - np.outer(z[0, 1:], z[0, 1:]) / corner)
            mean = c + r * height * z[0, 1:] / corner
        size = r**2
        return DenoisedCovariance(
            found * size, mean, r, level / there * size, error * size, chosen, start is not None
        )

    def unit(self, x: Array, charge: Charge, noise: NoiseSource) -> float:  # u
        top, pairs = 2 * self.radius, paired(x)
        counts = gaussian(norm_counts(pairs, top * ASCENDING)[::-1], charge, noise)
        start = first_mass(counts, gaussian_scale(charge))
        if start is None:
            return top
        enough = np.flatnonzero(np.cumsum(counts[start:]) > PAIRED * len(pairs))
        return top * float(EDGES[start + enough[0]]) if len(enough) else top

    def balls(self, unit: float, d: int, plan: Plan) -> tuple[list[tuple[float, list[Charge]]], float]:
        # the radius and the charges of every ball of (8), and the radius after the last one
        charges = [one for one in plan.charges() if one.step.startswith(CENTRE)]
        first, best, left = self.radius + AROUND * unit, list[tuple[float, list[Charge]]](), inf
        for count in range(EARLY + 1):
            ends = [EARLY * place // count for place in range(1, count + 1)]
            reach, path = first, []
            for start, end in pairwise((0, *ends, len(charges))):
                path.append((reach, charges[start:end]))
                spread = (sqrt(d) + TAIL) * averaged(charges[start:end])[1]
                reach = min(AROUND * unit + spread * reach, 2 * first)
            if reach < FASTER * left:
                best, left = path, reach
        return best, left

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return at most the median spectral error of rows on a circle as long as the bound.

        Shorter rows have a smaller one, which the release states. Infinite from radius² on.
        """
        plan, longest = self.plan(n, d, budget), 1.0
        if not self.centred:  # rows turned by half a circle are √2 apart, and lie in the next bin
            last = self.balls(AROUND * self.radius, d, plan)[0][-1]
            off = last[0] * averaged(last[1])[1] / self.radius
            longest = 2.0 ** (1 / PARTS) * hypot(1.0, sqrt(d) * off)
        charge = plan[STEP]
        return better_than(self.radius**2, expected_norm(charge, n, d, 1.0) * (longest * self.radius) ** 2)


def first_mass(counts: Array, sd: float) -> int | None:
    """Return t of step (2) for noisy counts; None where no window stands out of noise of this sd."""
    sums, found = np.append(0.0, np.cumsum(counts)), list[int]()
    for size in WINDOWS:
        starts = np.flatnonzero(sums[size:] - sums[:-size] >= STANDS * sd * sqrt(size))
        if len(starts):
            lead = sums[starts[0] : starts[0] + size] - sums[starts[0]]
            empty = np.flatnonzero(lead <= TRIMMED * sd * np.sqrt(np.arange(size)))
            found.append(int(starts[0] + empty[-1]))
    return min(found, default=None)


def best_edge(counts: Array, edges: Array, left: float, first: int = 0, doubt: float = 0.0) -> int:
    """Return the place of r among falling edges, none before `first`, by the counts between them.

    `left` is nν of an edge 1. Every count from `first` on is doubted by this number.
    """
    weights = np.triu(edges[:-1, None] * edges[1:, None] - edges**2, 1)[:, first:]
    taken = np.maximum(counts @ weights + doubt * norms(weights[first:].T), 0.0)
    return first + int(np.argmin(taken**2 + (left * edges[first:] ** 2) ** 2))


def averaged(charges: Sequence[Charge]) -> tuple[Array, float]:
    # the weights of draws of one statistic by their precisions, and the sd of what they average
    precisions = np.array([gaussian_scale(charge) ** -2 for charge in charges])
    return precisions / precisions.sum(), float(precisions.sum() ** -0.5)


def recentred(x: Array, c: Array, reach: float, charges: Sequence[Charge], noise: NoiseSource) -> Array:
    apart = from_centre(c)
    mean = mean_in_ball(x, lambda rows: apart(rows) / reach, 1.0, counted=True)
    joint, whole = weighed(mean, len(x), charges[0])
    drawn = averaged(charges)[0] @ [gaussian(joint, charge, noise) for charge in charges]
    return c + reach * drawn[:-1] / min(max(drawn[-1] / whole, LEAST_SHARE), 1.0)


def denoised(
    noisy: Array, level: float, most: float = 1.0, by_entries: bool = True
) -> tuple[Array, float, bool]:
    """Return steps (5) and (6) of a symmetric matrix: the answer, about its error, whether by entries."""
    m = symmetrised(noisy / level)  # in units in which no square leaves the floats
    values, basis = np.linalg.eigh(m)
    spectrum, risk = denoised_spectrum(values, most / level)
    found, chosen = symmetrised((basis * spectrum) @ basis.T), False
    if by_entries and len(m) > 1:
        sparse, other = denoised_entries(m)
        chosen = other + MARGIN * len(m) < risk
        found, risk = (sparse, other) if chosen else (found, risk)
    return found * level, level * sqrt(max(risk, 0.0)), chosen


def denoised_spectrum(values: Array, most: float) -> tuple[Array, float]:
    """Return f of step (5) for noise of level 1, and the estimate of its squared error."""
    d, gaps = len(values), values[:, None] - values
    wide = gaps**2 + SMOOTH
    jacobian = 2 * (2 * SMOOTH / wide - 1) / wide
    np.fill_diagonal(jacobian, 0.0)
    np.fill_diagonal(jacobian, 1 - jacobian.sum(axis=1))
    fitted = isotonic_regression(values - 2 * (gaps / wide).sum(axis=1))
    sizes = np.diff(fitted.blocks)
    block = np.repeat(np.arange(len(sizes)), sizes)
    jacobian = ((block[:, None] == block) / sizes[block]) @ jacobian
    f = np.maximum(fitted.x, 0.0)
    bound = f.sum() > most
    if bound:
        descending = fitted.x[::-1]
        taken = (np.cumsum(descending) - most) / np.arange(1, d + 1)
        f = np.maximum(fitted.x - taken[descending >= taken][-1], 0.0)
        f *= most / max(f.sum(), most)  # it is more where floats are further apart than that
    kept = f > 0
    trace = float(np.diag(jacobian)[kept].sum())
    if bound:
        trace -= float(jacobian[np.ix_(kept, kept)].sum() / max(kept.sum(), 1))
    slopes = np.divide(f[:, None] - f, gaps, out=np.zeros((d, d)), where=gaps != 0).sum() / 2
    return f, float(((f - values) ** 2).sum() - d * (d + 1) + 4 * (trace + slopes))


def denoised_entries(m: Array) -> tuple[Array, float]:
    """Return the matrix of step (6) for noise of level 1, and the estimate of its squared error."""
    above = np.triu_indices(len(m), 1)
    z = np.abs(m[above])
    low, high = (z[z <= CUT] ** 2 - 1).sum(), z[z > CUT]

    def risk(kappa: float) -> float:
        q = np.minimum(kappa / high, 1.0) ** 8
        kept = high > kappa
        return float(np.where(kept, (high * q) ** 2 + 2 * (1 + 7 * q) - 1, high**2 - 1).sum())

    risks = [risk(kappa) for kappa in KAPPAS]
    best = int(np.argmin(risks))
    shrunk = lasso(m, KAPPAS[best], 8)
    np.fill_diagonal(shrunk, np.diag(m))
    return psd_part(shrunk), 2 * (len(m) + float(low) + risks[best])
