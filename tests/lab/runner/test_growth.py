"""How n grows: a table, an overview and pictures from verdicts alone."""

from math import inf, nan

from workbench.charts import canonical_json
from workbench.lab.live import session
from workbench.lab.runner import growth

ONE = "formula with constants 1"


def record(statement="X/Thm1", variable="epsilon", **more):
    usual = {
        "statement": statement, "variable": variable, "logarithm": False, "key": "mean/x", "term": "1/ε",
        "share": 0.9, "power": -1.0, "instead": {}, "rate": "seen", "curved": False, "slope": -1.0,
        "slope_interval": [-1.1, -0.9], "slope_stated": -1.0, "slope_predicted": nan, "excess": 0.0,
        "excess_interval": [-0.1, 0.1], "values": [1, 2], "n": [200.0, 100.0],
        "intervals": [[180.0, 220.0], [90.0, 110.0]], "kinds": ["fit", "fit"], "stated": [10.0, 5.0],
        "predicted": [nan, nan], "shares": [0.9, 0.85],
    }  # fmt: skip
    return usual | more


def verdict(*records, status="HOLDS"):
    checks = [{"status": status, "detail": {"scaling": one}} for one in records]
    return {"id": "chapter/claim", "detail": {"checks": [*checks, {"status": "HOLDS", "detail": {}}]}}


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_every_scaling_has_a_row_and_a_place_in_the_overview():
    records = record(), record(variable="delta", logarithm=True, rate="open"), record("Y/Lem2", "corruption")
    text = growth.table(list(growth.growths([verdict(*records)])), [])
    first, second = (text.index(f"| statement | {word}") for word in ("d |", "moves |"))
    overview = [cells(line) for line in text[first:second].splitlines() if line.startswith("|")]
    assert overview[2:] == [
        ["X/Thm1", "–", "seen, -1.00", "open, -1.00", "–", "–", "–"],
        ["Y/Lem2", "–", "–", "–", "–", "–", "ξ: seen, -1.00"],
    ]
    assert "3 scalings of 2 statements: 2 seen, 1 open." in text
    rows = [cells(line) for line in text[second:].splitlines() if line.startswith("|")]
    assert rows[2] == [
        "X/Thm1", "ε", "mean/x", "1/ε", "1, 2", "200, 100", "-1.00 [-1.10, -0.90]", "–", "-1.00",
        "85 %", "seen", "HOLDS",
    ]  # fmt: skip
    assert rows[3][1] == "ln δ"


def test_what_is_seen_alone_or_planned_or_recalled_says_so():
    alone = record(rate="open", rate_alone="seen")
    planned = record("LKKO21/Thm5", kinds=["planned"] * 2, intervals=[[200.0] * 2, [100.0] * 2])
    text = growth.table(list(growth.growths([verdict(alone, planned)])), [])
    assert "2 scalings of 2 statements: 1 seen alone, 1 seen, planned." in text
    (row,) = (cells(line) for line in text.splitlines() if line.startswith("| LKKO21/Thm5 † | ε"))
    assert (row[5], row[10]) == ("= 200, = 100", "seen, planned")


def test_claims_that_search_nothing_say_nothing():
    assert growth.table(list(growth.growths([{"id": "a", "detail": "words"}, verdict()])), []) == ""


def test_a_picture_for_every_source_holds_every_n_that_was_found():
    found = record(n=[200.0, inf], intervals=[[180.0, 220.0], [900.0, inf]])
    far = record("Y/Lem2", predicted=[0.4, 0.2])
    charts = growth.pictures(list(growth.growths([verdict(found), verdict(far, status="UNDECIDED")])))
    assert [chart.name for chart in charts] == ["sample_complexity_X", "sample_complexity_Y"]
    (one, dots), (_, others) = (chart.panels[0].series for chart in charts)
    assert [chart.panels[0].names for chart in charts] == [("mean/x: ε (Thm 1)",), ("mean/x: ε (Lem 2)",)]
    assert (one.role, dots.label, dots.x, dots.y) == ("reference", f"grows as stated, {ONE}", (1.0,), (20.0,))
    assert (others.label, others.y) == ("open", (500.0, 500.0))
    assert [chart.panels[0].ylim for chart in charts] == [(0.1, 100.0), (0.1, 1000.0)]
    assert [chart.title for chart in charts] == [
        "X: in all 1 rows n grows as stated",
        "Y: n grows as stated in 0 of 1 rows, 1 open",
    ]


def test_a_notebook_shows_the_table_and_the_picture_of_its_chapter(monkeypatch, tmp_path):
    (tmp_path / "01_a").mkdir()
    unknown = {"predicted": ["nan"] * 2, "slope_predicted": "nan"}
    ours = verdict(record("X/Thm1", **unknown), record("Z/3", **unknown))
    other = verdict(record("Y/2", **unknown)) | {"id": "other/claim"}
    canonical_json.write(tmp_path / "01_a" / "verdicts.json", {"full": [ours, other]})
    monkeypatch.setattr(session, "figures_folder", lambda: tmp_path)
    shown = []
    monkeypatch.setattr(session, "publish", lambda *given: shown.append(given))
    for chapter in ("chapter", "none"):
        session.Session(chapter, recompute=True).growths()
    (page, text), (_, none) = shown
    assert ("X/Thm1" in text, "Z/3" in text, "Y/2" in text, "100, 200" in text) == (True, True, False, True)
    assert "data:image/svg+xml" in page
    assert none == session.NOT_AT_HAND


def test_two_scalings_of_one_name_are_told_apart_and_one_legend_stands_for_both():
    records = (record(key=f"mean/x [{word}]") for word in ("noise", "sampling"))
    (chart,) = growth.pictures(list(growth.growths([verdict(*records)])))
    assert chart.panels[0].names == ("mean/x: ε (Thm 1, noise)", "mean/x: ε (Thm 1, sampling)")
    assert [series.label for series in chart.panels[0].series] == [
        "as many as expected", f"grows as stated, {ONE}", ""
    ]  # fmt: skip


def test_names_have_estimators_and_powers_as_pictures_write_them():
    told = {"d^1.5/ε": "mean/x: ε (Thm 1, d$^{1.5}$/ε)", "d/ε": "mean/x: ε (Thm 1, d/ε)"}
    found = list(growth.growths([verdict(*(record(key="mean/x", term=one) for one in told))]))
    assert growth.picture("X", found).panels[0].names == tuple(told.values())
    keys = {"mean/prime": "PRIME: ε (Thm 1)", "mean/coinpress": "CoinPress: ε (Thm 1)"}
    found = list(growth.growths([verdict(*(record(key=one) for one in keys))]))
    assert growth.picture("X", found).panels[0].names == tuple(keys.values())


def test_many_searches_of_a_source_are_shared_out_over_pictures():
    many = growth.MOST + 3
    first_one, *others = (record(key=f"mean/x [{at}]") for at in range(many))
    verdicts = verdict({**first_one, "rate": "slower"}, status="NOT CONTRADICTED"), verdict(*others)
    first, second = growth.pictures(list(growth.growths(verdicts)))
    assert (first.name, second.name) == ("sample_complexity_X", "sample_complexity_X_2")
    assert first.title == f"X: n grows as stated in {many - 1} of {many} rows, 1 more slowly (1 of 2)"
    assert len(first.panels[0].names) + len(second.panels[0].names) == many
