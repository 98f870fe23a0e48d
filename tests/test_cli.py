"""The command line as a person meets it: a subprocess, its streams, its exit code."""

import json
import subprocess
import sys
from dataclasses import MISSING, asdict, dataclass, fields, replace
from itertools import cycle, islice

import pytest

from tests.lab.conftest import run_workbench, write_notebook
from workbench.privacy import NonPrivate
from workbench.study.least_rows import fewest_rows

CSV = "height,name,empty\n1.5,a,\n2.5,b,\n0.5,c,\nnan,d,\ninf,e,\n-1e308,f,\n99999999999999999999999,g,\n"


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(CSV)
    return path


def estimate(path, *more, key="univariate/toy"):
    return run_workbench("estimate", path, "--key", key, *more, cwd=path.parent, flags=("-W", "error"))


def test_list_and_sources_as_table_and_json():
    table = run_workbench("list")
    assert table.returncode == 0
    assert table.stdout.splitlines()[0].split() == ["key", "estimates", "takes", "summary"]
    assert json.loads(run_workbench("list", "--json").stdout)[0]["key"] == "univariate/toy"
    assert "A mean costs little." in run_workbench("sources", "L17").stdout
    assert json.loads(run_workbench("sources", "--json").stdout)[0]["covered_by"] == ["univariate/toy"]


