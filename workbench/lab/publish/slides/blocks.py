"""The parts of a text in Markdown, and how much of it a slide may hold."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from workbench.errors import ArgumentError

WORDS = 25  # of text on a slide
POINT = 12  # words of an item in a list that is shortened
LEAST = 4  # words in front of a comma that can stand alone
Kind = Literal["heading", "text", "formula", "box", "steps", "points", "table", "code", "folded", "picture"]

FOLDED = re.compile(r"<details\b.*?</details>", re.DOTALL)
FENCED = re.compile(r"^```.*?^```[ \t]*$", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"\$\$.+?\$\$", re.DOTALL)
WHOLE = re.compile(
    rf"({FOLDED.pattern}|{FENCED.pattern}|^>[^\n]*(?:\n>[^\n]*)*|{FORMULA.pattern})", re.DOTALL | re.MULTILINE
)
BEGINNINGS: dict[str, Kind] = {"<": "folded", "`": "code", ">": "box", "$": "formula"}
INLINE = re.compile(r"(?<![\\$])\$(?![\s$])(?:.+?)(?<![\s\\])\$|`[^`]*`|\[[^\]]*\]\([^)]*\)", re.DOTALL)
PICTURE = re.compile(r"^(?:!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>|<picture\b.*?</picture>)\s*", re.DOTALL)
NUMBERED, BULLET = re.compile(r"^\s{0,3}\d+[.)]\s+"), re.compile(r"^\s{0,3}[*+-]\s+")
SENTENCE = re.compile(r"[.?!][*_”\"')]*(\s+)(?=[\"“'(*_\d\x00A-ZÀ-ÖΑ-Ω])")
CLAUSE = re.compile(
    r"[;:]\s|,\s(?=(?:and|or|but|so|if|which|whose|where|whatever|wherever|while|since|as|with)\b)"
)
ASIDE = re.compile(r"\s*\((?:[^()]*\b[\w-]+/[\w./-]+[^()]*)\)")  # with the name of a claim or of a statement
STOP = "\x00"  # before a masked part, which counts as one word


class Block(NamedTuple):
    """A part of a text."""

    kind: Kind
    text: str


def blocks(markdown: str) -> list[Block]:
    r"""Return the parts of a text in their order.

    >>> [block.kind for block in blocks("## A\n\nOne. $$x$$ Two.\n\n1. a\n2. b")]
    ['heading', 'text', 'formula', 'text', 'steps']
    """
    return list(_blocks(markdown))


def _blocks(markdown: str) -> Iterator[Block]:
    for place, part in enumerate(WHOLE.split(markdown)):
        if place % 2:
            yield Block(BEGINNINGS[part[0]], part)
            continue
        for paragraph in re.split(r"\n\s*\n", part):
            yield from _paragraph(paragraph.strip("\n"))


def _paragraph(text: str) -> Iterator[Block]:
    if text.startswith("#"):
        line, _, text = text.partition("\n")
        yield Block("heading", line.lstrip("#").strip())
    while found := PICTURE.match(text):
        yield Block("picture", found[0].strip())
        text = text[found.end() :]
    if not text.strip():
        return
    lines = text.splitlines()
    first = next((place for place, line in enumerate(lines) if _item(line)), len(lines))
    if 0 < first < len(lines) and not lines[0].startswith("|"):  # a list without an empty line above it
        yield Block("text", "\n".join(lines[:first]))
        lines = lines[first:]
    kind: Kind = "steps" if NUMBERED.match(lines[0]) else "points" if BULLET.match(lines[0]) else "text"
    yield Block("table" if lines[0].startswith("|") else kind, "\n".join(lines))


def _item(line: str) -> bool:
    return bool(NUMBERED.match(line) or BULLET.match(line))


def items(block: str) -> list[str]:
    r"""Return the items of a list.

    >>> items("1. one\n   more\n2. two")
    ['one\n   more', 'two']
    """
    found: list[str] = []
    for line in block.splitlines():
        start = NUMBERED.match(line) or BULLET.match(line)
        if start:
            found.append(line[start.end() :])
        elif found:
            found[-1] += f"\n{line}"
    return found


def count(text: str) -> int:
    """Return the number of words, a formula in the line being one.

    >>> count("A box costs $b d/n$, whatever.")
    5
    """
    plain = INLINE.sub(lambda found: "x" if found[0].startswith("$") else found[0], text)
    return len([word for word in plain.split() if re.search(r"\w", word)])


def sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences("One has $a. B$. Two? No.")
    ['One has $a. B$.', 'Two?', 'No.']
    """
    masked, parts = _masked(" ".join(text.split()))
    ends = [(found.start(1), found.end()) for found in SENTENCE.finditer(masked)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(masked)]
    found = [masked[start:stop].strip() for start, stop in zip(starts, stops, strict=True)]
    return [_unmasked(one, parts) for one in found if one]


