"""From a notebook to reveal.js slides: run it, then let nbconvert write one page.

What a cell is on a slide is its `slide_type`; the code of a cell tagged `remove-input` is left out. Where
an explorer would be there is the picture of its default view, and `<details>` stay closed.
"""

from pathlib import Path
from typing import Any

from workbench.lab.publish import assets
from workbench.lab.runner import cache
from workbench.lab.runner.notebooks import Outcome, run
from workbench.lab.runner.run_notebook import EXECUTED
from workbench.lab.runner.variants import variants
from workbench.lab.schemas import nbformat

TEMPLATES = Path(__file__).parent / "templates"
TEMPLATE = "workbench-slides"
FIRST = ("text/html", "image/svg+xml", "image/png", "text/markdown", "text/latex", "text/plain")


def executed(notebook: Path, out: Path, profile: str = "quick") -> Outcome:
    """Run a notebook into `out`/STEM, unless what an earlier run left there is still good."""
    folder = out / notebook.stem
    if not (folder / EXECUTED).is_file():
        cache.forget(folder)
    (outcome,) = run(variants([notebook], out), profile=profile)
    return outcome


def write(notebook: Path, out: Path) -> Path:
    """Write `out`/STEM.slides.html from the notebook executed in `out`/STEM, and return its path."""
    page, _ = _exporter().from_filename(
        str(out / notebook.stem / EXECUTED), resources={"metadata": {"name": notebook.stem}}
    )
    path = out / f"{notebook.stem}.slides.html"
    path.write_text(page, encoding="utf-8")
    return path


def _exporter() -> Any:
    nbformat()
    import nbconvert.exporters as exporters
    from traitlets.config import Config

    config = Config()
    config.NbConvertBase.display_data_priority = list(FIRST)
    config.TagRemovePreprocessor.enabled = True
    config.TagRemovePreprocessor.remove_cell_tags = ("injected-parameters",)
    config.TagRemovePreprocessor.remove_input_tags = ("remove-input",)
    kind: Any = exporters.SlidesExporter
    exporter = kind(
        config=config, template_name=TEMPLATE, extra_template_basedirs=[str(TEMPLATES)],
        exclude_input_prompt=True, exclude_output_prompt=True,
    )  # fmt: skip
    exporter.environment.globals["assets"] = assets.ASSETS
    return exporter


def slides(notebook: Path, out: Path, *, fetch: bool = False) -> tuple[Path | None, str]:
    """Run a notebook and write its slides.

    Parameters
    ----------
    notebook
        The notebook.
    out
        The folder for the page; the run's outputs go into a folder of the notebook's name in it.
    fetch
        Whether to fetch what slides need in a browser first, once for all notebooks.

    Returns
    -------
    tuple
        The page, none if the run failed, and one line about it.

    Raises
    ------
    ArgumentError
        If fetching fails.
    """
    if fetch:
        assets.fetch()
    outcome = executed(notebook, out)
    if not outcome.good:
        return None, f"{notebook.stem}: {outcome.status}: {outcome.reason}"
    path = write(notebook, out)
    whole = "needs no network" if assets.complete() else "loads reveal.js and MathJax when it is opened"
    return path, f"{path}: {whole}"
