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
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from html import escape
from importlib import import_module
from inspect import signature
from itertools import product
from math import ceil, floor, isfinite, isnan, log10
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import style as methods
from workbench.charts.chart import PLACES, Chart, Panel, Series
from workbench.charts.style import log_rounds, look
from workbench.errors import ArgumentError, one_of
from workbench.lab.aside import Aside
from workbench.lab.figures import publish
from workbench.study.parameters import Choice, Slider
from workbench.study.sweeps import Run

SCRIPT, STYLE = (Path(__file__).with_name(f"explore.{kind}") for kind in ("mjs", "css"))
FOLDER = "explorers"  # in a notebook's figures
SHOWN = 2  # controls that are seen at first; the grid is over them
GRIDS = ((2, {1: 21, 2: 8}), (2, {1: 13, 2: 5}), (1, {1: 9}))
"""How many controls a grid has, and stops of each by their number."""
LARGEST = 200_000  # bytes of what is committed
RUNS = (20, 200)  # trials at every point, on request: a sketch, then all
SEED = 17
DIGITS = 4
HUGE = 1e300  # what stands for infinity in JSON
MARKED = 60  # points that have markers at most
LINES, RINGS = ("vertical", "horizontal", "arrow"), ("point", "arrow")  # marks
TICKS = 6  # of an axis at most
ASPECT = 1.7  # of a plot, as in explore.css
FRAME = "frame"  # the control of a film

Form = dict[str, Any]


# A chart as numbers


def drawable(chart: Chart) -> Form:
    words = {"title": chart.title, "alt": chart.alt, "caption": chart.caption, "how": chart.how_to_read}
    squares = len(chart.panels) > 1 and all(panel.equal for panel in chart.panels)
    panels = [_panel(panel, 1 if squares else ASPECT) for panel in chart.panels]
    return {**words, "panels": [one for one in panels if one["series"]] or panels}


def _panel(panel: Panel, aspect: float) -> Form:
    if panel.heat:
        raise ArgumentError("picture", panel.title, "one of curves: a table of colours is no explorer")
    form: Form = {one: _plain(getattr(panel, one)) for one in ("title", "xlabel", "ylabel", "note")}
    form |= {"xscale": panel.xscale, "yscale": panel.yscale, "names": list(panel.names)}
    series = [_series(one) for one in _named(panel) if tuple(one.x)]
    for axis, given, sides in (("x", panel.xlim, ("x",)), ("y", panel.ylim, ("y", "low", "high"))):
        values = [value for one in series for side in sides for value in one.get(side, ())]
        known = [value for value in values if value is not None and abs(value) < HUGE]
        form |= _axis(axis, given, known, form[f"{axis}scale"] == "log")
    if panel.names:
        form |= {"kind": "named", "xlim": [0.5, len(panel.names) + 0.5], "xticks": []}
    if panel.equal:  # one unit is as long across as up
        x, y = form["xlim"], form["ylim"]
        unit = max((x[1] - x[0]) / aspect, y[1] - y[0]) / 2
        form["xlim"] = [short(sum(x) / 2 + side * unit * aspect) for side in (-1, 1)]
        form["ylim"] = [short(sum(y) / 2 + side * unit) for side in (-1, 1)]
        form |= {"kind": "square", "aspect": aspect}
    form["series"] = [part for one in series for part in _inked(one, series, form)]
    form["series"] += [_mark(mark.to_json(), form) for mark in panel.marks]
    return {name: value for name, value in form.items() if value or name not in ("note", "names")}


def _inked(one: Form, series: Sequence[Form], panel: Form) -> list[Form]:
    """Return what is drawn of a curve: whether it has a line, dots or bars, and where its band ends.

    Beside its prediction a measured curve is points, and beside those a prediction is pale.
    """
    one, role, other = dict(one), one["role"], {"theory": "estimate", "estimate": "theory"}
    paired = any(two["role"] == other.get(role) and two["colour"] == one["colour"] for two in series)
    marked, joined = role == "estimate" and len(one["x"]) <= MARKED, one.pop("joined", True)
    if not marked:
        del one["marker"]
    if role in ("area", "bars", "bound"):
        one.setdefault("low", -HUGE if role == "bound" else 0)
        one.pop("high", None)
    if role == "bars":
        return [one | _boxes(one, panel, 0.3, one["x"])]
    if role != "rows" and not (marked and (paired or not joined)):
        one["line"] = " ".join(["pale"] * paired + ["hollow"] * ("hollow" in one))
    elif marked and "low" in one:
        bars = {"role": "bar", "colour": one["colour"], **_boxes(one, panel, 0.002, panel["xlim"])}
        return [bars, {name: part for name, part in one.items() if name not in ("low", "high")}]
    return [one]


