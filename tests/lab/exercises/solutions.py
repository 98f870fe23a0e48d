"""The exercises of a notebook, and the numbers that stand in a text."""

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent

import numpy as np

PLAIN = (
    (r"(?<=\d) (?=\d{3}\b)", ""),  # 127 000
    (r" \\cdot 10\^\{?(-?\d+)\}?", r"e\1"),
    (r"\b10\^\{?(-?\d+)\}?", r"1e\1"),
)
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?: %)?|(?<=[\\_^{(])\d+|(?<=\w)\d+")
WORDS = re.compile(
    r"\b(three|four|five|six|seven|eight|nine|ten|half|third|quarter|fifth|tenth|twentieth|twice|thrice"
    r"|dozens?|hundreds?|thousands?|millions?)\b(?!-)"
)
FENCED = re.compile(r"^ *```python\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
NAMES = re.compile(r"`[^`]*`|\bFigure \d+\b|\bclaim [A-Z]+\d+(?:\.\d+)?\b")  # of things, not of sizes


class Shown(float):
    """A number as it is printed, with one unit of its last digit."""

    unit: float

    @classmethod
    def of(cls, token):
        digits, percent = token.removesuffix(" %"), token.endswith(" %")
        mantissa, _, power = digits.partition("e")
        by = 10.0 ** int(power or 0) / (100 if percent else 1)
        shown = cls(float(mantissa) * by)
        shown.unit = by * 10.0 ** -len(mantissa.partition(".")[2])
        return shown

    def rounds(self, value):
        """Return whether it is what a number reads when it is rounded to these digits."""
        return abs(self - value) <= 0.5001 * self.unit


@dataclass(frozen=True)
class Said:
    """Words of a solution, and whether the numbers in them are those that a computation finds."""

    words: str
    holds: Callable[..., bool] | None = None

    def right(self, question):
        """Return whether the numbers hold; without a computation they are those of the question."""
        found = numbers(self.words)
        if self.holds is None:
            return set(found) <= set(numbers(question))
        return bool(self.holds(*found))


@dataclass(frozen=True)
class Exercise:
    """One question and its solution, on one line each."""

    question: str
    solution: str


def numbers(words):
    """Return the numbers of a text in their order."""
    for pattern, plain in PLAIN:
        words = re.sub(pattern, plain, words)
    return [Shown.of(token) for token in NUMBER.findall(words)]


def unexplained(solution, said):
    """Return what is left of a solution that still counts something."""
    for one in said:
        assert one.words in solution, one.words
        solution = solution.replace(one.words, " ", 1)
    left = NAMES.sub(" ", solution)
    return [*re.findall(r".{0,20}\d+.{0,20}", left), *WORDS.findall(left)]


def asked_and_told(path):
    """Return the text of the exercises of a notebook, and that of their solutions, which is the next cell."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    (place,) = (place for place, one in enumerate(texts) if one.startswith("## Exercises"))
    return texts[place], texts[place + 1]


def exercises(path):
    """Return the exercises of a notebook, by number."""
    asked, told = asked_and_told(path)
    pairs = zip(_items(asked), _items(told), strict=True)
    return {place: Exercise(*pair) for place, pair in enumerate(pairs, 1)}


def functions(path, name="mine"):
    """Return a function as a cell of a notebook has it, and as the solution of the exercise has it."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    _, told = asked_and_told(path)
    (asked,) = (one for one in texts if f"\ndef {name}(" in one and one != told)
    return tuple(_defined(code, name) for code in (asked, dedent(FENCED.search(told)[1])))


def _defined(code, name):
    (found,) = (one for one in ast.parse(code).body if isinstance(one, ast.FunctionDef) and one.name == name)
    space = {"np": np}
    exec(compile(ast.Module([found], []), name, "exec"), space)
    return space[name]


def _items(text):
    parts = re.split(r"^\d\. ", text, flags=re.MULTILINE)[1:]
    return [" ".join(part.partition("</details>")[0].split()) for part in parts]
