"""The pictures of robust and private means: complete, true to their runs, and a duel that goes on."""

import json
from dataclasses import replace
from functools import wraps

import numpy as np
import pytest

from tests.chapters.pictures import require_complete
from workbench.chapters import robust_and_private as gallery
from workbench.chapters.robust_and_private.claims import sizes
from workbench.chapters.robust_and_private.figures import crossover, duel_view, scores
from workbench.chapters.robust_and_private.runs import duel as lkko21_duel
from workbench.chapters.robust_and_private.runs import prime
from workbench.chapters.robust_and_private.runs import robust as lkko21_robust_sweeps
from workbench.study import sweeps as sweep
from workbench.study.run import Run

CHARTS = tuple(
    getattr(gallery, name)
    for name in gallery.__all__
    if name not in ("CLAIMS", "FILMS", "FULL", "duel_view", "filtering", "hidden_world")
)
PUBLIC = {"corruption": 0.05, "epsilon": 1.0, "delta": 0.01, "n": 10_000, "d": 10}
SWEEPS = (
    *((prime, name) for name in ("PLANTED", "SMALL", "EPSILONS", "SHARES", "PASSES")),
    *((lkko21_duel, name) for name in ("DUEL", "CROSSOVER")),
)


def few(old):
    """A sweep with few runs of few rows that keep their names."""

    @wraps(old.block)
    def block(**point):
        rows = {"n": min(point["n"], 1000)} if "n" in point else {}
        return old.block(**{**point, **rows})

    return replace(old, name=f"test-{old.name}", block=block, trials=2, blocks={"quick": 1})


@pytest.fixture
def _few_runs(monkeypatch):
    for module, name in SWEEPS:
        monkeypatch.setattr(module, name, few(getattr(module, name)))
    monkeypatch.setattr(lkko21_robust_sweeps, "N", 1000)
    for name in ("PLANTED_LOW", "PLANTED_HIGH"):
        monkeypatch.setattr(lkko21_robust_sweeps, name, few(getattr(lkko21_robust_sweeps, name)))
    small = replace(few(sizes.SIZES), block=sizes.SIZES.block)
    monkeypatch.setattr(sizes, "SIZES", small)
    yield
    sweep.forget()


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart(Run("quick", 1))
    require_complete(made, chart.__name__)
    assert made.how_to_read.count(".") >= 2
    assert all(panel.xlabel for panel in made.panels)
    assert json.dumps(made.to_json(), allow_nan=True)


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
def test_figure_1_has_the_axes_of_the_source_and_our_estimators():
    (much, epsilons), (little,) = (
        chart(Run("quick", 1)).panels for chart in (gallery.figure_1, gallery.little_corruption)
    )
    assert (much.xlabel, little.xlabel, epsilons.xlabel) == ("d, columns", "d, columns", "ε")
    for panel in (much, little, epsilons):
        assert {"PRIME", "clipped mean"} <= {series.label for series in panel.series}
    robust = next(series for series in much.series if series.colour_key == "mean/robust")
    assert tuple(robust.x) == (3, 10, 20, 50)


def test_the_crossover_is_where_the_ratio_stays_below_one():
    assert crossover.crossover({10: 2.0, 100: 0.5, 1000: 0.9}) == pytest.approx(10**1.5)
    assert crossover.crossover({10: 0.5, 100: 2.0, 1000: 0.5}) == pytest.approx(10**2.5)


def test_bad_rows_have_the_lengths_of_clean_ones_and_pull_together():
    lengths, along = gallery.collusion(Run("quick", 1)).panels
    (pull,) = gallery.few_together(Run("quick", 1)).panels
    for panel, apart in ((lengths, 0.1), (along, 3.0)):
        good, bad = (np.sum(s.y) for s in panel.series)
        assert bad / (good + bad) == pytest.approx(0.05, abs=0.002)  # areas are shares of all rows
        good, bad = (np.average(s.x, weights=s.y) for s in panel.series)
        assert abs(bad - good) < apart + 1.0
        assert (abs(bad - good) > 2.0) == (panel is along)
    moved, limit = (np.array(s.y) for s in pull.series)
    assert (moved > 1.5 * limit).all()


def test_swapped_tails_leave_the_spectrum_and_a_cluster_does_not():
    clean, swapped, planted = (np.array(s.y) for s in gallery.tail_swap(Run("quick", 1)).panels[1].series)
    np.testing.assert_allclose(swapped, clean, atol=0.06)
    assert planted[0] > 2 * clean[0]


