"""The mean of rows of which only a range is known: place, scales and radius are found, too.  Ours.

After Huang, Liang & Yi 2021 (medians, a quantile of norms, one clipped mean), Aumüller, Lebeda, Nelson & Pagh
2023 (weights: square roots of scales), Burnashev & Zigangirov 1974 (bisection that forgives wrong answers).

Rows x of shape (n, d), n and d public. Neighbours: replace one row. Every step is a Gaussian mechanism whose
noise is public before the run; μ² is divided among them, μ = √(2ρ) under zCDP. With z = x - centre:

    (1) c = the medians of the columns of z, in [-R, R]                     80 probes, sensitivity √d each
    (2) s_j = the .6-quantile of |z_j - c_j|; s ← s + mean(s)/10            40 probes, sensitivity √d; d ≥ 2
    (3) for w = √(s/max s), and for w = 1 (d = 1: for w = 1 alone):
        r = the q-quantile of |(z - c)/w|                                   40 probes, sensitivity 1 each
        the w of smaller r |w| stays: that leads to less noise
    (4) m = (1/n) Σ v_i, v the row (z - c)/(w r) shrunk to the unit ball    sensitivity 2/n
    (5) out = centre + c + w r (m + N(0, σ² I))

A probe asks of a point t how far the number of rows below it is from a share p of those that are there:

    (6) y = (1/n) Σ_i (1{x_ij ≤ t_j} - p) + τ N(0, 1), all columns j at once; an absent row adds 0
    (7) t = the median of a posterior of the quantile, piecewise constant, which multiplies the density
        left of t by e^(2hy/τ²): exact if shares jump from p - h to p + h at the quantile
    (8) after the last probe: its median. Prior: uniform in (1) and (2), [ln R - 30, ln R + 1.5] in (2);
        in (3) most of it is about the radius that the scales suggest

A wrong answer is outvoted later, so that probes may be weak, τ up to .5 in (1), .4 in (2), .2 in (3): places
in a range of 10^9 scales cost 3 % of the budget where 25 % is usual. The share 1 - q of rows that are clipped
is max(16 e, 2.5/√a)/(nμ), at most .3, with e = Σ s/√(Σ s²) and a the share of μ² of one search of (3): it
vanishes as n grows, and with it what clipping makes of skewed rows.

Shares of μ²: the least at which probes reach those τ, or .03, .02 and .02, all searches .35 at most; the mean
has the rest. Proof, and what is measured and not proved: `proofs/adaptive_mean.md`.
"""

from math import inf, log, pi, sqrt

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import Estimator, in_columns, record
from workbench.estimators.shared.budgets import gaussian_total, step_budgets, steps_plan
from workbench.estimators.shared.noisy_means import POINTS, WEIGHTS, median_of_mean, rescaled_mean
from workbench.estimators.shared.rows import mean_in_ball, mean_sensitivity, present
from workbench.linalg import norms
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import WORD, OnGrid
from workbench.privacy.mechanisms import additive, gaussian_scale
from workbench.special import chdtri
from workbench.types import Array, PerColumn, RowMap, public

PROBES = {"centre": 80, "scales": 40, "weighted radius": 40, "radius": 40, "mean": 1}
LEAST = {"centre": 0.03, "scales": 0.02, "weighted radius": 0.02, "radius": 0.02}  # shares of μ²
WEAKEST = {"centre": 0.5, "scales": 0.4, "weighted radius": 0.2, "radius": 0.2}  # τ, if that is affordable
MOST, FAINT = 0.35, 1e-140  # of μ² for all searches; nμ below which shares do not change any more
POWERS = {"weighted radius": 0.5, "radius": 0.0}  # of scales that are weights
MEDIAN, SPREAD = (1, 2), (3, 5)  # shares p in whole numbers
JUMPS = 0.25, 0.2, 0.8  # h of (1) and (2), and of (3) as a part of the less of q and 1 - q
FLOOR = 0.1  # of the mean scale, added to all: a constant column has none
CLIPPED, SURELY, MOST_CLIPPED = 16.0, 2.5, 0.3
DEEP, HIGH = 30.0, 1.5  # of logarithms, below and above ln R
ABOUT = np.array([-3.0, -1.5, -0.7, 0.7, 1.5, 3.0])  # round the logarithm that is suggested
MASSES = (0.02, 0.03, 0.10, 0.70, 0.10, 0.03, 0.02)  # before, between, after
SUGGESTED, INSIDE = 1.3, 4.0  # times the length of a row; how far it is from the ends of the prior
FINE = 2**30  # of which q is a multiple
SHARPEST = 1e-6  # τ below which answers do not weigh more
FARTHEST = 1e100  # R, and 1/R
OFF = 5.0  # rms of c - mean, in standard deviations and units of τ/√80: measured
BITS = 24.0  # that probes have to give for a place in a range of 10^6 standard deviations: measured