def test_estimate_prints_value_budget_plan_and_never_warns(csv):
    done = estimate(csv, "--column", "height", "--epsilon", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "budget: PureDP(epsilon=1.0)" in done.stdout
    assert "randomness: noise seeded by the operating system" in done.stdout
    assert "plan:\n    mean: Laplace, PureDP(epsilon=1.0)" in done.stdout


def test_seed_makes_a_replay_that_says_so(csv, tmp_path):
    arguments = ("--columns", "height", "--rho", "0.5", "--seed", "3", "--out", tmp_path / "out.json")
    one, two = estimate(csv, *arguments), estimate(csv, *arguments)
    assert one.stdout == two.stdout
    record = json.loads((tmp_path / "out.json").read_text())
    assert record["randomness"] == "replay, not private (seed 3)"
    assert record["budget"] == "ZCDP(rho=0.5, delta=0.0)"


def test_abstention_is_a_status(csv, tmp_path):
    arguments = (
        "--column",
        "height",
        "--epsilon",
        "1",
        "--set",
        "radius=100",
        "--out",
        tmp_path / "out.json",
    )
    done = estimate(csv, *arguments)
    assert (done.returncode, done.stderr) == (3, "")
    assert "abstained" in done.stdout
    record = json.loads((tmp_path / "out.json").read_text())
    assert (record["status"], record["value"]) == ("abstained", None)


def test_a_column_of_words_is_a_column_of_missing_entries_which_a_check_lists(csv):
    done = estimate(csv, "--column", "name", "--epsilon", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "missing entries: a row with an entry that is missing or no number counts as 0" in done.stdout
    done = run_workbench("estimate", csv, "--check", "--column", "name", flags=("-W", "error"))
    assert (done.returncode, done.stderr) == (1, "")
    assert "line 2, column name: no number" in done.stdout
    assert "column name: 0 numbers, 0 missing, 7 unreadable" in done.stdout


def test_every_catalog_key_takes_hostile_data_without_error_or_warning(csv):
    pytest.importorskip("workbench.catalog")
    from workbench.catalog import CATALOG
    from workbench.lab.terminal import estimate as module

    hostile = [row.partition(",")[0] for row in CSV.splitlines()[1:]] + ["1e308", "-inf", "0"] * 200

    def write(n):
        column = list(islice(cycle(hostile), max(n, len(hostile))))
        rows = zip(column, column[::-1], strict=True)
        csv.write_text("height,weight\n" + "".join(f"{one},{other}\n" for one, other in rows))

    private = {key: entry for key, entry in CATALOG.items() if NonPrivate() not in entry.budgets}
    assert len(private) < len(CATALOG)
    for key, entry in private.items():
        columns = ["height"] if entry.population.d is None else ["height", "weight"]
        request = module.Request(csv, "", columns=columns, seed=1)
        for budget in entry.budgets:
            flags = {name: value for name, value in asdict(budget).items() if value}
            if flags.keys() <= {"epsilon", "delta", "rho"}:
                write(fewest_rows(entry.estimator, len(columns), budget))
                settings = {
                    one.name: getattr(entry.estimator, one.name)
                    for one in fields(entry.estimator)
                    if one.default is MISSING
                }
                text, _ = module.estimate(replace(request, key=key, settings=settings, **flags))
                assert str(budget) in text


def test_a_reference_without_privacy_is_no_estimate(csv):
    from workbench.errors import ArgumentError
    from workbench.lab.terminal import estimate as module

    with pytest.raises(ArgumentError, match="key = 'mean/empirical': expected an estimator that is private"):
        module.estimate(module.Request(csv, "mean/empirical", columns=["height"], epsilon=1.0))


def test_a_parameter_without_a_default_must_be_set(csv):
    from workbench.errors import ArgumentError
    from workbench.lab.terminal import estimate as module

    with pytest.raises(ArgumentError, match=r"set radius = None: .* --set radius=NUMBER"):
        module.estimator("univariate/two-step-mean", {"sigma": 2.0})


def test_an_infinite_end_of_an_interval_is_shown_and_recorded():
    from workbench.lab.terminal import estimate as module

    value = module.plain(Ends(-1.5, float("inf")))
    assert value == {"low": -1.5, "high": "inf"}
    assert module._show(value) == "low -1.5, high inf"


@dataclass(frozen=True)
class Ends:
    low: float
    high: float


BUDGET = ("--epsilon", "1")
COLUMN = ("--column", "height")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--epsilon", "0", *COLUMN), ("epsilon = 0.0", "a finite number above 0")),
        (("--epsilon", "-1", *COLUMN), ("epsilon = -1.0", "a finite number above 0")),
        (("--epsilon", "nan", *COLUMN), ("epsilon = nan", "a finite number above 0")),
        (("--epsilon", "inf", *COLUMN), ("epsilon = inf", "a finite number above 0")),
        (("--epsilon", "much", *COLUMN), ("--epsilon", "'much'", "expected a number")),
        ((*BUDGET, "--delta", "1", *COLUMN), ("delta = 1.0", "from 0 up to")),
        (COLUMN, ("epsilon = None", "--rho")),
        ((*BUDGET, "--rho", "1", *COLUMN), ("rho = 1.0", "not both")),
        ((*BUDGET, "--set", "radius=-1", *COLUMN), ("radius = -1", "above 0")),
        ((*BUDGET, "--set", "range=1", *COLUMN), ("set range = 1", "a parameter of univariate/toy: radius")),
        ((*BUDGET, "--set", "radius", *COLUMN), ("'radius'", "NAME=VALUE")),
        ((*BUDGET, "--column", "weight"), ("column = 'weight'", "height, name, empty")),
        ((*BUDGET, *COLUMN, "--missing", "nan"), ("missing = nan", "a finite number")),
        ((*BUDGET, *COLUMN, "--separator", "1"), ("separator = '1'", "one character")),
        (BUDGET, ("column = 'height, name, empty'", "exactly one of")),
        ((*BUDGET, *COLUMN, "--seed", "-1"), ("seed = -1", "at least 0")),
        ((*BUDGET, *COLUMN, "--out", "no/such/a.json"), ("out = 'no/such/a.json'", "folder that exists")),
        ((*BUDGET, *COLUMN, "--key", "mean/none"), ("key = 'mean/none'", "univariate/toy")),
        ((*BUDGET, *COLUMN, "--colour", "red"), ("--colour",)),
    ],
)  # fmt: skip
def test_bad_arguments_are_one_line_and_write_nothing(csv, arguments, words):
    extra = () if "--out" in arguments else ("--out", "out.json")
    one_line(estimate(csv, *arguments, *extra), words)
    assert [path.name for path in csv.parent.iterdir()] == ["data.csv"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ("file = ", "a header")),
        ("height\n", ("file = ", "at least one row")),
        ("height\n1\n2\n", ("n = 2", "at least 3 rows")),
        ("height\n1,2\n3,4\n", ("n = 2", "at least 3 rows")),
        ("height\n\n1,2,3\n", ("n = 2", "at least 3 rows")),
        ("height\n1\n2\n3", ("file = ", "after every line, the last one too")),
        ("height,height\n1,2\n3,4\n", ("column = 'height'", "names differ")),
        ("1.5,2\n3,4\n", ("file = ", "a number or a missing entry there")),
        (b"\xff\xfe\x00height", ("encoding = 'utf-8'", "the encoding of the header")),
        (None, ("file = ", "a file that exists")),
    ],
)
def test_bad_files_are_one_line(tmp_path, content, words):
    path = tmp_path / "data.csv"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    one_line(estimate(path, *BUDGET, *COLUMN), words)


