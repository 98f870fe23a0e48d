"""The family is read off the catalog: everything private is in it, with what it asks for."""

from dataclasses import replace

import pytest

from tests.chapters.pictures import require_complete
from workbench.catalog import CATALOG
from workbench.chapters import which_one
from workbench.chapters.which_one import choice, family
from workbench.chapters.which_one.family import Need, member
from workbench.charts import methods
from workbench.privacy import NonPrivate
from workbench.study.run import Run

ALL = ("mean", "covariance", "gaussian")


def test_every_private_entry_has_one_row():
    wanted = {
        one.key
        for one in CATALOG.values()
        if one.estimand in ALL and not all(isinstance(each.budget, NonPrivate) for each in one.examples)
    }
    found = [one.key for one in family.family(*ALL)]
    assert set(found) == wanted
    assert len(found) == len(wanted) == sum(len(which_one.table(estimand)) for estimand in ALL)


@pytest.mark.parametrize(
    ("key", "must", "privacy", "robust"),
    [
        ("univariate/unbounded-mean", {"scale", "normal"}, 2, False),
        ("univariate/clipped-mean", {"range", "scale", "normal"}, 0, False),
        ("univariate/median", {"range"}, 0, False),
        ("mean/coordinatewise", {"scale", "normal"}, 0, False),
        ("mean/affine", {"normal"}, 2, False),
        ("mean/median-of-means", {"scale"}, 2, False),
        ("mean/prime-heavy", {"range", "upper", "outliers"}, 1, True),
        ("mean/tukey", {"range", "normal"}, 0, True),
        ("covariance/coinpress", {"upper", "normal"}, 1, False),
        ("covariance/thresholded", {"norm", "normal"}, 1, False),
        ("gaussian/coinpress", {"range", "upper", "lower", "normal"}, 1, False),
        ("gaussian/populous", {"normal"}, 2, False),
        ("gaussian/lifted", {"normal"}, 2, False),
    ],
)
def test_what_an_estimator_asks_for(key, must, privacy, robust):
    found = member(CATALOG[key])
    assert {fact for fact, need in found.needs.items() if need == Need.MUST} == must
    assert (found.privacy, found.robust) == (privacy, robust)
    assert found.applies(*must)
    assert not found.applies(*sorted(must)[1:])


def test_an_entry_that_is_added_appears(monkeypatch):
    other = replace(CATALOG["mean/coinpress"], key="mean/another")
    monkeypatch.setattr(family, "CATALOG", {**CATALOG, other.key: other})
    assert "mean/another" in which_one.table("mean").index


def test_robust_ones_come_last_and_those_that_ask_for_least_first():
    members = family.family("mean")
    assert [one.robust for one in members] == sorted(one.robust for one in members)
    assert members[0].key == "univariate/median"


def test_a_range_and_a_scale_leave_four_of_one_column_and_five_of_several():
    assert set(choice.keys(1)) == {
        "univariate/median", "univariate/unbounded-mean", "univariate/clipped-mean",
        "univariate/two-step-mean",
    }  # fmt: skip
    assert set(choice.keys(3)) == {
        "mean/populous", "mean/coordinatewise", "mean/clipped-box", "mean/coinpress", "mean/median-of-means",
    }  # fmt: skip
    assert set(choice.keys(1)) | set(choice.keys(3)) == set(choice.LABELS)


@pytest.mark.parametrize("figure", [which_one.family_of_means, which_one.family_of_covariances])
def test_a_picture_says_what_the_table_says(figure):
    chart = figure(Run("quick", 1))
    require_complete(chart, figure.__name__)
    heat = chart.panels[0].heat
    members = family.family(*ALL[:1] if figure is which_one.family_of_means else ALL[1:])
    assert len(set(heat.rows)) == len(heat.rows) == len(members)
    for row, one in zip(heat.rows, members, strict=True):
        assert row.startswith((methods.name(one.key), "clipped to a box"))
    for one, cells in zip(members, heat.values, strict=True):
        assert sum(cells[:-1]) == sum(one.needs.values()) / 2
        assert cells[-1] == one.privacy / 2


@pytest.mark.parametrize("estimands", [ALL[:1], ALL[1:]])
def test_every_member_is_one_leaf_of_the_tree_below_what_it_is_told(estimands):
    lines = which_one.tree(*estimands).splitlines()
    for one in family.family(*estimands):
        (place,) = [number for number, line in enumerate(lines) if one.key in line.split()]
        assert lines[place].endswith(family.PRIVACY[one.privacy])
        above, depth = [], len(lines[place])
        for line in lines[place::-1]:
            if (start := len(line) - len(line.lstrip("│ "))) < depth:
                depth = start
                above.append(line.lstrip("│ ├└─"))
        told = {line.removeprefix("told: ") for line in above if line.startswith("told: ")}
        not_told = {line.removeprefix("not told: ") for line in above if line.startswith("not told: ")}
        must = {family.FACTS[fact] for fact, need in one.needs.items() if need == Need.MUST}
        must |= {family.FACTS["outliers"]} if one.robust else set()
        assert told <= must
        assert not not_told & must
