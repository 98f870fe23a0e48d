"""The attacks on the entries in d dimensions: every step of every example, and the whole.

The pairs are alike for all: one row that goes far away, turns by a right angle or goes to the other side,
among rows at one place, typical rows, or two crowds that the middle rows decide between.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from workbench.catalog import CATALOG, Entry
from workbench.estimators.base import Array
from workbench.privacy import NonPrivate
from workbench.study.audit import Pair
from workbench.study.cliff import fewest_rows

from .base import Case, Setting
from .replayed import replayed

FAR = 1e6
ROWS = 24  # or as many as the estimator needs
CHEAP = 2000  # entries times steps of a run that is attacked as a whole with many repetitions


def attacks(key: str) -> Iterator[Case]:
    """Yield the attacks on one entry."""
    for setting in settings(key):
        pairs = neighbours(setting.n, setting.d, CATALOG[key])
        yield from replayed(setting, pairs)
        yield setting.whole(pairs, share=whole_share(setting))


def settings(key: str) -> Iterator[Setting]:
    """Yield the examples of an entry at few rows of its population's dimension."""
    entry = CATALOG[key]
    d = entry.population.d or 1
    for example in entry.examples:
        n = max(ROWS, fewest_rows(example.estimator, d, example.budget))
        yield Setting(key, example.estimator, example.budget, n, d)


def neighbours(n: int, d: int, entry: Entry) -> tuple[Pair, ...]:
    """Return pairs of n rows of which the first, or the one in the middle, is replaced."""
    first, second = np.eye(d)[0], np.eye(d)[-1] if d > 1 else -np.eye(1)[0]
    zeros, typical = np.zeros((n, d)), entry.population.sample(n, rng=np.random.default_rng(n))
    crowds = np.where(np.arange(n)[:, None] < n // 2, 1.0, 1e3) * typical
    spots = (("zeros", zeros), ("typical rows", typical), ("two crowds", crowds))
    moves = (("to the other side", -first), ("by a right angle", second), ("to the middle", 0 * first))
    return tuple(
        pair(f"{rows}, one {move}", base, FAR * first, FAR * end, row)
        for rows, base in spots
        for move, end in moves
        for row in ((0, n // 2) if rows == "two crowds" else (0,))
    )


def pair(name: str, base: Array, value: Array, other: Array, row: int) -> Pair:
    """Return `base` with one row replaced by either value."""
    first, second = base.copy(), base.copy()
    first[row], second[row] = value, other
    return Pair(f"{name} (n = {len(base)}, row {row})", first, second)


def whole_share(setting: Setting) -> float:
    """Return the share of a preset's runs for end-to-end attacks, less where a run has much to do."""
    work = setting.n * setting.d * len(list(setting.plan.charges()))
    return 0.3 if work <= CHEAP else 0.02


KEYS = [
    key
    for key, entry in CATALOG.items()
    if entry.population.d is not None and not isinstance(entry.examples[0].budget, NonPrivate)
]
BUILDERS: dict[str, Callable[[], Iterator[Case]]] = {key: partial(attacks, key) for key in KEYS}
