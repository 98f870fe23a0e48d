"""The covariance of any Gaussian from a few thousand rows: a stable matrix quantile.  Derived here.

Rows x of shape (n, d), any mean, any positive definite covariance Σ: nothing about either is assumed.
Neighbours: replace one row. The rows have mean 0 if `centred`; otherwise they are paired first, ⌊n/2⌋ rows
(x_1 - x_2)/√2.

    (1) P_v = the largest P with P ≤ (1/v) Σ ω(xᵀP⁻¹x) x xᵀ: a row counts once at most `parts.quantile.levels`
    (2) h = how many rows may be replaced before P_u could move far                `parts.quantile.stability`
    (3) no answer but with probability p(h), else c · mask(P_u)            `parts.quantile.matrix_quantile`

There are no groups: one row has one vote, and P_v of a data set lies between P_{v + 1} and P_{v - 1} of its
neighbour. Accuracy is for normal rows; outliers and heavy tails give no answer, but for more far rows in one
place than `other_rows` says. α says how accurate: None for a condition of at most 4 after whitening (every
|ln λ| of out⁻¹Σ at most ln 2), else |Σ^-½ out Σ^-½ - I|_F ≤ α, with probability 1 - β, no answer being a
failure. `plan` refuses rows too few for it. With `degenerate` a subspace comes first, by
`spectral/subspace-exact`.

Beside AL22's Algorithm 3: its masking step (Definition 3.3) stays, with noise of our own; its vote of groups
does not. Proof: `proofs/matrix_quantile.md`.
"""

from dataclasses import dataclass
from math import log

from workbench.errors import ArgumentError, one_of, positive, probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix, shuffled
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.quantile.design import TEST, Mask, Target, fewest_rows
from workbench.estimators.parts.quantile.matrix_quantile import MatrixQuantile
from workbench.estimators.parts.quantile.stability import carried
from workbench.estimators.parts.rows import centred_rows
from workbench.estimators.subspaces import SubspaceExact, completed
from workbench.linalg import symmetrised
from workbench.privacy import ApproxDP, Budget, NoiseSource, Parallel, Plan
from workbench.types import Array


@dataclass(frozen=True, kw_only=True)
class MatrixQuantileCovariance(Estimator[Array]):
    """Private covariance of any Gaussian from a few thousand rows: a stable matrix quantile (ours).

    Accurate for normal rows of any mean and any positive definite covariance; rows that are not normal, or
    too few, mostly get "no answer". Far rows, up to the share that `other_rows` tells, cannot carry an answer
    away, however far they lie; more of them in one place are taken for the law's own, without a word.
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It,
    or its pair, counts nowhere: the quantile is one of n rows, and shrinks with the share that is absent. One
    row in fifty that is absent may mean no answer, one in ten does.

    Parameters
    ----------
    alpha : float or None, default None
        Wanted error in the norm of Σ; None for a condition of at most 4 after whitening.
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    degenerate : bool, default False
        Whether the subspace that the rows vary in is found first, on rows of its own.
    beta : float, default 0.1
        Chance, at most, of a larger error or of no answer.
    mask : {"auto", "wishart"}, default "auto"
        Noise of the release: "wishart", which takes more rows where there is a choice, or "auto" for Laplace
        in Thompson's metric for d ≤ 4 and "wishart" above.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((3000, 2)) * [1e-6, 1e6] + 1e3
    >>> release = MatrixQuantileCovariance()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool((abs(release.value.diagonal() / [1e-12, 1e12] - 1) < 0.5).all())
    True
    """

    alpha: float | None = None
    centred: bool = False
    degenerate: bool = False
    beta: float = 0.1
    mask: Mask = "auto"

    def _validate(self) -> None:
        one_of(("auto", "wishart"), mask=self.mask)
        if self.alpha is not None:
            positive(alpha=self.alpha)

    charged_roots = True  # the root that is masked is charged for as computed: section 4.6 of the proof

    @property
    def subspace(self) -> SubspaceExact:
        """The recipe of the first stage for degenerate rows."""
        return SubspaceExact(centred=self.centred, beta=self.beta / 10)

    @property
    def target(self) -> tuple[Target, float]:
        """Which error `alpha` bounds, and its value."""
        return ("thompson", log(2)) if self.alpha is None else ("frobenius", self.alpha)

    @property
    def share(self) -> float:
        """The failure probability of (1) to (3)."""
        return 0.9 * self.beta if self.degenerate else self.beta

    def fewest(self, d: int, budget: ApproxDP) -> int:
        """Return the fewest rows, to 1 %."""
        each = 1 if self.centred else 2
        first = self.subspace.fewest(d, budget) if self.degenerate else 0
        return first + each * fewest_rows(d, budget, self.share, *self.target, self.mask)

    def recipe(self, n: int, d: int, budget: Budget) -> tuple[int, MatrixQuantile]:
        """Return how many rows the subspace has, and steps (1) to (3) for the others, paired or not."""
        require_matrix(n, d)
        events = require_events(budget)
        fewest = self.fewest(d, events)
        if n < fewest:
            raise ArgumentError("n", n, f"at least {fewest} for d = {d}, alpha = {self.alpha} at {budget}")
        first = self.subspace.fewest(d, events) if self.degenerate else 0
        rows = (n - first) // (1 if self.centred else 2)
        return first, MatrixQuantile(rows, d, events, self.share, self.mask)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charge of the test and its mask, beside that of the subspace on other rows."""
        first, recipe = self.recipe(n, d, budget)
        if not self.degenerate:
            return recipe.design.plan
        return Parallel((self.subspace.plan(first, d, budget), recipe.design.plan))

    def other_rows(self, n: int, d: int, budget: Budget) -> str:
        """Return which share of far rows cannot carry an answer away, in words; nothing of a subspace."""
        _, recipe = self.recipe(n, d, budget)
        return "" if self.degenerate else carried(recipe.design.test.level / n)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private covariance of sanitised rows."""
        first, recipe = self.recipe(len(x), x.shape[1], budget)
        if not self.degenerate:
            found = recipe.draw(centred_rows(x, self.centred), noise, trace)  # (1) to (3)
            return Abstention(TEST) if found is None else found
        x = shuffled(x, noise)
        basis = self.subspace.basis(x[:first], recipe.budget, noise)
        if isinstance(basis, Abstention):
            return basis
        inside = recipe.draw(completed(centred_rows(x[first:], self.centred), basis, noise), noise, trace)
        rank = basis.shape[1]
        return Abstention(TEST) if inside is None else symmetrised(basis @ inside[:rank, :rank] @ basis.T)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the Thompson distance from Σ, all |ln λ| of out⁻¹Σ, true with probability 1 - β.

        For normal rows of full rank, given an answer, by simulation.
        """
        probability(beta=beta)
        return self.recipe(n, d, budget)[1].design.error("thompson", beta / 2)
