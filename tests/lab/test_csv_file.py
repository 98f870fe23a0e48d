"""Rows of a CSV file: a line is a row whatever it holds, and nothing but the estimate depends on it."""

import bz2
import gzip
import io
import lzma
import sys
import timeit
import warnings
from dataclasses import replace

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.estimators.files import Writing, csv_rows, open_csv
from workbench.lab import estimating as module
from workbench.lab.estimating import check

N, RADIUS, FOUND = 40, 500.0, Writing()
LINES = [str(170.5 + place) for place in range(N)]
ROWS = {  # what may stand in one line of a file of one column
    "blank": b"",
    "spaces": b"   ",
    "form feed": b"\x0c",
    "next line of latin-1": b"\x85",
    "line separator of utf-8": "\u2028".encode(),
    "carriage return": b"\r",
    "carriage return within": b"171\r172",
    "nul": b"1\x0071",
    "no utf-8": b"\xff\xfe",
    "dash": b"-",
    "word": b"abc",
    "missing": b"NA",
    "not a number": b"nan",
    "infinite": b"-inf",
    "beyond the floats": b"1e999",
    "huge": b"1e300",
    "tiny": b"-5e-324",
    "zero": b"-0.0",
    "thousands": b'"1,000"',
    "underscore": b"1_000",
    "hexadecimal": b"0x10",
    "truth value": b"True",
    "half an exponent": b"1e",
    "date": b"2020-01-01",
    "complex": b"1+2j",
    "full-width digits": "１７１".encode(),
    "minus of typography": "−5".encode(),
    "comment": b"# 1",
    "open quote": b'"171',
    "lone quote": b'"',
    "quote within": b'17"1',
    "quoted": b'"171"',
    "more cells": b"1,2,3,4",
    "separators": b",,,",
    "other separator": b"1;2",
    "many digits": b"9" * 5000,
    "nearly a number": b"1" * 100_000 + b"x",
    "a cell beyond the limit of csv": b'"' + b"x" * 200_000,
}


def write(path, rows, header=b"height", end=b"\n"):
    path.write_bytes(b"".join(line + end for line in [header, *rows]))
    return path


def request(path, **more):
    settings = {"radius": RADIUS, "sigma": 1.0}
    return module.EstimateRequest(
        path, "univariate/clipped-mean", ("height",), 1.0, settings=settings, seed=3, **more
    )


