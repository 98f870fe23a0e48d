"""What the quantile of lifted normal rows looks like, by simulation: a table that designs are made from.

For n rows of N(0, I) in d columns, a knee, and the level u = share · n/(d + 1), from `DRAWS` draws:

    (1) the slope between the levels u - ru and u + ru, over n, and s at u + ru: means, and sds times √n
    (2) tr S/d at u, and |m - sample mean|² n/d: independent of the sample mean, by Basu's theorem

r on a grid, n in powers of 4. Nothing depends on a mean or a covariance, by affine equivariance, nor on data:
privacy does not hang on these numbers. Common cells are kept in `affine_cells.json`, others are simulated
when they are asked for. `python -m workbench.estimators.parts.affine.cells` writes the file.
"""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from math import sqrt
from typing import Any

import numpy as np

from workbench.estimators.parts.affine.lifted import Lifted
from workbench.estimators.parts.quantile.influence import Influence
from workbench.estimators.parts.quantile.levels import Solver
from workbench.types import Array

DRAWS, SEED = 24, 61
RATIOS = (0.0, 0.08, 0.16, 0.26, 0.4)
KNEES = (0.5, 1.0)
COMMON, POWERS = range(1, 21), range(4, 8)
FILE = "affine_cells.json"
DIGITS = 6


@dataclass(frozen=True)
class Cell:
    """(1) for every ratio, and (2)."""

    slopes: tuple[float, ...]
    slope_spreads: tuple[float, ...]
    scales: tuple[float, ...]
    scale_spreads: tuple[float, ...]
    scatter: float
    excess: float


def share(d: int) -> float:
    """Return u (d + 1)/n."""
    return 0.42 if d <= 5 else 0.54


@lru_cache(maxsize=4096)
def cell(d: int, knee: float, power: int) -> Cell:
    """Return the cell of n = 4^power rows."""
    kept = _kept().get(f"{d} {knee:g} {power}")
    if kept is None:
        return simulated(d, knee, power)
    found: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in kept.items()}
    return Cell(**found)


def simulated(d: int, knee: float, power: int) -> Cell:
    """Return the cell, simulated."""
    n, influence = int(4**power), Influence(knee)
    draws = (np.random.default_rng((SEED, d, power, draw)).standard_normal((n, d)) for draw in range(DRAWS))
    found = [_drawn(rows, influence) for rows in draws]
    slopes, scales = (np.array([one[place] for one in found]) for place in (0, 1))
    scatter, excess = (float(np.mean([one[place] for one in found])) for place in (2, 3))
    table = (*_moments(slopes, n), *_moments(scales, n))
    return Cell(*table, round(scatter, DIGITS), round(excess, DIGITS))


def _moments(values: Array, n: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    means, spreads = values.mean(axis=0), values.std(axis=0, ddof=1) * sqrt(n)
    first, second = (tuple(round(float(one), DIGITS) for one in row) for row in (means, spreads))
    return first, second


def _drawn(rows: Array, influence: Influence) -> tuple[Array, Array, float, float]:
    """Return slopes over n and scales for every ratio, tr S/d, and |m - sample mean|² n/d."""
    n, d = rows.shape
    level = share(d) * n / (d + 1)
    solver = Solver(influence, 1e-9, 1e-4, 400)
    lifted = Lifted.around(rows, influence, level * (1 - RATIOS[-1]), 1)
    levels = [level * (1 - r) for r in RATIOS[:0:-1]] + [level * (1 + r) for r in RATIOS]
    factors = [lifted.start()]
    for one in levels:
        factor = solver.descend(lifted, factors[-1], one)
        if factor is None:
            return np.zeros(len(RATIOS)), np.zeros(len(RATIOS)), 0.0, 0.0
        factors.append(factor)
    middle = len(RATIOS)
    pairs = [(factors[middle - i], factors[middle + i]) for i in range(len(RATIOS))]
    slopes = np.array([_slope(lifted, influence, high, low) / n for high, low in pairs])
    scales = np.array([lifted.scale(low) for _, low in pairs])
    shift, root = lifted.parts(factors[middle])
    apart = lifted.centre + shift - rows.mean(axis=0)
    return slopes, scales, float((root * root).sum() / d), float(apart @ apart * n / d)


def _slope(lifted: Lifted, influence: Influence, high: Array, low: Array) -> float:
    mapped = lifted.lengths(high)[0] * np.sqrt(influence.slope(lifted.lengths(low)[1]))
    return float(np.linalg.eigvalsh(mapped @ mapped.T)[0])


@lru_cache(maxsize=1)
def _kept() -> dict[str, Any]:
    path = files(__package__) / FILE
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}


def written(table: dict[str, Cell]) -> str:
    """Return the text of the file, a line for every cell."""
    return "{\n" + ",\n".join(f'"{key}": {json.dumps(asdict(one))}' for key, one in table.items()) + "\n}\n"


def main() -> None:
    """Simulate all common cells and write the file."""
    table = {f"{d} {q:g} {p}": simulated(d, q, p) for d in COMMON for q in KNEES for p in POWERS}
    with open(str(files(__package__) / FILE), "w", encoding="utf-8") as file:
        file.write(written(table))


if __name__ == "__main__":
    main()
