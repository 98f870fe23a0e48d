"""The pictures of sparse covariances: complete, with the six references, and explorers that get richer."""

import json
from dataclasses import replace
from functools import wraps
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from tests.chapters.pictures import require_complete
from workbench.chapters import sparse_covariance as gallery
from workbench.chapters.sparse_covariance.claims import dimension, radius
from workbench.chapters.sparse_covariance.claims import rules as wx19_rules
from workbench.chapters.sparse_covariance.figures import (
    figures,
    maps,
    matrix_view,
    reference_names,
    source_design,
    view,
)
from workbench.chapters.sparse_covariance.figures.promise import size
from workbench.chapters.sparse_covariance.figures.radius_view import CHOICES
from workbench.chapters.sparse_covariance.runs import figures as study
from workbench.chapters.sparse_covariance.runs import source_design as source_runs
from workbench.chapters.sparse_covariance.runs.designs import REFERENCES
from workbench.charts import canonical_json
from workbench.charts.parameters import short
from workbench.lab.pictures.grammar import faults
from workbench.populations.sparse import conditioned, sparse_signal
from workbench.study import sweeps as sweep
from workbench.study.run import Run

RUN = Run("quick", 1)
PUBLIC = {"epsilon": 1.0, "delta": 1e-6, "model": "central"}
SHOWN = {**PUBLIC, "p": 40, "degree": 3}
ROOT = Path(__file__).parents[3]
SMALL_P = {50: 8, 100: 10, 200: 12, 400: 14, 800: 16, 25: 6}
CHARTS = (
    *figures.FIGURES,
    gallery.figure_2,
    gallery.figure_4,
    gallery.matrices,
    gallery.regime_map,
    gallery.regime_further,
    gallery.error_against_p,
    gallery.rules,
    gallery.support,
    gallery.unknown_radius,
    gallery.promise,
)


def few(old, **changes):
    """A sweep with few runs, of matrices that are small but keep their names."""

    @wraps(old.block)
    def block(**point):
        return old.block(**({**point, "p": SMALL_P[point["p"]]} | changes))

    return replace(old, name=f"test-{old.name}", block=block, trials=2, blocks={"quick": 1})


@pytest.fixture
def _few_runs(monkeypatch):
    monkeypatch.setattr(study, "FIGURES", {model: few(old) for model, old in study.FIGURES.items()})
    monkeypatch.setattr(study, "REGIMES", few(study.REGIMES))
    monkeypatch.setattr(dimension, "BLOCK", few(dimension.BLOCK, active=5))
    for module, name in (
        (dimension, "NEEDED"),
        (wx19_rules, "CELLS"),
        (wx19_rules, "SUPPORT"),
        (radius, "RADIUS"),
    ):
        monkeypatch.setattr(
            module, name, few(getattr(module, name), **({"n": 500} if name == "RADIUS" else {}))
        )
    yield
    sweep.forget()


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart(Run("quick", 1))
    require_complete(made, chart.__name__)
    assert faults(made) == []
    assert all(panel.xlabel and panel.ylabel for panel in made.panels)
    assert json.dumps(made.to_json(), allow_nan=True)


def references(panel):
    """The curves of a panel that are references: those of the six."""
    return [series for series in panel["series"] if series["role"] == "reference"]


ERRORS = figures.FIGURES
RATIOS = [gallery.figure_2, gallery.figure_4]


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", ERRORS, ids=lambda chart: chart.__name__)
def test_every_panel_of_errors_has_the_six_references(chart):
    panels = chart(Run("quick", 1)).to_json()["panels"]
    assert len(panels) == 2
    for panel in panels:
        assert len(references(panel)) == len(REFERENCES) == 6
        for series in panel["series"]:
            assert len(series["x"]) >= 8
            assert np.isfinite(np.array(series["y"], float)).all()


@pytest.mark.parametrize("name", [one.__name__ for one in ERRORS])
def test_the_committed_figures_have_them_too(name):
    path = ROOT / "figures" / "08_sparse_covariance" / f"{name}.json"
    charts = canonical_json.read(path)["charts"]
    assert set(charts) == {"quick", "full"}
    for chart in charts.values():
        for panel in chart["panels"]:
            assert len(references(panel)) == len(REFERENCES)


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", RATIOS, ids=lambda chart: chart.__name__)
def test_ratios_of_norms_are_those_of_the_same_outputs(chart):
    made = chart(Run("quick", 1))
    model = "central" if made.name == "figure_2" else "local"
    frame = sweep.run(study.FIGURES[model], "quick", seed=1)
    base = study.Settings().base["share"]
    rows = frame[(frame[list(base)] == list(base.values())).all(axis=1)]
    plain = next(series for series in made.panels[0].series if series.label == "plain release")
    errors = [rows.groupby("n")[f"plain, w = {w}"].mean() for w in (1, 2)]
    np.testing.assert_allclose(plain.y, errors[0] / errors[1])


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
def test_the_zero_matrix_errs_by_one_and_the_lines_are_named_on_the_plot():
    for panel in figures.figure_1(Run("quick", 1)).panels:
        zero = panel.series[0]
        assert zero.y == pytest.approx([1.0] * len(zero.y))
        assert {mark.text for mark in panel.marks} == set(reference_names.ON_PLOTS)
    assert set(reference_names.LOOKS) == set(REFERENCES)


