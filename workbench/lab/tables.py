"""Tables as text for the terminal, as HTML for notebooks, as markdown for the figures' index."""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import shorten
from typing import Any

VERDICT_COLUMNS = ("id", "statement", "verdict", "test", "level", "trials", "n", "estimate", "interval")
SHORT = 22  # characters that stay on one line: numbers and intervals
Rows = Sequence[Sequence[str]]


def text(header: Sequence[str], rows: Rows) -> str:
    """Return an aligned table for a terminal.

    >>> print(text(["id", "verdict"], [["G1", "HOLDS"]]))
    id  verdict
    --  -------
    G1  HOLDS
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def html(header: Sequence[str], rows: Rows) -> str:
    """Return an HTML table."""
    head = "".join(f'<th scope="col" style="text-align:left">{escape(cell)}</th>' for cell in header)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
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


def _cell(cell: str) -> str:
    wrap = ";white-space:nowrap" if len(cell) <= SHORT else ""
    return f'<td style="text-align:left{wrap}">{escape(cell)}</td>'


def verdict_row(verdict: Mapping[str, Any], width: int = 1000) -> list[str]:
    """Return one verdict, in its JSON form, as cells of `VERDICT_COLUMNS`."""
    return [
        str(verdict["id"]),
        shorten(str(verdict["statement"]), width, placeholder=" ..."),
        str(verdict["status"]),
        *(show(verdict.get(name)) for name in ("test", "level", "trials", "n", "estimate", "interval")),
    ]


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
