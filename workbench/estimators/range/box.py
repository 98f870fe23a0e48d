"""A box that holds all rows of sub-Gaussian data, found without a range.  LKKO21 Algorithm 5, Lemma D.2.

Rows x of shape (n, d), standard deviation `sigma` in every coordinate. Neighbours: replace one row. With
z = x/sigma:

    (1) c_j = centre of the largest bin [2i, 2i + 2) of coordinate j, by a stability-based histogram
    (2) out = the box of centre sigma c and half-width sigma b in every coordinate; no bin: no answer

"paper": b = 4 √(ln(dn/β)). "tight": b = 3 + √(2 ln(2nd/β)): for normal rows |c_j - mean_j| ≤ 3 sigma once n
suffices, and then all n rows lie in the box with probability 1 - β, β = `beta`. `parts.locate.stable_centres`
divides the budget. Departures: z is capped at ±1e15. Proof: `proofs/heavy_tails.md`, section 7.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from workbench.distributions import Box
from workbench.errors import probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix, standardised
from workbench.estimators.parts.locate.stable_centres import BOX_WIDTH, StableCentres, box_reach
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration

BEST, FAR = 0.4772498680518208, 0.0455002638963584  # Φ(2) - Φ(0), the worst place of a bin; P(|Z| > 2)


@dataclass(frozen=True, kw_only=True)
class BoxRange(Estimator[Box]):
    """Private box that holds all rows of sub-Gaussian data, its place unknown (LKKO21 Algorithm 5).

    Accurate for rows of standard deviation `sigma` in every coordinate; with too few the release is "no
    answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP or ZCDP, with 0 < delta <
    1/2.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is in no bin.

    Parameters
    ----------
    sigma : float
        Standard deviation of every coordinate, known; in the unit of the data.
    beta : float, default 0.05
        Chance, at most, that some normal row lies outside.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).normal(1e6, 1.0, size=(1000, 2))
    >>> box = BoxRange(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool(box.contains(x).all())
    True
    """

    sigma: float
    beta: float = 0.05
    calibration: Calibration = "tight"

    @property
    def recipe(self) -> StableCentres:
        """The histograms on standardised rows."""
        return StableCentres(BOX_WIDTH, self.calibration)

    def half_width(self, n: int, d: int) -> float:
        """Return b of step (2)."""
        if self.calibration == "paper":
            return box_reach(n, d, self.beta)
        return 1.5 * BOX_WIDTH + sqrt(2 * log(2 * n * d / self.beta))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each coordinate."""
        return self.recipe.plan(n, d, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Box | Abstention:
        """Return the box of sanitised rows."""
        n, d = x.shape
        centre = self.recipe.draw(standardised(x, 0.0, self.sigma), self.plan(n, d, budget), noise)  # (1)
        if isinstance(centre, Abstention):
            return centre
        return Box(self.sigma * centre, np.full(d, self.sigma * self.half_width(n, d)))  # (2)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return 3 sigma √d, which |centre - mean| exceeds with probability at most beta for normal rows.

        Infinite where n does not suffice.
        """
        probability(beta=beta)
        require_matrix(n, d)
        return self.sigma * self.recipe.error_bound(n, d, budget, beta, BEST, FAR)
