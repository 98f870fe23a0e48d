"""How an interval for the mean of any law spends its budget, and which ranks it looks at: public numbers.

With E the ε of a choice that has the whole budget, and n rows:

    scale, centre    400/(nE) and 100/(nE) of E, between .03 and .35: they are found, no more is asked of them
    the rest         .15 inner radius, .32 outer radius, .45 mean, .08 variance
    under zCDP       the squares of these shares, of ρ
    k_1              2 · 4.8/ε of the outer radius: it is missed once in ten times, and then is too large
    k_0              4 k_1, but at most .15 n; there have to be 3 k_1

Constants are chosen on laws other than those of the claims, but for rare events (.1). No source states them.
"""

from dataclasses import dataclass
from math import ceil, exp, log

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import mean_charge
from workbench.estimators.parts.locate.rank_window import RankWindow
from workbench.estimators.parts.locate.tails import tail
from workbench.estimators.parts.locate.window_median import WindowMedian, selection_epsilon
from workbench.estimators.parts.votes.design import fewest
from workbench.privacy import ZCDP, ApproxDP, Budget, Charge, PureDP
from workbench.types import Array

FOR_SCALE, FOR_CENTRE, LEAST, MOST = 400.0, 100.0, 0.03, 0.35
REST = (0.15, 0.32, 0.45, 0.08)
NATS, RATIO, LEAST_RATIO, LARGEST_SHARE = 4.8, 4.0, 3.0, 0.15
PAIRS_BEYOND = 0.09
FARTHEST_LOG = 15 * log(10)
NEAR, FAR = log(0.25), log(64.0)  # of the inner radius, over s
SCALE_WIDTH, INNER_WIDTH, OUTER_WIDTH = 0.5, 0.1, 0.05  # half widths of stretches, of logs
HEAVIEST = 1.25  # the least power of a tail that is dealt with
CENTRE = WindowMedian(left=1.0, right=1.0)


@dataclass(frozen=True)
class Radii:
    """What is released of the tail: the outer radius, where rows beyond it go, the doubt in the mean."""

    outer: float
    end: float
    doubt: float

    def moved(self, z: Array) -> Array:
        """Return g(z)/G, infinite beyond the radius: to be clipped to ±1; an absent row is at the centre."""
        moved = np.where(np.abs(z) > self.outer, np.copysign(np.inf, z), z / self.end)
        return np.where(np.isnan(z), 0.0, moved)


@dataclass(frozen=True)
class Design:
    """The charges of the steps in their order, and the ranks from the top."""

    n: int
    charges: tuple[Charge, ...]
    inner_rank: int
    outer_rank: int
    centre = CENTRE

    @property
    def scale(self) -> RankWindow:
        """The mechanism of the scale."""
        rank = round(PAIRS_BEYOND * (self.n // 2))
        return _stretched(SCALE_WIDTH, -FARTHEST_LOG, FARTHEST_LOG, rank)

    @property
    def inner(self) -> RankWindow:
        """The mechanism of the inner radius."""
        return _stretched(INNER_WIDTH, NEAR, FAR, self.inner_rank)

    def outer(self, inner: float) -> RankWindow:
        """Return the mechanism of the outer radius, given the log of the inner one."""
        return _stretched(OUTER_WIDTH, inner - INNER_WIDTH, inner + self.longest, self.outer_rank)

    @property
    def log_share(self) -> float:
        """λ of `tails`."""
        return log(self.inner_rank / self.outer_rank)

    @property
    def longest(self) -> float:
        """The most that the logs of both radii differ."""
        return self.log_share / HEAVIEST

    def radii(self, inner: float, outer: float) -> Radii | None:
        """Return what the logs of both radii tell; None at the end of either range."""
        if inner > FAR - 2 * INNER_WIDTH or outer > inner + self.longest - 2 * OUTER_WIDTH:
            return None
        radius = exp(outer + OUTER_WIDTH)
        beyond = tail(radius, outer - inner, self.log_share)
        return Radii(radius, radius + beyond.middle, self.outer_rank / self.n * beyond.apart)


def _stretched(width: float, low: float, high: float, rank: int) -> RankWindow:
    return RankWindow(left=width, right=width, low=low, high=high, rank=rank)


def design(n: int, budget: Budget) -> Design:
    """Return the public choices of a run, or raise where there are too few rows for any."""
    scale, centre, inner, outer, mean, variance = _costs(n, budget)
    found = ranks(n, budget)
    if found is None:
        raise ArgumentError("n", n, f"at least {fewest(lambda rows: ranks(rows, budget), 64)} at {budget}")
    inner_rank, outer_rank = found
    charges = (
        Charge("log-scale", "window_median", 1.0, scale),
        CENTRE.charge("locate", centre),
        Charge("inner-radius", "window_median", 1.0, inner),
        Charge("outer-radius", "window_median", 1.0, outer),
        mean_charge("average", 2 / n, mean),
        mean_charge("variance", 1 / n, variance),
    )
    return Design(n, charges, inner_rank, outer_rank)


def ranks(n: int, budget: Budget) -> tuple[int, int] | None:
    """Return k_0 and k_1, or None where there are too few rows."""
    outer = ceil(2 * NATS / selection_epsilon(_costs(n, budget)[3]))
    inner = min(ceil(RATIO * outer), int(LARGEST_SHARE * n))
    return (inner, outer) if inner >= LEAST_RATIO * outer else None


def _costs(n: int, budget: Budget) -> tuple[Budget, ...]:
    """Return the costs of the six steps; all of δ is the centre's."""
    match budget:
        case ApproxDP(epsilon, delta) if delta > 0:
            found = [min(max(rows / (n * epsilon), LEAST), MOST) for rows in (FOR_SCALE, FOR_CENTRE)]
            shares = [*found, *((1 - sum(found)) * share for share in REST)]
            pure = PureDP(epsilon).split(*shares)
            return pure[0], ApproxDP(pure[1].epsilon, delta), *pure[2:]
        case ZCDP(rho, delta) if delta > 0:
            whole = n * selection_epsilon(budget)
            found = [min(max(rows / whole, LEAST), MOST) ** 2 for rows in (FOR_SCALE, FOR_CENTRE)]
            squares = sum(share**2 for share in REST)
            shares = [*found, *((1 - sum(found)) * share**2 / squares for share in REST)]
            without = ZCDP(rho).split(*shares)
            return without[0], ZCDP(without[1].rho, delta), *without[2:]
    raise ArgumentError("budget", budget, "ApproxDP or ZCDP with delta > 0")
