"""The planner's word holds in few runs at one setting, and is refuted where it is false.

A true claim is refuted with probability 6e-5 at most: each of its checks has a level of 5e-6.
"""

import pytest

from workbench.chapters.registry import decide
from workbench.chapters.which_one import choice, runs
from workbench.study import sweeps as sweep
from workbench.study.rules import Status

BEST, ENOUGH = "which-one/names-the-best", "which-one/rows-are-enough"


@pytest.fixture(autouse=True)
def _one_setting(monkeypatch):
    monkeypatch.setattr(runs, "SETTINGS", (runs.Setting(800, 3, 0.5, 10.0),))
    monkeypatch.setattr(runs, "QUESTIONS", ((10, 1.0, 100.0),))
    forget()
    yield
    forget()


def forget():
    sweep.forget()
    runs.compared.cache_clear()
    runs.named.cache_clear()


def decided(claim):
    return decide([claim], "quick", 4, jobs=1)[claim]


@pytest.mark.daily
@pytest.mark.parametrize("claim", [BEST, ENOUGH])
def test_the_claims_hold(claim):
    assert decided(claim).status is Status.HOLDS


@pytest.mark.daily
def test_a_planner_that_names_the_third_best_is_refuted(monkeypatch):
    true, (setting,) = choice.ranked, runs.SETTINGS
    best, _, third, *_ = (key for _, key in setting.ranked)

    def swapped(*setting):
        first, second, third, *others = true(*setting)
        return [third, first, second, *others]

    monkeypatch.setattr(choice, "ranked", swapped)
    found = decided(BEST)
    assert found.status is Status.REFUTED
    checks = {one["id"]: one["status"] for one in found.detail["checks"]}
    assert checks[f"{third} against {best}, d = 3"] is Status.REFUTED


@pytest.mark.parametrize("by", [0.5, 2.0])
def test_rows_that_are_too_few_or_too_many_are_refuted(monkeypatch, by):
    true = choice.fewest

    def wrong(*question):
        n, key = true(*question)
        return round(by * n), key

    monkeypatch.setattr(choice, "fewest", wrong)
    assert decided(ENOUGH).status is Status.REFUTED
