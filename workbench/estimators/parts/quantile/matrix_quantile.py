"""One private matrix quantile: a test of stability, and its masked centre.

Rows of mean 0, n and d public; `design` is `parts.quantile.design`:

    (1) h, f = how many rows may be replaced, and P_u                               `parts.quantile.stability`
    (2) no answer but with probability p(h)                                           `privacy.stable`
    (3) out = c · mask(f): Thompson-Laplace noise for d ≤ 4, Wishart noise above,
        or as `mask` says

(2) and (3) are one mechanism that has all of (ε, δ). p(0) = 0, so that (3) is only seen where f is stable. A
run that ends at (2) draws the mask too, of the identity, so that what is drawn is public.
Proof: `proofs/matrix_quantile.md`, section 3.
"""

from dataclasses import dataclass

import numpy as np

from workbench.estimators.base import Trace
from workbench.estimators.parts.quantile.design import Design, Mask, design
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import WIDEST, Scaled, Solver, inflation
from workbench.estimators.parts.rows import neutral
from workbench.privacy import ApproxDP, NoiseSource
from workbench.privacy.stable import ChargedRoot, Stable, stable_mask
from workbench.types import Array


@dataclass(frozen=True)
class MatrixQuantile:
    """The recipe for n rows of mean 0 and dimension d."""

    n: int
    d: int
    budget: ApproxDP
    beta: float
    mask: Mask = "auto"
    widest: float = WIDEST

    @property
    def design(self) -> Design:
        """Return the test and its charge; raise where n rows are too few."""
        return design(self.n, self.d, self.budget, self.beta, self.mask, self.widest)

    @property
    def stretch(self) -> float:
        """The root mean square of tr(out)/d for normal rows of covariance I."""
        traces = np.trace(self.design.released, axis1=1, axis2=2) * self.design.centring / self.d
        return float(np.sqrt(np.mean(traces**2)))

    def draw(self, rows: Array, noise: NoiseSource, trace: Trace | None = None) -> Array | None:
        """Return the masked centre, positive definite, or None for no answer."""
        made = self.design
        h, root = made.test.measure(neutral(rows))  # (1)
        released = stable_mask(Stable(h, ChargedRoot(root)), made.charge, noise)  # (2) (3)
        if trace is not None:
            trace.add(h=h, centre=root @ root.T)
        return None if released is None else released * made.centring


def quantile(x: Array, level: float, knee: float = 1.0) -> Array | None:
    """Return P_v of rows x of shape (n, d) at v = `level`, None if there is none; without privacy.

    >>> import numpy as np
    >>> round(quantile(np.array([[1.0], [2.0], [3.0], [4.0]]), 2.0).item(), 6)
    14.0
    """
    n, d = x.shape
    solver = Solver(Influence(knee), inflation(n, d), max(1e-9, 4 * d * inflation(n, d)), 20_000)
    scaled = Scaled.of(x, solver.influence, level)
    factor = solver.descend(scaled, scaled.start(), level)
    if factor is None:
        return None
    root = scaled.root(factor)
    return np.asarray(root @ root.T)


def soft_count(x: Array, scale: Array, knee: float = 1.0) -> Array:
    """Return Σ ψ(x²/p) of one column for every p: it falls, and passes v at P_v."""
    influence, squares = Influence(knee), np.asarray(x, np.float64).ravel() ** 2
    return np.array([influence.value(squares / p).sum() for p in np.atleast_1d(scale)])
