"""Random real numbers that are known to as many bits as somebody asks for.

A number is a function of a count of bits; it returns a ball in the precision at hand, and a later ball of
more bits lies round the same number. A comparison of two asks for more until it is decided.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from workbench.privacy.exact import balls
from workbench.privacy.exact.integers import Read

if TYPE_CHECKING:
    from flint import arb

STEP = 128  # bits that are added at a time

Real: TypeAlias = "Callable[[int], arb]"


class Uniform:
    """A uniform number of (0, 1): its bits are drawn when they are asked for, and kept."""

    def __init__(self, read: Read) -> None:
        self.read, self.top, self.bits = read, 0, 0

    def __call__(self, bits: int) -> "arb":
        """Return a ball of that many bits."""
        while self.bits < bits:
            more = int.from_bytes(self.read(STEP // 8), "little")
            self.top, self.bits = self.top << STEP | more, self.bits + STEP
        return balls.uniform(self.top >> (self.bits - bits), bits)


class Remembered:
    """A number whose ball of the most recent count of bits is kept."""

    def __init__(self, number: Real) -> None:
        self.number, self.bits = number, 0

    def __call__(self, bits: int) -> "arb":
        """Return a ball of that many bits."""
        if bits != self.bits:
            self.bits, self.ball = bits, self.number(bits)
        return self.ball


def normal(read: Read) -> Real:
    """Return a normal number of mean 0 and variance 1, √2 erfc⁻¹(2U)."""
    u = Uniform(read)
    return Remembered(lambda bits: balls.exactly(2).sqrt() * (2 * u(bits)).erfcinv())


def gamma(shape: Real, read: Read) -> Real:
    """Return a gamma number of scale 1; `shape` is a number above 0.

    g v for g = shape - ⅓, v = (1 + N/(3√g))³ > 0, N normal, kept with probability e^(N²/2 + g - gv + g ln v)
    (Marsaglia & Tsang 2000); below shape 1 that of shape + 1 times U^(1/shape).
    """
    with balls.precise(STEP):
        small = not shape(STEP) > 1
    if small:
        larger, u = gamma(lambda bits: shape(bits) + 1, read), Uniform(read)
        return Remembered(lambda bits: larger(bits) * (u(bits).log() / shape(bits)).exp())
    while True:
        n, u = normal(read), Uniform(read)
        base = _base(shape, n)
        if positive(base) and positive(_kept(shape, n, base, u)):
            return _cubed(shape, base)


def _least(shape: Real, bits: int) -> "arb":
    return shape(bits) - balls.exactly(1) / 3


def _cubed(shape: Real, base: Real) -> Real:
    return Remembered(lambda bits: _least(shape, bits) * base(bits) ** 3)


def _base(shape: Real, n: Real) -> Real:
    return Remembered(lambda bits: 1 + n(bits) / (3 * _least(shape, bits).sqrt()))


def _kept(shape: Real, n: Real, base: Real, u: Real) -> Real:
    """Return what is positive if a number is kept: the log of its probability less that of a uniform one."""

    def excess(bits: int) -> "arb":
        g, cube = _least(shape, bits), base(bits) ** 3
        return n(bits) ** 2 / 2 + g * (1 - cube + cube.log()) - u(bits).log()

    return excess


def positive(number: Real) -> bool:
    """Return whether a number that is 0 with probability 0 is above 0."""
    bits = STEP
    while True:
        with balls.precise(bits):
            ball = number(bits)
            if ball > 0 or ball < 0:
                return bool(ball > 0)
        bits += STEP
