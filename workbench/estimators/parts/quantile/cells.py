"""What a matrix quantile of normal rows looks like, by simulation: a table that designs are made from.

For d and n rows of N(0, I), an influence and a scale p for d, u = n E ψ(χ²_d/p)/d, from 40 draws:

    (1) the slope of `parts.quantile.stability` between the levels u - ru and u + ru, over n, its mean and sd
    (2) ln P_u: its mean over ln p, the variance of its trace and that of the rest of it, times n

r, n on grids, n in powers of 4. Nothing depends on a covariance, by affine equivariance, nor on data: privacy
does not hang on these numbers. Common cells are kept in `matrix_quantile_cells.json`, others are simulated
when they are asked for. `python -m workbench.estimators.parts.quantile.cells` writes the file.
"""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from math import log, sqrt
from typing import Any

import numpy as np

from workbench.estimators.parts.quantile.influence import Influence, normal_level
from workbench.estimators.parts.quantile.levels import Scaled, Solver
from workbench.types import Array

DRAWS, SEED = 40, 47
RATIOS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
FACTORS = (0.8, 1.0, 1.25)
COMMON = (1, 2, 3, 4, 5, 6, 8, 10, 20)
FILE = "matrix_quantile_cells.json"
DIGITS = 7


@dataclass(frozen=True)
class Cell:
    """(1) and (2) for one scale: means and sds of the slope for every ratio."""

    slopes: tuple[float, ...]
    spreads: tuple[float, ...]
    shift: float
    trace: float
    rest: float


def influence_for(d: int) -> Influence:
    """Return the influence for d dimensions."""
    return Influence(0.3 if d <= 2 else 0.5 if d <= 7 else 0.7)


def scales(d: int) -> tuple[float, ...]:
    """Return the scales p for d dimensions: P_u is about p times the covariance."""
    return tuple(factor * d * (1 + 2.2 / d**0.4) for factor in FACTORS)


def rows_of(power: int) -> int:
    """Return n = 4^power."""
    return int(4**power)


@lru_cache(maxsize=4096)
def cells(d: int, power: int) -> tuple[Cell, ...]:
    """Return the cell of every scale, n = 4^power."""
    kept = _kept().get(f"{d} {power}")
    return simulated(d, power) if kept is None else tuple(_read(one) for one in kept)


def simulated(d: int, power: int) -> tuple[Cell, ...]:
    """Return the cells, simulated."""
    found = [[] for _ in FACTORS]  # type: list[list[Array]]
    for draw in range(DRAWS):
        rows = np.random.default_rng((SEED, d, power, draw)).standard_normal((rows_of(power), d))
        for index, scale in enumerate(scales(d)):
            found[index].append(_drawn(rows, influence_for(d), scale))
    return tuple(_cell(np.array(values), rows_of(power)) for values in found)


def _drawn(rows: Array, influence: Influence, scale: float) -> Array:
    """Return the slopes over n, then ln P_u: trace and length of the rest."""
    n, d = rows.shape
    level = n * normal_level(influence, d, scale)
    solver = Solver(influence, 1e-9, 1e-4, 400)
    low = level * (1 - RATIOS[-1])
    scaled = Scaled.of(rows, influence, low)
    levels = [level * (1 - r) for r in RATIOS[:0:-1]] + [level * (1 + r) for r in RATIOS]
    factors = [scaled.start()]
    for one in levels:
        found = solver.descend(scaled, factors[-1], one)
        if found is None:
            return np.zeros(len(RATIOS) + 2)
        factors.append(found)
    middle, last = len(RATIOS), len(factors)
    pairs = [(factors[middle - i], factors[middle + i]) for i in range(last - middle)]
    slopes = [_slope(scaled, influence, high, low) / n for high, low in pairs]
    logs = 2 * np.log(np.linalg.svd(scaled.root(factors[middle]), compute_uv=False))
    logs = logs - log(scale)
    return np.array([*slopes, logs.sum(), np.linalg.norm(logs - logs.mean())])


def _slope(scaled: Scaled, influence: Influence, high: Array, low: Array) -> float:
    mapped = scaled.lengths(high)[0] * np.sqrt(influence.slope(scaled.lengths(low)[1]))
    return float(np.linalg.eigvalsh(mapped @ mapped.T)[0])


def _cell(drawn: Array, n: int) -> Cell:
    d_trace, rest = drawn[:, -2], drawn[:, -1]
    slopes = drawn[:, :-2]
    values = (slopes.mean(axis=0), slopes.std(axis=0, ddof=1) * sqrt(n))
    means, spreads = (tuple(round(float(v), DIGITS) for v in one) for one in values)
    numbers = (d_trace.mean(), d_trace.var(ddof=1) * n, (rest**2).mean() * n)
    return Cell(means, spreads, *(round(float(v), DIGITS) for v in numbers))


def _read(kept: dict[str, Any]) -> Cell:
    return Cell(tuple(kept["slopes"]), tuple(kept["spreads"]), kept["shift"], kept["trace"], kept["rest"])


@lru_cache(maxsize=1)
def _kept() -> dict[str, list[dict[str, Any]]]:
    path = files(__package__) / FILE
    return dict(json.loads(path.read_text("utf-8"))) if path.is_file() else {}


def powers(d: int) -> range:
    """Return the powers of 4 that are kept for a common d; fewer rows have hardly a design."""
    return range(2 if d == 1 else 3 if d <= 3 else 4, 8)


def written(table: dict[str, list[dict[str, Any]]]) -> str:
    """Return the text of the file, a line for every cell."""
    blocks = (f'"{key}": [\n' + ",\n".join(map(json.dumps, found)) + "\n]" for key, found in table.items())
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main() -> None:
    """Simulate all common cells and write the file."""
    table = {f"{d} {p}": [asdict(one) for one in simulated(d, p)] for d in COMMON for p in powers(d)}
    with open(str(files(__package__) / FILE), "w", encoding="utf-8") as file:
        file.write(written(table))


if __name__ == "__main__":
    main()
