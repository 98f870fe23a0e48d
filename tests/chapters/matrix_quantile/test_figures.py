"""The pictures of notebook 06 are complete, say what they show, and their explorers get richer."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.chapters.pictures import require_complete, theory_first
from workbench.chapters import matrix_quantile as gallery
from workbench.chapters.matrix_quantile.figures import (
    lift,
    lifted_view,
    neighbours,
    pictures,
    runs_view,
    steps,
)
from workbench.chapters.matrix_quantile.figures import view as quantile_view
from workbench.chapters.matrix_quantile.runs import beside, quantile
from workbench.lab.pictures.grammar import faults
from workbench.privacy import SimulatedNoise
from workbench.privacy.stable import Stable, stable_mask
from workbench.study import sweeps as sweep
from workbench.study.run import Run

RUNS = {"epsilon": 1.0, "delta": 1e-6, "alpha": 0.2, "d": 2}
MAKERS = (
    "count_curve", "nested", "lift", "interlacing", "stability", "strength", "mask", "rows_needed",
    "flat", "abstains", "abstains_in_the_plane",
)  # fmt: skip


def few(old):
    return replace(old, name=f"test-{old.name}", trials=2, blocks={"quick": 1})


@pytest.fixture
def _few_runs(monkeypatch):
    monkeypatch.setattr(quantile, "SUCCESS", {d: few(one) for d, one in quantile.SUCCESS.items()})
    for name in ("CONDITIONS", "FAR", "HEAVY"):
        monkeypatch.setattr(beside, name, few(getattr(beside, name)))
    told = {d: few(one) for d, one in beside.TOLD_ROWS.items()}
    monkeypatch.setattr(beside, "TOLD_ROWS", told)
    monkeypatch.setattr(steps, "DRAWS", {"quick": 10})
    monkeypatch.setattr(neighbours, "PAIRS", {"quick": 10})
    yield
    sweep.forget()


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("name", MAKERS)
def test_charts_have_words_and_can_be_drawn(name):
    chart = getattr(gallery, name)(Run("quick", 3))
    require_complete(chart, name)
    assert faults(chart) == []
    assert all(panel.xlabel and panel.ylabel for panel in chart.panels)


@pytest.mark.daily
def test_bars_of_answers_are_stacked_and_add_up():
    for panel in gallery.abstains(Run("quick", 3)).panels:
        right, wrong, silent = panel.series
        assert right.y == wrong.low
        assert wrong.y == silent.low
        assert set(silent.y) == {1.0}


def test_the_count_of_normal_rows_is_the_largest_and_the_crossings_are_the_counts():
    design = steps.planned_design(1.0, 1e-6)
    sets = steps._sets(design, 17, 0.1)
    normal, heavy, far = (design.test.measure(x)[0] for x in sets.values())
    assert normal == design.test.most > max(heavy, far)
    slopes = steps.slopes(design.test, sets["heavy tails"], [heavy, heavy + 1])
    assert slopes[0] >= steps.needed(design.test, heavy)
    assert slopes[1] < steps.needed(design.test, heavy + 1)


def test_a_picture_of_levels_is_nested_and_near_its_prediction():
    x = np.random.default_rng(1).standard_normal((2000, 2))
    found = [pictures.known(x, share * len(x)) for share in pictures.NESTED_SHARES]
    for outer, inner in pairwise(found):
        assert (np.linalg.eigvalsh(outer - inner) > 0).all()
    for share, one in zip(pictures.NESTED_SHARES, found, strict=True):
        np.testing.assert_allclose(np.linalg.eigvalsh(one), pictures.scale_at(share, 2), rtol=0.2)


def test_a_replaced_row_stays_between_two_levels_and_not_within_half_of_one(monkeypatch):
    rng = np.random.default_rng(2)
    found = np.array([neighbours.margins(rng) for _ in range(40)])
    assert found.max() <= 1 + 1e-5
    right, middle = neighbours.known, neighbours.PAIR_LEVEL * neighbours.PAIR_N
    monkeypatch.setattr(neighbours, "known", lambda x, v: right(x, middle + (v - middle) / 3))
    assert max(max(neighbours.margins(rng)) for _ in range(80)) > 1 + 1e-3


@pytest.mark.daily
def test_the_chance_of_an_answer_is_that_of_the_ramp():
    design = steps.planned_design(1.0, 1e-6)
    (curve,) = steps._passing(design, {"rows": 1, "others": design.test.most}).series
    assert curve.y[0] == pytest.approx(quantile.DELTA, rel=1e-6)
    assert curve.y[-1] >= 1 - quantile.BETA / 5
    half = steps.even(design)
    assert curve.y[int(half) - 1] <= 0.5 <= curve.y[int(half)]
    found, noise = Stable(int(half), np.eye(2)), SimulatedNoise(np.random.default_rng(3))
    answers = sum(stable_mask(found, design.charge, noise) is not None for _ in range(20_000))
    assert answers / 20_000 == pytest.approx(curve.y[int(half) - 1], abs=0.018)  # five standard deviations


@pytest.mark.parametrize(
    ("view", "values", "rounds"),
    [
        (
            gallery.quantile_view,
            {"level": 0.2, "n": 400, "corruption": 0.1, "away": 30.0},
            quantile_view.ROUNDS,
        ),
        (
            gallery.lifted_view,
            {"epsilon": 1.0, "delta": 1e-6, "n": 1000, "offset": 1e6, "condition": 1e4, "corruption": 0.0},
            lifted_view.ROUNDS,
        ),
        (gallery.runs_view, {**RUNS, "n": 800, "corruption": 0.02}, runs_view.ROUNDS),
    ],
)
def test_views_yield_theory_first_and_then_more_samples(view, values, rounds):
    frames = list(view(Run("quick", 3), **values))
    assert len(frames) == rounds + 1
    theory_first(frames)
    assert frames[-1] == list(view(Run("quick", 3), **values))[-1]


def test_releases_of_the_view_are_within_the_promise():
    *_, last = gallery.runs_view(Run("quick", 4), **RUNS, n=1500, corruption=0.0)
    answers, good = (int(last.caption.split(word)[0].split()[-1]) for word in (" answers", " within ln"))
    assert answers >= 10
    assert good >= answers - 1


def test_a_slice_follows_a_shift_and_keeps_its_width():
    x = np.random.default_rng(5).standard_normal((400, 2))
    s, m, scatter, _ = lift.lifted(x, 80.0)
    moved = lift.lifted(x + np.array([300.0, -20.0]), 80.0)
    assert moved[0] == pytest.approx(s, rel=1e-4)
    np.testing.assert_allclose(moved[1] - np.array([300.0, -20.0]), m, atol=1e-3)
    np.testing.assert_allclose(moved[2], scatter, rtol=1e-3, atol=1e-3)
    assert np.abs(m).max() < 0.2


def test_the_lifted_mean_does_not_mind_offset_or_condition_and_abstains_for_far_rows():
    values = {"epsilon": 1.0, "delta": 1e-6, "n": 1000, "corruption": 0.0, "offset": 0.0, "condition": 1.0}
    words = "error: ", "median error "
    for change in ({}, {"offset": 1e6, "condition": 1e4}):
        *_, last = gallery.lifted_view(Run("quick", 6), **values | change)
        predicted, found = (float(last.caption.split(word)[1].split()[0].rstrip(",;")) for word in words)
        assert " 12 answers" in last.caption
        assert predicted / 2 < found < 2 * predicted
    *_, spoilt = gallery.lifted_view(Run("quick", 6), **values | {"corruption": 0.1})
    assert " 0 answers" in spoilt.caption
