"""The commands that show what there is: widths, whole entries, slips of the hand, where new things go."""

import json
import re
from types import MappingProxyType
from typing import get_args
from unicodedata import east_asian_width

import pytest

from tests.lab.conftest import run_workbench, write_notebook
from workbench import __version__
from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS
from workbench.cli import parser
from workbench.commands import COMMANDS
from workbench.commands.examples import EXAMPLES
from workbench.errors import ArgumentError, nearest
from workbench.lab import tables
from workbench.lab.runner.verdict_check import beside_full, full_run
from workbench.lab.terminal import audits
from workbench.sources import sources, statements
from workbench.study import bench, pairs
from workbench.study.bench import floors
from workbench.study.claim import Kind

NEW = "univariate/short-mean"


def columns(line):
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in line)


def test_alone_it_prints_every_command_on_a_line_an_example_and_no_error(command):
    lines = command().printed().splitlines()
    for name in EXAMPLES:
        assert any(re.fullmatch(rf"    {name} +\w.*", line) for line in lines), name
    assert "  workbench plan mean --alpha 0.1 --set radius=100 --set sigma=1" in lines
    assert max(map(columns, lines)) <= 100


def test_the_version_is_that_of_the_package(command):
    assert command("--version").printed() == f"workbench {__version__}\n"


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
def test_every_help_ends_with_its_examples(command, name):
    assert command(name, "--help").printed().rstrip().endswith(EXAMPLES[name][-1].strip())


TABLES = [("list",), ("list", "univariate"), ("sources",), ("sources", "l17"), ("verdicts",)]
WHOLE = [
    ("list", "gaussian/populous"),
    ("sources", "M21/Table1"),
    ("verdicts", "robust-and-private/log-rounds-suffice", "G5"),
]


@pytest.mark.parametrize("arguments", [*TABLES, *WHOLE])
def test_a_page_that_is_no_terminal_has_100_columns(command, arguments):
    assert max(map(columns, command(*arguments).printed().splitlines())) <= 100


@pytest.mark.parametrize("width", [20, 60, 77, 200])
def test_on_a_terminal_tables_are_as_wide_as_it_and_60_columns_at_least(command, monkeypatch, width):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    assert tables.page_width() == max(width, 60)
    for arguments in TABLES:
        lines = command(*arguments).printed().splitlines()
        assert 0.5 * max(width, 60) < max(map(columns, lines)) <= max(width, 60)


def test_the_json_of_a_table_is_whole(command):
    found = json.loads(command("list", "--json").printed())
    assert [(one["key"], one["summary"]) for one in found] == [
        (key, entry.summary) for key, entry in CATALOG.items()
    ]
    texts = {one["id"]: one["text"] for one in json.loads(command("sources", "--json").printed())}
    assert texts == {one.id: one.text for source in sources() for one in statements(source)}


def test_a_table_wraps_what_is_long_and_cuts_where_it_is_told_to():
    rows = [["a/key", "one two three four five", "six seven eight nine ten"]]
    found = tables.text(("key", "wrapped", "cut"), rows, 30, cut=("cut",)).splitlines()
    assert max(map(len, found)) == 30
    assert " ".join(line[7:17].strip() for line in found[2:]) == "one two three four five"
    assert found[2].endswith("six seven…")
    assert not any(line[19:].strip() for line in found[3:])


