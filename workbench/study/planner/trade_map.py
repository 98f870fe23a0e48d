"""The map of a trade-off over n and ε: coarse at once, finer as long as that is quick."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log, nan

import numpy as np

from workbench.study.planner.trade_off import Numbers, TradeOff, contour

DOUBLINGS = (1, 2, 4)  # of the cells of the coarse map, along both axes
COLUMNS, ROWS = 3, 5  # cells of the coarse map
QUICK = 1.0  # seconds that a level may have taken if a finer one is to follow


@dataclass(frozen=True)
class Level:
    """Errors on a grid, shape (sizes, epsilons); nan where they are not computed yet."""

    sizes: tuple[int, ...]
    epsilons: tuple[float, ...]
    errors: Numbers = field(compare=False)

    def n(self, alpha: float, epsilon: float) -> float:
        """Return about the n at which the error is alpha; nan where the map does not say."""
        return _between(self.epsilons, contour(self.errors, self.sizes, alpha), epsilon)

    def epsilon(self, alpha: float, n: float) -> float:
        """Return about the ε at which the error is alpha; nan where the map does not say."""
        return _between(self.sizes, contour(self.errors.T, self.epsilons, alpha), n)


@dataclass(frozen=True)
class TradeMap:
    """A map between two n and two ε; its levels are kept for each δ."""

    trade: TradeOff
    sizes: tuple[int, int]
    epsilons: tuple[float, float]
    kept: dict[float, Level] = field(default_factory=dict, init=False, compare=False)
    levels: dict[float, int] = field(default_factory=dict, init=False, compare=False)  # that were tried

    def known(self, delta: float) -> Level:
        """Return the finest level that was computed; before there is one, a coarse one without errors."""
        return self.kept.get(delta) or self._blank(DOUBLINGS[0])

    def refine(self, delta: float) -> Iterator[Level]:
        """Yield the finest level after each column that was computed, until finer ones take too long."""
        level = self.known(delta)
        for fine in DOUBLINGS[self.levels.get(delta, 0) :]:
            begun, made = time.perf_counter(), self._blank(fine)
            for place, epsilon in enumerate(made.epsilons):
                made.errors[:, [place]] = self.trade.errors(made.sizes, [epsilon], delta)
                yield made if fine == DOUBLINGS[0] else level
            self.kept[delta] = level = made
            quick = time.perf_counter() - begun < QUICK
            self.levels[delta] = DOUBLINGS.index(fine) + 1 if quick else len(DOUBLINGS)
            yield level
            if not quick:
                return

    def _blank(self, fine: int) -> Level:
        epsilons = np.geomspace(*self.epsilons, COLUMNS * fine + 1).tolist()
        sizes = tuple(round(n) for n in np.geomspace(*self.sizes, ROWS * fine + 1))
        return Level(sizes, tuple(epsilons), np.full((len(sizes), len(epsilons)), nan))


def _between(places: tuple[float, ...], values: Numbers, place: float) -> float:
    """Return a value between places, on straight logarithms."""
    return float(np.exp(np.interp(log(place), np.log(places), np.log(values), left=nan, right=nan)))
