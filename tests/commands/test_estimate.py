"""`workbench estimate`: what it prints and records; slips are one line; rows neither raise nor warn."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unicodedata import category
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from tests.lab.conftest import environment
from workbench.estimators.files import ChangedError
from workbench.lab import estimating as module
from workbench.privacy import ZCDP, PureDP

PURE, APPROX = ("--epsilon", "1"), ("--epsilon", "1", "--delta", "1e-6")
FILES = {
    "good": "height,name,mixed\n1.5,a,1\n2.5,b,x\n0.5,c,2\n1,d,3\n2,e,4\n",
    "wide": ",".join(f"c{place}" for place in range(999)) + "\n" + "1," * 998 + "1\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of every kind of trouble, in the folder where one stands."""
    for name, text in FILES.items():
        (tmp_path / f"{name}.csv").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


KNOWN = ("radius=9", "sigma=1")


def estimate(file="good", key="two-step-mean", budget=PURE, settings=KNOWN, more=(), column="height"):
    key = key if "/" in key else f"univariate/{key}"
    file = file if "." in file or file == "-" else f"{file}.csv"
    flags = [part for setting in settings for part in ("--set", setting)]
    column = ("--column", *column.split(",")) if column else ()
    return ("estimate", file, "--key", key, *column, *budget, *flags, *more)


def recorded(command, *arguments, more=(), **asked):
    """The value of an estimate, and all else that is told: its record, and its text without the value."""
    Path("out.json").unlink(missing_ok=True)
    out = command(*estimate(*arguments, **asked, more=(*more, "--out", "out.json"))).printed()
    record = json.loads(Path("out.json").read_text(encoding="utf-8"))
    return record.pop("value"), record, out.partition("\n")[2]


@pytest.mark.parametrize("row", ["", "abc", '"171', "1,2,3", "1e300", "-inf", "\x00", "5e-324", '"1,000"'])
def test_one_line_changes_the_estimate_alone(folder, command, row):
    lines, found = [str(1.0 + place / 40) for place in range(40)], []
    for last in (lines[-1], row):
        (folder / "rows.csv").write_text("\n".join(["height", *lines[:-1], last, ""]))
        found.append(recorded(command, "rows", key="clipped-mean", more=("--seed", "3")))
    (value, *told), (moved, *same) = found
    assert told == same
    assert abs(value - moved) <= told[0]["plan"][0]["sensitivity"] * (1 + 1e-9)


def test_it_prints_the_plan_where_the_noise_is_from_and_how_far_it_may_be_off(folder, command):
    value, _, said = recorded(command)
    assert isinstance(value, float)
    told = "noise seeded by the operating system, in floats", "\n    locate: window_median, ε = 1"
    assert all(words in said for words in (*told, "predicted error: "))
    _, record, said = recorded(command, key="clipped-mean")
    estimator = module.estimator("univariate/clipped-mean", {"radius": 9.0, "sigma": 1.0})
    bound = estimator.error_bound(5, 1, PureDP(1.0), 0.05)
    assert f"error bound: {bound:.10g}, with probability 0.95 (" in said
    assert record["error"]["value"] == pytest.approx(bound)
    assert "error bound: none at" in recorded(command, key="histogram-location")[2]
    asked = {"key": "bounded-mean", "settings": ("low=0", "high=3"), "more": ("--seed", "1")}
    assert "95 % interval: 0 to 3\n" in recorded(command, **asked)[2]


def test_a_seed_makes_a_replay_that_says_so_secure_noise_is_exact_and_missing_entries_may_count(
    folder, command
):
    one, other = (recorded(command, budget=("--rho", "0.5"), more=("--seed", "3")) for _ in range(2))
    assert one == other
    assert one[1]["randomness"] == "replay, not private (seed 3)"
    assert one[1]["budget"] == str(ZCDP(0.5))
    (folder / "holes.csv").write_text("height\n" + "\n" * 5)
    (folder / "counts.csv").write_text("height\n" + "2\n" * 5)
    found = [recorded(command, name, more=("--seed", "3", "--missing", "2")) for name in ("holes", "counts")]
    assert found[0] == found[1]
    assert "counts as 2; how many is not released" in found[0][2]
    asked = {"key": "mean/coinpress", "budget": ("--rho", "1")}
    (one, record, _), (other, *_) = (recorded(command, **asked, more=("--secure",)) for _ in range(2))
    assert record["randomness"].startswith("exact noise from the operating system")
    assert one != other
    command(*estimate(**asked, more=("--secure", "--seed", "3"))).refused("seed = 3: expected none with")


