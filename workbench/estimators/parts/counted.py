"""A private count of the rows that are there, for intervals.

An interval that is to cover whatever share of the rows is absent has to know the share first. With
`missing="counted"`

    (1) p = the number of rows that are there + noise, with 2 % of the budget          sensitivity 1
    (2) p/n within [1/10, 1] rescales the mean, and chooses the width (`parts.scale.counted_pivots`)

(2) is post-processing, and the share of the budget is public: `plan` shows the charge. Sums of clipped rows
need no count of their own: `parts.rescaled`. Proof: `proofs/absent.md`, section 3.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import divided, mean_charge, rule
from workbench.estimators.parts.rows import present
from workbench.privacy import Budget, NoiseSource, Plan, Sequential
from workbench.privacy.mechanisms import additive
from workbench.types import Array, Calibration

Missing: TypeAlias = Literal["neutral", "counted"]
"""Whether an answer stays as absent rows leave it, or makes up for the share of them that is released."""

STEP, SHARE, LEAST = "count", 0.02, 0.1


def costs(budget: Budget) -> tuple[Budget, Budget]:
    """Return what the count costs, and what is left, with all of δ."""
    rest, count = divided(budget, 1 - SHARE)
    return count, rest


def left_by(missing: Missing, budget: Budget) -> Budget:
    """Return what is left of a budget."""
    return costs(budget)[1] if missing == "counted" else budget


def counted_plan(missing: Missing, budget: Budget, plan: Callable[[Budget], Plan]) -> Plan:
    """Return the plan of the rest of a budget, after the count if there is one."""
    if missing == "neutral":
        return plan(budget)
    count, rest = costs(budget)
    return Sequential(rule(budget), (mean_charge(STEP, 1.0, count), plan(rest)))


def require_tight(missing: Missing, calibration: Calibration) -> None:
    """Raise if an interval of the source's is asked to count: its width is for n rows."""
    if missing == "counted" and calibration == "paper":
        raise ArgumentError("missing", missing, '"neutral" with calibration = "paper"')


def present_share(missing: Missing, x: Array, plan: Plan, noise: NoiseSource) -> float:
    """Return p/n of step (2) for numbers that a plan is for; 1 where they are not counted."""
    if missing == "neutral":
        return 1.0
    there = np.asarray(int(present(x).sum()))
    return min(max(float(additive(there, plan[STEP], noise)) / len(x), LEAST), 1.0)
