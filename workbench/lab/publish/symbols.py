r"""The letters and terms of a notebook: where each stands first, and whether it is defined by then.

Which words define a letter or a term is a matter of reading, so they are written down, in `symbols.toml`, for
every notebook that is held to it. A letter without such words, or one that is used before the paragraph in
which they stand, is a fault. Letters are those of formulas, and Greek ones wherever they stand. Headings,
what a notebook teaches ("After this you can") and the folded list of its claims may be ahead of it.

>>> letters(r"$\tfrac\varepsilon\mu + \mathrm E X'$ of $n$, and δ, but not `δ`")
['\\varepsilon', '\\mu', 'E', 'X', 'n', '\\delta']
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.lab.schemas import nbformat

WORDS = Path(__file__).with_name("symbols.toml")
PIECE = re.compile(r"\$\$.+?\$\$|\$.+?\$|`[^`]*`|[α-ωΑ-Ωᵋ]", re.DOTALL)
TOKEN = re.compile(r"\\(?:text|operatorname)\{[^}]*\}|\\mathrm\s*\{?([A-Za-z]+)\}?|(\\[A-Za-z]+)|([A-Za-z])")
GREEK = "alpha beta gamma delta varepsilon zeta eta theta kappa lambda mu nu xi rho sigma tau psi chi omega"
CAPITALS = "Gamma Delta Theta Lambda Sigma Phi Psi Omega"
NAMES = f"{GREEK} {CAPITALS}".split()
LETTERS = {f"\\{name}" for name in NAMES} | {r"\Pr"}
PLAIN = dict(zip("αβγδεζηθκλμνξρστψχωΓΔΘΛΣΦΨΩ", NAMES, strict=True)) | {"ᵋ": "varepsilon"}
HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
AHEAD = "After this you can"  # begins the list of what a notebook teaches
CLAIMS = "committed-verdicts"  # the cell with the claims
CONSTANTS = {"e"}  # Euler's number, which nobody defines
ROW = re.compile(r"^\| (.+?) \|", re.MULTILINE)


@dataclass(frozen=True)
class Symbol:
    """A letter or term of a notebook: where it stands first, and where the paragraph that defines it begins.

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
    text, words = prose(path), definitions("letters").get(path.stem, {})
    found: dict[str, int] = {}
    for place, letter in _places(text):
        found.setdefault(letter, place)
    return [
        _symbol(letter, first, text, words.get(letter, ""), letters(words.get(letter, "")))
        for letter, first in found.items()
    ]


def terms(path: Path) -> list[Symbol]:
    """Return the terms that a notebook has to define, in the order in which they are written down."""
    text = prose(path)
    found = []
    for term, words in definitions("terms").get(path.stem, {}).items():
        begins = re.compile(rf"(?<!\w){term}", re.IGNORECASE)
        first = begins.search(text)
        place = len(text) if first is None else first.start()
        found.append(_symbol(term, place, text, words, [term] * bool(begins.search(words))))
    return found


def _symbol(name: str, first: int, text: str, words: str, inside: Collection[str]) -> Symbol:
    place = text.find(words) if name in inside else -1
    return Symbol(name, first, None if place < 0 else text.rfind("\n", 0, place) + 1, words)


def listing(path: Path) -> str:
    """Return one line for every letter, then for every term: what defines it, and what is wrong."""
    return "\n".join(f"{one.letter:12} {one.fault or one.words}" for one in (*symbols(path), *terms(path)))


def prose(path: Path) -> str:
    """Return the text cells of a notebook, a paragraph a line, without what may be ahead of it."""
    cells = nbformat().read(path, as_version=4).cells
    read = (cell.source for cell in cells if cell.cell_type == "markdown" and cell.id != CLAIMS)
    text = "\n\n".join(HEADING.sub("", one) for one in read if AHEAD not in one.partition("\n")[0])
    paragraphs = re.split(r"\n[> ]*\n", text)
    return "\n".join(" ".join(re.sub(r"^> ?", "", one, flags=re.MULTILINE).split()) for one in paragraphs)


def letters(text: str) -> list[str]:
    """Return the letters of a text, in their order, without constants."""
    return [letter for _, letter in _places(text)]


def notation(path: Path) -> list[str]:
    """Return the letters of the first column of a notebook's table of symbols."""
    cells = nbformat().read(path, as_version=4).cells
    (table,) = (cell.source for cell in cells if cell.source.startswith("## Notation"))
    return [letter for row in ROW.findall(table) for letter in letters(row)]


def definitions(kind: str) -> Mapping[str, Mapping[str, str]]:
    """Return the words that define the letters or the terms, by notebook and by letter or term."""
    found: Mapping[str, Mapping[str, str]] = tomllib.loads(WORDS.read_text(encoding="utf-8"))[kind]
    return found


def _places(text: str) -> Iterator[tuple[int, str]]:
    for piece in PIECE.finditer(text):
        if piece[0] in PLAIN:
            yield piece.start(), f"\\{PLAIN[piece[0]]}"
        elif piece[0].startswith("$"):
            yield from _of_formula(piece[0], piece.start())


def _of_formula(formula: str, start: int) -> Iterator[tuple[int, str]]:
    for token in TOKEN.finditer(formula):
        letter = token[1] or token[3] or (token[2] if token[2] in LETTERS else "")
        if letter and letter not in CONSTANTS:
            yield start + token.start(), letter
