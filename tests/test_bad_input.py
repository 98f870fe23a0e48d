"""Bad input: one line that names the argument, its value and what is allowed; bad rows: no error at all."""

import os
import subprocess
import sys
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench import (
    ZCDP,
    ApproxDP,
    ArgumentError,
    ClippedMean,
    GaussianDP,
    HistogramLocation,
    Interval,
    IntervalUnknownVariance,
    Ledger,
    Median,
    NonPrivate,
    PureDP,
    Scale,
    StableLocation,
    TwoStepMean,
    UnboundedMean,
)
from workbench.catalog import CATALOG

ROOT = Path(__file__).parents[1]
ON_THE_LINE = {key: entry for key, entry in CATALOG.items() if entry.population.d is None}
PURE, APPROX, SMALL = PureDP(1.0), ApproxDP(1.0, 1e-6), [1.0, 2.0, 3.0, 4.0]
ABOVE_ZERO, INSIDE = "a finite number above 0", "strictly between 0 and 1"


def run(estimator, x, budget, rng=None):
    return estimator(x, budget=budget, rng=np.random.default_rng(0) if rng is None else rng)


def budgets():
    for value in (0, 0.0, -1.0, float("nan"), float("inf"), -float("inf"), True, "1", None, 1j, [1.0]):
        yield "epsilon", value, lambda value=value: PureDP(value), ABOVE_ZERO
        yield "epsilon", value, lambda value=value: ApproxDP(value, 1e-6), ABOVE_ZERO
        yield "rho", value, lambda value=value: ZCDP(value), ABOVE_ZERO
        yield "mu", value, lambda value=value: GaussianDP(value), ABOVE_ZERO
    for value in (-1e-9, 1.0, 1, 2.0, float("nan"), float("inf"), "0.1", None):
        yield "delta", value, lambda value=value: ApproxDP(1.0, value), "[0, 1)"
        yield "delta", value, lambda value=value: ZCDP(1.0, value), "[0, 1)"
    for value in (0, -1, 1.5, True):
        yield "size", value, lambda value=value: PURE.for_group(value), "at least 1"
        yield (
            "weights",
            value if value in (0, -1) else 0.0,
            lambda value=value: PURE.split(1, value if value in (0, -1) else 0.0),
            ABOVE_ZERO,
        )
    yield "weights", (), PURE.split, "at least one"
    yield "budget", NonPrivate(), lambda: Ledger(NonPrivate()), "a private budget"


def parameters():
    kinds = (ClippedMean, TwoStepMean, Median, HistogramLocation)
    for value in (0, -1.0, float("nan"), float("inf"), "10", None, True):
        for kind in kinds:
            yield "radius", value, lambda kind=kind, value=value: kind(radius=value), ABOVE_ZERO
            yield "sigma", value, lambda kind=kind, value=value: kind(radius=1, sigma=value), ABOVE_ZERO
        for kind in (UnboundedMean, StableLocation, Interval):
            yield "sigma", value, lambda kind=kind, value=value: kind(sigma=value), ABOVE_ZERO
        if value is not None:
            yield "lower", value, lambda value=value: Scale(lower=value, upper=2.0), ABOVE_ZERO
    for value in (float("nan"), float("inf"), "0", None):
        for kind in kinds:
            yield (
                "centre",
                value,
                lambda kind=kind, value=value: kind(radius=1, centre=value),
                "a finite number",
            )
    for value in (0, 1, -0.1, 1.5, float("nan"), "0.1", None):
        for kind in (Interval, IntervalUnknownVariance):
            yield "level", value, lambda kind=kind, value=value: kind(level=value), INSIDE
        yield "beta", value, lambda value=value: UnboundedMean(beta=value), INSIDE
        for kind in (ClippedMean, TwoStepMean):
            yield "beta", value, lambda kind=kind, value=value: kind(radius=1, beta=value), INSIDE
    for value in (99, 0, 1e4, True, None):
        yield "pivots", value, lambda value=value: Interval(pivots=value), "an integer, at least 100"
        yield "pivots", value, lambda value=value: IntervalUnknownVariance(pivots=value), "at least 100"
    for value in ("loose", "", None, 1):
        for entry in ON_THE_LINE.values():
            needed = {"radius": 1.0} if hasattr(entry.estimator, "radius") else {}
            kind = type(entry.estimator)
            yield (
                "calibration",
                value,
                lambda kind=kind, value=value, needed=needed: kind(calibration=value, **needed),
                "paper, tight",
            )
    yield "upper", 1.0, lambda: Scale(lower=2.0, upper=1.0), "above lower"
    yield "upper", None, lambda: Scale(lower=2.0), "if and only if"
    yield "key", "mean/none", lambda: wb.lookup("mean/none"), "univariate/clipped-mean"


