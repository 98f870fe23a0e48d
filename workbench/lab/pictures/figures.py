"""Figures on disk: NAME.svg to look at and NAME.json to compare.

The JSON holds the plotted numbers of every profile that was run, so that a quick run can be compared
with what a full run has committed. Pictures are never compared, only their numbers.
"""

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.charts import canonical_json
from workbench.charts.agreement import agreement
from workbench.charts.chart import Chart
from workbench.errors import one_of
from workbench.lab.pictures.differences import differ
from workbench.lab.pictures.tolerance import Tolerance

PROFILES = ("quick", "full")
VERDICTS = "verdicts.json"
NUMBERS = "numbers.json"  # of all figures of a grid of runs, beside those of one run
PROSE = ("caption", "detail", "marks", "label_at")  # what is read off the numbers that are compared


def environment() -> dict[str, str]:
    """Return the versions a number may depend on; comparison ignores them."""
    libraries = {name: version(name) for name in ("numpy", "scipy", "matplotlib")}
    return {"workbench": __version__, "python": platform.python_version(), **libraries}


def save(
    charts: Mapping[str, Chart],
    out: Path,
    *,
    parameters: Mapping[str, object],
    seed: int,
    verdicts: Iterable[str] = (),
    refused: str = "",
) -> Path:
    """Write the chart of the richest profile as SVG and every profile's numbers as JSON.

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

    Returns
    -------
    Path
        The SVG.
    """
    from workbench.lab.pictures.plots import svg

    one_of(PROFILES, **{f"profile {profile}": profile for profile in charts})
    chart = richest(charts)
    content = {
        "name": chart.name,
        "charts": {profile: chart.to_json() for profile, chart in charts.items()},
        "parameters": dict(parameters),
        "seed": seed,
        "verdicts": list(verdicts),
        "environment": environment(),
    }
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


def compare(folder: Path, committed: Path, tolerance: Tolerance | None = None) -> list[str]:
    """Return how the numbers in `folder` differ from the committed ones, one line per difference.

    Only the profiles that `folder` has are compared; versions are not.
    """
    tolerance = tolerance or Tolerance()
    made, kept = _tables(folder), _tables(committed)
    missing = [f"{name}: not made any more, but committed" for name in sorted(kept.keys() - made.keys())]
    unknown = [f"{name}: made, but not committed" for name in sorted(made.keys() - kept.keys())]
    found = [
        line for name in sorted(made.keys() & kept.keys()) for line in _file(name, made, kept, tolerance)
    ]
    return missing + unknown + found


def _tables(folder: Path) -> dict[str, Any]:
    return {path.name: canonical_json.read(path) for path in folder.glob("*.json") if path.name != NUMBERS}


def _file(name: str, made: dict[str, Any], kept: dict[str, Any], tolerance: Tolerance) -> list[str]:
    return [f"{name}: {line}" for line in differences(made[name], kept[name], name, tolerance)]


def differences(made: Any, kept: Any, name: str = "", tolerance: Tolerance | None = None) -> list[str]:
    """Return how a file's numbers differ from the committed ones, in the profiles that it has."""
    ours, theirs = _comparable(name, made), _comparable(name, kept)
    profiles = [profile for profile in PROFILES if profile in ours["charts"]]
    ours["charts"] = {profile: ours["charts"][profile] for profile in profiles}
    theirs["charts"] = {profile: theirs["charts"].get(profile) for profile in profiles}
    return differ(ours, theirs, tolerance or Tolerance())


def _comparable(name: str, content: Any) -> dict[str, Any]:
    content = _without_prose(content)
    if name == VERDICTS:
        return {"charts": content}
    parameters = {key: value for key, value in content["parameters"].items() if key != "profile"}
    return {"charts": dict(content["charts"]), "parameters": parameters, "seed": content["seed"]}


def _without_prose(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _without_prose(value) for key, value in content.items() if key not in PROSE}
    return [_without_prose(value) for value in content] if isinstance(content, list) else content
