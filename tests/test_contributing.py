"""The guides of CONTRIBUTING, executed in order in a copy of the package."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
COPIED = ("workbench", "tests", "conftest.py", "pyproject.toml", "README.md")
EXPECTED = ("passed", "no violation found", "1 of 1 mutants caught", "UnitMean", "HOLDS")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of what a contributor works in."""
    root = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source = ROOT / name
        shutil.copytree(source, root / name, ignore=ignored) if source.is_dir() else shutil.copy(source, root)
    return root


def write(root, text):
    """Write a block into the file that its first line names, or at its end."""
    first, _, body = text.partition("\n")
    name = first.removeprefix("# ").removeprefix("at the end of ")
    path = root / name
    path.parent.mkdir(exist_ok=True)
    with path.open("a" if "at the end of" in first else "x", encoding="utf-8") as file:
        file.write(body)


def execute(root, line):
    """Run a line of a shell block with the packages of this environment, and return what it says."""
    program, *words = line.split()
    start = [sys.executable] if program == "python" else [sys.executable, "-m", "workbench.cli"]
    env = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([*start, *words], cwd=root, env=env, capture_output=True, text=True)
    assert done.returncode == 0, line + done.stdout + done.stderr
    return done.stdout


@pytest.mark.daily
def test_the_guides_do_what_they_say(copy):
    said = ""
    for language, text in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        if language == "python":
            write(copy, text)
        else:
            said += "".join(execute(copy, line) for line in text.splitlines())
    assert [words for words in EXPECTED if words not in said] == []
    assert {path.name for path in (copy / "shown").iterdir()} == {"error.json", "error.svg", "verdicts.json"}


def test_links_of_the_guides_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [target for target in re.findall(r"\]\(([^)#]+)\)", text) if not (ROOT / target).exists()] == []
