"""Parts of a `Parallel` plan look at rows of their own: a replaced row moves what one of them sees.

A row is replaced, and the run is replayed given its former outputs: the first and last rows, and both sides
of every place where another part begins. Rows that are shuffled keep their order here, so that a part of them
is a range of rows.
"""

from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from unittest.mock import patch

import numpy as np

from workbench.catalog import Example
from workbench.contracts import datasets
from workbench.contracts.datasets import by_row, entry_of, planned, typical_rows
from workbench.contracts.gaps import replaced
from workbench.contracts.kit import Event, run, spied, warm
from workbench.estimators import base, histograms
from workbench.privacy import Converted, Interleaved, NonPrivate, Parallel, Sequential
from workbench.study.faults import replaced_everywhere
from workbench.study.pairs.replayed import moves

FEW, MANY = 24, 50_000  # rows; many for batches, which few rows are not divided into
DIVIDING = {"splits": 3, "mode": "proved"}
FEW_PARTS = 2
ATTEMPTS = 5  # at rows on which no part of a run ends early
FAR = 1e6


@dataclass(frozen=True)
class Form:
    """An example, or another choice of its public options, with rows enough for a plan with parts."""

    example: Example
    n: int
    nodes: tuple[Parallel, ...]

    def children(self):
        found = {}
        for number, node in enumerate(self.nodes):
            for place, part in enumerate(node.parts):
                for charge in part.charges():
                    found.setdefault(charge.step, set()).add((number, place))
        return found

    @property
    def ends(self):
        k = max(len(node.parts) for node in self.nodes)
        return [*range(k), *range(self.n - k, self.n)]


def a_row_moves_one_part(example):
    """Of every `Parallel` node, at most one part sees anything of a replaced row, and every part of some."""
    for form in forms(example):
        with few_parts():
            one_part_moves(form)


def few_parts():
    return patch.object(histograms, "PARTS", FEW_PARTS)


def forms(example):
    """The example and, for the first one of its key, the options that divide the rows."""
    with few_parts():
        found = [first_with_parts(one) for one in (example, *others(example))]
    return [form for form in found if form is not None]


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


def first_with_parts(example):
    batched = getattr(example.estimator, "mode", None) == "proved"
    for n in datasets.sizes(example, FEW, *[MANY] * batched):
        nodes = tuple(parallel(planned(example, n)))
        if nodes:
            return Form(example, n, nodes)
    return None


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


def one_part_moves(form):
    with replaced_everywhere((base.shuffled, lambda rows, noise: rows)):
        warm(form.example, form.n)
        search = Search(form, *whole_run(form))
        for first, last in pairwise(form.ends):
            search.refine(first, last)
    expected = {child for found in form.children().values() for child in found}
    assert expected == frozenset().union(*search.moved.values()), "a part sees none of the replaced rows"


def whole_run(form):
    for seed in range(ATTEMPTS):
        x = rows_for(form, seed)
        with spied() as events:
            run(form.example, x, seed)
        if {event.charge.step for event in events} >= {*form.children()}:
            return x, seed, events
    raise AssertionError(f"every run ends early: {form.example}")


def rows_for(form, seed):
    x = typical_rows(form.example, form.n, seed)
    if getattr(form.example.estimator, "degenerate", False):
        return np.outer(x[:, 0], np.linspace(1.0, 2.0, x.shape[1]))
    return x


@dataclass
class Search:
    """Which parts see a row, by replacing it in one run; and where the part that sees rows is another one."""

    form: Form
    x: np.ndarray
    seed: int
    events: list[Event]
    moved: dict[int, frozenset[tuple[int, int]]] = field(default_factory=dict)

    def refine(self, first, last):
        if self.parts_of(first) == self.parts_of(last) or last - first < 2:
            return
        middle = (first + last) // 2
        self.refine(first, middle)
        self.refine(middle, last)

    def parts_of(self, row):
        if row not in self.moved:
            children = self.form.children()
            steps = {event.charge.step for event, again in self.replay(row) if moves(event, again)}
            found = frozenset(child for step in steps for child in children.get(step, ()))
            nodes = [node for node, _ in found]
            assert len(nodes) == len({*nodes}), f"row {row} of {self.form.n} moves the parts {sorted(found)}"
            self.moved[row] = found
        return self.moved[row]

    def replay(self, row):
        far = by_row(self.form.example, np.array([FAR]))[0]
        with spied(self.events) as replayed:
            run(self.form.example, replaced(self.x, row, far), self.seed)
        return zip(self.events, replayed, strict=True)


CONTRACTS = (a_row_moves_one_part,)
