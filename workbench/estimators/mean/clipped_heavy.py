"""A private mean of heavy-tailed rows.  Kamath, Singhal & Ullman 2020, for M21's list of prior work.

Rows x of shape (n, d), mean μ within `radius` of `centre`, covariance at most `upper` times the identity, and
E⟨v, x - μ⟩^{2k} ≤ C upper^k for unit v: k = `moments`, C = `hypercontractivity`; k = 1, C = 1 asks for the
covariance alone. Neighbours: replace one row. In units of √upper, from c = centre and r = radius, for steps
i = 1 .. t:

    (1) γ = r + g, g = ((2k-1) K/N)^{1/2k}: the sum of the bias K/g^{2k-1} and the noise N γ is least
    (2) m = (1/n) Σ w_j, w_j = x_j - c shrunk to the ball of radius γ             l2-sensitivity 2γ/n
    (3) c = c + m + Gaussian noise
    (4) r = √(3d/(nβ)) + K/g^{2k-1} + √(3t K₂/(nβ g^{2k-2})) + N γ

with K and K₂ of `parts.preconditioned.bounded_moments` and N γ what the noise exceeds with probability
β/(3t). All is public, and t and the shares of the budget make the last radius small; `steps` caps t, and a
step that would not shrink the ball is not taken. A radius of any size costs a step or two: a range is not
needed.

r holds |c - μ| in every step with probability 1 - beta although all steps use the same rows: clipping moves a
row by at most (|x - μ| - g)₊ wherever the centre is. Departures: the source locates with histograms and
averages batches; the constants are ours. Proof: `proofs/heavy_tails.md`, section 6.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import hypot, inf, sqrt

from workbench.errors import probability, require_columns
from workbench.estimators.base import Estimator, Trace, in_columns, require_matrix
from workbench.estimators.parts.budgets import divisions, gaussian_total, numbered_plan
from workbench.estimators.parts.foreseen import better_than, median_of_mean, shrinking_bias
from workbench.estimators.parts.integers import mean_in_ball
from workbench.estimators.parts.preconditioned.bounded_moments import Moments
from workbench.estimators.parts.rows import from_centre, mean_sensitivity
from workbench.linalg import tail
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian, gaussian_scale
from workbench.types import Array, PerColumn

MOST_STEPS = 8
SPREAD = (0.01, 0.05, 0.1, 0.25)  # shares of μ² of all steps but the last, together


@dataclass(frozen=True)
class Design:
    """Weights and clipping radii γ of the steps that are taken; r before each of them and after the last."""

    weights: tuple[float, ...]
    clips: tuple[float, ...]
    radii: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class ClippedHeavyMean(Estimator[Array]):
    """Private mean of heavy-tailed rows (KSU20, for M21's list of prior work).

    Accurate for rows of covariance at most `upper` times the identity, with bounded moments of order 2
    `moments` and the mean within `radius` of `centre`; a long range costs a step or two.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    others' mean is left, shrunk by the share of absent rows towards a private place near it.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`, in Euclidean distance; in the unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    moments : int, default 2
        Half the order 2k of the moments that are bounded; 1 asks for the covariance alone.
    hypercontractivity : float, default 3.0
        C of the bound E⟨v, x - μ⟩^{2k} ≤ C upper^k for unit v.
    steps : int or None, default None
        Most steps that are taken; None for no limit but the design's own.
    beta : float, default 0.05
        Failure probability of the radii of all steps together.

    Examples
    --------
    >>> import numpy as np
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

    in_passes = True

    def design(self, n: int, d: int, budget: Budget) -> Design:
        """Return weights and radii of all steps, in units of √upper; public."""
        moments = Moments(self.moments, self.hypercontractivity)
        radius, mu = self.radius / sqrt(self.upper), gaussian_total(budget)
        return best_design(n, d, radius, mu, moments, self.steps, self.beta)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each step, in units of √upper."""
        require_matrix(n, d)
        require_columns(d, centre=self.centre)
        design = self.design(n, d, budget)
        moved = [mean_sensitivity(n, clip) for clip in design.clips]
        return numbered_plan(budget, design.weights, "gaussian", moved)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private mean of sanitised rows."""
        n, d = x.shape
        c, design = in_columns(self.centre, d), self.design(n, d, budget)
        for place, charge in enumerate(self.plan(n, d, budget).charges()):
            if trace is not None:
                trace.add(centre=c, radius=sqrt(self.upper) * design.radii[place])
            m = self.shift(x, c, design.clips[place])  # (1) (2)
            c = c + sqrt(self.upper) * gaussian(m, charge, noise)  # (3) (4)
        return c

    def shift(self, x: Array, centre: Array, clip: float) -> OnGrid:
        """Return the mean of the rows round a centre, in units of √upper, shrunk to a ball."""
        apart = from_centre(centre)
        return mean_in_ball(x, lambda rows: apart(rows) / sqrt(self.upper), clip)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the last radius, which |out - μ| exceeds with probability at most beta.

        Infinite for a beta below the field.
        """
        probability(beta=beta)
        require_matrix(n, d)
        return sqrt(self.upper) * self.design(n, d, budget).radii[-1] if beta >= self.beta else inf

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/√upper for normal rows; infinite from radius/√upper on.

        The noise of the last step, sampling, and what is cut of rows as far from the last centre as the noise
        before leaves it. Heavy tails add what is cut of them, which `error_bound` allows for.
        """
        charges, design = self.plan(n, d, budget).charges(), self.design(n, d, budget)
        sds = [gaussian_scale(charge) for charge in charges]
        radius = self.radius / sqrt(self.upper)
        apart = sqrt(d * (1 / n + sds[-2] ** 2)) if len(sds) > 1 else radius
        rms = hypot(shrinking_bias(d, apart, design.clips[-1]), sqrt(d * (1 / n + sds[-1] ** 2)))
        return better_than(radius, median_of_mean(rms, d))


@lru_cache(maxsize=4096)
def best_design(
    n: int, d: int, radius: float, mu: float, moments: Moments, steps: int | None, beta: float
) -> Design:
    """Return the design with the smallest last radius for n rows of covariance at most I and `mu`-GDP."""
    counts = range(2, MOST_STEPS + 1) if steps is None else range(max(steps, 2), steps + 1)
    ways = divisions((1, *counts), SPREAD)
    tried = (_designed(n, d, radius, mu, moments, weights, beta) for weights in ways)
    return min(tried, key=lambda design: design.radii[-1])


def _designed(
    n: int, d: int, radius: float, mu: float, moments: Moments, weights: tuple[float, ...], beta: float
) -> Design:
    taken, clips, radii = list[float](), list[float](), [radius]
    share = beta / (3 * len(weights))
    for weight in weights[:-1]:
        clip, shrunk = _step(n, d, radii[-1], mu * sqrt(weight), moments, beta / 3, share)
        if shrunk >= radii[-1]:
            break
        taken.append(weight)
        clips.append(clip)
        radii.append(shrunk)
    rest = 1 - sum(taken)
    clip, shrunk = _step(n, d, radii[-1], mu * sqrt(rest), moments, beta / 3, share)
    return Design((*taken, rest), (*clips, clip), (*radii, shrunk))


def _step(
    n: int, d: int, r: float, mu: float, moments: Moments, sampling: float, share: float
) -> tuple[float, float]:
    """Return γ and the next r, where sampling fails with probability `sampling`, all else with `share`."""
    k, excess, squared = moments.order, moments.excess(d), moments.squared_excess(d)
    noise = mean_sensitivity(n, 1.0) / mu * tail(d, share)
    g = ((2 * k - 1) * excess / noise) ** (1 / (2 * k))
    cut = excess / g ** (2 * k - 1) + sqrt(squared / (n * share * g ** (2 * k - 2)))
    return r + g, sqrt(d / (n * sampling)) + cut + noise * (r + g)
