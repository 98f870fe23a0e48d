"""`SecureNoise`: noise that may be released, of whole numbers and of the operating system's randomness.

Every statistic comes as whole numbers and a public unit (`privacy.grid`). The noise is ⌊X + ½⌋, X exactly the
real variable of the mechanism in that unit (`privacy.exact`), of a scale that is rounded up; with whole
numbers q, q + ⌊X + ½⌋ = ⌊q + X + ½⌋, a function of what the ideal mechanism releases: the accounting of the
ideal one holds. There is no seed. Nothing is claimed about the time that a draw takes.

Noise with a shape is here too: masks of positive definite matrices, and the pieces of cuts.

    wishart            M = W/ν, ν = 1/scale          square    M = (I + scale G)(I + scale G)ᵀ
    thompson_laplace   M of density ∝ e^(-d(M, I)/scale), d Thompson's distance; d ≤ 4
    cut                the pieces of the cuts of `privacy.cuts`

A mask is L M Lᵀ for a root L of floats, each entry the float next to it. M is made of real numbers of exact
distributions, the floats L and the scale are the binary fractions that they are, and balls are refined until
all of an entry's ball has one float next to it: rounding is post-processing of the ideal mask.

Proof: `proofs/exact.md`, section 2, and "Masks".
"""

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import ArgumentError, finite, positive
from workbench.privacy import exact
from workbench.privacy.cuts import BITS as SHARE_BITS
from workbench.privacy.cuts import Level, Node, Scan
from workbench.privacy.exact import Read, exactly, flint, passed, precise, system, uniform_ball
from workbench.privacy.grid import UP, Later, OnGrid, Reaching, on_grid
from workbench.privacy.noise import CountingNoise, NoiseSource
from workbench.privacy.plan import Plan
from workbench.privacy.stable import SHAPED, ChargedRoot
from workbench.types import Array

if TYPE_CHECKING:
    from workbench.privacy.exact import arb