def wrong_budgets():
    with_range = (
        TwoStepMean(radius=9.0),
        Median(radius=9.0),
        HistogramLocation(radius=9.0),
        Scale(lower=1, upper=2),
    )
    without = (UnboundedMean(), StableLocation(), Scale(), Interval(), IntervalUnknownVariance())
    for estimator in with_range:
        for budget in (APPROX, ZCDP(0.5, 1e-6), GaussianDP(1.0), NonPrivate(), 1.0, None):
            yield "budget", budget, lambda e=estimator, b=budget: run(e, SMALL, b), "PureDP or ZCDP"
    for estimator in without:
        for budget in (PURE, ZCDP(0.5), ApproxDP(1.0, 0.0), GaussianDP(1.0), NonPrivate(), 1.0, None):
            yield "budget", budget, lambda e=estimator, b=budget: run(e, SMALL, b), "ApproxDP or ZCDP"
    for budget in (NonPrivate(), ApproxDP(1.0, 0.0), ZCDP(0.5, 1e-6), 1.0, None):
        yield "budget", budget, lambda b=budget: run(ClippedMean(radius=9.0), SMALL, b), "or GaussianDP"


def identified(cases):
    return [
        pytest.param(*case, id=f"{number}-{case[0]}-{type(case[1]).__name__}")
        for number, case in enumerate(cases)
    ]


@pytest.mark.parametrize(
    ("argument", "value", "call", "allowed"), identified([*budgets(), *parameters(), *wrong_budgets()])
)
def test_a_wrong_argument_is_named_with_its_value_and_what_is_allowed(argument, value, call, allowed):
    with pytest.raises(ArgumentError) as raised:
        call()
    error = raised.value
    assert error.argument == argument
    assert error.value is value or error.value == value or value != value
    assert allowed in str(error)
    assert str(error).startswith(f"{error.argument} = ")
    assert "\n" not in str(error)


COLUMNS = [
    ("n", 0, []),
    ("n", 0, np.zeros(0)),
    ("n", 0, pd.Series([], dtype=float)),
    ("n", 1, [3.0]),
    ("n", 1, np.array([[3.0]])),
    ("x", "shape ()", 3.0),
    ("x", "shape (2, 3)", np.zeros((2, 3))),
    ("x", "shape (4, 0)", np.zeros((4, 0))),
    ("x", "shape (4, 1, 1)", np.zeros((4, 1, 1))),
    ("x", "shape (4, 2)", pd.DataFrame(np.zeros((4, 2)))),
    ("x", "entry of type str", np.array([1.0, "a"], object)),
    ("x", "type <U1", np.array(["a", "b"])),
    ("x", "type complex128", np.zeros(4, complex)),
    ("x", "type object", np.array(None)),
    ("x", "entry of type str", ["1.0", "2.0", "3.0"]),
    ("x", "rows", [[1.0], [2.0, 3.0]]),
    ("x['name']", "type", pd.DataFrame({"name": ["a", "b"]})),
    ("x['name']", "type", pd.Series(["a", "b"], name="name")),
    ("x['day']", "type", pd.DataFrame({"day": pd.to_datetime(["2020-01-01"] * 4)})),
    ("x", "type object", {"a": 1.0}),
]


@pytest.mark.parametrize("key", ON_THE_LINE)
@pytest.mark.parametrize(("argument", "words", "x"), identified(COLUMNS))
def test_a_wrong_column_is_refused_before_any_draw(key, argument, words, x):
    example, rng = CATALOG[key].examples[0], np.random.default_rng(3)
    before = repr(rng.bit_generator.state)
    with pytest.raises(ArgumentError) as raised:
        run(example.estimator, x, example.budget, rng)
    assert raised.value.argument == argument
    assert str(words) in str(raised.value)
    assert repr(rng.bit_generator.state) == before


