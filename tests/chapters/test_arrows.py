"""Chapters hardly import each other: what two of them share is an idea of `study` or `charts`."""

import ast
from pathlib import Path

import pytest

CHAPTERS = Path(__file__).parents[2] / "workbench" / "chapters"
ALLOWED = {
    ("covariance", "many_dimensions"),  # joint steps are CoinPress's, checked as its steps are
    ("matrix_quantile", "covariance"),  # the same tilted ellipses and equal ratios
}


def arrows():
    for path in CHAPTERS.glob("*/**/*.py"):
        here = path.relative_to(CHAPTERS).parts[0]
        if here == "scalings":  # a table is of a source, not of a chapter
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
            if parts[:2] == ["workbench", "chapters"] and len(parts) > 2 and parts[2] != here:
                yield here, parts[2]


@pytest.mark.daily
def test_chapters_import_each_other_only_where_it_is_said_why():
    assert set(arrows()) == ALLOWED
