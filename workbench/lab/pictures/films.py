"""Films as SVG: one picture with all frames as layers, or a strip of some of them; and the page around it.

A frame is a plane on the left, names and a sentence on the right. Everything is a function of the film, and
without a script the last frame is seen.
"""

from collections.abc import Iterator, Sequence
from html import escape
from math import floor, log10
from typing import NamedTuple

from workbench.charts.chart import Series
from workbench.charts.film import Film
from workbench.charts.methods import GREY, INK
from workbench.charts.words import number, wrapped
from workbench.lab.pictures.style import PALE, line_style, look

WIDE, TALL = 1240, 540
LEFT, TOP, SIDE = 86, 10, 470  # of the plane
COLUMN, SMALL, LARGE, LINE = 610, 21, 25, 34  # where words begin, sizes of letters, height of a line
CHARACTERS = 44  # of a line of words
THICKER = 1.5  # than on a page
DOT, POINT = 2.6, 8.0  # radii of a row and of a single point
STRIP = 4  # frames of a still
FONT = "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif"


class View(NamedTuple):
    """A part of the plane, as seen in a frame."""

    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is drawn."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return LEFT + SIDE * across, TOP + SIDE * (1 - up)


def view(film: Film, place: int) -> View:
    """Return what a frame sees of the plane."""
    panel = film.frames[place].panel
    return View(panel.xlim or (0.0, 1.0), panel.ylim or (0.0, 1.0))


def layers(film: Film) -> str:
    """Return the SVG of a film: every frame a group, all but the last hidden."""
    last = len(film.frames) - 1
    hidden = ['display="none"'] * last + [""]
    groups = (
        f'<g class="frame" data-words="{escape(one.words)}" {hidden[place]}>{frame(film, place)}</g>'
        for place, one in enumerate(film.frames)
    )
    inside = f"{_clip(film)}{''.join(groups)}"
    return _svg(film, f"0 0 {WIDE} {TALL}", inside)


def strip(film: Film, count: int = STRIP) -> str:
    """Return the SVG of some frames beside each other, from the first to the last."""
    places = [round(k * (len(film.frames) - 1) / (count - 1)) for k in range(count)]
    side, below = SIDE + LEFT + 20, SIDE + TOP + 60
    parts = [
        f'<g transform="translate({k * side})">{plane(film, place)}'
        f'<text x="{LEFT}" y="{below + 26}" font-size="{LARGE}" fill="{INK}">'
        f"{place + 1} of {len(film.frames)}</text></g>"
        for k, place in enumerate(places)
    ]
    return _svg(film, f"0 0 {count * side} {below + 40}", _clip(film) + "".join(parts))


def _svg(film: Film, box: str, inside: str) -> str:
    words = f"<title>{escape(film.title)}</title><desc>{escape(film.alt)}</desc>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" font-family="{FONT}">'
        f"{words}{inside}</svg>"
    )


def _clip(film: Film) -> str:
    plane = f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}"/>'
    return f'<defs><clipPath id="film-{film.name}">{plane}</clipPath></defs>'


def frame(film: Film, place: int) -> str:
    """Return one frame: the plane, what is named, the sentence."""
    here = {one.label for one in film.series(place)}
    names = "".join(
        _name(one, k, 1.0 if label in here else 0.25) for k, (label, one) in enumerate(film.labels.items())
    )
    start = TOP + 30 + LINE * (len(film.labels) + 1)
    lines = wrapped(film.frames[place].words, CHARACTERS)
    spans = "".join(
        f'<tspan x="{COLUMN}" y="{start + LINE * k}">{escape(line)}</tspan>' for k, line in enumerate(lines)
    )
    words = f'<text font-size="{LARGE}" fill="{INK}">{spans}</text>'
    return plane(film, place) + names + words