def shown(path, **more):
    """What a call tells: its record, and its text, both without the value; and the value."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        record = module.estimate(request(path, **more))
    text = module.lines(record).partition("\n")[2]
    return {"text": text, **record, "value": None}, record["value"]


def read(table, names, missing=None):
    return np.concatenate(list(csv_rows(table, names, missing)()))


def rows(path, writing=FOUND):
    table = open_csv(path, writing)
    return read(table, table.chosen(()))


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize(
    ("place", "end"), [(0, b"\n"), (N - 1, b"\n"), (17, b"\r\n")], ids=["first", "last", "CRLF"]
)
def test_one_line_of_one_column_changes_the_estimate_alone(tmp_path, row, place, end):
    lines = [line.encode() for line in LINES]
    usual = write(tmp_path / "usual.csv", lines, end=end)
    lines[place] = ROWS[row]
    other = write(tmp_path / "other.csv", lines, end=end)
    (told, value), (same, moved) = shown(usual), shown(other)
    assert told == same
    assert abs(value - moved) <= told["plan"][0]["sensitivity"] * (1 + 1e-9)
    assert told["rows"] == N
    np.testing.assert_array_equal(*(np.delete(rows(path), place, axis=0) for path in (usual, other)))


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("separator", [b",", b";", b"\t", b"|"])
def test_one_line_of_three_columns_changes_its_row_alone(tmp_path, row, separator):
    lines = [separator.join([line.encode()] * 3) for line in LINES]
    header = separator.join([b"height", b'"weight, kg"' if separator == b"," else b"weight", b"age"])
    usual = write(tmp_path / "usual.csv", lines, header)
    for cell in (ROWS[row], separator.join([b"1", ROWS[row], b"3"]), separator.join([b"1", ROWS[row]])):
        other = write(tmp_path / "other.csv", [*lines[:5], cell, *lines[6:]], header)
        assert shown(usual)[0] == shown(other)[0]
        np.testing.assert_array_equal(*(np.delete(rows(path), 5, axis=0) for path in (usual, other)))


def test_no_cell_takes_much_longer_than_a_number_of_its_length(tmp_path):
    cells = open_csv(write(tmp_path / "data.csv", [b"1"]), FOUND).cells(("height",))
    size = 300_000
    number, *others = (
        min(timeit.repeat(lambda line=line: cells.numbers(line), number=1, repeat=5))
        for line in ("1" * size, "1" * size + "x", "1." + "1" * size + "e", "." * size, " " * size + "x")
    )
    assert max(others) < 20 * number


def test_quotes_hold_separators_but_no_line_ends(tmp_path):
    path = write(tmp_path / "data.csv", [b'1,"2,5",3', b'1,"2', b'5",3', b' "4" ,5,6'], b'a,"b, c",d')
    table = open_csv(path, FOUND)
    assert table.names == ("a", "b, c", "d")
    nan = float("nan")
    expected = [[1, nan, 3], [1, 2, nan], [nan, 3, nan], [4, 5, 6]]
    np.testing.assert_array_equal(rows(path), expected)
    np.testing.assert_array_equal(rows(path, Writing(decimal=","))[0], [1, 2.5, 3])


def test_a_short_line_lacks_cells_and_a_long_one_has_none_that_can_be_told_apart(tmp_path):
    path = write(tmp_path / "data.csv", [b"1", b"1,2", b"1,2,", b"1,2, ,,", b"1,2,3", b"", b",2"], b"a,b")
    nan = float("nan")
    np.testing.assert_array_equal(
        rows(path), [[1, nan], [1, 2], [1, 2], [1, 2], [nan, nan], [nan, nan], [nan, 2]]
    )


@pytest.mark.parametrize("flags", [{}, {"missing": 172.0}])
def test_what_missing_entries_count_as_is_told_whether_there_are_any_or_not(tmp_path, flags):
    whole = write(tmp_path / "whole.csv", [line.encode() for line in LINES])
    holes = write(tmp_path / "holes.csv", [b""] * N)
    (told, _), (same, value) = shown(whole, **flags), shown(holes, **flags)
    assert told == same
    counted = "counts as 172" if flags else "is absent, in its place"
    assert counted in told["missing"]
    assert f"missing entries: {told['missing']}; how many is not told" in told["text"]
    if flags:
        assert shown(write(tmp_path / "counts_as.csv", [b"172"] * N))[1] == value


def test_a_missing_entry_with_a_value_leaves_the_rest_of_its_row(tmp_path):
    table = open_csv(write(tmp_path / "data.csv", [b"1,x", b"1e101,2", b"inf,3"], b"a,b"), FOUND)
    assert read(table, table.names, -1.0).tolist() == [[1, -1], [-1, 2], [-1, 3]]


@pytest.mark.parametrize("value", [1.1e100, float("nan"), float("inf")])
def test_what_a_missing_entry_counts_as_is_an_entry_that_counts(tmp_path, value):
    with pytest.raises(
        ArgumentError, match=r"^missing = .*: expected a finite number, at most 1e\+100 in size"
    ):
        module.estimate(request(write(tmp_path / "data.csv", [b"1"] * N), missing=value))


# how a file is written: told by flags or found in the header


@pytest.mark.parametrize(
    ("header", "row", "writing", "expected"),
    [
        ("a,b", "1.5,2", FOUND, [1.5, 2]),
        ("a;b", "1.5;2", FOUND, [1.5, 2]),
        ("a;b", "1,5;-,25e1", FOUND, [1.5, -2.5]),
        ("a;b", "1.234,5;2", FOUND, [None, 2]),
        ("a;b", "1,5;2.5", Writing(decimal=","), [1.5, None]),
        ("a;b", "1,5;2.5", Writing(decimal="."), [None, 2.5]),
        ("a\tb", "1.5\t2,5", FOUND, [1.5, None]),
        ("a\tb", "1,5\t2.5", Writing(decimal=","), [1.5, None]),
        ("a|b", "1|2", FOUND, [1, 2]),
        ("a,b;c", "1,2;3", Writing(separator=","), [1, None]),
        ("a:b", "1:2", Writing(separator=":"), [1, 2]),
        ("a", "1,5", FOUND, [None]),
        ("a", "1,5", Writing(decimal=","), [1.5]),
        (" a , b ", " 1 ,\t2 ", FOUND, [1, 2]),
        ("\ufeffa,b", "1,2", FOUND, [1, 2]),
    ],
)
def test_separator_and_decimal_mark_are_told_or_found_in_the_header(tmp_path, header, row, writing, expected):
    path = write(tmp_path / "data.csv", [row.encode()], header.encode())
    np.testing.assert_array_equal(rows(path, writing), [[np.nan if one is None else one for one in expected]])


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig", "shift_jis"])
def test_the_encoding_is_that_of_the_header(tmp_path, encoding):
    name = "身長" if encoding == "shift_jis" else "größe"
    path = write(tmp_path / "data.csv", [b"1,\xff", b"2,\xe4"], f"{name},ort".encode(encoding))
    table = open_csv(path, Writing(encoding=encoding))
    assert table.chosen([name]) == (name,)
    assert read(table, [name]).tolist() == [[1], [2]]


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip), ("bz2", bz2), ("xz", lzma), ("XZ", lzma)])
def test_a_packed_file_is_unpacked_and_a_spoilt_one_is_refused(tmp_path, suffix, pack):
    path = tmp_path / f"data.csv.{suffix}"
    path.write_bytes(pack.compress(b"a\n1\n\n"))
    np.testing.assert_array_equal(rows(path), [[1], [np.nan]])
    for spoilt in (path.read_bytes()[:-9], b"no such thing"):
        path.write_bytes(spoilt)
        with pytest.raises(ArgumentError, match=r"file = .*: expected a CSV file that can be read"):
            rows(path)


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    assert rows("-").tolist() == [[1, 2]]


SECRET = b"171.25"


@pytest.mark.parametrize(
    ("content", "argument", "words"),
    [
        (b"", "file", "a header"),
        (b"\n171.25\n", "file", "a header"),
        (b" , \n171.25,1\n", "file", "a header"),
        (b"a\n", "file", "at least one row"),
        (b"a\n171.25", "file", "after every line, the last one too"),
        (b"a\r171.25\r", "file", "after every line, the last one too"),
        (b"171.25,80\n171.25,81\n", "file", "a number or a missing entry there"),
        (b"bob;171\namy;1\n", "file", "a number or a missing entry there"),
        (b"bob;171,25\namy;1\n", "separator", "the header has"),
        (b"name,nan,171.25\n", "file", "a number or a missing entry there"),
        (b'"171.25"\n2\n', "file", "a number or a missing entry there"),
        (b"a,b, a\n171.25,1,2\n", "column", "'a': expected a header whose names differ"),
        (b"gr\xf6\xdfe\n171.25\n", "encoding", "'utf-8': expected the encoding of the header"),
        ("a\n171.25\n".encode("utf-16"), "encoding", "'utf-8'"),
        ("a\n171.25\n".encode("utf-16-le"), "encoding", "'utf-8'"),
        (b"a,b;c\n171.25,1\n", "separator", "the header has ',' and ';'"),
        (b'a,"b\n(kg)"\n171.25,1\n', "file", "a header that is one line: a quote in it is left open"),
        (b'"\n171.25\n', "file", "a header that is one line"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_header_is_one_line_without_a_value(tmp_path, content, argument, words):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(ArgumentError) as raised:
        open_csv(path, FOUND)
    assert raised.value.argument == argument
    assert words in str(raised.value)
    assert "171" not in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("header", [b'"a ""b"""', b'size 5"', b"a" * 200_000])
