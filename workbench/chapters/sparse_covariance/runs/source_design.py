"""The sweeps behind Figures 1 to 4 of WX19 in the source's own design: λ = 50 and c = 200.

Σ = (U + λ I)/c has the diagonal 1/4, so that a row has a norm of √(p/4), far outside the unit ball. Noise is
nevertheless that of unit rows and nothing is clipped, as in the source: these runs are not private. The
entries off the diagonal are at most 1/200. λ and c are recalled; they are lost in the text.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from workbench.chapters.sparse_covariance.runs.designs import Model, released
from workbench.chapters.sparse_covariance.runs.figures import MODELS, Settings, relative_errors
from workbench.populations.sparse import conditioned, sparse_signal
from workbench.study.grids import Sweep
from workbench.study.run import Row, each_trial

SHIFT, DIVISOR = 50.0, 200.0  # λ and c
ROWS = {
    "central": tuple(round(n) for n in np.geomspace(2e3, 2e7, 6)),
    "local": tuple(round(n) for n in np.geomspace(1e4, 1e11, 6)),
}
BLOCKS = {"deep": 10}


@each_trial
def source_design(
    model: Model, share: float, p: int, epsilon: float, n: int, *, data: Generator, noise: Generator
) -> Row:
    """Measure all errors at a point of the figures, with the rule and the noise of the source."""
    covariance = conditioned(sparse_signal(p, share, rng=data), SHIFT) / DIVISOR
    one = released(covariance, n, epsilon, data, noise, delta=1 / n, model=model, calibration="paper")
    return relative_errors(one, noise)


def points(model: Model) -> Iterator[dict[str, Any]]:
    """Return three settings of four values each, at every n; what two of them share, once."""
    seen = set()
    for setting, choices in Settings().values.items():
        for choice in choices:
            for n in ROWS[model]:
                point = {"model": model, **Settings().base[setting], setting: choice, "n": n}
                if (key := tuple(sorted(point.items()))) not in seen:
                    seen.add(key)
                    yield point


SOURCE_DESIGN = {
    model: Sweep(
        f"wx19-source-design-{model}",
        tuple(points(model)),
        source_design,
        trials=2,
        blocks=BLOCKS,
        in_law=True,
    )
    for model in MODELS
}
