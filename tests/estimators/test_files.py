"""Rows of files and of chunks: bits of rows in memory, no cell raises, warns or moves another."""

import bz2
import gzip
import io
import lzma
import sys
import timeit
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.contracts.test_contracts import EXAMPLES
from workbench import ZCDP, ClippedMean, CoinPressMean, Median, PerturbedCovariance, stream
from workbench.contracts.datasets import dimension, least, typical_rows
from workbench.errors import ArgumentError
from workbench.estimators.files import ChangedError, Writing, open_csv, open_parquet, open_table, passes
from workbench.estimators.reading import read

NAN, FOUND, BUDGET = float("nan"), Writing(), ZCDP(0.5)


def write(path, rows, header=b"height", end=b"\n"):
    path.write_bytes(b"".join(line + end for line in [header, *rows]))
    return path


def rows(path, writing=FOUND, missing=None):
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        table = open_table(path, writing)
        return np.concatenate(list(table.rows(table.chosen(()), missing)()))


# CSV: a line is a row whatever it holds, and says nothing of another

N, LINES = 40, [str(170.5 + place).encode() for place in range(40)]
ROWS = [
    *(b"", b"   ", b"\x0c", b"\x85", "\u2028".encode(), b"\r", b"171\r172", b"1\x0071", b"\xff\xfe"),
    *(b"-", b"a"),
    *(b"NA", b"nan", b"-inf", b"1e999", b"1e300", b"-5e-324", b"-0.0", b'"1,000"', b"1_000", b"0x10", b"1e"),
    *(b"2020-01-01", b"1+2j", "１７１".encode(), "−5".encode(), b"# 1", b'"171', b'"', b'17"1', b'"171"'),
    *(b"1,2,3,4", b",,,", b"1;2", b"9" * 5000, b"1" * 100_000 + b"x", b'"' + b"x" * 200_000),
]


@pytest.mark.turns(3)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: repr(row[:12]))
def test_one_line_changes_its_row_alone(tmp_path, row):
    cases = [(LINES, row, b"height", end) for end in (b"\n", b"\r\n")]
    for mark in (b",", b";", b"\t", b"|"):
        lines, header = [mark.join([line] * 3) for line in LINES], mark.join([b"a", b'"b"', b"c"])
        cases += [(lines, cell, header, b"\n") for cell in (row, mark.join([b"1", row, b"3"]))]
    for number, (lines, line, header, end) in enumerate(cases):
        found, place = [], (0, N - 1)[number % 2]
        for here in (lines[place], line):
            path = write(tmp_path / "x.csv", [*lines[:place], here, *lines[place + 1 :]], header, end)
            found.append(np.delete(rows(path), place, axis=0))
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("header", "lines", "writing", "expected"),
    [
        ("a,b", "1.5,2", FOUND, [1.5, 2]),
        ("a;b", "1,5;-,25e1", FOUND, [1.5, -2.5]),
        ("a;b", "1.234,5;2", FOUND, [NAN, 2]),
        ("a;b", "1,5;2.5", Writing(decimal="."), [NAN, 2.5]),
        ("a\tb", "1.5\t2,5", FOUND, [1.5, NAN]),
        ("a,b;c", "1,2;3", Writing(separator=","), [1, NAN]),
        (" a , b ", " 1 ,\t2 ", FOUND, [1, 2]),
        ("\ufeffa,b", "1,2", FOUND, [1, 2]),
        ("größe,b".encode("latin-1"), "1,2", FOUND, [1, 2]),
        ('a,"b, c",d', '1,"2,5",3\n1,"2\n5",3', FOUND, [[1, NAN, 3], [1, 2, NAN], [NAN, 3, NAN]]),
        ("a,b", "1\n1,2,\n1,2, ,,", FOUND, [[1, NAN], [1, 2], [1, 2]]),
        ('"a ""b"""', '1\n"', FOUND, [[1], [NAN]]),
        ("a" * 200_000, "1", FOUND, [1]),
    ],
)  # fmt: skip
def test_header_and_flags_tell_how_a_file_is_written(tmp_path, header, lines, writing, expected):
    header = header if isinstance(header, bytes) else header.encode()
    found = rows(write(tmp_path / "data.csv", lines.encode().split(b"\n"), header), writing)
    np.testing.assert_array_equal(found, np.atleast_2d(expected))


