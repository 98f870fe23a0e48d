"""Spectra of covariances by name: what "any covariance" is tried on, in figures, explorers and claims.

A spectrum is held by the logarithms of the gaps between its neighbours, ln(λ_i/λ_{i+1}) from the largest
eigenvalue down; the smallest eigenvalue is 1. Which of them exist depends on d: none is longer than
`LONGEST`, beyond which a covariance in floats says little of its short axes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import exp, fsum, inf, log
from typing import TypeAlias

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, one_of, real
from workbench.populations.rotated import Rotated, rotated
from workbench.types import Array

LONGEST = 1e12  # a condition number
RATIOS = (1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0, 10.0, 20.0, 1e2, 1e3, 1e4, 1e6)
LENGTH = 1e8  # the condition number of a spectrum whose name says no other
GAP, NEARLY_EQUAL, DECAY = 1e3, 1.1, 2.0
ROUNDING = 1e-9  # of a sum of logarithms

Gaps: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of a covariance, up to a factor, with a name.

    Parameters
    ----------
    name : str
        What figures and tables call it.
    log_gaps : tuple of float
        ln(λ_i/λ_{i+1}) for i = 1 .. d - 1, from the largest eigenvalue down; none is negative.

    Examples
    --------
    >>> spectrum = Spectrum("one short axis", (0.0, log(100)))
    >>> spectrum.d, spectrum.values.round(6).tolist()
    (3, [1.0, 100.0, 100.0])
    """

    name: str
    log_gaps: Gaps

    def __post_init__(self) -> None:
        if not all(real(gap) and gap >= 0 for gap in self.log_gaps):
            raise ArgumentError("log_gaps", self.log_gaps, "finite numbers, 0 or more")
        if not _fits(self.log_gaps, LONGEST):
            raise ArgumentError("log_gaps", self.log_gaps, f"a sum of at most ln {LONGEST:g}")

    @property
    def d(self) -> int:
        return len(self.log_gaps) + 1

    @property
    def values(self) -> Array:
        """Eigenvalues of shape (d,), ascending from 1."""
        return np.asarray(np.exp(np.cumsum([0.0, *self.log_gaps[::-1]])))

    @property
    def condition(self) -> float:
        """The largest over the smallest eigenvalue."""
        return exp(fsum(self.log_gaps))

    def law(self, rng: np.random.Generator, *, far: float = 0.0, degrees: float = inf) -> Rotated:
        """Return normal rows of this spectrum along random axes, their mean `far` standard deviations away.

        With `degrees` they are Student's t.
        """
        return rotated(self.values, rng, far, degrees)


def equal_ratios(d: int, longest: float, ratio: float) -> Gaps:
    """Return gaps that are all of one ratio."""
    return (log(ratio),) * (d - 1)


def geometric(d: int, longest: float) -> Gaps:
    """Return equal gaps that make a spectrum of this length together."""
    return (log(min(LENGTH, longest)) / max(d - 1, 1),) * (d - 1)


def one_gap(d: int, longest: float, behind: Callable[[int], int]) -> Gaps:
    """Return one gap, behind so many eigenvalues; all others are equal."""
    return tuple(log(min(LENGTH, longest)) if k == behind(d) else 0.0 for k in range(1, d))


def clusters(d: int, longest: float, size: int) -> Gaps:
    """Return groups of `size` nearly equal eigenvalues with gaps of 1e3 between, shorter if they are many."""
    breaks = (d - 1) // size
    within = min(log(NEARLY_EQUAL), log(longest) / max(d - 1, 1))
    between = min(log(GAP), (log(longest) - (d - 1 - breaks) * within) / max(breaks, 1))
    return tuple(within if k % size else between for k in range(1, d))


def slow_decay(d: int, longest: float) -> Gaps:
    """Return the gaps of λ_i = i^-2."""
    return tuple(DECAY * log((k + 1) / k) for k in range(1, d))


def log_uniform(d: int, longest: float, number: int) -> Gaps:
    """Return the gaps of eigenvalues that are uniform on the logarithmic scale, by the seed `number`."""
    logs = np.random.default_rng((number, d)).uniform(0.0, log(min(LENGTH, longest)), d)
    return tuple(np.diff(np.sort(logs))[::-1].tolist())


