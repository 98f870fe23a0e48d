"""The explorers of notebook 06 show theory first, and then more samples, whose releases are as promised."""

import pytest

from tests.chapters.pictures import theory_first
from workbench.chapters import matrix_quantile as gallery
from workbench.chapters.matrix_quantile.figures import lifted_view, runs_view
from workbench.chapters.matrix_quantile.figures import view as quantile_view
from workbench.study.run import Run

RUNS = {"epsilon": 1.0, "delta": 1e-6, "alpha": 0.2, "d": 2}


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
