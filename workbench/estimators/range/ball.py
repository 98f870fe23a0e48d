"""A ball that holds most rows of heavy-tailed data, found without a range.  LKKO21 Algorithm 15, Lemma K.1.

Rows x of shape (n, d), covariance at most `upper` times the identity, E⟨v, x - μ⟩^{2k} ≤ C upper^k for unit
v: k = `moments`, C = `hypercontractivity`; k = 1, C = 1 asks for the covariance alone. Neighbours: replace
one row. With z = x/√upper and a = `corruption`:

    (1) c_j = centre of the largest bin [4i, 4i + 4) of coordinate j, by a stability-based histogram
    (2) out = the ball of centre √upper c and radius √upper √d (6 + (C/a)^{1/2k}); no bin: no answer

|c_j - μ_j| ≤ 6 √upper in every coordinate once n suffices, also if a share a of the rows is corrupted, and
then a clean row lies outside with probability at most a.

"paper": (1) on ⌈200 ln(2d/β)⌉ parts of the rows, and the median of their answers, β = `beta`. "tight": on
all rows at once, which a direct bound shows to be enough: as many rows as one part needs.

Departures: the width of a bin and the constants of the radius are chosen here; parts are fixed by the numbers
of the rows, not drawn; z is capped at ±1e15. Proof: `proofs/heavy_tails.md`, section 7.
"""

from dataclasses import dataclass
from math import ceil, log, sqrt

from workbench.distributions import Ball
from workbench.errors import ArgumentError, probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix, standardised
from workbench.estimators.parts.locate.stable_centres import BALL_WIDTH, StableCentres, ball_reach
from workbench.estimators.parts.preconditioned.bounded_moments import Moments
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.types import Array, Calibration

BEST, FAR = (
    0.3125,
    0.0625,
)  # Chebyshev: μ's bin and its neighbours hold 15/16 of the mass, all others the rest
PARTS = 200  # LKKO21 Algorithm 15, as recalled


@dataclass(frozen=True, kw_only=True)
class BallRange(Estimator[Ball]):
    """Private ball that holds most rows of heavy-tailed data, its place unknown (LKKO21 Algorithm 15).

    Accurate for rows of covariance at most `upper` times the identity, a share `corruption` of them anything;
    with too few the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP or ZCDP, with 0 < delta <
    1/2.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is in no bin.

    Parameters
    ----------
    upper : float
        The covariance is at most this times the identity, in the square of the data's unit.
    corruption : float, default 0.05
        Share of the rows that may be anything, and that may lie outside.
    moments : int, default 1
        Half the order 2k of the moments that are bounded; 1 asks for the covariance alone.
    hypercontractivity : float, default 1.0
        C of the bound E⟨v, x - μ⟩^{2k} ≤ C upper^k for unit v.
    beta : float, default 0.05
        Failure probability that sets the parts of "paper".
    calibration : {"paper", "tight"}, default "tight"
        "paper" takes the median of many parts of the rows, "tight" all rows at once.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e6 + np.random.default_rng(1).standard_t(3.0, size=(1000, 2)) / 3**0.5
    >>> ball = BallRange(upper=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool(ball.contains(x).mean() > 0.9)
    True
    """

    upper: float
    corruption: float = 0.05
    moments: int = 1
    hypercontractivity: float = 1.0
    beta: float = 0.05
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        probability(corruption=self.corruption)
        if self.corruption >= (BEST - FAR) / 2:
            raise ArgumentError("corruption", self.corruption, f"below {(BEST - FAR) / 2:g}")
        Moments(self.moments, self.hypercontractivity)

    def recipe(self, d: int) -> StableCentres:
        """Return the histograms on standardised rows."""
        parts = ceil(PARTS * log(2 * d / self.beta)) if self.calibration == "paper" else 1
        return StableCentres(BALL_WIDTH, self.calibration, parts)

    def outer_radius(self, d: int) -> float:
        """Return the radius of step (2), in the unit of the data."""
        moments = Moments(self.moments, self.hypercontractivity)
        return sqrt(self.upper) * ball_reach(d, moments.outer_radius(d, self.corruption))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each coordinate and part."""
        require_matrix(n, d)
        return self.recipe(d).plan(n, d, budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Ball | Abstention:
        """Return the ball of sanitised rows."""
        n, d = x.shape
        plan, z = self.plan(n, d, budget), standardised(x, 0.0, sqrt(self.upper))
        centre = self.recipe(d).draw(z, plan, noise)  # (1)
        return (
            centre
            if isinstance(centre, Abstention)
            else Ball(sqrt(self.upper) * centre, self.outer_radius(d))
        )  # (2)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return 6 √(d upper), which |centre - μ| exceeds with probability at most beta.

        Infinite where n does not suffice, and for "paper".
        """
        probability(beta=beta)
        require_matrix(n, d)
        best, far = BEST - self.corruption, FAR + self.corruption
        return sqrt(self.upper) * self.recipe(d).error_bound(n, d, budget, beta, best, far)
