"""The 90-minute plans are of the sections of their notebooks, and answer whatever they ask."""

import re

import pytest

from tests.lab.conftest import ROOT
from workbench.lab.project import Project, nbformat

NOTEBOOKS = Project(ROOT).notebooks
LESSONS = ROOT / "notebooks" / "lessons"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_plan_fills_ninety_minutes_with_the_sections_of_its_notebook_and_answers_its_questions(path):
    parts = re.split(r"^## (.+)\n", (LESSONS / f"{path.stem}.md").read_text("utf-8"), flags=re.MULTILINE)
    plan = dict(zip(parts[1::2], parts[2::2], strict=True))
    rows = re.findall(r"^\| (\d+) \| (.+?) \|", plan["Ninety minutes"], re.MULTILINE)
    assert sum(int(minutes) for minutes, _ in rows) == 90
    text = "\n".join(cell.source for cell in nbformat().read(path, 4).cells if cell.cell_type == "markdown")
    known, planned = re.findall(r"^##? (.*)$", text, re.MULTILINE), [section for _, section in rows]
    assert [one for one in known if one in planned] == planned
    explained = re.findall(r"^\*\*(.+?)\.?\*\*", plan["Section by section"], re.MULTILINE)
    asked = re.findall(
        r"^\*\*Predict \d\*\* \((.+?)\)\. .+\n\n\*Answer\.\* ", plan["Predict first"], re.MULTILINE
    )
    assert plan["Predict first"].count("**Predict") == len(asked) >= 3
    assert {*explained, *asked} <= {*planned}
