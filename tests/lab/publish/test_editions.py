"""Copies of notebooks: what a student's lacks, what a teacher's has, and that both stand alone."""

import ast
import base64
import re
from pathlib import Path

import pytest
from workbench.lab.publish.check import check

from tests.commands.conftest import command  # noqa: F401
from workbench.lab.project import Project
from workbench.lab.publish import editions
from workbench.lab.schemas import nbformat

ROOT = Path(__file__).parents[3]
PROJECT = Project(ROOT)
STEMS = [path.stem for path in PROJECT.notebooks]
KEPT = ("Proof", "More: ", "All ", "The claim, ")  # what stays folded in every edition
DOT = base64.b64encode(b"a picture").decode()


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Return the cells of an edition, without drawing its pictures."""
    monkeypatch.setattr(editions, "_drawn", lambda figures, name: DOT)

    def made(stem, edition=""):
        path = editions.write(PROJECT, ROOT / "notebooks" / f"{stem}.ipynb", tmp_path, edition)
        assert check(path) == []
        return nbformat().read(path, as_version=4).cells

    return made


def cells(stem):
    return nbformat().read(ROOT / "notebooks" / f"{stem}.ipynb", as_version=4).cells


def answers(stem):
    texts = (cell.source for cell in cells(stem) if cell.cell_type == "markdown")
    return [found for text in texts for found in editions.FOLDED.findall(text)]


def sentences(answer):
    """Return the lines of an answer that are long enough to be nowhere else."""
    return [line.strip() for line in answer.splitlines() if len(line.strip()) > 25]


def whole(found):
    return "\n".join(cell.source for cell in found)


@pytest.mark.parametrize("stem", STEMS)
def test_whatever_is_folded_is_an_answer_or_known_to_be_none(stem):
    summaries = re.findall(r"<summary>(.*?)</summary>", whole(cells(stem)), re.DOTALL)
    assert "Solutions" in summaries
    assert [one for one in summaries if one not in editions.ANSWERS and not one.startswith(KEPT)] == []


@pytest.mark.parametrize("stem", STEMS)
def test_a_students_copy_has_no_answer_and_all_else(copy, stem):
    found, first = whole(copy(stem, "student")), cells(stem)
    given = whole(cell for cell in first if cell.cell_type == "code")  # an answer may keep a line of it
    for answer in answers(stem):
        told = [line for line in sentences(answer) if line not in given]
        assert len(told) > 3
        assert [line for line in told if line in found] == []
    assert not any(f"<summary>{name}" in found for name in editions.ANSWERS)
    assert found.count("<summary>Proof") == whole(first).count("<summary>Proof")
    for cell in first:
        assert cell.cell_type != "code" or cell.source in found


@pytest.mark.parametrize("stem", STEMS)
def test_every_exercise_of_a_student_is_followed_by_a_place_for_the_answer(copy, stem):
    found = copy(stem, "student")
    (asked,) = (cell.source for cell in cells(stem) if cell.source.startswith("## Exercises"))
    count = len(re.findall(r"^\d\. ", asked.partition("<details>")[0], re.MULTILINE))
    places = [place for place, cell in enumerate(found) if re.match(r"\d\. \*", cell.source)]
    assert len(places) == count >= 3
    for place in places:
        after = found[place + 1]
        if re.match(r"\d\. \*+Code", found[place].source):
            tree = ast.parse(after.source)
            assert any(isinstance(one, ast.FunctionDef) for one in tree.body), found[place].source
        else:
            assert after.source == "**Your answer**"


def test_a_function_that_no_cell_begins_is_begun_without_its_answer(copy):
    found = [cell.source for cell in copy("05_any_gaussian", "student")]
    (one,) = (source for source in found if 'exercise 4."""' in source)
    assert one.startswith("def mine(points):\n")
    assert one.endswith("\n\n\n# print(gaussian.attack(mine))")
    (other,) = (source for source in found if 'exercise 5."""' in source)
    assert other.startswith("def mine(x, trials, rng):\n")


@pytest.mark.parametrize("stem", STEMS)
def test_a_teachers_copy_has_the_answers_open_and_the_plan_after_the_title(copy, stem):
    found, first = copy(stem, "teacher"), cells(stem)
    text = whole(found)
    assert all(f"<details open>{answer}" in text for answer in answers(stem))
    assert found[0].source.startswith("# ")
    assert found[1].source.startswith("## Lesson")
    lesson = (ROOT / "notebooks" / "lessons" / f"{stem}.md").read_text()
    assert len(found) == len(first) + lesson.count("\n## ") + 1
    assert [
        line for line in lesson.splitlines() if line and not line.startswith("#") and line not in text
    ] == []


@pytest.mark.parametrize("edition", ["", "student", "teacher"])
@pytest.mark.parametrize("stem", STEMS)
def test_pictures_are_attached_and_nothing_points_into_the_checkout(copy, stem, edition):
    found = copy(stem, edition)
    assert "](../" not in whole(found)
    for cell in found:
        attached = re.findall(r"\]\(attachment:([^)]+)\)", cell.source)
        assert dict.fromkeys(attached) == dict.fromkeys(cell.get("attachments", {}))
        assert all(one == {"image/png": DOT} for one in cell.get("attachments", {}).values())
        beside = re.findall(r"\]\((\d\d_\w+)\.ipynb", cell.source)
        assert all(one.removesuffix(f"_{edition}") in STEMS for one in beside)
    if edition == "":
        assert len(found) == len(cells(stem))
    asked = whole(cells(stem)).count("](../figures/")
    assert whole(found).count("](attachment:") == asked > 1


def test_a_picture_is_drawn_from_its_numbers(command, tmp_path):  # noqa: F811
    path = tmp_path / "01_what_epsilon_means_student.ipynb"
    done = command("notebook", "01", "--student", "--project", ROOT, "--out", tmp_path)
    done.refused("notebook = '01': expected one of 00_start_here")
    done = command("notebook", "what_epsilon_means", "--student", "--project", ROOT, "--out", tmp_path)
    assert done.printed() == f"{path}\n"
    for cell in nbformat().read(path, as_version=4).cells:
        for one in cell.get("attachments", {}).values():
            assert base64.b64decode(one["image/png"]).startswith(b"\x89PNG\r\n")


def test_a_copy_that_may_hold_answers_is_not_replaced(command, tmp_path):  # noqa: F811
    path = tmp_path / "02_one_mean_student.ipynb"
    path.write_text("answers")
    arguments = ("notebook", "02_one_mean", "--student", "--project", ROOT, "--out")
    command(*arguments, tmp_path).refused(f"a folder without {path.name}, which may hold answers")
    assert path.read_text() == "answers"
    command(*arguments, ROOT / "notebooks").refused("a folder of its own")
    command(*arguments, path).refused("expected a folder")
    command("notebook", "02_one_mean", "--student", "--teacher").refused("not allowed with argument")


def test_a_notebook_without_plan_or_pictures_is_refused(tmp_path):
    notebook = ROOT / "notebooks" / "02_one_mean.ipynb"
    bare = Project(tmp_path)
    with pytest.raises(ValueError, match="a plan in notebooks/lessons"):
        editions.write(bare, notebook, tmp_path / "out", "teacher")
    with pytest.raises(ValueError, match="whose figures are committed"):
        editions.write(bare, notebook, tmp_path / "out", "student")
    assert not (tmp_path / "out").exists()
