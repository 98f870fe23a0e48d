"""What judges a reader's own rule: releases of truths that it is not told, beside the default rule."""

from collections.abc import Callable

import numpy as np

from workbench.chapters.sparse_covariance.runs.designs import released, share_of, spectral, spread
from workbench.linalg import psd_part
from workbench.study.grids import Role, stream
from workbench.types import Array

WORLDS = 20
COLUMNS, DEGREES, ROWS = (40, 160), (1, 6), (6e3, 1e5)

Rule = Callable[[Array, float, int], Array]


def hidden_worlds(rule: Rule, *, seed: int = 17) -> str:
    """Return in words how a rule's spectral error compares with that of the default rule.

    Every world has another truth, other columns and other rows; ε is 1 and δ is 1e-6.

    Parameters
    ----------
    rule : callable
        `(T, sd, n)` returns what it keeps of the release T; sd is that of its noise off the diagonal.
    seed : int
        Of the worlds and of the noise.
    """
    data, noise = (stream(seed, role, "wx19-hidden-worlds", 0, 0) for role in (Role.DATA, Role.NOISE))
    ours, plain = np.log([_ratios(rule, data, noise) for _ in range(WORLDS)]).T
    return (
        f"{WORLDS} hidden worlds: {np.exp(ours.mean()):.2f} times the error of the default rule,"
        f" {np.exp(plain.mean()):.2f} times that of the plain release (geometric means)"
    )


def _ratios(rule: Rule, data: np.random.Generator, noise: np.random.Generator) -> tuple[float, float]:
    p, degree = (int(data.integers(low, high + 1)) for low, high in (COLUMNS, DEGREES))
    n = round(np.exp(data.uniform(*np.log(ROWS))))
    one = released(spread(p, share_of(p, degree), n, data), n, 1.0, data, noise)
    kept = psd_part(np.asarray(rule(one.released.copy(), one.noise.off_diagonal, n), np.float64))
    default = one.thresholded("adaptive-lasso", noise).psd
    found, ours, plain = (spectral(made - one.truth) for made in (kept, default, one.released))
    return found / ours, found / plain
