"""`workbench plan` as a person meets it: tables, JSON, one line for a wrong argument."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from unicodedata import east_asian_width

import pytest

from tests.facts import facts, told
from workbench.catalog import CATALOG
from workbench.cli import main
from workbench.lab import planning as planning_module
from workbench.lab.planning import PlanRequest, planning, report
from workbench.study.planner import Check, answers, candidates, compared, plan

MEAN = ("univariate/clipped-mean", "--alpha", "0.2", *told("univariate/clipped-mean"))
TOLD = r"(\d+) of (\d+): (\S+)  (n = \d+|no answer|\S.* = .*)$"
LOCATION = ("location", *told("location"))


def printed(capsys, *arguments, code=0):
    assert main(["plan", *map(str, arguments)]) == code
    out, err = capsys.readouterr()
    assert all(re.match(TOLD, line) for line in err.splitlines())  # what takes more than a second tells
    return out


def records(capsys, *arguments, code=0):
    return json.loads(printed(capsys, *arguments, "--json", code=code))


def test_answers_are_told_one_by_one_and_leave_the_page_alone(capsys, monkeypatch):
    silent = printed(capsys, *LOCATION, "--alpha", "5")
    monkeypatch.setattr(planning_module, "SILENT", -1.0)
    assert main(["plan", *LOCATION, "--alpha", "5"]) == 0
    out, err = capsys.readouterr()
    assert out == silent
    told_of = [re.match(TOLD, line).groups() for line in err.splitlines()]
    entries = [entry.key for entry in CATALOG.values() if entry.estimand == "location"]
    assert [key for _, _, key, _ in told_of] == entries
    assert [(int(number), int(asked)) for number, asked, *_ in told_of] == [
        (place, len(entries)) for place in range(1, len(entries) + 1)
    ]
    answered = {key: short.removeprefix("n = ") for _, _, key, short in told_of if short != "no answer"}
    assert answered
    assert all(re.search(rf"^{key} .*\b{n}\b", out, re.MULTILINE) for key, n in answered.items())


def test_the_table_names_budget_rows_conditions_and_what_happens_below(capsys):
    out = printed(capsys, *MEAN, "--set", "sigma=2.0", "--calibration", "both")
    question, promises, header, _, *rows = [line for line in out.splitlines() if line]
    assert question == "error at most 0.2, at (ε = 1, δ = 1e-06)-DP, d = 1 (--d for another)"
    assert promises == "proved: with probability 0.95; predicted: in half of the runs, not proved"
    names = ["key", "calibration", "proved n", "predicted n", "spends"]
    assert re.split(r"  +", header) == names
    assert {row.split()[1] for row in rows[:2]} == {"tight", "paper"}
    whole = unwrapped(out)
    for calibration in ("paper", "tight"):
        rest = whole.partition(f"for {MEAN[0]} {calibration} ")[2]
        assert rest.startswith("with radius = 10 (set), centre = 0, sigma = 2 (set)")
        assert "proved Lemma 2.2 with constants" in rest
        assert "predicted the median of |out - mean|" in rest
        assert "assumes the rows are normal; the standard deviation is sigma" in rest
        assert "rows below n = 2 refuses: n = 1: expected an integer, at least 2" in rest


@pytest.fixture(scope="module")
def page():
    """README's example with all facts, as it is printed without and with reasons, at one reckoning."""
    question = PlanRequest(subject="mean", alpha=0.1, settings=facts("mean") | {"radius": 100.0}).question()
    found = compared(question)
    return {why: report(question, found, why=why) for why in (False, True)}


def unwrapped(text):
    return " ".join(text.split())


def columns(line):
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in line)


@pytest.mark.daily
def test_the_example_of_readme_fits_a_screen_and_begins_with_the_least_n(page):
    lines = page[False].splitlines()
    assert len(lines) <= 30
    assert max(map(columns, lines)) <= 100
    table = lines[lines.index(next(line for line in lines if line.startswith("---"))) + 1 :]
    table = table[: table.index("")]
    sizes = [min(map(int, re.findall(r"(?<= )\d+(?= )", row.partition("(")[0]))) for row in table]
    assert sizes == sorted(sizes)
    assert len(sizes) >= 16
    assert "d = 1 (--d for another)" in lines[0]
    assert re.fullmatch(r"\d others: --why", lines[-1])
    assert any(line.startswith("with radius = 100 (set)") for line in lines)