def test_a_budget_of_a_person_is_divided_among_the_rows_and_abstention_is_a_status(folder, command):
    _, record, said = recorded(command, more=("--rows-per-person", "4"))
    assert record["budget"] == str(PureDP(0.25))
    assert f"each person: {PureDP(1.0)}, for one with at most 4 rows" in said
    paper = {"key": "covariance/thresholded", "settings": ("radius=1", "calibration=paper"), "budget": APPROX}
    said = recorded(command, **paper, more=("--rows-per-person", "3"))[2]
    person, row = (
        float(re.search(rf"{name}: \(ε = ([\d.]+)", said)[1]) for name in ("each person", "guarantee")
    )
    assert person == pytest.approx(3 * row, rel=1e-4)
    command(*estimate(more=("--rows-per-person", "0"))).refused("rows_per_person = 0: expected an integer")
    Path("out.json").unlink()
    done = command(
        *estimate(key="unbounded-mean", budget=APPROX, settings=KNOWN[1:], more=("--out", "out.json"))
    )
    assert (done.returncode, done.stderr) == (3, "")
    assert "abstained" in done.stdout
    record = json.loads((folder / "out.json").read_text())
    assert (record["status"], record["value"]) == ("abstained", None)


def test_parquet_gives_the_bits_of_csv_in_the_order_that_is_asked(folder, command):
    frame = pd.DataFrame({"height": [171.25, None, 180.0] * 10, "weight": [70, 80, 75] * 10, "who": "a"})
    frame.to_parquet("people.parquet")
    frame.to_csv("german.csv", index=False, sep=";", decimal=",")
    asked = {"key": "mean/clipped-box", "budget": ("--rho", "0.5"), "column": "weight,height"}
    more = ("--seed", "1", "--missing", "170")
    (value, one, _), (same, other, _) = (
        recorded(command, "people.parquet", **asked, more=more),
        recorded(command, "german", **asked, more=(*more, "--sep", ";")),
    )
    assert value == same
    assert (one["columns"], one["rows"]) == (other["columns"], other["rows"]) == (["weight", "height"], 30)
    for words, said in {
        ("--column", "who"): "column = 'who': expected a column of numbers: this one is of",
        ("--sep", ";"): "expected a CSV file beside --separator or --decimal",
        ("--check",): "expected a CSV file: columns of Parquet have types",
    }.items():
        assert "171" not in command(*estimate("people.parquet", **asked), *words).refused(said)
    rows = np.random.default_rng(1).normal([170.0, 3e4], [10.0, 8e3], (2000, 2))
    pd.DataFrame(rows, columns=["height", "income"]).to_csv("two.csv", index=False)
    asked = {"file": "two", "key": "mean/clipped-box", "budget": ("--rho", "0.5"), "column": ""}
    ranges = ("centre=170,30000", "radius=50,20000", "sigma=10,8000")  # of each column
    mean, _, said = recorded(command, **asked, settings=ranges, more=("--seed", "1"))
    assert (np.abs(mean - rows.mean(axis=0)) < [1.0, 500.0]).all()
    assert "radius = [50.0, 20000.0], centre = [170.0, 30000.0]" in said
    asked |= {"key": "covariance/coinpress", "budget": APPROX, "settings": ("lower=0.5", "upper=400")}
    for scale, told in (("10,8000", "scales: 10, 8000"), ("found", "scales: found privately")):
        covariance, _, said = recorded(command, **asked, more=("--seed", "1", "--scale", scale))
        assert told in said
        assert np.sqrt(np.diag(covariance)) == pytest.approx([10, 8000], rel=1)


