"""The words of a picture: numbers as they are read, and lines that end between words."""

import re

from workbench.charts.ticks import SUPERSCRIPT

SPACE = "\u2009"  # thin, between thousands
MATH = re.compile(r"\$[^$]*\$")
COMMAND = re.compile(r"\\[A-Za-z]+")


def number(value: float, digits: int = 3) -> str:
    r"""Return a number as it is read: thousands apart, small and huge ones with a power of ten.

    >>> number(0.05), number(30_000), number(1234), number(1e-6), number(2.5e9), number(-0.5), number(0)
    ('0.05', '30\u2009000', '1234', '10⁻⁶', '2.5·10⁹', '-0.5', '0')
    """
    if value == 0 or 0.001 <= abs(value) < 10_000:
        return f"{value:.{max(digits, 4)}g}" if abs(value) >= 1000 else f"{value:.{digits}g}"
    if abs(value) < 1_000_000 and abs(value) >= 1 and f"{value:.{digits}g}" == f"{value:.12g}":
        return f"{value:,.0f}".replace(",", SPACE)
    if 10_000 <= abs(value) < 1_000_000:
        return f"{round(value):,}".replace(",", SPACE)
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    ten = "10" + str(int(exponent)).translate(SUPERSCRIPT)
    return {1.0: ten, -1.0: f"-{ten}"}.get(float(mantissa), f"{float(mantissa):g}·{ten}")


def extent(text: str) -> int:
    r"""Return about how many characters wide a text is; what stands between dollars is set as mathematics.

    >>> extent("error"), extent(r"$P_{v+1}$ of $\alpha$")
    (5, 9)
    """
    return len(MATH.sub(lambda found: re.sub(r"[${}_^\\]", "", COMMAND.sub("x", found[0])), text))


def wrapped(text: str, most: int) -> list[str]:
    r"""Return the lines of a text, of about `most` characters, none broken within mathematics.

    >>> wrapped("ten words of $x + y$ mathematics", 12)
    ['ten words of', '$x + y$', 'mathematics']
    >>> wrapped("of 30\u2009000 rows", 8)
    ['of', '30\u2009000', 'rows']
    """
    protected = MATH.sub(lambda found: found[0].replace(" ", "\0"), text)
    lines: list[str] = []
    for word in filter(None, protected.split(" ")):  # not at the thin space between thousands
        if lines and extent(f"{lines[-1]} {word}") <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [line.replace("\0", " ") for line in lines]