@pytest.mark.daily
def test_what_is_predicted_is_labelled_and_a_loose_upper_has_a_price(capsys):
    arguments = ("covariance/coinpress", "--alpha", ".2", "--d", "5", "--set", "lower=1", "--set")
    found = {upper: records(capsys, *arguments, f"upper={upper}")["answers"][0] for upper in ("1e2", "1e12")}
    assert {one["kind"] for one in found.values()} == {"predicted"}
    assert found["1e2"]["n"] < found["1e12"]["n"]
    out = printed(capsys, *arguments, "upper=1e2")
    assert "predicted: in half of the runs, not proved" in out
    assert re.search(r"^predicted +the median error", out, re.MULTILINE)
    assert max(map(columns, out.splitlines())) <= 100


def test_a_prediction_that_does_not_reach_alpha_says_how_far_it_comes(capsys):
    asking = ("covariance/perturbed", "--alpha", "1e-3", "--n", "50", "--set", "radius=1")
    (one,) = records(capsys, *asking, code=1)["answers"]
    assert one["kind"] == "predicted"
    assert "alpha is not reached" in one["reason"]
    assert "the least predicted error found is 0.05" in one["reason"]


def test_why_says_of_every_estimator_what_its_answer_assumes_or_why_there_is_none(page):
    means = [key for key, entry in CATALOG.items() if entry.estimand == "mean"]
    assert all(re.search(rf"(for  +|^){key}\b", page[True], re.MULTILINE) for key in means)
    assert "takes no (ε = 1, δ = 1e-06)-DP: expected one of NonPrivate" in unwrapped(page[True])
    assert max(map(columns, page[True].splitlines())) <= 100
    assert not re.search("normal|NonPrivate", page[False])


def test_a_reason_is_that_of_the_budget_that_an_estimator_takes():
    (one,) = plan(
        PlanRequest(
            subject="mean/tukey", d=2, settings={"step": 1e-4, "radius": 1, "sigma": 1}, alpha=1.0
        ).question()
    )
    assert one.reason.startswith("step = 0.0001: expected larger")


def test_the_estimators_of_an_estimand_are_asked_for_one_d():
    for subject, d in {"mean": 1, "covariance": 2, "range": 3}.items():
        found = candidates(PlanRequest(subject=subject).question())
        assert {one.d for one in found} == {d}
        assert {one.d for one in candidates(PlanRequest(subject=subject, d=4).question())} == {4}
    assert {one.d for one in candidates(PlanRequest(subject="mean/populous").question())} == {3}


def test_the_catalog_as_a_whole_is_a_table_for_each_estimand():
    question = PlanRequest(subject="", settings=facts("")).question()
    chosen = [one for one in candidates(question) if one.entry.estimand in ("location", "range")]
    found = [answers(question, one) for one in chosen]
    text = report(question, found, why=False)
    assert text.splitlines()[0].endswith("d = 1 for location; d = 3 for range (--d for another)")
    assert re.findall(r"^(\w+):$", text, re.MULTILINE) == ["location", "range"]


def test_rows_are_planned_with_the_delta_that_a_budget_has_by_default(capsys):
    found = records(capsys, *LOCATION, "--alpha", "3", "--n", "1000")
    assert found["question"]["delta"] == 1e-6
    assert {one["key"]: one["reached"] for one in found["answers"]} == {
        "univariate/histogram-location": True,
        "univariate/stable-location": True,
    }
    (pure, approximate) = sorted(
        records(capsys, *LOCATION, "--alpha", "3", "--n", "1000", "--delta", "0")["answers"],
        key=lambda one: one["key"],
    )
    assert (pure["reached"], approximate["reached"]) == (True, False)
    assert approximate["reason"].startswith("takes no ε = 1: expected ApproxDP")


