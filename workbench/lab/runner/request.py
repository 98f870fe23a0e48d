"""What is asked of a reproduction."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import ArgumentError, integer_at_least, one_of, positive, real
from workbench.lab.figures import PROFILES
from workbench.lab.runner.variants import Grid
from workbench.study.beforehand import By
from workbench.study.sweeps import NONE, chosen_backend


@dataclass(frozen=True)
class Reproduction:
    """What to reproduce: which notebooks, how thoroughly, with which changed parameters, where to.

    Parameters
    ----------
    notebooks
        Stems or chapters; all of them for none.
    profile
        `quick` or `full`.
    update
        Whether to rewrite what is committed.
    out
        The folder with a folder for every notebook; that of the project if not given.
    given
        Parameters that all runs have.
    grid
        Name -> values of it, for one run at every combination.
    limit
        The work of a sweep at other points than the usual ones, as a multiple of what it takes at these.
    jobs
        Processes that compute at a time.
    timeout
        For each run, in seconds.
    store
        One file for the blocks of all runs, in place of those beside the outputs.
    backend
        Who computes what is declared before the notebooks run.
    scheduler
        The address of the cluster for the backend `dask`.
    """

    notebooks: Sequence[str] = ()
    profile: str = "quick"
    update: bool = False
    out: Path | None = None
    given: Mapping[str, object] = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    limit: float = NONE.limit
    jobs: int | None = None
    timeout: float | None = None
    store: Path | None = None
    backend: str | None = None
    scheduler: str | None = None

    def __post_init__(self) -> None:
        one_of(PROFILES, profile=self.profile)
        if self.jobs is not None:
            integer_at_least(1, jobs=self.jobs)
        if self.timeout is not None:
            positive(timeout=self.timeout)
        if not (real(self.limit) and self.limit >= 1):
            raise ArgumentError("limit", self.limit, "a finite number, 1 or more, where 1 is the usual work")
        if self.backend or self.scheduler:
            chosen_backend(self.backend, self.by.jobs, self.scheduler)
        for name in self.grid.keys() & self.given.keys():
            raise ArgumentError(f"grid {name}", self.grid[name], f"no other value of {name} beside it")
        if self.update and (self.profile != "full" or self.given or self.grid):
            wrong = "changed parameters" if self.given or self.grid else f"profile {self.profile}"
            raise ArgumentError("update", wrong, "--profile full and the notebooks' own parameters")

    @property
    def by(self) -> By:
        """Who computes what is declared beforehand."""
        jobs = self.jobs or min(2, os.cpu_count() or 1)
        backend = self.backend or ("serial" if jobs == 1 else "loky")
        return By(backend, 1 if backend == "serial" else jobs, self.scheduler)