def _boxes(one: Form, panel: Form, share: float, apart: Sequence[float]) -> Form:
    """Return bars as one band whose edges rise and fall at their sides, so wide a share of what is apart."""
    log, first, second = panel["xscale"] == "log", *[*apart, apart[0] + 1][:2]
    half = (second / first) ** share if log else share * (second - first)
    x = [at * half**side if log else at + half * side for at in one["x"] for side in (-1, -1, 1, 1)]
    low = one["low"] if isinstance(one["low"], list) else [one["low"]] * len(one["x"])
    y = [end for ends in zip(low, one.get("high") or one["y"], strict=True) for end in (*ends, *ends[::-1])]
    return {"x": [float(f"{at:.6g}") for at in x], "y": y, "low": [end for end in low for _ in range(4)]}


def _mark(mark: Mapping[str, Any], panel: Form) -> Form:
    """Return a mark as a curve with words, which stand near the end of a line that does not say where."""
    x, y, x2, y2 = (short(mark[name]) if name in mark else None for name in PLACES)
    across, up = "yx" if panel.get("names") else "xy"
    (left, right), (low, high) = panel[f"{across}lim"], panel[f"{up}lim"]

    def between(axis: str, first: Any, last: Any, share: float) -> float | None:
        log = panel[f"{axis}scale"] == "log"
        return short(first * (last / first) ** share if log else first + share * (last - first))

    kind, at, side = mark["kind"], (x, y), mark.get("side", "")
    top = y if y is not None and low < y < high else between(up, low, high, 0.96)
    xs, ys = ([first] if last is None else [first, last] for first, last in ((x, x2), (y, y2)))
    if kind == "vertical":
        xs, ys, at = [x, x], [low, high], (x, top)
    elif kind == "horizontal":
        xs, ys = [left, right], [y, y]
        at, side = ((left, y), f"start {side}".rstrip()) if x is None else (at, side or "above")
    elif kind == "span":
        ys, at, side = [high, high], (between(across, x, x2, 0.5), top), kind
    elif kind == "arrow":
        at, side = (between(across, x, x2, 0.5), between(up, y, y2, 0.5)), side or "right"
    elif kind == "region":
        xs, ys, side = [], [], kind
    form = {"role": kind, "colour": look(mark.get("colour_key", "")).colour, across: xs, up: ys}
    form |= ({"line": ""} if kind in LINES else {}) | ({"marker": "o"} if kind in RINGS else {})
    words = {"text": _plain(mark["text"]), across: at[0], up: at[1], **({"side": side} if side else {})}
    return form | ({"low": low} if kind == "span" else {}) | ({"words": words} if mark["text"] else {})


def _axis(axis: str, ends: tuple[float, float] | None, values: list[float], log: bool) -> Form:
    """Return the ends of an axis and its ticks: round numbers, round its values unless the ends are given."""
    known = ends or [value for value in values if value > 0 or not log] or (1, 10)
    low, high = min(known), max(known)
    if log and high > 4 * low:
        rounds = log_rounds(low, high, (1, 2, 5) if high < 300 * low else (1,))
    else:
        wide = (high - low or abs(high) or 1) / TICKS
        unit = 10 ** floor(log10(wide))
        step = next(by * unit for by in (1, 2, 2.5, 5, 10) if by * unit >= 0.999 * wide)
        rounds = [float(f"{step * k:.10g}") for k in range(floor(low / step), ceil(high / step) + 1)]
    if not ends:
        near = [half * one for one in rounds for half in ((1, 3) if log and len(rounds) > 5 else (1,))]
        low, high = max(one for one in near if one <= low), min(one for one in near if one >= high)
    inside = [short(one) for one in rounds if low * (1 - 1e-9) <= one <= high * (1 + 1e-9)]
    ticks = inside[:: ceil(len(inside) / TICKS) or 1]
    return {f"{axis}lim": [short(low), short(high)], f"{axis}ticks": ticks}


