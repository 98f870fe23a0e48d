"""Parts of a run: whose each block is, what a store of several parts has, what is no part of it."""

import hashlib
import sqlite3
from contextlib import closing
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import ArgumentError
from workbench.study.scaling.run import searches
from workbench.study.scaling.scaling import Scaling, Setting
from workbench.study.shards import origin
from workbench.study.shards.digest import digest
from workbench.study.shards.merge import merge
from workbench.study.shards.units import SEARCH, Shard, units
from workbench.study.shards.work import By, fill, missing, plan
from workbench.study.sweeps.noting import Declared, noting
from workbench.study.sweeps.store import Store
from workbench.study.sweeps.sweep import Sweep, forget, grid, run

SEED = 5
HERE = origin.origin(seed=SEED)


def measure(*, trials, data, noise, n):
    return {"error": np.abs(data.standard_normal((trials, n)).mean(axis=1))}


def setting(value):
    return Setting({"k": value}, alpha=0.3, start=30, stated=30.0)


def error(*, trials, data, noise, n, k):
    return {"error": np.abs(data.standard_normal(trials)) * k / n**0.5}


SWEEP = Sweep("divided", grid(n=[2, 3, 5, 8]), measure, trials=4, blocks={"quick": 2, "full": 5})
SCALING = Scaling(
    "L17/Thm1.1", "k", "divided", "n", (1.0, 2.0), setting, error, power=2, instead={}, caps={"quick": 40}
)
DECLARED = [Declared(SWEEP, "full", SEED), *searches([SCALING], "quick", SEED)]
UNITS = units(DECLARED)


def stored(path, shard=None, seed=SEED, found=UNITS):
    with Store(path) as store:
        origin.write(store, origin.origin(seed=seed))
        plan(store, found)
        fill(store, [unit for unit in found if shard is None or shard.has(unit)], By())
        return digest([store])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("whole") / "whole.sqlite")


@pytest.fixture
def parts(tmp_path):
    paths = [tmp_path / f"{number}.sqlite" for number in (1, 2, 3)]
    for number, path in enumerate(paths, 1):
        stored(path, Shard(number, 3))
    return paths


# --- whose --------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 200), st.randoms(use_true_random=False))
def test_every_unit_is_in_exactly_one_shard_whatever_the_order_and_the_others(count, random):
    shuffled = random.sample(UNITS, random.randint(1, len(UNITS)))
    shards = [Shard(number, count) for number in range(1, count + 1)]
    for unit in shuffled:
        (owner,) = [shard for shard in shards if shard.has(unit)]
        assert owner.has(units([Declared(SWEEP, "full", SEED), *DECLARED])[UNITS.index(unit)])


def test_shards_are_about_equal():
    many = units([Declared(Sweep("many", grid(n=range(1, 301)), measure, 1, {"full": 10}), "full", SEED)])
    sizes = [sum(Shard(number, 10).has(unit) for unit in many) for number in range(1, 11)]
    assert sum(sizes) == len(many) == 3000
    assert all(220 <= size <= 380 for size in sizes)  # 300 and five standard deviations: fixed by the names


def test_a_larger_profile_counts_the_blocks_of_a_smaller_one_once():
    assert len(UNITS) == 4 * 5 + 2
    assert len(units([Declared(SWEEP, "quick", SEED), *DECLARED])) == len(UNITS)
    assert sum(unit.block == SEARCH for unit in UNITS) == 2


@pytest.mark.parametrize(("number", "of"), [(0, 3), (4, 3), (1, 0), (-1, 3)])
def test_no_such_shard(number, of):
    with pytest.raises(ArgumentError, match="shard"):
        Shard.checked(number, of)


def test_noted_sweeps_are_not_computed_and_have_their_columns():
    found = []
    forget()
    with noting(found):
        table = run(SWEEP, "full", seed=SEED)
    assert found == [Declared(SWEEP, "full", SEED)]
    assert len(table) == 0
    assert list(table) == list(run(SWEEP, "quick", seed=SEED))


# --- one store of several -------------------------------------------------------------------------------


@pytest.mark.daily
def test_shards_merged_in_any_order_and_again_have_the_hash_of_one_run(parts, tmp_path, whole):
    for number, order in enumerate(permutations(parts)):
        merged = merge(order, tmp_path / "merged" / str(number))
        assert (merged.there, merged.planned) == (len(UNITS), len(UNITS))
        assert merged.rows == whole
    again = merge([*parts, parts[0], tmp_path / "merged" / "0"], tmp_path / "merged" / "0")
    assert again == merged
    with Store(tmp_path / "merged" / "0") as store:
        assert missing(store, UNITS) == []
        assert store.rows(SWEEP, seed=SEED).missing("full") == []
    assert sorted(path.name for path in (tmp_path / "merged").iterdir()) == [str(k) for k in range(6)]


