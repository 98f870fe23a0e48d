"""A whole Gaussian from one lifted release, then from all rows in its frame: one mechanism.  Derived here.

Rows x of shape (n, d), any mean, any positive definite covariance Σ; n and d public. Neighbours: replace one
row; `design` is `parts.affine.gaussian_design`:

    (1) y = (1, x): h = how many rows may be replaced before the matrix quantile P of the lifted rows could
        move far                                                                `parts.affine.stability`
    (2) no answer but with probability p(h), else Q = P under a Wishart mask, its parts m, S `privacy.stable`
    (3) moments of all rows, clipped round m in the frame of S, in Gaussian steps   `parts.gaussians.finish`
    (4) no answer if more rows than normal ones are far from (3), in its norm        `parts.affine.far_rows`

(1) to (4) see the same rows, unpaired, and have one price: ε is not divided. P follows affine maps of the
rows, so that the error does not depend on the mean or on Σ. Accuracy is for normal rows. Of other rows, a
share below `GaussianDesign.noticed`, about 1/(2d + 2), cannot carry P away, and 5 % of them that are far
from the answer are mostly seen by (4); a larger share may be taken for the law's own, and so is one that lies
where normal rows do: κ of them at a squared length q bias the covariance by up to κ q.
Proof: `proofs/affine_mean.md`, section 7.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.linalg.lapack import dtrtri

from workbench.estimators.base import Abstention, Trace
from workbench.estimators.parts.affine.gaussian_design import GaussianDesign, gaussian_design
from workbench.estimators.parts.rows import present
from workbench.estimators.shared.moments import Frame, Moments
from workbench.privacy import ApproxDP, NoiseSource
from workbench.privacy.stable import masked_lift
from workbench.types import Array

THINNEST = 1e-3  # an eigenvalue of the answer in the frame of S, relative to its largest


@dataclass(frozen=True)
class LiftedLaw:
    """The recipe for n rows of dimension d; normal rows get no answer with chance `beta` at most."""

    n: int
    d: int
    budget: ApproxDP
    beta: float = 0.1

    @property
    def design(self) -> GaussianDesign:
        """Return the test and the charges; raise where n rows are too few."""
        return gaussian_design(self.n, self.d, self.budget, self.beta)

    def draw(self, x: Array, noise: NoiseSource, trace: Trace | None = None) -> Moments | Abstention:
        """Return the private moments of sanitised rows."""
        made = self.design
        lift = made.test.lift(x)  # (1)
        if trace is not None:
            trace.add(h=lift.count)
        placed = masked_lift(lift, made.plan, noise)  # (2)
        if placed is None:
            return Abstention(made.charge.step)
        centre, root = placed
        shape, _ = dtrtri(np.tril(root), lower=1)
        frame = Frame(np.eye(self.d), np.tril(shape) * sqrt(made.scatter))
        if trace is not None:
            trace.add(centre=centre, frame=frame.matrix)
        charges, spread = list(made.finish.charges()), np.array(made.spread)
        found = made.finish.round(x, centre, frame, spread, charges, noise)  # (3)
        inside = _inside(frame, found)
        if inside is not None and made.far.passes(squared_lengths(x, *inside), noise):  # (4)
            return found
        return Abstention(made.far.charge.step)


def squared_lengths(x: Array, centre: Array, whitened: Array) -> Array:
    """Return those of rows round a centre, mapped; 0 of an absent one, which is far from nothing.

    Rows keep their places: the bits of a product of matrices depend on where a row stands in it.
    """
    lengths = (((x - centre) @ whitened.T) ** 2).sum(axis=1)
    return np.where(present(x), lengths, 0.0)


def _inside(frame: Frame, found: Moments | Abstention) -> tuple[Array, Array] | None:
    """Return the mean and a map that makes the answer white, or None where there is none."""
    if isinstance(found, Abstention) or not found.finite or found.mean is None:
        return None
    values, axes = np.linalg.eigh(frame.matrix @ found.covariance @ frame.matrix.T)
    if not values[0] > THINNEST * values[-1]:
        return None
    return found.mean, (axes / np.sqrt(values)).T @ frame.matrix
