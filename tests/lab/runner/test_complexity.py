"""The table of sample sizes, from verdicts alone."""

from workbench.charts import canonical_json
from workbench.lab.runner import complexity


def size(predicted, estimate, interval, statement="X/1", formula="1/ε | d", kind="searched"):
    names = ("statement", "formula", "predicted", "estimate", "interval", "kind")
    return dict(zip(names, (statement, formula, predicted, estimate, interval, kind), strict=True))


def record(id, *checks, status="HOLDS"):
    parts = [{"id": "c", "detail": {"sizes": list(sizes)}} for sizes in checks]
    return {"id": id, "status": status, "statement": "s", "detail": {"checks": parts}}


def figures(folder, **notebooks):
    for name, content in notebooks.items():
        (folder / name).mkdir(parents=True)
        canonical_json.write(folder / name / "verdicts.json", content)
    return folder


def rows(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.replace(r"\|", "¦").strip("|").split("|")] for line in lines[2:]]


def test_one_row_per_claim_and_statement_over_all_settings(tmp_path):
    exact = [size(40.0, 41.0, [39.0, 43.0])], [size(80.0, 72.0, [70.0, 75.0])]
    other = [size(10.0, 62.5, [60.0, 65.0], "X/2", "at least 2/ε")]
    folder = figures(tmp_path, a={"full": [record("A1", *exact, other, status="REFUTED")]})
    assert rows(complexity.table(folder)) == [
        ["A1", "X/1", "1/ε ¦ d", "2", "searched", "40, 80", "41, 72", "0.90, 1.02", "REFUTED", "full"],
        ["A1", "X/2", "at least 2/ε", "1", "searched", "10", "62.5", "6.25", "REFUTED", "full"],
    ]


def test_many_settings_are_a_range_and_one_sided_ones_have_their_sign(tmp_path):
    many = [size(n, 2 * n, [n, 3 * n]) for n in (100.0, 200.0, 4000.0, 3000.0, 62719.4)]
    ends = [0.0, 300.0], [300.0, "inf"], [0.0, "inf"]
    sides = [size(200.0, 300.0, one, kind="tried") for one in ends]
    itself = [size(300.0, 300.0, one, kind="tried") for one in ends]
    lost = [size("nan", "nan", [0.0, "inf"])]
    folder = figures(
        tmp_path,
        a={"full": [record(n, s) for n, s in (("M", many), ("S", sides), ("L", lost), ("I", itself))]},
    )
    many, sides, lost, itself = rows(complexity.table(folder))
    assert many[3:8] == ["5", "searched", "100 to 62719", "200 to 125439", "2.00"]
    assert sides[3:8] == ["3", "tried", "200", "≤ 300; > 300; ? 300", "≤ 1.50; > 1.50; ? 1.50"]
    assert itself[3:8] == ["3", "tried", "300", "≤ 300; > 300; ? 300", ""]
    assert lost[3:8] == ["1", "searched", "beyond the grid", "? beyond the grid", "? unknown"]


def test_the_richest_profile_of_every_notebook_counts_and_claims_without_a_size_are_named(tmp_path):
    quick, full = (record("A1", [size(40.0, n, [1.0, 99.0])]) for n in (50.0, 44.0))
    plain = {"id": "B1", "status": "HOLDS", "detail": "24 of 2000"}
    folder = figures(tmp_path, a={"quick": [quick], "full": [full]}, b={"quick": [quick, plain]})
    text = complexity.table(folder)
    assert [[row[6], row[9]] for row in rows(text)] == [["44", "full"], ["50", "quick"]]
    assert text.endswith("Claims about no sample size: B1.\n")


def test_the_committed_table_must_be_that_of_the_committed_verdicts(tmp_path):
    content = {"full": [record("A1", [size(40.0, 44.0, [1.0, 99.0])])]}
    ours, out = figures(tmp_path / "figures", a=content), figures(tmp_path / "out", a=content)
    assert complexity.check(out, ours)[complexity.NAME][0].startswith("not committed; make it with")
    complexity.write(ours)
    assert complexity.check(out, ours) == {}
    assert (out / complexity.NAME).read_text() == (ours / complexity.NAME).read_text()
    content["full"][0]["status"] = "REFUTED"
    canonical_json.write(ours / "a" / "verdicts.json", content)
    assert complexity.check(out, ours) == {complexity.NAME: ["not the table of the committed verdicts"]}
    assert complexity.check(out, ours, compared=False) == {}
    assert complexity.check(tmp_path / "none", tmp_path / "nothing") == {}
