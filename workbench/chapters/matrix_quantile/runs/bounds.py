"""What must hold for neighbours of a stable matrix quantile, as computed: scores, bounds, certificates.

The bounds are those of `proofs/matrix_quantile.md`; certificates are checked in exact arithmetic.
"""

from fractions import Fraction
from time import perf_counter

import numpy as np

from workbench.chapters.matrix_quantile.runs.pairs import Attack
from workbench.estimators.stable_quantile import Scaled, Stability
from workbench.types import Array


def measured(attack: Attack) -> dict[str, float]:
    """Return how far the scores are apart, the two bounds used up, the spread of L5, and the time it took."""
    test, x, other = attack.test, attack.first, attack.second
    with np.errstate(all="ignore"):
        started = perf_counter()
        (h, root), (k, another) = test.measure(x), test.measure(other)
        seconds = perf_counter() - started
        apart = float(abs(h - k))
        if not (h and k):
            return {"apart": apart, "h": max(h, k), "trace": 0.0, "positive": 0.0, "seconds": seconds}
        least = common(test, x)
        traces = [_trace(least, one) for one in (root, another)]
        values = np.linalg.svd(np.linalg.solve(root, another), compute_uv=False)
        logs = 2 * np.log(values)
    split = max(np.maximum(logs, 0).sum(), np.maximum(-logs, 0).sum())
    used = {"trace": max(traces) / test.change, "positive": float(split) / test.change}
    return {"apart": apart, "h": max(h, k), **used, "seconds": seconds}


def common(test: Stability, x: Array) -> Array:
    """Return a root of P₀ = P_u of the rows without row 0, from above, as exactly as floats allow."""
    rows = x.copy()
    rows[0] = 0.0
    scaled = Scaled.of(rows, test.influence, test.level)
    factor = test.solver.descend(scaled, scaled.start(), test.level)
    assert factor is not None
    for _ in range(20 + test.polishing):
        moment = test.solver.moment(scaled, factor, test.level)
        factor = np.linalg.solve(np.linalg.cholesky(moment), factor)
    return scaled.root(factor)


def _trace(least: Array, root: Array) -> float:
    return float((np.linalg.solve(least, root) ** 2).sum() - len(least))


def certified(test: Stability, x: Array, t: int) -> bool:
    """Return whether certificates and C_t hold in exact arithmetic: one or two columns, ψ(q) = min(q, 1).

    Of Q that is F_v(Q) ≥ (1 - ξ)Q, in one column Q ≥ P_v too.
    """
    scaled = Scaled.of(x, test.influence, test.low(t))
    high = test.solver.descend(scaled, scaled.start(), test.low(t))
    low = None if high is None else test.solver.descend(scaled, high, test.high(t))
    levels = ((high, test.low(t)), (low, test.high(t)))
    known = [(factor, Fraction(level)) for factor, level in levels if factor is not None]
    if not all(_fixed(scaled, test, factor, level) for factor, level in known):
        return False
    if test.d > 1 or high is None or low is None:
        return True
    squares = [Fraction(float(value)) ** 2 for value in scaled.rows.ravel()]
    above = all(
        sum(min(square / _square(one), Fraction(1)) for square in squares) <= level for one, level in known
    )
    slope = sum(square for square in squares if square < _square(low)) / _square(high)
    holds = test.slope(scaled, low, high) >= test.strength + (test.influence.most + test.margin) * t
    return above and (not holds or slope >= Fraction(test.strength) + t)


def _fixed(scaled: Scaled, test: Stability, factor: Array, level: Fraction) -> bool:
    """Return whether F_v(Q) ≥ (1 - ξ)Q: the eigenvalues of T F_v(Q) Tᵀ are at least 1 - ξ."""
    d, least = len(factor), 1 - Fraction(test.solver.slack + 2 * test.solver.inflation)
    lower = [[Fraction(float(value)) for value in row] for row in factor]
    moment = [[Fraction(0)] * d for _ in range(d)]
    for row in scaled.rows.T:
        z = [
            sum((a * Fraction(float(b)) for a, b in zip(one, row, strict=True)), Fraction(0)) for one in lower
        ]
        q = sum((value * value for value in z), Fraction(0))
        weight = 1 / max(q, Fraction(1)) / level
        for i in range(d):
            for j in range(d):
                moment[i][j] += weight * z[i] * z[j]
    excess = [moment[i][i] - least for i in range(d)]
    return min(excess) >= 0 and (d == 1 or excess[0] * excess[1] >= moment[0][1] ** 2)


def _square(factor: Array) -> Fraction:
    return 1 / Fraction(float(factor[0, 0])) ** 2
