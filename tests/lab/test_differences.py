"""What differs: honest runs compared, a cell and its committed figure."""

import re
from dataclasses import replace
from html import escape

import pytest

from tests.lab.conftest import ROOT
from workbench.charts import canonical_json
from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.lab import notebook as session
from workbench.lab.figures import CLAIMS, CURVES, SEARCHED, VERDICTS, compare, differ, save
from workbench.lab.notebook import Session

FIGURES = ROOT / "figures"
NOTEBOOKS = sorted(path.name for path in FIGURES.iterdir() if path.is_dir())
X = (1.0, 2.0, 3.0, 4.0)
CURVE = Series("s", X, X, (0.8, 1.6, 2.4, 3.2), (1.2, 2.4, 3.6, 4.8))
COUNTS = Series("s", X, (50, 50, 90, 100), kind="count")
VERDICT = {"id": "G1", "status": "HOLDS", "estimate": 0.5, "interval": [0.4, 0.6], "trials": 2000}


def chart(series=CURVE, **panel):
    return Chart("toy", "Toy", (Panel("p", "x", "y", (series,), **panel),), alt="A toy")


def agree(ours, theirs, **panel):
    return differ(chart(ours, **panel).to_json(), chart(theirs, **panel).to_json()) == []


def moved(series, **values):
    """Return the series with `name=(place, value)` changed."""
    for name, (place, value) in values.items():
        entries = list(getattr(series, name))
        entries[place] = value
        series = replace(series, **{name: entries})
    return series


def panels(notebook):
    """Yield every panel of the figures of a notebook."""
    for path in (FIGURES / notebook).glob("*.json"):
        for one in canonical_json.read(path)["charts"].values() if path.name != VERDICTS else ():
            yield from ((f"{notebook}/{path.stem}", panel) for panel in one["panels"])


def times(value, factor):
    if isinstance(value, list):
        return [times(entry, factor) for entry in value]
    return value if value is None or isinstance(value, str) else factor * value


@pytest.mark.turns(10)
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_committed_curve_or_table_that_is_falsified_is_seen(notebook):
    for name, panel in panels(notebook):
        for series in panel["series"]:
            one = panel | {"series": [series], "heat": None}
            places = {
                x for x, y in zip(series["x"], series["y"], strict=True) if not isinstance(y, str) and y
            }
            for factor in (1.05, 0.95, 1.2) if len(places) > 1 else ():  # one point may be one flipped run
                false = series | {curve: times(series[curve], factor) for curve in CURVES}
                assert differ(one | {"series": [false]}, one), name
        for axis in ("xlim", "ylim"):
            assert not panel[axis] or differ({**panel, axis: times(panel[axis], 1.05)}, panel), name
        if heat := panel.get("heat"):
            assert differ(heat | {"values": times(heat["values"], 1.05)}, heat)


def test_one_run_may_move_one_point_within_its_interval_or_a_count_by_one_row():
    """Rounding is relative, or on the scale of the axis."""
    for series, changes, same in (
        *(
            (CURVE, {"y": (1, 2.3)}, True),
            (CURVE, {"y": (1, 2.5)}, False),
            (CURVE, {"high": (1, 3.3)}, False),
        ),
        *((COUNTS, {"y": (0, 51)}, True), (COUNTS, {"y": (0, 52)}, False)),
        (replace(CURVE, role="theory"), {"y": (1, 2.01)}, False),
    ):
        assert agree(moved(series, **changes), series) == same, changes
    line = replace(CURVE, role="theory", low=None, high=None)
    assert [agree(replace(line, y=[by * y for y in X]), line) for by in (1.0009, 1.002)] == [True, False]
    zero, noise = replace(line, x=(0.0, 1, 2, 3)), replace(line, x=(1e-16, 1, 2, 3))
    assert [agree(noise, zero, xscale=scale) for scale in ("linear", "log")] == [True, False]
    first, noisy, other = (
        chart(heat=Heat(rows, (0, 1))).to_json()
        for rows in ([[1.0, 1e-17], [0.0, 0.5]], [[1.0, 2e-16], [-3e-17, 0.5]], [[1.0, 1e-17], [0.0, 0.501]])
    )
    assert differ(noisy, first) == []
    assert differ(other, first)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"detail": "other words"}, True),
        ({"estimate": 0.54}, True),
        ({"estimate": 0.56}, False),
        ({"interval": [0.4, "inf"]}, False),
        ({"status": "REFUTED"}, False),
        ({"test": SEARCHED, "estimate": 0.59}, True),
        ({"test": SEARCHED, "estimate": 0.61, "interval": [0.51, 0.71]}, False),
    ],
)
def test_verdicts_compare_status_and_evidence(tmp_path, change, same):
    kept = VERDICT | {name: word for name, word in change.items() if name == "test"}
    for name, record in (("ours", VERDICT | change), ("theirs", kept)):
        (tmp_path / name).mkdir()
        canonical_json.write(tmp_path / name / "verdicts.json", {"quick": [record]})
    assert (compare(tmp_path / "ours", tmp_path / "theirs") == []) == same
    kept = [VERDICT | {"id": f"G{place}"} for place in range(6)]
    for off in (CLAIMS, CLAIMS + 1):  # one run moves no more claims than read its sweep
        ours = [one | ({"estimate": 0.54} if place < off else {}) for place, one in enumerate(kept)]
        assert (differ(ours, kept) == []) == (off == CLAIMS)