def test_a_quote_in_a_name_leaves_the_header_as_it_is(tmp_path, header):
    np.testing.assert_array_equal(rows(write(tmp_path / "data.csv", [b"1", b'"'], header)), [[1], [np.nan]])


def test_a_closed_standard_input_is_a_file_without_a_header(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ArgumentError, match=r"^file = '-': expected a CSV file with a header"):
        open_csv("-", FOUND)


def test_a_file_shows_its_header_and_none_of_its_rows(tmp_path):
    table = open_csv(write(tmp_path / "data.csv", [b"1.5", b"2.5"]), FOUND)
    assert repr(table) == repr(open_csv(write(tmp_path / "data.csv", [b"3.5"]), FOUND))


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["weight"], "column = 'weight': expected one of a, b,  (the header, with separator ';'"),
        (["a", "b", "a"], "column = 'a': expected names that differ"),
        ([], "column = None: expected --column with names"),
    ],
)
def test_columns_are_chosen_by_the_names_of_the_header(tmp_path, columns, words):
    table = open_csv(write(tmp_path / "data.csv", [b"1;2;3"], b"a;b;"), FOUND)
    with pytest.raises(ArgumentError) as raised:
        table.chosen(columns)
    assert words in str(raised.value)


@pytest.mark.parametrize("separator", ["", ",,", "1", ".", "-", "e", '"', "\n", "\r", " ", "ß"])
def test_a_separator_is_one_character_that_is_in_no_number(separator):
    with pytest.raises(ArgumentError, match=r"^separator = "):
        Writing(separator=separator)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "cp500", "rot13", "hex", "no-such"])