@pytest.mark.usefixtures("_few_runs")
def test_other_pictures_of_errors_have_the_references_too():
    (rules_panel,) = gallery.rules(Run("quick", 1)).panels
    assert set(rules_panel.names) >= set(REFERENCES.values())
    block = gallery.error_against_p(Run("quick", 1)).panels[0]
    lines = [
        series for series in block.series if series.role == "reference" or series.label == "plain release"
    ]
    assert len(lines) == len(REFERENCES)


@pytest.mark.usefixtures("_few_runs")
def test_maps_hold_the_means_of_their_runs():
    chart = gallery.regime_further(Run("quick", 1))
    frame = sweep.run(study.REGIMES, "quick", seed=1)
    cell = frame[(frame["model"] == "local") & (frame["p"] == 25) & (frame["n"] == 10**5)]
    shown = chart.panels[1].heat
    assert shown.values[0][0] == pytest.approx(np.exp(np.log(cell["default"]).mean()))
    assert (len(shown.values), len(shown.values[0])) == (len(study.MAP_P), len(study.MAP_ROWS["local"]))
    assert all(0 <= value <= 1 for row in chart.panels[0].heat.values for value in row)


def test_the_border_of_the_map_is_where_half_of_the_support_is_found():
    assert maps._crossing(np.array([-0.5, -0.1, 0.1, 0.3])) == pytest.approx(1.5)
    assert np.isnan(maps._crossing(np.array([-0.5, -0.1])))
    charts = canonical_json.read(ROOT / "figures" / "08_sparse_covariance" / "regime_map.json")["charts"]
    found = canonical_json.read(ROOT / "figures" / "08_sparse_covariance" / "regime_further.json")["charts"]
    recall = found["full"]["panels"][0]["heat"]["values"]
    for place, row in zip(charts["full"]["panels"][0]["heat"]["boundary"], recall, strict=True):
        assert row[int(place)] < 0.5 <= row[int(place) + 1]


def test_matrices_are_of_one_run_in_units_of_the_mean_variance():
    chart = gallery.matrices(Run("quick", 3))
    truth, empirical, plain, diagonal, _, default = (np.array(panel.heat.values) for panel in chart.panels)
    assert np.diag(truth).mean() == pytest.approx(1.0)
    kept = (default != 0) & (truth != 0)
    assert kept.sum() > 40
    assert np.abs(plain - truth).max() > np.abs(empirical - truth).max()
    assert (diagonal == np.diag(np.diag(plain))).all()


def test_the_promise_is_that_of_the_claim():
    chart = gallery.promise(Run("quick", 1))
    curve = next(series for series in chart.panels[0].series if series.label == "δ = 10⁻⁵")
    assert np.interp(1.0, curve.x, curve.y) == pytest.approx(1.098, abs=2e-3)
    for series in chart.panels[1].series:
        assert max(series.y) < 1
    assert size(1.0, 1e-5) == pytest.approx(3.731 / 4.845, abs=1e-3)


def test_the_view_of_errors_shows_predictions_first_and_then_more_and_more_runs():
    frames = list(gallery.error_against_rows_view(RUN, p=30, degree=3, alpha=0.07, **PUBLIC))
    estimates = [[s for s in frame.panels[0].series if s.role == "estimate"] for frame in frames]
    assert not any(len(tuple(series.x)) for series in estimates[0])
    assert all(len(tuple(series.x)) == len(view.ROWS["central"]) for series in estimates[-1])
    assert f"{view.RUNS} runs" in frames[-1].caption
    shown = [series for series in frames[-1].panels[0].series if series.role == "reference"]
    assert len(shown) == len(REFERENCES) + 1
    wanted = [s for s in frames[-1].panels[0].series if s.label == "target accuracy α"]
    assert [set(s.y) for s in wanted] == [{0.07}]
    assert len({frame.panels[0].ylim for frame in frames}) == 1