def one_line(done, words):
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("workbench: error: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize(
    "arguments", [("unknown",), ("sources", "X99"), ("lab", "--port", "0"), ("list", "x")]
)
def test_wrong_commands_are_one_line(arguments, tmp_path):
    write_project(tmp_path)
    one_line(run_workbench(*arguments, cwd=tmp_path), ())


def write_project(root):
    (root / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    write_notebook(root / "notebooks" / "01.ipynb")
    verdict = {"statement": "s", "test": "t", "level": 1e-6, "trials": 9, "n": 5, "estimate": 1.0}
    statuses = {"T1": "HOLDS", "T2": "REFUTED", "T3": "UNDECIDED"}
    records = [
        verdict | {"id": name, "status": status, "interval": [0, 2]} for name, status in statuses.items()
    ]
    (root / "figures" / "01").mkdir(parents=True)
    (root / "figures" / "01" / "verdicts.json").write_text(json.dumps({"quick": [], "full": records}))


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        ((), 0, "REFUTED"),
        (("--require-decided", "T1", "T2"), 0, "T2"),
        (("--require-decided", "T3"), 1, "FAILED T3: required to be decided, is UNDECIDED"),
        (("--require", "T1"), 0, "HOLDS"),
        (("--require", "T1", "T3"), 1, "FAILED T3: required to hold, is UNDECIDED"),
        (("--require", "T2"), 1, "FAILED T2: required to hold, is REFUTED"),
    ],
)
def test_verdicts(tmp_path, arguments, code, word):
    write_project(tmp_path)
    done = run_workbench("verdicts", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (code, "")
    assert word in done.stdout


def test_verdicts_unknown_id_missing_folder_and_json(tmp_path):
    write_project(tmp_path)
    one_line(run_workbench("verdicts", "--require", "T9", cwd=tmp_path), ("claim = 'T9'", "T1, T2, T3"))
    one_line(run_workbench("verdicts", "--from", "nowhere", cwd=tmp_path), ("from = 'nowhere'",))
    done = run_workbench("verdicts", "--from", "figures", "--json", cwd=tmp_path)
    assert [record["id"] for record in json.loads(done.stdout)] == ["T1", "T2", "T3"]


def test_committed_claims_can_be_missing(tmp_path):
    write_project(tmp_path)
    (tmp_path / "figures/01/verdicts.json").write_text("{}")
    done = run_workbench("verdicts", "--require-decided", "T1", cwd=tmp_path)
    assert "FAILED T1: required to be decided, is missing" in done.stdout
    assert done.returncode == 1


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("missing", ["pandas", "papermill", "matplotlib"])
def test_a_missing_extra_is_one_line(missing):
    code = f"""
import sys
sys.modules[{missing!r}] = None
from workbench.cli import main
import workbench.commands.list as command
def run(options):
    import {missing}
command.run = run
sys.exit(main(["list"]))
"""
    one_line(python(code), (missing, 'pip install "dp-workbench[lab]"'))


def test_help_loads_nothing_heavy():
    heavy = "{'numpy', 'scipy', 'matplotlib', 'pandas', 'ipywidgets', 'IPython', 'papermill', 'joblib'}"
    code = f"import sys, workbench.cli as c; c.parser(); print({heavy} & set(sys.modules))"
    assert python(code).stdout == "set()\n"
    assert run_workbench("--help").returncode == 0
