"""Parts of a `Parallel` plan look at rows of their own: a replaced row moves what one of them sees.

A row is replaced, and the run is replayed given its former outputs: the first and last rows, and both sides
of every place where another part begins. Rows that are shuffled keep their order here, so that a part of them
is a range of rows.
"""

from dataclasses import fields, replace
from functools import cache
from itertools import pairwise
from unittest.mock import patch

import numpy as np

from workbench.catalog import Example
from workbench.contracts.datasets import by_row, entry_of, planned, sizes, typical_rows
from workbench.contracts.gaps import replaced
from workbench.contracts.kit import run, warm
from workbench.estimators import base, histograms
from workbench.privacy import Converted, Interleaved, NonPrivate, Parallel, Sequential
from workbench.study.faults import replaced_everywhere, spied
from workbench.study.pairs.replayed import moves

FEW, MANY = 24, 50_000  # rows; many for batches, which few rows are not divided into
DIVIDING = {"splits": 3, "mode": "proved"}
ATTEMPTS = 5  # at rows on which no part of a run ends early
FAR = 1e6
FEW_PARTS = 2


@patch.object(histograms, "PARTS", FEW_PARTS)
def a_row_moves_one_part(example):
    """Of every `Parallel` node, at most one part sees anything of a replaced row, and every part of some."""
    if not (every := forms(example)):
        return "no plan of several parts"
    for form in every:
        with replaced_everywhere((base.shuffled, lambda rows, noise: rows)):
            one_part_moves(*form)
    return None


@patch.object(histograms, "PARTS", FEW_PARTS)
def forms(example):
    """The example and, for the first of its key, options that divide rows: with n, and nodes with parts."""
    found = []
    for one in (example, *others(example)):
        batched = getattr(one.estimator, "mode", None) == "proved"
        for n in sizes(one, FEW, *[MANY] * batched):
            if nodes := [*parallel(planned(one, n))]:
                found.append((one, n, nodes))
                break
    return found


def others(example):
    estimator = example.estimator
    private = (one for one in entry_of(example).examples if not isinstance(one.budget, NonPrivate))
    if example != next(private):
        return
    names = {option.name for option in fields(estimator)}
    for name, value in DIVIDING.items():
        if name in names and getattr(estimator, name) != value:
            yield Example(replace(estimator, **{name: value}), example.budget)
    if isinstance(estimator, histograms.BallRange):
        yield Example(replace(estimator, calibration="paper"), example.budget)


def parallel(plan):
    match plan:
        case Parallel() | Sequential():
            if isinstance(plan, Parallel) and len(plan.parts) > 1:
                yield plan
            for part in plan.parts:
                yield from parallel(part)
        case Converted():
            yield from parallel(plan.part)
        case Interleaved():
            yield from parallel(plan.whole)


def one_part_moves(example, n, nodes):
    """Replace rows in one run; and where the part that sees rows is another one, those between."""
    warm(example, n)
    parts, moved, far = {}, set(), by_row(example, np.array([FAR]))[0]  # of a step, as (node, place)
    for number, node in enumerate(nodes):
        for place, part in enumerate(node.parts):
            for charge in part.charges():
                parts.setdefault(charge.step, set()).add((number, place))
    x, seed, events = whole_run(example, n, {*parts})

    @cache
    def parts_of(row):
        with spied(events) as replayed:
            run(example, replaced(x, row, far), seed)
        pairs = zip(events, replayed, strict=True)
        steps = {event.charge.step for event, again in pairs if moves(event, again)}
        found = {part for step in steps for part in parts.get(step, ())}
        assert len(found) == len({node for node, _ in found}), f"row {row} of {n} moves the parts {found}"
        moved.update(found)
        return found

    def refine(first, last):
        if parts_of(first) != parts_of(last) and last - first > 1:
            middle = (first + last) // 2
            refine(first, middle)
            refine(middle, last)

    most = max(len(node.parts) for node in nodes)
    for first, last in pairwise([*range(most), *range(n - most, n)]):
        refine(first, last)
    assert moved == set().union(*parts.values()), "a part sees none of the replaced rows"


def whole_run(example, n, steps):
    for seed in range(ATTEMPTS):
        x = typical_rows(example, n, seed)
        if getattr(example.estimator, "degenerate", False):
            x = np.outer(x[:, 0], np.linspace(1.0, 2.0, x.shape[1]))
        with spied() as events:
            run(example, x, seed)
        if {event.charge.step for event in events} >= steps:
            return x, seed, events
    raise AssertionError(f"every run ends early: {example}")
