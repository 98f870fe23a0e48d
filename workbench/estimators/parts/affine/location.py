"""One private location of any Gaussian in Mahalanobis norm, its covariance not learnt.  Derived here.

Rows x of shape (n, d), any mean, any positive definite covariance Σ; n and d public. Neighbours: replace one
row; `design` is `parts.affine.design`:

    (1) y = (1, x): the matrix quantile P_v of the lifted rows holds a location m and a scatter S,
        P_v = [[s, s mᵀ], [s m, S + s m mᵀ]]                                      `parts.affine.lifted`
    (2) h = how many rows may be replaced before m and S could move far          `parts.affine.stability`
    (3) no answer but with probability p(h), else m + σ S^½ Z                     `privacy.stable`

P_v follows every linear map of the lifted rows, hence m and S every affine map of the rows, and the noise has
their shape: the error |out - mean| in the norm of Σ depends on neither. One row moves m by about as much as
the mean of rows clipped to an ellipsoid that nobody knows. Accuracy is for normal rows; outliers and heavy
tails give no answer. The rate is that of Brown, Hopkins & Smith 2023, the lift that of Kent & Tyler 1991.
Proof: `proofs/affine_mean.md`.
"""

from dataclasses import dataclass

from workbench.estimators.base import Trace
from workbench.estimators.parts.affine.design import LocationDesign, location_design
from workbench.estimators.parts.foreseen import median_of_mean
from workbench.privacy import ApproxDP, NoiseSource
from workbench.privacy.stable import located_normal
from workbench.types import Array


@dataclass(frozen=True)
class LiftedLocation:
    """The recipe for n rows of dimension d; normal rows get no answer with chance `beta` at most."""

    n: int
    d: int
    budget: ApproxDP
    beta: float = 0.1

    @property
    def design(self) -> LocationDesign:
        """Return the test and the charge; raise where n rows are too few."""
        return location_design(self.n, self.d, self.budget, self.beta)

    @property
    def predicted_error(self) -> float:
        """The median of |out - mean| in the norm of Σ for normal rows, given an answer."""
        return median_of_mean(self.design.error, self.d)

    def draw(self, rows: Array, noise: NoiseSource, trace: Trace | None = None) -> Array | None:
        """Return the private location of sanitised rows, or None for no answer."""
        made = self.design
        located = made.test.located(rows)  # (1) (2)
        if trace is not None:
            root = located.root
            trace.add(h=located.count, location=located.centre + located.shift, scatter=root @ root.T)
        return located_normal(located, made.charge, noise)  # (3)
