"""Figures on disk, NAME.svg to look at and NAME.json to compare, and in a notebook's output.

The JSON holds the plotted numbers of every profile that was run, so that a quick run can be compared
with what a full run has committed (`differences`). Pictures are never compared, only their numbers.
"""

import platform
import time
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextvars import copy_context
from functools import cache
from html import escape
from importlib.metadata import version
from pathlib import Path
from threading import Event, Thread
from typing import Any

from workbench import __version__
from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.errors import one_of

PROFILES = ("quick", "full")
VERDICTS = "verdicts.json"
STYLES = Path(__file__).parent / "custom"  # custom.css in it, which `workbench lab` loads
WIDE = ' width="960" class="workbench-figure" style="max-width:100%"'


def save(
    charts: Mapping[str, Chart],
    out: Path,
    *,
    parameters: Mapping[str, object],
    seed: int,
    verdicts: Iterable[str] = (),
    refused: str = "",
) -> Path:
    """Write the chart of the richest profile as SVG and every profile's numbers as JSON; return the SVG.

    Charts are by profile: `quick` alone, or `quick` and `full`. `parameters` and `seed` are what the notebook
    was run with, `verdicts` the ids of the claims that the figure shows, `refused` what it lacks, and why.
    """
    from workbench.charts.drawing import svg

    one_of(PROFILES, **{f"profile {profile}": profile for profile in charts})
    chart = richest(charts)
    libraries = {name: version(name) for name in ("numpy", "scipy", "matplotlib")}
    content = {
        "name": chart.name,
        "charts": {profile: chart.to_json() for profile, chart in charts.items()},
        "parameters": dict(parameters),
        "seed": seed,
        "verdicts": list(verdicts),
        "environment": {"workbench": __version__, "python": platform.python_version(), **libraries},
    }
    from workbench.charts.curves import agreement  # with pandas, which those who read need not have

    if (judged := agreement(chart)).points:
        content["agreement"] = {"points": judged.points, "outside": list(judged.outside)}
    if refused:
        content["refused"] = refused
    out.mkdir(parents=True, exist_ok=True)
    canonical_json.write(out / f"{chart.name}.json", content)
    picture = out / f"{chart.name}.svg"
    picture.write_bytes(svg(chart))
    return picture


def richest(charts: Mapping[str, Any]) -> Any:
    return charts[max(charts, key=PROFILES.index)]


def kept_chart(path: Path) -> Chart:
    return Chart.from_json(richest(canonical_json.read(path)["charts"]))


def outputs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.suffix in (".svg", ".json"))


def figures(folder: Path) -> list[Path]:
    return [path for path in outputs(folder) if path.suffix == ".json" and path.name != VERDICTS]


def verdicts(folder: Path) -> tuple[str, list[Mapping[str, Any]]]:
    """Return the profile and the verdicts of one notebook's folder, of the richest profile it has."""
    path = folder / VERDICTS
    content = canonical_json.read(path) if path.is_file() else {}
    known = {profile: content[profile] for profile in PROFILES if profile in content}
    return (max(known, key=PROFILES.index), richest(known)) if known else ("", [])


def publish(html: str, text: str, widget: dict[str, Any] | None = None) -> None:
    """Display HTML with its text, and a live widget view where a front end can show one."""
    import IPython
    import IPython.display

    display: Any = IPython.display.display
    if IPython.get_ipython() is None:
        print(text)
    else:
        display({**(widget or {}), "text/html": html, "text/plain": text}, raw=True)


def cells() -> list[str]:
    """Return the sources of the cells that have run in this notebook; none outside a notebook."""
    import IPython

    shell: Any = IPython.get_ipython()
    return list(shell.user_ns.get("In", ())) if shell else []


def image(svg: bytes, alt: str, how: str = WIDE) -> str:
    """Return a picture as HTML, with further attributes: those of a figure in a notebook."""
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{b64encode(svg).decode()}"{how}>'


def styled(page: str) -> str:
    """Return a page with what makes its figures, and those in the notebook's text, follow a dark theme."""
    rules = (STYLES / "custom.css").read_text(encoding="utf-8")
    return f"<style>{rules}</style>{page}"


# What takes longer than a second


def far(what: str, seconds: float, done: int, of: int) -> str:
    """Return how far something is.

    >>> far("price", 4, 10, 30), far("price", 4, 0, 0)
    ('price: 4 s so far, 10 of 30 blocks, about 8 s to go', 'price: 4 s so far')
    """
    if not 0 < done <= of:
        return f"{what}: {seconds:.0f} s so far"
    left = seconds * (of - done) / done
    return f"{what}: {seconds:.0f} s so far, {done} of {of} blocks, about {left:.0f} s to go"


class Running:
    """One line below a cell that takes longer than a second: which, for how long, how to stop it."""

    def __init__(self) -> None:
        self.ended = Event()

    def begin(self, info: Any) -> None:
        self.ended = Event()
        what = str(info.raw_cell).strip().splitlines()[-1:]
        arguments = (what[0] if what else "", self.ended)
        Thread(target=copy_context().run, args=(self._say, *arguments), daemon=True).start()

    def end(self, _result: object) -> None:
        self.ended.set()

    def _say(self, what: str, ended: Event) -> None:
        import IPython.display

        display: Any = IPython.display
        handle, began, shown = display.DisplayHandle(), time.monotonic(), False
        while not ended.wait(1):
            line = f"{far(what, time.monotonic() - began, 0, 0)}; ■ above or Kernel > Interrupt stops it"
            words = {"text/plain": line, "text/html": f"<small>{escape(line)}</small>"}
            (handle.update if shown else handle.display)(words, raw=True)
            shown = True
        if shown:
            handle.update({"text/plain": "", "text/html": ""}, raw=True)


@cache
def watch() -> None:
    """Let every cell of this notebook that takes longer than a second say so."""
    import IPython

    if shell := IPython.get_ipython():
        running = Running()
        shell.events.register("pre_run_cell", running.begin)
        shell.events.register("post_run_cell", running.end)
