"""The one style: how a role is drawn, with the hue and the marker of the method (`charts.methods`)."""

from dataclasses import dataclass
from typing import Any

from workbench.charts.chart import Series
from workbench.charts.methods import GREY, INK, METHODS, SLATE

PALE = "#e4e4e4"
DARK = 0.45  # luminance below which words on a colour are white
MARKED = 60  # points at most of a curve with markers

RC: dict[Any, Any] = {
    "svg.hashsalt": "workbench",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "text.usetex": False,
    "mathtext.fontset": "dejavusans",
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
    """Colour and marker of a series; a hollow marker is that of a paper's constants."""

    colour: str
    marker: str
    hollow: bool = False


def look(key: str, rank: float | None = None) -> Look:
    """Return the look of a colour key, at a place on the ramp of its hue.

    >>> look("non-private").colour, look("mean/coinpress:paper").hollow
    ('#222222', True)
    >>> look("", 0.0).colour, look("", 1.0).colour
    ('#a1b0bf', '#1f2f3f')
    """
    owner, _, variant = key.partition(":")
    hue, marker = METHODS[owner].hue, METHODS[owner].marker
    if rank is not None:
        hue, marker = shade(hue if owner else SLATE, rank), marker if owner else "o"
    return Look(hue, marker, bool(variant))


def shade(hue: str, rank: float) -> str:
    """Return the colour of a hue's ramp, from light at 0 to dark at 1."""
    toward, share = (255, 0.52 * (1 - 2 * rank)) if rank < 0.5 else (0, 0.48 * (2 * rank - 1))
    parts = (int(hue[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(part + share * (toward - part)):02x}" for part in parts)


def ink_on(colour: tuple[float, ...]) -> str:
    """Return the colour of words that stand on a colour.

    >>> ink_on((1.0, 1.0, 0.8, 1.0)), ink_on((0.3, 0.1, 0.4, 1.0))
    ('#222222', 'white')
    """
    red, green, blue, *_ = colour
    return "white" if 0.3 * red + 0.59 * green + 0.11 * blue < DARK else INK


def line_style(series: Series, *, alone: bool = True) -> dict[str, Any]:
    """Return how a series' line is drawn; a prediction that stands `alone` is not pale."""
    shape = look(series.colour_key, series.rank)
    colour = {"color": shape.colour}
    lines: dict[str, dict[str, Any]] = {
        "theory": {"linewidth": 1.7, "alpha": 0.95 if alone else 0.5, "zorder": 3},
        "bound": {"linewidth": 1.4, "zorder": 2},
        "reference": {"linewidth": 1.3, "zorder": 2},
        "truth": {"color": INK, "linewidth": 1.8, "zorder": 5},
        "release": {"linewidth": 1.2, "alpha": 0.45, "zorder": 4},
        "rows": {"linestyle": "", "marker": ".", "markersize": 4.0, "alpha": 0.5, "zorder": 3},
        "bars": {"linewidth": 0.0, "zorder": 3},
        "area": {"linewidth": 1.6, "zorder": 3},
        "kept": {"linewidth": 2.6, "alpha": 0.3, "zorder": 1.5},
        "estimate": {"linewidth": 1.8, "zorder": 4},
    }
    line = colour | lines[series.role]
    if series.role != "estimate" or len(tuple(series.x)) > MARKED:
        return line
    face = "white" if shape.hollow else shape.colour
    marks = {"marker": shape.marker, "markersize": 6.5, "markerfacecolor": face, "markeredgewidth": 1.4}
    return line | marks | ({} if series.joined else {"linestyle": ""})