def test_predictions_of_the_view_are_near_its_runs():
    *_, last = gallery.error_against_rows_view(RUN, p=60, degree=3, alpha=0.1, **PUBLIC)
    plain = next(
        s
        for s in last.panels[0].series
        if s.role == "reference" and s.colour_key == reference_names.LOOKS["plain"]
    )
    predicted = next(
        s
        for s in last.panels[0].series
        if s.role == "theory" and s.colour_key == reference_names.LOOKS["plain"]
    )
    np.testing.assert_allclose(plain.y, predicted.y, rtol=0.35)


def test_the_view_of_matrices_shows_the_truth_first_and_then_a_run():
    first, coarse, *_, last = gallery.matrices_view(RUN, n=15_000, rule="default rule", **SHOWN)
    assert first.caption.startswith("Predicted")
    assert "in this run" in coarse.caption
    assert f"over {1 + sum(matrix_view.ROUNDS)} runs" in last.caption
    assert coarse.panels[2] == last.panels[2]
    assert len(last.panels) == 3
    again = list(gallery.matrices_view(RUN, n=15_000, rule="default rule", **SHOWN))[-1]
    assert again == last
    assert first.panels[0].heat == last.panels[0].heat


@pytest.mark.parametrize("rule", matrix_view.WORDS)
@pytest.mark.parametrize("n", [2000, 500_000])
def test_every_rule_can_be_chosen_at_both_ends(rule, n):
    *_, last = gallery.matrices_view(RUN, n=n, rule=rule, **SHOWN)
    assert "F1" in last.caption


@pytest.mark.parametrize("rule", ["adaptive-lasso", "hard", "paper", "bh"])
def test_a_higher_threshold_keeps_less_and_a_lower_one_more(rule):
    one = matrix_view.released(
        matrix_view.spread(40, 0.1, 15_000, np.random.default_rng(1)),
        15_000,
        1.0,
        *map(np.random.default_rng, (2, 3)),
    )
    kept = [matrix_view.kept(one, rule, times, np.random.default_rng(4)) for times in (0.5, 1.0, 2.0)]
    sizes = [int((matrix != 0).sum()) for matrix in kept]
    assert sizes[0] > sizes[1] > sizes[2]
    assert (kept[1] == one.kept(rule, np.random.default_rng(4))).all()


def test_a_power_of_ten_is_short():
    assert short(10**7, 1) == "10⁷"


VIEWED = {"epsilon": 1.0, "delta": 1e-6, "n": 2000, "p": 10, "degree": 3}


def radius_errors(scale):
    """The errors at given radii that the last picture shows."""
    *_, last = gallery.radius_view(RUN, scale=scale, **VIEWED)
    return np.concatenate([tuple(series.y) for series in last.panels[0].series[1 : len(CHOICES)]])


def test_the_view_of_a_radius_shows_a_prediction_first():
    first, *_ = gallery.radius_view(RUN, scale=1e-3, **VIEWED)
    assert not [series for series in first.panels[0].series if series.role == "estimate" and tuple(series.x)]


def test_the_view_of_a_radius_follows_any_scale():
    """Powers of two to the last bit; others as far as rows are whole numbers of a step g < r/2^17.

    Rounding moves a row by √p g and its square by 2 r √p g at most, which the lasso takes at most 4 times for
    the entry and once for its level. Rows are within r² = |Σ| χ²_p, but for one in 10^9. Two scales differ.
    """
    small, large, decimal = map(radius_errors, (2.0**-10, 2.0**13, 1e4))
    np.testing.assert_array_equal(small, large)
    resolution = 2 * (4 + 1) * 2 * np.sqrt(VIEWED["p"]) * 2.0**-17 * chi2.isf(1e-9, VIEWED["p"])
    assert resolution < small.min() / 2
    np.testing.assert_allclose(decimal, small, rtol=0, atol=resolution)


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", source_design.DEEP, ids=lambda chart: chart.__name__)
def test_the_source_s_design_stands_beside_ours(chart, monkeypatch):
    sweeps = source_runs.SOURCE_DESIGN
    once = {"deep": 1}
    quick = {model: replace(few(old), blocks=once) for model, old in sweeps.items()}
    monkeypatch.setattr(source_runs, "SOURCE_DESIGN", quick)
    monkeypatch.setattr(source_runs, "BLOCKS", once)
    made = chart(Run("deep", 1))
    require_complete(made, chart.__name__)
    assert len(made.panels) == 2
    for panel in made.to_json()["panels"]:
        assert len(references(panel)) == len(REFERENCES)
        assert all(np.isfinite(np.array(series["y"], float)).all() for series in panel["series"])


def test_rows_of_the_source_s_design_are_far_outside_the_unit_ball():
    signal = sparse_signal(100, 0.2, rng=np.random.default_rng(1))
    covariance = conditioned(signal, source_runs.SHIFT) / source_runs.DIVISOR
    assert np.trace(covariance) == pytest.approx(25)
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() <= 1 / source_runs.DIVISOR
