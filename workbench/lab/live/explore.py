"""Explorers: move a parameter, see theory at once and the simulation a moment later.

    explore(view, alt="Error of the clipped mean against n", epsilon=Slider(0.1, 10, 1, label="ε"))

`view(**values)` is a generator of charts: the theory first, then coarser and finer simulations. A newer
value cancels what is still being computed, at the next yield; so a view yields at least every 150 ms of
work. The same call shows a picture of the default view wherever no front end is listening: there is one
display bundle, a widget with an image to fall back on.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import ipywidgets
from matplotlib.figure import Figure

from workbench.charts.chart import Chart
from workbench.charts.controls import Choice, Control, Slider, typed
from workbench.charts.kept import Kept, keeps
from workbench.errors import ArgumentError, one_of
from workbench.lab.live.drawing import Drawing, area, stage
from workbench.lab.live.handles import Handle, Picture, Values
from workbench.lab.pictures.display import WIDTH, image, publish
from workbench.lab.pictures.plots import draw, png

View = Callable[..., Iterator[Chart]]
DEBOUNCE = 0.1  # seconds without a new value before simulations start
LOW = 0.06  # of the height of the axes: where a point that is dragged along x lies
GAP = 12  # px between two tracks, which share the width of the picture
PAUSE = 0.005  # seconds between frames, for newer values to arrive
KEPT = 64  # finished pictures remembered
STILL = "<p><i>The explorer as it opens; in JupyterLab its controls can be moved.</i></p>"


def explore(view: View, *, alt: str, **controls: Control) -> None:
    """Display an explorer.

    Parameters
    ----------
    view
        Generator of charts, called with one keyword argument per control.
    alt
        What the default view shows, in words.
    controls
        What can be moved.
    """
    Explorer(view, alt, controls).show()


class Explorer:
    """Widgets, a picture and the task that redraws it.

    A front end's messages may arrive in a thread of their own, and a figure cannot be drawn by two threads:
    the task runs in the loop in which the explorer was made, that of the notebook's cells.
    """

    def __init__(self, view: View, alt: str, controls: dict[str, Control]) -> None:
        self.view, self.alt = view, alt
        self.controls = {name: replace(one, label=one.label or name) for name, one in controls.items()}
        self.figure: Figure | None = None
        self.kept: Kept | None = None
        self.last = Drawing()
        self.done: OrderedDict[tuple[object, ...], Drawing] = OrderedDict()
        self.task: asyncio.Task[None] | None = None
        self.moves = 0
        self.loop = _running_loop()
        widest = max((len(_label(one)) for one in controls.values()), default=0)
        self.widgets = {name: widget(one, widest) for name, one in self.controls.items()}
        self.picture = Picture(layout=ipywidgets.Layout(width=f"{WIDTH}px", max_width="100%"))
        self.dragged = next((name for name, one in controls.items() if getattr(one, "drag", False)), "")
        self._offer_drag()
        self.sentence = ipywidgets.HTML(layout=ipywidgets.Layout(max_width=f"{WIDTH}px"))
        self.line = Values(values=self._copied())
        self.line.on_msg(self._asked)
        row = ipywidgets.Layout(flex_flow="row wrap", max_width=f"{WIDTH}px")
        box = ipywidgets.Box(list(self.widgets.values()), layout=row)
        self.box = ipywidgets.VBox([box, self.line, self.picture, self.sentence])
        self.box.add_class("workbench-explorer")
        for name, control in self.widgets.items():
            control.observe(partial(self._moved, name), names="value")

    @property
    def values(self) -> dict[str, object]:
        """What the controls stand at, as the view gets it."""
        return {name: self.controls[name].clean(widget.value) for name, widget in self.widgets.items()}

    def show(self) -> None:
        """Draw the default view completely, then display widget and image in one bundle."""
        frame = self.draw_now()
        body = image(frame.picture, "png", self.alt) if frame.picture else ""
        publish(body + frame.words(self.moves) + STILL, frame.error or self.alt, self.box._repr_mimebundle_())

    def draw_now(self) -> Drawing:
        """Follow the view at the present values to its end, draw its last chart and return that frame."""
        frame = Drawing(error="the view yields no chart")
        for frame in self.frames(self.values, partial(deque, maxlen=1)):  # noqa: B007
            pass
        self._put(frame)
        return frame

    def frames(
        self, values: dict[str, object], drawn: Callable[[Iterator[Chart]], Iterable[Chart]] = iter
    ) -> Iterator[Drawing]:
        """Yield the frames of a view, of all its charts or those chosen; a finished one comes at once."""
        kept, position = self.kept, self.position(values)
        key = (*values.values(), kept and kept.position)
        if key in self.done:
            self.done.move_to_end(key)
            yield self.done[key]
            return
        frame = None
        try:
            for number, chart in enumerate(drawn(self.view(**values))):
                self.figure = draw(kept.beneath(chart) if kept else chart, self.figure)
                said, shown = chart.caption or chart.how_to_read, f"{chart.title.rstrip('.')}. {chart.alt}"
                come = stage(chart, first=not number)
                frame = Drawing(png(self.figure), said, "", come, position, shown, chart)
                yield frame
        except ArgumentError as error:
            yield Drawing(error=str(error), position=position)
        except Exception as error:
            yield Drawing(error=f"the view failed: {type(error).__name__}: {error}", position=position)
        else:
            if frame is not None:
                yield self._keep(key, replace(frame, stage="finished"))

    def position(self, values: dict[str, object]) -> str:
        """Return where the controls stand, as the sentence below the picture begins."""
        places: dict[str, Any] = values
        said = (control.says(places[name]) for name, control in self.controls.items() if name in places)
        return ", ".join(said) + "."

    def _keep(self, key: tuple[object, ...], frame: Drawing) -> Drawing:
        self.done[key] = frame
        while len(self.done) > KEPT:
            self.done.popitem(last=False)
        return frame

    def _copied(self) -> str:
        """Return the parameters as on the command line of `workbench reproduce`."""
        parameters = [
            (name, one) for name, one in self.controls.items() if isinstance(one, Slider) and one.legal
        ]
        return " ".join(f"-p {name}={typed(one.clean(self.widgets[name].value))}" for name, one in parameters)

    def _asked(self, _widget: object, message: str, _buffers: object) -> None:
        """Do what a button asks for."""
        if message == "reset":
            for name, control in self.controls.items():
                self.widgets[name].value = control.value
        elif message == "keep":
            self.keep(drop=self.kept is not None)

    def keep(self, *, drop: bool = False) -> None:
        """Keep the curves of the picture beneath the next ones, or drop those that were kept."""
        chart, position = self.last.chart, self.last.position.rstrip(".")
        self.kept = None if drop or chart is None else Kept(chart, position)
        self.line.kept = self.kept.position if self.kept else ""
        if drop:
            self._redraw()

    def _offer_drag(self) -> None:
        """Let a point of the picture move the control that is dragged."""
        if self.dragged:
            control: Any = self.controls[self.dragged]
            self.picture.label, self.picture.free = control.label, "x"
            self.picture.ends, self.picture.stops = [*control.bounds, 0.0, 1.0], [list(control.stops), []]
            self.picture.point = [control.value, LOW]
            self.picture.observe(lambda change: self._pulled(change["new"][0]), names="point")

    def _pulled(self, value: float) -> None:
        self.widgets[self.dragged].value = value

    def _moved(self, name: str, _change: object) -> None:
        if name == self.dragged:
            self.picture.point = [self.widgets[name].value, LOW]
        self.grow(name)
        self._redraw()

    def grow(self, name: str) -> None:
        """Let a track reach where its handle was put, and the line say where all of them are."""
        control, handle = self.controls[name], self.widgets[name]
        if isinstance(control, Slider) and not control.low <= handle.value <= control.high:
            self.controls[name] = control = control.reaching(handle.value)
            handle.stops = list(control.stops)
        self.line.values = self._copied()

    def _redraw(self) -> None:
        if self.loop is None:  # a script: no loop, no later
            self.draw_now()
        else:
            self.loop.call_soon_threadsafe(self._restart, self.loop)

    def _restart(self, loop: asyncio.AbstractEventLoop) -> None:
        if self.task is not None:
            self.task.cancel()
        self.moves += 1
        self.task = loop.create_task(self._follow())

    async def _follow(self) -> None:
        await asyncio.sleep(0)  # values that are already waiting cancel this one
        wait = DEBOUNCE
        for frame in self.frames(self.values):
            self._put(frame)
            await asyncio.sleep(wait)
            wait = PAUSE

    def _put(self, frame: Drawing) -> None:
        self.last = frame
        if frame.chart is not None:
            self.line.keeps = keeps(frame.chart)
            if self.dragged and (ends := frame.chart.panels[0].xlim):
                self.picture.area, self.picture.ends = area(frame.chart), [*ends, 0.0, 1.0]
        self.sentence.value = frame.words(self.moves)  # before the picture, which is then of this stage
        self.picture.layout.display = "none" if frame.error else ""
        if frame.picture:
            with self.picture.hold_sync():
                self.picture.value, self.picture.alt = frame.picture, frame.alt


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def widget(control: Control, widest: int) -> Any:
    """Return the widget of a control; labels of at most `widest` characters let the tracks begin together."""
    one_of((Slider, Choice), control=type(control))
    layout = ipywidgets.Layout(width=f"{WIDTH // 2 - GAP}px", margin=f"2px {GAP}px 2px 0", max_width="100%")
    if isinstance(control, Slider):
        return Handle(
            label=control.label, unit=control.unit, widest=widest, stops=list(control.stops),
            legal=list(control.bounds), whole=control.integer, value=control.value, layout=layout,
        )  # fmt: skip
    return ipywidgets.Dropdown(
        options=list(control.options), value=control.value, description=control.label,
        style={"description_width": f"{widest + 1}ch"}, layout=layout,
    )  # fmt: skip


def _label(control: Control) -> str:
    return control.label + (f" ({control.unit})" if isinstance(control, Slider) and control.unit else "")
