"""What the contracts share: examples of the catalog, hostile rows, a spy, exact distributions."""

from dataclasses import replace

import numpy as np

from workbench.contracts.datasets import typical_rows
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.linalg import thompson_of_roots
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP, histograms
from workbench.privacy.cuts import BITS
from workbench.privacy.stable import LAPLACE

FALSE_ALARM = 1e-6  # of every statistical contract; lower hides real faults, higher makes flakes
SCALE_FACTOR = 1.3  # a wrong noise scale that every statistical contract must reject, and its inverse


def cases(entries, private=True):
    return [
        (entry.key, example, f"{entry.key}-{number}-{name(example)}")
        for entry in entries
        for number, example in enumerate(entry.examples)
        if private != isinstance(example.budget, NonPrivate)
    ]


def name(example):
    estimator = example.estimator
    words = [getattr(estimator, option, None) for option in ("calibration", "mode")]
    return "-".join([*filter(None, words), type(example.budget).__name__])


def louder(budget, times=16):
    match budget:
        case PureDP(epsilon) | ApproxDP(epsilon, _):
            return replace(budget, epsilon=times * epsilon)
        case ZCDP(rho, _):
            return replace(budget, rho=times**2 * rho)
    return GaussianDP(times * budget.mu)


def release(example, x, rng=0):
    source = np.random.default_rng(rng) if isinstance(rng, int) else rng
    return example.estimator(x, budget=example.budget, rng=source)


def run(example, x, seed=0):
    return release(example, x, seed).value


def answer(example, x, seed=0):
    try:
        return run(example, x, seed)
    except Exception as error:
        raise AssertionError(f"a run raised {error!r}") from error


def refusal(call, *given, **named):
    try:
        call(*given, **named)
    except ArgumentError as error:
        return error
    except Exception as error:
        raise AssertionError(f"expected an ArgumentError, got {error!r}") from error
    raise AssertionError("a wrong argument was accepted")


def warm(example, n):
    answer(example, typical_rows(example, n, 0))


def stopped_early(value):
    return isinstance(value, Abstention) or getattr(value, "high", 0.0) == np.inf


def distance(event, other):
    """How far two statistics of one mechanism are apart, in the norm of its charge."""
    first, second, mechanism = event.statistic, other.statistic, event.mechanism
    with np.errstate(all="ignore"):
        if mechanism == "window_median":
            return score_gap(*first, second[1])
        if mechanism == "cuts":
            return sum(node_gap(*nodes) for nodes in zip(first.nodes, second.nodes, strict=True))
        if mechanism == "masked":
            return thompson_of_roots(first, second)
        if mechanism in COUNTED:
            if abs(first.count - second.count) > 1:
                return np.inf
            return COUNTED[mechanism](event.charge, first, second) if first.count and second.count else 0.0
        if mechanism == "stability_histogram":
            gaps = np.array([first[key] - second[key] for key in {*first, *second}], float)
        else:
            gaps = np.ravel(first - second)
        return float(np.linalg.norm(gaps, norm(event)))


def norm(event):
    """The order of the norm of a charge: the largest number, or l1, or l2."""
    if event.mechanism in ("noisy_max", "exponential"):
        return np.inf
    gaussian = event.charge.mechanism in ("gaussian", "symmetric_gaussian")
    return 2 if gaussian or event.charge.sensitivity == histograms.COUNTS_L2 else 1


def stable_gap(charge, found, other):
    first, second = np.asarray(found.root), np.asarray(other.root)
    return thompson_of_roots(first, second) if charge.mechanism == LAPLACE else one_sided(first, second)


def voted_gap(charge, found, other):
    order = 1 if charge.mechanism == "voted_laplace" else 2
    length = np.linalg.norm(np.ravel(np.subtract(found.value, other.value, dtype=float)), order)
    return float(length) / charge.falls[min(found.count, other.count) - 1]


def lift_gap(charge, found, other):
    return one_sided(*(root_around(one, found.centre) for one in (found, other)))


