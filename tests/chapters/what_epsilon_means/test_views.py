"""The explorers of notebook 01: theory first, then runs; what they say in words."""

import re

import numpy as np
import pytest

from tests.chapters.pictures import theory_first
from workbench.chapters import what_epsilon_means as gallery
from workbench.chapters.what_epsilon_means.figures import guess_view, row_view
from workbench.study.run import Run

BUDGET = {"epsilon": 1.0, "delta": 0.01}


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
