"""Explorers: a picture whose public numbers are moved, redrawn from numbers by one script.

    explore(one_mean.error_against_radius, epsilon=0.5, n=1000)

A picture is a function of a `Run` and of public numbers that returns a `Chart`. With a run that computes no
trials it holds theory alone: these numbers go to `explore.mjs`, which draws them as SVG in a notebook, on a
slide and on a page. A notebook's kernel computes what is asked for; where there is none, or where a picture
takes long, the numbers come from a grid over the first one or two controls, committed as
`figures/NN_name/explorers/NAME.json`. Trials are run on request, in a process that the next move ends.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from html import escape
from importlib import import_module
from inspect import signature
from itertools import product
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import style as methods
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.style import look
from workbench.errors import ArgumentError, one_of, real
from workbench.lab.again import aside
from workbench.lab.figures import publish
from workbench.study.parameters import Choice, Slider
from workbench.study.run import Run

SCRIPT, STYLE = (Path(__file__).with_name(f"explore.{kind}") for kind in ("mjs", "css"))
FOLDER = "explorers"  # in a notebook's figures
SHOWN = 2  # controls that are seen at first; the grid is over them
GRIDS = ((2, {1: 21, 2: 8}, 1), (2, {1: 13, 2: 5}, 1), (1, {1: 9}, 1), (1, {1: 9}, 4))
"""How many controls a grid has, stops of each by their number, and each how-manieth point of a curve."""
LARGEST = 200_000  # bytes of what is committed
RUNS = 200  # trials at every point, on request
SKETCH = 20  # trials that are shown before
SEED = 17
DIGITS = 4
HUGE = 1e300  # what stands for infinity in JSON
FRAME = "frame"  # the control of a film

Form = dict[str, Any]
Compute = Callable[[Mapping[str, Any]], Form]


# A chart as numbers


def drawable(chart: Chart) -> Form:
    """Return what the script draws of a chart: numbers of four digits, colours, words."""
    words = {"title": chart.title, "alt": chart.alt, "caption": chart.caption, "how": chart.how_to_read}
    return {**words, "panels": [_panel(panel) for panel in chart.panels]}


def _panel(panel: Panel) -> Form:
    if panel.heat:
        raise ArgumentError("picture", panel.title, "one of curves: a table of colours is no explorer")
    form = {one.name: getattr(panel, one.name) for one in fields(panel) if one.name != "heat"}
    lists = {
        "series": [_series(one) for one in _named(panel) if tuple(one.x)],
        "marks": [_mark(mark.to_json()) for mark in panel.marks],
    }
    limits = {name: form[name] and [short(end) for end in form[name]] for name in ("xlim", "ylim")}
    for words in ("title", "xlabel", "ylabel", "note"):
        form[words] = re.sub(r"\$([^$]*)\$", _plain_mathematics, form[words])
    seldom = {"note", "xlim", "ylim", "names", "equal", "marks"}  # left out where they say nothing
    given = {**form, **limits, **lists}
    return {name: value for name, value in given.items() if value or name not in seldom}


def _plain_mathematics(found: re.Match[str]) -> str:
    low = re.sub(r"_(\d)", lambda digit: chr(0x2080 + int(digit[1])), found[1])
    return low.translate(str.maketrans("", "", "_{}^"))


def _named(panel: Panel) -> Iterable[Series]:
    """Yield curves; a prediction whose measured curve is empty, or another's, has the name of its method."""
    seen = {one.colour_key for one in panel.series if one.label and tuple(one.x)}
    labels = {one.colour_key: one.label for one in panel.series if one.label}
    for one in panel.series:
        if one.role == "theory" and not one.label and tuple(one.x) and one.colour_key not in seen:
            seen.add(one.colour_key)
            one = replace(one, label=labels.get(one.colour_key) or methods.name(one.colour_key))
        yield one


def _series(one: Series) -> Form:
    style = look(one.colour_key, one.rank)
    sides = {name: getattr(one, name) for name in ("x", "y", "low", "high")}
    form: Form = {name: [short(value) for value in side] for name, side in sides.items() if side is not None}
    form |= {"hollow": True} if style.hollow else {}
    form |= {} if one.joined else {"joined": False}
    return {"label": one.label, "role": one.role, "colour": style.colour, "marker": style.marker, **form}


def _mark(form: Mapping[str, Any]) -> Form:
    numbers = {name: short(value) if real(value) else value for name, value in form.items()}
    return {**numbers, "colour": look(form.get("colour_key", "")).colour}


