"""Films: made from the chapters' `FILMS`, and compared with the committed ones.

A film is a function of a `Run`; committed are its numbers and words, `figures/NN_name/films/NAME.json`.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from workbench.charts import canonical_json
from workbench.charts.film import Film
from workbench.lab.live.films import FOLDER
from workbench.lab.live.parameters import chapter
from workbench.lab.pictures.differences import differ
from workbench.lab.pictures.tolerance import Tolerance
from workbench.lab.project import Project
from workbench.lab.runner.console import Console
from workbench.study.run import Run

SEED = 17


def films_of(notebook: Path) -> tuple[Callable[[Run], Film], ...]:
    """Return the films of a notebook's chapter."""
    name = chapter(notebook.stem)
    return tuple(getattr(import_module(f"workbench.chapters.{name}"), "FILMS", ())) if name else ()


def content(film: Film) -> dict[str, object]:
    """Return what is committed of a film."""
    return {"film": film.to_json(), "seed": SEED}


def make(
    project: Project, notebooks: Sequence[str], *, update: bool = False, console: Console | None = None
) -> int:
    """Make the films of some notebooks, or of all, and compare them with the committed ones.

    Parameters
    ----------
    project, notebooks
        Whose films; all of them for no names.
    update
        Whether to commit them instead.

    Returns
    -------
    int
        1 if anything is not as committed.
    """
    console, wrong = console or Console(), 0
    for notebook in project.select(notebooks):
        folder = project.figures / notebook.stem / FOLDER
        for made in (film(Run("full", SEED)) for film in films_of(notebook)):
            path = folder / f"{made.name}.json"
            if update:
                folder.mkdir(parents=True, exist_ok=True)
                canonical_json.write(path, content(made))
            lines = differences(made, path)
            if not lines:
                console.say(f"{notebook.stem}/{made.name}: {len(made.frames)} frames, as committed")
            for line in lines:
                console.say(f"FAILED {notebook.stem}/{FOLDER}/{path.name}: {line}")
            wrong += len(lines)
    return 1 if wrong else 0


def differences(film: Film, path: Path) -> list[str]:
    """Return how a film differs from the committed one, one line per difference."""
    if not path.is_file():
        return ["not committed"]
    return differ(content(film), canonical_json.read(path), Tolerance())