SLIPS = (
    (estimate(key="unbounded-mean", settings=KNOWN[1:]), "budget = PureDP(epsilon=1.0)", "ApproxDP or ZCDP"),
    (estimate(budget=()), "epsilon = None", "--rho"),
    (estimate(budget=(*PURE, "--rho", "1")), "rho = 1.0", "not both"),
    (estimate(settings=("radus=9",)), "set radus = 9", "radius, centre, sigma, beta, calibration"),
    (estimate(settings=("sigma=2",)), "set radius = None", "a number", "--set radius=NUMBER"),
    (estimate(key="histogram", settings=()), "set edges = None", "a number", "--set edges=NUMBER,NUMBER"),
    (estimate(settings=("radius=9", "centre=1,2")), "set centre = (1, 2)", "holds for every column"),
    (
        estimate(settings=("radius=" + "-" * 100_000 + "1", "sigma=1")),
        "radius = '---",
        "a finite number above 0",
    ),
    *((estimate(f"{name}.csv"), f"file = '{name[:1]}", "a file that exists") for name in ("x" * 300, "a\0b")),
    (estimate(column="weight"), "column = 'weight'", "height, name, mixed"),
    (estimate("wide", column=""), "column = 'c0, c1", "exactly one of 999 names, such as c0"),
    (estimate(key="mean/empirical", settings=()), "key = 'mean/empirical'", "an estimator that is private"),
    (estimate(more=("--missing", "1.1e100")), "missing = 1.1e+100", "at most 1e+100"),
    (estimate(more=("--seed", "-1")), "seed = -1", "at least 0"),
    (estimate(more=("--out", "a\0b")), "out = 'a", "the name of a file"),
    (estimate(more=("--out", "no/such/a.json")), "out = 'no/such/a.json'", "folder that exists"),
)


@pytest.mark.turns(3)
@pytest.mark.parametrize(("arguments", "words"), [(one, words) for one, *words in SLIPS])
def test_a_slip_is_one_line_and_writes_nothing(folder, command, arguments, words):
    out = () if "--out" in arguments else ("--out", "out.json")
    command(*arguments, *out).refused(*words)
    assert {path.name for path in folder.iterdir()} == {f"{name}.csv" for name in FILES}


def test_no_control_character_of_a_file_reaches_the_terminal(folder, command):
    (folder / "red.csv").write_text("a\x1b[31mred\x9b0m,b\u202ec\n1,x\n3,4\n5,6\n")
    line = estimate("red", key="mean/coinpress", budget=("--rho", "1"), column="")
    released, checked, refused = (command(*line, *more) for more in ((), ("--check",), ("--column", "zz")))
    for done in (released, checked, refused):
        said = done.stdout + done.stderr
        assert not [one for one in said if category(one)[0] == "C" and one != "\n"]
        assert "\\u202ec" in said


@pytest.mark.parametrize("name", ["good.csv", "hard", "kept", "pipe", "link", "nowhere"])
def test_a_result_takes_the_place_of_nothing(folder, command, name):
    os.mkfifo(folder / "pipe")
    (folder / "kept").write_text("kept")
    (folder / "link").symlink_to("kept")
    (folder / "nowhere").symlink_to("none")
    (folder / "hard").hardlink_to(folder / "good.csv")
    before = {path: path.lstat() for path in folder.iterdir()}
    command(*estimate(more=("--out", name))).refused(f"out = '{name}'", "a new file")
    assert {path: path.lstat() for path in folder.iterdir()} == before
    assert (folder / "good.csv").read_text() == FILES["good"]


def test_a_release_that_cannot_be_written_in_the_end_is_printed(folder, command, monkeypatch):
    def read():  # the standard input, which takes the place of the result
        (folder / "out.json").mkdir()
        return FILES["good"].encode()

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=SimpleNamespace(read=read)))
    done = command(*estimate("-", more=("--out", "out.json")))
    assert done.returncode == 4
    assert done.stdout.startswith("mean: ")
    assert done.stderr.startswith("workbench: error: out = 'out.json': ")
    assert done.stderr.endswith("; the release, which is made, is printed\n")
    assert {path.name for path in folder.iterdir()} == {"out.json", *(f"{name}.csv" for name in FILES)}


def test_a_file_that_changes_between_passes_is_one_line_and_nothing_is_released(folder, command, monkeypatch):
    monkeypatch.setattr(module, "stream", Mock(side_effect=ChangedError))
    line = estimate(key="mean/coinpress", budget=("--rho", "1"), more=("--out", "out.json"))
    command(*line).refused("file = 'good.csv'", "stays as it is", "nothing is released")
    assert not (folder / "out.json").exists()


