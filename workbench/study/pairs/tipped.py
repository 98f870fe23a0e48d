"""The row that tips a robust group: it stands so many rows that are far away, and not one more.

Its robust estimate hardly moves with one of its rows, unless half of them, or so, are elsewhere.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.bounds.search import smallest
from workbench.catalog import CATALOG
from workbench.estimators.base import shuffled
from workbench.privacy import NoiseSource
from workbench.study.audit import Pair
from workbench.study.faults import Event, replaced_everywhere, spied
from workbench.study.pairs.base import Setting, pair
from workbench.study.pairs.replayed import run
from workbench.types import Array

FAR = 1e6


def tipped(setting: Setting) -> Pair:
    """Return typical rows, so many of the first group's far away that one more costs it its friends."""
    typical = CATALOG[setting.key].population.sample(setting.n, rng=np.random.default_rng(setting.n))
    members = first_group(setting, typical)

    def without(rows: int) -> Array:
        x = typical.copy()
        x[members[:rows]] = FAR * np.eye(setting.d)[0]
        return x

    def vote(rows: int) -> Event:
        with spied() as events:
            run(setting, without(rows), 0)
        return events[0]

    first = vote(0)
    least = first.statistic - first.charge.sensitivity / 2
    last = smallest(lambda rows: rows >= len(members) or vote(rows).statistic < least) - 1
    row = members[last]
    return pair("typical rows, a group tips", without(last), typical[row], FAR * np.eye(setting.d)[0], row)


def outvoted(setting: Setting) -> Pair:
    """Return typical rows, so many of them far from all others that one more changes the count of a vote."""
    typical = CATALOG[setting.key].population.sample(setting.n, rng=np.random.default_rng(setting.n))
    x, far = typical[:, : setting.d], FAR * np.eye(setting.d)[0]

    def without(rows: int) -> Array:
        return np.vstack([np.outer(np.arange(1, rows + 1), far), x[rows:]])

    def count(rows: int) -> int:
        with spied() as events:
            run(setting, without(rows), 0)
        return int(events[0].statistic.count)

    most = count(0)
    last = smallest(lambda rows: rows >= setting.n or count(rows) < most) - 1
    return pair("typical rows, a vote tips", without(last), x[last], (last + 1) * far, last)


def first_group(setting: Setting, x: Array) -> NDArray[np.int64]:
    """Return which rows are in the first group of the first vote, the first row of each pair of rows."""
    original, orders = shuffled, list[NDArray[np.int64]]()

    def recorded(rows: Array, noise: NoiseSource) -> Array:
        order = original(np.arange(len(rows), dtype=np.float64), noise).astype(np.int64)
        if not events:
            orders.append(order)
        return np.asarray(rows[order])

    with replaced_everywhere((shuffled, recorded)), spied() as events:
        run(setting, x, 0)
    members = orders[-1][: first_design(setting).size] * (1 if len(orders[-1]) == setting.n else 2)
    for order in reversed(orders[:-1]):
        members = order[members]
    return members


def first_design(setting: Setting) -> Any:
    """Return the design of the first vote."""
    estimator: Any = setting.estimator
    asked = setting.n, setting.d, setting.budget
    if hasattr(estimator, "recipes"):
        return estimator.recipes(*asked)[0].design
    return estimator.recipe(*asked).design if hasattr(estimator, "recipe") else estimator.design(*asked)
