"""The 90-minute plans: their minutes, their sections, and an answer to whatever is asked."""

import json
import re
from pathlib import Path

import pytest

from workbench.lab.project import Project

ROOT = Path(__file__).parents[3]
LESSONS = ROOT / "notebooks" / "lessons"
STEMS = [path.stem for path in Project(ROOT).notebooks]
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
ASKED = re.compile(r"^\*\*Predict (\d)\*\* \((.+?)\)\. (.+)\n\n\*Answer\.\* (.+)$", re.MULTILINE)


def headings(stem):
    found = json.loads((ROOT / "notebooks" / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"]
    texts = ("".join(cell["source"]) for cell in found if cell["cell_type"] == "markdown")
    return [line for text in texts for line in re.findall(r"^##? (.*)$", text, re.MULTILINE)]


@pytest.fixture(params=STEMS)
def lesson(request):
    return request.param, (LESSONS / f"{request.param}.md").read_text(encoding="utf-8")


def part(text, name):
    return text.partition(f"\n## {name}\n")[2].partition("\n## ")[0].strip()


def test_every_notebook_has_a_plan_and_every_plan_a_notebook():
    assert sorted(path.stem for path in LESSONS.glob("*.md")) == STEMS
    listed = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\(lessons/(\w+)\.md\)", listed) == STEMS


def test_minutes_add_up_to_ninety_and_sections_are_those_of_the_notebook(lesson):
    stem, text = lesson
    rows = ROW.findall(part(text, "Ninety minutes"))
    assert sum(int(minutes) for minutes, _, _ in rows) == 90
    known = headings(stem)
    places = [known.index(section) for _, section, _ in rows]
    assert places == sorted(set(places))
    explained = re.findall(r"^\*\*(.+?)\.?\*\*", part(text, "Section by section"), re.MULTILINE)
    assert len(explained) >= 3
    assert set(explained) <= {section for _, section, _ in rows}


def test_every_question_has_an_answer_and_a_section_of_the_plan(lesson):
    _, text = lesson
    asked = part(text, "Predict first")
    found = ASKED.findall(asked)
    assert len(found) == asked.count("**Predict") == asked.count("*Answer.*") >= 3
    sections = {section for _, section, _ in ROW.findall(part(text, "Ninety minutes"))}
    assert {section for _, section, _, _ in found} <= sections
