"""The commands that show what there is: help, whole entries, slips of the hand, where new things go."""

import json
import re
import subprocess
import sys
from importlib import import_module

import pytest

from workbench import __version__
from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS
from workbench.cli import COMMANDS, parser
from workbench.lab import claims
from workbench.lab.claims import full_verdicts
from workbench.sources import sources, statements


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_its_examples_which_are_understood(command, name):
    assert command(name, "--help").printed().rstrip().endswith(COMMANDS[name].examples[-1].strip())
    for line in "\n".join(COMMANDS[name].examples).replace("\\\n", " ").splitlines():
        program, *words = line.partition("    (")[0].split()
        assert program == "workbench"
        module, _, function = parser().parse_args(words).run.partition(":")
        assert callable(getattr(import_module(module), function))


@pytest.mark.turns(3)
@pytest.mark.parametrize("key", CATALOG)
def test_the_example_of_an_entry_names_all_that_must_be_set(command, key):
    from workbench.lab.estimating import estimator

    shown = " ".join(command("list", key).printed().partition("\nexample ")[2].split())
    if shown:
        options = parser().parse_args(shown.split()[1:])
        assert estimator(options.key, dict(options.set))
    else:
        assert {type(one).__name__ for one in CATALOG[key].budgets} <= {"NonPrivate", "GaussianDP"}


def test_what_has_no_exact_noise_is_told_by_its_step(command):
    told = {one["key"]: one for one in json.loads(command("list", "mean", "--secure", "--json").printed())}
    assert told["mean/coinpress"] == {"key": "mean/coinpress", "exact": True, "inexact": []}
    assert "mean/empirical" not in told
    assert "none for mask" in command("list", "covariance/populous", "--secure").printed()
    assert command("list", "covariance/clipped", "--secure").printed().split()[-1] == "exact"


def test_statements_are_listed_and_shown_whole(command):
    for source in sources():
        found = json.loads(command("claims", source, "--json").printed())
        assert [one["text"] for one in found] == [one.text for one in statements(source)]
    one = next(one for one in statements("l17") if one.errata)
    out = " ".join(command("claims", one.id.lower()).printed().split())
    for words in (one.text, one.reason, *one.covered_by, one.errata[0].says, one.errata[0].should_say):
        assert " ".join(words.split()) in out


@pytest.mark.turns(3)
def test_claims_are_filtered_by_status_and_shown_whole_with_reason_and_figures(command):
    refuted = json.loads(command("claims", "--status", "REFUTED", "--json").printed())
    assert {one["status"] for one in refuted} == {"REFUTED"}
    both = ("--status", "refuted", "--status", "holds")
    assert len(json.loads(command("claims", *both, "--json").printed())) > len(refuted)
    for one in refuted:
        out = " ".join(command("claims", one["id"]).printed().split())
        claim = CLAIMS[one["id"]]
        for words in (claim.statement, claim.reason, *claim.sources, "verdict REFUTED (full profile)"):
            assert " ".join(words.split()) in out
        assert re.search(r"notebook notebooks/\w+\.ipynb", out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lst",), "COMMAND = 'lst': expected one of lab, reproduce"),
        (("list", "mean/coinpres"), f"expected one of {len(CATALOG)} names; did you mean mean/coinp"),
        (("claims", "L17/Thm2.55"), "did you mean L17/Thm2.5"),
        (("claims", "private-for-fre"), "did you mean one-mean/private-for-free?"),
        (("claims", "--status", "maybe"), "--status = 'MAYBE': expected one of HOLDS"),
        (("claims", "--from", "nowhere"), "from = 'nowhere': expected a folder of figures"),
        (("audit", "mean/empirical"), "key = 'mean/empirical': expected an estimator that is private"),
        (("audit", "--function", "m:f", "--epsilon", "1"), "pairs = None: expected --pairs MODULE"),
        (("audit", "--function", "json:none", "--pairs", "json:a", "--epsilon", "1"), "can be imported"),
        (("audit", "--function", "m:f", "--pairs", "m:p"), "epsilon = None"),
        (("audit", "--function", "m:f", "--epsilon", "1", "--mu", "1"), "mu = 1.0: expected --mu alone"),
        (("audit", "--epsilon", "1"), "epsilon = 1.0: expected --function MODULE:OBJECT beside it"),
        (("lab", "--port", "0"), "port = 0"),
        (("plan", "means"), "estimand = 'means': expected a key, or one of mean, quantiles, location"),
        (
            ("plan", "mean", "--set", "radios=1"),
            "set radios = 1: expected one of 19 names; did you mean radius?",
        ),
        (
            ("plan", "univariate/median", "--alpha", "1"),
            "set radius = None: expected a number: --set radius=NUMBER --set s",
        ),
        (("plan", "mean", "--relative", "1%"), "relative = '1%': expected --set centre=NUMBER"),
        (
            ("plan", "mean", "--confidence", "0.9", "--beta", "0.1"),
            "confidence = 0.9: expected either --confidence or --beta",
        ),
        (("plan", "mean", "--n", "10", "--epsilon", "1", "--alpha", "1"), "n = 10: expected either --n"),
        (("plan", "mean", "--alpha", "1", "--simulate", "--runs", "3"), "runs = 3: expected an"),
        (("plan", "mean", "--share", "3"), "share = 3.0: expected a number strictly between 0 and 1"),
        (("claims", "L17", "--status", "HOLDS"), "status = 'HOLDS': expected no source"),
        (("claims", "--from", "/"), "from = '/': expected a folder of figures"),
        (("plan", "--from", "nothing"), "from = 'nothing': expected module:object"),
        (("plan", "--from", f"{__name__}:COMMANDS"), "with plan"),
        (("plan", "--from", "tests.commands.test_plan:own"), "estimand = ''"),
    ],
)
def test_a_slip_is_refused_in_a_short_line_that_says_what_was_meant(command, arguments, words):
    assert len(command(*arguments).refused(words)) <= 220


def test_alone_it_prints_every_command_and_loads_nothing_heavy_and_a_missing_extra_is_one_line(
    command, monkeypatch, tmp_path
):
    lines = command().printed().splitlines()
    for name in COMMANDS:
        assert any(re.fullmatch(rf"    {name} +\w.*", line) for line in lines), name
    assert "  workbench plan mean --alpha 0.1 --set radius=100 --set sigma=1" in lines
    assert command("--version").printed() == f"workbench {__version__}\n"
    heavy = "{'numpy', 'scipy', 'matplotlib', 'pandas', 'ipywidgets', 'IPython', 'papermill', 'joblib'}"
    code = f"import sys, workbench.cli as c; c.parser(); print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "set()\n"
    for missing in ("pandas", "papermill", "matplotlib"):
        monkeypatch.setitem(COMMANDS, "list", COMMANDS["list"]._replace(run=f"{missing}:anything"))
        monkeypatch.setitem(sys.modules, missing, None)
        command("list").refused(missing, 'pip install "dp-workbench[lab]"')
    monkeypatch.setitem(sys.modules, "nbformat", None)
    command("check", __file__).refused("nbformat", 'pip install "dp-workbench[lab]"')
    assert full_verdicts()
    monkeypatch.setattr(claims, "__file__", str(tmp_path / "claims.py"))
    monkeypatch.chdir(tmp_path)
    assert full_verdicts() == {}  # where there is no checkout
