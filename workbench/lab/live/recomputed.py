"""A figure that is made again when it is asked for, beside the committed one in the notebook's text.

Where it agrees, one line says so and the fresh picture is folded; else the fresh picture is shown, with what
is different: the parameters it was asked for, or its numbers.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from threading import Thread
from typing import Any

from workbench.charts import canonical_json
from workbench.errors import real
from workbench.lab.claims import figures_folder
from workbench.lab.differences import differences
from workbench.lab.figures import publish
from workbench.study.parameters import typed

STANDS = "committed figure, not recomputed"
RECOMPUTE, STOP = "recompute", "stop"
ASKED = "`recompute = True` in the parameters cell recomputes all"
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
        return said(self.line) + (picture if self.shown else folded(FRESH, picture))

    def text(self, alt: str) -> str:
        """Return the same for those who see no HTML."""
        return "\n".join(filter(None, (self.line, alt if self.shown else "")))


def said(line: str) -> str:
    """Return a line about a figure."""
    return f'<p class="workbench-recomputed">{escape(line)}</p>'


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


def stands(kept: Mapping[str, Any], parameters: Mapping[str, object], seed: int) -> str:
    """Return the line about a committed figure that was not made again."""
    away = _away({**parameters, "seed": seed}, {**kept["parameters"], "seed": kept["seed"]})
    return f"{STANDS}, at other parameters: {', '.join(away)}" if away else STANDS


def _few(found: Sequence[str]) -> str:
    rest = len(found) - FEW
    return "; ".join(found[:FEW]) + (f"; and {rest} more" if rest > 0 else "")


# When it is asked for


Hear = Callable[[subprocess.Popen[str], dict[str, Any]], None]


def aside(module: str, order: Mapping[str, Any], hear: Hear) -> subprocess.Popen[str]:
    """Run a module in a process of its own on an order; what it prints, a line of JSON each, is heard."""
    line = [sys.executable, "-m", module]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def follow() -> None:
        assert process.stdin
        assert process.stdout
        with process, suppress(BrokenPipeError):
            process.stdin.write(json.dumps(order))
            process.stdin.close()
            for text in process.stdout:
                hear(process, json.loads(text))

    Thread(target=follow, daemon=True).start()
    return process


class Again:
    """The line below a committed figure, and a button that makes the figure again or stops that."""

    def __init__(self, line: str, order: Mapping[str, Any]) -> None:
        import ipywidgets

        self.line, self.order = line, order
        self.process: subprocess.Popen[str] | None = None
        self.button = ipywidgets.Button(description=RECOMPUTE)
        self.words, self.page = ipywidgets.HTML(said(line)), ipywidgets.HTML()
        self.box = ipywidgets.VBox([ipywidgets.HBox([self.button, self.words]), self.page])
        self.button.on_click(lambda _: self.stop() if self.process else self.start())

    def show(self) -> None:
        """Display both; without a front end that has widgets, how to ask for it otherwise."""
        bundle: Any = self.box._repr_mimebundle_()
        publish(said(f"{self.line}; {ASKED}"), f"{self.line}; {ASKED}", bundle)

    def start(self) -> None:
        """Make the figure again."""
        self.button.description, self.page.value = STOP, ""
        self.words.value = said(f"recomputing {self.order['figure']} …")
        self.process = aside("workbench.lab.live.session", self.order, self._heard)

    def stop(self) -> None:
        """End that, and say that it was."""
        assert self.process
        self.process.kill()
        self._end(f"{self.line}; stopped, and goes on from there when asked again")

    def _heard(self, process: subprocess.Popen[str], reply: dict[str, Any]) -> None:
        if process is not self.process:
            return
        if "line" in reply:
            self.words.value = said(reply["line"])
        else:
            self._end("", reply["page"])

    def _end(self, line: str, page: str = "") -> None:
        self.process, self.button.description = None, RECOMPUTE
        self.words.value, self.page.value = said(line) if line else "", page