FAMILY: Mapping[str, Callable[[int, float], Gaps]] = {
    "round": partial(equal_ratios, ratio=1.0),
    **{f"ratio {ratio:g}": partial(equal_ratios, ratio=ratio) for ratio in RATIOS},
    "geometric": geometric,
    "one large": partial(one_gap, behind=lambda d: 1),
    "one small": partial(one_gap, behind=lambda d: d - 1),
    "two clusters": partial(one_gap, behind=lambda d: d // 2),
    "pairs": partial(clusters, size=2),
    "triples": partial(clusters, size=3),
    "slow decay": slow_decay,
    **{f"log-uniform {number}": partial(log_uniform, number=number) for number in (1, 2, 3)},
}
"""Name -> the logarithms of the gaps in d dimensions, for spectra that may be so long."""


def worst_name(key: str, d: int) -> str:
    """Return the name of the worst spectrum that was found for a key."""
    return f"worst of {key}, d = {d}"


FOUND: Mapping[str, Gaps] = {
    worst_name("covariance/matrix-quantile", 5): (3.505, 1.828, 3.403, 1.953),
    worst_name("covariance/matrix-quantile", 10): (18.42, *(0.0,) * 8),
    worst_name("covariance/matrix-quantile", 20): (
        0.073, 0.395, 0.064, 0.064, 0.195, 0.061, 0.134, 0.157, 0.09, 15.882, 0.455, 0.028, 0.093, 0.091,
        0.129, 0.037, 0.068, 0.028, 0.137,
    ),
    worst_name("mean/affine", 5): (0.0, 18.42, 0.0, 0.0),
    worst_name("gaussian/lifted", 5): (0.136, 1.19, 0.318, 0.718),
    worst_name("spectral/preconditioner", 5): (0.128, 4.024, 0.043, 0.034),
    worst_name("covariance/unbounded", 3): (1.946, 1.946),
    worst_name("covariance/unbounded", 5): (2.888, 0.002, 2.633, 3.013),
    worst_name("covariance/unbounded", 7): (2.751, 1.834, 2.953, 2.379, 3.913, 2.516),
    worst_name("gaussian/unbounded", 5): (3.021, 0.05, 2.832, 7.409),
    worst_name("gaussian/populous", 2): (12.404,),
    worst_name("gaussian/populous", 5): (1.946,) * 4,
    worst_name("gaussian/populous", 10): (0.065, 0.112, 0.07, 0.111, 26.977, 0.071, 0.091, 0.066, 0.066),
    worst_name("covariance/coinpress", 2): (7.57,),
    worst_name("covariance/coinpress", 5): (13.815, 0.0, 0.0, 0.0),
    worst_name("covariance/coinpress", 10): (0.016, 0.36, 0.033, 0.056, 1.208, 0.051, 0.063, 0.279, 0.273),
    worst_name("covariance/coinpress", 20): (
        0.043, 0.718, 0.19, 2.52, 0.134, 0.495, 0.491, 0.205, 0.322, 0.19, 0.564, 5.151, 1.073, 0.169,
        0.475, 0.345, 0.496, 0.193, 0.041,
    ),
    worst_name("covariance/heavy-tailed", 2): (9.21,),
    worst_name("covariance/heavy-tailed", 5): (3.164, 3.965, 2.404, 2.796),
    worst_name("covariance/heavy-tailed", 10): (0.075, 0.018, 0.3, 1.178, 0.487, 0.6, 2.079, 9.04, 0.039),
}  # fmt: skip
"""Name -> the logarithms of the gaps of the worst spectrum that a search has found (`study.worst.keys`).

A search that has found the round one to be the worst has no entry.
"""

SHOWN = ("round", "ratio 9", "geometric", "one small", "pairs")


def named(name: str, d: int, longest: float = LONGEST) -> Spectrum:
    """Return the spectrum of this name in d dimensions, no longer than this.

    >>> named("ratio 10", 3).values.round(6).tolist()
    [1.0, 10.0, 100.0]
    """
    integer_at_least(1, d=d)
    one_of((*FAMILY, *FOUND), spectrum=name)
    gaps = FOUND[name] if name in FOUND else FAMILY[name](d, longest)
    if len(gaps) != d - 1 or not _fits(gaps, longest):
        raise ArgumentError("spectrum", name, f"one of {d} eigenvalues, no longer than {longest:g}")
    return Spectrum(name, gaps)


def family(d: int, longest: float = LONGEST, names: tuple[str, ...] = tuple(FAMILY)) -> tuple[Spectrum, ...]:
    """Return those of the family, or of these names, that are no longer than this; equal ones once."""
    integer_at_least(1, d=d)
    found: dict[Gaps, Spectrum] = {}
    for name in names:
        gaps = FAMILY[name](d, longest)
        if _fits(gaps, longest):
            found.setdefault(gaps, Spectrum(name, gaps))
    return tuple(found.values())


def _fits(gaps: Gaps, longest: float) -> bool:
    return fsum(gaps) <= log(longest) * (1 + ROUNDING)


def shown(d: int, key: str, *, longest: float = LONGEST, few: tuple[str, ...] = SHOWN) -> tuple[str, ...]:
    """Return the names that claims and figures about a key go through: a few, and the worst that was found.

    >>> shown(3, "covariance/empirical")
    ('round', 'ratio 9', 'geometric', 'one small', 'pairs')
    """
    names = [spectrum.name for spectrum in family(d, longest, few)]
    return (*names, *(name for name in FOUND if name == worst_name(key, d)))