def test_an_encoding_has_ascii(encoding):
    with pytest.raises(ArgumentError, match=r"^encoding = "):
        Writing(encoding=encoding)


def test_a_decimal_mark_is_a_point_or_a_comma():
    with pytest.raises(ArgumentError, match=r"^decimal = ';'"):
        Writing(decimal=";")


# the check, which is for the owner


def test_a_check_names_line_and_column_and_never_a_value(tmp_path):
    lines = [b"171.25,1", b"171.25x,2", b"NA,3", b",", b"171.25,1,1", b"1e999,4", b"", b'171.25,"6,5"']
    text, good = check(open_csv(write(tmp_path / "data.csv", lines, b"a,b"), FOUND), ())
    assert not good
    assert "171" not in text
    assert "6,5" not in text
    named = [line.strip() for line in text.splitlines() if line.startswith("  line")]
    assert named == [
        "line 3, column a: no number",
        "line 6, column a: no number",
        "line 6, column b: no number",
        "line 7, column a: no number",
        "line 9, column b: no number",
    ]
    assert "column a: 2 numbers, 3 missing, 3 unreadable" in text
    assert "column b: 4 numbers, 2 missing, 2 unreadable" in text
    assert "not private" in text


def test_a_check_of_a_good_file_says_so_and_of_another_decimal_mark_which(tmp_path):
    good = write(tmp_path / "good.csv", [b"1,", b"2,nan"], b"a,b")
    text, fine = check(open_csv(good, FOUND), ["a"])
    assert fine
    assert "column a: 2 numbers, 0 missing, 0 unreadable" in text
    german = open_csv(write(tmp_path / "german.csv", [b"1"] + [b"1,5"] * 50, b"a\tb"), FOUND)
    text, fine = check(german, ["a"])
    assert not fine
    assert "and 30 more" in text
    assert "With --decimal , it is 0 unreadable." in text


def test_a_check_of_one_column_says_which_decimal_mark_reads_it(tmp_path):
    path = write(tmp_path / "data.csv", [b"171,5", b"172"])
    assert "With --decimal , it is 0 unreadable." in check(open_csv(path, FOUND), ())[0]
    assert check(open_csv(path, Writing(decimal=",")), ())[1]