Posterior = tuple[Array, Array]  # edges of k × (m + 1) and log densities of k × m cells


@public
class AdaptiveMean(Estimator[Array]):
    """Private mean of rows of unequal, unknown scales within a known range (ours).

    Accurate for rows whose columns have any scales from 1e-13 of `radius` on: normal ones, heavy tails, a few
    outliers, zeros, constant columns. On round rows it has the error of `mean/coinpress`, which is given
    sigma, within 4 %; with scales 1 to .001, 60 to 90 % of it. Below n μ of 35 to 55 √d (μ = √(2ρ) under
    zCDP) the place may be lost: the predicted error is infinite. Very skewed columns are biased by clipping:
    lognormal ones have 1.5 times the error of their sample mean at n = 1000, d = 10, ρ = .5.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is on no side of a probe; the mean is divided by the share of the others, which is drawn with it.

    Parameters
    ----------
    radius : float
        Every coordinate of the mean lies within it of `centre`; in the unit of the data, 1e-100 to 1e100.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.

    Examples
    --------
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, [1.0, 0.001], size=(2000, 2))
    >>> release = AdaptiveMean(radius=1000.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool((abs(release.value - 3.0) < [0.2, 0.005]).all())
    True
    """

    radius: float
    centre: PerColumn = 0.0

    def _validate(self) -> None:
        if not 1 / FARTHEST <= self.radius <= FARTHEST:
            raise ArgumentError("radius", self.radius, f"from {1 / FARTHEST:g} to {FARTHEST:g}")

    def charges(self, n: int, d: int, budget: Budget) -> dict[str, Charge]:
        """Return the charge of one probe of each search, and that of the mean."""
        parts = shares(n, d, gaussian_total(budget))
        moved = {"centre": sqrt(d), "scales": sqrt(d), "mean": mean_sensitivity(n, 1.0)}
        costs = zip(parts, step_budgets(budget, [*parts.values()]), strict=True)
        return {
            step: Charge(step, "gaussian", moved.get(step, 1.0), cost.split(*[1.0] * PROBES[step])[0])
            for step, cost in costs
        }

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        charges = self.charges(n, d, budget).values()
        return steps_plan(budget, [one for one in charges for _ in range(PROBES[one.step])])

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array:
        n, d = x.shape
        charges, mu = self.charges(n, d, budget), gaussian_total(budget)
        middle, low = in_columns(self.centre, d), log(self.radius) - DEEP
        high, z = low + DEEP + HIGH, x - middle
        whole = uniform(np.full(d, -self.radius), self.radius)
        c = quantiles(z.T, whole, MEDIAN, JUMPS[0], charges["centre"], noise)  # (1)
        s, units = np.ones(d), []
        if d > 1:
            logs = uniform(np.full(d, low), high)
            s = quantiles(np.abs(z - c).T, logs, SPREAD, JUMPS[1], charges["scales"], noise, np.exp)  # (2)
            s = np.exp(s) + FLOOR * np.exp(s).mean()
        effective = float(s.sum() / np.linalg.norm(s))
        for step in (step for step in POWERS if step in charges):  # (3)
            w = (s / s.max()) ** POWERS[step]
            top, part = high + log(sqrt(d) / w.min()), kept(effective, n, charges[step], mu)
            prior = uniform(np.array([low]), top)
            if d > 1:
                near = min(max(log(SUGGESTED * np.linalg.norm(s / w)), low + INSIDE), top - INSIDE)
                edges = np.array([[low, *(near + ABOUT), top]])
                prior = edges, np.log(MASSES / np.diff(edges))
            jump = JUMPS[2] * min(part, FINE - part) / FINE
            r = quantiles(norms((z - c) / w)[None], prior, (part, FINE), jump, charges[step], noise, np.exp)
            units.append(np.exp(r) * w)
        unit = min(units, key=np.linalg.norm)
        record(centre=middle + c)
        m = mean_in_ball(z, lambda rows: (rows - c) / unit, 1.0, counted=True)  # (4)
        return middle + c + unit * rescaled_mean(m, n, charges["mean"], noise)  # (5)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for rows N(mean, sigma² I), sigma unknown.

        Infinite where the probes of the centre give too few bits for a range of 10^6 sigma. Columns of
        unequal scales have less error, in units of the largest.
        """
        charges, mu = self.charges(n, d, budget), gaussian_total(budget)
        tau = gaussian_scale(charges["centre"]) / n
        if PROBES["centre"] * bits(tau) < BITS:
            return inf
        off = (OFF * tau) ** 2 / PROBES["centre"] + pi / (2 * n)
        share = kept(sqrt(d), n, charges["radius"], mu) / FINE
        squared = (1 + off) * float(chdtri(d, 1 - share))
        rms = sqrt(d * (1 / n + squared * gaussian_scale(charges["mean"]) ** 2))
        return median_of_mean(rms, d)


def shares(n: int, d: int, mu: float) -> dict[str, float]:
    """Return the shares of μ² of all steps.

    >>> {step: round(share, 3) for step, share in shares(1000, 10, 1.0).items()}
    {'centre': 0.03, 'scales': 0.02, 'weighted radius': 0.02, 'radius': 0.02, 'mean': 0.91}
    """
    per_row, columns = max(n * mu, FAINT), {"centre": d, "scales": d}
    taken = {
        step: max(least, PROBES[step] * columns.get(step, 1) / (per_row * WEAKEST[step]) ** 2)
        for step, least in LEAST.items()
        if d > 1 or step in ("centre", "radius")
    }
    most = max(1.0, sum(taken.values()) / MOST)
    taken = {step: share / most for step, share in taken.items()}
    return {**taken, "mean": 1 - sum(taken.values())}


def kept(effective: float, n: int, charge: Charge, mu: float) -> int:
    # q in units of 2^-30, for scales of this effective dimension, squared, and a probe's charge
    least = SURELY * gaussian_scale(charge) / (n * sqrt(PROBES[charge.step]))
    out = min(MOST_CLIPPED, max(CLIPPED * effective / max(n * mu, FAINT), least))
    return min(int(FINE * (1 - out)), FINE - 1)


def bits(tau: float) -> float:
    """Return what the answer to one probe far from the median tells about it, in bits.

    >>> [round(bits(tau), 2) for tau in (0.1, 0.5, 1.0)]
    [1.0, 0.41, 0.13]
    """
    odds = JUMPS[0] / tau**2 + 2 * JUMPS[0] / tau * POINTS
    return 1 - float(WEIGHTS @ np.logaddexp(0.0, -odds) / WEIGHTS.sum()) / log(2)


def uniform(low: Array, high: float) -> Posterior:
    edges = np.column_stack([low, np.full(len(low), high)])
    return edges, np.zeros((len(low), 1))


def quantiles(
    values: Array,
    prior: Posterior,
    share: tuple[int, int],
    jump: float,
    charge: Charge,
    noise: NoiseSource,
    at: RowMap = np.asarray,
) -> Array:
    """Return the t for which a share of the numbers of each line of `values` is at most at(t)."""
    (edges, logs), (part, whole) = prior, share
    lines, n = np.sort(values, axis=1), values.shape[1]  # absent ones last
    there, tau = int(present(lines[0]).sum()), max(gaussian_scale(charge) / n, SHARPEST)
    kind = np.int64 if n * whole < 2**WORD else object
    for _ in range(PROBES[charge.step]):
        t = median(edges, logs)  # (7)
        pairs = zip(lines, at(t), strict=True)
        below = np.array([int(line.searchsorted(end, "right")) for line, end in pairs], kind)
        y = additive(OnGrid(whole * below - part * there, 1 / whole), charge, noise) / n  # (6)
        gain = 2 * jump / tau * (y / tau)
        cell = (edges[:, 1:-1] < t[:, None]).sum(axis=1)[:, None]  # which t cuts
        places = np.arange(logs.shape[1] + 1)
        logs = np.take_along_axis(logs, places - (places > cell), axis=1)
        logs += np.where(places <= cell, gain[:, None], 0.0)
        edges = np.sort(np.column_stack([edges, t]), axis=1)
    return median(edges, logs)  # (8)


def median(edges: Array, logs: Array) -> Array:
    """Return the median of each line.

    >>> median(np.array([[0.0, 1.0, 3.0]]), np.log([[0.5, 0.25]])).tolist()
    [1.0]
    """
    widths = np.diff(edges)
    with np.errstate(divide="ignore"):
        masses = logs + np.log(widths)
    masses = np.exp(masses - masses.max(axis=1, keepdims=True))
    sums = masses.cumsum(axis=1)
    cell = (sums < sums[:, -1:] / 2).sum(axis=1)[:, None]
    start, width, mass, end = (np.take_along_axis(one, cell, axis=1) for one in (edges, widths, masses, sums))
    return np.asarray(start + width * (1 - (end - sums[:, -1:] / 2) / mass))[:, 0]
