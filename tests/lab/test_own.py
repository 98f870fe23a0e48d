"""One's own column and `compare` as a notebook has them."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from workbench import ZCDP, ClippedMean, PureDP, TwoStepMean
from workbench.chapters import columns
from workbench.errors import ArgumentError
from workbench.lab import explore, explorers
from workbench.lab.notebook import colour_keys, compare
from workbench.populations import UnivariateGaussian
from workbench.study.sweeps import Run

HEIGHTS = {"low": 0.0, "high": 250.0}


def test_simulated_releases_fall_within_the_predicted_bars_half_of_the_time():
    predicted, *_, simulated = (
        columns.column(Run("quick", most=200), n=1000, **HEIGHTS, sigma=10.0).panels[1].series
    )
    bars = (np.array(predicted.y) - np.array(predicted.low)) / 2
    times = (np.array(simulated.high) - np.array(simulated.low)) / 2 / bars
    for key, wider in zip(columns.KEYS, times, strict=True):
        assert wider < 1 if key == columns.BOUNDED else 1.5 < wider < 4.5  # normal errors: 2.4


def test_no_row_is_read_the_code_releases_and_bounds_are_a_range():
    class Length:
        def __len__(self):
            return 500

    made = explorers.column(Length(), **HEIGHTS)
    form = made.chart({"sigma": 10.0})
    assert made.form()["controls"] == explorers.column(np.full(500, np.nan), **HEIGHTS).form()["controls"]
    names = {"np": np, "x": np.random.default_rng(1).normal(170, 10, 500)}
    exec("import workbench\nfrom workbench import *\nfrom workbench.estimators import *", names)
    assert 100 < eval(form["code"], names).value < 240
    assert form["caption"].startswith("ε = 1, n = 500: ")
    for wrong in ({"low": 3.0, "high": 3.0}, {"low": 4.0, "high": 3.0}):
        with pytest.raises(ArgumentError, match="low = "):
            explore.explorer([1.0, 2.0], **wrong)
        refused = explorers.shown({"epsilon": 1.0, "n": 5, "sigma": 1.0, "delta": 1e-6, **wrong})
        assert refused["error"].startswith("low = ")


def dropped(content):
    file = {"name": "a.csv", "type": "text/csv", "size": len(content), "content": memoryview(content)}
    return ({**file, "last_modified": datetime.now(UTC)},)


def test_a_dropped_file_is_explored_once_its_bounds_are_right():
    drop = explorers.Drop()
    drop.file.value = dropped(b"a,b\n1,2\n3,4\n5,6\n")
    assert list(drop.column.options) == ["a", "b"]
    drop.go.click()
    assert drop.words.value.startswith("low = 0")
    drop.high.value = 10.0
    drop.go.click()
    (view,) = drop.place.children
    values = {one["name"]: one["value"] for one in json.loads(view.form)["controls"]}
    assert (values["n"], values["low"], values["high"]) == (3, 0.0, 10.0)
    drop.file.value = dropped(b"\xff\xfe")
    assert drop.words.value.startswith("no CSV file")


# `compare` as a notebook has it: five lines, a picture, and the same bits again.

NORMAL = UnivariateGaussian(3.0)


def mine(rows, rng):
    return rows.mean() + rng.laplace()


@pytest.mark.daily
def test_the_picture_is_error_against_n_with_what_is_predicted():
    told = TwoStepMean(radius=9, sigma=1.0)
    found = compare({"two-step": told, "mine": mine}, population=NORMAL, n=[50, 500], trials=20,
                    budget=[PureDP(1), PureDP(2)])  # fmt: skip
    assert [panel.title for panel in found.chart.panels] == ["ε = 1", "ε = 2"]
    measured, theory, _ = found.chart.panels[0].series
    assert (measured.label, theory.role) == ("two-step", "theory")
    assert tuple(theory.y) == tuple(told.predicted_error(n, 1, PureDP(1)) for n in (50, 500))
    assert "two-step" in str(found)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ArgumentError, match=r"budgets of one kind, or several n"):
        compare({"mine": mine}, population=NORMAL, n=9, budget=[ZCDP(1.0), PureDP(1.0)], trials=5)
    with pytest.raises(ArgumentError, match="at most 4"):
        colour_keys({str(k): mine for k in range(5)})
    clipped = {str(radius): ClippedMean(radius=radius, sigma=1.0) for radius in (1, 2)}
    keys = colour_keys({**clipped, "mine": mine})
    assert [*keys.values()] == ["univariate/clipped-mean", "yours/1", "yours/2"]
