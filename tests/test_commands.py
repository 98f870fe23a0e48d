"""The commands that show what there is: widths, whole entries, slips of the hand, where new things go."""

import json
import re
from types import MappingProxyType
from unicodedata import east_asian_width

import pytest

from tests.lab.conftest import run_workbench, write_notebook
from workbench import __version__
from workbench.catalog import CATALOG
from workbench.cli import main, parser
from workbench.commands import COMMANDS
from workbench.commands.examples import EXAMPLES
from workbench.errors import ArgumentError, nearest
from workbench.lab import tables
from workbench.lab.runner.verdict_check import beside_full, full_run
from workbench.lab.terminal import audits
from workbench.sources import sources, statements
from workbench.study import bench, pairs
from workbench.study.bench import floors

NEW = "univariate/short-mean"


def columns(line):
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in line)


def printed(capsys, *arguments, code=0):
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys, *arguments):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert len(err) <= 220
    return err.removeprefix("workbench: error: ").strip()


def run(arguments):
    try:
        return main(arguments)
    except SystemExit as error:
        return error.code


def test_alone_it_prints_every_command_on_a_line_an_example_and_no_error():
    done = run_workbench()
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    for name in EXAMPLES:
        assert any(re.fullmatch(rf"    {name} +\w.*", line) for line in lines), name
    assert "  workbench plan mean --alpha 0.1 --set radius=100" in lines
    assert max(map(columns, lines)) <= 100


def test_the_version_is_that_of_the_package():
    done = run_workbench("--version")
    assert (done.returncode, done.stdout) == (0, f"workbench {__version__}\n")


def test_every_example_of_a_help_is_an_invocation_that_is_understood():
    names = {module.__name__.rpartition(".")[2] for module in COMMANDS}
    assert names == EXAMPLES.keys()
    for name, lines in EXAMPLES.items():
        for line in "\n".join(lines).replace("\\\n", " ").splitlines():
            command, *words = line.partition("    (")[0].split()
            assert command == "workbench"
            assert parser().parse_args(words).run.__module__.startswith("workbench.commands.")
            assert name in lines[0]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_help_ends_with_its_examples(capsys, name):
    assert printed(capsys, name, "--help").rstrip().endswith(EXAMPLES[name][-1].strip())


TABLES = [("list",), ("list", "univariate"), ("sources",), ("sources", "l17"), ("verdicts",)]
WHOLE = [("list", "gaussian/populous"), ("sources", "M21/Table1"), ("verdicts", "T2", "G5")]


@pytest.mark.parametrize("arguments", [*TABLES, *WHOLE])
def test_a_page_that_is_no_terminal_has_100_columns(capsys, arguments):
    assert max(map(columns, printed(capsys, *arguments).splitlines())) <= 100


@pytest.mark.parametrize("width", [20, 60, 77, 200])
def test_on_a_terminal_tables_are_as_wide_as_it_and_60_columns_at_least(capsys, monkeypatch, width):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    assert tables.page_width() == max(width, 60)
    for arguments in TABLES:
        lines = printed(capsys, *arguments).splitlines()
        assert 0.5 * max(width, 60) < max(map(columns, lines)) <= max(width, 60)


def test_the_json_of_a_table_is_whole(capsys):
    found = json.loads(printed(capsys, "list", "--json"))
    assert [(one["key"], one["summary"]) for one in found] == [
        (key, entry.summary) for key, entry in CATALOG.items()
    ]
    texts = {one["id"]: one["text"] for one in json.loads(printed(capsys, "sources", "--json"))}
    assert texts == {one.id: one.text for source in sources() for one in statements(source)}


def test_a_table_wraps_what_is_long_and_cuts_where_it_is_told_to():
    rows = [["a/key", "one two three four five", "six seven eight nine ten"]]
    found = tables.text(("key", "wrapped", "cut"), rows, 30, cut=("cut",)).splitlines()
    assert max(map(len, found)) == 30
    assert " ".join(line[7:17].strip() for line in found[2:]) == "one two three four five"
    assert found[2].endswith("six seven…")
    assert not any(line[19:].strip() for line in found[3:])


