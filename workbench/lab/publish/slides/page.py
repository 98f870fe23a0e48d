"""Slides as one page: a template, a style, and the script that splits what would not fit."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from workbench.lab import explore
from workbench.lab.publish import assets
from workbench.lab.publish.slides.slide import Slide

TEMPLATES = Path(__file__).parents[1] / "templates" / "workbench-slides"


def page(name: str, slides: Iterable[Slide], about: Mapping[str, str]) -> str:
    """Return the page of slides.

    Parameters
    ----------
    name
        The notebook's.
    slides
        In their order.
    about
        What the title says besides: `lecturer`, `date`.
    """
    found = list(slides)
    used = {slide.layout for slide in found}
    return str(
        _environment()
        .get_template("page.html.j2")
        .render(
            name=name,
            slides=found,
            about={key: said for key, said in about.items() if said},
            assets=assets.ASSETS,
            live=explore.script() if "live" in used else "",
        )
    )


def _environment() -> Any:
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    made.undefined = jinja2.StrictUndefined
    made.globals["source"] = lambda name: (TEMPLATES / name).read_text(encoding="utf-8").strip()
    return made
