"""Statements, points, boxes, exercises and the outline."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from workbench.lab.publish.slides.blocks import Block, count, items, lead, packed, point
from workbench.lab.publish.slides.slide import Slide, folded, html, inline, paragraph, points

EXERCISES = re.compile(r"(?:Exercises?|Your turn)\b")
COUNTED = re.compile(r"Verdicts?\b")
LAST = re.compile(r"(?:Exercises?|Verdicts?|Summary|After this|Your turn)\b")
SUMMARY = re.compile(r"<summary>(.*?)</summary>(.*)</details>", re.DOTALL)
SHOWN = ("formula", "steps", "table", "code")  # whole, below the first sentences
COMMA = re.compile(r"\s*[,;]\s*(\$\$)?\s*$")
LONGEST = 6  # words of a bold line that is a heading


def slides(parts: Sequence[Block], heading: str, instead: str = "") -> list[Slide]:
    """Return the slides of a text under its heading."""
    if EXERCISES.match(heading):
        return list(_exercises(parts, heading))
    parts = [part for part in parts if part.kind not in ("heading", "picture")]
    if parts and parts[0].kind == "text" and _bold(parts[0].text):
        heading, parts = inline(parts[0].text.strip("* \n")), parts[1:]
    made = [slide for slide in _statements(parts, heading, instead) if slide.body.strip()]
    opened = "".join(_fold(part.text) for part in parts if part.kind == "folded")
    if opened and made:
        made[-1] = made[-1].with_body(opened)
    elif opened:
        made = [Slide("statement", heading, opened)]
    spoken = html("\n\n".join(part.text for part in parts if part.kind != "folded"))
    return [made[0].with_notes(spoken), *made[1:]] if made else []


def _bold(text: str) -> bool:
    return bool(re.fullmatch(r"\*\*[^*]+\*\*", text.strip())) and count(text) <= LONGEST


def _statements(parts: Sequence[Block], heading: str, instead: str) -> Iterator[Slide]:
    above = takewhile(lambda part: part.kind in ("text", "formula"), parts)
    text = instead or next((lead(part.text)[0] for part in above if part.kind == "text"), "")
    shown = next((part for part in parts if part.kind in SHOWN), None)
    yield Slide("statement", heading, paragraph(text) + (_display(shown) if shown else ""))
    for part in parts:
        if part.kind == "box":
            yield Slide("statement", heading, f'<div class="box">{html(_unquoted(part.text))}</div>')
        elif part.kind == "points":
            groups = packed([point(item) for item in items(part.text)])
            yield from (Slide("statement", heading, points(group)) for group in groups)


def _display(part: Block) -> str:
    """Return what is shown below a statement: a formula without the comma that its sentence needs."""
    text = COMMA.sub(r"\1", part.text) if part.kind == "formula" else part.text
    return f'<div class="display {part.kind}">{html(text)}</div>'


def _unquoted(text: str) -> str:
    return re.sub(r"^> ?", "", text, flags=re.MULTILINE)


def _fold(text: str) -> str:
    found = SUMMARY.search(text)
    return folded(found[2].strip(), re.sub(r"<[^>]+>", "", found[1])) if found else html(text)


def _exercises(parts: Sequence[Block], heading: str) -> Iterator[Slide]:
    asked = [item for part in parts if part.kind == "steps" for item in items(part.text)]
    answers = [
        found[2].strip() for part in parts if part.kind == "folded" if (found := SUMMARY.search(part.text))
    ]
    solved = _one_each(answers, len(asked))
    for number, question in enumerate(asked, 1):
        body = f'<div class="question">{html(_dedented(question))}</div>'
        more = folded(_dedented(solved[number - 1])) if solved else ""
        yield Slide("exercise", f"Exercise {number}", body + more)
    if not solved:
        yield from (Slide("exercise", heading, folded(answer, "Solutions")) for answer in answers)


def _one_each(answers: Sequence[str], wanted: int) -> list[str]:
    """Return an answer for each question; none if they cannot be told apart."""
    if len(answers) == wanted:
        return list(answers)
    found = [item for answer in answers for item in items(answer)]
    return found if len(found) == wanted else []


def _dedented(item: str) -> str:
    return re.sub(r"^ {2,3}", "", item, flags=re.MULTILINE)


def outline(titles: Iterable[str]) -> Slide:
    """Return the slide with the headings of a notebook."""
    found = [title for title in dict.fromkeys(titles) if not LAST.match(title)]
    return Slide("outline", "Outline", f"<ol>{''.join(f'<li>{title}</li>' for title in found)}</ol>")
