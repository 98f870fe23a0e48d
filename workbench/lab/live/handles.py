"""The widgets of an explorer that a browser does not have: a handle on round numbers, a picture that is told.

A handle is the browser's own slider over the places of a list, so that what it shows, what it announces and
what Python gets are one number. Beside it stands a field for any number between the ends.
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
    whole = traitlets.Bool(False).tag(sync=True)
    value = traitlets.Float().tag(sync=True)


class Picture(anywidget.AnyWidget):
    """A PNG with the words for those who do not see it."""

    _esm = HERE / "picture.js"
    value = traitlets.Bytes().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
