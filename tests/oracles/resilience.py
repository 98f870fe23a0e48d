"""LKKO21 Definitions 4.1 to 4.3 word by word, by enumeration: for tests, at tiny n."""

from itertools import combinations
from math import ceil, floor

import numpy as np


def sizes(n: int, alpha: float) -> tuple[int, int, int]:
    """N of the subset, M of the subset's subset, and k, the rows that are trimmed on a side."""
    inside = n - floor(2 * alpha * n + 1e-9)
    return inside, floor((1 - alpha) * inside + 1e-9), ceil(3 * alpha * n - 1e-9)


def resilience(rows: np.ndarray, size: int) -> float:
    """The largest |mean of a subset of this size - mean of all|."""
    whole = rows.mean(axis=0)
    parts = np.array([rows[list(chosen)].mean(axis=0) for chosen in combinations(range(len(rows)), size)])
    return float(np.linalg.norm(parts - whole, axis=1).max())


def goodness(rows: np.ndarray, inside: int, size: int, contiguous: bool = False) -> float:
    """R: the least resilience of a subset, or of a window of the rows in their order."""
    n = len(rows)
    windows = (range(start, start + inside) for start in range(n - inside + 1))
    subsets = windows if contiguous else combinations(range(n), inside)
    return min(resilience(rows[list(subset)], size) for subset in subsets)


def trimmed_means(rows: np.ndarray, directions: np.ndarray, k: int) -> np.ndarray:
    """The mean of the projections without the k largest and the k smallest, for every direction."""
    return np.array([np.sort(rows @ v)[k : len(rows) - k].mean() for v in directions])


def depth(rows: np.ndarray, place: np.ndarray, directions: np.ndarray) -> int:
    """The least number of rows in a closed half-space with this place on its edge, over ±directions."""
    sides = [*directions, *-directions]
    return min(int((rows @ v >= place @ v).sum()) for v in sides)
