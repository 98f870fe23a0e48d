"""The pictures of notebook 01 are complete, say what they show, and their explorers get richer."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.chapters.pictures import require_complete, theory_first
from workbench.chapters import what_epsilon_means as gallery
from workbench.chapters.what_epsilon_means.figures import attacks, guess_view, leaks, row_view
from workbench.chapters.what_epsilon_means.figures import tracing as tracing_figure
from workbench.chapters.what_epsilon_means.runs import attacker, floats, tracing
from workbench.study import sweeps as sweep
from workbench.study.run import Run

MAKERS = ("two_outputs", "attacker", "composition", "currencies", "suspects", "floats", "tracing")
WORDS = 45
ROOT = Path(__file__).parents[3]
BUDGET = {"epsilon": 1.0, "delta": 0.01}


@pytest.fixture
def _few_runs(monkeypatch):
    for module, name, owner in (
        (attacks, "ROUNDS", attacker),
        (leaks, "OUTPUTS", floats),
        (tracing_figure, "TRACED", tracing),
    ):
        old = getattr(owner, name)
        monkeypatch.setattr(
            module, name, replace(old, name=f"test-{old.name}", trials=60, blocks={"quick": 1})
        )
    yield
    sweep.forget()


@pytest.mark.daily
@pytest.mark.usefixtures("_few_runs")
@pytest.mark.parametrize("name", MAKERS)
def test_charts_have_few_words_and_can_be_drawn(name):
    chart = getattr(gallery, name)(Run("quick", 3))
    require_complete(chart, name)
    assert chart.how_to_read.count(".") >= 2
    assert len(chart.how_to_read.split()) <= WORDS
    assert len(chart.panels) <= 2
    assert all(panel.xlabel or panel.names for panel in chart.panels)


def test_everything_of_the_chapter_is_in_its_notebook():
    cells = json.loads((ROOT / "notebooks" / "01_what_epsilon_means.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    code = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert {name for name in gallery.__all__ if f"wem.{name}" not in code} == set()


@pytest.mark.parametrize(
    ("view", "values", "frames"),
    [
        (row_view.one_row_view, {"row": 5.0, "mechanism": "Laplace", **BUDGET}, row_view.ROUNDS + 1),
        (row_view.one_row_view, {"row": -2.0, "mechanism": "median", **BUDGET}, row_view.ROUNDS + 1),
        (guess_view.guess_view, {"cut": 0.5, "mechanism": "Gaussian", "game": "third", **BUDGET}, 2),
        (gallery.tracing_view, {"n": 50, "d": 80, **BUDGET}, 7),
    ],
)
def test_views_yield_theory_first_and_then_more(view, values, frames):
    found = list(view(Run("quick", 3), **values))
    assert len(found) == frames
    theory_first(found)
    assert found[-1] == list(view(Run("quick", 3), **values))[-1]


def said(row, mechanism):
    """What the explorer of one row says at once: the share of ε, the promise, and rounds won."""
    words = next(row_view.one_row_view(Run("quick", 3), row=row, mechanism=mechanism, **BUDGET)).caption
    pattern = (
        r"reaches ([\d.e+-]+) times.* promise is (kept|BROKEN)\. .* wins ([\d.]+) of 100 .* leaves ([\d.]+)"
    )
    share, promise, won, most = re.search(pattern, words).groups()
    return float(share), promise, float(won), float(most)


def test_a_row_that_is_clipped_keeps_the_promise_and_one_that_is_not_breaks_it():
    for mechanism in ("Laplace", "median", "Gaussian"):
        for row in (-5.0, 0.0, 5.0, 60.0):
            _, promise, won, most = said(row, mechanism)
            assert promise == "kept"
            assert won <= most
    assert said(5.0, "Laplace")[0] == said(60.0, "Laplace")[0] == 1
    assert said(0.0, "Laplace")[0] == 0.5
    assert said(5.0, "Laplace, not clipped")[1] == "kept"
    share, promise, won, most = said(60.0, "Laplace, not clipped")
    assert (share, promise) == (6.5, "BROKEN")
    assert won > 95 > most


def test_releases_follow_the_densities_of_the_explorer():
    """Within five standard errors, bin by bin, as 50 bins and two tables need at 1e-4."""
    *_, last = row_view.one_row_view(Run("quick", 3), row=5.0, mechanism="Gaussian", **BUDGET)
    draws, width = row_view.ROUNDS * row_view.MANY, 2 * row_view.REACH / row_view.BINS
    curves = {one.colour_key: one for one in last.panels[0].series if one.role == "theory"}
    for seen in (one for one in last.panels[0].series if one.role == "estimate"):
        curve = curves[seen.colour_key]
        for x, y in zip(seen.x, seen.y, strict=True):
            inside = np.abs(np.array(curve.x) - x) <= width / 2
            expected = np.array(curve.y)[inside].mean()
            assert abs(y - expected) < 5 * np.sqrt((expected + 1 / draws / width) / draws / width) + 0.01


def test_twenty_rounds_are_counted_and_the_best_cut_wins_most_in_the_long_run():
    def long_run(cut):
        words = next(
            guess_view.guess_view(Run("quick", 3), cut=cut, mechanism="Laplace", game="first", **BUDGET)
        ).caption
        return [float(one) for one in re.findall(r"(\d+\.\d)\b", words)]

    yours, best, most = long_run(0.0)
    assert yours == best < most
    assert long_run(6.0)[0] < best
    *_, last = guess_view.guess_view(Run("quick", 3), cut=0.0, mechanism="Laplace", game="second", **BUDGET)
    won = int(re.search(r"you win (\d+) of 20", last.caption)[1])
    right = [one for one in last.panels[0].series if one.label == "right"]
    assert sum(len(tuple(one.x)) for one in right) == won


@pytest.mark.parametrize(("epsilon", "delta"), [(10.0, 1e-15), (10.0, 1e-3), (0.01, 1e-15), (0.01, 1e-9)])
def test_laplace_noise_costs_no_more_than_any_mechanism_wherever_it_is_drawn(epsilon, delta):
    """Within a step of the grid of each of up to 512 losses."""
    chart = gallery.composition(Run("quick", 3), epsilon=epsilon, delta=delta)
    curves = {one.label: np.array(one.y) for one in chart.panels[1].series}
    exact, best = curves["Laplace noise, exactly"], curves["any mechanism, at best"]
    assert np.isnan(exact).all() == (delta < 1e-10)
    assert (np.isnan(exact) | (exact <= best + 2e-3)).all()
    assert (best <= 1 + 1e-12).all()
