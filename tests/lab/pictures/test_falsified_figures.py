"""Every committed figure, falsified: what the comparison would say of each of its curves and tables."""

import copy
from functools import cache
from pathlib import Path

import pytest

import workbench
from workbench.charts import canonical_json
from workbench.lab.pictures.differences import SEARCHED, differ
from workbench.lab.pictures.figures import VERDICTS
from workbench.lab.pictures.tolerance import CLAIMS, Tolerance
from workbench.study.intervals import clopper_pearson

FIGURES = Path(workbench.__file__).parents[1] / "figures"
NOTEBOOKS = sorted(path.name for path in FIGURES.iterdir() if path.is_dir())
CURVES = ("y", "low", "high")
NAMED_POINTS = {"00_start_here/side_by_side", "00_start_here/spending"}
"""Pictures with one curve for each name: a curve of one point may be one flipped run. (Of `spending`, whose
bars begin where the one before ends, the bar is the band.)"""


@cache
def panels(notebook):
    """Every panel of every profile of the figures of a notebook, with the figure's name."""
    paths = [path for path in sorted((FIGURES / notebook).glob("*.json")) if path.name != VERDICTS]
    charts = [
        (f"{notebook}/{path.stem}", chart)
        for path in paths
        for chart in canonical_json.read(path)["charts"].values()
    ]
    return [(name, panel) for name, chart in charts for panel in chart["panels"]]


def curves(notebook):
    """Every curve in a panel of its own."""
    for name, panel in panels(notebook):
        for series in panel["series"]:
            yield name, {**panel, "series": [series], "heat": None}


def times(value, factor):
    if isinstance(value, list):
        return [times(entry, factor) for entry in value]
    return value if value is None or isinstance(value, str) else factor * value


def multiplied(panel, factor, names=CURVES):
    series = panel["series"][0]
    return {**panel, "series": [series | {name: times(series[name], factor) for name in names}]}


def noticed(ours, kept):
    return bool(differ(ours, kept, Tolerance()))


def finite(series, name="y"):
    return [value for value in series[name] if not isinstance(value, str)]


def one_point_within(series, factor):
    """Whether no more than one point moves, and that inside its own interval: as one flipped run does."""
    places = {x for x, y in zip(series["x"], series["y"], strict=True) if not isinstance(y, str) and y}
    if (
        series["role"] != "estimate"
        or len(places) != 1
        or not (series["low"] or series["kind"] == "fraction")
    ):
        return False
    low, high = (series["low"][0], series["high"][0]) if series["low"] else of_a_share(series)
    return low <= factor * series["y"][0] <= high


def of_a_share(series):
    """The interval of the share of successes in a figure's trials."""
    return clopper_pearson(round(series["y"][0] * series["trials"]), series["trials"], 0.05)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
@pytest.mark.parametrize("factor", [1.05, 0.95, 1.2])
def test_a_curve_times_a_factor_differs_unless_it_is_one_point_in_its_own_interval(notebook, factor):
    unseen = [
        (name, panel["series"][0])
        for name, panel in curves(notebook)
        if any(finite(panel["series"][0])) and not noticed(multiplied(panel, factor), panel)
    ]
    assert all(one_point_within(series, factor) for _, series in unseen)
    assert {name for name, _ in unseen} <= NAMED_POINTS


def around_zero(series):
    """Whether the band of the point has 0 in it: times any factor near 1, the point stays inside."""
    return series["low"] is not None and series["low"][0] < 0 < series["high"][0]


def hidden(names, factor):
    """The curves of which nothing is said."""
    return [
        panel["series"][0]
        for notebook in NOTEBOOKS
        for name, panel in curves(notebook)
        if name in names and not noticed(multiplied(panel, factor), panel)
    ]


def small(names, factor):
    return sum(not around_zero(series) for series in hidden(names, factor))


