"""Figures that take an hour: made by a command of their own, committed, and shown by notebooks as they are.

Such a figure is a function of a `Run` in its chapter's `DEEP`; its sweeps have blocks under the profile deep.
A run that was killed goes on from its blocks.
"""

import shutil
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import getdoc
from pathlib import Path

from workbench.charts.chart import Chart
from workbench.lab.live.parameters import chapter
from workbench.lab.pictures.figures import DEEP, compare, save
from workbench.lab.project import Project
from workbench.lab.runner.console import Console
from workbench.lab.runner.report import write_index
from workbench.study.grids import SOFTWARE
from workbench.study.run import Run
from workbench.study.sweeps import Resources, lending

SEED = 17
Figure = Callable[[Run], Chart]


def figures_of(notebook: Path) -> tuple[Figure, ...]:
    """Return the figures of a notebook's chapter that take an hour."""
    name = chapter(notebook.stem)
    return tuple(getattr(import_module(f"workbench.chapters.{name}"), "DEEP", ())) if name else ()


def make(
    project: Project,
    notebooks: Sequence[str],
    out: Path,
    *,
    update: bool = False,
    jobs: int = 1,
    console: Console | None = None,
) -> int:
    """Make the figures of some notebooks, or of all, and compare them with the committed ones.

    Parameters
    ----------
    project, notebooks
        Whose figures; all of them for no names.
    out
        Where they go, and the finished blocks of their sweeps.
    update
        Whether to commit them instead.
    jobs
        Processes that compute at a time.

    Returns
    -------
    int
        1 if anything is not as committed.
    """
    console = console or Console()
    found = {path.stem: figures_of(path) for path in project.select(notebooks)}
    if not any(found.values()):
        console.say(f"no figures that take an hour in {', '.join(found)}")
    out.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    for notebook, figures in found.items():
        kept = project.figures / notebook / DEEP
        for figure in figures:
            console.say(f"{notebook}: {str(getdoc(figure)).splitlines()[0]}")
            with lending(Resources(store=out / f"{SOFTWARE[:16]}.sqlite", jobs=jobs)):
                save({DEEP: figure(Run(DEEP, SEED))}, out / notebook, parameters={}, seed=SEED)
        if figures and update:
            _replace(kept, out / notebook)
            write_index(project.figures)
        elif figures:
            wrong += [f"FAILED {notebook}/{DEEP}/{line}" for line in compare(out / notebook, kept)]
    for line in wrong:
        console.say(line)
    return 1 if wrong else 0


def _replace(kept: Path, made: Path) -> None:
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(made, kept)
