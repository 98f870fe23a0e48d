"""Covariance and mean of a Gaussian without any bound: few votes of blocks, then all rows.  Ours, for M21/UG.

Rows are shuffled, paired, N = ⌊n/2⌋ (or centred, N = n), and cut into t blocks of m rows. From A = I:

    (1) λ = block eigenvalues                                                              `subspaces`
        r = #{λ_i > 0}. If r < d: V = the vote of the blocks on the top-r subspace; A = Vᵀ
    (2) for k = 1 .. r - 1: P = the vote of the blocks of A x on the top-k subspace at γ² = λ_{k+1}/λ_k;
        if γ² < 1/10 and there was a vote: A ← (γ P + (I - P)) A                                 `subspaces`
    (3) μ = block eigenvalues of A x; no answer if μ_r = 0
    (4) from here on all n rows: a centre, a round frame, mean and covariance in it   `parts.gaussians.finish`

The votes close every large gap; smaller ones, and what noisy votes leave, add up to a spread μ_1/μ_r that
(3) tells and (4) makes round, a step at a time, however wide. Every step runs on all data: d - 1 votes are
drawn whatever λ is, and what released values make unnecessary is not used. A vote that does not come about
changes nothing, but for that of (1), without which there is no answer. With r = 0 the covariance is 0, and
draws go on as for λ = 1.

Shares of ρ: .1 for (1) and for (3), .5 for the votes, .3 for (4); δ is divided equally among the votes and
the d locations of (4), which count as one. Proof: `proofs/aggregation.md`, section 4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.estimators.base import Abstention, Trace, mapped
from workbench.estimators.parts.gaussians.error import SquaredErrors, squared_error
from workbench.estimators.parts.gaussians.finish import RoundFinish
from workbench.estimators.parts.gaussians.frame import Frame, Moments, identity_frame, point_mass
from workbench.estimators.parts.rows import centred_rows, in_blocks
from workbench.estimators.subspaces import (
    SubspaceVote,
    block_sizes,
    eigenvalue_charges,
    enough_blocks,
    enough_points,
    gap_after,
    private_eigenvalues,
    projections,
    spectra,
)
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.types import Array

EIGENVALUES, VOTES, FINISH = 0.1, 0.5, 0.3  # shares of ρ; eigenvalues twice
LARGE_GAP = 10.0
GAP, LAST_GAP = 10.0, 1000.0  # of the widest spectrum that votes leave; the least is released low
MOST_ROWS = 8  # of a block, in units of d: votes gain more from blocks than from rows in them


@dataclass(frozen=True)
class TightUnbounded:
    """The recipe for n rows of dimension d at a cost with δ > 0."""

    n: int
    d: int
    cost: ZCDP
    centred: bool = False

    def __post_init__(self) -> None:
        _ = self.blocks  # raises where n rows are too few

    @cached_property
    def costs(self) -> tuple[ZCDP, ZCDP, ZCDP, ZCDP]:
        """The costs of (1), of one vote, of (3), and of (4)."""
        votes, located = self.d - 1, not self.centred
        total = 2 * EIGENVALUES + (VOTES if votes else 0) + FINISH
        rho, events = self.cost.rho / total, votes + located
        delta = self.cost.delta / max(events, 1)
        eigenvalues = ZCDP(EIGENVALUES * rho)
        vote = ZCDP(VOTES * rho / max(votes, 1), delta)
        return eigenvalues, vote, eigenvalues, ZCDP(FINISH * rho, delta if located else 0.0)

    @property
    def fewest_blocks(self) -> int:
        """The number of blocks that (1) and the votes need."""
        needed = enough_blocks(self.d, self.costs[0], "tight")
        return max(needed, enough_points(self.costs[1], "tight")) if self.d > 1 else needed

    @cached_property
    def blocks(self) -> tuple[int, int]:
        """T and m: 2d to 8d rows a block, more where there would be more than 2000 blocks."""
        return block_sizes(self.fewest_blocks, self.n, self.d, self.centred, "tight", MOST_ROWS)

    @property
    def vote(self) -> SubspaceVote:
        """The recipe of the votes."""
        t, m = self.blocks
        return SubspaceVote(t, m=m, d=self.d)

    @property
    def finish(self) -> RoundFinish:
        """The recipe of (4)."""
        return RoundFinish(self.n, self.d, self.costs[3], widest(self.d), self.centred)

    @property
    def squared_error(self) -> SquaredErrors:
        """The predicted errors, from public numbers."""
        return squared_error(self.finish.steps, self.finish.steps.stretch)

    def charges(self) -> Iterator[Charge]:
        """Yield all charges, in the order of the run."""
        first, vote, last, _ = self.costs
        yield from eigenvalue_charges("eigenvalue", self.d, first, "tight")
        for number in range(1, self.d):
            yield from self.vote.charges(f"vote {number}", vote)
        yield from eigenvalue_charges("eigenvalue in frame", self.d, last, "tight")
        yield from self.finish.charges()

    def estimate(self, x: Array, noise: NoiseSource, trace: Trace | None) -> Moments | Abstention:
        """Return the private moments of sanitised rows."""
        charges = list(self.charges())
        d, votes = self.d, charges[self.d : 3 * self.d - 2]
        rows = centred_rows(x, self.centred)
        first = self._eigenvalues(rows, identity_frame(d), charges[:d], noise)  # (1)
        if not (some := (first > 0).any()):
            first = np.ones(d)
        frame = self._frame(rows, first, votes, noise)  # (2)
        if frame is None:
            return Abstention("vote 1, count")
        last = self._eigenvalues(rows, frame, charges[3 * d - 2 : 4 * d - 2], noise)  # (3)
        if trace is not None:
            trace.add(eigenvalues=first, frame=frame, eigenvalues_in_frame=last)
        spread = last[: frame.rank] if some else first
        if not spread[-1] > 0:
            return Abstention("eigenvalue in frame")
        found = self.finish.estimate(x, frame, spread, charges[4 * d - 2 :], noise)  # (4)
        return found if some or isinstance(found, Abstention) else point_mass(d)

    def _eigenvalues(self, rows: Array, frame: Frame, charges: list[Charge], noise: NoiseSource) -> Array:
        found = spectra(in_blocks(mapped(rows, frame.matrix), self.blocks[0]))
        found = np.pad(found, ((0, 0), (0, self.d - frame.rank)))
        values = private_eigenvalues(found, charges, noise, "tight")
        assert values is not None  # the mechanism of a range has no bottom
        return values

    def _frame(
        self, rows: Array, eigenvalues: Array, votes: list[Charge], noise: NoiseSource
    ) -> Frame | None:
        """Return the frame after all votes, or None where the rows' subspace got no vote."""
        rank, left = int((eigenvalues > 0).sum()), list(zip(votes[::2], votes[1::2], strict=True))
        frame: Frame | None = identity_frame(self.d)
        if rank < self.d:
            basis = self._vote(rows, identity_frame(self.d), rank, 0.0, left.pop(0), noise)
            frame = None if basis is None else Frame(basis, np.eye(rank))
        for k, charges in enumerate(left, start=1):
            here, top = (frame or identity_frame(self.d)), min(k, rank)
            gap = gap_after(eigenvalues, k) if k < rank else 0.0
            basis = self._vote(rows, here, top, gap, charges, noise)
            if frame is not None and basis is not None and k < rank and gap**2 < 1 / LARGE_GAP:
                frame = frame.shrunk(basis[: frame.rank], gap)
        return frame

    def _vote(
        self,
        rows: Array,
        frame: Frame,
        k: int,
        gap: float,
        charges: tuple[Charge, Charge],
        noise: NoiseSource,
    ) -> Array | None:
        planes = projections(in_blocks(mapped(rows, frame.matrix), self.blocks[0]), k)
        return self.vote.basis(planes, k, gap, charges, noise)


def widest(d: int) -> tuple[float, ...]:
    """Return the widest spectrum that the frame should leave: gaps of 10, but for the last one of 1000."""
    return tuple(np.append(GAP ** -np.arange(d - 1.0), GAP ** -(d - 2.0) / LAST_GAP)) if d > 1 else (1.0,)