def test_an_entry_is_shown_whole(command):
    out = command("list", "univariate/two-step-mean").printed()
    for words in (
        "workbench.TwoStepMean", "radius (must be set)", "sigma (must be set)", "calibration = 'tight'",
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


def test_families_and_estimands_are_listed(command):
    univariate = json.loads(command("list", "univariate", "--json").printed())
    assert {one["key"].partition("/")[0] for one in univariate} == {"univariate"}
    means = json.loads(command("list", "mean", "--json").printed())
    assert {one["key"] for one in means} >= {"univariate/median", "mean/tukey"}


def test_what_has_no_exact_noise_is_told_by_its_step(command):
    told = {one["key"]: one for one in json.loads(command("list", "mean", "--secure", "--json").printed())}
    assert told["mean/coinpress"] == {"key": "mean/coinpress", "exact": True, "inexact": []}
    assert "mean/empirical" not in told
    (masked,) = json.loads(command("list", "covariance/populous", "--secure", "--json").printed())
    assert (masked["exact"], masked["inexact"]) == (False, ["mask"])
    assert command("list", "covariance/clipped", "--secure").printed().split()[-1] == "exact"
    assert "none for mask" in command("list", "covariance/populous", "--secure").printed()


def test_a_statement_is_shown_whole(command):
    one = next(one for one in statements("l17") if one.errata)
    out = " ".join(command("sources", one.id.lower()).printed().split())
    for words in (one.text, one.reason, *one.covered_by, one.errata[0].says, one.errata[0].should_say):
        assert " ".join(words.split()) in out


def test_a_claim_is_shown_whole_with_its_reason_and_figures(command):
    from workbench.chapters.registry import CLAIMS

    out = " ".join(command("verdicts", "T2").printed().split())
    claim = CLAIMS["robust-and-private/log-rounds-suffice"]
    for words in (claim.statement, claim.reason, *claim.sources, "verdict REFUTED (full profile)"):
        assert " ".join(words.split()) in out
    assert re.search(r"figures figures/\w+/\w+\.svg .*notebook notebooks/\w+\.ipynb", out)
    assert json.loads(command("verdicts", "T2", "--json").printed())[0].keys().isdisjoint({"notebook"})


def test_verdicts_are_filtered_by_status(command):
    refuted = json.loads(command("verdicts", "--status", "REFUTED", "--json").printed())
    assert {one["status"] for one in refuted} == {"REFUTED"}
    both = ("--status", "refuted", "--status", "holds")
    assert len(json.loads(command("verdicts", *both, "--json").printed())) > len(refuted)
    command("verdicts", "--status", "maybe").refused("--status = 'MAYBE': expected one of HOLDS")


def test_verdicts_are_filtered_by_kind(command):
    kinds = {claim.id: claim.kind for claim in CLAIMS.values()}
    for kind in get_args(Kind):
        found = json.loads(command("verdicts", "--kind", kind, "--json").printed())
        assert {one["id"] for one in found} == {name for name, known in kinds.items() if known == kind}
    command("verdicts", "--kind", "maybe").refused("--kind = 'maybe': expected one of source")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lst",), "COMMAND = 'lst': expected one of list, sources"),
        (("lst",), "did you mean list?"),
        (("list", "--jsn"), "--jsn: expected one of --help, --json, --secure; did you mean --json?"),
        (("list", "TwoStepMean"), "did you mean univariate/two-step-mean?"),
        (("list", "two-step-mean"), "did you mean univariate/two-step-mean?"),
        (
            ("list", "mean/coinpres"),
            f"key = 'mean/coinpres': expected one of {len(CATALOG)} names; did you mean mean/coinp",
        ),
        (("list", "nonsense"), "key = 'nonsense': expected a key, or one of univariate, mean"),
        (("sources", "L18"), "source = 'L18': expected an id, or one of al22"),
        (("sources", "L17/Thm2.55"), "did you mean L17/Thm2.5"),
        (("verdicts", "G55"), "claim = 'G55': expected one of"),
        (("verdicts", "private-for-fre"), "did you mean one-mean/private-for-free?"),
        (("audit", "univariate/medan"), "did you mean univariate/median?"),
        (("bench", "Median"), "did you mean univariate/median?"),
        (("sources", "X99"), "source = 'X99'"),
        (("lab", "--port", "0"), "port = 0"),
        (("list", "x", "y"), "y"),
        (("audit", "mean/empirical"), "key = 'mean/empirical': expected an estimator that is private"),
    ],
)
def test_a_slip_is_refused_in_a_short_line_that_says_what_was_meant(command, arguments, words):
    assert len(command(*arguments).refused(words)) <= 220


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


def test_attacks_on_a_new_key_go_beside_those_of_its_family(command, extended):
    for flags in ((), ("--mutants",)):
        line = command("audit", NEW, *flags).refused()
        assert "pairs: add it to BUILDERS in workbench/study/pairs/univariate.py: lambda" in line
    scope = vars(pairs.univariate) | {
        "KEY": "univariate/median",
        "ESTIMATOR": pairs.univariate.Median(radius=1, sigma=1.0),
    }
    (case,) = eval(pairs.MINIMAL, scope)()
    assert case.pairs


def test_mutants_of_a_key_that_has_none_go_beside_the_others(monkeypatch):
    monkeypatch.setattr(audits, "mutants_of", lambda key: ())
    with pytest.raises(
        ArgumentError, match=r"add one to UNIVARIATE in workbench/study/faults/attacked\.py: Mutant\("
    ):
        audits.mutants(["univariate/median"], "ci", 0)


def test_the_floor_of_a_new_key_goes_beside_those_of_its_family(command, monkeypatch):
    for key, file in {"univariate/median": "floors.py", "mean/filter-nonprivate": r"floors_\w+.py"}.items():
        left = {name: one for name, one in floors.FLOORS.items() if name != key}
        monkeypatch.setattr(floors, "FLOORS", MappingProxyType(left))
        line = command("bench", key).refused()
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


@pytest.mark.daily
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