def _plain(text: str) -> str:

    def said(found: re.Match[str]) -> str:
        low = re.sub(r"_(\d)", lambda digit: chr(0x2080 + int(digit[1])), found[1])
        return low.translate(str.maketrans("", "", "_{}^"))

    return re.sub(r"\$([^$]*)\$", said, text)


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
    form |= ({"hollow": True} if style.hollow else {}) | ({} if one.joined else {"joined": False})
    inked = {"label": _plain(one.label), "role": one.role, "colour": style.colour, "marker": style.marker}
    return inked | form


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
    at = [places.setdefault(compact(cell), len(places)) for cell in cells]
    if len(places) < len(cells) / 2:
        return {"$": [json.loads(text) for text in places], "at": at}
    return {"$": list(cells)}


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Controls


def control(name: str, one: Slider | Choice, meaning: str = "") -> Form:
    form = {"name": name, "label": one.label or name, "value": one.value}
    if isinstance(one, Choice):
        return {**form, "stops": list(one.options), "texts": [str(option) for option in one.options]}
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

    `compute` goes from values by name to what is drawn. The first `SHOWN` controls are seen at first, and the
    grid is over them unless `over` says otherwise; all are seen where the script solves for one of them on a
    map (`trade`). `code` is how a call begins that shows what is on the screen, `call` is `module:picture`
    where trials can be run; the script is told of `more`.
    """

    def __init__(
        self, name: str, compute: Callable[..., Form], controls: Sequence[Form], *, code: str, call: str = "",
        over: Sequence[str] | None = None, trade: bool = False, plan: Any = None, **more: Any,
    ) -> None:  # fmt: skip
        self.name, self.code, self.call, self.trade, self.more = name, code, call, trade, more
        self.plan, self.aside = plan, Aside()  # what a map solves for exactly, and where trials run
        seen = len(controls) if trade else SHOWN
        self.controls = [*controls[:seen], *({**one, "more": True} for one in controls[seen:])]
        self.start = {one["name"]: one["value"] for one in controls}
        self.compute = cache(lambda text: compact(compute(json.loads(text))))
        self.over = [*self.start][:SHOWN] if over is None else list(over)

    def chart(self, values: Mapping[str, Any]) -> Form:
        """Return what is drawn at these values, or the reason why nothing is; kept."""
        form: Form = json.loads(self.compute(compact({**self.start, **values})))
        return form

    def at(self, over: Sequence[str], most: Mapping[int, int]) -> Form:
        """Return the form of a page, whose controls are these, with charts at stops of them, folded."""
        count, moved = most.get(len(over), 1), [one for one in self.controls if one["name"] in over]
        at = [
            thinned(one["stops"], one["value"], len(one["stops"]) if "texts" in one else count)
            for one in moved
        ]
        cells = [self.chart(dict(zip(over, one, strict=True))) for one in product(*at)]
        form = self._form({"over": list(over), "at": at, "charts": fold(cells)}, self.chart({}))
        moved = [one for one in form["controls"] if one["name"] in over or self.trade]
        return {**form, "controls": moved, "code": self._code(over)}

    def _code(self, over: Sequence[str]) -> str:
        fixed = {} if self.trade else {name: one for name, one in self.start.items() if name not in over}
        return self.code + "".join(f", {name}={value!r}" for name, value in fixed.items())

    def _form(self, grid: Form | None, chart: Form) -> Form:
        at = dict(zip(grid["over"], grid["at"], strict=True)) if grid else {}
        controls = []
        for one in self.controls:
            own = one["name"] in at and "texts" not in one
            controls.append({**one, "stops": sorted({*at[one["name"]], one["value"]})} if own else one)
        form = {"name": self.name, "code": self.code, "controls": controls, "chart": chart, "grid": grid}
        return form | {"trade": self.trade} | self.more

    def committed(self) -> Form | None:
        """Return what is committed, all that a page needs: the first form that is small enough, if one is."""
        forms = (self.at(self.over[:count], most) for count, most in GRIDS)
        return next((form for form in forms if len(compact(form).encode()) < LARGEST), None)

    def form(self, kept: Form | None = None) -> Form:
        """Return what the script is told, with the committed grid where that is of these numbers.

        A map is read from its grid alone, which is made where none is committed.
        """
        kept = kept if kept and kept["code"] == self._code(kept["grid"]["over"]) else None
        kept = self.committed() if self.trade and not kept else kept
        there = kept and all(self.start[one["name"]] == one["value"] for one in kept["controls"])
        chart = kept["chart"] if kept and there else self.chart({})
        return {**self._form(kept and kept["grid"], chart), "runs": RUNS if self.call else ()}

    def show(self, kept: Form | None = None) -> None:
        form = self.form(kept)
        bundle: Any = self.widget(form)._repr_mimebundle_()
        words = f"{form['chart']['title']}. {form['chart'].get('caption') or form['chart'].get('alt', '')}"
        publish(element(form) + script(), words, bundle[0] if isinstance(bundle, tuple) else bundle)

    def widget(self, form: Form | None = None) -> "View":
        self.view = View(form=compact(form or self.form()))
        self.view.on_msg(self._asked)
        return self.view

    def _asked(self, _view: object, message: Mapping[str, Any], _buffers: object) -> None:
        """Answer the script: a chart or trials; whatever it asks ends its trials before."""
        self.aside.stop()
        values = {name: value for name, value in message.get("values", {}).items() if value is not None}
        for one in self.controls:
            if one["name"] in values and "whole" in one:
                values[one["name"]] = (int if one["whole"] else float)(values[one["name"]])
        if "runs" in message:
            order = {"call": self.call, "values": values, "runs": message["runs"]}
            self.aside.start(__name__, order, partial(self._heard, message["id"]))
        elif "plan" in message:
            self.view.send({"id": message["id"], "solved": self.plan(values)})
        elif values:
            try:
                chart = self.chart(values)
            except Exception as error:  # what goes wrong is said in its place
                chart = _refused(f"{type(error).__name__}: {error}")
            self.view.send({"id": message["id"], "chart": chart})

    def _heard(self, turn: int, reply: Form) -> None:
        self.view.send({"id": turn, "chart": reply.get("chart") or _refused(reply["status"])})


class View(anywidget.AnyWidget):
    """The script in a notebook."""

    _esm, _css = SCRIPT, STYLE
    form = traitlets.Unicode().tag(sync=True)


# Pictures of chapters


def explorer(picture: Any, *, over: int = SHOWN, **controls: Any) -> Explorer:
    """Return the explorer of a picture, or of one's own column (`workbench.lab.explorers.column`).

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
        from workbench.lab.explorers import column  # the planner and the catalog, for those who ask

        return column(picture, **controls)
    chapter = picture.__module__.split(".")[2]
    declared, taken = CHAPTERS.get(chapter, {}), signature(picture).parameters
    forms = []
    for name, value in controls.items():
        one_of([one.name for one in taken.values() if one.kind is one.KEYWORD_ONLY], control=name)
        if not isinstance(value, Slider | Choice):
            one_of(declared, control=name)
            value = declared[name].slider(declared[name].nearest(value))
        forms.append(control(name, value, declared[name].meaning if name in declared else ""))
    compute = partial(computed, picture, Run("quick", SEED, simulate=False))
    call, code = f"{picture.__module__}:{picture.__name__}", f"lab.show({chapter}.{picture.__name__}"
    more: Form = {"call": call} if FRAME not in controls else {"play": True}
    return Explorer(picture.__name__, compute, forms, code=code, over=[*controls][:over], **more)


