"""Estimates from stored rows are those from rows in memory, to the last bit, for any chunks."""

import tracemalloc
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.parameters import examples
from workbench import ZCDP, ClippedBoxMean, ClippedMean, CoinPressMean, Median, PerturbedCovariance
from workbench.contracts.datasets import dimension, least, typical_rows
from workbench.errors import ArgumentError
from workbench.estimators import files as stored
from workbench.estimators.files import ChangedError, StoredRows, stream

N, D, BUDGET = 9001, 3, ZCDP(0.5)
MEAN = CoinPressMean(radius=100.0, steps=2, sigma=1.0)
ROWS = np.random.default_rng(5).normal(2.0, 1.0, (N, D))
ROWS[[3, 4000, 8999]] = [[np.nan, 1, 2], [1e200, 0, 0], [1, np.inf, 0]]
IN_PASSES = [one for one in examples() if getattr(one.values[1].estimator, "in_passes", False)]


def seeded():
    return np.random.default_rng(7)


def streamed(source, estimator=MEAN, n=N, d=D):
    return stream(estimator, source, n=n, d=d, budget=BUDGET, rng=seeded()).value


WHOLE = MEAN(ROWS, budget=BUDGET, rng=seeded()).value


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, N), max_size=12))
def test_any_chunks_give_the_same_bits(cuts):
    edges = [0, *sorted(cuts), N]
    chunks = [ROWS[start:stop] for start, stop in pairwise(edges)]
    assert np.array_equal(streamed(lambda: iter(chunks)), WHOLE)


@pytest.mark.parametrize(("key", "example"), IN_PASSES)
def test_every_entry_that_says_so_reads_once_for_each_charge_and_agrees(key, example, monkeypatch):
    estimator, budget, n = example.estimator, example.budget, max(N, least(example))
    made = []
    monkeypatch.setattr(
        stored, "StoredRows", lambda *given, **how: made.append(StoredRows(*given, **how)) or made[0]
    )
    x = typical_rows(example, n, 3)
    parts = stream(
        estimator, lambda: np.array_split(x, 7), n=n, d=dimension(example) or 1, budget=budget, rng=seeded()
    )
    assert same(parts.value, estimator(x, budget=budget, rng=seeded()).value)
    assert made[0].passes <= len(list(parts.plan.charges()))


def same(one, other):
    return np.array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize("suffix", ["npy", "float32.npy", "parquet", "csv", "csv.gz"])
def test_files_are_read_as_rows_in_memory(suffix, tmp_path):
    path, rows = tmp_path / f"rows.{suffix}", ROWS
    if "32" in suffix:
        rows = np.nan_to_num(rows, posinf=0.0).clip(-9, 9).astype(np.float32)
    write(path, rows)
    whole = MEAN(rows, budget=BUDGET, rng=seeded()).value
    assert np.array_equal(streamed(str(path)), whole)


def write(path, rows):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    if path.suffix == ".npy":
        np.save(path, rows)
    elif path.suffix == ".parquet":
        pa.parquet.write_table(pa.Table.from_pandas(frame), path, row_group_size=1000)
    else:
        frame.to_csv(path, index=False)


def test_a_generator_is_refused_with_the_number_of_passes():
    with pytest.raises(ArgumentError, match=r"source = .generator.: .* rows are read 2 times"):
        streamed(row for row in [ROWS])


def test_what_needs_all_rows_at_once_is_refused_by_name():
    with pytest.raises(ArgumentError, match="estimator = 'Median'"):
        streamed(lambda: [ROWS[:, 0]], Median(radius=10.0, sigma=1.0), d=1)


@pytest.mark.parametrize("n", [N - 1, N + 1])
def test_another_number_of_rows_is_an_error(n):
    with pytest.raises(ArgumentError, match=f"n = {n}: .*number of rows"):
        streamed(lambda: np.array_split(ROWS, 3), n=n)


def test_other_columns_are_an_error():
    with pytest.raises(ArgumentError, match="chunk of shape"):
        streamed(lambda: [ROWS], d=2)
    for mean, d in ((MEAN, 3), (ClippedMean(radius=10.0, sigma=1.0), 1)):
        with pytest.raises(ArgumentError, match=r"chunk of shape \(\)"):
            streamed(lambda: iter([3.0]), mean, d=d)


def test_rows_that_change_between_passes_make_no_release():
    other, calls = ROWS.copy(), []
    other[17, 1] = np.nextafter(other[17, 1], 9.0)

    def source():
        calls.append(1)
        return [ROWS if len(calls) == 1 else other]

    with pytest.raises(ChangedError, match="nothing is released"):
        streamed(source)


COUNTED = [
    CoinPressMean(radius=100.0, steps=1, sigma=1.0),
    CoinPressMean(radius=100.0, steps=2, sigma=1.0),
    ClippedBoxMean(radius=10.0, sigma=1.0),
]


@pytest.mark.parametrize("estimator", COUNTED, ids=repr)
def test_rows_that_are_there_are_counted_in_the_pass_of_their_sum(estimator):
    calls, charges = [], len(list(estimator.plan(N, D, BUDGET).charges()))
    found = streamed(lambda: calls.append(1) or [ROWS], estimator)
    assert same(found, estimator(ROWS, budget=BUDGET, rng=seeded()).value)
    assert len(calls) == charges
    with pytest.raises(ArgumentError, match=f"rows are read {charges} times"):
        streamed(iter([ROWS]), estimator)


