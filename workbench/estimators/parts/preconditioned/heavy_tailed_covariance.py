"""The steps that heavy-tailed covariances share: plan, run and bound of a design (M21/HT Algorithms 1 to 3).

Proof: `proofs/heavy_tails.md`, sections 1 to 5.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.errors import checked, probability
from workbench.estimators.base import Trace, require_matrix
from workbench.estimators.parts.budgets import batches_plan, gaussian_total, step_budgets, steps_plan
from workbench.estimators.parts.foreseen import better_than, median_of_matrix
from workbench.estimators.parts.integers import moment_in_ball
from workbench.estimators.parts.preconditioned.bounded_moments import Moments, require_fourth, zeroed_beyond
from workbench.estimators.parts.preconditioned.heavy_tailed_design import (
    Design,
    Problem,
    Stage,
    design,
    error_bound,
    expected_rms,
)
from workbench.estimators.parts.preconditioned.preconditioning import mapped_back
from workbench.estimators.parts.rows import (
    centred_count,
    centred_rows,
    require_spread,
)
from workbench.linalg import psd_part
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.types import Array, Calibration, Mode


@dataclass(frozen=True)
class HeavyTailedSteps:
    """The recipe: public parameters as in `HeavyTailedCovariance`, `steps` = 1 for the naive estimator."""

    upper: float
    lower: float
    centred: bool
    moments: int
    hypercontractivity: float
    steps: int | None
    calibration: Calibration
    mode: Mode
    alpha: float
    beta: float

    def check(self) -> None:
        """Raise on a parameter outside its range."""
        checked(self)
        require_spread(self.lower, self.upper)
        require_fourth(self.bounded)
        probability(alpha=self.alpha)

    @property
    def bounded(self) -> Moments:
        """The constants (C, 2k) of the rows."""
        return Moments(self.moments, self.hypercontractivity)

    def problem(self, n: int, d: int, budget: Budget) -> Problem:
        """Return the public facts of a run."""
        return Problem(
            m=centred_count(n, self.centred),
            d=d,
            ratio=self.upper / self.lower,
            mu=gaussian_total(budget),
            moments=self.bounded if self.centred else self.bounded.paired(),
            calibration=self.calibration,
            mode=self.mode,
            alpha=self.alpha,
            beta=self.beta,
        )

    def design(self, n: int, d: int, budget: Budget) -> Design:
        """Return radii, bands and shares of all steps."""
        return design(self.problem(n, d, budget), self.steps)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return one charge for each step, in the unit of its rows w."""
        require_matrix(n, d)
        stages = self.design(n, d, budget).stages
        batches = self.mode == "proved" and len(stages) > 1
        whole = (step_budgets(budget, (1.0,))[0],) * len(stages)
        costs = whole if batches else step_budgets(budget, [stage.weight for stage in stages])
        charges = [
            Charge(f"step {place}", "symmetric_gaussian", stage.sensitivity, cost)
            for place, (stage, cost) in enumerate(zip(stages, costs, strict=True), start=1)
        ]
        return batches_plan(budget, charges) if batches else steps_plan(budget, charges)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None) -> Array:
        """Return the private covariance of sanitised rows."""
        n, d = x.shape
        stages, charges = self.design(n, d, budget).stages, list(self.plan(n, d, budget).charges())
        rows, a = centred_rows(x, self.centred), np.eye(d) / sqrt(self.upper)
        for stage, charge in zip(stages, charges, strict=True):
            if trace is not None:
                trace.add(preconditioner=a, lower=stage.lower)
            moment = self.moment(rows[stage.start : stage.stop], a, stage)  # (1)
            z = symmetric_gaussian(moment, charge, noise)  # (2)
            if stage.band is not None:
                a = stage.band.preconditioned(z, stage.lower, a)  # (4)
        return mapped_back(psd_part(z), a)  # (3)

    def moment(self, rows: Array, a: Array, stage: Stage) -> OnGrid:
        """Return the second moment of the rows w = A x cut at the radius of a stage."""

        def cut(block: Array) -> Array:
            w = block @ a.T
            return zeroed_beyond(w, stage.radius) if self.calibration == "paper" else w

        return moment_in_ball(rows, cut, stage.radius)

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return an upper `beta`-quantile of the error in the norm of Σ.

        Infinite in mode "practical", and for a beta below the field where several steps are taken.
        """
        probability(beta=beta)
        require_matrix(n, d)
        problem, stages = self.problem(n, d, budget), self.design(n, d, budget).stages
        if self.mode == "practical" or (len(stages) > 1 and beta < self.beta):
            return float("inf")
        return error_bound(problem, stages, beta)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median error in the norm of Σ for rows of light tails, infinite from √d on."""
        require_matrix(n, d)
        rms = expected_rms(self.problem(n, d, budget), self.design(n, d, budget).stages)
        return better_than(sqrt(d), median_of_matrix(rms, d))