def short(value: float) -> float | None:
    """Return a number of four digits, as JSON can say it.

    >>> short(0.123456), short(1000.0), short(float("inf")), short(float("nan"))
    (0.1235, 1000, 1e+300, None)
    """
    if isnan(value):
        return None
    if not isfinite(value) or abs(value) > HUGE:
        return HUGE if value > 0 else -HUGE
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded == round(rounded) and abs(rounded) < 1e15 else rounded


# A grid of charts, folded


def fold(cells: Sequence[Any]) -> Any:
    """Return cells as one: what they share once, what differs in a list under `$`, in their order.

    >>> fold([{"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}])
    {'a': 1, 'b': {'$': [[1, 2], [1, 3]]}}
    """
    first = cells[0]
    if all(cell == first for cell in cells):
        return first
    if all(isinstance(cell, dict) and cell.keys() == first.keys() for cell in cells):
        return {name: fold([cell[name] for cell in cells]) for name in first}
    lists = all(isinstance(cell, list) and len(cell) == len(first) for cell in cells)
    if lists and all(isinstance(part, dict | list) for cell in cells for part in cell):
        return [fold(parts) for parts in zip(*cells, strict=True)]
    places: dict[str, int] = {}
    at = [places.setdefault(_text(cell), len(places)) for cell in cells]
    if len(places) < len(cells) / 2:
        return {"$": [json.loads(text) for text in places], "at": at}
    return {"$": list(cells)}


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unfold(node: Any, place: int) -> Any:
    """Return a cell of a folded grid.

    >>> unfold({"a": 1, "b": {"$": [[1, 2], [1, 3]]}}, 1)
    {'a': 1, 'b': [1, 3]}
    """
    if isinstance(node, list):
        return [unfold(part, place) for part in node]
    if not isinstance(node, dict):
        return node
    if "$" in node:
        return node["$"][node["at"][place] if "at" in node else place]
    return {name: unfold(part, place) for name, part in node.items()}


def thin(form: Form, step: int) -> Form:
    """Return a chart with each so manieth point of its curves, and the last."""
    for panel in form["panels"] if step > 1 else ():
        for one in panel["series"]:
            points = [*range(0, len(one["x"]) - 1, step), len(one["x"]) - 1]
            one |= {name: [one[name][k] for k in points] for name in ("x", "y", "low", "high") if name in one}
    return form


# Controls


def control(name: str, one: Slider | Choice, meaning: str = "") -> Form:
    """Return the form of a control."""
    form = {"name": name, "label": one.label or name, "value": one.value}
    if isinstance(one, Choice):
        return {**form, "options": list(one.options)}
    low, high = one.bounds
    form |= {"unit": one.unit, "meaning": meaning, "stops": list(one.stops)}
    return {**form, "low": low, "high": high, "whole": one.integer}


def thinned(stops: Sequence[Any], value: object, most: int) -> list[Any]:
    """Return at most so many stops, evenly, with both ends; the start takes the place of the nearest.

    >>> thinned(list(range(1, 101)), 37, 5)
    [1, 37, 51, 75, 100]
    """
    if len(stops) <= most:
        return list(stops)
    places = np.linspace(0, len(stops) - 1, most).round().astype(int).tolist()
    start = stops.index(value)
    nearest = min(range(most), key=lambda k: (abs(places[k] - start), k in (0, most - 1)))
    return [stops[place] for place in sorted({*places[:nearest], start, *places[nearest + 1 :]})]


