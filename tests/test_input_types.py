"""What counts as rows: arrays, lists, tables of libraries."""

from collections import UserList
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from workbench import ArgumentError
from workbench.estimators.reading import read

NAN = float("nan")

# tables of other libraries


def arrow(values, kind, name, missing=()):
    return name, pa.array(values, kind, mask=np.isin(np.arange(len(values)), missing))


def polars_column(values, kind, name, missing=()):
    return pl.Series(name, [None if at in missing else one for at, one in enumerate(values)], kind)


LIBRARIES = {
    "polars": (pl.DataFrame, polars_column, (pl.Int64, pl.Float64, pl.Boolean, pl.String)),
    "Arrow": (lambda columns: pa.table(dict(columns)), arrow, ("int64", "double", "bool", "string")),
}


@pytest.mark.parametrize(("table", "column", "kinds"), LIBRARIES.values(), ids=LIBRARIES)
def test_tables_keep_the_names_of_their_columns_and_text_is_named_with_its_type(table, column, kinds):
    numbers = [
        column([1, 2, 3], kinds[0], "a", missing=[1]),
        column([0.5, 1.5, 2.5], kinds[1], "b"),
        column([True, False, True], kinds[2], "c", missing=[2]),
    ]
    values, labels = read(table(numbers))
    assert labels == ("a", "b", "c")
    np.testing.assert_array_equal(values, [[1, 0.5, 1], [NAN, 1.5, 0], [3, 2.5, NAN]])
    for missing in ([], [1], [0, 1, 2]):
        with pytest.raises(ArgumentError) as raised:
            read(table([*numbers, column(["a", "bcd", ""], kinds[3], "town", missing=missing)]))
        assert str(raised.value) == f"x['town'] = 'column of type {kinds[3]}': expected a numeric column"


# neighbouring inputs: one entry is replaced, and nothing changes but that entry

WIDEST = np.longdouble("1e4000") if np.finfo(np.longdouble).maxexp > 1024 else np.longdouble("inf")


def longdouble(row):
    return np.array([1, 2, row], np.longdouble)


class Word(SimpleNamespace):
    """A number of a library: it has `as_py`, like the scalars of Arrow."""

    def __init__(self, value):
        super().__init__(as_py=lambda: value)


class Unreadable(float):
    """A number whose `__float__` raises what it is given, or what comes of it."""

    def __float__(self):
        raise self.error


UNREADABLE = [Unreadable() for _ in range(3)]
for number, error in zip(UNREADABLE, (RuntimeError, ZeroDivisionError, TypeError), strict=True):
    number.error = error("3")


NEIGHBOURS = {  # how to build the rows, the ordinary last entry, what may stand in its place
    "Series of extended precision": (lambda row: pd.Series(longdouble(row)), 3, [WIDEST, np.nan]),
    "array of extended precision": (longdouble, 3, [WIDEST, np.nan]),
    "list": (
        lambda row: [1.0, True, row],
        3.0,
        [
            *(None, pd.NA, pd.NaT, np.ma.masked, WIDEST, 2**70, 10**400, np.True_, np.array(2.0)),
            *(Fraction(10**400), Decimal("sNaN"), Decimal("1e999"), Word(3), Word(None), Word(10**400)),
            *(np.ma.array(value, mask=True) for value in (3.0, 3, True)),
            *(np.ma.array(3.0, mask=False), np.array(WIDEST), *UNREADABLE),
        ],
    ),
    "tuple of rows": (
        lambda row: ([1.0, 2.0], (3.0, 4.0), row),
        [5.0, 6.0],
        [None, pd.NA, NAN, [pd.NA, None]],
    ),
    "list of arrays": (
        lambda row: [np.ones(2), np.ones(2), row],
        np.ones(2),
        [None, [None, 1], np.array([None, 1], object), np.ma.array([1.0, 2.0], mask=[True, False])],
    ),
    "list of Series": (lambda row: [pd.Series([1, 2]), row], pd.Series([1, 2]), [None, pd.Series([1, None])]),
    "Series of rows": (lambda row: pd.Series([[1, 2], [3, 4], row]), [5, 6], [None, NAN, [NAN, 6]]),
    "list of one's own": (lambda row: UserList([[1], [2], row]), [3], [None, [None], [2**70]]),
    "array of objects": (
        lambda row: np.array([1, 2.5, row], object),
        3,
        [None, pd.NA, 10**400, 0.5, *UNREADABLE],
    ),
    "matrix of objects": (lambda row: np.array([[1, 2], [3, row]], object), 4, [None, pd.NA, 10**400, 0.5]),
    "masked objects": (lambda row: np.ma.array([1, 2, 3], mask=[0, 0, row], dtype=object), False, [True]),
    "Series of objects": (lambda row: pd.Series([1, 2, row], dtype=object), 3, [None, pd.NA, 10**400]),
    "Int64": (lambda row: pd.Series([1, 2, row], dtype="Int64"), 3, [None]),
    "Float64": (lambda row: pd.DataFrame({"a": pd.array([1, 2, row], "Float64")}), 3, [None, 1e308, np.inf]),
    "sparse": (lambda row: pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, row])}), 3.0, [0.0, np.nan]),
    "half precision": (lambda row: np.array([1, 2, row], np.float16), 3, [np.inf, np.nan, 65504]),
}


