"""The engine of `mean/robust` and `mean/robust-heavy`: look, filter row by row, ask for the mean.

Rows in units of sigma; a filter is (c, V, ρ) (`parts.rowwise.row_filter`), a rule is what its releases are
compared with. Every step is a Gaussian mechanism whose cost is fixed beforehand:

    (1) c = centres of the fullest bins                                        "range"
    (2) c += noisy mean of the rows shrunk to the ball of radius r₀ round c    "recentre", if it is of use
    (3) for each pass: (N, s, A) of the rows that pass                         "moments i"
        nothing suspect and no V: to (5). N < .3 n: V is dropped, to (5)
        c += offset; V = its span with the suspect directions
    (4) counts of the scores of all rows in V; ρ is where the bad ones begin   "scores i"
        nothing suspect, or the last pass: to (5)
    (5) every step that is left asks for (N, s), the last one always; their mean, weighted with μ²
        out = c + offset of s/max(N, n/10)

A step that a run does not need for what its name says asks for the mean instead, at the same cost and with as
many numbers: nothing is refunded, nothing is lost, and neither the draws nor the plan depend on the rows.
Proof: `proofs/robust_mean.md`, sections 1 and 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Protocol, TypeAlias

import numpy as np

from workbench.estimators.base import Trace
from workbench.estimators.parts.foreseen import CleanRun
from workbench.estimators.parts.rows import mean_sensitivity
from workbench.estimators.parts.rowwise.design import RobustDesign
from workbench.estimators.parts.rowwise.row_filter import RowFilter, Rows
from workbench.estimators.shared.weighted_moments import (
    MEAN,
    SENSITIVITY,
    Costs,
    Sums,
    WholeSums,
    length,
    merged,
    release,
    released,
)
from workbench.privacy import ZCDP, Budget, Charge, GaussianDP, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian, gaussian_mu
from workbench.special import ndtr
from workbench.types import Array

EMPTY, LEAST = 0.3, 0.1  # of n: below the first V is dropped; the least divisor
NEW = 0.3  # the least part of a suspect direction outside V that makes V larger


Copy: TypeAlias = tuple[Sums, Costs, Budget]
"""N and s of the rows that pass a filter, with what they cost."""


class Rule(Protocol):
    """The rule that releases are compared with."""

    @property
    def design(self) -> RobustDesign:
        """The public numbers."""

    @property
    def bins(self) -> int:
        """How many scores are counted."""

    def offset(self, row_filter: RowFilter, mean: Array) -> Array:
        """Return the offset of the centre that the mean of the rows that pass stands for."""

    def suspects(self, row_filter: RowFilter, sums: Sums) -> Array:
        """Return the suspect directions as columns."""

    def edges(self, rank: int) -> Array:
        """Return the edges of the scores, rising."""

    def cut(self, rank: int, counts: Array) -> float:
        """Return the cut for noisy counts."""


@dataclass(frozen=True)
class RobustLoop:
    """Steps (1) to (5) with a rule."""

    rule: Rule

    @property
    def design(self) -> RobustDesign:
        """The public numbers."""
        return self.rule.design

    def size(self, step: str) -> int:
        """Return how many numbers a step of the loop draws, whatever it asks."""
        d = self.design.d
        if step.startswith("moments"):
            return length(d)
        return max(self.rule.bins, length(d, square=False)) if step.startswith("scores") else d + 1

    def charges(self, costs: Sequence[ZCDP | GaussianDP]) -> list[Charge]:
        """Return one charge for each step; those of the loop are whitened, of sensitivity 1."""
        design, steps = self.design, dict(zip(self.design.shares.weights, costs, strict=True))
        found = [design.modes.charge("range", steps.pop("range"))]
        if "recentre" in steps:
            found.append(
                Charge("recentre", "gaussian", mean_sensitivity(design.n, design.wide), steps.pop("recentre"))
            )
        return found + [Charge(step, "gaussian", SENSITIVITY, cost) for step, cost in steps.items()]

    def estimate(self, rows: Rows, plan: Plan, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private mean in the rows' frame."""
        charges = list(plan.charges())
        centre = self.located(rows, charges[0], noise)  # (1)
        if self.design.shares.recentre:
            centre = centre + self.recentred(rows, centre, charges[1], noise)  # (2)
            charges = charges[1:]
        return self.filtered(rows, centre, charges[1:], noise, trace)

    def clean_run(self, plan: Plan) -> CleanRun:
        """Return the expected run on clean rows."""
        design, recentred = self.design, bool(self.design.shares.recentre)
        n, d, modes = design.n, design.d, design.modes
        counts, *rest = (gaussian_mu(charge.cost) for charge in plan.charges())
        apart = mean_sensitivity(n, design.wide) / rest[0] if recentred else modes.width / sqrt(12)
        rest = rest[recentred:]
        rest[0] *= design.prices.total if design.shares.passes else 1.0
        return CleanRun(
            n=n,
            d=d,
            ahead=n * float(ndtr(modes.width) - 0.5) * counts / sqrt(2 * d),
            bins=modes.bins,
            apart=sqrt(d) * apart,
            radius=design.radius,
            noise=mean_sensitivity(n, design.radius) / sqrt(sum(mu**2 for mu in rest)),
        )

    def located(self, rows: Rows, charge: Charge, noise: NoiseSource) -> Array:
        """Return the centre of step (1)."""
        modes = self.design.modes
        return modes.draw(modes.counts(rows.x, rows.origin, rows.unit), charge, noise)

    def recentred(self, rows: Rows, centre: Array, charge: Charge, noise: NoiseSource) -> Array:
        """Return the shift of step (2)."""
        return gaussian(rows.total(centre, self.design.wide) / self.design.n, charge, noise)

    def filtered(
        self,
        rows: Rows,
        centre: Array,
        charges: Sequence[Charge],
        noise: NoiseSource,
        trace: Trace | None = None,
    ) -> Array:
        """Return steps (3) to (5) from a centre; rotations and shifts of rows and centre move it along."""
        left = list(charges)
        state, copies, exact = self.passed(rows, centre, left, noise)
        if trace is not None:
            trace.add(centre=state.centre, basis=state.basis, cut=state.cut, left=len(left))
        exact = exact or state.sums(rows, self.design.radius, square=False)
        return self.finished(exact.alone, state, left, copies, noise)  # (5)

    def passed(
        self, rows: Rows, centre: Array, left: list[Charge], noise: NoiseSource
    ) -> tuple[RowFilter, list[Copy], WholeSums | None]:
        """Return the last filter, and the noisy and exact sums of its rows if a pass had them.

        The charges that are used are taken from `left`.
        """
        state = RowFilter(centre, np.zeros((len(centre), 0)))
        while len(left) > 1:
            charge = left.pop(0)
            seen = state.sums(rows, self.design.radius, square=True)
            sums = self.looked(seen, state, charge, noise)  # (3)
            if sums.count < EMPTY * self.design.n:
                return RowFilter(state.centre, state.basis[:, :0]), [], None
            suspects = self.rule.suspects(state, sums)
            clean = not suspects.shape[1]
            if clean and not state.rank:
                return state, [(sums, self.design.prices, charge.cost)], seen
            state = self.turned(state, sums, suspects)
            state = self.tightened(rows, state, left.pop(0), noise)  # (4)
            if clean:
                break
        return state, [], None

    def looked(self, exact: WholeSums, state: RowFilter, charge: Charge, noise: NoiseSource) -> Sums:
        """Return noisy (N, s, A); N is n where every row passes."""
        found = self.released(exact, self.design.prices, charge, noise)
        return found if state.rank else replace(found, count=float(self.design.n))

    def released(self, exact: WholeSums, prices: Costs, charge: Charge, noise: NoiseSource) -> Sums:
        """Return noisy sums, drawn with as many numbers as the step always has."""
        return release(exact, self.design.radius, prices, charge, noise, self.size(charge.step))

    def turned(self, state: RowFilter, sums: Sums, suspects: Array) -> RowFilter:
        """Return the filter round the new centre, with the suspect directions in its basis."""
        beyond = suspects - state.basis @ (state.basis.T @ suspects)
        left, sizes, _ = np.linalg.svd(beyond, full_matrices=False)
        basis = np.hstack([state.basis, left[:, sizes > NEW]])
        return RowFilter(state.centre + self.offset(state, sums), basis, state.cut)

    def tightened(self, rows: Rows, state: RowFilter, charge: Charge, noise: NoiseSource) -> RowFilter:
        """Return the filter with the cut of step (4); counts over √2 have sensitivity 1."""
        counts = state.histogram(rows, self.design.radius, self.rule.edges(state.rank))
        noisy = released(OnGrid(counts, 1 / sqrt(2)), charge, noise, self.size(charge.step)) * sqrt(2)
        return replace(state, cut=self.rule.cut(state.rank, noisy))

    def offset(self, state: RowFilter, sums: Sums) -> Array:
        """Return the rule's offset, shrunk to the ball."""
        offset = self.rule.offset(state, sums.total / max(sums.count, LEAST * self.design.n))
        return offset * min(1.0, self.design.radius / max(float(np.linalg.norm(offset)), 1e-300))

    def finished(
        self,
        exact: WholeSums,
        state: RowFilter,
        charges: Sequence[Charge],
        copies: list[Copy],
        noise: NoiseSource,
    ) -> Array:
        """Return step (5): (N, s) once more for each charge."""
        found = [(self.released(exact, MEAN, charge, noise), MEAN, charge.cost) for charge in charges]
        sums = merged([*copies, *found])
        if not state.rank:
            sums = replace(sums, count=float(self.design.n))
        return state.centre + self.offset(state, sums)
