"""The explorer of the choice shows what is predicted, and a reader's rule is judged by the same."""

from math import inf, isnan

import pytest

from tests.chapters.pictures import require_complete
from workbench.chapters import which_one
from workbench.chapters.which_one import choice
from workbench.errors import ArgumentError
from workbench.study.run import Run

PUBLIC = {"epsilon": 1.0, "delta": 1e-6, "d": 3, "radius": 10.0}


def frames(**moved):
    return list(which_one.best_view(Run("quick", 1), **{"n": 800, "alpha": 0.2, **PUBLIC, **moved}))


@pytest.mark.daily
def test_the_explorer_draws_what_the_planner_predicts():
    first, last = frames()
    require_complete(last, "best_view")
    assert len(first.panels[0].series[0].x) < len(last.panels[0].series[0].x)
    curves = {one.colour_key: dict(zip(one.x, one.y, strict=True)) for one in last.panels[0].series}
    assert set(curves) == set(choice.keys(3))
    for key, curve in curves.items():
        expected = choice.error(key, 800, *PUBLIC_ORDER)
        assert curve[800] == expected or (isnan(curve[800]) and expected == inf)
    (point,) = (one for one in last.panels[0].marks if one.kind == "point")
    assert point.y == min(curve[800] for curve in curves.values())


PUBLIC_ORDER = (3, 1.0, 1e-6, 10.0)


@pytest.mark.daily
def test_the_sentence_says_who_errs_least_and_whether_that_is_enough():
    assert "which reaches α" in frames()[-1].caption
    assert "which does not reach α" in frames(alpha=1e-3)[-1].caption
    silent = frames(n=60, epsilon=0.01)[-1]
    assert "none of them answers" in silent.caption
    assert "nobody answers" in silent.title


@pytest.mark.daily
def test_a_rule_is_judged_by_the_least_predicted_error():
    found = which_one.judged(lambda n, d, epsilon, radius: "mean/coinpress", settings=6)
    assert len(found) == 6
    for row in found.itertuples():
        ranked = choice.ranked(row.n, row.d, row.epsilon, 1e-6, row.radius)
        assert row.best == ranked[0][1]
        assert (
            row.over
            == choice.error("mean/coinpress", row.n, row.d, row.epsilon, 1e-6, row.radius) / ranked[0][0]
        )
    best = {(row.n, row.d, row.epsilon, row.radius): row.best for row in found.itertuples()}
    oracle = which_one.judged(lambda *public: best[public], settings=6)
    assert (oracle["over"] == 1).all()


@pytest.mark.daily
def test_who_does_not_answer_is_infinitely_worse_and_a_word_is_no_key():
    found = which_one.judged(lambda n, d, epsilon, radius: "mean/coordinatewise")
    assert (found["over"] == inf).any()
    assert (found["over"] >= 1).all()
    with pytest.raises(ArgumentError, match="rule"):
        which_one.judged(lambda *public: "the best one")