CASES = [
    pytest.param(build, usual, row, id=f"{name}-{number}")
    for name, (build, usual, rows) in NEIGHBOURS.items()
    for number, row in enumerate(rows)
]


@pytest.mark.parametrize(("build", "usual", "row"), CASES)
@pytest.mark.parametrize("mode", ["warn", "raise"])
def test_one_entry_decides_no_exception_no_warning_no_shape_and_no_other_entry(build, usual, row, mode):
    with np.errstate(all=mode):
        (one, labels), (other, same) = read(build(usual)), read(build(row))
    assert (one.shape, one.dtype, labels) == (other.shape, other.dtype, same)
    np.testing.assert_array_equal(one[:-1], other[:-1])


@pytest.mark.parametrize(
    ("x", "numbers"),
    [
        (np.array([1, 2.5, None, 2**70], object), [1, 2.5, NAN, 2.0**70]),
        (np.array([[1, None], [2.5, 4]], object), [[1, NAN], [2.5, 4]]),
        (pd.Series([Decimal("1.5"), None]), [1.5, NAN]),
        ([[1.0, 2.0], None, [3.0, pd.NA]], [[1, 2], [NAN, NAN], [3, NAN]]),
        ([pd.NaT, None], [NAN, NAN]),
        (memoryview(np.ones(2)), [1, 1]),
        (np.array([[1, 2], None], object), [[1, 2], [NAN, NAN]]),
        (pd.DataFrame(np.eye(2), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])), np.eye(2)),
        (pd.DataFrame({"a": [1, 2], "b": [True, False]}), [[1, 1], [2, 0]]),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_numbers_are_read_one_by_one_where_there_is_no_type(x, numbers):
    np.testing.assert_array_equal(read(x)[0], numbers)


def test_integers_that_numpy_has_not_are_read_as_floats():
    values, labels = read(pl.Series("a", [1, 2**100], pl.Int128))
    assert (values.tolist(), labels) == ([1.0, 2.0**100], ("a",))


WITHIN_ITSELF: list[object] = [1.0]
WITHIN_ITSELF.append(WITHIN_ITSELF)


@pytest.mark.parametrize(
    ("x", "argument", "words"),
    [
        (np.array([1.0, "a"], object), "x", "array with an entry of type str"),
        ([1.0, "a"], "x", "list with an entry of type str"),
        (pd.DataFrame({"a": pd.Series([1, "a"], dtype=object)}), "x['a']", "with an entry of type str"),
        (pd.Series([1, 2], dtype="category", name="a"), "x['a']", "column of type category"),
        (iter([1.0]), "x", "object of type list_iterator"),
        (csr_array(np.eye(2)), "x", "object of type csr_array"),
        (WITHIN_ITSELF, "x", "list within itself"),
        (pd.Series([["a"], ["b"]], name="a"), "x['a']", "with an entry of type str"),
        (np.zeros(2, [("a", float)]), "x", "array of type"),
        (UserList([[1.0, 2.0], [1.0]]), "x", "list of 2 rows"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_not_numeric_is_refused_by_its_type(x, argument, words):
    with pytest.raises(ArgumentError) as raised:
        read(x)
    said = str(raised.value)
    assert (raised.value.argument, words in said, "\n" in said) == (argument, True, False)
