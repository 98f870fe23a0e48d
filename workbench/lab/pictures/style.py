"""The one style: who has which colour and marker, how a role is drawn.

Colours are Okabe and Ito's, without the yellow that vanishes on white. A colour belongs to an
estimator, in every figure: it follows from the place of the key in its family of the catalog.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

from workbench.charts.chart import Series

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")  # one more than colours, so pairs repeat only after 42
INK, GREY, PALE = "#222222", "#6b6b6b", "#e4e4e4"
MARKED = 60  # points at most of a curve with markers

RC: dict[Any, Any] = {
    "svg.hashsalt": "workbench",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.usetex": False,
    "text.color": INK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.unicode_minus": True,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "path.simplify": True,
}


@dataclass(frozen=True)
class Look:
    """Colour and marker of one estimator; a hollow marker is its second version."""

    colour: str
    marker: str
    hollow: bool = False


NAMED = {
    "": Look(GREY, "."),
    "non-private": Look(INK, "."),
    "mean/empirical": Look(INK, "."),
    "covariance/empirical": Look(INK, "."),
}


def look(key: str) -> Look:
    """Return the look of a colour key.

    >>> look("non-private").colour, look("2") == look("2:paper"), look("2:paper").hollow
    ('#222222', False, True)
    """
    owner, _, variant = key.partition(":")
    if owner in NAMED:
        found = NAMED[owner]
    else:
        place = _place(owner)
        found = Look(COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)])
    return replace(found, hollow=bool(variant))


def _place(owner: str) -> int:
    if owner.isdecimal():
        return int(owner)
    family = owner.partition("/")[0]
    kin = [key for key in _catalog_keys() if key.partition("/")[0] == family and key not in NAMED]
    return kin.index(owner) if owner in kin else crc32(owner.encode())


def _catalog_keys() -> Iterable[str]:
    from workbench.catalog import CATALOG

    return CATALOG


def line_style(series: Series) -> dict[str, Any]:
    """Return how a series' line is drawn: colour from its key, dashes and markers from its role."""
    shape = look(series.colour_key)
    dash: object = (0, (6, 1.5, 1, 1.5)) if shape.hollow else "-"
    colour = {"color": shape.colour}
    lines: dict[str, dict[str, Any]] = {
        "theory": {
            "color": _darker(shape.colour),
            "linestyle": (0, (4.5, 2.2)),
            "linewidth": 1.4,
            "zorder": 5,
        },
        "bound": colour | {"linestyle": (0, (1, 1.4)), "linewidth": 1.8, "zorder": 2},
        "reference": colour | {"linestyle": dash, "linewidth": 1.2, "zorder": 2},
        "rows": colour | {"linestyle": "", "marker": ".", "markersize": 3.2, "alpha": 0.5, "zorder": 3},
        "kept": colour | {"linestyle": "-", "linewidth": 2.4, "alpha": 0.3, "zorder": 1.5},
        "estimate": colour | {"linestyle": dash, "linewidth": 1.6, "zorder": 4},
    }
    line = lines[series.role]
    if series.role != "estimate" or len(tuple(series.x)) > MARKED:
        return line
    face = "white" if shape.hollow else shape.colour
    marks = {"marker": shape.marker, "markersize": 5.5, "markerfacecolor": face, "markeredgewidth": 1.2}
    return line | marks


def _darker(colour: str, share: float = 0.55) -> str:
    """Return a shade that stays visible where the prediction lies on the measurement."""
    return "#" + "".join(f"{round(int(colour[k : k + 2], 16) * share):02x}" for k in (1, 3, 5))
