"""The public numbers of `parts.gaussians.finish`: budget and ball of every step, and how many there are.

    (1) the location: ε = E/(.8 n) a coordinate, E such that normal rows get no place in any of them but with
        probability .001, however narrow they are, or down to a sd of `narrowest`; at most a fifth of ρ; all
        of δ
    (2) of what is left, k steps that make rows round have .3 together, at most .1 each, the last one the rest
    (3) R = the quantile .9 of the length of normal rows of spectrum s, or, where s is round, the winsorising
        radius of least predicted error at what the answers cost together
    (4) e = .7 √r R² times the sd of the noise: half of what it adds to an eigenvalue at most;  s ← s/(s + e)
    (5) k = the fewest steps that bring the least of the worst spectrum that a frame leaves to .6 of the
        largest: by then noise counts nearly alike on all axes, so that errors hardly depend on the spectrum

(1): without a range, a coordinate has no place with probability at most M e^(-E/2) over the integral of
e^(-ε m/2). m is at most n φ(0)t/σ at distance t from the median, which makes it M E e^(1 - E/2)/(10 σ), and
at most n/2 wherever a window holds all rows, a length of 8, which makes it (M/8) e^(-E/4).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, exp, lgamma, log, sqrt

import numpy as np

from workbench.estimators.parts.gaussians.lifted_moment import LiftedMoment
from workbench.estimators.parts.preconditioned.winsorised_covariance import WinsorisedCovariance
from workbench.estimators.shared.window_median import WindowMedian
from workbench.linalg import fewest
from workbench.privacy import ZCDP
from workbench.privacy.mechanisms import gaussian_mu
from workbench.special import chdtri, gammainc, gammaincc
from workbench.types import Array

LOCATOR = WindowMedian(left=4.0, right=4.0)
NO_PLACE, IN_WINDOW, MOST_LOCATION = 1e-3, 0.8, 0.2
EARLY, MOST_EACH, MOST_STEPS = 0.3, 0.1, 24
HEIGHT = 0.4  # τ: 16 % more noise of the moment for the mean
ROUND, ENDS, BEYOND, CAUTION = 0.25, 0.6, 0.1, 0.7


@dataclass(frozen=True)
class RoundSteps:
    """The design for n rows of dimension d; `worst` is the widest spectrum that their frame should leave."""

    n: int
    d: int
    cost: ZCDP
    worst: tuple[float, ...]
    centred: bool = False
    narrowest: float = 0.0
    placed: bool = False  # a centre near the mean is given: there is no location

    @cached_property
    def lift(self) -> LiftedMoment:
        """The recipe of a step's release; no mean if it is known."""
        return LiftedMoment(self.n, self.d, 0.0 if self.centred else HEIGHT)

    @cached_property
    def location(self) -> ZCDP | None:
        """The cost of all locations together; None where the mean is known, or a centre is given."""
        if self.centred or self.placed:
            return None
        exponent = _exponent(self.d, self.cost.delta, self.narrowest)
        needed = self.d * (exponent / (IN_WINDOW * self.n)) ** 2 / 8
        return ZCDP(min(needed, MOST_LOCATION * self.cost.rho), self.cost.delta)

    @property
    def count(self) -> int:
        """The number k of steps before the last."""
        return self._ended[0]

    @cached_property
    def _ended(self) -> tuple[int, Array]:
        """Return k, and the spectrum that the last step meets if the frame left the worst one."""
        least = 1 if self.placed else 0  # what was released with the centre may be off in scale
        ends = ((k, self._after(k)) for k in range(least, MOST_STEPS + 1))
        return next(end for end in ends if end[0] == MOST_STEPS or is_round(end[1], ENDS))

    @cached_property
    def costs(self) -> tuple[ZCDP, ...]:
        """The costs of the k + 1 steps."""
        return self._costs(self.count)

    @property
    def stretch(self) -> float:
        """The mean of 1/s over the spectrum s that the last step meets, if the frame left the worst one."""
        return float(np.mean(1 / self._ended[1]))

    def ball(self, spectrum: Array) -> float:
        """Return R of a step in which rows should have this spectrum."""
        return self._ball(spectrum, self.costs)

    def excess(self, spectrum: Array, cost: ZCDP) -> float:
        """Return e of a step of this cost in which rows should have this spectrum."""
        return self._excess(spectrum, self.ball(spectrum), cost)

    def _costs(self, k: int) -> tuple[ZCDP, ...]:
        left = self.cost.rho - (self.location.rho if self.location else 0.0)
        early = min(MOST_EACH, EARLY / max(k, 1)) * left
        return (*(ZCDP(early),) * k, ZCDP(left - k * early))

    def _ball(self, spectrum: Array, costs: tuple[ZCDP, ...]) -> float:
        if not is_round(spectrum):
            return length_beyond(spectrum, BEYOND)
        answers = sum(cost.rho for cost in costs[1:] or costs)
        return _answering(self.n, self.d, answers / self.lift.reach**4)

    def _excess(self, spectrum: Array, radius: float, cost: ZCDP) -> float:
        noise = self.lift.sensitivity() / gaussian_mu(cost)
        return CAUTION * sqrt(len(spectrum)) * noise * radius**2

    def _after(self, k: int) -> Array:
        """Return the spectrum that k steps leave of the worst one."""
        spectrum, costs = np.array(self.worst), self._costs(k)
        for cost in costs[:-1]:
            spectrum = spectrum / (spectrum + self._excess(spectrum, self._ball(spectrum, costs), cost))
        return spectrum


