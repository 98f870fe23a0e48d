"""The rows that the zCDP of choices saves: what `workbench plan` answers now, and with ε²/8."""

import io
import json
import subprocess
import sys
from contextlib import redirect_stdout
from math import tanh
from pathlib import Path

import pytest

import workbench
from workbench.cli import main
from workbench.privacy import budgets as concentrated

PROOF = Path(workbench.__file__).parent / "proofs" / "univariate.md"

ASKED = (  # as the table of the proof names it, what is asked, and which number of the answer counts
    ("`covariance/pure-net`, $d = 2$, error .5", "2", "--d 2 --alpha .5", "n"),
    (
        "`covariance/unbounded`, $d = 2$, $\\delta = 10^{-6}$, plan accepts",
        "2",
        "--delta 1e-6 --d 2",
        "answers_from",
    ),
    (
        "`spectral/eigenvalues`, $d = 3$, $\\delta = 10^{-6}$, plan accepts",
        "2",
        "--delta 1e-6 --d 3",
        "answers_from",
    ),
    (
        "`spectral/eigenvalues`, $d = 3$, $\\delta = 10^{-6}$, plan accepts",
        ".5",
        "--delta 1e-6 --d 3",
        "answers_from",
    ),
    ("`univariate/quantiles`, bound is finite", "2", "", "bounded_from"),
    ("`univariate/histogram-location`, bound is finite", "2", "--set radius=100", "bounded_from"),
    ("`univariate/median`, bound is finite", "2", "--set radius=100", "bounded_from"),
    ("`univariate/median`, error .2", "2", "--set radius=100 --alpha .2", "n"),
    ("`univariate/median`, error .2", ".5", "--set radius=100 --alpha .2", "n"),
    ("`univariate/two-step-mean`, error .1", "2", "--set radius=100 --alpha .1", "n"),
)
FORMER = {"_of_range": lambda e: e * e / 8, "_of_laplace": lambda e: e * tanh(e / 2)}


def answer(label, rho, more, name):
    """What the planner says."""
    key, out = label.split("`")[1], io.StringIO()
    with redirect_stdout(out):
        main(["plan", key, "--rho", rho, "--json", *more.split()])
    (found,) = json.loads(out.getvalue())["answers"]
    return found[name]


def answers(former):
    """All answers, in a process of its own: designs are kept."""
    code = f"from tests.privacy import test_saved_rows as rows; rows.tell({former})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def tell(former):
    """Print all answers, with the former conversions if asked."""
    for name in FORMER if former else ():
        setattr(concentrated, name, FORMER[name])
    print(json.dumps([answer(*one) for one in ASKED]))


@pytest.mark.daily
def test_the_table_of_the_proof_is_what_the_planner_answers():
    said = PROOF.read_text(encoding="utf-8")
    before, now = answers(True), answers(False)
    for (label, rho, *_), first, second in zip(ASKED, before, now, strict=True):
        assert f"| {label} | {rho} | {first} | {second} |\n" in said
    assert sum(second < first for first, second in zip(before, now, strict=True)) >= 5