def computed(picture: Callable[..., Chart], run: Run, values: Mapping[str, Any]) -> Form:
    try:
        return drawable(picture(run, **values))
    except ArgumentError as error:
        return _refused(str(error))


def _refused(why: str) -> Form:
    return {"title": "There is no answer at these numbers", "error": why, "panels": []}


# Pages


def element(form: Form, *, letters: int = 0) -> str:
    """Return the HTML of an explorer on a page with `script()`; on a slide it is tall, in large letters."""
    data, chart = compact(form).replace("</", "<\\/"), form["chart"]
    words = f"<p><b>{escape(chart['title'])}.</b> {escape(chart.get('alt', ''))}</p>"
    told = f'<script type="application/json">{data}</script>{words}'
    slide = f' tall" style="font-size:{letters}px' if letters else ""
    return f'<div class="workbench-explorer{slide}">{told}</div>'


def script() -> str:
    style, source = (path.read_text(encoding="utf-8") for path in (STYLE, SCRIPT))
    module = source.replace("</", "<\\/")
    return f'<style>{style}</style><script type="module">{module}</script>'


def main() -> None:
    """Run trials of a picture as asked on stdin; print their chart."""
    order = json.loads(sys.stdin.read())
    module, _, name = order["call"].partition(":")
    run = Run("quick", SEED, most=order["runs"])
    chart = computed(getattr(import_module(module), name), run, order["values"])
    print(compact({"chart": chart}), flush=True)


if __name__ == "__main__":
    main()
