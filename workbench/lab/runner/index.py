"""The index of a grid of runs: one page with every figure as small multiples, which needs no network.

The pictures are drawn again from the kept numbers, with the same axes where the panels are the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from workbench.charts.chart import Chart, Panel
from workbench.charts.drawing import limits, svg
from workbench.lab.figures import image
from workbench.lab.runner.grids import Member, Multiple, chart, words
from workbench.lab.runner.judge import judgement
from workbench.lab.runner.run_notebook import EXECUTED
from workbench.lab.runner.variants import Grid

NAME = "index.html"
LEAST, MOST = 340, 720  # px of a picture
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; margin: 1.5rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem .8rem .2rem 0; }
th { border-bottom: 1px solid #999; } td { border-bottom: 1px solid #e4e4e4; vertical-align: top; }
.multiples { display: grid; gap: 1rem; overflow-x: auto; }
figure { margin: 0; padding: .5rem; border: 1px solid #e4e4e4; border-radius: 4px; }
figure b { display: block; margin-bottom: .3rem; } figure img { width: 100%; height: auto; }
figcaption { font-size: .85rem; color: #444; } figcaption p { margin: .2rem 0; }
.wrong { color: #a00000; }
"""


def write(home: Path, grid: Grid, runs: Sequence[Member], multiples: Sequence[Multiple]) -> Path:
    """Write the page of a grid into the notebook's folder, and return its path."""
    stem = runs[0].variant.notebook.stem
    title = f"{stem} over {' × '.join(grid)}"
    parts = [
        "<!doctype html>",
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>',
        f"<h1>{escape(title)}</h1>",
        _runs(home, runs),
        '<p>All plotted numbers with their parameters: <a href="numbers.csv">numbers.csv</a>, '
        '<a href="numbers.json">numbers.json</a>.',
        "Small multiples have the same axes where their panels are alike.</p>",
        *(part for multiple in multiples for part in _section(grid, multiple)),
        "</body></html>",
    ]
    path = home / NAME
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
    return path


def _runs(home: Path, runs: Sequence[Member]) -> str:
    """Return the table of the runs, each with its parameters, what it is judged by, and its notebook."""
    rows = []
    for run in runs:
        folder = run.variant.out.relative_to(home).as_posix()
        link = f'<a href="{quote(f"{folder}/{EXECUTED}")}">{escape(run.variant.name)}</a>'
        judged = "predictions" if run.variant.moved else "committed numbers"
        cells = (words(run.variant, run.variant.parameters), judged, run.fault or "as expected")
        rows.append(f"<tr><td>{link}</td>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("run", "parameters", "judged by", "found"))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _section(grid: Grid, multiple: Multiple) -> Iterator[str]:
    heading = multiple.name.replace("_", " ").capitalize()
    yield f"<section><h2>{escape(heading)}</h2>"
    if multiple.same:
        yield f"<p>The same at all values of {escape(' and '.join(multiple.same))}.</p>"
    across = f"repeat(auto-fill, minmax({LEAST}px, 1fr))"
    if len(multiple.axes) > 1:
        across = f"repeat({len(grid[multiple.axes[-1]])}, minmax({LEAST}px, 1fr))"
    if len(multiple.members) == 1:
        across = f"minmax(0, {MOST}px)"
    yield f'<div class="multiples" style="grid-template-columns: {across}">'
    contents = multiple.contents()
    drawn = dict(zip(contents, aligned([chart(content) for content in contents.values()]), strict=True))
    for at, run in multiple.members.items():
        yield _figure(multiple, run, dict(zip(multiple.axes, at, strict=True)), drawn.get(at))
    yield "</div></section>"


def _figure(multiple: Multiple, run: Member, at: dict[str, object], drawn: Chart | None) -> str:
    heading = f"<b>{escape(words(run.variant, at))}</b>" if at else ""
    if drawn is None:
        missing = f'<figcaption class="wrong">not made: {escape(run.fault)}</figcaption>'
        return f"<figure>{heading}{missing}</figure>"
    content = run.figures[multiple.name]
    judged, found = judgement(content)
    refused = content.get("refused", "")
    refused = refused[:1].upper() + refused[1:]
    said = [
        f"<p>{escape(words(run.variant, multiple.used(content)))}</p>",
        f"<p{'' if found else ' class=wrong'}>{escape(judged)}</p>" if judged else "",
        f"<p>{escape(refused)}</p>" if refused else "",
        f"<details><summary>In words</summary>{escape(drawn.alt)}</details>",
    ]
    picture = image(svg(drawn), "svg+xml", drawn.alt)
    return f"<figure>{heading}{picture}<figcaption>{''.join(said)}</figcaption></figure>"


def aligned(charts: Sequence[Chart]) -> list[Chart]:
    """Return charts with the same axes, panel by panel; as they are where their panels are not alike."""
    if len({tuple(map(_form, chart.panels)) for chart in charts}) != 1:
        return list(charts)
    columns = [_on_common_axes(panels) for panels in zip(*(chart.panels for chart in charts), strict=True)]
    return [
        replace(chart, panels=panels)
        for chart, panels in zip(charts, zip(*columns, strict=True), strict=True)
    ]


def _form(panel: Panel) -> tuple[object, ...]:
    return panel.xscale, panel.yscale, len(panel.names), panel.heat is None


def _on_common_axes(panels: Sequence[Panel]) -> list[Panel]:
    """Return panels with limits that hold them all; those of colours or without points as they are."""
    plotted = [panel for panel in panels if any(tuple(series.x) for series in panel.series)]
    if not plotted:
        return list(panels)
    xlim, ylim = _union(plotted, "x"), _union(plotted, "y")
    return [replace(panel, xlim=xlim, ylim=ylim) for panel in panels]


def _union(panels: Sequence[Panel], direction: Literal["x", "y"]) -> tuple[float, float]:
    low, high = zip(*(limits(panel, direction) for panel in panels), strict=True)
    return min(low), max(high)
