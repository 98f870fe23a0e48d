"""CoinPress: a private mean by a confidence ball that shrinks.  Biswas, Dong, Kamath & Ullman 2020, for M21.

Rows x of shape (n, d), covariance sigma² I, mean within `radius` of `centre`. Neighbours: replace one row.
In units of sigma, from c = centre and r = radius, for steps i = 1 .. t:

    (1) B_i = the clipping radius, from r, n and d             `parts.preconditioned.coinpress_design`, public
    (2) m = (1/n) Σ w_j, w_j = x_j - c shrunk to the ball of radius B_i          l2-sensitivity 2 B_i/n
    (3) c = c + m + N(0, s_i² I)
    (4) r = a radius that holds the mean now: tail(d, ·) √(1/n + s_i²), public

Every r and B_i follows from public numbers, so that t and the share of the budget of the first t - 1 steps
are chosen beforehand to make the last radius small; `steps` fixes t, and a step that would not shrink the
ball is skipped, its share going to the last one. `mode="proved"`: B_i clips no row of normal data, and r
holds the mean throughout, with probability 1 - beta. `mode="practical"`, the default: the same privacy,
smaller B_i and r, no proof of coverage. `calibration="paper"` has the source's B = r + γ and a quarter of the
budget for all steps but the last; "tight", ours, a smaller B and shares that make the last radius small.

For d = 1 the same code is a univariate mean. Departures: every step clips the original rows afresh, around a
centre that is given (the authors' program clips clipped rows again). Proof: `proofs/gaussian_steps.md`,
section 1.
"""

from dataclasses import dataclass
from math import hypot, sqrt

from workbench.errors import ArgumentError, probability, require_columns
from workbench.estimators.base import Estimator, Trace, in_columns, recipe_of, require_matrix
from workbench.estimators.parts.budgets import gaussian_total, numbered_plan
from workbench.estimators.parts.foreseen import better_than, median_of_mean, shrinking_bias
from workbench.estimators.parts.integers import mean_in_ball
from workbench.estimators.parts.preconditioned.coinpress_design import MeanDesign, Problem, mean_design
from workbench.estimators.parts.rescaled import rescaled_mean
from workbench.estimators.parts.rows import WIDEST, from_centre, mean_sensitivity
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import additive, gaussian_scale
from workbench.types import Array, Calibration, Mode, PerColumn


@dataclass(frozen=True, kw_only=True)
class CoinPressMean(Estimator[Array]):
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
    >>> import numpy as np
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

    in_passes = True

    def _validate(self) -> None:
        if self.radius > WIDEST * self.sigma:
            raise ArgumentError("radius", self.radius, f"at most {WIDEST:g} sigma")

    def design(self, n: int, d: int, budget: Budget) -> MeanDesign:
        """Return the weights and clipping radii of all steps, in units of sigma; public."""
        reach, mu = self.radius / self.sigma, gaussian_total(budget)
        return mean_design(recipe_of(Problem, self, n=n, d=d, reach=reach, mu=mu))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each step, in units of sigma."""
        require_matrix(n, d)
        require_columns(d, centre=self.centre)
        design = self.design(n, d, budget)
        moved = [mean_sensitivity(n, clip) for clip in design.clips]
        return numbered_plan(budget, design.weights, "gaussian", moved)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private mean of sanitised rows."""
        n, d = x.shape
        c = in_columns(self.centre, d)
        design, charges = self.design(n, d, budget), self.plan(n, d, budget).charges()
        for clip, radius, charge in zip(design.clips, design.radii, charges, strict=False):  # (1) (4)
            if trace is not None:
                trace.add(centre=c, radius=self.sigma * radius)
            m = self.shift(x, c, clip)  # (2)
            counted = self.mode == "practical"
            moved = rescaled_mean(m, n, charge, noise) if counted else additive(m, charge, noise)
            c = c + self.sigma * moved  # (3)
        return c

    def shift(self, x: Array, centre: Array, clip: float) -> OnGrid:
        """Return the mean of the rows round a centre, in units of sigma, shrunk to a ball.

        In mode "practical" with one more entry, how many there are.
        """
        apart = from_centre(centre)

        def standard(rows: Array) -> Array:
            z = apart(rows)
            if self.sigma != 1.0:
                z /= self.sigma
            return z

        return mean_in_ball(x, standard, clip, counted=self.mode == "practical")

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return the last radius of mode "proved", which |out - mean| exceeds with probability at most beta.

        Infinite in mode "practical", and for a beta below the field.
        """
        probability(beta=beta)
        require_matrix(n, d)
        proved = self.mode == "proved" and beta >= self.beta
        return self.sigma * self.design(n, d, budget).radius if proved else float("inf")

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite from radius/sigma on.

        The mean is at the edge of the range, where the only step, if there is but one, shrinks most. Of the
        last step: its noise, sampling, and what it shrinks with the centre as far off as noise and sampling
        of the step before put it.
        """
        require_matrix(n, d)
        radius, clip = self.radius / self.sigma, self.design(n, d, budget).clips[-1]
        *before, last = map(gaussian_scale, self.plan(n, d, budget).charges())
        apart = sqrt(d * (1 / n + before[-1] ** 2)) if before else radius
        rms = hypot(shrinking_bias(d, apart, clip), sqrt(d * (1 / n + last**2)))
        return better_than(radius, median_of_mean(rms, d))
