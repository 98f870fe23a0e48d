"""How the least n grows: slopes cover, rates are told, blocks resume, and wrong statements are refuted."""

import os
from math import inf, log

import numpy as np
import pytest
from scipy.stats import binom

from workbench.study.rules import Status
from workbench.study.scaling import (
    PLANNED,
    Least,
    Move,
    Statement,
    forget,
    grows,
    measured,
    slope,
    within,
)
from workbench.study.sweeps import CellError, lending

WRONG = 1e-6  # how often a test of coverage may fail by chance
VALUES = (1.0, 2.0, 4.0, 8.0)


@pytest.mark.parametrize("errors", [(0.1, 0.1, 0.1, 0.1), (0.3, 0.05, 0.05, 0.2)])
def test_the_interval_of_a_slope_misses_at_its_level(errors):
    rng = np.random.default_rng(1)
    missed, repeats, level = 0, 2000, 0.05
    for _ in range(repeats):
        low, high = slope(VALUES, np.exp(np.log(VALUES) + rng.normal(0, errors)), errors).interval(level)
        missed += not low <= 1 <= high
    assert missed <= binom.isf(WRONG, repeats, level)
    assert missed >= binom.ppf(WRONG, repeats, level / 3)  # no interval that covers because it is wide
    curved = slope((1, 2, 4, 8, 16), [10, 11, 22, 44, 88], [0.01] * 5)  # which holds the slopes on the way
    low, high = curved.interval(0.05)
    assert curved.curved
    assert low < log(1.1, 2) < 1 < high < low + 1


def block(radius: float, n: int, *, trials, data, noise):
    """Errors of which half are at most 1 from n = 100 radius on."""
    if os.path.exists(os.environ.get("OBSTACLE", "")) and radius == 8:
        raise ZeroDivisionError
    return {"error": 100 * radius / n * np.exp(0.3 * data.standard_normal(trials))}


def scaling(instead=None, stated=lambda radius: radius, **more):
    """A statement that n is the radius, for runs that need 100 times that."""
    wrong = {"a root": 0.5, "a square": 2.0} if instead is None else instead
    options = {
        "block": block,
        "alpha": lambda: 1.0,
        "predicted": lambda radius: 100 * radius,
        "start": lambda: 150,
        "share": 0.5,
    }
    moves = (Move("radius", VALUES, 1.0, wrong, "v"),)
    return next(Statement("S", "k", {}, stated, moves, **options | more).scalings())


def found(one, n, error=0.05):
    """Least n as if they had been searched."""
    around = [(v, one.setting(v), x, (x * np.exp(-1.96 * error), x * np.exp(1.96 * error))) for v, x in n]
    return [Least(v, setting, x, ends, "found", 100) for v, setting, x, ends in around]


def test_what_bounds_n_from_above_without_a_search_never_refutes_and_uses_no_level():
    found = []
    for truth in (1.0, 0.4, 2.0):
        forget()
        one = scaling(block=None, fewest=lambda radius, truth=truth: round(1000 * radius**truth))
        found.append(grows(one, *measured([one], "full", seed=1)))
    assert [str(each.status) for each in found] == ["HOLDS", "NOT CONTRADICTED", "UNDECIDED"]
    assert {(each.test, each.level, each.trials) for each in found} == {(PLANNED, 0.0, 0)}
    assert found[0].interval == pytest.approx((1.0, 1.0), abs=1e-3)


@pytest.mark.parametrize(
    ("instead", "error", "status", "rates"),
    [
        ({"a bit more": 1.2}, 0.02, Status.HOLDS, ("seen", "seen")),
        ({"a bit more": 1.2}, 0.2, Status.UNDECIDED, ("open", "open")),
        ({}, 0.25, Status.UNDECIDED, ("open", "seen")),  # at the level of all scalings together, and alone
    ],
)
def test_a_rate_is_seen_only_where_wrong_ones_nearby_are_excluded(instead, error, status, rates):
    one = scaling(instead)
    verdict = grows(one, found(one, [(v, 100 * v) for v in VALUES], error))
    record = verdict.detail["scaling"]
    assert (verdict.status, (record["rate"], record["rate_alone"])) == (status, rates)


def test_searches_without_an_end_are_left_out_and_a_proved_n_is_compared_with_what_was_found():
    one = scaling()
    leasts = found(one, [(v, 100 * v) for v in VALUES], 0.02)
    open_ended = [least._replace(interval=(least.n, inf), kind="plateau") for least in leasts]
    some = [[*leasts[:3], open_ended[3]], [leasts[0], *open_ended[1:]], open_ended]
    assert [grows(one, each).status for each in some] == [Status.HOLDS, *[Status.UNDECIDED] * 2]
    statuses = [within(one, leasts, lambda at, m=most: m * at.predicted).status for most in (2.0, 1.0, 0.5)]
    assert statuses == [Status.HOLDS, Status.UNDECIDED, Status.REFUTED]
    never = [*leasts[:3], leasts[3]._replace(n=inf, interval=(1e9, inf), kind="never")]
    verdict = within(one, never, lambda at: 2 * at.predicted)
    assert (verdict.status, verdict.interval) == (Status.UNDECIDED, (0.0, inf))
    sums = scaling(stated=lambda radius: 10 + radius)  # a term may outweigh others, not exceed its power
    for truth, rate in ((1.0, "open"), (1.5, "faster")):
        verdict = grows(sums, found(sums, [(v, 100 * v**truth) for v in VALUES], 0.02))
        assert verdict.detail["scaling"]["rate"] == rate
    assert measured([scaling(caps={"full": 100})], "quick", seed=1) == []  # a profile without a cap


@pytest.fixture(autouse=True)
def nothing_remembered():
    forget()
    yield
    forget()


@pytest.mark.daily
def test_numbers_depend_on_the_seed_alone_and_a_search_that_was_stopped_goes_on(tmp_path, monkeypatch):
    def run(profile="quick", seed=3, **lent):
        forget()
        with lending(**lent):
            return repr(measured([scaling()], profile, seed=seed))

    alone, whole = run(), run("full")
    assert alone.count("Least(value=") == 2  # the ends
    assert run(jobs=2) == run(store=tmp_path / "blocks") == run(store=tmp_path / "blocks", jobs=2) == alone
    assert run(seed=4) != alone
    obstacle = tmp_path / "obstacle"
    obstacle.touch()
    monkeypatch.setenv("OBSTACLE", str(obstacle))
    with pytest.raises(CellError):
        run("full", store=tmp_path / "others")
    obstacle.unlink()
    assert run("full", store=tmp_path / "others") == whole