def test_few_lone_points_hide_and_fewer_hide_more_noise():
    assert small(NAMED_POINTS, 1.2) <= 3
    assert small(NAMED_POINTS, 1.2) < small(NAMED_POINTS, 1.05) <= 16


def test_one_mean_is_nothing_but_noise_in_either_profile():
    wide = [series for series in hidden(NAMED_POINTS, 1.2) if around_zero(series)]
    assert [series["label"] for series in wide] == ["lets groups of rows vote"] * 2


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_wider_bands_differ_unless_they_belong_to_one_point_or_are_narrow(notebook):
    for _, panel in curves(notebook):
        series = panel["series"][0]
        if series["role"] == "estimate" and series["low"] is not None:
            wider, places = widened(series, 1.2)
            if places > 1:
                assert noticed({**panel, "series": [wider]}, panel), series["label"]


def widened(series, factor):
    """The series with its bands that much wider, and at how many x an end moves by over a thousandth."""
    wider, places = copy.deepcopy(series), set()
    for name in ("low", "high"):
        for place, (x, y, end) in enumerate(zip(series["x"], series["y"], series[name], strict=True)):
            if not (isinstance(y, str) or isinstance(end, str)):
                wider[name][place] = y + factor * (end - y)
                if abs(wider[name][place] - end) > 2e-3 * max(abs(end), abs(wider[name][place])):
                    places.add(x)
    return wider, len(places)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_moved_abscissae_and_axes_differ(notebook):
    for name, panel in panels(notebook):
        for axis in ("xlim", "ylim"):
            if panel[axis]:
                assert noticed({**panel, axis: times(panel[axis], 1.05)}, panel), name
    for name, panel in curves(notebook):
        if any(finite(panel["series"][0], "x")):
            assert noticed(multiplied(panel, 1.05, ["x"]), panel), name


HEATS = [
    (name, panel["heat"]) for notebook in NOTEBOOKS for name, panel in panels(notebook) if panel.get("heat")
]


@pytest.mark.parametrize(("name", "heat"), HEATS, ids=[name for name, _ in HEATS])
def test_a_heat_map_times_1_05_differs_and_so_does_one_with_a_wrong_cell(name, heat):
    assert noticed(heat | {"values": times(heat["values"], 1.05)}, heat)
    assert noticed(heat | {"limits": times(heat["limits"], 1.05)}, heat)
    largest = max(abs(value) for row in heat["values"] for value in finite({"y": row}))
    for row in range(0, len(heat["values"]), 5):
        for column in range(0, len(heat["values"][row]), 5):
            wrong = copy.deepcopy(heat)
            wrong["values"][row][column] = (
                largest if wrong["values"][row][column] != largest else 0.95 * largest
            )
            assert noticed(wrong, heat), (row, column)


@pytest.mark.parametrize("notebook", [one for one in NOTEBOOKS if (FIGURES / one / VERDICTS).is_file()])
def test_verdicts_of_a_noisier_estimator_differ_where_more_than_a_sweep_says_so(notebook):
    for decided in canonical_json.read(FIGURES / notebook / VERDICTS).values():
        noisier = [verdict | {"estimate": times(verdict["estimate"], 1.2)} for verdict in decided]
        visible = [verdict for verdict in decided if any(finite({"y": [verdict["estimate"]]}))]
        assert noticed(noisier, decided) or len(visible) <= CLAIMS
        for verdict, other in zip(decided, noisier, strict=True):
            beyond = not within_a_quarter(verdict)
            assert noticed([other], [verdict]) >= (beyond and verdict in visible), verdict["id"]


def within_a_quarter(verdict):
    """Whether a fifth of the estimate is less than a quarter of its interval, or of a search inside it."""
    low, high = map(float, verdict["interval"])
    if SEARCHED in verdict["test"]:
        return low <= 1.2 * float(verdict["estimate"]) <= high
    return 0.2 * abs(float(verdict["estimate"])) <= 0.25 * (high - low) < float("inf")
