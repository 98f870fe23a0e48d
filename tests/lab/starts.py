"""What the cells of a notebook ask `explore` for, with parameters of our choice."""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from unittest.mock import patch

POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@dataclass(frozen=True)
class Asked:
    """One call of `explore`."""

    view: object
    alt: str
    controls: dict


def cells(path):
    """Return the source of every code cell."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


@dataclass(frozen=True)
class Solved:
    """One call of `solve`, and what the notebook says above it."""

    key: str
    starts: dict
    said: str


def ready(path, out, **parameters):
    """Return the names after parameters and set-up were run, and the cells that follow."""
    names = {}
    given, setup, *others = cells(path)
    exec(given, names)
    names.update(parameters, out=str(out))
    exec(setup, names)
    return names, others


def solved(path, out, **parameters):
    """Return every call of `solve`."""
    calls, (names, _) = [], ready(path, out, **parameters)
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for above, cell in pairwise(found):
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "lab.solve(" in source:
            said = " ".join("".join(above["source"]).split())
            record = lambda key, said=said, **starts: calls.append(Solved(key, starts, said))  # noqa: E731
            with patch("workbench.lab.live.solve.solve", record):
                exec(source, names)
    return calls


def asked(path, out, **parameters):
    """Return every call of `explore`, after parameters and set-up were run."""
    calls, (names, others) = [], ready(path, out, **parameters)

    def explore(view, *, alt, **controls):
        calls.append(Asked(view, alt, controls))

    names["explore"] = explore
    for cell in others:
        if cell.startswith(("explore(", "lab.explore(")):
            with patch("workbench.lab.live.session.explore", explore):
                exec(cell, names)
    return calls


def power(found):
    """Return a power of ten as one types it; what follows an e is one already."""
    return "1e" * found[0].startswith("10") + found[1].translate(POWERS)


def spoken(label, words):
    """The numbers that a text says of a symbol."""
    words = words.replace("\u2009", "")  # between thousands
    words = re.sub("·10(?=[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])", "e", words)
    words = re.sub("(?:10|(?<=e))([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", power, words)
    pattern = rf"(?<![\w{{/|]){re.escape(label)} = (\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)"
    return [number.replace(",", "") for number in re.findall(pattern, words)]
