"""Covariance and mean of a Gaussian without any bound: M21/UG's loop of preconditioners, with constants.

Rows are shuffled, paired, N = ⌊n/2⌋ (or centred, N = n), and cut into t blocks of m rows. From A = I:

    (1) λ = block eigenvalues; r = #{λ_i > 0}. If r < d: V = the vote of the blocks on the top-r subspace,
        A = Vᵀ, λ = block eigenvalues of A x                                                     M21/UG Alg 1
    (2) for k = 1 .. r - 1:
        if λ_k/λ_{k+1} > 64: P = the vote on the top-k subspace; A ← (γ P + (I - P)) A,
            γ² = λ_{k+1}/λ_k; λ = block eigenvalues of A x                                     M21/UG Alg 2, 3
        if λ_1/λ_{k+1} > 8: Z = Σ z_i v_i v_iᵀ, a noisy covariance of A x;
            A ← Σ (λ_{k+1}/max(z_i, λ_{k+1}))^(1/2) v_i v_iᵀ A; λ = block eigenvalues of A x     M21/UG Alg 4
    (3) two steps of CoinPress on A x, between bounds that λ gives; out = A⁻¹ S A⁻ᵀ
    (4) the n rows themselves, whitened: a histogram in every coordinate, then one clipped mean

Every slot is drawn on every data set: 2d calls of (1), d votes, d - 1 covariances of (2); what released
values make unnecessary is not used. A step that is needed and gives no answer ends the run without one, and
with r = 0 the covariance is 0; draws go on as for λ = 1. Without a mean to find, (4) is left out.

Shares of ρ: .7 for the covariance, all of it without (4); half of that for (3), 1/4 and 3/4 of it, and .3,
.4, .3 of the other half for eigenvalues, votes, covariances of (2); .1 and .2 for (4). δ: equally to the 3d
slots of eigenvalues and votes and to the histograms of (4). Proof: `proofs/aggregation.md`, section 4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from workbench.estimators.base import Abstention, Trace, mapped
from workbench.estimators.parts.gaussians.error import SquaredErrors
from workbench.estimators.parts.gaussians.frame import Frame, Moments, identity_frame, padded, point_mass
from workbench.estimators.parts.gaussians.paper_finish import PaperFinish
from workbench.estimators.parts.integers import moment_in_ball
from workbench.estimators.parts.rows import (
    centred_count,
    centred_rows,
    in_blocks,
    second_moment_sensitivity,
)
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
from workbench.linalg import psd_part, spectral_map, tail
from workbench.privacy import ZCDP, Charge, NoiseSource
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.types import Array

COVARIANCE, FINAL = 0.7, 0.5  # shares of ρ, and of that of the covariance
EIGENVALUES, VOTES, FINE = 0.3, 0.4, 0.3
COARSE_GAP, FINE_GAP, BETA = 64.0, 8.0, 0.05


@dataclass(frozen=True)
class PaperUnbounded:
    """The recipe for n rows of dimension d at a cost with δ > 0."""

    n: int
    d: int
    cost: ZCDP
    centred: bool = False
    with_mean: bool = True

    def __post_init__(self) -> None:
        _ = self.blocks  # raises where n rows are too few

    @cached_property
    def costs(self) -> dict[str, ZCDP]:
        """The costs of one slot of every kind, and of the finish."""
        d = self.d
        before = self.cost.rho * (COVARIANCE if self.located else 1) * (1 - FINAL)
        delta = self.cost.delta / (3 * d + self.located)
        spare = 0.0 if d > 1 else FINE * before
        return {
            "eigenvalues": ZCDP(EIGENVALUES * before / (2 * d), delta),
            "vote": ZCDP(VOTES * before / d, delta),
            "fine": ZCDP(FINE * before / max(d - 1, 1)),
            "finish": ZCDP(self.cost.rho - before + spare, delta if self.located else 0.0),
        }

    @property
    def located(self) -> bool:
        """Whether there is a mean to find: (4)."""
        return self.with_mean and not self.centred

    @property
    def rows(self) -> int:
        """N."""
        return centred_count(self.n, self.centred)

    @cached_property
    def blocks(self) -> tuple[int, int]:
        """T and m; at least 4d rows a block, below which results are silently absurd."""
        needed = max(
            enough_blocks(self.d, self.costs["eigenvalues"], "paper"),
            enough_points(self.costs["vote"], "paper"),
        )
        return block_sizes(needed, self.n, self.d, self.centred, "paper")

    @property
    def vote(self) -> SubspaceVote:
        """The recipe of the votes."""
        t, m = self.blocks
        return SubspaceVote(t, "paper", m=m, d=self.d)

    @property
    def squared_error(self) -> SquaredErrors:
        """The predicted errors, from public numbers."""
        return self.finish.squared_error

    @property
    def finish(self) -> PaperFinish:
        """The recipe of (3) and (4)."""
        return PaperFinish(self.n, self.rows, self.d, self.costs["finish"], self.located)

    def charges(self) -> Iterator[Charge]:
        """Yield all charges, in the order of the run."""
        d, costs, moment = self.d, self.costs, second_moment_sensitivity(self.rows, 1.0)
        yield from eigenvalue_charges("eigenvalue", d, costs["eigenvalues"], "paper")
        yield from self.vote.charges("vote on the rank", costs["vote"])
        yield from eigenvalue_charges("eigenvalue of the rank", d, costs["eigenvalues"], "paper")
        for k in range(1, d):
            yield from self.vote.charges(f"vote {k}", costs["vote"])
            yield from eigenvalue_charges(f"eigenvalue after vote {k},", d, costs["eigenvalues"], "paper")
            yield Charge(f"fine {k}", "symmetric_gaussian", moment, costs["fine"])
            yield from eigenvalue_charges(f"eigenvalue after fine {k},", d, costs["eigenvalues"], "paper")
        yield from self.finish.charges()

    def estimate(self, x: Array, noise: NoiseSource, trace: Trace | None) -> Moments | Abstention:
        """Return the private moments of sanitised rows."""
        run = _Run(self, centred_rows(x, self.centred), iter(self.charges()), noise)
        ended = run.rank() or run.loop()
        if ended is not None:
            return ended
        if trace is not None:
            trace.add(frame=run.frame, eigenvalues_in_frame=run.values)
        found = self.finish.estimate(x, run.rows, run.frame, run.values, run.charges, noise)
        return found if run.some or isinstance(found, Abstention) else point_mass(self.d)


@dataclass
class _Run:
    """The state of one run, all of it released: the frame and the eigenvalues in it."""

    recipe: PaperUnbounded
    rows: Array
    charges: Iterator[Charge]
    noise: NoiseSource

    def __post_init__(self) -> None:
        self.frame, self.values = identity_frame(self.recipe.d), np.ones(self.recipe.d)
        self.some = True  # eigenvalue is not 0

    def rank(self) -> Abstention | None:
        """Run step (1); return the end of the run where there is one."""
        values = self._measured(self.frame)
        if values is None:
            return Abstention("eigenvalue")
        self.some = bool((values > 0).any())
        self.values = values if self.some else np.ones(self.recipe.d)
        r = int((self.values > 0).sum())
        basis, singular = self._voted(r, 0.0), r < self.recipe.d
        if singular and basis is None:
            return Abstention("vote on the rank")
        frame = Frame(basis, np.eye(r)) if singular and basis is not None else self.frame
        return self._moved(frame if singular else None, "eigenvalue of the rank")

    def loop(self) -> Abstention | None:
        """Run step (2); return the end of the run where there is one."""
        for k in range(1, self.recipe.d):
            frame, values, inside = self.frame, self.values, k < self.frame.rank
            gap = gap_after(values, k) if inside else 0.0
            coarse = inside and gap**2 < 1 / COARSE_GAP
            basis = self._voted(min(k, frame.rank), gap)
            if coarse and basis is None:
                return Abstention(f"vote {k}")
            changed = frame.shrunk(basis[: frame.rank], gap) if coarse and basis is not None else None
            if (ended := self._moved(changed, f"eigenvalue after vote {k}")) is not None:
                return ended
            fine = inside and self.values[0] > FINE_GAP * self.values[k]
            finer = self._fine(k if inside else self.frame.rank - 1)
            if (ended := self._moved(finer if fine else None, f"eigenvalue after fine {k}")) is not None:
                return ended
        return None

    def _moved(self, frame: Frame | None, step: str) -> Abstention | None:
        """Go to a frame and measure there, or draw the measurement alone."""
        found = self._measured(frame or self.frame)
        if frame is None:
            return None
        if found is None or not (found[: frame.rank] > 0).all():
            return Abstention(step)
        self.frame, self.values = frame, found[: frame.rank]
        return None

    def _blocks(self, frame: Frame) -> Array:
        return in_blocks(mapped(self.rows, frame.matrix), self.recipe.blocks[0])

    def _measured(self, frame: Frame) -> Array | None:
        found = np.pad(spectra(self._blocks(frame)), ((0, 0), (0, self.recipe.d - frame.rank)))
        charges = [next(self.charges) for _ in range(self.recipe.d)]
        return private_eigenvalues(found, charges, self.noise, "paper")

    def _voted(self, k: int, gap: float) -> Array | None:
        planes, charges = projections(self._blocks(self.frame), k), (next(self.charges), next(self.charges))
        return self.recipe.vote.basis(planes, k, gap, charges, self.noise)

    def _fine(self, k: int) -> Frame:
        """Return the frame after M21/UG Alg 4 at gap k."""
        frame, reference, r = self.frame, self.values[k], self.frame.rank
        radius = sqrt(2 * self.values[0]) * tail(r, BETA / len(self.rows))
        mapping = frame.matrix.T / radius
        moment = moment_in_ball(self.rows, lambda block: block @ mapping, 1.0)
        noisy = symmetric_gaussian(padded(moment, self.recipe.d), next(self.charges), self.noise)[:r, :r]
        z = psd_part(noisy * radius**2)
        return frame.then(spectral_map(z, lambda values: np.sqrt(reference / np.maximum(values, reference))))
