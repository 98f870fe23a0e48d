"""Eigenvalues of a covariance, whatever their size, by blocks of rows.  M21/UG Algorithm 1, Theorem 3.1.

Rows x of shape (n, d), any mean and covariance. Neighbours: replace one row. The rows have mean 0 if
`centred`; otherwise they are paired first, ⌊n/2⌋ rows (x_1 - x_2)/√2 of mean 0.

    (1) the rows are cut into t blocks of m; λ_1^j ≥ … ≥ λ_d^j = the eigenvalues of block j
    (2) out = for every i, what most of λ_i^1 .. λ_i^t say, privately; sorted      `parts.blocks.eigenvalues`

"tight", ours: by the window-median mechanism on their logarithms, which needs no δ and gives the median of
λ_i^j to a few per cent. "paper": by a stability-based histogram over the bins [2^(e-1), 2^e), whose answer
is the bin's geometric middle; no bin, no answer.

For normal rows λ_i^j/λ_i lies between (1 - x)² and (1 + x)², x = √(d/m) + √(2 ln(2t/β)/m), in all blocks
with probability 1 - β, however the eigenvalues differ. An eigenvalue is 0 where those of most blocks are 0.
`plan` refuses rows too few for t blocks of 2d rows, the paper's 4d, with the number.

Departures: bins of factor 2 and the number of blocks are chosen here; one joint histogram over the d lists.
Proof: `proofs/aggregation.md`, section 3.
"""

from dataclasses import dataclass

from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.blocks.blocks import Partition, spectra
from workbench.estimators.parts.blocks.eigenvalues import BlockEigenvalues
from workbench.estimators.parts.budgets import concentrated, delivered, without_events
from workbench.estimators.parts.rows import centred_rows, in_blocks
from workbench.privacy import ZCDP, Budget, NoiseSource, Plan
from workbench.types import Array, Calibration


@dataclass(frozen=True, kw_only=True)
class Eigenvalues(Estimator[Array]):
    """Private eigenvalues of a covariance, whatever their size, by blocks of rows (M21/UG Theorem 3.1).

    Accurate for normal rows of any mean and any covariance.
    Guarantee: central model, one replaced row, for every input. Budgets: ZCDP with delta = 0, or ApproxDP
    with delta > 0; for "paper" either, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    calibration : {"paper", "tight"}, default "tight"
        "paper" finds eigenvalues up to a factor of 2, by a histogram; "tight" to a few per cent, by the
        window-median mechanism.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).standard_normal((20_000, 2)) * [1e-6, 1e6]
    >>> release = Eigenvalues()(x, budget=ZCDP(0.1), rng=np.random.default_rng(2))
    >>> bool((abs(release.value / [1e12, 1e-12] - 1) < 0.3).all())
    True
    """

    centred: bool = False
    calibration: Calibration = "tight"

    def cost(self, budget: Budget) -> ZCDP:
        """Return the cost of the d steps of (2) together."""
        return without_events(budget) if self.calibration == "tight" else concentrated(budget)

    def blocks(self, n: int, d: int, budget: Budget) -> tuple[int, int]:
        """Return t and m of (1); public."""
        require_matrix(n, d)
        needed = BlockEigenvalues(d, self.calibration).enough_blocks(self.cost(budget))
        return Partition(needed, self.centred, self.calibration).sizes(n, d)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each eigenvalue; raise where n rows are too few, with the number."""
        self.blocks(n, d, budget)
        return delivered(
            BlockEigenvalues(d, self.calibration).charges("eigenvalue", self.cost(budget)), budget
        )

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private eigenvalues of sanitised rows."""
        n, d = x.shape
        found = spectra(in_blocks(centred_rows(x, self.centred), self.blocks(n, d, budget)[0]))  # (1)
        if trace is not None:
            trace.add(block_eigenvalues=found)
        charges = list(self.plan(n, d, budget).charges())
        values = BlockEigenvalues(d, self.calibration).draw(found, charges, noise)  # (2)
        return Abstention("eigenvalue") if values is None else values
