"""The sweeps behind Figures 1 to 4 of WX19, and behind the map of regimes: its structure, our numbers.

(i) the sparsity ratio, (ii) p, or (iii) ε varies against n; δ = 1/n; 20 runs. Every run has both algorithms'
output beside six references: the zero matrix, the diagonal of the truth, that of the release, the release
itself, the empirical covariance, and its thresholded version. Runs are in law, so that n may be anything.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.sparse_covariance.runs.designs import (
    DELTA,
    Model,
    Run,
    column_sum,
    diagonal,
    estimates,
    released,
    share_of,
    spectral,
    spread,
)
from workbench.chapters.sparse_covariance.runs.measures import recall
from workbench.chapters.sparse_covariance.runs.theory import USUAL, P, rows_factor
from workbench.privacy import ApproxDP
from workbench.study.grids import Sweep, multiples
from workbench.study.profiles import blocks
from workbench.study.run import Row, each_trial
from workbench.types import Array

SHARE, EPSILON = 0.2, 1.0
MODELS: tuple[Model, ...] = ("central", "local")
SHARES, COLUMNS, EPSILONS = (0.1, 0.2, 0.3, 0.5), (50, 100, 200, 400), (0.1, 0.5, 1.0, 2.0)
ROWS = {
    "central": tuple(round(n) for n in np.geomspace(3e3, 3e7, 8)),
    "local": tuple(round(n) for n in np.geomspace(1e5, 1e12, 8)),
}
NORMS: dict[int, Callable[[Array], float]] = {2: spectral, 1: column_sum}

MAP_P = (25, 50, 100, 200, 400)
MAP_SHARES = (0.01, 0.03, 0.1, 0.2, 0.5, 1.0)
MAP_ROWS = {
    "central": tuple(round(n) for n in np.geomspace(3e3, 3e6, 7)),
    "local": tuple(round(10.0**power) for power in range(5, 12)),
}


def relative_errors(one: Run, rng: Generator) -> dict[str, float]:
    """Return the relative errors of all, in both norms."""
    found = estimates(one, rng)
    return {
        f"{name}, w = {w}": norm(matrix - one.truth) / norm(one.truth)
        for w, norm in NORMS.items()
        for name, matrix in found.items()
    }


@each_trial
def figure(
    model: str, share: float, p: int, epsilon: float, n: int, *, data: Generator, noise: Generator
) -> Row:
    """Measure all errors at a point of the figures."""
    chosen: Model = "local" if model == "local" else "central"
    covariance = spread(p, share, n, data)
    one = released(covariance, n, epsilon, data, noise, delta=1 / n, model=chosen, calibration="paper")
    return relative_errors(one, noise)


@dataclass(frozen=True)
class Settings:
    """The base values of Figures 1 to 4, and what varies round them."""

    share: float = SHARE
    p: int = P
    epsilon: float = EPSILON

    @property
    def base(self) -> Mapping[str, Mapping[str, Any]]:
        """Setting -> what is fixed in it."""
        values = {"share": self.share, "p": self.p, "epsilon": self.epsilon}
        return {"share": values, "p": values, "epsilon": {**values, "p": 2 * self.p}}

    @property
    def values(self) -> Mapping[str, tuple[Any, ...]]:
        """Setting -> its four values."""
        return {
            "share": tuple(self.share / SHARE * one for one in SHARES),
            "p": multiples(COLUMNS, self.p / P),
            "epsilon": tuple(self.epsilon / EPSILON * one for one in EPSILONS),
        }

    def rows(self, model: Model) -> tuple[int, ...]:
        """Return the grid of n: it follows the noise."""
        factor = rows_factor(model, self.p, ApproxDP(self.epsilon, DELTA))
        return multiples(ROWS[model], factor)

    def points(self, model: Model) -> tuple[dict[str, Any], ...]:
        """Return three settings of four values each, at eight n."""
        points = {
            tuple(values.items()): values
            for setting, choices in self.values.items()
            for choice in choices
            for n in self.rows(model)
            for values in [{"model": model, **self.base[setting], setting: choice, "n": n}]
        }
        return tuple(points.values())


FIGURES = {
    model: Sweep(
        f"wx19-figures-{model}", Settings().points(model), figure, trials=2, blocks=blocks(10), in_law=True
    )
    for model in MODELS
}


@each_trial
def regime(
    model: str,
    p: int,
    n: int,
    epsilon: float,
    degree: float,
    share: float,
    *,
    delta: float = DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the default rule, its rivals, and the share of the support that it finds."""
    wanted = min(1.0, share_of(p, degree) if degree else share)
    chosen: Model = "local" if model == "local" else "central"
    one = released(spread(p, wanted, n, data), n, epsilon, data, noise, delta=delta, model=chosen)
    kept, size = one.thresholded("adaptive-lasso", noise), spectral(one.truth)
    found = {"default": kept.psd, "plain": one.released, "noisy diagonal": diagonal(one.released)}
    ratios = {name: spectral(matrix - one.truth) / size for name, matrix in found.items()}
    return {**ratios, "zero": 1.0, "recall": recall(kept.thresholded, one.truth)}


def regime_points(p: int, degree: int, budget: ApproxDP) -> tuple[dict[str, Any], ...]:
    """Return both models at five p round this one, then shares of all pairs at this one."""
    rows = {model: multiples(MAP_ROWS[model], rows_factor(model, p, budget)) for model in MODELS}
    law = {"epsilon": budget.epsilon}
    sparse = [
        {"model": model, "p": one, "n": n, **law, "degree": degree, "share": 0.0}
        for model in MODELS
        for one in multiples(MAP_P, p / P)
        for n in rows[model]
    ]
    dense = [
        {"model": "central", "p": p, "n": n, **law, "degree": 0, "share": share}
        for share in MAP_SHARES
        for n in rows["central"]
    ]
    return (*sparse, *dense)


REGIMES = Sweep("wx19-regimes", regime_points(P, 3, USUAL), regime, trials=1, blocks=blocks(8), in_law=True)
