"""Rows of named spectra along rotated axes, with errors that are exact in units of their own covariance.

A covariance is held by its axes and eigenvalues, because Σ itself no longer shows its short axes in floats
when it is long. Norms are those of Σ: |M|_Σ = |Σ^{-1/2} M Σ^{-1/2}|_F.

A spectrum is held by the logarithms of the gaps between its neighbours, ln(λ_i/λ_{i+1}) from the largest
eigenvalue down; the smallest eigenvalue is 1. Which of them exist depends on d: none is longer than
`LONGEST`, beyond which a covariance in floats says little of its short axes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import fsum, inf, log

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, finite, integer_at_least, one_of
from workbench.linalg import symmetrised
from workbench.populations.laws import standard_rows, student_hypercontractivity
from workbench.privacy.noise import uniform_basis
from workbench.types import Array, reals

LONGEST = 1e12  # a condition number
LENGTH = 1e8  # the condition number of a spectrum whose name says no other
SHOWN = ("round", "ratio 9", "geometric", "one small", "pairs")

Gaps = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Rotated:
    """The normal distribution of covariance B diag(values) Bᵀ, or Student's t of the same moments.

    Parameters
    ----------
    basis : array of shape (d, d)
        B, with orthonormal columns.
    values : array of shape (d,)
        The eigenvalues, all positive.
    centre : array of shape (d,), optional
        The mean; None for 0.
    degrees : float, default inf
        Degrees of freedom of Student's t, more than 2; inf for the normal distribution.

    Examples
    --------
    >>> law = Rotated(np.eye(2), np.array([1.0, 1e12]))
    >>> law.error(np.diag([2.0, 1e12]))
    1.0
    """

    basis: Array
    values: Array
    centre: Array | None = None
    degrees: float = inf

    def __post_init__(self) -> None:
        if self.degrees < inf:
            student_hypercontractivity(self.degrees, 1)  # refuses degrees without a variance

    @property
    def d(self) -> int:
        return len(self.values)

    @property
    def mean(self) -> Array:
        return np.zeros(self.d) if self.centre is None else self.centre

    @property
    def covariance(self) -> Array:
        return symmetrised((self.basis * self.values) @ self.basis.T)

    @property
    def whitening(self) -> Array:
        """W with Wᵀ Σ W = I."""
        return self.basis / np.sqrt(self.values)

    def sample(self, n: int, *, rng: Generator) -> Array:
        standard = standard_rows(n, self.d, self.degrees, rng)
        rows = (standard * np.sqrt(self.values)) @ self.basis.T
        return rows if self.centre is None else rows + self.centre

    def in_units(self, matrix: ArrayLike) -> Array:
        """Return Wᵀ M W: I for the covariance itself."""
        return self.whitening.T @ reals(matrix) @ self.whitening

    def size(self, matrix: ArrayLike) -> float:
        return _norm(self.in_units(matrix))

    def error(self, covariance: ArrayLike) -> float:
        return _norm(self.in_units(covariance) - np.eye(self.d))

    def mean_error(self, mean: ArrayLike) -> float:
        return _norm(self.whitening.T @ (reals(mean) - self.mean))

    def sample_error(self, rows: Array) -> float:
        """Return the error of the sample covariance of rows, about their mean.

        It is affine equivariant, and so that of the rows in units of Σ, where rounding is not magnified.
        """
        white = (rows @ self.basis) / np.sqrt(self.values)
        white -= white.mean(axis=0)
        return _norm(symmetrised(white.T @ white) / len(white) - np.eye(self.d))

    def seen_by(self, matrix: Array) -> Array:
        """Return the eigenvalues of A Σ Aᵀ, ascending, by singular values of A Σ^{1/2}."""
        values = np.linalg.svd(matrix @ (self.basis * np.sqrt(self.values)), compute_uv=False)
        return np.square(values[::-1])


def _norm(array: Array) -> float:
    found = float(np.linalg.norm(array))
    return found if np.isfinite(found) else inf


def rotated(values: ArrayLike, rng: Generator, far: float = 0.0, degrees: float = inf) -> Rotated:
    """Return a distribution with these eigenvalues along random axes, its mean `far` deviations away.

    Axes are uniformly random, and so is the direction of the mean in units of Σ.

    >>> law = rotated([1.0, 1e8], np.random.default_rng(1), far=1000.0)
    >>> round(law.mean_error(np.zeros(2)))
    1000
    """
    finite(far=far)
    spectrum = reals(values)
    if spectrum.ndim != 1 or not (np.isfinite(spectrum) & (spectrum > 0)).all():
        raise ArgumentError("values", values, "d finite numbers above 0")
    basis = uniform_basis(len(spectrum), rng)
    if not far:
        return Rotated(basis, spectrum, degrees=degrees)
    direction = rng.standard_normal(len(spectrum))
    centre = basis @ (np.sqrt(spectrum) * direction * far / np.linalg.norm(direction))
    return Rotated(basis, spectrum, centre, degrees)


def _one_gap(d: int, longest: float, behind: int) -> Gaps:
    return tuple(log(min(LENGTH, longest)) if k == behind else 0.0 for k in range(1, d))


def _pairs(d: int, longest: float) -> Gaps:
    # pairs of nearly equal eigenvalues with gaps of 1e3 between, shorter if they are many
    breaks = (d - 1) // 2
    within = min(log(1.1), log(longest) / max(d - 1, 1))
    between = min(log(1e3), (log(longest) - (d - 1 - breaks) * within) / max(breaks, 1))
    return tuple(within if k % 2 else between for k in range(1, d))


FAMILY: Mapping[str, Callable[[int, float], Gaps]] = {
    "round": lambda d, longest: (0.0,) * (d - 1),
    "ratio 9": lambda d, longest: (log(9.0),) * (d - 1),
    "geometric": lambda d, longest: (log(min(LENGTH, longest)) / max(d - 1, 1),) * (d - 1),
    "one large": lambda d, longest: _one_gap(d, longest, 1),
    "one small": lambda d, longest: _one_gap(d, longest, d - 1),
    "pairs": _pairs,
}
"""Name -> the logarithms of the gaps in d dimensions, for spectra that may be so long."""

FOUND: Mapping[str, Gaps] = {
    "worst of covariance/matrix-quantile, d = 5": (3.505, 1.828, 3.403, 1.953),
    "worst of covariance/matrix-quantile, d = 10": (18.42, *(0.0,) * 8),
    "worst of mean/affine, d = 5": (0.0, 18.42, 0.0, 0.0),
    "worst of gaussian/lifted, d = 5": (0.136, 1.19, 0.318, 0.718),
    "worst of covariance/unbounded, d = 7": (2.751, 1.834, 2.953, 2.379, 3.913, 2.516),
}
"""Name -> the logarithms of the gaps of the worst spectrum that a search found, unless it is round."""


def named(name: str, d: int, longest: float = LONGEST) -> Array:
    """Return the d eigenvalues of the spectrum of this name, ascending from 1, no longer than this.

    >>> named("ratio 9", 3).round(6).tolist()
    [1.0, 9.0, 81.0]
    """
    integer_at_least(1, d=d)
    one_of((*FAMILY, *FOUND), spectrum=name)
    gaps = FOUND[name] if name in FOUND else FAMILY[name](d, longest)
    if len(gaps) != d - 1 or not _fits(gaps, longest):
        raise ArgumentError("spectrum", name, f"one of {d} eigenvalues, no longer than {longest:g}")
    return np.exp(np.cumsum([0.0, *gaps[::-1]]))


def _fits(gaps: Gaps, longest: float) -> bool:
    return fsum(gaps) <= log(longest) * (1 + 1e-9)


def shown(d: int, key: str, *, longest: float = LONGEST, few: tuple[str, ...] = SHOWN) -> tuple[str, ...]:
    """Return the names that claims and figures about a key go through: a few, and the worst that was found.

    >>> shown(3, "covariance/empirical")
    ('round', 'ratio 9', 'geometric', 'one small', 'pairs')
    """
    found: dict[Gaps, str] = {}
    for name in few:
        gaps = FAMILY[name](d, longest)
        if _fits(gaps, longest):
            found.setdefault(gaps, name)  # equal ones once
    worst = f"worst of {key}, d = {d}"
    return (*found.values(), worst) if worst in FOUND else tuple(found.values())