FIELDS = {
    "key": str, "calibration": str, "d": int, "answers_from": int, "refusal": str, "other_rows": str,
    "bounded_from": int, "kind": str, "n": int, "bound": float, "reason": str, "reached": bool,
    "budget": dict, "parameters": dict, "meaning": str, "assumptions": list, "check": dict,
    "proved": dict, "simulated": type(None),
}  # fmt: skip


def test_json_holds_the_question_and_every_field_of_every_answer(capsys):
    found = records(capsys, *MEAN, "--epsilon", "0.5", "--calibration", "both", "--d", "1")
    budget = {"text": "ε = 0.5", "epsilon": 0.5}
    assert found["question"] == {
        "subject": MEAN[0], "d": 1, "alpha": 0.2, "beta": 0.05, "n": None, "budget": budget, "delta": None,
        "simulation": None,
    }  # fmt: skip
    assert {one["calibration"] for one in found["answers"]} == {"paper", "tight"}
    for one in found["answers"]:
        assert {name: type(value) for name, value in one.items() if name != "predicted"} == FIELDS
        assert one["proved"]["n"] == one["n"]
        assert one["budget"] == budget
        assert one["check"].keys() == {"places", "short_above"}
        assert one["parameters"]["radius"] == {"value": 10.0, "from": "set"}


def test_json_of_an_answer_without_numbers_has_the_same_fields(capsys):
    asking = ("univariate/unbounded-mean", "--alpha", "1", "--epsilon", "1", "--set", "sigma=1")
    (one,) = records(capsys, *asking, code=1)["answers"]
    assert one.keys() == FIELDS.keys() | {"predicted"}
    assert not one["reached"]
    assert one["reason"].startswith("takes no ε = 1")
    assert [one[name] for name in ("n", "bound", "budget", "check")] == [None] * 4


def test_rows_are_turned_into_a_budget_and_back(capsys):
    (there,) = records(capsys, *MEAN, "--n", 900, "--delta", 0)["answers"]
    assert (there["n"], there["budget"].keys()) == (900, {"text", "epsilon"})
    (back,) = records(capsys, *MEAN, "--epsilon", there["budget"]["epsilon"])["answers"]
    assert back["n"] <= 900
    (approximate,) = records(capsys, *MEAN, "--n", 900, "--delta", "1e-6")["answers"]
    assert approximate["budget"]["epsilon"] <= there["budget"]["epsilon"]


def test_zero_concentrated_budgets_are_taken_too(capsys):
    (one,) = records(capsys, *MEAN, "--rho", "0.5")["answers"]
    assert one["budget"] == {"text": "ρ = 0.5 zCDP", "rho": 0.5, "delta": 0.0}


def test_without_an_accuracy_it_says_where_answers_begin(capsys):
    out = printed(capsys, *LOCATION)
    assert out.startswith("where answers begin, at (ε = 1, δ = 1e-06)-DP")
    found = {one["key"]: one for one in records(capsys, *LOCATION)["answers"]}
    assert {one["answers_from"] for one in found.values()} == {2}
    assert all(one["bounded_from"] > 100 for one in found.values())


def test_what_no_estimator_reaches_exits_with_1(capsys):
    assert "the least bound found is 2.5" in unwrapped(printed(capsys, *LOCATION, "--alpha", "1", code=1))


def test_the_table_tells_of_a_bound_that_is_not_monotone():
    question = PlanRequest(subject=MEAN[0], alpha=0.2, settings=facts(MEAN[0])).question()
    (found,) = compared(question)
    gap = replace(found, proved=replace(found.proved, check=Check(9, (600.0, 1e6))))
    other = replace(found, proved=replace(found.proved, key="another"))
    for why in (False, True):
        text = report(question, [gap, other], why=why)
        assert "not monotone: too large again at 600, 1e+06" in unwrapped(text)
        assert text.count("not monotone") == 1


