"""The runs of a grid side by side: which figures they made, and at which of the grid's values.

A figure that is the same at all values of a parameter of the grid stands once for all of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.errors import real
from workbench.lab.figures import richest
from workbench.lab.live.parameters import chapter
from workbench.lab.runner import cache
from workbench.lab.runner.variants import Grid, Variant, typed
from workbench.study.parameters import brief

Values = tuple[object, ...]


@dataclass(frozen=True)
class Member:
    """One run of a grid.

    Parameters
    ----------
    variant
        The notebook and its parameters.
    figures
        Name -> what a run has kept of the figure; empty if it failed.
    fault
        Why it failed, or nothing.
    """

    variant: Variant
    figures: Mapping[str, Mapping[str, Any]]
    fault: str = ""


@dataclass(frozen=True)
class Multiple:
    """One figure at all values of those parameters of a grid that it moves with.

    Parameters
    ----------
    name
        Of the figure.
    axes
        The parameters of the grid that it moves with.
    same
        The others that have several values: it is the same at all of them.
    members
        Values of the axes -> a run at them.
    """

    name: str
    axes: tuple[str, ...]
    same: tuple[str, ...]
    members: Mapping[Values, Member]

    def contents(self) -> dict[Values, Mapping[str, Any]]:
        """Return what is kept of the figure at the values at which it was made."""
        made = {at: one.figures.get(self.name) for at, one in self.members.items()}
        return {at: content for at, content in made.items() if content}

    def used(self, content: Mapping[str, Any]) -> dict[str, object]:
        """Return the parameters that a run has recorded with the figure, its seed among them."""
        recorded = {**content["parameters"], "seed": content["seed"]}
        return {name: recorded[name] for name in recorded if name not in ("profile", *self.same)}


def members(variants: Sequence[Variant], faults: Mapping[str, str]) -> list[Member]:
    """Return the runs of a grid with their figures; of those that failed, by name, why."""
    return [Member(one, _figures(one.out), faults.get(one.name, "")) for one in variants]


def _figures(folder: Path) -> dict[str, Any]:
    return {path.stem: canonical_json.read(path) for path in cache.figures(folder)}


def multiples(grid: Grid, runs: Sequence[Member]) -> list[Multiple]:
    """Return every figure that a run of the grid has made, by name."""
    names = sorted({name for run in runs for name in run.figures})
    return [_multiple(name, grid, runs) for name in names]


def _multiple(name: str, grid: Grid, runs: Sequence[Member]) -> Multiple:
    made = [(run.variant, run.figures[name]["charts"]) for run in runs if name in run.figures]
    lacking = len(made) < len(runs)  # of a run that failed nobody knows what the figure would be
    axes = tuple(axis for axis in grid if lacking or _moves(axis, grid, made))
    same = tuple(axis for axis in grid if axis not in axes and len(grid[axis]) > 1)
    found: dict[Values, Member] = {}
    for run in runs:
        at = tuple(run.variant.parameters[axis] for axis in axes)
        if at not in found or name not in found[at].figures:
            found[at] = run
    return Multiple(name, axes, same, found)


def _moves(axis: str, grid: Grid, made: Sequence[tuple[Variant, Any]]) -> bool:
    """Return whether runs that differ in one parameter of the grid alone have made different charts."""
    first: dict[Values, Any] = {}
    for variant, charts in made:
        others = tuple(variant.parameters[name] for name in grid if name != axis)
        if first.setdefault(others, charts) != charts:
            return True
    return False


def chart(content: Mapping[str, Any]) -> Chart:
    """Return the chart of the richest profile that is kept."""
    return Chart.from_json(richest(content["charts"]))


def words(variant: Variant, parameters: Mapping[str, object]) -> str:
    """Return parameters as figures write them, in the order declared.

    Those of a notebook whose chapter declares none have their names.
    """
    declared = CHAPTERS.get(chapter(variant.notebook.stem), {})
    order = [*variant.start, *parameters]
    symbols = {name: declared[name].symbol if name in declared else name for name in order}
    return ", ".join(
        f"{symbol} = {_word(parameters[name])}" for name, symbol in symbols.items() if name in parameters
    )


def _word(value: object) -> str:
    return brief(value) if real(value) else typed(value)
