"""What is attacked: a stage or a whole estimator, its claim, and the pairs that may betray it.

A stage is the mechanism of one charge, given the outputs of the former stages (`pairs.replayed`), and is held
to its own cost: in the whole the noise of another stage may hide that its own is too small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.catalog import KNOWN
from workbench.estimators.base import Estimator, sanitised
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Budget,
    Charge,
    GaussianDP,
    Plan,
    SimulatedNoise,
    compose,
)
from workbench.privacy.budgets import gdp_from_gaussian_zcdp
from workbench.privacy.mechanisms import gaussian_mu
from workbench.study.audit import Mechanism, Pair, numbers
from workbench.types import Array

WHOLE = "whole"  # the stage name of an end-to-end attack


@dataclass(frozen=True)
class Case:
    """One attack."""

    key: str  # the entry of the catalog
    variant: str  # calibration and budget
    stage: str  # a step of the plan, or `WHOLE`
    claim: Budget  # what the stage promises
    mechanism: Mechanism  # runs it
    pairs: tuple[Pair, ...]  # the worst neighbours known
    share: float = 1.0  # of a preset's runs: below 1 where a run is slow

    @property
    def name(self) -> str:
        return f"{self.key}, {self.variant}, {self.stage}"


@dataclass(frozen=True)
class Setting:
    """An estimator at a budget and a number of rows, of `d` columns, at which its plan has all its steps."""

    key: str
    estimator: Estimator[Any]
    budget: Budget
    n: int
    d: int = 1

    @property
    def variant(self) -> str:
        ranged = "" if getattr(self.estimator, "lower", None) is None else ", range"
        mask = f", {mask}" if (mask := getattr(self.estimator, "mask", "")) else ""
        centre = getattr(self.estimator, "centre", 0.0)
        centred = f", centre {centre if isinstance(centre, tuple) else format(centre, 'g')}" if centre else ""
        share = f", corruption {share:g}" if (share := getattr(self.estimator, "corruption", 0.0)) else ""
        way = getattr(self.estimator, "covariance", "populous")
        frame = "" if way == "populous" else f", {way}"
        full = "" if getattr(self.estimator, "degenerate", True) else ", full rank"
        calibration = getattr(self.estimator, "calibration", "default")
        many = f", {len(levels)} levels" if (levels := getattr(self.estimator, "levels", ())) else ""
        many += ", range" if many and getattr(self.estimator, "radius", None) else ""
        single = ", one column" if self.d == 1 and (KNOWN[self.key].population.d or 1) > 1 else ""
        return f"{calibration}{ranged}{centred}{share}{mask}{many}{frame}{full}{single}, {self.budget}"

    @property
    def plan(self) -> Plan:
        return self.estimator.plan(self.n, self.d, self.budget)

    def typical(self) -> Array:
        """Return rows of the entry's population, the same ones whenever they are asked for."""
        rows = KNOWN[self.key].population.sample(self.n, rng=np.random.default_rng(self.n))
        return rows[:, : self.d]

    def whole(self, pairs: Sequence[Pair], share: float) -> Case:
        silent = (np.nan,) * self._columns()

        def mechanism(x: Array, trials: int, rng: np.random.Generator) -> Array:
            noise = SimulatedNoise(rng)
            with np.errstate(all="ignore"):
                runs = (self.estimator.estimate(sanitised(x), self.budget, noise) for _ in range(trials))
                return np.array([numbers(one) or silent for one in runs], np.float64)

        return Case(self.key, self.variant, WHOLE, compose(self.plan), mechanism, tuple(pairs), share)

    def _columns(self) -> int:
        triangle = self.d * (self.d + 1) // 2
        match KNOWN[self.key].estimand:
            case "interval":
                return 2
            case "quantiles":
                return len(getattr(self.estimator, "levels", ()))
            case "counts":
                return len(getattr(self.estimator, "edges", ())) + (self.key == "univariate/histogram")
            case "mean" | "range" | "eigenvalues":
                return self.d
            case "covariance" | "subspace":
                return triangle
            case "gaussian":
                return self.d + triangle
        return 1


def native(charge: Charge) -> Budget:
    """Return the sharpest statement about a charge: GDP where its noise is Gaussian and all there is."""
    match charge.mechanism, charge.cost:
        case "gaussian" | "symmetric_gaussian", ZCDP() as cost:
            return gdp_from_gaussian_zcdp(cost)
        case "gaussian" | "symmetric_gaussian", ApproxDP() as cost:
            return GaussianDP(gaussian_mu(cost))
    return charge.cost


def pair(name: str, base: Array, value: Array, other: Array, row: int) -> Pair:
    first, second = base.copy(), base.copy()
    first[row], second[row] = value, other
    return Pair(f"{name} (n = {len(base)}, row {row})", first, second)
