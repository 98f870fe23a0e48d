"""What a notebook says of its claims, and the page of sample sizes: from verdicts alone."""

import re
from math import inf
from unittest.mock import patch

import numpy as np
import pytest

from tests.lab.conftest import ROOT
from workbench.chapters.registry import CLAIMS
from workbench.charts import canonical_json
from workbench.lab import claims, sizes
from workbench.study import sweeps
from workbench.study.faults import alone, weaker

HOLDS, OPEN, REFUTED = (
    next(name for name, claim in CLAIMS.items() if claim.expected == status)
    for status in ("HOLDS", "UNDECIDED", "REFUTED")
)


def records(*found):
    """Verdicts of (id, status) or (id, status, estimate), each measured to a tenth."""
    return [
        {"id": name, "statement": "Said.", "status": status, "estimate": at, "interval": [at - 0.1, at + 0.1]}
        for name, status, at in ((*one, 1.0)[:3] for one in found)
    ]


def test_a_quick_run_tells_the_full_verdicts_and_whether_it_agrees(monkeypatch):
    """What needs the trials of full is no failure in quick, and is one in full."""
    kept = records((HOLDS, "HOLDS"), (OPEN, "UNDECIDED"), (REFUTED, "REFUTED"))  # all as expected
    monkeypatch.setattr(claims, "full_verdicts", lambda: {one["id"]: one for one in kept})
    found = records((HOLDS, "UNDECIDED"), (OPEN, "UNDECIDED"))
    page, text = claims.told(found, full=False)
    line, (head, _, table) = text.splitlines()[0], page.partition("<details")
    said = "1 of 2 claims holds in the full run; 1 is undecided, as expected. In this quick run.*: 2 agree."
    assert re.fullmatch(said, line)
    assert (line in head, table.count("<tr>"), table.count("agrees; would notice 14 %")) == (True, 3, 2)
    assert claims.changed(found, "quick") == []
    assert claims.changed(found[:1], "full") == [f"{HOLDS} is UNDECIDED, expected HOLDS (full profile)"]
    for changed in ((HOLDS, "UNDECIDED", 1.2), (REFUTED, "HOLDS"), (HOLDS, "REFUTED")):
        (line,) = claims.changed(records(changed), "quick")
        assert line.startswith(f"{changed[0]} differs: ")
        assert "1 differs" in claims.told(records(changed), full=False)[1]
    monkeypatch.setattr(claims, "full_verdicts", dict)
    found = records((HOLDS, "HOLDS"), (OPEN, "UNDECIDED"))
    assert claims.told(found, full=False)[1].splitlines()[0].endswith("2 are new.")
    assert claims.changed(found, "quick") == []
    assert claims.changed(records((HOLDS, "REFUTED")), "quick")


@pytest.mark.parametrize(
    ("ours", "theirs", "agrees"),
    [
        ((1.0, 0.7, 1.4), (1.3, 1.29, 1.31, "HOLDS"), True),
        ((1.0, 0.9, 1.1), (1.3, 1.29, 1.31, "HOLDS"), False),
        ((0.2, 0.0, inf), (3.0, 2.9, 3.1, "HOLDS"), True),  # too few trials to see it
        ((2.0, 2.0, 2.0, "HOLDS"), (2.5, 2.5, 2.5, "HOLDS"), True),  # a largest value grows
        ((2.0, 2.0, 2.0, "REFUTED"), (1.5, 1.5, 1.5, "HOLDS"), False),
        ((1.0, 0.9, 1.1, "REFUTED"), (1.0, 0.9, 1.1, "REFUTED"), True),
    ],
)
def test_a_quick_run_agrees_or_differs_whatever_full_has_decided(ours, theirs, agrees):
    one, other = (
        {"id": "c", "status": (*status, "UNDECIDED")[0], "estimate": at, "interval": [low, high]}
        for at, low, high, *status in (ours, theirs)
    )
    assert (claims.agreement(one, {"detail": {"checks": [other]}}).apart == ()) is agrees


def test_a_wrong_constant_differs_and_the_right_one_agrees():
    """Of a claim that is computed afresh: serial, without a store, and without the tables of another run."""
    claim = "sparse-covariance/entries-concentrate"
    for faults in ((), (weaker("gaussian", 1.3),)):
        with sweeps.lending(**vars(sweeps.NONE)), patch.dict(sweeps._memory, clear=True), alone(*faults):
            found = CLAIMS[claim].decide("quick", 1).about(claim, "").record()
        assert bool(claims.agreement(found, claims.full_verdicts()[claim]).apart) == bool(faults)


# The page of sample sizes and its pictures, from verdicts alone.

FIGURES = ROOT / "figures"


def size(estimate, interval, predicted=200.0, kind="tried"):
    numbers = {"predicted": predicted, "estimate": estimate, "interval": interval}
    return {"statement": "X/1", "formula": "1/ε", "kind": kind} | numbers


@pytest.mark.parametrize(
    ("found", "cells"),
    [
        ([size(300.0, [0, 300.0]), size(300.0, [300.0, "inf"]), size(300.0, [0, "inf"])],
         "3 | tried | 200 | ≤ 300; > 300; ? 300 | ≤ 1.50; > 1.50; ? 1.50"),
        ([size("nan", [0, "inf"], "nan", "searched")],
         "1 | searched | beyond the grid | ? beyond the grid | ? unknown"),
    ],
)  # fmt: skip
def test_what_no_committed_claim_has_an_open_end_and_an_unknown_n_is_told(tmp_path, found, cells):
    record = {"id": "A1", "status": "HOLDS", "detail": {"checks": [{"detail": {"sizes": found}}]}}
    words = {"id": "B1", "status": "HOLDS", "detail": {"failures": 24}}
    (tmp_path / "a").mkdir()
    canonical_json.write(tmp_path / "a" / "verdicts.json", {"quick": [words], "full": [record, words]})
    page = sizes.page(tmp_path)
    assert f"| A1 | X/1 | 1/ε | {cells} | HOLDS | full |" in page
    assert page.endswith("Claims about no sample size: B1.\n")


def test_the_committed_page_and_its_pictures_are_those_of_the_committed_verdicts():
    """A picture for every source holds every n that was found over the one expected."""
    assert (FIGURES / f"{sizes.NAME}.md").read_text(encoding="utf-8") == sizes.page(FIGURES)
    found = sizes.growing(FIGURES)
    committed = {path.stem for path in FIGURES.glob("*.svg")}
    assert {chart.name for chart in sizes.pictures(found)} <= committed
    for one in found:
        (panel,) = sizes.picture("X", [one]).panels
        expected = np.array(one.record["predicted" if one.predicted else "stated"], float)
        ratios = np.array(one.record["n"], float) / expected
        dots = [series for series in panel.series if series.role != "reference"]
        assert [y for line in dots for y in line.y] == pytest.approx(ratios[np.isfinite(ratios)])
        assert all(("constants 1" in line.label) != one.predicted for line in dots)
        assert all(panel.ylim[0] <= y <= panel.ylim[1] for line in dots for y in line.y)
