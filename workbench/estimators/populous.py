"""Any estimator, made private: the general reduction of AL22, Algorithm 1.

Rows x of shape (n, d), an oracle, which is any estimator without privacy, and a space that its answers lie
in. Neighbours: replace one row.

    (1) rows are shuffled and cut into k groups of s; the oracle answers for each  `parts.votes.asked`
    (2) groups vote on whether most answers are close: no answer if they are not
    (3) out = a masked average of the answers that are close to most            `parts.votes.vote`

In "l1" and "l2" (2) and (3) have one price (`privacy.voted`). For "exact" they are the release of the most
frequent answer (`parts.votes.modes`). The spaces and their masks: `parts.votes.spaces`. `mean/populous`,
`spectral/preconditioner`, `spectral/subspace-exact`, the robust votes and what is built of them are instances
with designs of their own.

Privacy holds for every oracle whose answer for a group hangs on the rows of that group alone. It may fail,
answer nonsense or use randomness. Proof: `proofs/populous.md`, section 9.
"""

from dataclasses import dataclass
from typing import Literal

from workbench.errors import ArgumentError, integer_at_least, one_of, positive, probability
from workbench.estimators.base import Abstention, Estimator, Trace, require_matrix
from workbench.estimators.parts.budgets import require_events
from workbench.estimators.parts.rows import of_groups, own_stream, shuffled
from workbench.estimators.parts.votes.asked import Oracle, asked
from workbench.estimators.parts.votes.covariances import best_mask
from workbench.estimators.parts.votes.design import WIDEST
from workbench.estimators.parts.votes.l1_points import WIDEST as LONGEST
from workbench.estimators.parts.votes.modes import common_answer
from workbench.estimators.parts.votes.own_copy import own_copy
from workbench.estimators.parts.votes.preconditioner import centring
from workbench.estimators.parts.votes.spaces import SPACES, Wanted, designed
from workbench.estimators.parts.votes.vote import VOTE, Design, reduced
from workbench.privacy import Budget, NoiseSource, Plan
from workbench.privacy.histograms import keys_for_mode, mode_charge
from workbench.types import Array

Space = Literal["l2", "l1", "thompson", "exact"]
Mask = Literal["auto", "gaussian", "laplace", "thompson_laplace", "wishart", "square", "none"]


