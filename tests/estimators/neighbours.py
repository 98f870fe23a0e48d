"""Neighbours for a test of stability that its first data set barely passes."""

import numpy as np

from workbench.errors import ArgumentError
from workbench.estimators.stable_quantile import WIDEST, Influence, LiftedStability

CLOSE = (1 - 1e-12, 1 - 1e-9, 1 - 1e-4)


FAR = (0.0, -1.0, 0.3, 3.0, 1e3, 1e8)


EDGES = ("slope", "scale", "guard")


def rows(rng, n, d):
    """Rows of one of six kinds, of any shape, at most 10^12 sds away."""
    kind, z = rng.integers(6), rng.normal(size=(n, d))
    z = rng.choice([-1.0, 1.0], size=(n, d)) if kind == 1 else np.round(z, 1) if kind == 2 else z
    z = np.exp(z) if kind == 3 else z
    if kind == 4:
        z[: n // 10] *= 10.0 ** rng.integers(1, 60)
    if kind == 5:
        z[rng.integers(n, size=n // 3)] = z[0]
    shape = rng.normal(size=(d, d)) * 10.0 ** rng.uniform(-4, 4, size=d)
    return z @ shape.T + rng.choice([0.0, 1e3, 1e12]) * np.abs(shape).max() * rng.normal(size=d)


def neighbour(rng, x):
    """The rows with one replaced: that in the middle of a column, or any."""
    y, middle = x.copy(), np.median(x, axis=0)
    i = int(np.argsort(x[:, 0])[(len(x) + 1) // 2 - 1]) if rng.random() < 0.3 else int(rng.integers(len(x)))
    y[i] = np.clip(middle + rng.choice(FAR) * (x[rng.integers(len(x))] - middle), -1e100, 1e100)
    return y


def found_pair(edge, number):
    """Two data sets and a test that the first barely passes at some count; None if it cannot."""
    rng = np.random.default_rng((7, EDGES.index(edge), number))
    d, n, most, knee = (
        int(rng.integers(1, 5)),
        int(rng.integers(40, 120)),
        int(rng.integers(2, 6)),
        rng.choice([0.3, 0.5, 1.0]),
    )
    x, level = rows(rng, n, d), rng.uniform(0.15, 0.5) * n / (d + 1)
    try:
        free = LiftedStability(n, d + 1, Influence(knee), level, most, 1.01, least=1e-12)
        edges = barely(free, x, int(rng.integers(1, most + 1)))
        if edges is None:
            return None
        strength, least, widest = edges
        close = rng.choice(CLOSE)
        loose = 1.02 + (strength - 1.02) * rng.random()
        test = LiftedStability(
            n,
            d + 1,
            Influence(knee),
            level,
            most,
            strength * close if edge == "slope" else loose,
            widest=widest / close if edge == "guard" else WIDEST,
            least=least * close if edge == "scale" else least / 2,
        )
    except ArgumentError:
        return None
    return x, neighbour(rng, x), test


def barely(free, x, t):
    """The strength, the scale and the guard that rows pass at t, and no more; None if they do not."""
    scaled = free.scaled(x, t)
    high = free.solver.descend(scaled, scaled.start(), free.low(t))
    low = None if high is None else free.solver.descend(scaled, high, free.high(t))
    if high is None or low is None:
        return None
    strength = free.slope(scaled, low, high) - (free.influence.most + free.margin) * t
    return None if strength < 1.03 else (strength, scaled.scale(low), 6 * float((low[1:, 1:] ** 2).sum()))


def passed_counts(test, x):
    """Whether every count passes."""
    return [test.holds(x, t) is not None for t in range(1, test.most + 1)]


def apart(first, second):
    """How far locations are, in the larger of both norms, and the sums of ln λ of either sign."""
    unit = np.abs(first.root).max(axis=1)
    here, there = first.root / unit[:, None], second.root / unit[:, None]
    moved = (first.centre - second.centre + first.shift - second.shift) / unit
    location = max(np.linalg.norm(np.linalg.solve(root, moved)) for root in (here, there))
    logs = 2 * np.log(np.linalg.svd(np.linalg.solve(here, there), compute_uv=False))
    return location, logs[logs > 0].sum(), -logs[logs < 0].sum()