def _name(series: Series, row: int, opacity: float) -> str:
    y = TOP + 24 + LINE * row
    colour, pale, width = _ink(series)
    faint = f'opacity="{pale:g}"'
    radius = POINT if len(tuple(series.x)) == 1 else 5
    sign = (
        f'<circle cx="{COLUMN + 16}" cy="{y - 7}" r="{radius}" fill="{colour}"/>'
        if _dotted(series)
        else f'<path d="M{COLUMN} {y - 7}h32" stroke="{colour}" stroke-width="{width:.1f}" {faint}/>'
    )
    text = f'<text x="{COLUMN + 46}" y="{y}" font-size="{SMALL}" fill="{INK}">{escape(series.label)}</text>'
    return f'<g opacity="{opacity:g}">{sign}{text}</g>'


def plane(film: Film, place: int) -> str:
    """Return the axes of a frame and what is drawn in them."""
    seen, panel = view(film, place), film.frames[place].panel
    drawn = "".join(_drawn(one, seen) for one in film.series(place))
    box = f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="{GREY}"/>'
    middle = LEFT + SIDE / 2
    label = (
        f'<text x="{middle:g}" y="{TOP + SIDE + 54}" font-size="{SMALL}" fill="{INK}" text-anchor="middle">'
        f"{escape(panel.xlabel)}</text>"
    )
    return f'{"".join(_ticks(seen))}<g clip-path="url(#film-{film.name})">{drawn}</g>{box}{label}'


def _drawn(series: Series, seen: View) -> str:
    colour, opacity, width = _ink(series)
    points = [seen.place(x, y) for x, y in zip(series.x, series.y, strict=True)]
    if _dotted(series):
        dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points if _near(x, y))
        size = 2 * (POINT if len(points) == 1 else DOT)
        look = f'stroke-width="{size:g}" stroke-linecap="round"'
    else:
        dots = "M" + "L".join(f"{_bounded(x):.1f} {_bounded(y):.1f}" for x, y in points)
        look = f'stroke-width="{width:.1f}"'
    return f'<path d="{dots}" fill="none" stroke="{colour}" opacity="{opacity:g}" {look}/>' if points else ""


def _near(x: float, y: float) -> bool:
    return LEFT - 5 < x < LEFT + SIDE + 5 and TOP - 5 < y < TOP + SIDE + 5


def _bounded(place: float) -> float:
    return min(max(place, -30_000.0), 30_000.0)


def _dotted(series: Series) -> bool:
    return series.role == "rows" or len(tuple(series.x)) == 1


def _ink(series: Series) -> tuple[str, float, float]:
    """Return colour, opacity and width of a line."""
    style = line_style(series)
    colour = str(style.get("color", look(series.colour_key).colour))
    return colour, float(style.get("alpha", 1.0)), THICKER * float(style.get("linewidth", 1.6))


def _ticks(seen: View) -> Iterator[str]:
    below = TOP + SIDE
    for value in ticks(*seen.x):
        x, _ = seen.place(value, seen.y[0])
        yield f'<path d="M{x:.1f} {TOP}V{below}" stroke="{PALE}"/>'
        yield f'<text x="{x:.1f}" y="{below + 26}" font-size="{SMALL}" fill="{GREY}" text-anchor="middle">'
        yield f"{escape(number(value))}</text>"
    for value in ticks(*seen.y):
        _, y = seen.place(seen.x[0], value)
        yield f'<path d="M{LEFT} {y:.1f}H{LEFT + SIDE}" stroke="{PALE}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 7:.1f}" font-size="{SMALL}" fill="{GREY}" text-anchor="end">'
        yield f"{escape(number(value))}</text>"


def ticks(low: float, high: float) -> Sequence[float]:
    """Return a few round numbers in an interval.

    >>> ticks(-1.15, 1.15), ticks(-230.0, 1240.0)
    ([-1.0, 0.0, 1.0], [0.0, 500.0, 1000.0])
    """
    rough = (high - low) / 4.4
    power = 10.0 ** floor(log10(rough))
    step = next(one * power for one in (1, 2, 5, 10) if one * power >= rough)
    first = -floor(-low / step)
    found = [round(k * step, 12) for k in range(first, floor(high / step) + 1)]
    return [0.0 if one == 0 else one for one in found]
