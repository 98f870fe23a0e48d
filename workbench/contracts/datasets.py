"""The rows that contracts try: typical, constant and hostile ones, on the line and in d dimensions."""

from functools import cache
from itertools import chain

import numpy as np

from workbench.catalog import KNOWN
from workbench.study.search import fewest_rows

HOSTILE = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e100, -1e100, 1e15, 5e-324, 0.0, -0.0)
DIRECTIONS = 12  # of far rows: two of them are orthogonal after any linear map, nearly


def entry_of(example):
    kind = type(example.estimator)
    return next(entry for entry in KNOWN.values() if type(entry.estimator) is kind)


def dimension(example):
    return entry_of(example).population.d


def planned(example, n):
    return example.estimator.plan(n, dimension(example) or 1, example.budget)


@cache
def least(example):
    return fewest_rows(example.estimator, dimension(example) or 1, example.budget)


def sizes(example, *wanted):
    return sorted({max(n, least(example)) for n in wanted})


def filled(example, n, value):
    d = dimension(example)
    return np.full(n if d is None else (n, d), value, np.float64)


def by_row(example, numbers):
    d = dimension(example)
    return numbers if d is None else numbers[:, None] * np.resize([1.0, -1.0, 0.5], d)


def frame(example):
    """The centre and the scale that an estimator is given, or 0 and 1."""
    return [getattr(example.estimator, name, usual) for name, usual in (("centre", 0.0), ("sigma", 1.0))]


def middle(example):
    centre, _ = frame(example)
    return np.array(centre) if isinstance(centre, tuple) else centre


def with_absent(x, every):
    other = x.copy()
    other[every // 2 :: every] = np.nan
    return other


def typical_rows(example, n, seed):
    rng = np.random.default_rng(seed)
    if dimension(example) is not None:
        return entry_of(example).population.sample(n, rng=rng)
    centre, sigma = frame(example)
    return centre + sigma * rng.standard_normal(n)


def calm(example, n, seed):
    """Typical rows, and rows that are all the same."""
    return [typical_rows(example, n, seed), *(filled(example, n, value) for value in (0, 1, np.nan, 1e99))]


def row_values(example, n):
    if dimension(example) is not None:
        return _row_vectors(example, n)
    centre, sigma = frame(example)
    radius = getattr(example.estimator, "radius", None) or 100.0 * sigma
    sizes = 0, 0.4 * sigma, 2 * sigma, radius, 50 * radius
    near = [centre + side * size for side in (-1, 1) for size in sizes]
    return [np.float64(value) for value in (*near, *ends(example, n), *HOSTILE)]


def _row_vectors(example, n):
    d, estimator = dimension(example), example.estimator
    axes, rng = np.eye(d), np.random.default_rng(d)
    turned = rng.standard_normal((DIRECTIONS, d))
    turned /= np.linalg.norm(turned, axis=1)[:, None]
    root = getattr(entry_of(example).population, "root", axes)  # its columns are orthogonal in its frame
    hostile = [*(np.full(d, value) for value in HOSTILE), axes[0] * np.nan, axes[0] * 1e308]
    cut = getattr(estimator, "cut_radius", None)
    last_counted = cut(n, d, example.budget) * (1 - 1e-12) * axes if cut else ()
    far = 1e12 * axes, [-1e12 * axes[0], 1e-9 * axes[0]], 1e9 * turned, 1e9 * root
    return [*hostile, *chain(*far), *turned[:3], *last_counted]


def ends(example, n):
    estimator, d, reach = example.estimator, dimension(example), 1e6
    if d is not None:
        reach *= np.eye(d)[0]
    elif hasattr(estimator, "bound"):
        reach = frame(example)[1] * estimator.bound(n, example.budget) * (1 - 1e-12)
    return middle(example) - np.float64(reach), middle(example) + np.float64(reach)