def test_an_entry_is_shown_whole(capsys):
    out = printed(capsys, "list", "univariate/two-step-mean")
    for words in (
        "workbench.TwoStepMean", "radius (must be set)", "sigma = 1.0", "calibration = 'tight'",
        "ε: PureDP (--epsilon)", "the mean lies within radius of centre", "workbench sources L17/Thm2.5",
    ):  # fmt: skip
        assert words in out


@pytest.mark.parametrize("key", CATALOG)
def test_the_example_of_an_entry_names_all_that_must_be_set(key):
    from workbench.commands.list import _example
    from workbench.lab.terminal.estimate import estimator

    words = _example(CATALOG[key]).split()
    if words:
        options = parser().parse_args(words[1:])
        assert estimator(options.key, dict(options.set))
    else:
        assert {type(one).__name__ for one in CATALOG[key].budgets} <= {"NonPrivate", "GaussianDP"}


def test_families_and_estimands_are_listed(capsys):
    univariate = json.loads(printed(capsys, "list", "univariate", "--json"))
    assert {one["key"].partition("/")[0] for one in univariate} == {"univariate"}
    means = json.loads(printed(capsys, "list", "mean", "--json"))
    assert {one["key"] for one in means} >= {"univariate/median", "mean/tukey"}


def test_a_statement_is_shown_whole(capsys):
    one = next(one for one in statements("l17") if one.errata)
    out = " ".join(printed(capsys, "sources", one.id.lower()).split())
    for words in (one.text, one.reason, *one.covered_by, one.errata[0].says, one.errata[0].should_say):
        assert " ".join(words.split()) in out


def test_a_claim_is_shown_whole_with_its_reason_and_figures(capsys):
    from workbench.chapters.registry import CLAIMS

    out = " ".join(printed(capsys, "verdicts", "T2").split())
    claim = CLAIMS["T2"]
    for words in (claim.statement, claim.reason, *claim.sources, "verdict REFUTED (full profile)"):
        assert " ".join(words.split()) in out
    assert re.search(r"figures figures/\w+/\w+\.svg .*notebook notebooks/\w+\.ipynb", out)
    assert json.loads(printed(capsys, "verdicts", "T2", "--json"))[0].keys().isdisjoint({"notebook"})


def test_verdicts_are_filtered_by_status(capsys):
    refuted = json.loads(printed(capsys, "verdicts", "--status", "REFUTED", "--json"))
    assert {one["status"] for one in refuted} == {"REFUTED"}
    both = ("--status", "refuted", "--status", "holds")
    assert len(json.loads(printed(capsys, "verdicts", *both, "--json"))) > len(refuted)
    assert "--status = 'MAYBE': expected one of HOLDS" in refused(capsys, "verdicts", "--status", "maybe")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lst",), "COMMAND = 'lst': expected one of list, sources"),
        (("lst",), "did you mean list?"),
        (("list", "--jsn"), "--jsn: expected one of --help, --json; did you mean --json?"),
        (("list", "TwoStepMean"), "did you mean univariate/two-step-mean?"),
        (("list", "two-step-mean"), "did you mean univariate/two-step-mean?"),
        (
            ("list", "mean/coinpres"),
            "key = 'mean/coinpres': expected one of 49 names; did you mean mean/coinp",
        ),
        (("list", "nonsense"), "key = 'nonsense': expected a key, or one of univariate, mean"),
        (("sources", "L18"), "source = 'L18': expected an id, or one of al22"),
        (("sources", "L17/Thm2.55"), "did you mean L17/Thm2.5"),
        (("verdicts", "G55"), "claim = 'G55': expected one of"),
        (("verdicts", "G55"), "did you mean G5?"),
        (("audit", "univariate/medan"), "did you mean univariate/median?"),
        (("bench", "Median"), "did you mean univariate/median?"),
        (("audit", "mean/empirical"), "key = 'mean/empirical': expected an estimator that is private"),
    ],
)
def test_a_slip_is_refused_in_a_short_line_that_says_what_was_meant(capsys, arguments, words):
    assert words in refused(capsys, *arguments)


@pytest.mark.parametrize("key", CATALOG)
def test_every_key_is_found_by_its_class_and_its_last_name(key):
    assert nearest(type(CATALOG[key].estimator).__name__, CATALOG)[0].rpartition("/")[2] in key
    assert key in nearest(key.replace("-", "_").upper(), CATALOG)
    assert nearest("qqqq", CATALOG) == []