def written(folder, charts, seed=1):
    save(charts, folder, parameters={"profile": max(charts), "d": 3}, seed=seed, verdicts=["G1"])
    return folder


@pytest.mark.turns(3)
def test_a_folder_is_compared_in_its_profiles_and_without_versions(tmp_path):
    quick = written(tmp_path / "quick", {"quick": chart()})
    full = written(tmp_path / "full", {"quick": chart(), "full": chart(replace(CURVE, y=(1, 2, 3, 5)))})
    assert compare(quick, full) == []
    assert compare(full, quick)[0].startswith("toy.json: charts full: ")
    again = written(tmp_path / "again", {"quick": chart()})
    canonical_json.write(again / "toy.json", canonical_json.read(again / "toy.json") | {"environment": {}})
    assert compare(again, quick) == []
    seed = written(tmp_path / "seed", {"quick": chart()}, seed=2)
    assert compare(quick, seed) == ["toy.json: seed: 1, committed 2"]
    (tmp_path / "empty").mkdir()
    assert compare(quick, tmp_path / "empty") == ["toy.json: made, but not committed"]
    assert compare(tmp_path / "empty", quick) == ["toy.json: not made any more, but committed"]


# What a cell says when it is run: its figure agrees with the committed one or differs.


def falls(run, *, n=3):
    """Return the error in both profiles (an example)."""
    first = 0.3 if run.profile == "quick" else 0.29
    series = Series("measured", (10, 100), (first, n / 30), colour_key="mean/prime")
    panel = Panel("Error", "n", "error", (series,))
    return Chart("falls", "It falls", (panel,), alt="It falls.", how_to_read="Down is good.")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Commit a figure by a full run; return a function: the page and the text that a session shows of it."""
    shown = []
    monkeypatch.setattr(session, "publish", lambda *said: shown.append(said))
    monkeypatch.setattr(session, "figures_folder", lambda: None)
    Session("one", out=str(tmp_path / "figures" / "01_one"), profile="full", seed=7).show(falls)
    monkeypatch.setattr(session, "figures_folder", lambda: tmp_path / "figures")

    def run(profile="quick", seed=7, **parameters):
        shown.clear()
        out = str(tmp_path / "out")
        Session("one", out=out, profile=profile, seed=seed, recompute=True).show(falls, **parameters)
        (found,) = shown
        return found

    return run


@pytest.mark.turns(4)
@pytest.mark.parametrize(
    ("asked", "said", "seen"),
    [
        ({}, "agrees with the committed figure, in its quick profile", 0),
        ({"profile": "full"}, "agrees with the committed figure", 0),
        ({"n": 6}, "at other parameters than the committed figure: n = 6, there 3\n"
         "The error in both profiles. Error: error against n.", 1),  # the committed words need not hold there
        ({"seed": 8}, "at other parameters than the committed figure: seed = 8, there 7\nIt falls.", 1),
        ({"falsified": 0.4}, "differs from the committed figure: charts quick panels[0]", 1),
    ],
)  # fmt: skip
def test_a_figure_that_agrees_is_one_line_and_any_other_is_seen(run, tmp_path, asked, said, seen):
    if changed := asked.pop("falsified", None):
        path = tmp_path / "figures" / "01_one" / "falls.json"
        content = canonical_json.read(path)
        content["charts"]["quick"]["panels"][0]["series"][0]["y"][0] = changed
        canonical_json.write(path, content)
    page, text = run(**asked)
    assert text.startswith(f"recomputed: {said}".replace("recomputed: at", "recomputed at"))
    assert changed or text.endswith(said)
    assert ("y[0]: 0.3, committed 0.4" in text) == bool(changed)
    assert escape(text.partition("\n")[0]) in page
    unfolded = re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)
    assert (unfolded.count("<img"), page.count("<img")) == (seen, 1)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"falls.json", "falls.svg"}
