"""A notebook at parameters: which values are allowed, which are moved, where its outputs go.

Outputs at the parameters that a notebook starts with lie in the notebook's folder; those at others in a
folder of their own within it, named by what is moved. A parameter that is given its start is not moved.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from urllib.parse import quote

from workbench.chapters.parameters import CHAPTERS
from workbench.errors import ArgumentError, integer_at_least, nearest, real
from workbench.lab.live.parameters import chapter
from workbench.lab.publish.committed import REQUIRED, parameters
from workbench.study.parameters import Declared, brief

OWN = {  # parameters the runner sets
    "profile": "the option --profile instead of a parameter",
    "out": "the option --out instead of a parameter",
    "recompute": "nothing: all is recomputed",
}
Grid = Mapping[str, Sequence[object]]


@dataclass(frozen=True)
class Variant:
    """A notebook and the parameters it runs with.

    Parameters
    ----------
    notebook
        Its file.
    home
        The folder of its outputs at the start, of its index, and the one that owns its store.
    start
        Where its parameters start, in the order declared; without those that the runner sets.
    moved
        Its parameters that are elsewhere, in the same order.
    """

    notebook: Path
    home: Path
    start: Mapping[str, object] = field(default_factory=dict)
    moved: Mapping[str, object] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """The name of its own folder within the notebook's; empty at the start."""
        return ",".join(f"{name}={typed(value)}" for name, value in self.moved.items())

    @property
    def name(self) -> str:
        """The notebook's stem and the folder: as lines and tables call it."""
        return f"{self.notebook.stem}/{self.folder}" if self.moved else self.notebook.stem

    @property
    def out(self) -> Path:
        """Where its outputs go."""
        return self.home / self.folder if self.moved else self.home

    @property
    def parameters(self) -> dict[str, object]:
        """All of its parameters."""
        return {**self.start, **self.moved}


def typed(value: object) -> str:
    """Return a value as one would type it, a number with all its digits; safe in the name of a folder.

    >>> typed(1e-9), typed(0.5), typed(0.12345678), typed("../a,b")
    ('1e-9', '0.5', '0.12345678', '..%2Fa%2Cb')
    """
    if not real(value):
        return quote(str(value), safe=" ")
    short = brief(value)
    return short if float(short) == value else repr(value)


def variants(
    notebooks: Iterable[Path], out: Path, given: Mapping[str, object] | None = None, grid: Grid | None = None
) -> list[Variant]:
    """Return every notebook at every combination of the values of a grid, the last name moving fastest.

    Parameters
    ----------
    notebooks
        Their files.
    out
        The folder with a folder for every notebook.
    given
        Parameters that are the same in all combinations.
    grid
        Name -> the values to combine.

    Raises
    ------
    ArgumentError
        If a notebook lacks a parameter, or does not allow a value; before anything runs or is written.
    """
    grid = grid or {}
    settings = [{**(given or {}), **dict(zip(grid, one, strict=True))} for one in product(*grid.values())]
    found = [one for notebook in notebooks for one in _of(notebook, out / notebook.stem, settings)]
    for name, count in Counter(one.name for one in found).items():
        if count > 1:
            raise ArgumentError("grid", name, "every combination of values once")
    return found


def _of(notebook: Path, home: Path, settings: Iterable[Mapping[str, object]]) -> Iterator[Variant]:
    declared, known = CHAPTERS.get(chapter(notebook.stem), {}), parameters(notebook)
    if missing := [name for name in REQUIRED if name not in known]:
        raise ArgumentError("notebook", notebook.stem, f"a parameters cell with {', '.join(missing)}")
    order = [*declared, *(name for name in known if name not in declared)]
    start = {name: known[name] for name in order if name in known and name not in OWN}
    for setting in settings:
        wanted = {name: _checked(notebook.stem, name, setting[name], start, declared) for name in setting}
        moved = {name: wanted[name] for name in start if name in wanted and wanted[name] != start[name]}
        yield Variant(notebook, home, start, moved)


def _checked(stem: str, name: str, value: object, start: Mapping[str, object], declared: Declared) -> object:
    """Return a value as the notebook wants it, if it allows it: a count may be typed as 1e4."""
    if name in OWN:
        raise ArgumentError(name, value, OWN[name])
    if name not in start:
        near = " or ".join(nearest(name, start))
        meant = f"; did you mean {near}?" if near else ""
        raise ArgumentError(
            f"parameter {name}", value, f"a parameter of {stem}: {', '.join(sorted(start))}{meant}"
        )
    if isinstance(start[name], int) and isinstance(value, float) and value.is_integer():
        value = int(value)
    if name in declared:
        declared[name].require(name, value)
    elif isinstance(start[name], str) != isinstance(value, str):
        raise ArgumentError(f"parameter {name}", value, f"a value like the default {start[name]!r}")
    elif name == "seed":
        integer_at_least(0, seed=value)
    return value