@pytest.mark.parametrize(
    ("header", "cells", "said"),
    [
        (b"a,b", [b'"170,000"', b'"1,234,567"', b"999"], "  2 cells have ',' between thousands: write"),
        (b"a,b", [b'"1,234.50"', b"0.5"], "  1 cells have ',' between thousands: write"),
        (b"a,b", [b'"170,000"', b'"12,345"'], "; if it is the decimal mark, --decimal , reads it"),
        (b"a", [b"170,000", b"12,345"], "; if it is the decimal mark, --decimal , reads it"),
        (b"a;b", [b"1.234.567", b"12.345"], "'.' between thousands (1 of them are read as if it were the"),
        (
            b"a,b",
            ["1\N{NO-BREAK SPACE}000".encode(), b"1 000"],
            "  2 cells have ' ' between thousands:",
        ),
        (b"a\tb", [b"1,234", b"5,6"], "With --decimal , it is 0 unreadable."),
        (b"a,b", [b"1.234", b"12.345", b"x"], None),
    ],
)
def test_a_check_tells_thousands_from_fractions(tmp_path, header, cells, said):
    text, _ = check(open_csv(write(tmp_path / "data.csv", cells, header), FOUND), ["a"])
    assert (said or "unreadable") in text
    assert ("between thousands" in text) == ("thousands" in (said or "") or "reads it" in (said or ""))
    assert ("With --decimal" in text) == ("With" in (said or ""))


def test_a_check_says_in_one_line_that_a_column_is_no_number(tmp_path):
    words = write(tmp_path / "data.csv", [b"bob,1", b"ann,2", b",3x"], b"a,b")
    text, _ = check(open_csv(words, FOUND), ())
    assert "column a: no cell is a number: 1 missing, 2 unreadable" in text
    assert [line for line in text.splitlines() if "  line" in line] == ["  line 4, column b: no number"]
    assert not check(open_csv(write(tmp_path / "empty.csv", [b",1", b"NA,2"], b"a,b"), FOUND), ())[1]


def test_a_check_counts_the_lines_that_are_longer_than_the_header(tmp_path):
    named_rows = write(tmp_path / "data.csv", [b'"1",171.5,80', b'"2",172,81', b"172,81,"], b'"h","w"')
    text, fine = check(open_csv(named_rows, FOUND), ["h"])
    assert not fine
    assert "more cells than the header has names, which are unreadable: 2." in text
    assert "more cells" not in check(open_csv(write(tmp_path / "good.csv", [b"1"]), FOUND), ())[0]


# the estimate


def test_the_error_bound_is_a_public_number(tmp_path):
    path = write(tmp_path / "data.csv", [line.encode() for line in LINES])
    estimator = module.estimator("univariate/clipped-mean", request(path).settings)
    for epsilon in (1.0, 1e-9):
        text = module.lines(module.estimate(replace(request(path), epsilon=epsilon)))
        bound = estimator.error_bound(N, 1, module.spending(epsilon, None, None), 0.05)
        assert f"error bound: {bound:.10g}, with probability 0.95 (" in text
    assert bound > 1e9
    located = replace(request(path), key="univariate/histogram-location")
    assert "error bound: none at this n and budget (" in module.lines(module.estimate(located))


def test_the_predicted_error_is_a_public_number(tmp_path):
    path = write(tmp_path / "data.csv", [line.encode() for line in LINES])
    two_step = replace(request(path), key="univariate/two-step-mean", epsilon=0.1)
    text = module.lines(module.estimate(two_step))
    assert "predicted error: uninformative at this n and budget (the median" in text
    record = module.estimate(replace(two_step, epsilon=1.0))
    chosen = module.estimator(two_step.key, two_step.settings)
    expected = chosen.predicted_error(N, 1, module.spending(1.0, None, None))
    assert f"predicted error: {expected:.10g} (the median of |out - mean|" in module.lines(record)
    said = record["error"]
    assert (said["value"], said["kind"]) == (pytest.approx(expected), "predicted")


def test_an_estimator_without_a_bound_has_no_such_line(tmp_path):
    path = write(tmp_path / "data.csv", [b"1,2"] * 300, b"a,b")
    clipped = module.EstimateRequest(path, "covariance/clipped", rho=1.0, settings={"upper": 9.0}, seed=1)
    text = module.lines(module.estimate(clipped))
    assert "error bound" not in text
    assert "columns: a, b" in text


def test_a_parameter_is_one_value_for_every_column_unless_it_may_be_one_for_each():
    with pytest.raises(ArgumentError, match=r"set radius = \(100, 70\): expected one value, which holds for"):
        module.estimator("mean/coinpress", {"radius": (100, 70), "sigma": 1.0})
    assert module.estimator("mean/coinpress", {"radius": 9.0, "sigma": 1.0, "centre": (100, 70)}).centre == (
        100,
        70,
    )
