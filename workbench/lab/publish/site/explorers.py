"""The explorers that the page itself runs: each with its notebook, and in place of a notebook's cell."""

from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from workbench.lab import explore


class Explorer(NamedTuple):
    """A committed explorer on the page."""

    key: str
    form: dict[str, Any]

    @property
    def id(self) -> str:
        """Where it is on the page."""
        return f"explorer/{self.key}"

    @property
    def folder(self) -> str:
        """The notebook that it belongs to."""
        return self.key.partition("/")[0]

    @property
    def chart(self) -> dict[str, Any]:
        """What it shows at first."""
        return explore.first(self.form)

    @property
    def html(self) -> str:
        """The explorer, with what it draws from."""
        return explore.element(self.form, key=self.key)

    @property
    def words(self) -> list[str]:
        """What finds it: what it shows, and what it moves, in letters and words."""
        told = ("name", "label", "meaning")
        moved = [str(one[part]) for one in self.form["controls"] for part in told if part in one]
        return [self.chart["alt"], self.chart["how"], *moved]


def found(figures: Path) -> list[Explorer]:
    """Return the committed explorers in the order of the notebooks."""
    paths = sorted(figures.glob(f"*/{explore.FOLDER}/*.json"))
    return [Explorer(f"{path.parents[1].name}/{path.stem}", explore.read(path)) for path in paths]


def mounted(figures: Path | None, name: str) -> str:
    """Return where the script mounts a notebook's explorer, which draws from what stands at its own place."""
    if figures is None or not (figures / explore.FOLDER / f"{name}.json").is_file():
        return ""
    return f'<div class="workbench-explorer" data-form="{escape(f"{figures.name}/{name}")}"></div>'