def lead(text: str, limit: int = WORDS) -> tuple[str, bool]:
    """Return the first sentences that have at most so many words, and whether anything was left out.

    A first sentence that is too long is cut where a clause ends, or after the last word that fits.

    >>> lead("One is short. Two is longer.", 3)
    ('One is short.', True)
    >>> lead("Say what a box costs, and what a ball costs", 6)
    ('Say what a box costs …', True)
    """
    if limit < 1:
        raise ArgumentError("limit", limit, "1 or more")
    found = sentences(text)
    taken: list[str] = []
    for one in found:
        if count(" ".join([*taken, one])) > limit:
            break
        taken.append(one)
    if taken or not found:
        return " ".join(taken), len(taken) < len(found)
    return f"{_clause(found[0], limit)} …", True


def point(text: str) -> str:
    """Return the first clause of an item, without what stands in brackets for the reader of the text.

    >>> point("read a privacy plan: which step has which share of the budget, and why the last one has it;")
    'read a privacy plan'
    >>> point("**Groups.** Let $k$ rows change. Then more.")
    '**Groups.** Let $k$ rows change'
    """
    found = sentences(ASIDE.sub("", " ".join(text.split())).rstrip(" ;.,"))
    if not found:
        return ""
    name = found.pop(0) + " " if len(found) > 1 and found[0].startswith("**") else ""
    first = found[0].rstrip(" .")
    said = first if count(first) <= POINT else _clause(first, WORDS - count(name), shortest=True)
    return name + said.rstrip(" .")


def _clause(sentence: str, limit: int, *, shortest: bool = False) -> str:
    """Return the clauses that have at most so many words, or the first of them; else the first words."""
    masked, parts = _masked(sentence)
    ends = [found.start() for found in CLAUSE.finditer(masked)]
    parted = [_unmasked(masked[:end], parts) for end in [*ends, len(masked)]]
    fitting = [one for one in parted if LEAST <= count(one) <= limit]
    if fitting:
        return fitting[0 if shortest else -1]
    return _unmasked(" ".join(masked.split()[:limit]), parts).rstrip(",;:")


def _masked(text: str) -> tuple[str, list[str]]:
    parts = INLINE.findall(text)
    places = iter(range(len(parts)))
    return INLINE.sub(lambda _: f"{STOP}{next(places)}{STOP}", text), parts


def _unmasked(text: str, parts: Sequence[str]) -> str:
    return re.sub(f"{STOP}(\\d+){STOP}", lambda found: parts[int(found[1])], text)


def packed(texts: Sequence[str], limit: int = WORDS) -> list[list[str]]:
    """Return texts in few groups of at most so many words, evenly; one that is longer has a group of its own.

    >>> packed(["a b", "c", "d", "e"], 4)
    [['a b', 'c'], ['d', 'e']]
    """
    fewest = len(_greedy(texts, limit))
    every = (_greedy(texts, most) for most in range(1, limit + 1))
    return next((groups for groups in every if len(groups) == fewest), [])


def _greedy(texts: Sequence[str], limit: int) -> list[list[str]]:
    groups: list[list[str]] = []
    for text in texts:
        if groups and count(" ".join([*groups[-1], text])) <= limit:
            groups[-1].append(text)
        else:
            groups.append([text])
    return groups