def root_around(lift, centre):
    root = np.zeros((len(centre) + 1,) * 2)
    root[0, 0], root[1:, 1:] = lift.height, lift.root
    root[1:, 0] = (lift.centre - centre + lift.shift) * lift.height
    return root


def location_gap(charge, found, other):
    """How far locations are apart in the norm of either scatter; infinite if scatters are too far apart."""
    unit = np.abs(found.root).max(axis=1)
    roots = [one.root / unit[:, None] for one in (found, other)]
    apart = (found.centre - other.centre + found.shift - other.shift) / unit
    moved = max(float(np.linalg.norm(np.linalg.solve(root, apart))) for root in roots)
    return moved if one_sided(*roots) <= charge.spread else np.inf


def one_sided(first, second):
    unit = np.abs(first).max(axis=1)[:, None]
    logs = 2 * np.log(np.linalg.svd(np.linalg.solve(first / unit, second / unit), compute_uv=False))
    return float(max(logs[logs > 0].sum(), -logs[logs < 0].sum()))


COUNTED = {  # mechanisms whose statistic is answered with a chance that a count decides
    "located_normal": location_gap,
    "stable_mask": stable_gap,
    "masked_lift": lift_gap,
    "voted": voted_gap,
}


def score_gap(locator, points, others):
    """The largest difference of the penalty of two data sets over all positions, infinite for a lost place.

    With a range every position has a density for both. Without one a position may be void for one of them;
    then it has a lone point for the other, of penalty p - 1 or more, and the bottom, of penalty p - 1, holds
    its probability; p points are there.
    """
    one, other = locator.pieces(points), locator.pieces(others)
    edges = np.unique(np.concatenate([one.edges, other.edges]))
    middles = edges[:-1] + np.diff(edges) / 2
    middles = middles[(middles > edges[:-1]) & (middles < edges[1:])]
    here, there = penalty(locator, points, middles), penalty(locator, others, middles)
    lost = np.isinf(here) != np.isinf(there)
    kept = ~lost & np.isfinite(here)
    gap = float(np.abs(here[kept] - there[kept]).max(initial=0.0))
    if locator.low is not None:
        return np.inf if lost.any() else gap
    lone = (here[lost & np.isinf(there)] >= one.points - 1).all()
    lone = lone and (there[lost & np.isinf(here)] >= other.points - 1).all()
    return max(gap, float(abs(one.points - other.points))) if lone else np.inf


def node_gap(node, other):
    """The largest difference of two scores of the same node over all increasing places.

    A run of places is a path through the cells between all points: the longest, with either sign.
    """
    assert (node.shares, node.lengths.unit) == (other.shares, other.lengths.unit), "not the same node"
    cells = np.unique(np.concatenate([node.lengths.edges, other.lengths.edges]))[:-1]
    return max(longest_path(*pair, cells) for pair in ((node, other), (other, node))) if len(cells) else 0.0


def longest_path(node, other, cells):
    counts = [np.searchsorted(one.lengths.edges[1:-1], cells, side="right") for one in (node, other)]
    later = np.triu(np.ones((len(cells), len(cells)), bool))

    def gained(gap, left, right):
        wanted = [one.shares[gap] * one.present / 2**BITS for one in (node, other)]
        sizes = [np.subtract.outer(b, a).T - w for a, b, w in zip(left, right, wanted, strict=True)]
        return (np.abs(sizes[0]) - np.abs(sizes[1])) / 2

    best = gained(0, [np.zeros(1, int)] * 2, counts)[0]
    for gap in range(1, node.cuts):
        best = np.where(later, best[:, None] + gained(gap, counts, counts), -np.inf).max(axis=0)
    ends = [np.array([one.points]) for one in (node, other)]
    return float((best + gained(node.cuts, counts, ends)[:, 0]).max())


def penalty(locator, points, positions):
    pieces = locator.pieces(points)
    piece = np.searchsorted(pieces.edges, positions) - 1
    within = np.clip(piece, 0, len(pieces.penalty) - 1)
    return np.where((piece != within) | pieces.void[within], np.inf, pieces.penalty[within])
