"""A phase diagram: how often runs succeed over n and one public number, the predicted boundary on top."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil, floor, log2, nan
from typing import Any

import pandas as pd

from workbench.charts.chart import Heat, Panel, Series
from workbench.charts.heat import SHARE
from workbench.charts.parameters import short
from workbench.charts.words import number
from workbench.study.grids import Block, Sweep
from workbench.study.profiles import blocks
from workbench.study.run import Run
from workbench.study.scaling import Setting, Statement, catalogued

NAMED = 11  # columns that all have their n written below; of more, every second
BEYOND = 1  # columns to the left of the least predicted n, and to the right of the largest
HOW_TO_READ = (
    "Every number is the share of runs that err by at most α; where none is written, none do or all do."
    " n doubles from column to column. From the white line on at least half of the runs are predicted to."
)


@dataclass(frozen=True)
class Phase:
    """What is drawn: runs at public numbers, one of which moves.

    Parameters
    ----------
    name : str
        Of the sweep.
    setting : callable
        Called with a value of the number, and with other public numbers by keyword; returns a `Setting`.
    values : tuple of float
        Of the number, from bottom to top.
    symbol : str
        As the axis writes it.
    block : callable
        As a scaling's.
    trials : int
        Of a block.
    blocks : mapping
        Profile -> blocks.
    """

    name: str
    setting: Callable[..., Setting]
    values: tuple[float, ...]
    symbol: str
    block: Block = catalogued
    trials: int = 5
    blocks: Mapping[str, int] = field(default_factory=lambda: blocks(8))

    def panel(self, run: Run, **public: Any) -> Panel:
        """Return the panel at the usual numbers, or at these where they are given.

        Raises
        ------
        TooMuchWorkError
            If they take too much work.
        """
        settings = self.settings(public)
        usual = Sweep(self.name, _points(self.settings({})), self.block, self.trials, self.blocks)
        frame = run.table(usual.moved(_points(settings)))
        if frame.empty:
            line = Series("predicted", [one.predicted for one in settings.values()], settings, role="theory")
            return Panel("", "rows n", self.symbol, (line,))
        return Panel("", "rows n", self.symbol, (), heat=_heat(frame, settings))

    def settings(self, public: Mapping[str, Any]) -> dict[float, Setting]:
        """Return the setting at every value, the largest first."""
        return {value: self.setting(value, **public) for value in sorted(self.values, reverse=True)}


def of_entry(
    key: str, usual: Mapping[str, Any], variable: str, values: tuple[float, ...], symbol: str, **more: Any
) -> Phase:
    """Return the phases of a catalog entry at public numbers as of a `Statement`; `more` is a `Phase`'s."""

    def setting(value: float, **public: Any) -> Setting:
        one = Statement("", key, {}, lambda: nan, (), share=0.5)
        return one.at({**usual, **public, variable: value})

    return Phase(f"phase {key} {variable}", setting, values, symbol, **more)


def columns(starts: Iterable[float]) -> list[int]:
    """Return powers of two from below the least start to above the largest, an odd number of them.

    >>> columns([130, 500])
    [64, 128, 256, 512, 1024]
    """
    logs = [log2(one) for one in starts]
    first, last = floor(min(logs)) - BEYOND, ceil(max(logs)) + BEYOND
    return [2**power for power in range(max(first, 0), last + 1 + (last - max(first, 0)) % 2)]


def _sizes(settings: Mapping[float, Setting]) -> list[int]:
    return columns(one.start for one in settings.values())


def _points(settings: Mapping[float, Setting]) -> tuple[dict[str, Any], ...]:
    """Return every point at which the estimator answers at all."""
    sizes = _sizes(settings)
    return tuple({**one.point, "n": n} for one in settings.values() for n in sizes if n >= one.fewest)


def _heat(frame: pd.DataFrame, settings: Mapping[float, Setting]) -> Heat:
    sizes = _sizes(settings)
    return Heat(
        [[_share(frame, {**one.point, "n": n}, one.alpha) for n in sizes] for one in settings.values()],
        (0.0, 1.0),
        rows=tuple(short(value) for value in settings),
        columns=tuple(map(number, sizes if len(sizes) <= NAMED else sizes[::2])),
        written=True,
        boundary=tuple(log2(one.predicted / sizes[0]) for one in settings.values()),
        bar=SHARE,
    )


def _share(frame: pd.DataFrame, point: Mapping[str, Any], alpha: float) -> float:
    """Return the share of runs within alpha: none where there are too few rows for any."""
    there = (frame[list(point)] == pd.Series(point)).all(axis=1)
    return float((frame.loc[there, "error"] <= alpha).mean()) if there.any() else 0.0
