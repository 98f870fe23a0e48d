"""The logs of the eigenvalues of Thompson-Laplace noise, as real numbers of as many bits as are asked for.

As in `random_matrices.thompson_laplace`, by rejection: z of density ∝ Π |z_i - z_j| on [-1, 1]^d
times a gamma number of shape d(d+1)/2 + 1 and rate 1/scale - c, c = ⌊d²/4⌋, is kept with probability
Π sinhc((λ_i - λ_j)/2) e^(-c max|λ|). Here z is a uniform point of the cube, kept with probability
Π |z_i - z_j|/P, P at least the largest product (`proofs/exact.md`, section "Masks").
"""

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.privacy.exact import balls
from workbench.privacy.exact.integers import Read
from workbench.privacy.exact.reals import Real, Uniform, gamma, positive

if TYPE_CHECKING:
    from flint import arb

PEAK = {1: (1, 1), 2: (2, 1), 3: (2, 1), 4: (23, 20)}  # P, a fraction

Matrix: TypeAlias = Callable[[int], Any]
"""A random matrix or list of balls, from a count of bits."""


def exponents(d: int, scale: float, read: Read) -> Matrix:
    """Return d numbers λ of density ∝ Π sinh(|λ_i - λ_j|/2) e^(-max|λ|/scale)."""
    floor = d * d // 4

    def dimension(bits: int) -> "arb":
        return balls.exactly(d * (d + 1) // 2 + 1)

    while True:
        cube, u = _repelled(d, read), Uniform(read)
        values = _stretched(cube, gamma(dimension, read), scale, floor)
        if positive(_less(_kept(values, floor), u)):
            return values


def _repelled(d: int, read: Read) -> Matrix:
    """Return z of density ∝ Π |z_i - z_j| on [-1, 1]^d."""
    over, under = PEAK[d]
    while True:
        cube, u = _cube(d, read), Uniform(read)
        if positive(_less(_gaps(cube, under), _times(u, over))):
            return cube


def _cube(d: int, read: Read) -> Matrix:
    points = [Uniform(read) for _ in range(d)]
    return lambda bits: [2 * one(bits) - 1 for one in points]


def _stretched(cube: Matrix, radius: Real, scale: float, floor: int) -> Matrix:
    def values(bits: int) -> "list[arb]":
        reach = radius(bits) / (1 / balls.exactly(scale) - floor)
        return [reach * one for one in cube(bits)]

    return values


def _gaps(points: Matrix, times: int) -> Real:
    def product(bits: int) -> "arb":
        found = balls.exactly(times)
        for x, y in combinations(points(bits), 2):
            found *= abs(x - y)
        return found

    return product


def _kept(points: Matrix, floor: int) -> Real:
    def share(bits: int) -> "arb":
        values = points(bits)
        largest, found = balls.exactly(0), balls.exactly(1)
        for one in values:
            largest = largest.max(abs(one))
        for x, y in combinations(values, 2):
            half = abs(x - y) / 2
            found *= half.sinh() / half
        return found * (-floor * largest).exp()

    return share


def _less(number: Real, other: Real) -> Real:
    return lambda bits: number(bits) - other(bits)


def _times(number: Real, factor: int) -> Real:
    return lambda bits: number(bits) * factor
