"""The family is the catalog's, the maps and the explorer show what the planner says, and it is right."""

from dataclasses import replace

import pytest

from tests.chapters.conftest import refuted, require_refuted
from workbench.catalog import CATALOG
from workbench.chapters import which_one
from workbench.chapters.which_one import choice
from workbench.chapters.which_one.choice import Need, member
from workbench.privacy import ApproxDP, NonPrivate, PureDP
from workbench.study import sweeps as sweep

ALL = ("mean", "covariance", "gaussian")


def test_every_private_entry_has_one_row():
    wanted = [
        one.key
        for one in CATALOG.values()
        if one.estimand in ALL and not all(isinstance(each.budget, NonPrivate) for each in one.examples)
    ]
    assert sorted(one.key for one in choice.family(*ALL)) == sorted(wanted)
    assert len(wanted) == sum(len(which_one.table(estimand)) for estimand in ALL)


def test_what_an_estimator_asks_for():
    for key, must, privacy, robust in (
        ("univariate/unbounded-mean", {"scale", "normal"}, 2, False),
        ("mean/adaptive", {"range", "normal"}, 1, False),
        ("mean/tukey", {"range", "normal"}, 0, True),
        ("covariance/thresholded", {"norm", "normal"}, 1, False),
    ):
        found = member(CATALOG[key])
        assert {fact for fact, need in found.needs.items() if need == Need.MUST} == must
        assert (found.privacy, found.robust) == (privacy, robust)
        assert found.applies(*must)
        assert not found.applies(*sorted(must)[1:])


def test_an_entry_that_is_added_appears(monkeypatch):
    other = replace(CATALOG["mean/coinpress"], key="mean/another")
    monkeypatch.setattr(choice, "CATALOG", {**CATALOG, other.key: other})
    assert "mean/another" in which_one.table("mean").index


def test_what_a_range_and_a_scale_leave_has_a_label():
    assert {*choice.keys(1), *choice.keys(3)} == {*choice.LABELS}
    assert len({*choice.keys(1)}) == 4


BUDGET = (1.0, 1e-6)


def test_whoever_is_named_for_fewest_rows_errs_least_there():
    given = 3, *BUDGET, 10.0
    n, key = choice.fewest(0.2, *given)
    assert choice.ranked(n, *given)[0][1] == key
    assert choice.error(key, n, *given) <= 0.2 < choice.error(key, n - 1, *given)


@pytest.mark.parametrize(
    ("key", "d", "budget"),
    [("univariate/two-step-mean", 1, PureDP(1.0)), ("mean/coinpress", 3, ApproxDP(*BUDGET))],
)
def test_a_budget_is_one_that_is_taken(key, d, budget):
    assert choice.trade(key, d, 10.0).best(500, *BUDGET)[1] == budget


@pytest.fixture
def _one_setting(monkeypatch):
    monkeypatch.setattr(choice, "SETTINGS_RUN", (choice.Setting(800, 3, 0.5, 10.0),))
    monkeypatch.setattr(choice, "QUESTIONS", ((10, 1.0, 100.0),))
    forget()
    yield
    forget()


def forget():
    sweep.forget()
    choice.compared.cache_clear()
    choice.named.cache_clear()


@pytest.mark.daily
@pytest.mark.usefixtures("_one_setting")
def test_a_planner_that_names_the_third_best_is_refuted(monkeypatch):
    true, (setting,) = choice.ranked, choice.SETTINGS_RUN
    best, _, third, *_ = (key for _, key in setting.ranked)

    def swapped(*setting):
        first, second, third, *others = true(*setting)
        return [third, first, second, *others]

    monkeypatch.setattr(choice, "ranked", swapped)
    assert f"{third} against {best}, d = 3" in refuted("which-one/names-the-best")


@pytest.mark.turns(4)
@pytest.mark.usefixtures("_one_setting")
@pytest.mark.parametrize("by", [0.5, 2.0])
def test_rows_that_are_too_few_or_too_many_are_refuted(monkeypatch, by):
    true = choice.fewest

    def wrong(*question):
        n, key = true(*question)
        return round(by * n), key

    monkeypatch.setattr(choice, "fewest", wrong)
    require_refuted("which-one/rows-are-enough")
