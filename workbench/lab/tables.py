"""Tables as text for the terminal, as HTML for notebooks, as markdown for the figures' index."""

import json
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from shutil import get_terminal_size
from textwrap import wrap
from typing import TextIO
from unicodedata import category

SHORT = 22  # characters that stay on one line: numbers and intervals
PAGE = 100  # columns of a page that is no terminal
SPACE, NARROW = "  ", 20  # between columns of a table, and the least that the widest of them has
COMMANDS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # categories of characters
Rows = Sequence[Sequence[str]]


def page_width() -> int:
    """Return the columns of the terminal, 60 at least, and 100 where the output goes elsewhere."""
    return max(60, get_terminal_size().columns) if sys.stdout and sys.stdout.isatty() else PAGE


def say(words: str, to: TextIO | None = None) -> None:
    """Print words with their control characters escaped, which a terminal would obey."""
    try:
        print(printable(words), file=to, flush=True)
    except OSError as error:
        error.filename = "stdout" if to is None else "stderr"
        raise


def give_up_on_stdout() -> None:
    """Write no more to standard output if it takes no more, also not what is left when the process ends."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        sys.stdout = None


def printable(words: str) -> str:
    r"""Return words with control characters escaped, also where they are JSON.

    >>> print(printable("a\x1b[31mred"))
    a\u001b[31mred
    """
    obeyed = {one for one in words if category(one) in COMMANDS} - {"\n", "\t"}
    return "".join(json.dumps(one)[1:-1] if one in obeyed else one for one in words)


def text(header: Sequence[str], rows: Rows, width: int | None = None) -> str:
    """Return an aligned table for a terminal; what is longer than a page's width is wrapped in its cell.

    >>> print(text(["id", "verdict"], [["G1", "HOLDS"]]))
    id  verdict
    --  -------
    G1  HOLDS
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    if width is not None:  # the widest column gives way
        room = width - len(SPACE) * (len(widths) - 1)
        widest = widths.index(max(widths))
        widths[widest] = min(widths[widest], max(NARROW, room - sum(widths) + widths[widest]))
    rules = ["-" * wide for wide in widths]
    lines = [part for line in (header, rules, *rows) for part in zip_longest(*map(wrapped, line, widths))]
    return "\n".join(_line(part, widths) for part in lines)


def fields(pairs: Iterable[tuple[str, str]], width: int) -> str:
    """Return names with what is said of each, wrapped beside it; a name of which nothing is said is left out.

    >>> print(fields([("verdict", "HOLDS"), ("reason", "")], 40))
    verdict  HOLDS
    """
    said = {name: words.splitlines() for name, words in pairs if words}
    label, lines = max(map(len, said), default=0), list[str]()
    for name, parts in said.items():
        cells = [one for part in parts for one in wrapped(part, width - label - len(SPACE))]
        lines += [_line(pair, (label, 0)) for pair in zip_longest([name], cells)]
    return "\n".join(lines)


def _line(cells: Sequence[str | None], widths: Sequence[int]) -> str:
    return SPACE.join((cell or "").ljust(wide) for cell, wide in zip(cells, widths, strict=True)).rstrip()


def wrapped(words: str, width: int) -> list[str]:
    """Return lines of at most so many characters, one at least."""
    return wrap(words, width, break_on_hyphens=False) or [""]


def shortened(words: str, width: int) -> str:
    """Return words cut to so many characters, at a word where there is one, with an ellipsis.

    >>> shortened("a clipped mean", 10)
    'a clipped…'
    """
    lines = wrapped(" ".join(words.split()), width)
    if len(lines) == 1:
        return lines[0]
    return wrapped(words, width - 1)[0].rstrip(",;:. ") + "…"


def html(header: Sequence[str], rows: Rows) -> str:
    from html import escape  # which a table for a terminal need not load

    def shown(cell: str) -> str:
        wrap = ";white-space:nowrap" if len(cell) <= SHORT else ""
        return f'<td style="text-align:left{wrap}">{escape(cell)}</td>'

    head = "".join(f'<th scope="col" style="text-align:left">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(map(shown, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def markdown(header: Sequence[str], rows: Rows) -> str:
    r"""Return a markdown table.

    >>> print(markdown(["id"], [["a|b"]]))
    | id |
    |---|
    | a\|b |
    """
    lines = [header, *rows]
    text_lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([text_lines[0], "|" + "---|" * len(header), *text_lines[1:]])


def show(value: object) -> str:
    """Return a number, a pair or a word in four digits.

    >>> show(0.123456), show([0.5, 2.0]), show(4000), show(None)
    ('0.1235', '[0.5, 2]', '4000', '')
    """
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