def test_rows_that_are_read_once_need_no_checksum_and_a_second_pass_is_an_error():
    once, again = (StoredRows(lambda: [ROWS], N, D, once=once) for once in (True, False))
    with patch.object(stored, "_bits", side_effect=AssertionError("looked at")):
        assert sum(map(len, once.blocks())) == N
        with pytest.raises(AssertionError, match="looked at"):
            list(again.blocks())
    with pytest.raises(AssertionError, match="second pass"):
        list(once.blocks())


def test_progress_is_told_of_every_row_of_every_pass():
    met = []
    stream(MEAN, lambda: [ROWS], n=N, d=D, budget=BUDGET, rng=seeded(), progress=met.append)
    assert sum(met) == 2 * N


@pytest.mark.parametrize(
    "write",
    [
        lambda path: np.save(path, np.asfortranarray(ROWS)),
        lambda path: np.save(path, np.array(["a"])),
        lambda path: np.save(path, ROWS[None]),
        lambda path: path.write_bytes(b"no array"),
    ],
)
def test_a_file_that_cannot_be_read_row_by_row_is_refused(write, tmp_path):
    write(tmp_path / "rows.npy")
    with pytest.raises(ArgumentError, match="in numpy's format"):
        streamed(tmp_path / "rows.npy")


def named(*names):
    return pd.DataFrame(ROWS, columns=names)


@pytest.mark.parametrize("other", [named(*"cab"), named(*"abd"), ROWS], ids=["order", "name", "none"])
def test_chunks_have_the_columns_of_the_first_by_name_and_in_order(other):
    first = named(*"abc")
    with pytest.raises(
        ArgumentError, match=r"source = .chunk of columns .*: expected the columns of the first"
    ):
        streamed(lambda: [first, other], n=2 * N)
    passes = iter([[first], [other]])
    with pytest.raises(ArgumentError, match="expected the columns of the first chunk"):
        streamed(lambda: next(passes))


@pytest.mark.parametrize("source", [lambda: None, lambda: 3, lambda chunk: [ROWS], 3, ROWS])
def test_a_source_is_a_function_without_arguments_that_returns_chunks(source):
    with pytest.raises(ArgumentError, match=r"^source = .*a function"):
        streamed(source)


@pytest.mark.parametrize(("n", "d", "name"), [(10**30, 1, "n"), (5, 10**12, "d")])
def test_numbers_beyond_any_file_are_refused(n, d, name):
    with pytest.raises(ArgumentError, match=f"^{name} = .*: expected at most"):
        streamed(lambda: [ROWS], n=n, d=d)


HEADERS = [
    "(5, 0)",
    "(1, 1000000000000000)",
    "(5, -3)",
    "(1e400, 3)",
    "()",
    "(True, 3, 3)",
    "open('planted', 'w')",
    "(" * 1000,
]


@pytest.mark.parametrize("shape", HEADERS)
def test_a_hostile_header_is_refused_and_not_run(tmp_path, monkeypatch, shape):
    monkeypatch.chdir(tmp_path)
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(ArgumentError, match="in numpy's format"):
        streamed(tmp_path / "x.npy")
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_a_row_that_is_cut_off_is_refused(tmp_path):
    np.save(tmp_path / "x.npy", ROWS)
    with (tmp_path / "x.npy").open("ab") as file:
        file.write(b"123")
    with pytest.raises(ArgumentError, match="whole rows"):
        streamed(tmp_path / "x.npy")


@pytest.mark.parametrize("cut", [lambda all: all[:9000], lambda all: all[:4] + bytes(9000) + all[9004:]])
def test_a_parquet_file_that_is_spoilt_is_refused(tmp_path, cut):
    write(tmp_path / "x.parquet", ROWS)
    (tmp_path / "x.parquet").write_bytes(cut((tmp_path / "x.parquet").read_bytes()))
    with pytest.raises(ArgumentError, match="a Parquet file that can be read"):
        streamed(tmp_path / "x.parquet")


@pytest.mark.daily
def test_what_is_held_of_a_parquet_file_does_not_grow_with_its_rows(tmp_path):
    """Three times the rows in one group take less than a megabyte more; read beforehand they take 19 more."""
    held = [held_of(tmp_path / "x.parquet", n) for n in (400_000, 1_200_000)]
    assert held[1] - held[0] < 2**20


def held_of(path, n):
    columns = np.random.default_rng(1).normal(size=(D, n))
    pa.parquet.write_table(pa.table(dict(zip("abc", columns, strict=True))), path, row_group_size=n)
    before, held = pa.total_allocated_bytes(), []
    told = lambda _: held.append(pa.total_allocated_bytes() - before)  # noqa: E731
    stream(PerturbedCovariance(), path, n=n, d=D, budget=BUDGET, rng=seeded(), progress=told)
    return max(held)


def test_no_file_is_an_error(tmp_path):
    with pytest.raises(ArgumentError, match="a file that exists"):
        streamed(tmp_path / "none.npy")


def test_stored_rows_are_no_array():
    with pytest.raises(TypeError, match="in blocks"):
        np.asarray(StoredRows(lambda: [ROWS], N, D))


def test_memory_does_not_grow_with_the_rows(tmp_path):
    """Eight times the rows take less than a megabyte more: a hundredth of what they take in memory."""
    assert peak(tmp_path, 800_000) - peak(tmp_path, 100_000) < 2**20


def peak(folder, n):
    np.save(folder / "rows.npy", np.zeros((n, D)))
    tracemalloc.start()
    streamed(folder / "rows.npy", PerturbedCovariance(radius=1.0), n)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most
