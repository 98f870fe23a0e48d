"""How a picture speaks: the name, hue and marker of every method, numbers as they are read, lines, ticks.

A hue belongs to an idea: what clips at the range it is given is vermilion, what finds its place step by step
blue, what needs no range green, a vote of groups purple, one filter or median a column orange, what trusts
resilient rows olive. Ideas that are not methods, such as noise or sampling, have keys of their own. Ordered
parameters have no hue but a place on a ramp (`Series.rank`).
"""

import re
import tomllib
from collections.abc import Sequence
from math import ceil, floor, log10
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

KNOWN = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))
INK, GREY, SLATE = (KNOWN["hues"][one] for one in ("ink", "grey", "slate"))


class Method(NamedTuple):
    """What a method is called in a picture, and its colour and marker."""

    name: str
    hue: str
    marker: str


METHODS = {
    key: Method(name, KNOWN["hues"][hue], marker) for key, (name, hue, marker) in KNOWN["methods"].items()
}


def name(key: str) -> str:
    """Return what a method is called in a picture.

    >>> name("mean/coinpress"), name("univariate/clipped-mean:paper")
    ('CoinPress', "clipped mean, paper's constants")
    """
    owner, _, variant = key.partition(":")
    return METHODS[owner].name + (", paper's constants" if variant == "paper" else "")


class Look(NamedTuple):
    """Colour and marker of a series; a hollow marker is that of a paper's constants."""

    colour: str
    marker: str
    hollow: bool = False


def look(key: str, rank: float | None = None) -> Look:
    """Return the look of a colour key, at a place on the ramp of its hue, from light at 0 to dark at 1.

    >>> look("non-private").colour, look("mean/coinpress:paper").hollow
    ('#222222', True)
    >>> look("", 0.0).colour, look("", 1.0).colour
    ('#a1b0bf', '#1f2f3f')
    """
    owner, _, variant = key.partition(":")
    _, hue, marker = METHODS[owner]
    if rank is None:
        return Look(hue, marker, bool(variant))
    toward, share = (255, 0.52 * (1 - 2 * rank)) if rank < 0.5 else (0, 0.48 * (2 * rank - 1))
    parts = (int((hue if owner else SLATE)[k : k + 2], 16) for k in (1, 3, 5))
    shade = "#" + "".join(f"{round(part + share * (toward - part)):02x}" for part in parts)
    return Look(shade, marker if owner else "o", bool(variant))


MATH = re.compile(r"\$[^$]*\$")
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def power(value: float, digits: int = 3) -> str:
    """Return a number with a power of ten.

    >>> power(15_000), power(1e5), power(1e-6), power(9487, 1)
    ('1.5·10⁴', '10⁵', '10⁻⁶', '9·10³')
    """
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    ten = "10" + str(int(exponent)).translate(RAISED)
    return {1.0: ten, -1.0: f"-{ten}"}.get(float(mantissa), f"{float(mantissa):g}·{ten}")


def number(value: float, digits: int = 3) -> str:
    r"""Return a number as it is read: thousands apart, small and huge ones with a power of ten.

    >>> number(0.05), number(30_000), number(1234), number(1e-6), number(2.5e9), number(-0.5), number(0)
    ('0.05', '30\u2009000', '1234', '10⁻⁶', '2.5·10⁹', '-0.5', '0')
    """
    if value == 0 or 0.001 <= abs(value) < 10_000:
        return f"{value:.{max(digits, 4)}g}" if abs(value) >= 1000 else f"{value:.{digits}g}"
    if 10_000 <= abs(value) < 1_000_000:
        return f"{round(value):,}".replace(",", "\u2009")
    return power(value, digits)


def wrapped(text: str, most: float) -> list[str]:
    r"""Return the lines of a text, of about `most` characters, unbroken in mathematics and beside signs.

    >>> wrapped("ten words of $x + y$ mathematics", 12)
    ['ten words of', '$x + y$', 'mathematics']
    >>> wrapped("of 30\u2009000 rows", 8)
    ['of', '30\u2009000', 'rows']
    >>> wrapped("with ten rows, ξ = 0.05", 20)
    ['with ten rows,', 'ξ = 0.05']
    """
    sets = iter(MATH.findall(text))
    plain = lambda found: "\0" * len(re.sub(r"[${}_^ ]", "", re.sub(r"\\[A-Za-z]+", "x", found[0])))  # noqa: E731
    whole = re.sub(r" ([=<>≤≥≈]) ", "\1\\1\1", MATH.sub(plain, text))
    lines = wrap(whole, max(int(most), 1), break_long_words=False, break_on_hyphens=False)
    return [re.sub("\0+", lambda _: next(sets), line).replace("\1", " ") for line in lines]


def log_rounds(low: float, high: float, steps: Sequence[float] = (1, 2, 5)) -> list[float]:
    """Return round numbers of decades, from below one positive number to above another."""
    decades = range(floor(log10(low)) - 1, ceil(log10(high)) + 2)
    return [float(f"{step}e{decade}") for decade in decades for step in steps]


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return round numbers between two positive limits: decades, or 1-2-5 steps when decades are few.

    >>> log_ticks(0.9, 2e6, most=4), log_ticks(12, 130)
    ([1.0, 100.0, 10000.0, 1000000.0], [20.0, 50.0, 100.0])
    """
    first, last = ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)
    if last - first >= 2:
        return [10.0**k for k in range(first, last + 1, ceil((last - first + 1) / most))]
    for steps in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7), [1 + step / 10 for step in range(90)]):
        every = log_rounds(low, high, steps)
        ticks = [tick for tick in every if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(ticks) >= 3:
            break
    return ticks[:: ceil(len(ticks) / most)]


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Return the ticks in words: plain numbers where all are short, powers of ten otherwise.

    >>> tick_labels([0.01, 1.0]), tick_labels([1e-6, 1.0]), tick_labels([2e5, 5e5]), tick_labels([-1, 0.5])
    (['0.01', '1'], ['10⁻⁶', '1'], ['2·10⁵', '5·10⁵'], ['−1', '0.5'])
    """
    largest, least = max(map(abs, ticks), default=1.0), min(ticks, default=0.0)
    if least <= 0 or (least >= 1e-3 and largest <= 9999):
        return [f"{tick:.6g}".replace("-", "−") for tick in ticks]
    return [f"{tick:g}" if 1 <= tick < 100 else power(tick, 4) for tick in ticks]