def test_the_histogram_is_the_one_of_the_filter():
    (panel,) = gallery.score_histogram(Run("quick", 1)).panels
    clean, both, noisy = (np.array(s.y) for s in panel.series)
    bad = both - clean
    assert both.sum() == 2 * 0.05 * scores.N
    assert np.abs(noisy - both)[both > 20].max() < 200
    threshold, removed = panel.marks
    gone = np.array(panel.series[0].x) > threshold.x
    right, wrong = (int(counts[gone].sum()) for counts in (bad, clean))
    assert (removed.x, removed.text) == (threshold.x, f"removed: {right} corrupted, {wrong} clean")
    assert right > 500
    assert wrong < right / 100


def test_both_extremes_of_the_score_lose_to_the_default():
    one, four, many = scores._separation(1, 0.05, scores.N, scores.D).series
    shown = np.array(one.x)
    default = np.argmin(np.abs(shown - 6.1))
    assert one.y[0] < one.y[default] - 0.2
    assert min(four.y[-1], many.y[-1]) < 0.5 < many.y[default]


@pytest.mark.daily
@pytest.mark.parametrize("attack", lkko21_duel.SHOWN)
def test_the_duel_shows_the_rows_first_and_then_round_after_round(attack):
    wanted = 0.15
    frames = list(
        gallery.duel_view(Run("quick", 1), attack=attack, estimator="mean/prime", alpha=wanted, **PUBLIC)
    )
    assert len(frames) == 2 + duel_view.ROUNDS
    assert "no round yet" in frames[0].caption
    assert "wins" in frames[-1].caption
    assert all(frame.panels[1] == frames[0].panels[1] for frame in frames)
    marked = [series for series in frames[-1].panels[0].series if series.role == "estimate"]
    assert len(marked) == len(lkko21_duel.FIGHTERS)
    lines = [series.y for series in frames[-1].panels[0].series if series.label == "target accuracy α"]
    assert lines == [(wanted, wanted)]
    assert f"at most α = {wanted:g} in " in frames[-1].caption


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
def test_the_scoreboard_holds_medians_over_the_limit():
    (panel,) = gallery.scoreboard(Run("quick", 1)).panels
    frame = sweep.run(lkko21_duel.DUEL, "quick", seed=1)
    row, column = 1, lkko21_duel.FIGHTERS.index("mean/prime")
    cell = frame[frame["attack"] == lkko21_duel.SHOWN[row]]["mean/prime"].median()
    assert panel.heat.values[row][column] == pytest.approx(cell / prime.limit(0.05))


def test_every_attack_of_the_duel_is_drawn_and_moves_the_mean_by_what_is_written():
    charts = [
        made(Run("quick", 1)) for made in (gallery.attacks_far, gallery.attacks_near, gallery.attacks_hidden)
    ]
    panels = {panel.title: panel for chart in charts for panel in chart.panels}
    assert set(panels) == set(lkko21_duel.GLOSS.values())
    assert set(lkko21_duel.GLOSS) == set(lkko21_duel.SHOWN)
    for name, title in lkko21_duel.GLOSS.items():
        dots = panels[title].series
        assert sum(len(one.x) for one in dots) == 400
        assert len(dots) == 1 + (name != "none")
        assert len(dots[-1].x) == (400 if name == "none" else 40)
    clean, swapped = (panels[lkko21_duel.GLOSS[name]] for name in ("none", "tail-swap"))
    means = [
        np.mean([pair for one in panel.series for pair in zip(one.x, one.y, strict=True)], axis=0)
        for panel in (clean, swapped)
    ]
    moved = float(swapped.marks[0].text.removeprefix("mean moves ").removesuffix(" σ"))
    assert np.linalg.norm(np.subtract(*means)) == pytest.approx(moved, rel=0.05)


def test_a_ratio_of_the_tables_is_the_rows_needed_over_the_formula():
    (panel,) = gallery.table_formulas(Run("quick", 1)).panels[:1]
    fast = next(series for series in panel.series if "polynomial" in series.label)
    terms = sizes.Terms()
    assert tuple(fast.y) == pytest.approx([terms.rows("1", int(d))["both"].polynomial.total for d in fast.x])
