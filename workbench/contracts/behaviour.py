"""How an estimator treats what it is given: streams, hostile rows, names of columns, symmetries."""

from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pandas as pd

from workbench.contracts.datasets import (
    HOSTILE,
    by_row,
    dimension,
    entry_of,
    filled,
    frame,
    least,
    middle,
    planned,
    sizes,
    typical_rows,
    with_absent,
)
from workbench.contracts.kit import answer, refusal, release, run, stopped_early, warm
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.privacy import NonPrivate
from workbench.study.faults import spied

RTOL = 1e-9


def same_stream_gives_the_same_bits(example):
    """Equal streams give equal releases, and different streams different ones: no stream is kept inside."""
    columns = [typical_rows(example, max(1000, least(example)), 9)]
    if dimension(example) is None and least(example) <= CROWDS.size:
        centre, sigma = frame(example)
        columns.append(centre + sigma * CROWDS)
    for x in columns:
        warm(example, len(x))

    def released(seed):
        with spied() as events:
            values = [run(example, x, seed) for x in columns]
        return repr([*values, *(event.output for event in events)])

    once, again = ([released(seed) for seed in range(most)] for most in (8, 5))
    assert once[:5] == again
    assert len(set(once)) >= 3, once[0]


# Pairs of rows in ten places, as far apart as powers of two, and five of each.
CROWDS = np.tile(
    np.add.outer(np.arange(10) * 5 + 0.5, np.outer(2.0 ** -np.arange(10), (-0.25, 0.25))).ravel(), 5
)


def hostile_rows_are_ordinary_inputs(example):
    """No row raises or warns (warnings are errors here), and the caller's array keeps its bits.

    A caller may have set numpy to raise: whether it does must not depend on a row either.
    """
    rng = np.random.default_rng(4)
    for n in sizes(example, 4, 25):
        for value in HOSTILE:
            _untouched(example, filled(example, n, value))
        _untouched(example, 1e15 + by_row(example, np.arange(n) / 8))  # a spacing of the floats apart
        _untouched(example, typical_rows(example, n, 4) * 1e-200)
        for twice in (True, True, False, False, False, False):
            mixed = rng.choice([*HOSTILE, 1.0, 1.0, -3.0], size=filled(example, n, 0.0).shape)
            _untouched(example, mixed, twice)


def _untouched(example, x, twice=False):
    before = x.tobytes()
    with np.errstate(all="raise"):
        value = answer(example, x, 6)
    assert x.tobytes() == before, "the caller's array was changed"
    x.flags.writeable = False
    if twice:
        assert repr(answer(example, x, 6)) == repr(value)
    assert not np.isnan(numbers(value)).any()
    assert not isinstance(value, float) or np.isfinite(value)
    if entry_of(example).estimand == "covariance" and isinstance(value, np.ndarray):
        assert (value == value.T).all()
        if type(example.estimator).__name__ != "PerturbedCovariance":  # which adds noise and no more
            assert np.linalg.eigvalsh(value)[0] >= -1e-9 * max(np.abs(value).max(), 1.0)


