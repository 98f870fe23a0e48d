"""How a picture speaks: the name, hue and marker of every method, numbers as they are read, lines, ticks.

A hue belongs to an idea: what clips at the range it is given is vermilion, what finds its place step by step
blue, what needs no range green, a vote of groups purple, one filter or median a column orange, what trusts
resilient rows olive. Ideas that are not methods, such as noise or sampling, have keys of their own. Ordered
parameters have no hue but a place on a ramp (`Series.rank`).
"""

import re
from collections.abc import Sequence
from math import ceil, floor, log10
from textwrap import wrap
from typing import NamedTuple

INK, GREY = "#222222", "#6b6b6b"
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#B04A8B"
ORANGE, SKY, WINE, INDIGO = "#D98C00", "#3E9FD6", "#882255", "#4B3FA0"
BROWN, OLIVE, SLATE = "#8C510A", "#6B7A00", "#3B5B7A"


class Method(NamedTuple):
    """What a method is called in a picture, and its colour and marker."""

    name: str
    hue: str = GREY
    marker: str = "o"


METHODS = {
    "": Method(""),
    "non-private": Method("no privacy", INK, "."),
    "univariate/bounded-mean": Method("mean within bounds", INK, "s"),
    "univariate/count": Method("count", OLIVE, "o"),
    "univariate/histogram": Method("histogram", SLATE, "s"),
    "univariate/clipped-mean": Method("clipped mean", VERMILION, "s"),
    "univariate/two-step-mean": Method("two-step mean", BLUE, "o"),
    "univariate/unbounded-mean": Method("mean without a range", GREEN, "^"),
    "univariate/median": Method("median", ORANGE, "v"),
    "univariate/quantiles": Method("many quantiles", BLUE, "P"),
    "univariate/histogram-location": Method("histogram on a range", BLUE, "D"),
    "univariate/stable-location": Method("histogram without a range", GREEN, "D"),
    "univariate/scale": Method("standard deviation", OLIVE, "P"),
    "univariate/interval": Method("interval, σ known", BLUE, "s"),
    "univariate/interval-unknown-variance": Method("interval, nothing known", GREEN, "s"),
    "univariate/interval-mean": Method("interval, any distribution", ORANGE, "s"),
    "range/box": Method("box", ORANGE, "s"),
    "range/ball": Method("ball", BLUE, "o"),
    "mean/empirical": Method("sample mean", INK, "."),
    "mean/clipped-box": Method("clipped mean", VERMILION, "s"),
    "mean/coordinatewise": Method("column by column", ORANGE, "v"),
    "mean/coinpress": Method("CoinPress", BLUE, "o"),
    "mean/adaptive": Method("adaptive, any scales", SLATE, "^"),
    "mean/populous": Method("vote of groups", PURPLE, "D"),
    "mean/affine": Method("lifted quantile", SLATE, "o"),
    "mean/median-of-means": Method("vote of medians", INDIGO, "P"),
    "mean/clipped-heavy": Method("shrinking ball, heavy tails", BROWN, "P"),
    "mean/filter-nonprivate": Method("filter, no privacy", OLIVE, "X"),
    "mean/populous-robust": Method("robust vote of groups", WINE, "v"),
    "mean/filter": Method("private filter", SKY, "^"),
    "mean/prime": Method("PRIME", GREEN, "P"),
    "mean/prime-heavy": Method("PRIME, heavy tails", GREEN, "D"),
    "mean/robust": Method("row-by-row filter", WINE, "X"),
    "mean/robust-heavy": Method("row-by-row filter, heavy tails", WINE, "D"),
    "mean/tukey": Method("Tukey median", INDIGO, "v"),
    "mean/resilient": Method("resilient mean", OLIVE, "^"),
    "mean/resilient-heavy": Method("resilient mean, heavy tails", OLIVE, "D"),
    "covariance/empirical": Method("sample covariance", INK, "."),
    "covariance/clipped": Method("one noisy step", VERMILION, "s"),
    "covariance/coinpress": Method("CoinPress", BLUE, "o"),
    "covariance/heavy-tailed-naive": Method("one noisy step, heavy tails", VERMILION, "D"),
    "covariance/heavy-tailed": Method("preconditioned, heavy tails", BLUE, "P"),
    "covariance/pure-net": Method("public net", BROWN, "v"),
    "covariance/populous": Method("vote of groups", PURPLE, "D"),
    "covariance/unbounded": Method("votes of blocks", GREEN, "^"),
    "covariance/perturbed": Method("noise on every entry", VERMILION, "v"),
    "covariance/adaptive": Method("adaptive, denoised", SLATE, "o"),
    "covariance/thresholded": Method("thresholded", SKY, "o"),
    "covariance/local-thresholded": Method("thresholded, noise at every user", ORANGE, "v"),
    "covariance/filter-nonprivate": Method("filter, no privacy", OLIVE, "X"),
    "covariance/populous-robust": Method("robust vote of groups", WINE, "X"),
    "covariance/matrix-quantile": Method("matrix quantile", WINE, "o"),
    "spectral/eigenvalues": Method("eigenvalues", SKY, "o"),
    "spectral/subspace-aggregate": Method("vote of blocks", GREEN, "s"),
    "spectral/subspace-exact": Method("vote of groups of d rows", PURPLE, "s"),
    "spectral/preconditioner": Method("preconditioner", BROWN, "P"),
    "gaussian/coinpress": Method("CoinPress", BLUE, "o"),
    "gaussian/populous-robust": Method("robust vote of groups", WINE, "X"),
    "gaussian/unbounded": Method("votes of blocks", GREEN, "^"),
    "gaussian/populous": Method("vote of groups", PURPLE, "D"),
    "gaussian/lifted": Method("lifted quantile", SLATE, "o"),
    "idea/noise": Method("noise", VERMILION, "s"),
    "idea/bias": Method("bias", BLUE, "o"),
    "idea/sampling": Method("sampling", GREY, "."),
    "idea/total": Method("all together", INK, "o"),
    "idea/data": Method("data", GREY, "."),
    "idea/laplace": Method("Laplace noise", GREEN, "^"),
    "idea/gaussian": Method("Gaussian noise", PURPLE, "D"),
    "idea/first": Method("X", BLUE, "o"),
    "idea/second": Method("X'", VERMILION, "s"),
    "idea/bad": Method("corrupted", VERMILION, "X"),
    "idea/good": Method("good", BLUE, "o"),
    "idea/right": Method("right", GREEN, "o"),
    "idea/wrong": Method("wrong", VERMILION, "X"),
    "idea/holds": Method("holds", GREEN, "o"),
    "idea/open": Method("undecided", GREY, "s"),
    "idea/refuted": Method("refuted", VERMILION, "X"),
    "idea/silent": Method("no answer", GREY, "s"),
    "idea/public": Method("public", ORANGE, "."),
    "idea/limit": Method("impossible", GREY, "."),
    "yours/1": Method("yours", BROWN, "X"),
    "yours/2": Method("yours, too", SKY, "P"),
    "yours/3": Method("a third of yours", OLIVE, "v"),
    "yours/4": Method("a fourth of yours", WINE, "D"),
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
    r"""Return the lines of a text, of about `most` characters, none broken within mathematics.

    >>> wrapped("ten words of $x + y$ mathematics", 12)
    ['ten words of', '$x + y$', 'mathematics']
    >>> wrapped("of 30\u2009000 rows", 8)
    ['of', '30\u2009000', 'rows']
    """
    sets = iter(MATH.findall(text))
    plain = lambda found: "\0" * len(re.sub(r"[${}_^ ]", "", re.sub(r"\\[A-Za-z]+", "x", found[0])))  # noqa: E731
    lines = wrap(MATH.sub(plain, text), max(int(most), 1), break_long_words=False, break_on_hyphens=False)
    return [re.sub("\0+", lambda _: next(sets), line) for line in lines]


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