class Explorer:
    """A picture, its controls, and the grid that is committed of it.

    Parameters
    ----------
    name
        Of its file, and of its state in a page's address.
    compute
        From values by name to what is drawn.
    controls
        What moves, the first `SHOWN` of them seen at first.
    code
        How a call begins that shows what is on the screen.
    call
        `module:picture`, where trials of it can be run.
    over
        The controls of the grid, the first `SHOWN` by default.
    more
        What else the script is told.
    """

    free: frozenset[str] = frozenset()  # controls that the script reads by itself

    def __init__(
        self,
        name: str,
        compute: Compute,
        controls: Sequence[Form],
        *,
        code: str,
        call: str = "",
        over: Sequence[str] | None = None,
        **more: Any,
    ) -> None:
        self.name, self.code, self.call, self.more = name, code, call, more
        self.controls = [dict(one) for one in controls]
        self._start = {one["name"]: one["value"] for one in controls}
        self.compute = cache(lambda text: _text(compute(json.loads(text))))
        self.over = [one["name"] for one in controls[:SHOWN]] if over is None else list(over)
        self.process: subprocess.Popen[str] | None = None

    def chart(self, values: Mapping[str, Any]) -> Form:
        """Return what is drawn at these values, or the reason why nothing is; kept."""
        form: Form = json.loads(self.compute(_text({**self._start, **values})))
        return form

    def grid(self, over: Sequence[str], most: Mapping[int, int], step: int = 1) -> Form:
        """Return charts at stops of these controls, folded."""
        of, count = {one["name"]: one for one in self.controls}, most.get(len(over), 1)
        moved = [of[name] for name in over]
        at = [one.get("options") or thinned(one["stops"], one["value"], count) for one in moved]
        cells = [thin(self.chart(dict(zip(over, one, strict=True))), step) for one in product(*at)]
        told = {"over": list(over), "at": at, "charts": fold(cells)}
        return told | ({"step": step} if step > 1 else {})

    def committed(self) -> Form | None:
        """Return what is committed, all that a page needs: the first grid that is small enough, if one is."""
        for count, most, step in GRIDS:
            form = self._form(self.grid(self.over[:count], most, step))
            if len(_text(form).encode()) < LARGEST:
                return form
        return None

    def form(self, kept: Form | None = None) -> Form:
        """Return what the script is told, with the committed grid where that is of these numbers."""
        grid, start = kept["grid"] if kept and kept["code"] == self.code else None, self._start
        if kept and grid:  # of these numbers, if what it does not move starts where it was made
            there, free = {one["name"]: one["value"] for one in kept["controls"]}, {*grid["over"], *self.free}
            if any(there.get(name) != value for name, value in start.items() if name not in free):
                grid = None
        places = zip(grid["over"], grid["at"], strict=True) if grid else ()
        inside = grid and all(start[name] in at for name, at in places)
        first = {} if inside else {"chart": self.chart({})}
        return {**self._form(grid), **first, **({"runs": RUNS} if self.call else {})}

    def _form(self, grid: Form | None) -> Form:
        controls = []
        for place, one in enumerate(self.controls):
            stops = {}
            if grid and one["name"] in grid["over"] and "stops" in one:
                own = grid["at"][grid["over"].index(one["name"])]
                stops = {"stops": sorted({*own, one["value"]})}
            hidden = {"more": True} if place >= SHOWN and not self.free else {}
            controls.append({**one, **stops, **hidden})
        return {"name": self.name, "code": self.code, "controls": controls, "grid": grid, **self.more}

    def show(self, kept: Form | None = None) -> None:
        """Display the explorer: a widget, and a page's element where there is no front end for one."""
        form = self.form(kept)
        bundle: Any = self.widget(form)._repr_mimebundle_()
        start = first(form)
        text = f"{start['title']}. {start.get('caption') or start.get('alt', '')}"
        publish(element(form) + script(), text, bundle[0] if isinstance(bundle, tuple) else bundle)

    def widget(self, form: Form | None = None) -> "View":
        """Return the explorer as a widget."""
        self.view = View(form=_text(form or self.form()))
        self.view.on_msg(self._asked)
        return self.view

    def _asked(self, _view: object, message: Mapping[str, Any], _buffers: object) -> None:
        """Answer the script: a chart, an exact solution, trials; whatever it asks ends the trials before."""
        self.stop()
        turn, values = message["id"], message.get("values", {})
        of = {one["name"]: one for one in self.controls}
        clean = {
            name: value if "options" in of[name] else int(value) if of[name]["whole"] else float(value)
            for name, value in values.items()
        }
        if "exact" in message:
            self.view.send({"id": turn, "solved": self.exact(message["exact"], values)})
        elif "runs" in message:

            def heard(process: subprocess.Popen[str], reply: Form) -> None:
                if process is self.process:
                    self.view.send({"id": turn, **reply})

            order = {"call": self.call, "values": clean, "runs": int(message["runs"])}
            self.process = aside(__name__, order, heard)
        elif "stop" not in message:
            self.view.send({"id": turn, "chart": self.chart(clean)})

    def exact(self, unknown: str, values: Mapping[str, Any]) -> float | None:
        """Return an exact solution; here there is none."""
        return None

    def stop(self) -> None:
        """End the trials that are being run."""
        if self.process is not None:
            self.process.kill()
            self.process = None


class View(anywidget.AnyWidget):
    """The script in a notebook."""

    _esm, _css = SCRIPT, STYLE
    form = traitlets.Unicode().tag(sync=True)


# Pictures of chapters