def test_a_part_of_a_shard_is_merged_and_counted(parts, tmp_path, whole):
    with closing(sqlite3.connect(parts[1])) as connection:
        connection.execute("DELETE FROM cells WHERE name = 'divided' AND block > 2")
        connection.commit()
        left = connection.execute("SELECT COUNT(*) FROM cells WHERE name = 'divided'").fetchone()[0]
    lost = sum(Shard(2, 3).has(unit) and unit.block > 2 for unit in UNITS)
    assert lost > 0
    assert left > 0
    merged = merge(parts, tmp_path / "merged.sqlite")
    assert (merged.there, merged.planned) == (len(UNITS) - lost, len(UNITS))
    assert merged.rows != whole
    stored(parts[1], Shard(2, 3))
    assert merge(parts, tmp_path / "merged.sqlite").rows == whole


def other_numbers(path):
    """Give one block numbers of its own, with a sum that fits."""
    from workbench.study.sweeps.database import checksum

    with closing(sqlite3.connect(path)) as connection:
        row = "SELECT rowid, sweep, point, block, columns, numbers FROM cells WHERE name = 'divided' LIMIT 1"
        rowid, sweep, point, block, columns, numbers = connection.execute(row).fetchone()
        changed = np.nextafter(np.frombuffer(numbers[:8]), 9).tobytes() + numbers[8:]
        values = (changed, checksum(sweep, point, block, columns, changed), rowid)
        connection.execute("UPDATE cells SET numbers = ?, digest = ? WHERE rowid = ?", values)
        connection.commit()
    return point, block


def test_two_answers_for_one_block_are_refused_by_name_and_nothing_is_written(parts, tmp_path):
    merge(parts, tmp_path / "merged.sqlite")
    before = hashlib.sha256((tmp_path / "merged.sqlite").read_bytes()).digest()
    point, block = other_numbers(parts[0])
    with pytest.raises(ArgumentError) as refused:
        merge(parts, tmp_path / "merged.sqlite")
    assert f"block {block} of 'divided' at {point}" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert hashlib.sha256((tmp_path / "merged.sqlite").read_bytes()).digest() == before
    assert not list(tmp_path.glob(".*"))


@pytest.mark.daily
def test_stores_of_another_run_are_refused_in_one_line(parts, tmp_path, monkeypatch):
    stored(tmp_path / "seed.sqlite", Shard(1, 3), seed=SEED + 1)
    monkeypatch.setattr(origin, "SOFTWARE", "f" * 64)
    stored(tmp_path / "code.sqlite", Shard(1, 3))
    with Store(tmp_path / "none.sqlite"):
        pass
    (tmp_path / "text.sqlite").write_text("nonsense " * 1000)
    wrong = {
        "seed": f"seed {SEED} as in",
        "code": "code version",
        "none": "--shard",
        "text": "intact",
        "no": "a file",
    }
    for name, words in wrong.items():
        with pytest.raises(ArgumentError) as refused:
            merge([*parts, tmp_path / f"{name}.sqlite"], tmp_path / "merged.sqlite")
        assert words in str(refused.value)
        assert "\n" not in str(refused.value)
    assert not (tmp_path / "merged.sqlite").exists()


# --- the hash -------------------------------------------------------------------------------------------


def test_the_hash_is_of_every_bit_and_of_nothing_else(parts, whole):
    opened = [Store(path) for path in parts]
    assert digest(opened) == digest([*opened[::-1], opened[0]]) == whole
    for store in opened:
        store.close()
    with closing(sqlite3.connect(parts[0])) as connection:
        connection.execute("UPDATE cells SET seconds = seconds + 1, sweep = 'elsewhere'")
        connection.commit()
    opened = [Store(path) for path in parts]
    assert digest(opened) == whole
    other_numbers(parts[0])
    assert digest(opened) != whole
    for store in opened:
        store.close()


@pytest.mark.daily
def test_workers_store_the_rows_of_one_process(tmp_path, whole):
    with Store(tmp_path / "two.sqlite") as store:
        plan(store, UNITS)
        fill(store, UNITS, By("loky", 2))
        assert digest([store]) == whole
