"""`workbench estimate` from a Parquet file: the same bits as from CSV, and nothing told of a row."""

import json

import numpy as np
import pandas as pd
import pytest

from workbench.cli import main
from workbench.errors import ArgumentError
from workbench.estimators.files import open_parquet

KEY = ("--key", "mean/clipped-box", "--set", "radius=200", "--set", "sigma=1", "--rho", "0.5", "--seed", "1")
ROWS = pd.DataFrame(
    {"height": [171.25, None, 180.0] * 10, "weight": [70, 80, 75] * 10, "who": ["a", "b", "c"] * 10}
)


@pytest.fixture
def table(tmp_path):
    ROWS.to_parquet(tmp_path / "people.parquet")
    ROWS.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


def estimated(path, *flags, columns=("weight", "height")):
    out = path.parent / "out.json"
    assert main(["estimate", str(path), "--columns", *columns, *KEY, *flags, "--out", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    return {name: found[name] for name in ("value", "columns", "rows", "missing")}


@pytest.mark.parametrize("flags", [(), ("--missing", "170")])
def test_it_gives_the_bits_of_csv_in_the_order_that_is_asked(table, capsys, flags):
    found = estimated(table / "people.parquet", *flags)
    assert found == estimated(table / "people.csv", *flags)
    assert found["columns"] == ["weight", "height"]
    assert found["rows"] == 30
    capsys.readouterr()


def test_sep_is_short_for_separator(table, capsys):
    ROWS[["height"]].to_csv(table / "one.csv", index=False, sep=";")
    assert estimated(table / "one.csv", "--sep", ";", columns=("height",))["rows"] == 30
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--columns", "who"), "column = 'who': expected a column of numbers: this one is of"),
        (("--columns", "age"), "column = 'age': expected one of height, weight, who"),
        (("--columns", "height", "height"), "this one is there twice"),
        (("--columns", "height", "--sep", ";"), "expected a CSV file with --separator"),
        (("--check",), "expected a CSV file: columns of Parquet have types"),
    ],
)
def test_what_is_public_is_refused_in_one_line(table, capsys, words, said):
    assert main(["estimate", str(table / "people.parquet"), *KEY, *words]) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1
    assert "171" not in line


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"171.25")
    ROWS[:0].to_parquet(tmp_path / "empty.parquet")
    for name, said in {"broken": "that can be read", "empty": "at least one row", "none": "exists"}.items():
        with pytest.raises(ArgumentError, match=said) as refused:
            open_parquet(tmp_path / f"{name}.parquet")
        assert "171" not in str(refused.value)


def test_extreme_and_missing_numbers_are_ordinary(tmp_path):
    values = np.array([np.nan, np.inf, -np.inf, 1e308, 5e-324, 3.0])
    pd.DataFrame({"x": values}).to_parquet(tmp_path / "x.parquet")
    (rows,) = open_parquet(tmp_path / "x.parquet").rows(("x",), missing=7.0)()
    assert rows[:, 0].tolist() == [7.0, 7.0, 7.0, 7.0, 5e-324, 3.0]
