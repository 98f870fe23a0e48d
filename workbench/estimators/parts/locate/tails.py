"""How far rows beyond a radius lie, on average, guessed from two radii and how many rows lie beyond each.

With shares p_0 > p_1 of rows beyond r_0 < r_1, λ = ln(p_0/p_1), u = ln(r_1/r_0), the mean excess past r_1 is

    r_1 (1 - e^-u)/λ        if the tail is that of an exponential law
    r_1 / (λ/u - 1)         if it is a power of the distance, which has a mean for u < λ

A tail whose log survival is concave in the log distance, as that of the usual laws is, is no heavier beyond
r_1 than the power law through the two; one that is no lighter than exponential lies between the two numbers.
Proof: `proofs/univariate.md`, section 11.
"""

from dataclasses import dataclass
from math import expm1, inf


@dataclass(frozen=True)
class Tail:
    """The mean excess beyond a radius, the two guesses of it."""

    exponential: float
    power: float

    @property
    def middle(self) -> float:
        """The mean of the two."""
        return (self.exponential + self.power) / 2

    @property
    def apart(self) -> float:
        """How far either is from the middle."""
        return (self.power - self.exponential) / 2


def tail(radius: float, log_ratio: float, log_share: float) -> Tail:
    """Return the mean excess beyond a radius for u and λ; a power law without a mean has none."""
    apart = max(log_ratio, 0.0)
    power = radius * apart / (log_share - apart) if apart < log_share else inf
    return Tail(-radius * expm1(-apart) / log_share, power)