@pytest.mark.parametrize("key", ["univariate/scale", "univariate/interval-unknown-variance"])
@pytest.mark.parametrize("n", [2, 3])
def test_what_needs_four_rows_says_so(key, n):
    example = CATALOG[key].examples[0]
    with pytest.raises(ArgumentError, match=f"n = {n}: expected an integer, at least 4"):
        run(example.estimator, np.zeros(n), example.budget)


# the command line, as a subprocess


@pytest.fixture
def folder(tmp_path):
    """Files of every kind of trouble."""
    lines = {
        "good": "height,name,mixed\n1.5,a,1\n2.5,b,x\n0.5,c,2\n1,d,3\n2,e,4\n",
        "one": "height\n1.5\n",
        "three": "height\n1.5\n2\n3\n",
        "header": "height,name\n",
        "empty": "",
        "twice": "height,height\n1,2\n1,2\n",
        "headless": "171.25,80\n171.25,81\n",
        "hostile": "height\n"
        + "nan\ninf\n-inf\n1e308\n-1e308\n1e400\n\n7\n7\n7\n0\n-0.0\n5e-324\n" * 9
        + 'abc\n  \n"1,5\n1,2,3\n-\n\x001\n' * 3,
        "constant": "height\n" + "7\n" * 60,
    }
    for name, text in lines.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def command(folder, *arguments, out=True):
    more = ("--out", "out.json") if out else ()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    line = [sys.executable, "-W", "error", "-m", "workbench.cli", *map(str, (*arguments, *more))]
    return subprocess.run(line, capture_output=True, text=True, cwd=folder, env=environment, check=False)


def estimate(
    file="good", key="two-step-mean", budget=("--epsilon", "1"), settings=("radius=9",), column="height"
):
    flags = [part for setting in settings for part in ("--set", setting)]
    return ("estimate", f"{file}.csv", "--key", f"univariate/{key}", "--column", column, *budget, *flags)


def line_cases():
    for value, shown in (("0", "0.0"), ("-1", "-1.0"), ("nan", "nan"), ("inf", "inf")):
        yield estimate(budget=("--epsilon", value)), f"epsilon = {shown}", ABOVE_ZERO
    yield estimate(budget=("--epsilon", "one")), "'one'", "expected a number"
    yield estimate(budget=("--rho", "0")), "rho = 0.0", ABOVE_ZERO
    for value, shown in (("-0.1", "-0.1"), ("1", "1.0"), ("nan", "nan")):
        budget = ("--epsilon", "1", "--delta", value)
        yield estimate(key="unbounded-mean", budget=budget, settings=()), f"delta = {shown}", "[0, 1)"
    yield estimate(key="unbounded-mean", settings=()), "budget = PureDP(epsilon=1.0)", "ApproxDP or ZCDP"
    yield estimate(budget=("--epsilon", "1", "--delta", "1e-6")), "budget = ApproxDP", "PureDP or ZCDP"
    for value, shown in (("0", "0"), ("-1.5", "-1.5"), ("nan", "'nan'"), ("[1]", "[1]")):
        yield estimate(settings=(f"radius={value}",)), f"radius = {shown}", ABOVE_ZERO
    yield estimate(settings=("radius=1", "beta=1")), "beta = 1", INSIDE
    yield estimate(settings=("radius=1", "calibration=loose")), "calibration = 'loose'", "paper, tight"
    yield estimate(settings=("radus=9",)), "set radus = 9", "radius, centre, sigma, beta, calibration"
    yield estimate(settings=()), "set radius = None", "a number"
    approx = ("--epsilon", "1", "--delta", "1e-6")
    yield estimate(key="interval", budget=approx, settings=("level=1",)), "level = 1", INSIDE
    yield estimate(key="interval", budget=approx, settings=("pivots=5",)), "pivots = 5", "at least 100"
    yield estimate("one"), "n = 1", "at least 2"
    yield estimate("three", key="scale", budget=approx, settings=()), "n = 3", "at least 4"
    yield estimate("header"), "header.csv", "at least one row"
    yield estimate("empty"), "empty.csv", "a header"
    yield estimate("twice"), "column = 'height'", "names differ"
    yield estimate("headless"), "headless.csv", "a number or a missing entry there"
    yield estimate("nothing"), "nothing.csv", "a file that exists"
    yield estimate(settings=("radius=9", "centre=1,2")), "set centre = (1, 2)", "holds for every column"
    yield estimate(column="weight"), "column = 'weight'", "height, name, mixed"
    yield estimate(key="mode"), "key = 'univariate/mode'", "names; did you mean univariate/median or "


