"""The noise of an average of points that voted: the vote and its mask as one mechanism.

A run knows a count h of how far its points agree, and their average Y. Of neighbours, |h - h'| ≤ 1, and
where both counts are h or more, h ≥ 1, the averages are at most Δ_h apart, Δ_1 ≥ Δ_2 ≥ ..:

    voted_gaussian   in l2
    voted_laplace    in l1

    (1) no answer but with probability p(h)                                             `privacy.ramps`
    (2) out = Y + noise, normal of sd Δ_1/r, or Laplace of scale Δ_1/r

With t = r Δ_h/Δ_1 the hockey stick of (2) is Φ(t/2 - e/t) - e^e Φ(-t/2 - e/t), exactly, or that of any t-DP
pair; p follows from it and from (ε, δ), which are the cost of both: neither has a share of its own. Where h
is small an answer is rare, and averages may be far apart. Proof: `proofs/tested_masks.md`, section 4.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from math import ceil, exp, expm1, log

from numpy.typing import ArrayLike

from workbench.privacy.budget import ApproxDP
from workbench.privacy.conversions import delta_of_gdp, gdp_within_approx
from workbench.privacy.mechanisms import approximate_cost
from workbench.privacy.noise import NoiseSource
from workbench.privacy.plan import Charge
from workbench.privacy.ramps import Pure, excess, falling_ramp, replayed, rising, rising_slowly
from workbench.types import Array

NORMAL, LAPLACE = "voted_gaussian", "voted_laplace"
VOTED = (NORMAL, LAPLACE)
LONGEST, BEYOND = 4.0, 20  # counts of a ramp that are looked at: in units of ln(1/δ)/ε, and so many more
MOST = 5000  # and no more than that
RISE, NEAR, LOUDEST = 1.4, 1.01, 1e6  # steps of a search for r, how well it is known, and where it ends


@dataclass(frozen=True)
class VotedCharge(Charge):
    """The charge: `sensitivity` Δ_1, `ratio` r, `falls` Δ_h/Δ_1; no answer at `usual` with `silent`."""

    ratio: float
    falls: tuple[float, ...] = field(repr=False)
    usual: int
    silent: float

    @property
    def most(self) -> int:
        """T."""
        return len(self.falls)


@dataclass(frozen=True)
class Voted:
    """What noise is added to: the count h and the average, 0 where h = 0."""

    count: int
    value: ArrayLike


@dataclass(frozen=True)
class Shifted:
    """The hockey stick of normal laws that are a ratio of their sd apart."""

    ratio: float

    def __call__(self, e: float) -> float:
        """Return it at e; below 0 by that of the exchanged pair, which is the same."""
        if e >= 0:
            return delta_of_gdp(self.ratio, e)
        return min(1.0, -expm1(e) + exp(e) * delta_of_gdp(self.ratio, -e))


def voted_scale(charge: VotedCharge) -> float:
    """Return the sd of normal noise, or the scale of Laplace noise."""
    return charge.sensitivity / charge.ratio


@lru_cache(maxsize=4096)
def voted_chances(charge: VotedCharge) -> tuple[float, ...]:
    """Return p(0), .., p(T)."""
    return _chances(approximate_cost(charge), charge.mechanism, charge.ratio, charge.falls)


def voted(found: Voted, charge: VotedCharge, noise: NoiseSource) -> Array | None:
    """Return the noisy average, or None for no answer: (ε, δ)-DP.

    The noise is drawn in any case: what is drawn is public.
    """
    answers = noise.uniform(0.0, 1.0) < voted_chances(charge)[found.count]
    draw = noise.laplace if charge.mechanism == LAPLACE else noise.gaussian
    released = draw(found.value, charge.sensitivity, voted_scale(charge))
    return released if answers else None


@lru_cache(maxsize=4096)
def counts(cost: ApproxDP, kind: str, share: float, silent: float) -> tuple[float, int]:
    """Return r, a share of that without a vote, and the fewest counts T for it, or 0, where no Δ falls."""
    ratio = share * (cost.epsilon if kind == LAPLACE else gdp_within_approx(cost).mu)
    least = max(0.0, log(1 / (2 * cost.delta)) / cost.epsilon)  # chances grow by at most e^ε a count
    if least > MOST:
        return ratio, 0
    chances = islice(rising(_stick(kind, ratio), cost), min(ceil(LONGEST * least) + BEYOND, MOST) + 1)
    return ratio, next((h for h, p in enumerate(chances) if p >= 1 - silent), 0)


@lru_cache(maxsize=4096)
def largest_ratio(cost: ApproxDP, kind: str, falls: tuple[float, ...], silent: float, start: float) -> float:
    """Return the largest r with p(T) ≥ 1 - `silent`, to a hundredth, from below; 0 if `start` is more."""

    def over(ratio: float) -> float:
        return excess(rising_slowly((_stick(kind, ratio * fall) for fall in falls), cost), len(falls), silent)

    def search(answers: Callable[[float], bool]) -> tuple[float, float]:
        low, high = 0.0, start
        while answers(high) and high < LOUDEST * start:
            low, high = high, RISE * high
        while low and high > NEAR * low:
            middle = (low * high) ** 0.5
            low, high = (middle, high) if answers(middle) else (low, middle)
        return low, high

    return replayed(search, over, start, (cost, kind, len(falls)), rises=False)[0]


def _chances(cost: ApproxDP, kind: str, ratio: float, falls: tuple[float, ...]) -> tuple[float, ...]:
    return falling_ramp([_stick(kind, ratio * fall) for fall in falls], cost)


def _stick(kind: str, ratio: float) -> Pure | Shifted:
    return Pure(ratio) if kind == LAPLACE else Shifted(ratio)
