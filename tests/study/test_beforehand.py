"""What a run declares, computed before it: each block once, the same rows whoever computes, one hash."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from workbench.study.grids import Sweep, grid
from workbench.study.scaling import Scaling, Setting, searches
from workbench.study.store import Store, checksum
from workbench.study.sweeps import SEARCH, By, Declared, digest, fill, forget, missing, noting, run, units

SEED = 5


def measure(*, trials, data, noise, n):
    return {"error": np.abs(data.standard_normal((trials, n)).mean(axis=1))}


def setting(value):
    return Setting({"k": value}, alpha=0.3, start=30, stated=30.0)


def error(*, trials, data, noise, n, k):
    return {"error": np.abs(data.standard_normal(trials)) * k / n**0.5}


SWEEP = Sweep("declared", grid(n=[2, 3, 5, 8]), measure, trials=4, blocks={"quick": 2, "full": 5})
SCALING = Scaling(
    "L17/Thm1.1", "k", "declared", "n", (1.0, 2.0), setting, error, power=2, instead={}, caps={"quick": 40}
)
DECLARED = [Declared(SWEEP, "full", SEED), *searches([SCALING], "quick", SEED)]
UNITS = units(DECLARED)


@pytest.fixture
def whole(tmp_path):
    """The store of all units, computed here."""
    with Store(tmp_path / "whole.sqlite") as store:
        fill(store, UNITS, By())
        yield store


def test_a_larger_profile_counts_the_blocks_of_a_smaller_one_once():
    assert len(UNITS) == 4 * 5 + 2
    assert len(units([Declared(SWEEP, "quick", SEED), *DECLARED])) == len(UNITS)
    assert sum(unit.block == SEARCH for unit in UNITS) == 2


def test_noted_sweeps_are_not_computed_and_have_their_columns():
    found = []
    forget()
    with noting(found):
        table = run(SWEEP, "full", seed=SEED)
    assert found == [Declared(SWEEP, "full", SEED)]
    assert len(table) == 0
    assert list(table) == list(run(SWEEP, "quick", seed=SEED))


def test_what_is_there_is_not_computed_again(whole):
    assert missing(whole, UNITS) == []
    assert whole.rows(SWEEP, seed=SEED).missing("full") == []
    before = digest([whole])
    with closing(sqlite3.connect(whole.path)) as connection:
        connection.execute("DELETE FROM cells WHERE name = 'declared' AND block > 2")
        connection.commit()
    assert {unit.block for unit in missing(whole, UNITS)} == {3, 4}
    assert digest([whole]) != before
    fill(whole, UNITS, By())
    assert digest([whole]) == before


def test_the_hash_is_of_every_bit_and_of_nothing_else(whole):
    before = digest([whole])
    assert digest([whole, whole]) == before
    with closing(sqlite3.connect(whole.path)) as connection:
        connection.execute("UPDATE cells SET seconds = seconds + 1, sweep = 'elsewhere'")
        connection.commit()
    assert digest([whole]) == before
    with closing(sqlite3.connect(whole.path)) as connection:
        row = "SELECT rowid, sweep, point, block, columns, numbers FROM cells WHERE name = 'declared' LIMIT 1"
        rowid, sweep, point, block, columns, numbers = connection.execute(row).fetchone()
        changed = np.nextafter(np.frombuffer(numbers[:8]), 9).tobytes() + numbers[8:]
        values = (changed, checksum(sweep, point, block, columns, changed), rowid)
        connection.execute("UPDATE cells SET numbers = ?, digest = ? WHERE rowid = ?", values)
        connection.commit()
    assert digest([whole]) != before


@pytest.mark.daily
def test_workers_store_the_rows_of_one_process(tmp_path, whole):
    with Store(tmp_path / "two.sqlite") as store:
        fill(store, UNITS, By("loky", 2))
        assert digest([store]) == digest([whole])
