"""The page of sample sizes and its pictures, from verdicts alone."""

from math import inf, nan
from pathlib import Path

import pytest

from workbench.charts import canonical_json
from workbench.lab import sizes

FIGURES = Path(__file__).parents[2] / "figures"


def test_the_committed_page_is_that_of_the_committed_verdicts():
    assert (FIGURES / f"{sizes.NAME}.md").read_text(encoding="utf-8") == sizes.page(FIGURES)


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


def scaling(statement="X/Thm1", status="HOLDS", **more):
    record = {
        "statement": statement, "variable": "epsilon", "logarithm": False, "key": "mean/x", "term": "1/ε",
        "rate": "seen", "curved": False, "slope": -1.0, "slope_interval": [-1.1, -0.9], "slope_stated": -1.0,
        "slope_predicted": nan, "values": [1, 2], "n": [200.0, 100.0], "kinds": ["fit", "fit"],
        "intervals": [[180.0, 220.0], [90.0, 110.0]], "stated": [10.0, 5.0], "predicted": [nan, nan],
        "shares": [0.9, 0.85],
    }  # fmt: skip
    return sizes.Growth("chapter/claim", status, record | more)


def test_a_picture_for_every_source_holds_every_n_that_was_found():
    lost = scaling(n=[200.0, inf], intervals=[[180.0, 220.0], [900.0, inf]])
    first, second = sizes.pictures([lost, scaling("Y/Lem2", "UNDECIDED", predicted=[0.4, 0.2])])
    (one, dots), (_, others) = (chart.panels[0].series for chart in (first, second))
    assert (one.role, dots.x, dots.y) == ("reference", (1.0,), (20.0,))
    assert dots.label == "grows as stated, formula with constants 1"
    assert (others.label, others.y) == ("open", (500.0, 500.0))
    assert [chart.panels[0].ylim for chart in (first, second)] == [(0.1, 100.0), (0.1, 1000.0)]
    assert second.title == "Y: n grows as stated in 0 of 1 rows, 1 open"
