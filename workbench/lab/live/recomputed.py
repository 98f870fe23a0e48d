"""A figure that was made again, beside the committed one, which stands in the notebook's text.

Where it agrees, one line says so and the fresh picture is folded; else the fresh picture is shown, with what
is different: the parameters it was asked for, or its numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.errors import real
from workbench.lab.claims import figures_folder
from workbench.lab.differences import differences
from workbench.study.parameters import typed

AGREES = "recomputed: agrees with the committed figure"
FRESH = "the picture as recomputed"
FEW = 3  # differences that are told


@dataclass(frozen=True)
class Recomputed:
    """What one line says of a figure that was made again; `shown` where its picture must be seen."""

    line: str = ""
    shown: bool = True

    def html(self, picture: str) -> str:
        """Return the line and the picture, folded unless it must be seen."""
        if not self.line:
            return picture
        line = f'<p class="workbench-recomputed">{escape(self.line)}</p>'
        return line + (picture if self.shown else folded(FRESH, picture))

    def text(self, alt: str) -> str:
        """Return the same for those who see no HTML."""
        return "\n".join(filter(None, (self.line, alt if self.shown else "")))


def folded(summary: str, page: str) -> str:
    """Return a page behind its summary."""
    return f'<details class="workbench-folded"><summary>{escape(summary)}</summary>{page}</details>'


def recomputed(chapter: str, made: Path, parameters: Mapping[str, object], seed: int) -> Recomputed:
    """Compare a figure's numbers with the committed ones; nothing is said where these are not at hand.

    Parameters
    ----------
    chapter
        The notebook's name without its number.
    made
        The numbers just made, NAME.json.
    parameters, seed
        What they were made with.
    """
    kept = committed_figure(chapter, made.stem)
    if kept is None:
        return Recomputed()
    before = {**kept["parameters"], "seed": kept["seed"]}
    away = _away({**parameters, "seed": seed}, before)
    if away:
        return Recomputed(f"recomputed at other parameters than the committed figure: {', '.join(away)}")
    found = differences(canonical_json.read(made), kept)
    if found:
        return Recomputed(f"recomputed: differs from the committed figure: {_few(found)}")
    profile = str(parameters["profile"])
    return Recomputed(
        AGREES if profile == before["profile"] else f"{AGREES}, in its {profile} profile", False
    )


def committed_figure(chapter: str, name: str) -> Any:
    """Return a committed figure's JSON form; None where it is not at hand."""
    folder = figures_folder() if chapter else None
    path = next(folder.glob(f"*_{chapter}/{name}.json"), None) if folder else None
    return canonical_json.read(path) if path else None


def _away(ours: Mapping[str, object], theirs: Mapping[str, object]) -> list[str]:
    """Return the parameters that are not the committed ones, in words."""
    names = [name for name in {**theirs, **ours} if name != "profile"]
    return [
        f"{name} = {_said(ours.get(name))}, there {_said(theirs.get(name))}"
        for name in names
        if _said(ours.get(name)) != _said(theirs.get(name))
    ]


def _said(value: object) -> str:
    """Return a value in words, alike before it is written to JSON and after."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_said, value))
    return typed(float(str(value))) if real(value) else str(value)


def _few(found: Sequence[str]) -> str:
    rest = len(found) - FEW
    return "; ".join(found[:FEW]) + (f"; and {rest} more" if rest > 0 else "")
