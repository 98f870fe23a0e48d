r"""The letters of a notebook's mathematics: where each stands first, and whether it is defined by then.

Which words define a letter is a matter of reading, so they are written down, in `symbols.toml`, for every
notebook whose letters are held. A letter without such words, or one that is used before the paragraph in
which they stand, is a fault.

>>> letters(r"$\tfrac\varepsilon\mu + \mathrm E X'$ of $n$")
['\\varepsilon', '\\mu', 'E', 'X', 'n']
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.lab.schemas import nbformat

WORDS = Path(__file__).with_name("symbols.toml")
MATH = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
TOKEN = re.compile(r"\\(?:text|operatorname)\{[^}]*\}|\\mathrm\s*\{?([A-Za-z]+)\}?|(\\[A-Za-z]+)|([A-Za-z])")
GREEK = "alpha beta gamma delta varepsilon zeta eta theta kappa lambda mu nu xi rho sigma tau psi chi omega"
CAPITALS = "Gamma Delta Theta Lambda Sigma Phi Psi Omega"
LETTERS = {f"\\{name}" for name in f"{GREEK} {CAPITALS}".split()} | {r"\Pr"}
CONSTANTS = {"e"}  # Euler's number, which nobody defines
ROW = re.compile(r"^\| (.+?) \|", re.MULTILINE)


@dataclass(frozen=True)
class Symbol:
    """A letter of a notebook: where it stands first, and where the paragraph that defines it begins.

    `defined` is None where no words are written down, or where the notebook does not have them.
    """

    letter: str
    first: int
    defined: int | None
    words: str = ""

    @property
    def fault(self) -> str:
        """What is wrong with it; empty for nothing."""
        if self.defined is None:
            return f"{self.letter} is nowhere defined" + f" by {self.words!r}" * bool(self.words)
        early = self.first < self.defined
        return f"{self.letter} is used before {self.words!r}" if early else ""


def symbols(path: Path) -> list[Symbol]:
    """Return the letters of a notebook in the order in which they come."""
    text, words = prose(path), definitions().get(path.stem, {})
    found: dict[str, int] = {}
    for place, letter in _places(text):
        found.setdefault(letter, place)
    return [_symbol(letter, first, text, words.get(letter, "")) for letter, first in found.items()]


def _symbol(letter: str, first: int, text: str, words: str) -> Symbol:
    place = text.find(words) if letter in letters(words) else -1
    return Symbol(letter, first, None if place < 0 else text.rfind("\n", 0, place) + 1, words)


def listing(path: Path) -> str:
    """Return one line for every letter: what defines it, and what is wrong."""
    return "\n".join(f"{one.letter:12} {one.fault or one.words}" for one in symbols(path))


def prose(path: Path) -> str:
    """Return the text cells of a notebook, a paragraph a line."""
    cells = nbformat().read(path, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    paragraphs = re.split(r"\n[> ]*\n", text)
    return "\n".join(" ".join(re.sub(r"^> ?", "", one, flags=re.MULTILINE).split()) for one in paragraphs)


def letters(text: str) -> list[str]:
    """Return the letters of the mathematics in a text, in their order, without constants."""
    return [letter for _, letter in _places(text)]


def notation(path: Path) -> list[str]:
    """Return the letters of the first column of a notebook's table of symbols."""
    cells = nbformat().read(path, as_version=4).cells
    (table,) = (cell.source for cell in cells if cell.source.startswith("## Notation"))
    return [letter for row in ROW.findall(table) for letter in letters(row)]


def definitions() -> Mapping[str, Mapping[str, str]]:
    """Return the words that define a letter, by notebook and letter."""
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


def _places(text: str) -> Iterator[tuple[int, str]]:
    for formula in MATH.finditer(text):
        for token in TOKEN.finditer(formula[0]):
            letter = token[1] or token[3] or (token[2] if token[2] in LETTERS else "")
            if letter and letter not in CONSTANTS:
                yield formula.start() + token.start(), letter
