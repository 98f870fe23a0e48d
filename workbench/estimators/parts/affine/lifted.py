"""Lifted rows (1, x) in units, around a centre that costs nothing, and what a quantile of theirs holds.

    P_v of the rows (1, x) = [[s, s mᵀ], [s m, S + s m mᵀ]]:   a location m, a scatter S > 0, a scale s > 0

P_v follows every linear map of the lifted rows, so that it does not depend on where x is measured from: a
centre serves floats alone. It is the median o_(h) of every column, and units hold for any centre among the
order statistics h - t - 1 to h + t + 1: those of a neighbour at t - 1 lie within. An absent row is the zero
row of d + 1 columns, not (1, 0), and its entries are 0 among order statistics.

A factor T of a quantile Q = (TᵀT)⁻¹ is lower triangular, [[τ, 0], [a, B]]: s = 1/τ², and of its inverse
[[r, 0], [l, R]] the location is l/r and R a root of S: nothing is subtracted.
Proof: `proofs/affine_mean.md`, sections 1 and 5.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dtrtri

from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import Scaled, Solver, exponents, in_units, unit
from workbench.estimators.parts.rows import present
from workbench.types import Array

SMALLEST = 2.0**-340  # entries below it count as 0: differences are then 0 or 2^-392 at least
GUARD = 6  # of `widest`: what |B|² may be is this part of it


@dataclass(frozen=True)
class Lifted(Scaled):
    """Rows (1, x - centre) in units of their columns."""

    centre: Array

    @classmethod
    def around(cls, x: Array, influence: Influence, level: float, t: int) -> "Lifted":
        """Return the rows of x, shape (n, d), in units for `level` that hold for every centre of t."""
        there = present(x)
        columns = np.where(there & (np.abs(x.T) >= SMALLEST), x.T, 0.0)
        middle = (x.shape[0] + 1) // 2 - 1
        places = [middle - t - 1, middle, middle + t + 1]
        low, centre, high = np.partition(columns, places, axis=1)[:, places].T[:, :, None]
        reach = np.maximum(np.abs(columns - low), np.abs(columns - high))
        powers = exponents(there * np.vstack([np.ones(len(x)), reach]))
        units = np.array([unit(column, influence.steepest, level) for column in powers])[:, None]
        rows = there * np.vstack([np.ones(len(x)), columns - centre])
        return cls(in_units(rows, units), units.ravel(), centre.ravel())

    def scale(self, factor: Array) -> float:
        """Return s."""
        return float(np.ldexp(1 / factor[0, 0] ** 2, 2 * int(self.exponents[0])))

    def parts(self, factor: Array) -> tuple[Array, Array]:
        """Return m less the centre, and a root of S."""
        inverse, _ = dtrtri(factor, lower=1)
        first, units = int(self.exponents[0]), self.exponents[1:]
        shift = np.ldexp(inverse[1:, 0] / inverse[0, 0], units - first)
        return shift, np.ldexp(np.tril(inverse[1:, 1:]), units[:, None])


@dataclass(frozen=True)
class LiftedSolver(Solver):
    """The public numbers of a descent, with a guard that does not depend on the centre: |B|² and s."""

    least: float = 0.0

    def allowed(self, scaled: Scaled, factor: Array) -> bool:
        """Tell whether floats resolve S, and s is not below the least."""
        scatter = factor[1:, 1:]
        within = bool((scatter * scatter).sum() <= self.widest / GUARD)
        return within and isinstance(scaled, Lifted) and scaled.scale(factor) >= self.least
