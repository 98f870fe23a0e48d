"""`workbench estimate`: what it prints and records; slips are one line; rows neither raise nor warn."""

import json
import os
import subprocess
import sys
from dataclasses import MISSING, asdict, dataclass, fields
from itertools import cycle, islice
from pathlib import Path
from unicodedata import category

import numpy as np
import pytest

from workbench.catalog import CATALOG
from workbench.lab.estimating import _show, plain
from workbench.privacy import ZCDP, NonPrivate, PureDP
from workbench.study.search import fewest_rows

ROOT = Path(__file__).parents[2]
PURE, APPROX = ("--epsilon", "1"), ("--epsilon", "1", "--delta", "1e-6")
ABOVE_ZERO, INSIDE = "a finite number above 0", "strictly between 0 and 1"
HOSTILE = [
    *("nan", "inf", "-inf", "1e308", "-1e308", "1e400", "", "7", "7", "0", "-0.0", "5e-324", "1e23", "-1e9"),
    *("abc", "  ", '"1,5', "1,2,3", "-", "\x001"),
]
FILES = {
    "good": "height,name,mixed\n1.5,a,1\n2.5,b,x\n0.5,c,2\n1,d,3\n2,e,4\n",
    "one": "height\n1.5\n",
    "wide": "height\n1,2,3\n",
    "three": "height\n1.5\n2\n3\n",
    "header": "height,name\n",
    "empty": "",
    "open": "height\n1\n2\n3",
    "twice": "height,height\n1,2\n1,2\n",
    "headless": "171.25,80\n171.25,81\n",
    "encoded": b"\xff\xfe\x00height",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of every kind of trouble, in the folder where one stands."""
    for name, text in FILES.items():
        (tmp_path / f"{name}.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def estimate(file="good", key="two-step-mean", budget=PURE, settings=("radius=9",), more=(), column="height"):
    key = key if "/" in key else f"univariate/{key}"
    needed = fields(type(CATALOG[key].estimator)) if key in CATALOG else ()
    if any(one.name == "sigma" and one.default is MISSING for one in needed) and "sigma" not in " ".join(
        settings
    ):
        settings = (*settings, "sigma=1")
    flags = [part for setting in settings for part in ("--set", setting)]
    column = ("--column", *column.split(",")) if column else ()
    return ("estimate", f"{file}.csv", "--key", key, *column, *budget, *flags, *more)


def test_secure_noise_says_that_it_is_exact_and_takes_no_seed(folder, command):
    exact = estimate(key="mean/coinpress", budget=("--rho", "1"), more=("--secure", "--out", "out.json"))
    assert "randomness: exact noise from the operating system" in command(*exact).printed()
    assert json.loads((folder / "out.json").read_text())["randomness"].startswith("exact noise")
    (value,) = json.loads((folder / "out.json").read_text())["value"]
    assert command(*exact).printed().splitlines()[0] != f"mean: [{value:.10g}]"
    command(*exact, "--seed", "3").refused("seed = 3: expected none with --secure")


def test_it_prints_value_budget_plan_and_where_the_noise_is_from(folder, command):
    said = command(*estimate()).printed()
    assert f"budget: {PureDP(1.0)}" in said
    assert "randomness: noise seeded by the operating system, in floats: for study" in said
    assert "plan:\n    locate: window_median, ε = 1" in said


def test_a_seed_makes_a_replay_that_says_so(folder, command):
    line = estimate(budget=("--rho", "0.5"), more=("--seed", "3", "--out", "out.json"))
    assert command(*line).printed() == command(*line).printed()
    record = json.loads((folder / "out.json").read_text())
    assert record["randomness"] == "replay, not private (seed 3)"
    assert record["budget"] == str(ZCDP(0.5))


def test_abstention_is_a_status(folder, command):
    done = command(*estimate(key="unbounded-mean", budget=APPROX, settings=(), more=("--out", "out.json")))
    assert (done.returncode, done.stderr) == (3, "")
    assert "abstained" in done.stdout
    record = json.loads((folder / "out.json").read_text())
    assert (record["status"], record["value"]) == ("abstained", None)


def test_a_column_of_words_is_a_column_of_missing_entries_which_a_check_lists(folder, command):
    said = command(*estimate(column="name")).printed()
    assert "missing entries: a row with an entry that is missing or no number is absent" in said
    done = command("estimate", "good.csv", "--check", "--column", "name")
    assert (done.returncode, done.stderr) == (1, "")
    assert "column name: no cell is a number: 0 missing, 5 unreadable" in done.stdout


@dataclass(frozen=True)
class Ends:
    low: float
    high: float


def test_an_infinite_end_of_an_interval_is_shown_and_recorded():
    value = plain(Ends(-1.5, float("inf")))
    assert value == {"low": -1.5, "high": "inf"}
    assert _show(value) == "low -1.5, high inf"


def test_each_column_may_have_a_centre_a_range_and_a_scale(folder, command):
    rows = np.random.default_rng(1).normal([170.0, 3e4], [10.0, 8e3], (2000, 2))
    Path("two.csv").write_text("height,income\n" + "".join(f"{a:.3f},{b:.3f}\n" for a, b in rows))
    line = ("estimate", "two.csv", "--key", "mean/clipped-box", "--rho", "0.5", "--seed", "1")
    ranges = ("--set", "centre=170,30000", "--set", "radius=50,20000", "--set", "sigma=10,8000")
    said = command(*line, *ranges).printed()
    mean = np.array(json.loads(said.splitlines()[0].removeprefix("mean: ")))
    assert (np.abs(mean - rows.mean(axis=0)) < [1.0, 500.0]).all()
    assert "radius = [50.0, 20000.0], centre = [170.0, 30000.0]" in said
    command(*line, "--set", "centre=1,2,3", *ranges[2:]).refused(
        "centre = (1.0, 2.0, 3.0): expected one number, or 2"
    )


def slips():
    for value, shown in (("0", "0.0"), ("-1", "-1.0"), ("nan", "nan"), ("inf", "inf")):
        yield estimate(budget=("--epsilon", value)), f"epsilon = {shown}", ABOVE_ZERO
    yield estimate(budget=("--epsilon", "one")), "--epsilon", "'one'", "expected a number"
    yield estimate(budget=("--rho", "0")), "rho = 0.0", ABOVE_ZERO
    for value, shown in (("-0.1", "-0.1"), ("1", "1.0"), ("nan", "nan")):
        budget = ("--epsilon", "1", "--delta", value)
        yield estimate(key="unbounded-mean", budget=budget, settings=()), f"delta = {shown}", "[1e-300, 1)"
    yield estimate(key="unbounded-mean", settings=()), "budget = PureDP(epsilon=1.0)", "ApproxDP or ZCDP"
    yield estimate(budget=APPROX), "budget = ApproxDP", "PureDP or ZCDP"
    yield estimate(budget=()), "epsilon = None", "--rho"
    yield estimate(budget=(*PURE, "--rho", "1")), "rho = 1.0", "not both"
    for value, shown in (("0", "0"), ("-1.5", "-1.5"), ("nan", "'nan'"), ("[1]", "[1]")):
        yield estimate(settings=(f"radius={value}",)), f"radius = {shown}", ABOVE_ZERO
    yield estimate(settings=("radius",)), "'radius'", "NAME=VALUE"
    yield estimate(settings=("radius=1", "beta=1")), "beta = 1", INSIDE
    yield estimate(settings=("radius=1", "calibration=loose")), "calibration = 'loose'", "paper, tight"
    yield estimate(settings=("radus=9",)), "set radus = 9", "radius, centre, sigma, beta, calibration"
    yield estimate(settings=("sigma=2",)), "set radius = None", "a number", "--set radius=NUMBER"
    yield estimate(settings=("radius=9", "centre=1,2")), "set centre = (1, 2)", "holds for every column"
    yield estimate(key="interval", budget=APPROX, settings=("level=1",)), "level = 1", INSIDE
    yield estimate("one"), "n = 1", "at least 2"
    yield estimate("wide"), "n = 1", "at least 2"
    yield estimate("three", key="scale", budget=APPROX, settings=()), "n = 3", "at least 4"
    yield estimate("header"), "header.csv", "at least one row"
    yield estimate("empty"), "empty.csv", "a header"
    yield estimate("open"), "open.csv", "after every line, the last one too"
    yield estimate("twice"), "column = 'height'", "names differ"
    yield estimate("headless"), "headless.csv", "a number or a missing entry there"
    yield estimate("encoded"), "encoding = 'utf-8'", "the encoding of the header"
    yield estimate("nothing"), "nothing.csv", "a file that exists"
    yield estimate(column="weight"), "column = 'weight'", "height, name, mixed"
    yield estimate(column=""), "column = 'height, name, mixed'", "exactly one of"
    yield estimate(key="mode"), "key = 'univariate/mode'", "names; did you mean univariate/median or "
    yield (
        estimate(key="mean/empirical", settings=()),
        "key = 'mean/empirical'",
        "an estimator that is private",
    )
    yield estimate(more=("--missing", "nan")), "missing = nan", "a finite number"
    yield estimate(more=("--separator", "1")), "separator = '1'", "one character"
    yield estimate(more=("--seed", "-1")), "seed = -1", "at least 0"
    yield estimate(more=("--out", "no/such/a.json")), "out = 'no/such/a.json'", "folder that exists"
    yield estimate(more=("--colour", "red")), "--colour"
    yield estimate(settings=("radius=" + "-" * 100_000 + "1",)), "radius = '---", ABOVE_ZERO
    yield estimate(settings=("radius=" + "[" * 10_000,)), "radius = '[[[", ABOVE_ZERO
    for name in ("x" * 300, "a\0b"):
        yield estimate(name), f"file = '{name[:1]}", "a file that exists"
        yield estimate(more=("--out", name)), f"out = '{name[:1]}", "the name of a file"
    for name in ("/proc/x.json", "/dev/fd/x.json"):
        yield estimate(more=("--out", name)), f"out = '{name}'", "a file that can be written (No such file"
    yield estimate(more=("--encoding", "a\0b")), "encoding = 'a\\x00b'", "a text encoding"
    yield estimate(more=("--out", ".")), "out = '.'", "a file in a folder that exists, and no link or device"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [pytest.param(one, words, id=f"{number}-{words[0]}") for number, (one, *words) in enumerate(slips())],
)
def test_a_slip_is_one_line_and_writes_nothing(folder, command, arguments, words):
    out = () if "--out" in arguments else ("--out", "out.json")
    command(*arguments, *out).refused(*words)
    assert {path.name for path in folder.iterdir()} == {f"{name}.csv" for name in FILES}


def links(folder):
    """Names that are no plain file, or that of the data."""
    os.mkfifo(folder / "pipe")
    (folder / "kept").write_text("kept")
    (folder / "link").symlink_to("kept")
    (folder / "nowhere").symlink_to("none")
    (folder / "hard").hardlink_to(folder / "good.csv")
    return {path: path.lstat() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["good.csv", "hard", "pipe", "link", "nowhere"])
def test_a_result_takes_the_place_of_no_input_link_or_device(folder, command, name):
    before = links(folder)
    data = name in ("good.csv", "hard")
    allowed = "another file than the one that is read" if data else "no link or device"
    command(*estimate(more=("--out", name))).refused(f"out = '{name}'", allowed)
    assert {path: path.lstat() for path in folder.iterdir()} == before
    assert (folder / "good.csv").read_text() == FILES["good"]


def test_a_result_takes_the_place_of_a_plain_file_and_of_nothing_beside_it(folder, command):
    for name in ("out.json", "out.json.part"):
        (folder / name).write_text("former")
    command(*estimate(more=("--out", "out.json"))).printed()
    assert json.loads((folder / "out.json").read_text())["status"] == "estimated"
    assert (folder / "out.json.part").read_text() == "former"
    assert len(list(folder.iterdir())) == len(FILES) + 2


class Input:
    """A standard input that does something else when it is read."""

    def __init__(self, act):
        self.act = act
        self.buffer = self

    def read(self):
        self.act()
        return FILES["good"].encode()


def test_a_release_that_cannot_be_written_in_the_end_is_printed(folder, command, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Input((folder / "out.json").mkdir))
    arguments = estimate(more=("--out", "out.json"))
    done = command(arguments[0], "-", *arguments[2:])
    assert done.returncode == 4
    assert done.stdout.startswith("mean: ")
    assert done.stderr.startswith("workbench: error: out = 'out.json': ")
    assert done.stderr.endswith("; the release, which is made, is printed\n")
    assert {path.name for path in folder.iterdir()} == {"out.json", *(f"{name}.csv" for name in FILES)}


def test_a_file_that_changes_between_passes_is_one_line_and_nothing_is_released(folder, command, monkeypatch):
    def changing(*given, real=open):
        opened.append(given[0])
        if opened.count(Path("good.csv")) == 3:
            Path("good.csv").write_text(text.replace("2.5", "2.6", 1))
        return real(*given)

    opened, text = [], FILES["good"] * 400
    Path("good.csv").write_text(text)
    monkeypatch.setattr("builtins.open", changing)
    line = estimate(key="mean/coinpress", budget=("--rho", "1"), settings=("radius=1e6",))
    command(*line, "--out", "out.json").refused("file = 'good.csv'", "stays as it is", "nothing is released")
    assert not (folder / "out.json").exists()


@pytest.mark.parametrize("more", [(), ("--check",), ("--column", "zz")])
def test_no_control_character_of_a_file_reaches_the_terminal(folder, command, more):
    (folder / "red.csv").write_text("a\x1b[31mred\x9b0m,b\u202ec\n1,x\n3,4\n5,6\n")
    done = command(
        "estimate",
        "red.csv",
        "--key",
        "mean/coinpress",
        "--set",
        "radius=9",
        "--set",
        "sigma=1",
        "--rho",
        "1",
        *more,
    )
    assert not [one for one in done.stdout + done.stderr if category(one)[0] == "C" and one != "\n"]
    assert "a\\u001b[31mred\\u009b0m, b\\u202ec" in done.stdout + done.stderr or "--check" in more


def line_of(*arguments):
    return [sys.executable, "-m", "workbench.cli", *arguments]


@pytest.mark.daily
@pytest.mark.parametrize(
    ("arguments", "to", "code", "begins"),
    [
        (estimate(), "/dev/full", 4, "mean: "),
        (("list", "mean"), "/dev/full", 2, "workbench: error: stdout: No space left on device"),
        (estimate(), None, 2, "workbench: error: stdout: expected to be open"),
        (("list", "mean"), None, 2, "workbench: error: stdout: expected to be open"),
    ],
)
def test_an_output_that_takes_nothing_is_said_and_costs_no_release(folder, arguments, to, code, begins):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open(to or os.devnull, "w") as output:
        closed = {"preexec_fn": lambda: os.close(1)} if to is None else {}
        done = subprocess.run(
            line_of(*arguments), stdout=output, stderr=-1, text=True, env=environment, check=False, **closed
        )
    assert done.returncode == code
    assert done.stderr.startswith(begins)
    assert "Traceback" not in done.stderr
    assert ("guarantee: " in done.stderr) == (code == 4)


@pytest.mark.daily
def test_a_terminal_without_greek_letters_gets_all_the_rest(folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(line_of(*estimate()), capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "guarantee: \\u03b5 = 1" in done.stdout


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("epsilom=1", ("epsilom = 1", "a parameter of 02_one_mean")),
        ("epsilon=much", ("epsilon = 'much'", "a number, 0.01 to 20")),
        ("epsilon", ("'epsilon'", "NAME=VALUE")),
    ],
)
def test_a_misspelt_parameter_of_a_notebook_runs_nothing(folder, command, parameter, words):
    arguments = ("02_one_mean", "-p", parameter, "--project", ROOT, "--out", "reproduced")
    command("reproduce", *arguments).refused(*words)
    assert not (folder / "reproduced").exists()


def required(entry):
    """The parameters of an entry without a default, as its own estimator has them."""
    public = {one.name: one for one in fields(entry.estimator)}
    return {name: getattr(entry.estimator, name) for name, one in public.items() if one.default is MISSING}


@pytest.mark.daily
@pytest.mark.parametrize("key", [key for key, one in CATALOG.items() if NonPrivate() not in one.budgets])
def test_every_key_takes_hostile_rows_without_error_or_warning(folder, command, key):
    """Rows that are no numbers, and a column whose rows are all alike, as many as are accepted."""
    entry = CATALOG[key]
    names = ["height"] if entry.population.d is None else ["height", "weight"]
    for budget in entry.budgets:
        flags = {name: repr(value) for name, value in asdict(budget).items() if value}
        if not flags.keys() <= {"epsilon", "delta", "rho"}:
            continue
        n = max(fewest_rows(entry.estimator, len(names), budget), 60)
        for cells in (HOSTILE, ["7"]):
            column = list(islice(cycle(cells), n))
            rows = zip(*[column, column[::-1]][: len(names)], strict=True)
            text = "\n".join([",".join(names), *(",".join(row) for row in rows)]) + "\n"
            (folder / "rows.csv").write_text(text)
            settings = [f"{name}={value}" for name, value in required(entry).items()]
            spent = [part for name, value in flags.items() for part in (f"--{name}", value)]
            done = command(*estimate("rows", key, spent, settings, ("--seed", "1"), column=",".join(names)))
            assert (done.returncode in (0, 3), done.stderr) == (True, ""), done
            assert str(budget) in done.stdout


@pytest.mark.daily
def test_hostile_rows_leave_a_process_without_a_warning_in_silence(folder):
    text = "height\n" + "\n".join(HOSTILE * 9) + "\n"
    (folder / "rows.csv").write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    line = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "workbench.cli",
        *estimate("rows", more=("--out", "out.json")),
    ]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "out.json").exists()