class SecureNoise:
    """Exact noise on a grid; it takes no argument: what could be repeated would not be private.

    Needs the extra `secure`. A statistic that is not on a grid is refused; `workbench list --secure` says
    which step of which estimator has one.
    """

    def laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return _noisy(value, exact.Laplace, scale)

    def truncated_laplace(self, value: ArrayLike, sensitivity: float, scale: float, bound: float) -> Array:
        """Add Laplace noise conditioned on [-bound, bound], as many scales as are asked for or more."""
        at = _whole(value)
        width = _units(scale, at)
        positive(bound=bound)
        return at.plus(exact.draw(exact.TruncatedLaplace(width, width * (bound / scale) * UP), at.shape))

    def discrete_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return _noisy(value, exact.DiscreteLaplace, scale)

    def gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        at = _whole(value)
        if np.ndim(at.unit) == 0:
            return _noisy(at, exact.Normal, scale)
        units, noise = np.broadcast_to(at.unit, at.shape), np.zeros(at.shape, object)
        for unit in np.unique(units):
            alike = units == unit
            noise[alike] = exact.draw(exact.Normal(_units(scale, at, unit)), (int(alike.sum()),))
        return at.plus(noise)

    def symmetric_gaussian(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        """Add a symmetric normal matrix: sd scale on the diagonal, at least scale/√2 off it.

        Entries below the diagonal are not looked at: beside their mirror images they would have no noise.
        """
        at = _whole(value)
        d = len(at)
        on = exact.Normal(_units(scale, at))
        noisy, above = at.counts.astype(object), np.triu_indices(d, 1)
        noisy[above] += exact.draw(exact.Normal(_units(scale / sqrt(2), at)), (d * (d - 1) // 2,))
        noisy[np.diag_indices(d)] += exact.draw(on, (d,))
        noisy.T[above] = noisy[above]
        return np.asarray(OnGrid(noisy, at.unit), np.float64)

    def choice(self, scores: ArrayLike, sensitivity: float, scale: float, weights: Any = None) -> int:
        if isinstance(scores, Later) and scores.band:
            return int(exact.choose_near(scores, 1 / _units(scale, scores.band.scores), weights))
        at = _whole(scores)
        base = None if weights is None else _whole(weights)
        return int(exact.choose(at.counts, 1 / _units(scale, at), base))

    def exponential(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return _noisy(value, exact.Exponential, scale)

    def thompson_laplace(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return thompson_laplace(_charged(value), _raised(scale))

    def wishart(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return wishart(_charged(value), _raised(scale))

    def square(self, value: ArrayLike, sensitivity: float, scale: float) -> Array:
        return square(_charged(value), _raised(scale))

    def cuts(self, value: Level, sensitivity: float, scale: float) -> list[list[int]]:
        return cut(value, _raised(scale))

    def uniform(self, low: float, high: float) -> float:
        """Return a uniform point of [low, high], on 2^53 points: of [0, 1) exactly, as ramps ask."""
        finite(low=low, high=high)
        return low + (high - low) * (int(exact.below(2**53)) / 2**53)

    def below(self, count: int) -> int:
        return exact.below(count)


def inexact_steps(estimator: object, plan: Plan) -> list[str]:
    """Return the steps of an estimator's plan that have no exact noise.

    They have the shape of a root whose rounding no charge covers: all masks but those of an estimator that
    says `charged_roots`, and the noise of a location.
    """
    inexact = () if getattr(estimator, "charged_roots", False) else SHAPED
    return [charge.step for charge in plan.charges() if charge.mechanism in inexact]


def require_exact(estimator: object, plan: Plan, noise: NoiseSource) -> None:
    """Raise if the source is a secure one and the plan has a step without exact noise."""
    while isinstance(noise, CountingNoise):
        noise = noise.source
    steps = inexact_steps(estimator, plan) if isinstance(noise, SecureNoise) else []
    if steps:
        none = "SimulatedNoise, for study: no exact noise for " + ", ".join(dict.fromkeys(steps))
        raise ArgumentError("rng", "SecureNoise", none)


def _charged(value: Any) -> Array:
    if not isinstance(value, ChargedRoot):
        raise ArgumentError("root", "array", "a root whose rounding is charged for (privacy.stable)")
    return value.root


def _whole(value: Any) -> OnGrid:
    at = on_grid(value)
    if at is None:
        raise ArgumentError("value", "statistic of floats", "whole numbers and a unit (privacy.grid)")
    return at


def _noisy(value: Any, kind: type[exact.Law], scale: float) -> Array:
    """Return a value with noise; of what is to reach a height -inf where it does not."""
    at = _whole(value)
    law = kind(_units(scale, at))
    if not isinstance(at, Reaching):
        return at.plus(exact.draw(law, at.shape))
    places, noise = exact.reaching(law, at.counts, at.least)
    found = np.full(at.shape, -np.inf)
    found[places] = at[places].plus(noise)
    return found


def _units(scale: float, at: OnGrid, unit: float | None = None) -> float:
    """Return a scale in units, never less than what the charge asks for: 2^-40 covers 4000 roundings."""
    size = float(at.unit if unit is None else unit)
    positive(scale=scale, unit=size)
    return float(scale) / size * UP


def _raised(scale: float) -> float:
    positive(scale=scale)
    return scale * UP


STEP = 128  # bits that are added at a time
PEAK = {1: (1, 1), 2: (2, 1), 3: (2, 1), 4: (23, 20)}  # at least the largest Π |z_i - z_j|, a fraction

Real: TypeAlias = "Callable[[int], arb]"
"""A random number: a count of bits to a ball in the precision at hand, always round the same number."""
Matrix: TypeAlias = Callable[[int], Any]
"""The same of a matrix or a list."""


# Real numbers that are known to as many bits as somebody asks for. A comparison asks for more until decided.


class Uniform:
    """A uniform number of (0, 1): its bits are drawn when they are asked for, and kept."""

    def __init__(self, read: Read) -> None:
        self.read, self.top, self.bits = read, 0, 0

    def __call__(self, bits: int) -> "arb":
        while self.bits < bits:
            more = int.from_bytes(self.read(STEP // 8), "little")
            self.top, self.bits = self.top << STEP | more, self.bits + STEP
        return uniform_ball(self.top >> (self.bits - bits), bits)


class Remembered:
    """A number whose ball of the most recent count of bits is kept."""

    def __init__(self, number: Real) -> None:
        self.number, self.bits = number, 0

    def __call__(self, bits: int) -> "arb":
        if bits != self.bits:
            self.bits, self.ball = bits, self.number(bits)
        return self.ball


def is_positive(number: Real) -> bool:
    """Return whether a number that is 0 with probability 0 is above 0."""
    bits = STEP
    while True:
        with precise(bits):
            ball = number(bits)
            if ball > 0 or ball < 0:
                return bool(ball > 0)
        bits += STEP


def normal(read: Read) -> Real:
    """Return a normal number of mean 0 and variance 1, √2 erfc⁻¹(2U)."""
    u = Uniform(read)
    return Remembered(lambda bits: exactly(2).sqrt() * (2 * u(bits)).erfcinv())


def gamma(shape: Real, read: Read) -> Real:
    """Return a gamma number of scale 1; `shape` is a number above 0.

    g v for g = shape - ⅓, v = (1 + N/(3√g))³ > 0, N normal, kept with probability e^(N²/2 + g - gv + g ln v)
    (Marsaglia & Tsang 2000); below shape 1 that of shape + 1 times U^(1/shape).
    """
    with precise(STEP):
        small = not shape(STEP) > 1
    if small:
        larger, u = gamma(lambda bits: shape(bits) + 1, read), Uniform(read)
        return Remembered(lambda bits: larger(bits) * (u(bits).log() / shape(bits)).exp())

    def least(bits: int) -> "arb":
        return shape(bits) - exactly(1) / 3

    while True:
        n, u = normal(read), Uniform(read)

        base = Remembered(lambda bits: 1 + n(bits) / (3 * least(bits).sqrt()))

        def excess(bits: int) -> "arb":
            g, cube = least(bits), base(bits) ** 3
            return n(bits) ** 2 / 2 + g * (1 - cube + cube.log()) - u(bits).log()

        if is_positive(base) and is_positive(excess):
            return Remembered(lambda bits: least(bits) * base(bits) ** 3)


# Masks. Of a root L, a square matrix of floats.


def wishart(root: ArrayLike, scale: float, read: Read = system) -> Array:
    """Return the second moment of 1/scale normal rows of covariance LLᵀ, L = `root`, by Bartlett's factor."""
    factor, size = _root(root), _scale(scale)
    d = len(factor)
    if Fraction(scale) * (d - 1) >= 1:
        raise ArgumentError("scale", scale, f"below 1/{d - 1}, for {d} dimensions")
    diagonal = [gamma(lambda bits, j=j: (1 / exactly(scale) - j) / 2, read) for j in range(d)]  # type: ignore[misc]
    beside = {(i, j): normal(read) for i in range(d) for j in range(i)}

    def mask(bits: int) -> Any:
        roots = [(2 * one(bits)).sqrt() for one in diagonal]
        return _square(
            flint().arb_mat(
                [
                    [beside[i, j](bits) if j < i else roots[i] if i == j else 0 for j in range(d)]
                    for i in range(d)
                ]
            )
        )

    return _released(factor, lambda bits: mask(bits) * size)


def square(root: ArrayLike, scale: float, read: Read = system) -> Array:
    """Return L (I + scale G)(I + scale G)ᵀ Lᵀ, L = `root`, G of independent N(0, 1)."""
    factor, size = _root(root), _scale(scale)
    entries, identity = _normals(len(factor), read), flint().arb_mat(np.eye(len(factor)).tolist())
    return _released(factor, lambda bits: _square(identity + entries(bits) * size))


def thompson_laplace(root: ArrayLike, scale: float, read: Read = system) -> Array:
    """Return a matrix of density ∝ e^(-d/scale), d its Thompson distance to LLᵀ, L = `root`."""
    factor, _ = _root(root), _scale(scale)
    d = len(factor)
    if d not in PEAK:
        raise ArgumentError("d", d, f"at most {max(PEAK)} for the Thompson-Laplace mask")
    if scale * (floor := d * d // 4) >= 1:
        raise ArgumentError("scale", scale, f"below 1/{floor}, for {d} dimensions")
    values, entries = exponents(d, scale, read), _normals(d, read)

    def mask(bits: int) -> Any:
        halves = [(one / 2).exp() for one in values(bits)]
        diagonal = [[one if i == j else 0 for j in range(d)] for i, one in enumerate(halves)]
        return _square(_uniform_basis(entries(bits)) * flint().arb_mat(diagonal))

    return _released(factor, mask)


def _scale(scale: float) -> "arb":
    positive(scale=scale)
    return exactly(scale)


def _root(value: ArrayLike) -> Array:
    matrix = np.asarray(value, np.float64)
    if matrix.ndim != 2 or len(matrix) != matrix.shape[1] or not np.isfinite(matrix).all():
        raise ArgumentError("root", value, "a square matrix of finite numbers")
    return matrix


def _released(root: Array, mask: Matrix) -> Array:
    d, bits = len(root), STEP
    while True:
        with precise(bits):
            factor = flint().arb_mat(root.tolist())
            product = factor * mask(bits) * factor.transpose()
            found = [[nearest(product[max(i, j), min(i, j)]) for j in range(d)] for i in range(d)]
        if all(entry is not None for row in found for entry in row):
            return np.array(found, np.float64)
        bits += STEP


def nearest(ball: "arb") -> float | None:
    """Return the float next to a number if it is the same for every one of a ball."""
    low, high = float(ball.lower()), float(ball.upper())
    return low if low == high else None


def _normals(d: int, read: Read) -> Matrix:
    entries = [[normal(read) for _ in range(d)] for _ in range(d)]
    return lambda bits: flint().arb_mat([[one(bits) for one in row] for row in entries])


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
    return flint().arb_mat(basis).transpose()


def _square(factor: Any) -> Any:
    return factor * factor.transpose()


def exponents(d: int, scale: float, read: Read) -> Matrix:
    """Return d numbers λ of density ∝ Π sinh(|λ_i - λ_j|/2) e^(-max|λ|/scale).

    As `noise.thompson_exponents` by rejection: z of density ∝ Π |z_i - z_j| on [-1, 1]^d times a gamma number
    of shape d(d+1)/2 + 1 and rate 1/scale - c, c = ⌊d²/4⌋, is kept with probability
    Π sinhc((λ_i - λ_j)/2) e^(-c max|λ|). Here z is a uniform point of the cube, kept with probability
    Π |z_i - z_j|/P, P = `PEAK` (`proofs/exact.md`, section "Masks").
    """
    floor = d * d // 4
    while True:
        cube, u = _repelled(d, read), Uniform(read)
        radius = gamma(lambda bits: exactly(d * (d + 1) // 2 + 1), read)

        def values(bits: int) -> "list[arb]":
            reach = radius(bits) / (1 / exactly(scale) - floor)
            return [reach * one for one in cube(bits)]

        def excess(bits: int) -> "arb":
            points = values(bits)
            largest, share = exactly(0), exactly(1)
            for one in points:
                largest = largest.max(abs(one))
            for x, y in combinations(points, 2):
                half = abs(x - y) / 2
                share *= half.sinh() / half
            return share * (-floor * largest).exp() - u(bits)

        if is_positive(excess):
            return values


def _repelled(d: int, read: Read) -> Matrix:
    """Return z of density ∝ Π |z_i - z_j| on [-1, 1]^d."""
    over, under = PEAK[d]
    while True:
        points, u = [Uniform(read) for _ in range(d)], Uniform(read)

        def cube(bits: int) -> "list[arb]":
            return [2 * one(bits) - 1 for one in points]

        def excess(bits: int) -> "arb":
            product = exactly(under)
            for x, y in combinations(cube(bits), 2):
                product *= abs(x - y)
            return product - u(bits) * over

        if is_positive(excess):
            return cube


# Cuts: of every node, a run of pieces of the probability of `privacy.cuts`. All weights are balls; a choice
# inverts a distribution function at a uniform variable, and where balls leave it open all is computed again
# with more bits, and more of the same variables.


class Open(Exception):
    """Balls of this many bits do not tell."""


class BallScan(Scan):
    """The distribution of one node's pieces in balls instead of logs."""

    add, times, inverse = np.add, np.multiply, staticmethod(lambda weights: 1 / weights)

    def __init__(self, node: Node, scale: float) -> None:
        self.none, self.one = exactly(0), exactly(1)
        super().__init__(node, 1 / (2 * exactly(scale)))

    def power(self, numbers: Any) -> Any:
        return self.each(lambda number: (self.rate * number).exp(), numbers)

    def gap(self, j: int, counts: Any) -> Any:
        return self.each(lambda count: (-self.rate * self.off(j, count)).exp(), counts)

    def off(self, j: int, count: int) -> "arb":
        off: arb = (
            exactly(abs((count << SHARE_BITS) - self.node.shares[j] * self.node.present)) / 2**SHARE_BITS
        )
        return off

    def full(self, j: int) -> Any:
        return (self.rate * self.off(j, 0)).exp()

    def ways(self, k: int) -> Array:
        return np.array([comb(int(count) + k - 1, k) for count in self.node.lengths.counts], object)

    def each(self, weight: "Callable[[int], arb]", numbers: Any) -> Any:
        if np.ndim(numbers) == 0:
            return weight(int(numbers))
        return np.array([weight(int(number)) for number in numbers], object)


def cut(level: Level, scale: float, read: Read = system) -> list[list[int]]:
    """Return, node by node, the pieces of its cuts in increasing order."""
    flint()  # missing, it is missed before anything is drawn
    return [[0] * node.cuts if node.empty else _drawn(node, scale, read) for node in level.nodes]


def _drawn(node: Node, scale: float, read: Read) -> list[int]:
    uniform, bits = [Uniform(read) for _ in range(2 * node.cuts)], STEP
    while True:
        with precise(bits):
            known = [one(bits) for one in uniform]

            def pick(weights: Array, number: int) -> int:
                if (found := passed([*weights], known[number])) is None:
                    raise Open
                return found

            with suppress(Open):
                return BallScan(node, scale).draw(pick)
        bits += STEP
