import json
from dataclasses import replace

import pytest

from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Panel, Series
from workbench.lab.pictures.figures import compare, save

SERIES = Series("s", (1, 2, 3), (1.0, 0.5, 100.0))
VERDICT = {
    "id": "G1",
    "status": "HOLDS",
    "estimate": 0.5,
    "interval": [0.4, 0.6],
    "trials": 2000,
    "detail": "a",
}


def chart(series=SERIES):
    return Chart("toy", "Toy", (Panel("p", "x", "y", (series,)),), alt="A toy")


def write(folder, charts, seed=1):
    save(charts, folder, parameters={"profile": max(charts), "d": 3}, seed=seed, verdicts=["G1"])
    return folder


def test_quick_agrees_with_a_full_commit(tmp_path):
    quick = write(tmp_path / "quick", {"quick": chart()})
    full = write(tmp_path / "full", {"quick": chart(), "full": chart(replace(SERIES, y=(1, 2, 3)))})
    assert compare(quick, full) == []
    (line,) = compare(full, quick)
    assert line.startswith("toy.json: charts full: ")
    assert line.endswith(", committed nothing")


def test_two_saves_are_the_same_bytes(tmp_path):
    one, two = write(tmp_path / "one", {"quick": chart()}), write(tmp_path / "two", {"quick": chart()})
    for name in ("toy.json", "toy.svg"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


@pytest.mark.parametrize(
    ("kind", "y", "same"),
    [
        ("number", (1.0009, 0.5, 100), True),
        ("number", (1.002, 0.5, 100), False),
        ("number", (float("inf"), 0.5, 100), False),
        ("fraction", (1.0009, 0.5, 100), True),
        ("fraction", (1.002, 0.5, 100), False),
        ("count", (2, 1, 101), True),
        ("count", (2, 2, 102), False),
    ],
)
def test_tolerance_classes(tmp_path, kind, y, same):
    ours = write(tmp_path / "ours", {"quick": chart(replace(SERIES, kind=kind, y=y))})
    theirs = write(tmp_path / "theirs", {"quick": chart(replace(SERIES, kind=kind))})
    assert (compare(ours, theirs) == []) == same


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"detail": "other words"}, True),
        ({"estimate": 0.54}, True),
        ({"estimate": 0.56}, False),
        ({"interval": [0.41, 0.61]}, True),
        ({"interval": [0.4, "inf"]}, False),
        ({"status": "REFUTED"}, False),
        ({"trials": 1000}, False),
    ],
)
def test_verdicts_compare_status_and_evidence(tmp_path, change, same):
    for name, record in (("ours", VERDICT | change), ("theirs", VERDICT)):
        (tmp_path / name).mkdir()
        canonical_json.write(tmp_path / name / "verdicts.json", {"quick": [record]})
    assert (compare(tmp_path / "ours", tmp_path / "theirs") == []) == same


def test_versions_are_kept_but_not_compared_and_seeds_are(tmp_path):
    ours = write(tmp_path / "ours", {"quick": chart()})
    path = ours / "toy.json"
    content = json.loads(path.read_text())
    assert {"numpy", "scipy", "matplotlib", "workbench"} <= content["environment"].keys()
    canonical_json.write(path, content | {"environment": {}})
    assert compare(ours, write(tmp_path / "same", {"quick": chart()})) == []
    assert compare(ours, write(tmp_path / "other", {"quick": chart()}, seed=2)) == [
        "toy.json: seed: 1, committed 2"
    ]


def test_missing_and_new_figures_are_differences(tmp_path):
    ours = write(tmp_path / "ours", {"quick": chart()})
    (tmp_path / "empty").mkdir()
    assert compare(ours, tmp_path / "empty") == ["toy.json: made, but not committed"]
    assert compare(tmp_path / "empty", ours) == ["toy.json: not made any more, but committed"]