@lru_cache(maxsize=1024)
def _answering(n: int, d: int, rho: float) -> float:
    return WinsorisedCovariance(n, d, ZCDP(rho)).radius


@lru_cache(maxsize=1024)
def round_steps(
    n: int,
    d: int,
    cost: ZCDP,
    worst: tuple[float, ...],
    centred: bool = False,
    narrowest: float = 0.0,
    placed: bool = False,
) -> RoundSteps:
    """Return the design, made once."""
    return RoundSteps(n, d, cost, worst, centred, narrowest, placed)


def is_round(spectrum: Array, share: float = ROUND) -> bool:
    """Return whether the least is at least this share, a quarter, of the largest."""
    return bool(spectrum.min() >= share * spectrum.max())


def length_beyond(spectrum: Array, share: float) -> float:
    """Return about the upper `share`-quantile of the length of normal rows of this spectrum.

    Satterthwaite's chi-square, which has the mean and the variance of the squared length.
    """
    total, squares = float(spectrum.sum()), float((spectrum**2).sum())
    return sqrt(squares / total * float(chdtri(total**2 / squares, share)))


@lru_cache(maxsize=256)
def fewest_finished(d: int, cost: ZCDP, centred: bool, narrowest: float) -> int:
    """Return about the fewest rows whose location costs at most a fifth of ρ, and whose step has e ≤ .25."""
    found = fewest(lambda n: _enough(n, d, cost, centred) or None, 16)
    if centred:
        return found
    exponent = _exponent(d, cost.delta, narrowest)
    return max(found, ceil(exponent / IN_WINDOW * sqrt(d / (8 * MOST_LOCATION * cost.rho))))


def _enough(n: int, d: int, cost: ZCDP, centred: bool) -> bool:
    steps = round_steps(n, d, cost, (1.0,) * d, centred)
    return steps.excess(np.ones(d), steps.costs[-1]) <= ROUND


def _exponent(d: int, delta: float, narrowest: float) -> float:
    """Return E, the less of what two bounds on "no place" ask for; M = 8 d/δ for each of d coordinates."""
    events = log(d / delta) + log(d / NO_PLACE)
    any_width = exponent = 4 * events
    if not narrowest:
        return any_width
    for _ in range(30):
        exponent = 2 * (1 + events + log((LOCATOR.left + LOCATOR.right) * exponent / (10 * narrowest)))
    return min(any_width, exponent)


def slope(d: int, radius: float) -> float:
    """Return how fast the mean of N(a, I_d) rows shrunk to a ball moves with a, at a = 0.

    P(|z| ≤ R) + (1 - 1/d) R E[1/|z|; |z| > R].
    """
    squared = radius**2 / 2
    inside = float(gammainc(d / 2, squared))
    if d == 1:
        return inside
    inverse = exp(lgamma((d - 1) / 2) - lgamma(d / 2)) / sqrt(2) * float(gammaincc((d - 1) / 2, squared))
    return inside + (1 - 1 / d) * radius * inverse
