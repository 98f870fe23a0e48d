"""The rows that contracts try: typical, constant and hostile ones, on the line and in d dimensions."""

from functools import cache

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


def middle(example):
    centre = getattr(example.estimator, "centre", 0.0)
    return np.array(centre) if isinstance(centre, tuple) else centre


def with_absent(x, every):
    other = x.copy()
    other[every // 2 :: every] = np.nan
    return other


def typical_rows(example, n, seed):
    estimator, rng = example.estimator, np.random.default_rng(seed)
    if dimension(example) is not None:
        return entry_of(example).population.sample(n, rng=rng)
    centre, sigma = getattr(estimator, "centre", 0.0), getattr(estimator, "sigma", 1.0)
    return centre + sigma * rng.standard_normal(n)


def calm(example, n, seed):
    """Typical rows, and rows that are all the same."""
    return [typical_rows(example, n, seed), *(filled(example, n, value) for value in (0, 1, np.nan, 1e99))]


def row_values(example, n):
    estimator = example.estimator
    if dimension(example) is not None:
        return [*_row_vectors(example), *_last_counted(example, n)]
    centre, sigma = getattr(estimator, "centre", 0.0), getattr(estimator, "sigma", 1.0)
    radius = getattr(estimator, "radius", None) or 100.0 * sigma
    near = [
        centre + side * size for side in (-1, 1) for size in (0, 0.4 * sigma, 2 * sigma, radius, 50 * radius)
    ]
    return [np.float64(value) for value in (*near, *ends(example, n), *HOSTILE)]


def _last_counted(example, n):
    if not hasattr(example.estimator, "cut_radius"):
        return []
    d = dimension(example) or 1
    return list(example.estimator.cut_radius(n, d, example.budget) * (1 - 1e-12) * np.eye(d))


def _row_vectors(example):
    d = dimension(example) or 1
    axis, rng = np.eye(d)[0], np.random.default_rng(d)
    turned = rng.standard_normal((DIRECTIONS, d))
    turned /= np.linalg.norm(turned, axis=1)[:, None]
    hostile = [np.full(d, value) for value in HOSTILE] + [axis * np.nan, axis * 1e308]
    axes = 1e12 * np.eye(d)
    root = getattr(entry_of(example).population, "root", np.eye(d))  # its columns are orthogonal in its frame
    return [*hostile, *axes, -axes[0], 1e-9 * axis, *(1e9 * turned), *(1e9 * root), *turned[:3]]


def ends(example, n):
    estimator = example.estimator
    centre, sigma = middle(example), getattr(estimator, "sigma", 1.0)
    if dimension(example) is not None:
        far = 1e6 * np.eye(dimension(example) or 1)[0]
        return centre - far, centre + far
    reach = sigma * estimator.bound(n, example.budget) * (1 - 1e-12) if hasattr(estimator, "bound") else 1e6
    return np.float64(centre - reach), np.float64(centre + reach)