@pytest.fixture
def extended(monkeypatch):
    """A catalog with one more entry, and nothing else about it."""
    from workbench import catalog

    made = MappingProxyType({**CATALOG, NEW: CATALOG["univariate/clipped-mean"]})
    monkeypatch.setattr(catalog, "CATALOG", made)
    return made


def test_attacks_on_a_new_key_go_beside_those_of_its_family(capsys, extended):
    for flags in ((), ("--mutants",)):
        line = refused(capsys, "audit", NEW, *flags)
        assert "pairs: add it to BUILDERS in workbench/study/pairs/univariate.py: lambda" in line
    scope = vars(pairs.univariate) | {
        "KEY": "univariate/median",
        "ESTIMATOR": pairs.univariate.Median(radius=1),
    }
    (case,) = eval(pairs.MINIMAL, scope)()
    assert case.pairs


def test_mutants_of_a_key_that_has_none_go_beside_the_others(monkeypatch):
    monkeypatch.setattr(audits, "mutants_of", lambda key: ())
    with pytest.raises(
        ArgumentError, match=r"add one to UNIVARIATE in workbench/study/faults/attacked\.py: Mutant\("
    ):
        audits.mutants(["univariate/median"], "ci", 0)


def test_the_floor_of_a_new_key_goes_beside_those_of_its_family(capsys, monkeypatch):
    for key, file in {"univariate/median": "floors.py", "mean/filter-nonprivate": r"floors_\w+.py"}.items():
        left = {name: one for name, one in floors.FLOORS.items() if name != key}
        monkeypatch.setattr(floors, "FLOORS", MappingProxyType(left))
        line = refused(capsys, "bench", key)
        assert re.search(rf"a floor: add it to FLOORS in workbench/study/bench/{file}: lambda", line)
        monkeypatch.undo()
    scope = vars(bench.primitives)
    assert len(eval(floors.MINIMAL, scope)(None, None, 100, 2)) == 2


QUICK = [
    {"id": name, "status": status}
    for name, status in (("T1", "HOLDS"), ("T2", "UNDECIDED"), ("T3", "UNDECIDED"))
]


def test_a_quick_run_says_who_decides_what_it_left_undecided():
    full = {"T1": "HOLDS", "T2": "REFUTED", "T3": "HOLDS"}
    said = "2 of 3 claims undecided in quick, which has few trials; "
    assert beside_full(QUICK, full) == said + "the committed full run: 2 hold, 1 refuted"
    assert beside_full(QUICK, {}) == said + "the full profile decides"
    assert beside_full(QUICK[:1], full) == ""


def test_the_full_run_is_that_of_the_checkout_and_none_where_there_is_no_checkout(tmp_path, monkeypatch):
    from workbench.chapters.registry import CLAIMS
    from workbench.lab.runner import verdict_check

    assert full_run().keys() == CLAIMS.keys()
    monkeypatch.setattr(verdict_check, "__file__", str(tmp_path / "committed.py"))
    assert full_run().keys() == CLAIMS.keys()
    monkeypatch.chdir(tmp_path)
    assert full_run() == {}


def test_reproduce_sums_up_what_quick_leaves_to_full(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "dp-workbench"\n')
    cells = (
        "from workbench.lab.live.session import Session\nlab = Session(out=out, profile=profile, seed=seed)",
    )
    write_notebook(tmp_path / "notebooks" / "01.ipynb", *cells, 'lab.verdicts(["T1", "T3"])')
    done = run_workbench("reproduce", cwd=tmp_path)
    assert "1 of 2 claims undecided in quick, which has few trials; the full profile decides" in done.stdout
    full = [{"id": name, "status": "HOLDS"} for name in ("T1", "T3")]
    (tmp_path / "figures" / "01").mkdir(parents=True)
    (tmp_path / "figures" / "01" / "verdicts.json").write_text(json.dumps({"full": full}))
    assert "the committed full run: 2 hold" in run_workbench("reproduce", cwd=tmp_path).stdout
    (executed,) = (tmp_path / "reproduced").rglob("executed.ipynb")
    assert "full run" in executed.read_text()
