"""The subspace that a distribution lives on, exactly.  AL22 Algorithm 2, Theorem 4.1.

Rows x of shape (n, d). Neighbours: replace one row. The rows have mean 0 if `centred`; otherwise they are
paired first, ⌊n/2⌋ rows (x_1 - x_2)/√2, which span what the rows vary in.

    (1) rows are shuffled and cut into k groups of s ≥ d; each names what it spans
    (2) the most frequent name is released if it is far enough ahead; else no answer    (ε, δ)

A name is the projection P on what a group spans, rounded down to a grid of width g with public random
offsets u: (r, ⌊(P_ij + u_ij)/g⌋ for i ≤ j), r the rank. For rows of a distribution on a subspace nearly all
groups have the same name; equality of names is an equivalence, closeness of floats is not. A name depends on
its own group alone; rows that cannot be decomposed have r = -1. What is released is a name, and the subspace
is read from it: the first r eigenvectors of the cell's centre.

Where the rows have a density on a subspace, every group of d rows spans all of it, and k ≈ 2 ln(1/δ)/ε groups
suffice. A subspace is exact up to a grid of 1e-5. "paper" has the source's number of groups, which is some 15
times as large. Departure, in both: mode release in the place of vote, weights and mask, for the same output.
Proof: `proofs/populous.md`, section 5.
"""

from dataclasses import dataclass

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.base import Abstention, Estimator, Trace, mapped, require_matrix, sanitised
from workbench.estimators.parts.blocks.blocks import svd, usable
from workbench.estimators.parts.budgets import halved, least_groups
from workbench.estimators.parts.rows import centred_rows, evened, in_blocks, own_stream
from workbench.privacy import ApproxDP, Budget, Charge, NoiseSource, Plan
from workbench.privacy.histograms import keys_for_mode, mode_charge, release_mode
from workbench.types import Array, Calibration

STEP = "subspace"
GRID = 1e-5  # ours: far above what rounding moves a projection by
RANK = 1e-8  # singular values below this share of the largest one are 0
SPARE = 0.1  # of the groups may have no name that others have


@dataclass(frozen=True, kw_only=True)
class SubspaceExact(Estimator[Array]):
    """Private subspace that a distribution lives on, exact up to a grid (AL22 Theorem 4.1).

    Accurate for rows with a density on a subspace; where groups of rows span different ones the release is
    "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows.
    beta : float, default 0.1
        Chance, at most, of no answer.
    calibration : {"paper", "tight"}, default "tight"
        Number of groups of the source ("paper"), or some 15 times fewer ("tight").

    Examples
    --------
    >>> import numpy as np
    >>> line = np.random.default_rng(1).standard_normal((400, 1)) * [3.0, 4.0]
    >>> release = SubspaceExact()(line, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> release.value.round(4).tolist()
    [[0.36, 0.48], [0.48, 0.64]]
    """

    centred: bool = False
    beta: float = 0.1
    calibration: Calibration = "tight"

    def groups(self, budget: Budget) -> int:
        """Return k: an answer with probability 1 - β where all but a tenth of the groups agree."""
        charge = self._charge(budget)
        assert isinstance(charge.cost, ApproxDP)
        if self.calibration == "paper":
            return least_groups(halved(charge.cost))
        return keys_for_mode(charge, SPARE, self.beta)

    def fewest(self, d: int, budget: Budget) -> int:
        """Return the rows of k groups of d."""
        return self.groups(budget) * d * (1 if self.centred else 2)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge of step (2)."""
        require_matrix(n, d)
        fewest = self.fewest(d, budget)
        if n < fewest:
            raise ArgumentError("n", n, f"at least {fewest} for d = {d} at {budget}")
        return self._charge(budget)

    def estimate(
        self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None
    ) -> Array | Abstention:
        """Return the projection, from sanitised rows."""
        basis = self.basis(x, budget, noise)
        return basis if isinstance(basis, Abstention) else basis @ basis.T

    def basis(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        """Return an orthonormal basis of the subspace, shape (d, r), from sanitised rows."""
        stream = own_stream(noise)
        rows = centred_rows(x, self.centred)[stream.permutation(len(x) // (1 if self.centred else 2))]
        tokens = Tokens.drawn(x.shape[1], stream)
        names = tokens.of(in_blocks(rows, self.groups(budget)))  # (1)
        released = release_mode(names, self._charge(budget), noise)  # (2)
        basis = tokens.basis(released) if isinstance(released, str) else None
        return Abstention(STEP) if basis is None else basis

    def _charge(self, budget: Budget) -> Charge:
        if not isinstance(budget, ApproxDP) or not budget.delta > 0:
            raise ArgumentError("budget", budget, "ApproxDP with delta > 0")
        return mode_charge(STEP, budget)


@dataclass(frozen=True)
class Tokens:
    """The grid of one run: offsets in [0, g), shape (d, d), symmetric."""

    offsets: Array

    @classmethod
    def drawn(cls, d: int, stream: np.random.Generator) -> "Tokens":
        """Return a grid with offsets from a stream that has nothing to do with the rows."""
        upper = np.triu(stream.uniform(0.0, GRID, (d, d)))
        return cls(upper + np.triu(upper, 1).T)

    def of(self, blocks: Array) -> np.ndarray:
        """Return the token of every block of shape (s, d), as text."""
        above, blocks = np.triu_indices(len(self.offsets)), evened(blocks)
        good = usable(blocks)
        values, vectors = svd(np.where(good[:, None, None], blocks, 0.0))
        good &= ~np.isnan(values).any(axis=1)
        kept = values > RANK * values[:, :1]
        spanned = vectors * kept[:, :, None]
        projections = np.swapaxes(spanned, 1, 2) @ spanned
        cells = np.floor((projections + self.offsets) / GRID)[:, above[0], above[1]]
        ranks = np.where(good, kept.sum(axis=1), -1)
        found = np.concatenate([ranks[:, None], np.where(good[:, None], cells, 0)], axis=1).astype(np.int64)
        return np.array([row.tobytes().hex() for row in found])

    def basis(self, token: str) -> Array | None:
        """Return an orthonormal basis, shape (d, r), of the subspace of a token; None where r = -1."""
        d = len(self.offsets)
        rank, *cells = np.frombuffer(bytes.fromhex(token), np.int64).tolist()
        if rank < 0:
            return None
        above = np.triu_indices(d)
        matrix = np.zeros((d, d))
        matrix[above] = (np.array(cells) + 0.5) * GRID - self.offsets[above]
        matrix = matrix + np.triu(matrix, 1).T
        return np.asarray(np.linalg.eigh(matrix)[1][:, ::-1][:, :rank])


def completed(rows: Array, basis: Array, noise: NoiseSource) -> Array:
    """Return the coordinates of rows in a subspace, with further ones of the run's own normal numbers."""
    d, rank = basis.shape
    if rank == d:
        return mapped(rows, basis.T)
    further = own_stream(noise).standard_normal((len(rows), d - rank))
    return sanitised(np.hstack([mapped(rows, basis.T), further]))