def test_a_missing_entry_with_a_value_leaves_the_rest_of_its_row(tmp_path):
    path = write(tmp_path / "data.csv", [b"1,x", b"1e101,2", b"inf,3"], b"a,b")
    assert rows(path, missing=-1.0).tolist() == [[1, -1], [-1, 2], [-1, 3]]


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip), ("bz2", bz2), ("xz", lzma), ("XZ", lzma)])
def test_a_packed_file_is_unpacked_and_a_spoilt_one_is_refused(tmp_path, suffix, pack):
    path = tmp_path / f"data.csv.{suffix}"
    path.write_bytes(pack.compress(b"a\n1\n\n"))
    np.testing.assert_array_equal(rows(path), [[1], [NAN]])
    for spoilt in (path.read_bytes()[:-9], b"no such thing"):
        path.write_bytes(spoilt)
        with pytest.raises(ArgumentError, match=r"file = .*: expected a CSV file that can be read"):
            rows(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "a header"),
        (b"\n171.25\n", "a header"),
        (b"a\n", "at least one row"),
        (b"a\n171.25", "after every line, the last one too"),
        (b"171.25,80\n171.25,81\n", "a number or a missing entry there"),
        (b"bob;171,25\namy;1\n", "separator = None: expected --separator MARK, as the header has"),
        (b"a,b, a\n171.25,1,2\n", "column = 'a': expected a header whose names differ"),
        ("a\n171.25\n".encode("utf-16"), "in UTF-8 (convert others, as UTF-16)"),
        (b'a,"b\n(kg)"\n171.25,1\n', "a header that is one line: a quote in it is left open"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_header_is_one_line_without_a_value(tmp_path, content, words):
    (tmp_path / "data.csv").write_bytes(content)
    with pytest.raises(ArgumentError) as raised:
        open_csv(tmp_path / "data.csv", FOUND)
    assert words in str(raised.value)
    assert "171" not in str(raised.value)
    assert "\n" not in str(raised.value)


# Streams

M, D, MEAN = 9001, 3, CoinPressMean(radius=100.0, steps=2, sigma=1.0)
DATA = np.random.default_rng(5).normal(2.0, 1.0, (M, D))
DATA[[3, 4000, 8999]] = [[NAN, 1, 2], [1e200, 0, 0], [1, np.inf, 0]]
IN_PASSES = [one for one in EXAMPLES if getattr(one.values[1].estimator, "in_passes", False)]


def seeded():
    return np.random.default_rng(7)


def streamed(source, estimator=MEAN, n=M, d=D, **more):
    return stream(estimator, source, n=n, d=d, budget=BUDGET, rng=seeded(), **more).value


@pytest.mark.parametrize(("key", "example"), IN_PASSES)
def test_every_entry_that_says_so_reads_once_for_each_charge_and_agrees(key, example):
    estimator, budget, n = example.estimator, example.budget, max(M, least(example))
    x, d, read = typical_rows(example, n, 3), dimension(example) or 1, []
    cuts = np.sort(np.append(np.random.default_rng(n).integers(0, n, 9), [0, n]))  # empty chunks at both ends
    parts = lambda: read.append(1) or iter(np.split(x, cuts))  # noqa: E731
    found = stream(estimator, parts, n=n, d=d, budget=budget, rng=seeded()).value
    assert np.array_equal(np.asarray(found), np.asarray(estimator(x, budget=budget, rng=seeded()).value))
    assert len(read) <= passes(estimator, n, d, budget)


@pytest.mark.turns(3)
@pytest.mark.parametrize("suffix", ["npy", "float32.npy", "parquet", "csv", "csv.gz"])
def test_files_are_read_as_rows_in_memory(suffix, tmp_path):
    path, kept = tmp_path / f"rows.{suffix}", DATA
    if "32" in suffix:
        kept = np.nan_to_num(DATA, posinf=0.0).clip(-9, 9).astype(np.float32)
    frame = pd.DataFrame(kept, columns=["a", "b", "c"])
    if path.suffix == ".npy":
        np.save(path, kept)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=1000)
    else:
        frame.to_csv(path, index=False)
    told = []
    assert np.array_equal(
        streamed(str(path), progress=told.append), MEAN(kept, budget=BUDGET, rng=seeded()).value
    )
    assert sum(told) == 2 * M


def named(*names):
    return pd.DataFrame(DATA, columns=names)


