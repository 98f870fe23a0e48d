"""Boosting: the same estimator on disjoint parts of the rows, and the answer that most others are near.

    (1) part p = the rows p, p + k, p + 2k, .., fixed by their numbers; one run on each, at the whole budget
    (2) out = the answer of least median distance to all answers; parts without an answer do not count

A replaced row lies in one part, so that the whole costs what one part costs. If each answer is within η of
the mean with probability .9, more than half of them are with probability 1 - e^(-k/3) or so, and out is
within 3η. LKKO21 Remark 1 and the boosting of its Section 3. Proof: `proofs/prime.md`, section 5.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from workbench.estimators.base import Abstention
from workbench.privacy import Charge, Converted, Interleaved, Parallel, Plan, Sequential
from workbench.types import Array


def split_plan(plan: Callable[[int], Plan], n: int, splits: int) -> Plan:
    """Return the plan of runs on parts of n rows, `plan` telling that of one part from its size."""
    if splits == 1:
        return plan(n)
    sizes = (len(range(p, n, splits)) for p in range(splits))
    return Parallel(tuple(renamed(plan(size), f"part {p}: ") for p, size in enumerate(sizes, start=1)))


def renamed(plan: Plan, prefix: str) -> Plan:
    """Return the plan with a word before the name of every step."""
    match plan:
        case Charge():
            return replace(plan, step=prefix + plan.step)
        case Converted():
            return Converted(renamed(plan.part, prefix), plan.budget)
        case Interleaved():
            return Interleaved(renamed(plan.whole, prefix), tuple(prefix + step for step in plan.order))
        case Parallel():
            return Parallel(tuple(renamed(part, prefix) for part in plan.parts))
        case Sequential():
            return Sequential(plan.rule, tuple(renamed(part, prefix) for part in plan.parts))


def split_run(
    x: Array, plan: Plan, splits: int, run: Callable[[Array, Plan], Array | Abstention]
) -> Array | Abstention:
    """Return the answer of step (2); `run` takes the rows of a part and its plan."""
    if splits == 1:
        return run(x, plan)
    assert isinstance(plan, Parallel)
    answers = [run(np.ascontiguousarray(x[p::splits]), plan.parts[p]) for p in range(splits)]  # (1)
    found = [answer for answer in answers if not isinstance(answer, Abstention)]
    return central(found) if found else answers[0]


def central(answers: Sequence[Array]) -> Array:
    """Return the answer of least median distance to all of them.

    >>> central([np.zeros(2), np.ones(2) / 10, np.full(2, 1e6)]).tolist()
    [0.0, 0.0]
    """
    points = np.array(answers)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return np.asarray(points[np.argmin(np.median(apart, axis=1))])