def test_infinite_parameters_are_words_in_json():
    from workbench.lab.planning import _plain

    values = (None, True, 3, 0.5, "tight", float("inf"), (1, 2))
    assert [_plain(value) for value in values] == [None, True, 3, 0.5, "tight", "inf", "(1, 2)"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("means",), ("estimand = 'means'", "mean, quantiles, location", "did you mean mean?")),
        (("TwoStepMean",), ("estimand = 'TwoStepMean'", "did you mean univariate/two-step-mean?")),
        (("mean", "--set", "radios=1"), ("set radios = 1", "did you mean radius?")),
        (("mean", "--epsilom", "1"), ("--epsilom", "did you mean --epsilon?")),
        (("univariate/medium",), ("key = 'univariate/medium'", "did you mean univariate/median?")),
        (("mean", "--alpha", "0"), ("alpha = 0.0", "above 0")),
        (("mean", "--alpha", "much"), ("--alpha", "'much'", "expected a number")),
        (("mean", "--beta", "1"), ("beta = 1.0", "between 0 and 1")),
        (("mean", "--epsilon", "-1"), ("epsilon = -1.0",)),
        (("mean", "--delta", "1e-6"), ("epsilon = None",)),
        (("mean", "--epsilon", "1", "--rho", "1"), ("rho = 1.0", "not both")),
        (("mean", "--n", "10", "--epsilon", "1", "--alpha", "1"), ("n = 10", "either --n", "--epsilon")),
        (("mean", "--n", "10", "--rho", "1", "--alpha", "1"), ("n = 10", "either --n")),
        (("mean", "--n", "10"), ("alpha = None",)),
        (("mean", "--n", "0", "--alpha", "1"), ("n = 0",)),
        (("mean", "--n", "1.5"), ("--n", "expected an integer")),
        (("mean", "--d", "0"), ("d = 0",)),
        (("mean", "--calibration", "loose"), ("--calibration", "loose")),
        (("mean", "--set", "width=1"), ("set width = 1", "one of 19 names")),
        (("mean", "--set", "radius"), ("'radius'", "NAME=VALUE")),
        (("mean", "--set", "radius=-1"), ("radius = -1", "above 0")),
        (("mean", "--set", "radius=wide"), ("radius = 'wide'", "above 0")),
        (("univariate/median", "--alpha", "1"), ("set radius = None", "--set sigma=NUMBER")),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_one_line(capsys, arguments, words):
    try:
        code = main(["plan", *arguments])
    except SystemExit as error:
        code = error.code
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert len(err) <= 220  # as of every command
    assert err.startswith("workbench: error: ")
    assert all(word in err for word in words), err


@pytest.mark.daily
def test_as_a_subprocess_it_warns_of_nothing():
    command = [sys.executable, "-W", "error", "-m", "workbench.cli", "plan", *MEAN, "--n", "900", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = [line for line in done.stderr.splitlines() if not re.match(TOLD, line)]
    assert (done.returncode, said) == (0, [])
    assert json.loads(done.stdout)["answers"][0]["n"] == 900


def test_a_key_that_the_catalog_gains_needs_no_change_of_the_planner(monkeypatch):
    """An entry in d columns that has no bound: its cliff, in both calibrations, for the d that is asked."""
    from dataclasses import dataclass
    from types import MappingProxyType, SimpleNamespace

    from workbench import catalog
    from workbench.errors import ArgumentError
    from workbench.privacy import Charge

    @dataclass(frozen=True, kw_only=True)
    class Preconditioner:
        calibration: str = "tight"

        def plan(self, n, d, budget):
            least = 1000 * d * (100 if self.calibration == "paper" else 1)
            if n < least:
                raise ArgumentError("n", n, f"at least {least}")
            return Charge("step", "gaussian", 1.0, budget)

    entry = SimpleNamespace(
        key="spectral/preconditioner", estimand="subspace", estimator=Preconditioner(), assumptions=(),
        population=SimpleNamespace(d=3),
    )  # fmt: skip
    extended = MappingProxyType({**catalog.CATALOG, entry.key: entry})
    monkeypatch.setattr(catalog, "CATALOG", extended)
    text, good = planning(PlanRequest(subject=entry.key, d=5, calibration="both"), as_json=True)
    found = json.loads(text)["answers"]
    assert good
    assert {one["calibration"]: one["answers_from"] for one in found} == {"tight": 5000, "paper": 500_000}
    assert found[0]["refusal"] == "n = 4999: expected at least 5000"
    assert {one["reason"] for one in found} == {"no error bound with explicit constants"}
