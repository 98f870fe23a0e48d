"""The laws of real noise: a decreasing tail Q with Q(X) uniform on (0, 1), X the variable or its size.

Each law has its tail in floats, of a relative error that `proofs/exact.md` assumes to be at most 2^-41 where
the tail is above 2^-21; a guess of its inverse, of which nothing is assumed; and the inverse in balls.
A law of two signs is that of a size ≥ 0 with a fair sign. The scale is an integer or a float, exactly.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from workbench.privacy.exact.balls import exactly
from workbench.special import erfc, ndtri
from workbench.types import Array

if TYPE_CHECKING:
    from flint import arb

REACH = 4096  # scales beyond which no law has more than e^-4096


class Law(Protocol):
    """What the sampler asks of a law."""

    signed: ClassVar[bool]

    @property
    def reach(self) -> float:
        """What |X| does not exceed but for probability e^-4096."""
        ...

    def tail(self, x: Array) -> Array:
        """Return Q(x) in floats; x + ½ is an integer below 2^52 in size."""
        ...

    def guess(self, tail: Array) -> Array:
        """Return about the x of a tail."""
        ...

    def point(self, tail: "arb") -> "arb":
        """Return a ball that holds the x of every tail of a ball."""
        ...


@dataclass(frozen=True)
class Scaled:
    """A law known by its scale."""

    scale: float
    signed: ClassVar[bool] = False

    @property
    def reach(self) -> float:
        """What |X| does not exceed but for probability e^-4096."""
        return REACH * self.scale


@dataclass(frozen=True)
class Normal(Scaled):
    """The size of a normal variable of standard deviation `scale`: Q(x) = erfc(x/(√2 scale))."""

    signed = True

    def tail(self, x: Array) -> Array:
        """Return Q(x)."""
        return np.asarray(erfc(x / (float(self.scale) * 2**0.5)))

    def guess(self, tail: Array) -> Array:
        """Return about the x of a tail."""
        return np.asarray(-float(self.scale) * ndtri(tail / 2))

    def point(self, tail: "arb") -> "arb":
        """Return a ball that holds the x of every tail of a ball."""
        return exactly(self.scale) * exactly(2).sqrt() * tail.erfcinv()


@dataclass(frozen=True)
class Exponential(Scaled):
    """An exponential variable of mean `scale`: Q(x) = e^(-x/scale)."""

    def tail(self, x: Array) -> Array:
        """Return Q(x)."""
        return np.asarray(np.exp(-x / self.scale))

    def guess(self, tail: Array) -> Array:
        """Return about the x of a tail."""
        return np.asarray(-self.scale * np.log(tail))

    def point(self, tail: "arb") -> "arb":
        """Return a ball that holds the x of every tail of a ball."""
        return -exactly(self.scale) * tail.log()


@dataclass(frozen=True)
class Laplace(Exponential):
    """The size of a variable of density e^(-|x|/scale)/(2 scale)."""

    signed = True


@dataclass(frozen=True)
class TruncatedLaplace(Scaled):
    """The size of a Laplace variable given that it is at most `bound`.

    Q(x) = (e^(-x/scale) - e^(-bound/scale))/(1 - e^(-bound/scale)), 0 beyond the bound.
    """

    bound: float
    signed = True

    @property
    def reach(self) -> float:
        """What |X| does not exceed."""
        return self.bound

    def tail(self, x: Array) -> Array:
        """Return Q(x), as e^(-x/scale) times a quotient that hides no difference."""
        rest = np.maximum(self.bound - x, 0.0)
        return np.asarray(np.exp(-x / self.scale) * np.expm1(-rest / self.scale) / self._lost())

    def guess(self, tail: Array) -> Array:
        """Return about the x of a tail."""
        return np.asarray(-self.scale * np.log1p((1 - tail) * self._lost()))

    def point(self, tail: "arb") -> "arb":
        """Return a ball that holds the x of every tail of a ball."""
        beyond = (-exactly(self.bound) / exactly(self.scale)).exp()
        return -exactly(self.scale) * (beyond + tail * (1 - beyond)).log()

    def _lost(self) -> float:
        return float(np.expm1(-np.float64(self.bound) / self.scale))


@dataclass(frozen=True)
class Gumbel(Scaled):
    """-scale ln E, E exponential of mean 1: Q(x) = 1 - e^(-e^(-x/scale)), x of either sign."""

    def tail(self, x: Array) -> Array:
        """Return Q(x)."""
        return np.asarray(-np.expm1(-np.exp(-x / self.scale)))

    def guess(self, tail: Array) -> Array:
        """Return about the x of a tail."""
        return np.asarray(-self.scale * np.log(-np.log1p(-tail)))

    def point(self, tail: "arb") -> "arb":
        """Return a ball that holds the x of every tail of a ball."""
        return -exactly(self.scale) * (-(-tail).log1p()).log()


@dataclass(frozen=True)
class DiscreteLaplace(Scaled):
    """A size x with ⌊x + ½⌋ = |z| for P(z) ∝ e^(-|z|/scale): Q(x) = 2 e^(-(x + ½)/scale)/(1 + e^(-1/scale)).

    At x = k + ½ that is P(|z| > k) = 2 e^(-(k + 1)/scale)/(1 + e^(-1/scale)), and x > -½.
    """

    signed = True

    def tail(self, x: Array) -> Array:
        """Return Q(x)."""
        return np.asarray(2 * np.exp(-(x + 0.5) / self.scale) / (1 + np.exp(-1 / np.float64(self.scale))))

    def guess(self, tail: Array) -> Array:
        """Return about the x of a tail."""
        none = (1 + np.exp(-1 / np.float64(self.scale))) / 2
        return np.asarray(-self.scale * np.log(tail * none) - 0.5)

    def point(self, tail: "arb") -> "arb":
        """Return a ball that holds the x of every tail of a ball."""
        scale = exactly(self.scale)
        none = (1 + (-1 / scale).exp()) / 2
        return -scale * (tail * none).log() - 0.5