def an_unusable_row_is_absent(example):
    """A row with an entry that is no number, or too large, is absent in its place; it is never dropped."""
    for n, kept in zip(sizes(example, 24, 300), (4, 6), strict=False):
        x = filled(example, n, np.nan)
        x[:: n // kept] = middle(example) + 40.0
        warm(example, n)
        kind = type(example.estimator)
        with patch.object(kind, "estimate", autospec=True, side_effect=kind.estimate) as estimate:
            answer(example, x)
        assert {len(call.args[1]) for call in estimate.call_args_list} == {n}
        seen = _everything_seen(example, x)
        for bad in (np.inf, -1e308):
            other = np.where(np.isnan(x), bad, x)
            if other.ndim > 1:
                other[:, 1:] = np.where(np.isnan(x[:, 1:]), 1.0, x[:, 1:])  # one entry is enough
            assert _everything_seen(example, other) == seen, (n, bad)


def _everything_seen(example, x):
    with spied() as events, np.printoptions(threshold=10**6):
        values = [answer(example, x, seed) for seed in range(2)]
        present = {node.present for event in events for node in getattr(event.statistic, "nodes", ())}
        assert present <= {np.count_nonzero(np.abs(x) <= 1e100)}, "rows of a node that are not there"
        if not isinstance(example.budget, NonPrivate):
            charges = {repr(charge) for charge in planned(example, len(x)).charges()}
            assert {repr(event.charge) for event in events} <= charges, "charges of another number of rows"
        return repr([values, *((event.charge, _shown(event.statistic), event.output) for event in events)])


def _shown(statistic):
    nodes = getattr(statistic, "nodes", None)
    return statistic if nodes is None else [(np.asarray(node.lengths), node.shares) for node in nodes]


def names_of_columns_are_kept(example):
    """A DataFrame and a Series give the release of the array, with their names; text columns are refused."""
    x, line = typical_rows(example, max(24, least(example)), 3), dimension(example) is None
    rows = x[:, None] if line else x
    places, missing = range(rows.shape[1]), rows.copy()
    names = tuple(f"column {number}" for number in places)
    missing[-1, 0] = np.nan
    tables = [
        (rows, None, rows),
        (x.tolist(), None, rows),
        (pd.DataFrame(rows, columns=names, index=np.arange(len(x)) + 7), names, rows),
        (pd.DataFrame(missing, columns=names).astype("Float64"), names, missing),
        (pd.DataFrame(rows), tuple(map(str, places)), rows),
    ]
    if line:
        tables += [(pd.Series(x), None, x), (pd.Series(x, name="height"), ("height",), x)]
        tables += [(pd.DataFrame({3: np.arange(len(x))}), ("3",), np.arange(float(len(x))))]
    for table, labels, same_rows in tables:
        found = release(example, table, 1)
        assert found.labels == labels
        with np.printoptions(threshold=10**6, precision=17, floatmode="unique"):
            assert repr(found.value) == repr(run(example, same_rows, 1))
    for kind in (list, lambda words: pd.array(words, "string"), pd.Categorical):
        text = pd.DataFrame(rows, columns=names).assign(height=kind(["a"] * len(x)))
        assert "height" in str(refusal(run, example, text[["height"]] if line else text))


def declared_symmetries_hold(example):
    """The same stream on moved rows gives the moved release, for moves by powers of two of sigma.

    "exact" promises it for every move and "lattice" for those that keep a grid; both are tested on powers
    of two, where the arithmetic of the rows is exact. A public range of scales breaks that of scale. Absent
    rows, in every other run, move with the rest: they are nowhere. What they shrink a mean to is a place of
    the grid, which only moves that are multiples of its widest bins take along.
    """
    symmetries, estimator = entry_of(example).symmetries, example.estimator
    assert symmetries.keys() == {"translation", "scale"}
    (_, sigma), lattice, answered = frame(example), symmetries["translation"] == "lattice", False
    free = not any(vars(estimator).get(name) for name in ("radius", "centred"))
    moves = (2.0, -64.0, 1024.0) if symmetries["translation"] != "none" and free else ()
    scales = symmetries["scale"] != "none" and getattr(estimator, "lower", None) is None
    factors = (2.0, 2.0**-60, 2.0**40) if scales else ()
    if not moves + factors:
        return "no symmetry is declared, or no move is within its range"
    for n in sizes(example, 300, 6000):
        whole = rounded(typical_rows(example, n, 21))
        for seed in range(8 if n <= 300 else 2):
            x = with_absent(whole, 7) if seed % 2 else whole
            value = run(example, x, seed)
            answered = answered or not stopped_early(value)
            of_bins = seed % 2 and lattice
            moved = [(1.0, move * sigma) for move in moves[1 if of_bins else 0 :]]
            for factor, move in (*moved, *((factor, 0.0) for factor in factors)):
                same(example, mapped(example, value, factor, move), run(example, x * factor + move, seed))
        if answered:
            return None
    raise AssertionError("no run gave an answer: nothing was tested")


def rounded(x):
    return np.round(x * 2.0**30) / 2.0**30


def mapped(example, value, factor=1.0, move=0.0):
    """What is estimated of rows that are scaled and moved."""
    if isinstance(value, Abstention):
        return value
    match entry_of(example).estimand:
        case "mean" | "location":
            return value * factor + move
        case "interval":
            return replace(value, low=value.low * factor + move, high=value.high * factor + move)
        case "covariance" | "eigenvalues":
            return value * factor**2
        case "gaussian":
            return Gaussian(value.mean * factor + move, value.covariance * factor**2)
        case "subspace" | "preconditioner":
            return value
    return value * factor


def same(example, expected, value):
    assert type(value) is type(expected), (value, expected)
    assert not isinstance(value, Abstention) or value == expected
    got, wanted = numbers(value), numbers(expected)
    scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=1e-12)
    scale += 0 if entry_of(example).estimand == "scale" else 1e-3
    np.testing.assert_allclose(got, wanted, rtol=0, atol=RTOL * scale, equal_nan=False)


def numbers(value):
    if isinstance(value, Abstention):
        return np.array([])
    if is_dataclass(value):
        return np.concatenate([numbers(getattr(value, field.name)) for field in fields(value)])
    return np.ravel(np.asarray(value, float))


def public_numbers_are_pythons(example):
    """Numbers of any type, in any field, are what they are as Python's; so are n, d and beta where asked."""
    estimator, budget, n, d = example.estimator, example.budget, least(example), dimension(example) or 1
    for made in (estimator, budget):
        for name, value in vars(made).items():
            for form, meant in forms(value):
                assert outcome(replace, made, **{name: form}) == outcome(replace, made, **{name: meant}), form
    for ask, *more in (("plan",), ("predicted_error",), ("error_bound", 0.1)):
        if hasattr(estimator, ask):
            narrow = np.int16(n) if n < 2**15 else np.int32(n), np.int8(d), budget, *map(np.float32, more)
            method = getattr(estimator, ask)
            assert outcome(method, *narrow) == outcome(method, n, d, budget, *map(float, narrow[3:])), ask


def forms(value):
    """What a number, or a tuple of them, may come as, and the Python number or tuple that it then is."""
    match value:
        case bool():
            return [(np.bool_(value), value), (np.array(value), value)]
        case int():
            return [(kind(value), value) for kind in (np.int16, np.uint64, np.array)]
        case float():
            with np.errstate(all="ignore"):  # a number may be too large for a short float
                found = [(short := kind(value), float(short)) for kind in (np.float16, np.float32)]
            kinds = [np.float64, np.longdouble, Fraction, Decimal, np.array]
            kinds += [int, np.int64] if value.is_integer() else []
            return [*found, *((kind(value), value) for kind in kinds)]
        case (float(), *_):
            short = np.array(value, np.float32)
            return [(list(value), value), (np.array(value), value), (short, tuple(map(float, short)))]
    return []


def outcome(call, *given, **named):
    """What a call returns, the argument that it refuses, or what it raises or warns of beside that."""
    try:
        return repr(call(*given, **named))
    except ArgumentError as error:
        return f"{error.argument}: {error.allowed}"
    except Exception as error:
        return repr(error)