def planted(shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def saved(x):
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


HOSTILE = {
    **{
        f"x.npy {shape[:9]}": planted(shape)
        for shape in ("(5, 0)", "(1, 10**15)", "(5, -3)", "()", "(" * 1000)
    },
    "x.npy code": planted("open('planted', 'w')"),
    "x.npy by columns": saved(np.asfortranarray(DATA)),
    "x.npy words": saved(np.array(["a"])),
    "x.npy cubes": saved(DATA[None]),
    "x.npy junk": b"no array",
    "x.npy cut": saved(DATA)[:-9],
    "x.parquet junk": b"171.25",
    "x.parquet cut": b"PAR1" + bytes(9000),
    "x.csv": b"171.25\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_one_line_and_not_run(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name.partition(" ")[0]
    path.write_bytes(HOSTILE[name])
    with pytest.raises(ArgumentError) as raised:
        streamed(path)
    assert "171" not in str(raised.value)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("source", "more", "words"),
    [
        (lambda: [named(*"abc"), named(*"cab")], {"n": 2 * M}, "chunk of columns .*: expected the columns"),
        (lambda: [named(*"abc"), DATA], {"n": 2 * M}, "expected the columns of the first chunk"),
        (DATA, {}, "source = .*a function"),
        ((row for row in [DATA]), {}, r"source = .generator.: .* rows are read 2 times"),
        (lambda: [DATA[:, 0]], {"estimator": Median(radius=10.0, sigma=1.0), "d": 1}, "estimator = 'Median'"),
        (lambda: [DATA], {"n": M - 1}, "n = 9000: .*number of rows"),
        (lambda: [DATA], {"d": 2}, "chunk of shape"),
        (lambda: [3.0], {"estimator": ClippedMean(radius=10.0, sigma=1.0), "d": 1}, r"chunk of shape \(\)"),
        (lambda: [DATA], {"n": 10**30}, "n = .*: expected at most"),
        ("none.npy", {}, "a file that exists"),
    ],
)  # fmt: skip
def test_a_wrong_source_is_refused_in_one_line(source, more, words):
    with pytest.raises(ArgumentError, match=words):
        streamed(source, **more)


def test_rows_that_change_between_passes_make_no_release():
    for at, new in (((17, 1), np.nextafter(DATA[17, 1], 9.0)), ((0, 0), -DATA[0, 0])):
        other = DATA.copy()
        other[at] = new
        turns = iter([[DATA], [other]])
        with pytest.raises(ChangedError, match="nothing is released"):
            streamed(lambda turns=turns: next(turns))


@pytest.mark.parametrize("suffix", ["npy", pytest.param("parquet", marks=pytest.mark.daily)])
def test_memory_does_not_grow_with_the_rows(tmp_path, suffix):
    """Three times the rows take less than a megabyte more: a twentieth of what they take in memory."""
    held, path = [], tmp_path / f"rows.{suffix}"
    for n in (400_000, 1_200_000):
        columns, told = np.random.default_rng(1).normal(size=(D, n)), []
        if suffix == "npy":
            np.save(path, columns.T.copy())
        else:
            pq.write_table(pa.table(dict(zip("abc", columns, strict=True))), path, row_group_size=n)
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        tell = lambda _, told=told, before=before: told.append(pa.total_allocated_bytes() - before)  # noqa: E731
        streamed(path, PerturbedCovariance(radius=1.0), n, progress=tell)
        held.append(max(told) + tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert held[1] - held[0] < 2**20


def test_no_cell_takes_much_longer_than_a_number_of_its_length(tmp_path):
    cells, size = open_csv(write(tmp_path / "data.csv", [b"1"]), FOUND).cells(("height",)), 300_000
    number, *others = (
        min(timeit.repeat(lambda line=line: cells.number(line), number=1, repeat=5))
        for line in ("1" * size, "1" * size + "x", "1." + "1" * size + "e", "." * size, " " * size + "x")
    )
    assert max(others) < 20 * number


def test_a_dash_is_standard_input_also_where_it_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    table = open_csv("-", FOUND)
    assert [next(iter(table.rows(("b",))())).tolist() for _ in range(2)] == [[[2.0]]] * 2
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ArgumentError, match=r"^file = '-': expected a CSV file with a header"):
        open_csv("-", FOUND)


def test_columns_are_named_once_and_rows_are_not_shown(tmp_path):
    table = open_csv(write(tmp_path / "data.csv", [b"1;2;3"], b"a;b;"), FOUND)
    assert repr(table) == repr(open_csv(write(tmp_path / "data.csv", [b"4"], b"a;b;"), FOUND))
    with pytest.raises(ArgumentError, match="column = 'a': expected names that differ"):
        table.chosen(["a", "b", "a"])


@pytest.mark.parametrize("separator", ["", ",,", "1", ".", "-", "e", '"', "\n", "\r", " ", "ß"])
def test_a_separator_is_one_character_that_is_in_no_number(separator):
    with pytest.raises(ArgumentError, match=r"^separator = "):
        Writing(separator=separator)


def test_numbers_of_every_type_of_parquet_are_those_of_rows_in_memory(tmp_path):
    rng, n = np.random.default_rng(1), 9000
    kinds = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
    columns = {kind: np.frombuffer(rng.bytes(n * np.dtype(kind).itemsize), kind) for kind in kinds}
    columns |= {"true": rng.random(n) < 0.5}
    columns |= {f"{name} or none": pa.array(one, mask=rng.random(n) < 0.1) for name, one in columns.items()}
    table = pa.table(columns | {"none": pa.nulls(n, pa.int64())})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=3000)
    for names in (*([name] for name in table.column_names), table.column_names):
        found = np.concatenate(list(open_parquet(tmp_path / "x.parquet").rows(names)()))
        np.testing.assert_array_equal(found, read(table.select(names))[0])
