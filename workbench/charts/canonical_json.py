"""JSON text that depends on the content alone: sorted keys, short numbers, one line per list of scalars.

>>> print(dumps({"y": [1.0, 2.5], "x": {}}), end="")
{
 "x": {},
 "y": [1.0, 2.5]
}
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, TextIO

from workbench.errors import ArgumentError


def number(value: float) -> float | str:
    """Return `value` with six significant digits; what JSON has no word for becomes a string.

    >>> number(1 / 3), number(float("-inf"))
    (0.333333, '-inf')
    """
    short = float(f"{float(value):.6g}")
    return short if abs(short) <= 1.7976e308 else str(short)


def dumps(content: object) -> str:
    """Return the one text of `content`, ending in a newline."""
    return _text(content, "\n") + "\n"


def write(path: Path, content: object) -> None:
    """Write `content` to `path`, all of it or nothing."""
    with replacing(path) as file:
        file.write(dumps(content))


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Yield a new file beside `path` that takes its place in the end, so that no reader sees half of it."""
    part = path.with_name(f".{token_hex(8)}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            yield file
        part.replace(path)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise
    finally:
        part.unlink(missing_ok=True)


def require_free(argument: str, path: Path) -> None:
    """Raise unless a path is new: what stands there may be a release, which was paid for."""
    try:
        path.lstat()
    except FileNotFoundError:
        if path.parent.is_dir():
            return
        raise ArgumentError(argument, str(path), "a file in a folder that exists") from None
    except (OSError, ValueError):
        raise ArgumentError(argument, str(path), "the name of a file") from None
    raise ArgumentError(argument, str(path), "a new file: nothing is overwritten")


def read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ArgumentError("file", str(path), "JSON") from None


def _text(content: object, line: str) -> str:
    if isinstance(content, dict):
        parts = [f"{_scalar(str(key))}: {_text(content[key], line + ' ')}" for key in sorted(content)]
        return "{" + f",{line} ".join(["", *parts])[1:] + f"{line}}}" if parts else "{}"
    if not isinstance(content, list | tuple):
        return _scalar(content)
    if any(isinstance(one, dict | list | tuple) for one in content):
        return "[" + f",{line} ".join(["", *(_text(one, line + " ") for one in content)])[1:] + f"{line}]"
    return "[" + ", ".join(map(_scalar, content)) + "]"


def _scalar(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)
