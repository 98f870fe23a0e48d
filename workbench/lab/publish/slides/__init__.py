"""From a notebook to slides: one page for a browser, from committed results or from a run.

What a cell is on a slide follows from its text, by rule (`deck`), so that every notebook has slides without
anybody drawing them, and each stays as true as the notebook.
"""

from collections.abc import Mapping
from pathlib import Path

from workbench.charts.canonical_json import replacing
from workbench.errors import ArgumentError
from workbench.lab.project import Project
from workbench.lab.publish import assets
from workbench.lab.publish.check import parameters
from workbench.lab.publish.slides.deck import Deck
from workbench.lab.publish.slides.page import page
from workbench.lab.publish.slides.results import Results
from workbench.lab.runner import cache
from workbench.lab.runner.notebooks import Outcome, run
from workbench.lab.runner.run_notebook import EXECUTED
from workbench.lab.runner.variants import variants
from workbench.lab.schemas import nbformat

NOTHING: Mapping[str, str] = {}


def executed(notebook: Path, out: Path, profile: str = "quick") -> Outcome:
    """Run a notebook into `out`/STEM, unless what an earlier run left there is still good."""
    folder = out / notebook.stem
    if not (folder / EXECUTED).is_file():
        cache.forget(folder)
    (outcome,) = run(variants([notebook], out), profile=profile)
    return outcome


def write(notebook: Path, out: Path, results: Results, about: Mapping[str, str] = NOTHING) -> Path:
    """Write `out`/STEM.slides.html from a notebook and its results, and return its path.

    Where a run has left its notebook beside the results, cells show what they printed.
    """
    ran = results.folder / EXECUTED
    content = nbformat().read(ran if ran.is_file() else notebook, as_version=4)
    deck = Deck(content.cells, results, parameters(notebook))
    path = out / f"{notebook.stem}.slides.html"
    out.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(page(notebook.stem, deck, about))
    return path


def slides(
    project: Project,
    notebook: Path,
    out: Path,
    *,
    fresh: bool = False,
    fetch: bool = False,
    about: Mapping[str, str] = NOTHING,
) -> tuple[Path | None, str]:
    """Write the slides of a notebook.

    Parameters
    ----------
    project
        The checkout it is in.
    notebook
        The notebook.
    out
        The folder for the page; a run's outputs go into a folder of the notebook's name in it.
    fresh
        Whether to run the notebook (`quick`), instead of showing what is committed.
    fetch
        Whether to fetch what slides need in a browser first, once for all notebooks.
    about
        What the title says besides.

    Returns
    -------
    tuple
        The page, none if the run failed or a figure is missing, and one line about it.

    Raises
    ------
    ArgumentError
        If fetching fails.
    """
    if fetch:
        assets.fetch()
    if fresh and not (outcome := executed(notebook, out)).good:
        return None, f"{notebook.stem}: {outcome.status}: {outcome.reason}"
    folder = (out if fresh else project.figures) / notebook.stem
    try:
        path = write(notebook, out, Results(folder, project.figures), about)
    except ArgumentError as missing:
        return None, f"{notebook.stem}: {missing}"
    whole = "needs no network" if assets.complete() else "loads reveal.js and MathJax when it is opened"
    return path, f"{path}: {whole}"
