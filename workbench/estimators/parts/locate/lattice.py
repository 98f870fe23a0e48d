"""Places on the line as whole numbers: a public lattice of which a stretch holds a whole number of points.

The step is a power of two, 2^-100 of a public length or the least float: a float that is not tiny lies on
the lattice as it is, whatever its size, and so does the sum of two such floats, rounded to a float.
"""

from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import DTypeLike

from workbench.privacy.grid import Integers, OnGrid, step_of
from workbench.types import Array

BITS = 100  # of the public length; what rounds points to the lattice moves them by 2^-101 of it
LEAST = 2.0**-1074


def step_for(length: float) -> float:
    """Return the step of the lattice for a public length."""
    return max(step_of(length, BITS), LEAST)


def rounded(places: Array, step: float) -> Array:
    """Return the points of the lattice next to places of either sign, infinite ones among them."""
    with np.errstate(over="ignore"):
        return np.where(np.abs(places) < 2.0**53 * step, np.rint(places / step) * step, places)


def number(place: float, step: float) -> int:
    """Return which point of the lattice a place on it is."""
    return int(Fraction(place) / Fraction(step))


def place(number: int, step: float) -> float:
    """Return the float next to a point of the lattice."""
    return float(Fraction(number) * Fraction(step))


class Lengths(OnGrid):
    """How many points of the lattice lie in [e_j, e_{j+1}) for sorted edges on it, and further weights.

    As floats, lengths and further weights in the unit of the edges; as whole numbers only where asked for.
    An edge is a float, so that a length is one difference of two, rounded once.
    """

    near = True

    edges: Array
    void: np.ndarray
    further: tuple[int, ...]

    def __init__(self, edges: Array, void: np.ndarray, step: float, *further: int) -> None:
        for name, value in (("edges", edges), ("void", void), ("unit", step), ("further", further)):
            object.__setattr__(self, name, value)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        lengths = np.diff(self.edges)
        lengths[self.void] = 0.0
        return np.append(lengths, [place(weight, self.unit) for weight in self.further])

    @cached_property
    def counts(self) -> Integers:
        """The weights."""
        lengths = np.diff(numbers(self.edges, self.unit))
        lengths[self.void] = 0
        return np.array([*lengths, *self.further], object)


def numbers(places: Array, step: float) -> Integers:
    """Return which points of the lattice places on it are, as Python integers."""
    shares, exponents = np.frexp(places)
    shifts = (exponents - 53 - (np.frexp(step)[1] - 1)).tolist()
    whole = np.ldexp(shares, 53).astype(np.int64).tolist()
    shifted = [one << by if by >= 0 else one >> -by for one, by in zip(whole, shifts, strict=True)]
    return np.array(shifted, object)