def explorer(picture: Any, *, over: int = SHOWN, **controls: Any) -> Explorer:
    """Return the explorer of a picture, or of one's own column (`workbench.lab.own.of`).

    Parameters
    ----------
    picture
        A function of a `Run` and of public numbers, which its chapter exports; or a column.
    over
        How many of the first controls move where there is no kernel.
    controls
        Name -> where it starts, for a public number that the chapter declares, or its `Slider` or `Choice`.
        The first two are seen at first; a picture's numbers that are not named stay.

    Raises
    ------
    ArgumentError
        If the picture has no such number, or nothing declares it.
    """
    if not callable(picture):
        from workbench.lab.own import of  # the planner and the catalog, for those who ask

        return of(picture, **controls)
    chapter = picture.__module__.split(".")[2]
    declared, taken = CHAPTERS.get(chapter, {}), signature(picture).parameters
    forms = []
    for name, value in controls.items():
        one_of([one.name for one in taken.values() if one.kind is one.KEYWORD_ONLY], control=name)
        if not isinstance(value, Slider | Choice):
            one_of(declared, control=name)
            value = declared[name].slider(declared[name].nearest(value))
        forms.append(control(name, value, declared[name].meaning if name in declared else ""))
    frames = FRAME in controls
    run, code = Run("quick", SEED, simulate=False), f"lab.show({chapter}.{picture.__name__}"
    compute, call = partial(computed, picture, run), f"{picture.__module__}:{picture.__name__}"
    more: Form = {"call": "" if frames else call, "play": frames, "over": [*controls][:over]}
    return Explorer(picture.__name__, compute, forms, code=code, **more)


def computed(picture: Callable[..., Chart], run: Run, values: Mapping[str, Any]) -> Form:
    """Return what is drawn of a picture, or why nothing is."""
    try:
        return drawable(picture(run, **values))
    except ArgumentError as error:
        return {"title": "There is no answer at these numbers", "error": str(error), "panels": []}


def kept(chapter: str, name: str) -> Form | None:
    """Return the committed form of a chapter's explorer, if it is at hand."""
    from workbench.lab.claims import figures_folder

    folder = figures_folder()
    path = next(folder.glob(f"*_{chapter}/{FOLDER}/{name}.json"), None) if folder else None
    return read(path) if path else None


def read(path: Path) -> Form:
    """Return a committed form."""
    form: Form = json.loads(path.read_text(encoding="utf-8"))
    return form


def write(form: Form, path: Path) -> None:
    """Commit a form."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{_text(form)}\n", encoding="utf-8")


# Pages


def first(form: Form) -> Form:
    """Return the chart of a form at the values that its controls start with."""
    if "chart" in form:
        found: Form = form["chart"]
        return found
    value, grid, place = {one["name"]: one["value"] for one in form["controls"]}, form["grid"], 0
    for name, stops in zip(grid["over"], grid["at"], strict=True):
        place = place * len(stops) + stops.index(value[name])
    found = unfold(grid["charts"], place)
    return found


def element(form: Form, *, tall: float | None = None, text: float | None = None) -> str:
    """Return the HTML of an explorer on a page that has `script()`, with words for those who run none.

    At most it is `tall` pixels high, with letters of `text` pixels.
    """
    chart = first(form)
    data = _text({**form, **({"tall": tall} if tall else {})}).replace("</", "<\\/")
    words = f"<p><b>{escape(chart['title'])}.</b> {escape(chart.get('alt', ''))}</p>"
    given = f' style="font-size:{text:g}px"' if text else ""
    told = f'<script type="application/json">{data}</script>'
    return f'<div class="workbench-explorer"{given}>{told}{words}</div>'


def script() -> str:
    """Return the style and the script of a page."""
    style, source = (path.read_text(encoding="utf-8") for path in (STYLE, SCRIPT))
    module = source.replace("</", "<\\/")
    return f'<style>{style}</style><script type="module">{module}</script>'


def main() -> None:
    """Run trials of a picture as asked on stdin; print a chart for a few of them, then for all."""
    order = json.loads(sys.stdin.read())
    module, _, name = order["call"].partition(":")
    picture = getattr(import_module(module), name)
    for runs in (SKETCH, order["runs"]):
        done = runs == order["runs"]
        status = f"{runs} runs at every point{'' if done else ' …'}"
        reply: Form = {"runs": runs, "done": done, "status": status}
        try:
            reply["chart"] = drawable(picture(Run("quick", SEED, most=runs), **order["values"]))
        except ArgumentError as error:
            reply |= {"status": str(error), "done": True}
        print(_text(reply), flush=True)
        if reply["done"]:
            return


if __name__ == "__main__":
    main()
