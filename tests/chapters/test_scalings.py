"""The tables of how n grows: rows that differ from what is committed, and growths that a claim must notice.

Nothing is searched: n is said to be what a statement, or a wrong one, makes of it.
"""

import json
from dataclasses import replace
from functools import cache
from math import inf, isfinite, nan

import numpy as np
import pytest

from tests.chapters.conftest import SEED
from tests.lab.conftest import ROOT
from workbench.catalog import CATALOG
from workbench.chapters.registry import CLAIMS
from workbench.chapters.scalings import lkko21, m21
from workbench.chapters.sparse_covariance import designs
from workbench.linalg import psd_part
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.scaling import Least, Setting, grows

SURE = 0.01  # of ln n: half the width of what is said to have been found


@cache
def rows():
    """Every scaling of every claim, by what its committed record is known as."""
    found = {}
    for claim in CLAIMS.values():
        for one in claim.scalings():
            name = one.statement.id, one.move.variable, one.key.partition(", cluster")[0]
            found[name] = max(found.get(name, one), one, key=lambda some: len(some.move.values))
    return found


def records():
    for path in sorted((ROOT / "figures").glob("*/verdicts.json")):
        for verdict in json.loads(path.read_text(encoding="utf-8"))["full"]:
            checks = verdict["detail"].get("checks", [verdict]) if isinstance(verdict["detail"], dict) else []
            yield from (one["detail"]["scaling"] for one in checks if "scaling" in one["detail"])


RECORDS = list(records())


def found(setting, value, n):
    return Least(value, setting, n, (n * (1 - SURE), n * (1 + SURE)), "found", 100)


def row(record):
    """The row of a record; those that differ in the place of a cluster have one record."""
    plain, term = record["key"], f"{record['key']} [{record['term']}"
    name = record["statement"], record["variable"]
    return rows().get((*name, plain)) or rows()[(*name, term)]


def settings(record):
    kept = (record[name] for name in ("values", "stated", "predicted", "shares"))
    for value, *others in zip(*kept, strict=True):
        stated, predicted, share = map(float, others)
        yield value, Setting({}, 1.0, 1, stated, predicted, share)


def growing(record, extra=0.0, times=3.0):
    """A search that found so many times the stated n, and a power more of the number."""
    one = row(record)
    first = one.axis(one.move.values[0])
    for value, setting in settings(record):
        yield found(setting, value, times * setting.stated * (one.axis(value) / first) ** extra)


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"{one['key']} {one['variable']} {one['term']}")
def test_a_row_is_the_committed_one_and_decides_both_worlds(record, monkeypatch):
    one = row(record)
    move, bound = one.move, one.statement.bound
    assert (list(move.values), move.power, dict(move.instead), move.term, move.logarithm, one.share) == (
        record["values"], pytest.approx(record["power"]), pytest.approx(record["instead"]), record["term"],
        record["logarithm"], record["share"],
    )  # fmt: skip
    share = min((float(share) for share in record["shares"] if isfinite(float(share))), default=1.0)
    as_stated = grows(one, list(growing(record)))
    assert as_stated.detail["scaling"]["rate"] in ("seen", "open" if share < 0.25 else "seen")
    sign = -1.0 if move.power < 0 else 1.0
    more, less = (grows(one, list(growing(record, extra))).status for extra in (1.5 * sign, -1.5 * sign))
    beyond = Status.NOT_CONTRADICTED
    assert more is (beyond if bound == "lower" and move.power else Status.REFUTED)
    assert less is (beyond if bound == "upper" and move.power else Status.REFUTED)
    monkeypatch.setattr(run, "_expected", lambda **public: (1, inf))
    bare = replace(one.statement, fewest=lambda: 1, predicted=lambda: nan, start=lambda: 1)
    stated = [replace(one, statement=bare).setting(value).stated for value in move.values]
    assert stated == pytest.approx([*map(float, record["stated"])])


def test_every_row_has_a_record_and_a_name_of_its_own():
    assert {id(row(record)) for record in RECORDS} <= {id(one) for one in rows().values()}
    names = [one.name for claim in CLAIMS.values() for one in claim.scalings()]
    kept = {(record["statement"], record["variable"]) for record in RECORDS}
    unkept = {(one.statement.id, one.move.variable) for one in rows().values()} - kept
    assert unkept <= {("M21/HT/Thm3.2", "d")}
    assert len(set(names)) > 250


def test_what_is_searched_is_what_users_run():
    """An entry of the catalog, or the three that the statements name: no variant that bypasses a plan."""
    searched = {one.key for one in rows().values() if one.statement.block}
    assert {key for key in searched if key.partition(" ")[0] not in CATALOG} == {
        "the source's vote", "any oracle [shares in l1]", "counts [shares in l1]",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"{one['key']} {one['variable']} {one['term']}")
def test_what_is_predicted_is_committed(record):
    """And no n that the plan decides is called searched."""
    one = row(record)
    for (value, kept), n, kind in zip(settings(record), record["n"], record["kinds"], strict=True):
        here = one.setting(value)
        decided = here.fewest > 1 and float(n) <= run.REFUSED * here.fewest
        assert (kind == "planned") == (one.statement.block is None or decided)
        assert not isfinite(kept.predicted) or here.predicted == pytest.approx(kept.predicted)


