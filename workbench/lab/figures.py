"""Figures on disk, NAME.svg to look at and NAME.json to compare, and in a notebook's output.

The JSON holds the plotted numbers of every profile that was run, so that a quick run can be compared
with what a full run has committed (`differences`). Pictures are never compared, only their numbers.
"""

import platform
from base64 import b64encode
from collections.abc import Iterable, Mapping
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.charts import canonical_json
from workbench.charts.chart import Chart
from workbench.errors import one_of

PROFILES = ("quick", "full")
VERDICTS = "verdicts.json"
STYLES = Path(__file__).parent / "custom"  # custom.css in it, which `workbench lab` loads
WIDTH = 960  # px, of every picture


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

    Parameters
    ----------
    charts
        The chart by profile: `quick` alone, or `quick` and `full`.
    out
        The folder to write into.
    parameters, seed
        What the notebook was run with.
    verdicts
        Ids of the claims this figure shows.
    refused
        What it lacks, and why.
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
    """Return the chart of the largest profile at hand."""
    return charts[max(charts, key=PROFILES.index)]


def publish(html: str, text: str, widget: dict[str, Any] | None = None) -> None:
    """Display HTML with its text, and a live widget view where a front end can show one."""
    from IPython.display import display

    if shell() is None:
        print(text)
    else:
        display({**(widget or {}), "text/html": html, "text/plain": text}, raw=True)


def cells() -> list[str]:
    """Return the sources of the cells that have run in this notebook; none outside a notebook."""
    return list(shell().user_ns.get("In", ())) if shell() else []


def shell() -> Any:
    """Return what runs the cells of this notebook; None outside a notebook."""
    import IPython

    return IPython.get_ipython()  # type: ignore[no-untyped-call]


def replaceable() -> Any:
    """Return an output of a notebook that is displayed, and then updated."""
    from IPython.display import DisplayHandle

    return DisplayHandle()  # type: ignore[no-untyped-call]


def image(data: bytes, kind: str, alt: str) -> str:
    """Return an HTML image that carries its data and its alternative text."""
    source = f"data:image/{kind};base64,{b64encode(data).decode()}"
    words = f'alt="{escape(alt, quote=True)}" width="{WIDTH}" class="workbench-figure"'
    return f'<img src="{source}" {words} style="max-width:100%">'


def styled(page: str) -> str:
    """Return a page with what makes its figures, and those in the notebook's text, follow a dark theme."""
    rules = (STYLES / "custom.css").read_text(encoding="utf-8")
    return f"<style>{rules}</style>{page}"
