"""CoinPress for a whole Gaussian: mean and covariance in joint steps, within known bounds.

Ours, after Biswas, Dong, Kamath & Ullman (2020). Rows x of shape (n, d), mean within `radius` of `centre`,
covariance Σ between `lower` and `upper` times the identity. Neighbours: replace one row. From c = centre and
A = I/√upper, in every step:

    (1) w_j = A (x_j - c)/g, shrunk to the unit ball
    (2) m, M = the mean and the second moment of w, in one symmetric draw of the rows (τ, w_j)
        sensitivity √2 (1 + τ²)/n                                           `parts.gaussians.lifted_moment`
    (3) S = g² (M - m mᵀ + s² I), s the sd of the noise on m: the moment round the mean
    (4) c ← c + g A⁻¹ m;  A ← U^(-1/2) A, U = S/k with eigenvalues max(λ + e, ℓ/2, e/4)
    (5) last step: C = S, its winsorising inverted; out = N(c + g A⁻¹ m/slope, A⁻¹ C A⁻ᵀ), the slope that
        the mean of white rows of C's trace keeps when they are shrunk to the ball

All n rows are used in every step, round a centre that is private: nothing is paired. Far from the mean the
steps are for the mean alone, and A stays as it is; then centre and frame get better together, and the last
step has most of the budget. g, τ, k, e, ℓ, the number of steps and the shares are public
(`parts.preconditioned.coinpress_joint`): they make a predicted error least. Nothing is proved of coverage.

Beside a known mean, (2) costs a factor 1 + τ² of noise, τ² about .06 for d = 10; pairs cost half of the
rows. Proof: `proofs/gaussian_steps.md`, section 2.
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError, require_columns
from workbench.estimators.base import Abstention, Estimator, Trace, in_columns, require_matrix
from workbench.estimators.parts.budgets import gaussian_total, numbered_plan
from workbench.estimators.parts.gaussians.frame import Frame
from workbench.estimators.parts.gaussians.lifted_moment import LiftedMoment
from workbench.estimators.parts.gaussians.steps import slope
from workbench.estimators.parts.normal_ball import clipped_moment
from workbench.estimators.parts.preconditioned.coinpress_joint import JointDesign, JointStep, joint_design
from workbench.estimators.parts.preconditioned.winsorised_covariance import unwinsorised
from workbench.estimators.parts.rows import WIDEST, require_spread
from workbench.linalg import spectral_map
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.mechanisms import gaussian_scale
from workbench.types import Array, PerColumn

SMALLEST = 1e-9  # variance in the last frame for which the slope is computed


@dataclass(frozen=True, kw_only=True)
class CoinPressGaussian(Estimator[Gaussian]):
    """Private mean and covariance of a Gaussian within known bounds, in joint steps (ours, after CoinPress).

    Accurate for normal rows of covariance between `lower` and `upper` times the identity, with the mean
    within `radius` of `centre`; loose bounds cost a few steps, an unknown mean next to nothing.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, GaussianDP,
    ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    moments are those of the rows that are there, whose share the release tells.

    Parameters
    ----------
    radius : float
        The mean lies within it of `centre`, in Euclidean distance; in the unit of the data.
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    lower : float
        The least eigenvalue that matters.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.

    Examples
    --------
    >>> import numpy as np
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

    def _validate(self) -> None:
        require_spread(self.lower, self.upper)
        if self.radius > WIDEST * sqrt(self.upper):
            raise ArgumentError("radius", self.radius, f"at most {WIDEST:g} √upper")

    def design(self, n: int, d: int, budget: Budget) -> JointDesign:
        """Return shares, radii, heights and bounds of all steps; public."""
        radius, spread = self.radius / sqrt(self.upper), self.upper / self.lower
        return joint_design(n, d, radius, spread, gaussian_total(budget))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each step, in the unit of its rows w."""
        require_matrix(n, d)
        require_columns(d, centre=self.centre)
        design = self.design(n, d, budget)
        moved = [LiftedMoment(n, d, step.height).charge("", budget).sensitivity for step in design.steps]
        return numbered_plan(budget, design.weights, "symmetric_gaussian", moved)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Gaussian | Abstention:
        """Return the private law of sanitised rows; none where what was released leaves the floats."""
        n, d = x.shape
        charges = self.plan(n, d, budget).charges()
        *first, (last, final) = zip(self.design(n, d, budget).steps, charges, strict=True)
        centre, frame = in_columns(self.centre, d), Frame(np.eye(d), np.eye(d) / sqrt(self.upper))
        for step, charge in first:
            _record(trace, centre, frame, step)
            m, s = moments_round(x, centre, frame, step, charge, noise)
            centre, frame = centre + frame.back(m), rounder(frame, s, step)  # (4)
        _record(trace, centre, frame, last)
        m, s = moments_round(x, centre, frame, last, final, noise)
        mean, covariance = measured(centre, frame, m, s, last.clip)  # (5)
        numbers = np.isfinite(mean).all() and np.isfinite(covariance).all()
        return Gaussian(mean, covariance) if numbers else Abstention(final.step)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect of the worst normal law within the bounds, in its own norm.

        Mean and covariance together. Just above the least n at which it is finite, it is larger than what is
        measured.
        """
        require_matrix(n, d)
        return self.design(n, d, budget).errors.gaussian_median


def moments_round(
    x: Array, centre: Array, frame: Frame, step: JointStep, charge: Charge, noise: NoiseSource
) -> tuple[Array, Array]:
    """Return g m and S, the private mean of the rows A (x - c) and the private moment round it."""
    n, d = x.shape
    recipe, mapping = LiftedMoment(n, d, step.height), frame.matrix.T / step.clip
    lifted = recipe.of(x, lambda block: (block - centre) @ mapping)  # (1)
    m, moment = recipe.draw(lifted, charge, noise)  # (2)
    drawn = (gaussian_scale(charge) / step.height) ** 2 / 2
    return step.clip * m, step.clip**2 * (moment - np.outer(m, m) + drawn * np.eye(d))  # (3)


def rounder(frame: Frame, s: Array, step: JointStep) -> Frame:
    """Return the frame U^(-1/2) A of step (4), or A itself where the step is for the mean alone."""
    if step.excess == inf:
        return frame
    least = max(step.lower / 2, step.excess / 4)
    whole = s / clipped_moment(len(s), step.clip)
    return frame.then(spectral_map(whole, lambda values: np.maximum(values + step.excess, least) ** -0.5))


def measured(centre: Array, frame: Frame, m: Array, s: Array, clip: float) -> tuple[Array, Array]:
    """Return mean and covariance of step (5)."""
    d, found = len(m), unwinsorised(s, clip)
    size = min(max(float(np.trace(found)) / d, SMALLEST), 1.0)
    return centre + frame.back(m / slope(d, clip / sqrt(size))), frame.covariance(found)


def _record(trace: Trace | None, centre: Array, frame: Frame, step: JointStep) -> None:
    if trace is not None:
        trace.add(centre=centre, frame=frame.matrix, offset=step.offset, lower=step.lower)
