"""The sweeps behind Figures 1 to 4 of WX19, and behind the map of regimes: its structure, our numbers.

(i) the sparsity ratio, (ii) p, or (iii) ε varies against n; δ = 1/n; 20 runs. Every run has both algorithms'
output beside six references: the zero matrix, the diagonal of the truth, that of the release, the release
itself, the empirical covariance, and its thresholded version. Runs are in law, so that n may be anything.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from workbench.chapters.sparse_covariance.runs.designs import (
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
from workbench.study.profiles import blocks
from workbench.study.sweeps.sweep import Sweep
from workbench.study.trials import Row, each_trial
from workbench.types import Array

SHARE, P, EPSILON, SMALL_P = 0.2, 100, 1.0, 200
VALUES = {"share": (0.1, 0.2, 0.3, 0.5), "p": (50, 100, 200, 400), "epsilon": (0.1, 0.5, 1.0, 2.0)}
BASE = {
    "share": {"share": SHARE, "p": P, "epsilon": EPSILON},
    "p": {"share": SHARE, "p": P, "epsilon": EPSILON},
    "epsilon": {"share": SHARE, "p": SMALL_P, "epsilon": EPSILON},
}
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


def figure_sweep(model: str) -> Sweep:
    """Return the sweep of one model: three settings of four values each, at eight n."""
    points = {
        tuple(values.items()): values
        for setting, choices in VALUES.items()
        for choice in choices
        for n in ROWS[model]
        for values in [{"model": model, **BASE[setting], setting: choice, "n": n}]
    }
    return Sweep(f"wx19-figures-{model}", tuple(points.values()), figure, trials=2, blocks=blocks(10))


FIGURES = {model: figure_sweep(model) for model in ROWS}


@each_trial
def regime(
    model: str,
    p: int,
    n: int,
    epsilon: float,
    degree: float,
    share: float,
    *,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the default rule, its rivals, and the share of the support that it finds."""
    wanted = min(1.0, share_of(p, degree) if degree else share)
    chosen: Model = "local" if model == "local" else "central"
    one = released(spread(p, wanted, n, data), n, epsilon, data, noise, model=chosen)
    kept, size = one.thresholded("adaptive-lasso", noise), spectral(one.truth)
    found = {"default": kept.psd, "plain": one.released, "noisy diagonal": diagonal(one.released)}
    ratios = {name: spectral(matrix - one.truth) / size for name, matrix in found.items()}
    return {**ratios, "zero": 1.0, "recall": recall(kept.thresholded, one.truth)}


REGIMES = Sweep(
    "wx19-regimes",
    tuple(
        {"model": model, "p": p, "n": n, "epsilon": 1.0, "degree": 3, "share": 0.0}
        for model in MAP_ROWS
        for p in MAP_P
        for n in MAP_ROWS[model]
    )
    + tuple(
        {"model": "central", "p": P, "n": n, "epsilon": 1.0, "degree": 0, "share": share}
        for share in MAP_SHARES
        for n in MAP_ROWS["central"]
    ),
    regime,
    trials=1,
    blocks=blocks(8),
)
