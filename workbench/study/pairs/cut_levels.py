"""The attacks on many quantiles at once: level by level of their tree, and as a whole."""

from collections.abc import Iterator

import numpy as np

from workbench.estimators.quantiles import Quantiles
from workbench.privacy import ZCDP, Charge, NoiseSource, PureDP
from workbench.study.pairs import rows
from workbench.study.pairs.base import Case, Setting, Step
from workbench.types import Array

Cases = Iterator[Case]
NINE = tuple(share / 10 for share in range(1, 10))
PURE, CONCENTRATED = PureDP(2), ZCDP(2)
REACH = 2.0


def quantiles() -> Cases:
    """Yield the attacks on `univariate/quantiles`: its levels one by one, given others, and all of it."""
    key, three = "univariate/quantiles", (0.25, 0.5, 0.75)
    for n, levels, budget in ((2, (0.5,), PURE), (4, three, PURE), (4, NINE, CONCENTRATED)):
        setting = Setting(key, Quantiles(levels=levels, radius=REACH, sigma=1.0), budget, n)
        pairs = rows.depth(n, REACH) + rows.crossings(n, REACH)
        for number in range(1, len(list(setting.plan.charges())) + 1):
            yield setting.drawn(f"level {number}", _level(setting, number), pairs, 0.3, len(levels))
        yield setting.whole(pairs, 0.1)
    anywhere = Setting(key, Quantiles(sigma=1.0), PURE, 4)
    yield anywhere.whole(rows.depth(4, REACH), 0.1)


def _level(setting: Setting, number: int) -> Step:
    """Return one level of the tree, those above it given: evenly between the ends."""
    cutting = setting.estimator.cutting(setting.n, setting.budget)  # type: ignore[attr-defined]
    above = [knot for level in cutting.tree[: number - 1] for one in level for knot in one.chosen]
    given = np.full(len(cutting.levels) + 2, np.nan)
    given[[0, -1]] = cutting.ends
    given[np.array(above, int) + 1] = np.interp(np.array(above), (-1, len(cutting.levels)), cutting.ends)

    def draw(x: Array, charge: Charge, noise: NoiseSource) -> object:
        found = cutting.drawn(cutting.prepared(x), given, cutting.tree[number - 1], charge, noise)
        return tuple(np.nan_to_num(found[1:-1]))

    return draw