@pytest.mark.parametrize(
    ("arguments", "argument", "allowed"),
    [pytest.param(*case, id=f"{number}-{case[1]}") for number, case in enumerate(line_cases())],
)
def test_the_command_line_says_it_in_one_line_and_writes_nothing(folder, arguments, argument, allowed):
    refused(folder, command(folder, *arguments), argument, allowed)


def refused(folder, done, argument, allowed):
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.stderr.startswith("workbench: error: ")
    assert done.stderr.count("\n") == 1
    assert argument in done.stderr
    assert allowed in done.stderr
    assert all(path.suffix == ".csv" for path in folder.iterdir())


@pytest.mark.parametrize(
    ("parameter", "argument", "allowed"),
    [
        ("epsilom=1", "epsilom = 1", "a parameter of 02_one_mean"),
        ("epsilon=much", "epsilon = 'much'", "a value like the default"),
        ("epsilon", "'epsilon'", "NAME=VALUE"),
    ],
)
def test_a_misspelt_parameter_of_a_notebook_runs_nothing(folder, parameter, argument, allowed):
    arguments = ("reproduce", "02_one_mean", "-p", parameter, "--project", ROOT, "--out", "reproduced")
    refused(folder, command(folder, *arguments, out=False), argument, allowed)


# rows never raise and never warn


def hostile_line(key, file):
    entry, default = CATALOG[f"univariate/{key}"], CATALOG[f"univariate/{key}"].estimator
    budget = [
        part
        for name, value in asdict(entry.budgets[0]).items()
        if value
        for part in (f"--{name}", repr(value))
    ]
    known = {field.name for field in fields(default)}
    settings = [*(["radius=9"] if "radius" in known else []), *(["pivots=300"] if "pivots" in known else [])]
    return estimate(file, key, tuple(budget), settings)


@pytest.mark.parametrize("key", [key.partition("/")[2] for key in ON_THE_LINE])
@pytest.mark.parametrize("file", ["hostile", "constant"])
def test_a_file_of_hostile_rows_is_estimated_or_abstained_in_silence(folder, key, file):
    done = command(folder, *hostile_line(key, file))
    assert done.stderr == ""
    assert done.returncode in (0, 3), done
    assert (folder / "out.json").exists()


SCRIPT = """
import numpy as np
from workbench import CATALOG
np.seterr(all="raise")
rows = np.random.default_rng(0)
values = [np.nan, np.inf, -np.inf, 1e308, -1e308, 1e100, 1e15, -1e15, 5e-324, 0.0, 3.0, 3.0]
columns = [np.full(60, value) for value in values] + [rows.choice(values, 60) for _ in range(8)]
columns += [rows.normal(size=60) * 1e99, 1e15 + np.arange(60) / 8, np.repeat([0.0, 1e308], 30)]
columns += [list(columns[0])]
count = 0
for entry in CATALOG.values():
    for example in entry.examples if entry.population.d is None else ():
        if hasattr(example.estimator, "pivots") and example.estimator.calibration == "tight":
            continue  # in the contracts: their tables take long
        for x in columns:
            release = example.estimator(x, budget=example.budget, rng=np.random.default_rng(count))
            assert str(release), entry.key
            count += 1
print(count)
"""


def test_hostile_columns_in_a_process_that_turns_every_warning_into_an_error():
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    line = [sys.executable, "-W", "error", "-c", SCRIPT]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    examples = [example for entry in ON_THE_LINE.values() for example in entry.examples]
    skipped = [e for e in examples if hasattr(e.estimator, "pivots") and e.estimator.calibration == "tight"]
    assert int(done.stdout) == 24 * (len(examples) - len(skipped))
