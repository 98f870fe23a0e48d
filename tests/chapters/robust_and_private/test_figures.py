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
from workbench.study.run import Run
from workbench.study.sweeps import sweep

CHARTS = tuple(
    getattr(gallery, name) for name in gallery.__all__ if name not in ("CLAIMS", "FULL", "duel_view")
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


@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.__name__)
def test_a_chart_says_what_it_shows_and_can_be_drawn(chart):
    made = chart(Run("quick", 1))
    require_complete(made, chart.__name__)
    assert made.how_to_read.count(".") >= 2
    assert all(panel.xlabel for panel in made.panels)
    assert json.dumps(made.to_json(), allow_nan=True)


@pytest.mark.usefixtures("_few_runs")
def test_figure_1_has_the_axes_of_the_source_and_our_estimators():
    much, little, epsilons = gallery.figure_1(Run("quick", 1)).panels
    assert (much.xlabel, little.xlabel, epsilons.xlabel) == ("d", "d", "ε")
    for panel in (much, little, epsilons):
        assert {"mean/prime", "mean/clipped-box"} <= {series.label for series in panel.series}
    robust = next(series for series in much.series if series.label == "mean/robust")
    assert tuple(robust.x) == (3, 10, 20, 50)


def test_the_crossover_is_where_the_ratio_stays_below_one():
    assert crossover.crossover({10: 2.0, 100: 0.5, 1000: 0.9}) == pytest.approx(10**1.5)
    assert crossover.crossover({10: 0.5, 100: 2.0, 1000: 0.5}) == pytest.approx(10**2.5)


def test_bad_rows_have_the_lengths_of_clean_ones_and_pull_together():
    lengths, along, pull = gallery.collusion(Run("quick", 1)).panels
    for panel, apart in ((lengths, 0.1), (along, 3.0)):
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
    clean, bad, noisy, cut = (np.array(s.y if s.role != "reference" else s.x) for s in panel.series)
    assert clean[clean >= 1].sum() + bad[bad >= 1].sum() == 2 * 0.05 * scores.N
    assert np.abs(noisy - clean - bad)[clean + bad > 20].max() < 200
    gone = np.array(panel.series[0].x) > cut[0]
    right, wrong = (int(counts[gone & (counts >= 1)].sum()) for counts in (bad, clean))
    assert panel.note == f"Removed: {right} of {0.05 * scores.N:.0f} corrupted rows, {wrong} others."
    assert right > 500
    assert wrong < right / 100


def test_both_extremes_of_the_score_lose_to_the_default():
    one, four, many, _ = scores._separation(1, 0.05, scores.N, scores.D).series
    shown = np.array(one.x)
    default = np.argmin(np.abs(shown - 6.1))
    assert one.y[0] < one.y[default] - 0.2
    assert min(four.y[-1], many.y[-1]) < 0.5 < many.y[default]


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
    lines = [series.y for series in frames[-1].panels[0].series if series.label == "wanted accuracy α"]
    assert lines == [(wanted, wanted)]
    assert f"at most α = {wanted:g} in " in frames[-1].caption


@pytest.mark.usefixtures("_few_runs")
def test_the_scoreboard_holds_medians_over_the_limit():
    (panel,) = gallery.scoreboard(Run("quick", 1)).panels
    frame = sweep.run(lkko21_duel.DUEL, "quick", seed=1)
    row, column = 1, lkko21_duel.FIGHTERS.index("mean/prime")
    cell = frame[frame["attack"] == lkko21_duel.SHOWN[row]]["mean/prime"].median()
    assert panel.heat.values[row][column] == pytest.approx(cell / prime.limit(0.05))