MEASURED = {one.statement.key: one for one in rows().values() if one.statement.block}


@pytest.mark.daily
@pytest.mark.parametrize("one", MEASURED.values(), ids=MEASURED)
def test_runs_are_measured(one):
    setting, streams = one.setting(one.move.values[0]), np.random.default_rng(1).spawn(2)
    n = max(setting.fewest, min(2 * setting.start, 20_000))
    measured = one.statement.block(**setting.point, n=n, trials=1, data=streams[0], noise=streams[1])
    assert (measured["error"] >= 0).all()


PROVED = {
    **dict.fromkeys(("one-mean/clipped-rows-grow", "one-mean/unbounded-rows-grow"), 2),
    **dict.fromkeys((f"sparse-covariance/rows-grow-{name}" for name in ("with-noise", "for-entries")), 2),
    "one-mean/stable-histogram-rows-proved": 0,
    "covariance/step-within-its-bound": 0,
    "many-dimensions/fewer-rows-than-proved": 0,
}


@pytest.mark.parametrize(("claim", "place"), PROVED.items())
def test_more_rows_than_are_proved_are_refuted(claim, place):
    one = list(CLAIMS[claim].scalings())[place]
    setting = one.setting(one.move.values[0])
    for n, status in ((1.0, Status.HOLDS), (1e12, Status.REFUTED)):
        checks = CLAIMS[claim].checks((one, [found(setting, one.move.values[0], n)]))
        assert checks[-1].status is status


def clusters(*ns):
    """Searches of PRIME in d, a cluster at a distance each."""
    scalings = list(lkko21.PRIME.scalings())[: len(ns)]
    values = (4, 8, 16)
    return [
        (one, [found(Setting({"d": d}, 1.0, 1, 1.0), d, n * d**1.5) for d in values])
        for one, n in zip(scalings, ns, strict=True)
    ]


def test_the_largest_n_over_clusters_is_decided_about_and_says_whose_it_is():
    (family,) = lkko21.families(clusters(10.0, 30.0, 20.0))
    scaling, largest, whose = lkko21.worst(family)
    assert scaling.key == "mean/prime"
    assert [one.n for one in largest] == [30.0 * d**1.5 for d in (4, 8, 16)]
    assert {one.rpartition(" ")[2] for one in whose} == {"1"}


def test_a_table_is_refuted_by_n_that_are_far_above_it():
    for times, status in ((0.01, Status.HOLDS), (1e9, Status.REFUTED)):
        assert {check.status for check in lkko21.below_formula(clusters(times, times / 2))} == {status}


@pytest.mark.parametrize(("power", "status"), [(2.0, Status.HOLDS), (1.5, Status.REFUTED)])
def test_a_price_of_dimension_that_does_not_exceed_that_of_prime_is_refuted(power, status):
    ((prime, leasts),) = clusters(30.0)
    single = [found(one.setting, one.value, 30.0 * one.value**power) for one in leasts]
    (check,) = lkko21.price_of_dimension((prime, single), (prime, leasts))
    assert check.status is status


@pytest.mark.parametrize(("heavier", "refuted"), [(3.0, False), (0.5, True)])
def test_bounded_moments_that_are_cheaper_are_refuted(heavier, refuted):
    growths = []
    for law, table in zip(m21.FOUR, m21.QUARTERS, strict=True):
        (scaling,) = table.scalings()
        times = 100.0 * (heavier if "student" in law else 1.0)
        leasts = [found(Setting({}, 1.0, 1, float(d**2)), d, times * d**2) for d in scaling.move.values]
        growths.append((scaling, leasts))
    checks = m21.side_by_side(*growths)
    over = [check.status for check in checks if check.id.startswith("bounded moments")]
    assert len(over) == 3
    assert (Status.REFUTED in over) == refuted


def test_rows_at_the_edge_have_covariance_one_and_the_moment():
    rng, (d, k) = np.random.default_rng(SEED), (3, 2)
    x = m21.spiked(400_000, d, k, 6.0, rng)
    assert np.cov(x.T) == pytest.approx(np.eye(d), abs=0.02)
    assert (x[:, 0] ** 4).mean() <= m21.MOMENT * m21.normal_moment(k) * 1.05
    assert (np.linalg.norm(x, axis=1) > 6.0).mean() == pytest.approx(15 / 6.0**4, rel=0.1)


def test_the_error_block_by_block_is_that_of_the_whole():
    truth = designs.padded(designs.circle(6, 2, 1.0, 0.3), 9)
    kept = truth + np.diag(np.random.default_rng(3).standard_normal(9))
    kept[7, 8] = kept[8, 7] = 0.8
    assert designs.spectral_error(kept, truth) == pytest.approx(designs.spectral(psd_part(kept) - truth))


@pytest.mark.parametrize(("active", "degree"), [(8, 2), (64, 32)])
def test_circles_are_covariances_of_rows_in_the_unit_ball(active, degree):
    variance = designs.largest_variance(active, degree)
    law = designs.circle(active, degree, variance, designs.SIZES[-1] * designs.UNIT * variance / degree)
    assert np.linalg.eigvalsh(law)[0] > 0
    assert designs.unit_ball_scale(law, designs.LARGEST_N, designs.CLIPPED) <= 1 + 1e-12
