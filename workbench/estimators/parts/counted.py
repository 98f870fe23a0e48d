"""A private count of the rows that are there, and sums that are rescaled by it.

A sum of clipped rows over n gives absent rows the centre of the ball: it shrinks by the share that is absent.
With `missing="counted"`

    (1) p = the number of rows that are there + noise, with 2 % of the budget          sensitivity 1
    (2) out = what the sum gives, over p/n, p/n within [1/10, 1]

(2) is post-processing, and the share is public: `plan` shows the charge. Proof: `proofs/absent.md`,
section 3.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.parts.budgets import divided, mean_charge, rule, step_budgets, steps_plan
from workbench.estimators.parts.rows import present, row_blocks
from workbench.privacy import Budget, Charge, NoiseSource, Plan, PureDP, Sequential
from workbench.privacy.mechanisms import additive
from workbench.types import Array, Calibration

Missing: TypeAlias = Literal["neutral", "counted"]
"""Whether a sum stays shrunk by the share of absent rows, or is rescaled by a private count."""

STEP, SHARE, LEAST = "count", 0.02, 0.1


def costs(budget: Budget, events: bool = False) -> tuple[Budget, Budget]:
    """Return what the count costs, and what is left; with `events` the steps that are left have a δ each."""
    if isinstance(budget, PureDP) or events:
        rest, count = divided(budget, 1 - SHARE)
        return count, rest
    count, rest = step_budgets(budget, (SHARE, 1 - SHARE))
    return count, rest


def left_by(missing: Missing, budget: Budget, events: bool = False) -> Budget:
    """Return what is left of a budget."""
    return costs(budget, events)[1] if missing == "counted" else budget


def count_charges(missing: Missing, budget: Budget) -> tuple[Charge, ...]:
    """Return the charge of a count beside steps that have a δ each; none without."""
    return (mean_charge(STEP, 1.0, costs(budget, events=True)[0]),) if missing == "counted" else ()


def counted_plan(
    missing: Missing, budget: Budget, plan: Callable[[Budget], Plan], events: bool = False
) -> Plan:
    """Return the plan of the rest of a budget, after the count if there is one."""
    if missing == "neutral":
        return plan(budget)
    count, rest = costs(budget, events)
    charge = mean_charge(STEP, 1.0, count)
    if isinstance(budget, PureDP) or events:
        return Sequential(rule(budget), (charge, plan(rest)))
    return steps_plan(budget, (charge, *plan(rest).charges()))


def require_tight(missing: Missing, calibration: Calibration) -> None:
    """Raise if an interval of the source's is asked to count: its width is for n rows."""
    if missing == "counted" and calibration == "paper":
        raise ArgumentError("missing", missing, '"neutral" with calibration = "paper"')


def uncounted(plan: Plan) -> list[Charge]:
    """Return the charges of a plan but that of the count."""
    return [charge for charge in plan.charges() if charge.step != STEP]


def present_share(missing: Missing, rows: Array, plan: Plan, noise: NoiseSource) -> float:
    """Return p/n of step (2) for rows, or numbers, that a plan is for; 1 where they are not counted."""
    if missing == "neutral":
        return 1.0
    there = np.asarray(sum(int(present(block).sum()) for block in row_blocks(rows)))
    return min(max(float(additive(there, plan[STEP], noise)) / len(rows), LEAST), 1.0)
