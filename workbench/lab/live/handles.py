"""The widgets of an explorer that a browser does not have: a handle on round numbers, a picture that is told.

A handle is the browser's own slider over the places of a list, so that what it shows, what it announces and
what Python gets are one number. Beside it stands a field for any legal number; another is refused in words.
"""

from pathlib import Path

import anywidget
import traitlets

HERE = Path(__file__).parent


class Handle(anywidget.AnyWidget):
    """A number that is dragged, stepped by keys, or typed."""

    _esm = HERE / "handle.js"
    _css = HERE / "handle.css"
    label = traitlets.Unicode().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    widest = traitlets.Int(0).tag(sync=True)  # characters of the longest label beside or below it
    stops = traitlets.List(traitlets.Float()).tag(sync=True)
    legal = traitlets.List(traitlets.Float()).tag(sync=True)  # the least and the largest number
    whole = traitlets.Bool(False).tag(sync=True)
    fixed = traitlets.Bool(False).tag(sync=True)  # moved by others alone
    value = traitlets.Float().tag(sync=True)


class Values(anywidget.AnyWidget):
    """The line below the controls; its messages are `reset` and `keep`."""

    _esm = HERE / "values.js"
    _css = HERE / "values.css"
    values = traitlets.Unicode().tag(sync=True)  # as on a command line
    kept = traitlets.Unicode().tag(sync=True)  # where the controls stood
    keeps = traitlets.Bool(False).tag(sync=True)  # whether the picture has curves to keep


class Picture(anywidget.AnyWidget):
    """A PNG with the words for those who do not see it, and a point on axes, if these have ends.

    `area` is where the axes are: left, top, width and height as shares of the picture. `free` names the axes
    along which the point is moved; those along which it is not follow the solution. Axes are logarithmic; but
    a point with a `label` has one number, its x, on an axis that is not.
    """

    _esm = HERE / "picture.js"
    _css = HERE / "picture.css"
    value = traitlets.Bytes().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    area = traitlets.List(traitlets.Float()).tag(sync=True)
    ends = traitlets.List(traitlets.Float()).tag(sync=True)
    stops = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    point = traitlets.List(traitlets.Float()).tag(sync=True)
    free = traitlets.Unicode("xy").tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)


class Player(anywidget.AnyWidget):
    """A film: frames as layers of one SVG, a handle, and keys."""

    _esm = HERE / "films" / "film.mjs"
    _css = HERE / "films" / "film.css"
    markup = traitlets.Unicode().tag(sync=True)


class Live(anywidget.AnyWidget):
    """An explorer that the browser runs; the kernel only says where it starts. A subclass has the modules."""

    explorer = traitlets.Unicode().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)
