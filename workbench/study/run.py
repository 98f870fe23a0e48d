"""How the runs behind a figure are made: how thoroughly, from which seed, and with how much work.

A figure is a function of a `Run` and of the public numbers that it uses. At the usual numbers its sweeps are
those of the claims; at others they have the same blocks at other points (`Sweep.moved`), and may take a few
times the work: beyond it every point has fewer trials, and where these would be too few the figure shows
predictions alone.
"""

from dataclasses import dataclass, replace
from math import floor

import pandas as pd

from workbench.errors import ArgumentError
from workbench.study.sweeps.grids import Sweep
from workbench.study.sweeps.resources import resources
from workbench.study.sweeps.sweep import columns, run

FEWEST = 8  # trials of a block that is still worth its place in a figure


class TooMuchWorkError(ArgumentError):
    """A figure's runs would take more work than is allowed, even with few trials."""

    def __init__(self, name: str, times: float, limit: float) -> None:
        super().__init__(f"work of {name}", times, f"at most {limit:g}")
        self.times, self.limit = times, limit

    def __str__(self) -> str:
        lifted = float(f"{1.1 * self.times:.2g}")
        return (
            f"{self.argument}: {self.times:.3g} times the usual, {self.limit:g} allowed;"
            f" `workbench reproduce --limit {lifted:g}` runs it"
        )


@dataclass(frozen=True)
class Run:
    """What a figure is told besides its public numbers.

    Parameters
    ----------
    profile : str
        How many blocks of trials.
    seed : int
        Of everything random.
    most : int, optional
        Trials of a block at most: a sketch of the figure.
    simulate : bool
        Whether to run anything; else tables are empty and figures show what is predicted.
    """

    profile: str = "quick"
    seed: int = 17
    most: int | None = None
    simulate: bool = True

    def table(self, *sweeps: Sweep) -> pd.DataFrame:
        """Return the tables of those sweeps that the profile computes, one below the other.

        Raises
        ------
        TooMuchWorkError
            If the points of a sweep take too much work.
        """
        frames = [self._table(sweep) for sweep in sweeps if self.profile in sweep.blocks]
        return pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]

    def _table(self, sweep: Sweep) -> pd.DataFrame:
        if not self.simulate:
            return columns(sweep, self.profile, seed=self.seed)
        sweep = self._affordable(sweep)
        if self.most is not None:
            sweep = replace(sweep, trials=min(self.most, sweep.trials), blocks={self.profile: 1})
        return run(sweep, self.profile, seed=self.seed)

    def _affordable(self, sweep: Sweep) -> Sweep:
        times, limit = sweep.times_usual, resources().limit
        if times <= limit:
            return sweep
        trials = floor(sweep.trials * limit / times)
        if trials < min(FEWEST, sweep.trials):
            raise TooMuchWorkError(sweep.name, times, limit)
        return replace(sweep, trials=trials)