@dataclass(frozen=True, kw_only=True)
class Populous(Estimator[Array]):
    """Private version of any estimator, by a vote of groups of rows (AL22 Algorithm 1).

    Accurate where the oracle's answers for groups of `size` rows are mostly within `limit` of each other;
    where they are not the release is "no answer".
    Guarantee: central model, one replaced row, for every input and every oracle that looks at the rows it is
    given and keeps nothing between calls but in fields of an object, or in variables around a function, its
    attributes and default values, which are copied for each group. Budgets: ApproxDP with delta > 0.
    How long the oracle takes, what it prints or writes, and what its calls share are not covered: variables
    of a module, attributes of its functions among them, fields of a class, what a function within an object
    keeps.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    oracle sees the other rows of a group, fewer than `size` then.

    Parameters
    ----------
    oracle : callable
        What is asked of every group: from rows of shape (size, d), absent ones left out, to an answer,
        numbers of a fixed shape. An error, another shape or an entry that is no finite number is an answer
        far from all others.
    size : int
        Rows of a group.
    space : {"l2", "l1", "thompson", "exact"}, default "l2"
        Where answers lie, and what close means: vectors in l2 or l1, positive definite matrices whose ratio
        has eigenvalues in [1/limit, limit], or vectors that are equal.
    limit : float or None, default None
        Distance within which the answers of two groups are, of typical rows, public; none for "exact".
    mask : str, default "auto"
        The noise, one that is proved for the space: "gaussian" in l2, "laplace" in l1, "thompson_laplace",
        "wishart" or "square" for matrices, "none" for "exact"; "auto" is the narrowest.
    dimension : int or None, default None
        Length of a vector, or side of a matrix, that the oracle answers; None for that of the rows.
    far : float, default 0.01
        Share of pairs of groups whose answers may be farther apart than `limit`; for "exact", of groups that
        answer something else.
    beta : float, default 0.1
        Chance, at most, of no answer where that is so.
    randomised : bool, default False
        Whether the oracle takes a numpy Generator for its second argument.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import ApproxDP
    >>> x = 50 + np.random.default_rng(1).standard_t(3, (20_000, 2))
    >>> median = Populous(oracle=lambda rows: np.median(rows, axis=0), size=10, limit=1.8)
    >>> release = median(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 50).max() < 0.2)
    True
    """

    oracle: Oracle
    size: int
    space: Space = "l2"
    limit: float | None = None
    mask: Mask = "auto"
    dimension: int | None = None
    far: float = 0.01
    beta: float = 0.1
    randomised: bool = False

    def _validate(self) -> None:
        integer_at_least(1, size=self.size, dimension=1 if self.dimension is None else self.dimension)
        one_of((*SPACES, "exact"), space=self.space)
        one_of(("auto", *self._masks), mask=self.mask)
        probability(far=self.far)
        _require_oracle(self.oracle)
        if self.space == "exact":
            _require(self.limit is None, "limit", self.limit, 'None for space = "exact"')
            _require(self.far < 0.5, "far", self.far, 'below 1/2 for space = "exact"')
        else:
            positive(limit=self.limit)
        if self.space == "thompson":
            inside = self.limit is not None and 1 < self.limit <= WIDEST
            _require(inside, "limit", self.limit, f"above 1, at most {WIDEST:g}: a ratio of matrices")

    @property
    def _masks(self) -> tuple[str, ...]:
        return ("none",) if self.space == "exact" else SPACES[self.space].masks

    def design(self, n: int, d: int, budget: Budget) -> Design:
        """Return thresholds and charges, in a norm those for limit 1; public. None for "exact"."""
        require_matrix(n, d)
        one_of(SPACES, space=self.space)
        side, cost = self._dimension(d), require_events(budget)
        kind: str = self.mask
        if kind == "auto":
            kind = best_mask(side) if self.space == "thompson" else self._masks[0]
        limit = float(self.limit or 0.0)
        return designed(n, Wanted(self.space, kind, side, self.size, limit, self.far, cost, self.beta))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the charges of the vote and of the mask; raise where n rows are too few, with the number."""
        if self.space != "exact":
            return self.design(n, d, budget).plan
        require_matrix(n, d)
        self._dimension(d)
        charge = mode_charge(VOTE, require_events(budget))
        fewest = keys_for_mode(charge, self.far, self.beta) * self.size
        _require(n >= fewest, "n", n, f"at least {fewest} in groups of {self.size}")
        return charge

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the private answer for sanitised rows."""
        n, d = x.shape
        side = self._dimension(d)
        shape = (side, side) if self.space == "thompson" else (side,)
        oracle = asked(self.oracle, shape, own_stream(noise) if self.randomised else None)
        if self.space == "exact":
            (charge,) = self.plan(n, d, budget).charges()
            answers = of_groups(shuffled(x, noise), self.size, oracle)  # (1)
            found = common_answer(answers, charge, noise)  # (2) (3)
        else:
            found = self._averaged(x, oracle, self.design(n, d, budget), noise)
        return Abstention(VOTE) if found is None else found

    def _averaged(self, x: Array, oracle: Oracle, made: Design, noise: NoiseSource) -> Array | None:
        space = SPACES[self.space]
        unit = float(self.limit or 1.0) if space.normed else 1.0
        found = reduced(x, lambda rows: oracle(rows) / unit, space.points, made, noise)  # (1) to (3)
        if found is None:
            return None
        return found * (unit if space.normed else centring(made.charges[1], len(found))[0])

    def _dimension(self, d: int) -> int:
        side = d if self.dimension is None else self.dimension
        _require(self.space != "l1" or side <= LONGEST, "dimension", side, f'at most {LONGEST} for "l1"')
        return side


def _require(true: bool, argument: str, value: object, allowed: str) -> None:
    if not true:
        raise ArgumentError(argument, value, allowed)


def _require_oracle(oracle: Oracle) -> None:
    """Raise unless an oracle can be asked as it is now, over and over: a public fact."""
    _require(callable(oracle), "oracle", oracle, "a function of the rows of a group")
    try:
        own_copy(oracle)
    except Exception:
        raise ArgumentError("oracle", oracle, "a function, or an object that can be copied") from None