@pytest.mark.daily
@pytest.mark.parametrize(
    ("arguments", "to", "settings", "code", "begins"),
    [
        (estimate(), "/dev/full", {}, 4, "mean: "),
        (("list", "mean"), "/dev/full", {}, 2, "workbench: error: stdout: No space left on device"),
        (estimate(), None, {}, 2, "workbench: error: stdout: expected to be open"),
        (estimate(), "out", {"PYTHONIOENCODING": "ascii", "HOME": "/proc/nowhere"}, 0, ""),
    ],
)
def test_an_output_that_takes_nothing_is_said_and_costs_no_release(
    folder, arguments, to, settings, code, begins
):
    line = shlex.join([sys.executable, "-m", "workbench.cli", *arguments]) + (f" >{to}" if to else " >&-")
    done = subprocess.run(line, shell=True, stderr=-1, text=True, env=environment() | settings, check=False)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(begins)
    assert code or not done.stderr
    assert "Traceback" not in done.stderr
    assert ("guarantee: " in done.stderr) == (code == 4)
    assert "PYTHONIOENCODING" not in settings or "guarantee: \\u03b5 = 1" in Path("out").read_text()


# The check, which is for the owner


def checked(folder, command, header, cells, *more):
    (folder / "data.csv").write_text("\n".join([header, *cells, ""]), encoding="utf-8")
    done = command("estimate", "data.csv", "--check", *more)
    return done.stdout, done.returncode


def test_a_check_names_line_and_column_and_never_a_value(folder, command):
    lines = ["171.25,1", "171.25x,2", "NA,3", ",", "171.25,1,1", "1e999,4", "", '171.25,"6,5"']
    text, code = checked(folder, command, "a,b", lines)
    assert code == 1
    assert not re.search("171|6,5", text)
    places = re.findall(r"^ +line (\d), column (\w): no number$", text, re.MULTILINE)
    assert places == [("3", "a"), ("6", "a"), ("6", "b"), ("7", "a"), ("9", "b")]
    assert "column a: 2 numbers, 3 missing, 3 unreadable" in text
    assert "column b: 4 numbers, 2 missing, 2 unreadable" in text
    assert "Lines with more cells than the header has names, which are unreadable: 1." in text
    assert "not private" in text


@pytest.mark.parametrize(
    ("header", "cells", "column", "code", "said"),
    [
        ("a,b", ["1,", "2,nan"], "a", 0, "column a: 2 numbers, 0 missing, 0 unreadable"),
        ("a\tb", ["1", *["1,5"] * 50], "a", 1, "  and 30 more\nUnreadable with --decimal ,: 0."),
        ("a,b", ["bob,1", "ann,2"], "a", 1, "column a: no cell is a number: 0 missing, 2 unreadable"),
        ("a,b", ['"170,000"', '"1,234,567"', "999"], "a", 1, "between thousands: write them without it\n"),
        ("a", ["170,000", "12,345"], "a", 1, "; if it is the decimal mark, --decimal , reads it"),
        ("a;b", ["1.234.567", "12.345"], "a", 1, "'.' between thousands (1 of them are read as if"),
        ("a,b", ["1\N{NO-BREAK SPACE}000", "1 000"], "a", 1, "  2 cells have ' ' between thousands:"),
        ("a\tb", ["1,234", "5,6"], "a", 1, "Unreadable with --decimal ,: 0."),
        ("a,b", ["1.234", "12.345", "x"], "a", 1, "2 numbers, 0 missing, 1 unreadable"),
    ],
)
def test_a_check_tells_thousands_from_fractions_and_words_from_numbers(
    folder, command, header, cells, column, code, said
):
    text, found = checked(folder, command, header, cells, "--column", column)
    assert (said in text, found) == (True, code), text
    assert ("between thousands" in text) == ("thousands" in said or "reads it" in said)
    assert ("Unreadable with" in text) == ("Unreadable with" in said)
    if "Unreadable with" in said:
        assert checked(folder, command, header, cells, "--column", column, "--decimal", ",")[1] == 0
