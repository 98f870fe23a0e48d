"""A family of attacks on a covariance with seven numbers to turn: what a search for the worst one runs over.

A subspace of dimension `rank`; the rows to be replaced are random ones, or those with the largest or
smallest part in it; their parts go to a sphere of a radius that varies, some to a second one; what they have
outside stays, goes to 0, or is drawn anew.
"""

from dataclasses import dataclass, fields, replace
from math import sqrt
from typing import Literal, get_args

import numpy as np

from workbench.populations.corruption.adversary import Adversary, replaced
from workbench.populations.corruption.covariance import directions
from workbench.types import Array

Chosen = Literal["random", "largest", "smallest"]
CHOSEN: tuple[Chosen, ...] = get_args(Chosen)
Outside = Literal["kept", "zero", "typical"]
RANGES = {"radius": 4.5, "jitter": 0.6, "second": 0.5, "farther": 20.0}


@dataclass(frozen=True)
class Recipe:
    """One attack of the family; `rank` 0 stands for d, radii are those of a coordinate."""

    rank: int = 1
    chosen: Chosen = "random"
    radius: float = 3.0
    jitter: float = 0.0
    second: float = 0.0  # share of the rows
    farther: float = 0.0  # their radius
    outside: Outside = "kept"

    def attack(self, x: Array, bad: int, rng: np.random.Generator) -> Array:
        """Return the rows after the attack."""
        d = x.shape[1]
        axes = directions(d, rng)[:, : min(self.rank, d) or d]
        inside = x @ axes
        rows = self._rows((inside * inside).sum(axis=1), bad, rng)
        moved = rng.standard_normal((bad, axes.shape[1]))
        moved *= self._radii(bad, rng) / np.sqrt((moved * moved).sum(axis=1, keepdims=True))
        outside = x[rows] if self.outside == "kept" else rng.standard_normal((bad, d))
        outside = np.zeros((bad, d)) if self.outside == "zero" else outside
        return replaced(x, rows, outside + (moved * sqrt(axes.shape[1]) - outside @ axes) @ axes.T)

    def _rows(self, sizes: Array, bad: int, rng: np.random.Generator) -> np.ndarray:
        if self.chosen == "random":
            return np.asarray(rng.permutation(len(sizes))[:bad])
        order = np.argsort(sizes, kind="stable")
        return order[-bad:] if self.chosen == "largest" else order[:bad]

    def _radii(self, bad: int, rng: np.random.Generator) -> Array:
        radii = self.radius + self.jitter * rng.standard_normal((bad, 1))
        return np.where(rng.random((bad, 1)) < self.second, self.farther, radii)

    @property
    def adversary(self) -> Adversary:
        """The attack under a name."""
        return Adversary("recipe", str(self), self.attack)

    def mutated(self, rng: np.random.Generator) -> "Recipe":
        """Return a recipe that differs in one or two of the numbers, radii by a tenth of their range."""
        changed = {
            str(name): getattr(drawn(rng), name) for name in rng.choice(NAMES, rng.integers(1, 3), False)
        }
        for name in sorted(changed.keys() & RANGES.keys()):
            step = 0.1 * RANGES[name] * float(rng.standard_normal())
            changed[name] = min(abs(getattr(self, name) + step), RANGES[name])
        return replace(self, **changed)


NAMES = [field.name for field in fields(Recipe)]


def drawn(rng: np.random.Generator) -> Recipe:
    """Return a random recipe."""
    return Recipe(
        rank=int(rng.choice([1, 2, 0])),
        chosen=str(rng.choice(CHOSEN)),  # type: ignore[arg-type]
        radius=float(rng.uniform(0, RANGES["radius"])),
        jitter=float(rng.uniform(0, RANGES["jitter"])),
        second=float(rng.choice([0.0, rng.uniform(0, RANGES["second"])])),
        farther=float(rng.uniform(0, RANGES["farther"])),
        outside=str(rng.choice(get_args(Outside))),  # type: ignore[arg-type]
    )
