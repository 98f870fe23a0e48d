"""Masks that may be released: L M Lᵀ for a root L of floats, each entry the float next to it.

    wishart            M = W/ν, ν = 1/scale          square    M = (I + scale G)(I + scale G)ᵀ
    thompson_laplace   M of density ∝ e^(-d(M, I)/scale), d Thompson's distance; d ≤ 4

M is made of real numbers of exact laws, the floats L and the scale are the binary fractions that they
are, and balls are refined until all of an entry's ball has one float next to it: rounding is
post-processing of the ideal mask (`proofs/exact.md`, section "Masks"; the laws of `privacy.random_matrices`).
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, positive
from workbench.privacy.exact import balls
from workbench.privacy.exact.exponents import PEAK, Matrix, exponents
from workbench.privacy.exact.integers import Read, system
from workbench.privacy.exact.reals import STEP, Real, gamma, normal
from workbench.privacy.exact.roots import Average, Floats, root_of
from workbench.types import Array

if TYPE_CHECKING:
    from flint import arb


def wishart(root: ArrayLike | Average, scale: float, read: Read = system) -> Array:
    """Return the second moment of 1/scale normal rows of covariance LLᵀ, L = `root`."""
    factor, exact = root_of(root), _scale(scale)
    if Fraction(scale) * (factor.d - 1) >= 1:
        raise ArgumentError("scale", scale, f"below 1/{factor.d - 1}, for {factor.d} dimensions")
    bartlett = _bartlett(factor.d, scale, read)
    return _released(factor, lambda bits: _square(bartlett(bits)) * exact)


def square(root: ArrayLike | Average, scale: float, read: Read = system) -> Array:
    """Return L (I + scale G)(I + scale G)ᵀ Lᵀ, L = `root`, G of independent N(0, 1)."""
    factor, exact = root_of(root), _scale(scale)
    entries, identity = _normals(factor.d, read), balls.matrix(np.eye(factor.d).tolist())
    return _released(factor, lambda bits: _square(identity + entries(bits) * exact))


def thompson_laplace(root: ArrayLike | Average, scale: float, read: Read = system) -> Array:
    """Return a matrix of density ∝ e^(-d/scale), d its Thompson distance to LLᵀ, L = `root`."""
    factor = root_of(root)
    d, _ = factor.d, _scale(scale)
    if d not in PEAK:
        raise ArgumentError("d", d, f"at most {max(PEAK)} for the Thompson-Laplace mask")
    if scale * (floor := d * d // 4) >= 1:
        raise ArgumentError("scale", scale, f"below 1/{floor}, for {d} dimensions")
    values, entries = exponents(d, scale, read), _normals(d, read)

    def mask(bits: int) -> Any:
        halves = [(one / 2).exp() for one in values(bits)]
        return _square(_uniform_basis(entries(bits)) * _diagonal(halves))

    return _released(factor, mask)


def _scale(scale: float) -> "arb":
    positive(scale=scale)
    return balls.exactly(scale)


def _released(root: Floats | Average, mask: Matrix) -> Array:
    """Return the floats next to L M Lᵀ."""
    d, bits = root.d, STEP
    while True:
        with balls.precise(bits):
            factor = root(bits)
            product = factor * mask(bits) * factor.transpose()
            found = [[balls.nearest(product[max(i, j), min(i, j)]) for j in range(d)] for i in range(d)]
        if all(entry is not None for row in found for entry in row):
            return np.array(found, np.float64)
        bits += STEP


def _bartlett(d: int, scale: float, read: Read) -> Matrix:
    """Return a triangular factor of a Wishart matrix of 1/scale rows (Bartlett 1933)."""
    diagonal = [gamma(_shape(scale, j), read) for j in range(d)]
    beside = {(i, j): normal(read) for i in range(d) for j in range(i)}

    def factor(bits: int) -> Any:
        roots = [(2 * one(bits)).sqrt() for one in diagonal]
        return balls.matrix(
            [[beside[i, j](bits) if j < i else roots[i] if i == j else 0 for j in range(d)] for i in range(d)]
        )

    return factor


def _shape(scale: float, j: int) -> Real:
    return lambda bits: (1 / balls.exactly(scale) - j) / 2


def _normals(d: int, read: Read) -> Matrix:
    entries = [[normal(read) for _ in range(d)] for _ in range(d)]
    return lambda bits: balls.matrix([[one(bits) for one in row] for row in entries])


def _uniform_basis(entries: Any) -> Any:
    """Return the orthogonal factor of a matrix whose triangular factor has a positive diagonal."""
    d = entries.nrows()
    basis: list[list[arb]] = []
    for j in range(d):
        column = [entries[i, j] for i in range(d)]
        for other in basis:
            along = sum(a * b for a, b in zip(column, other, strict=True))
            column = [a - along * b for a, b in zip(column, other, strict=True)]
        length = sum(a**2 for a in column).sqrt()
        basis.append([a / length for a in column])
    return balls.matrix(basis).transpose()


def _diagonal(values: "list[arb]") -> Any:
    return balls.matrix([[one if i == j else 0 for j in range(len(values))] for i, one in enumerate(values)])


def _square(factor: Any) -> Any:
    return factor * factor.transpose()
