"""Events on which two laws may differ, and the choice of the most promising one from training samples.

Outputs are rows, shape (trials, k); a row with a NaN is "no answer". A view maps rows to one number each; an
event is a threshold on a view. Views and thresholds are fitted on one half of the training samples, and the
choice among the events is made on the other half.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.privacy import Budget
from workbench.study.audit.claims import excess
from workbench.types import Array

Score: TypeAlias = Callable[[Array], Array]

Relation: TypeAlias = Literal["at least", "below", "equal to"]
COMPARE = {"at least": np.greater_equal, "below": np.less, "equal to": np.equal}

THRESHOLDS = np.linspace(0.004, 0.996, 63)
BINS = np.linspace(0.0, 1.0, 33)[1:-1]
MOST_ATOMS = 12


@dataclass(frozen=True)
class View:
    """A number for every row; `score` may be NaN for "no answer", which then counts as `missing`."""

    name: str
    score: Score
    missing: float = -inf

    def __call__(self, outputs: Array) -> Array:
        """Return the numbers, free of NaN."""
        values = np.asarray(self.score(outputs), np.float64)
        return np.where(np.isnan(values), self.missing, values)

    def __str__(self) -> str:
        return self.name if self.missing == -inf else f"{self.name} (or no answer)"


@dataclass(frozen=True)
class Event:
    """A set of outputs: those whose view is at least, below, or equal to a number."""

    view: View
    relation: Relation
    threshold: float

    def count(self, outputs: Array) -> int:
        """Return how many rows lie in the set."""
        return int(hits(self.view(outputs), self.relation, self.threshold))

    def __str__(self) -> str:
        return f"{self.view} {self.relation} {self.threshold:.6g}"


@dataclass(frozen=True)
class Choice:
    """An event, whether the roles of the two laws are exchanged, and how far it is beyond the claim."""

    event: Event
    exchanged: bool
    strength: float


@dataclass(frozen=True)
class Rule:
    """How events are compared: by their excess over a claim, at cautious shares."""

    claim: Budget
    caution: float

    def strength(self, p: Array, q: Array, n: int, m: int) -> Array:
        """Return the excess at the ends of score intervals (Wilson 1927) for shares p of n and q of m."""
        return excess(self.claim, _wilson(p, n, -self.caution), _wilson(q, m, self.caution))


def rows(outputs: object) -> Array:
    """Return outputs as (trials, k) floats, all of a row NaN if one entry is."""
    values = np.array(outputs, np.float64)
    values = values[:, None] if values.ndim == 1 else values
    values[np.isnan(values).any(axis=1)] = np.nan
    return values


def choose(first: Array, second: Array, claim: Budget, caution: float, score: Score | None) -> Choice:
    """Return the event on which the laws of `first` and `second` contradict `claim` most.

    Shares are taken at the end of an interval of `caution` standard deviations: a small number falls for
    rare events that are nothing, a large one passes over rare events that are something.
    """
    half, other = len(first) // 2, len(second) // 2
    views = list(_views(first[:half], second[:other], score))
    fitted, held = (first[:half], second[:other]), (first[half:], second[other:])
    return max(
        (choice for view in views for choice in _choices(view, fitted, held, Rule(claim, caution))),
        key=lambda choice: choice.strength,
    )


def _choices(
    view: View, fitted: tuple[Array, Array], held: tuple[Array, Array], rule: Rule
) -> Iterator[Choice]:
    """Yield the strongest event of every kind on one view."""
    pooled = np.concatenate([view(part) for part in fitted])
    thresholds = _quantiles(pooled, THRESHOLDS)
    atoms = _atoms(pooled)
    seen = [view(part) for part in held]
    yield from _best(view, "at least", thresholds, seen, rule)
    yield from _best(view, "below", thresholds, seen, rule)
    yield from _best(view, "equal to", atoms, seen, rule)


def _best(
    view: View, relation: Relation, thresholds: Array, seen: list[Array], rule: Rule
) -> Iterator[Choice]:
    counts = [hits(values[:, None], relation, thresholds) for values in seen]
    for exchanged in (False, True) if len(thresholds) else ():
        order = (1, 0) if exchanged else (0, 1)
        n, m = (len(seen[i]) for i in order)
        strength = rule.strength(counts[order[0]] / n, counts[order[1]] / m, n, m)
        place = int(strength.argmax())
        yield Choice(Event(view, relation, float(thresholds[place])), exchanged, float(strength[place]))


def hits(values: Array, relation: Relation, thresholds: Array | float) -> NDArray[np.int64]:
    """Return how many values are at least, below, or equal to each threshold."""
    return np.asarray(COMPARE[relation](values, thresholds).sum(axis=0))


def _wilson(share: Array, n: int, z: float) -> Array:
    """Return the end of the score interval that is z standard deviations away."""
    centre, spread = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return np.asarray(np.clip((centre + spread) / (1 + z * z / n), 0.0, 1.0))


def _quantiles(values: Array, levels: Array) -> Array:
    """Return the distinct values at these levels; they may be infinite, hence no interpolation."""
    places = (levels * max(len(values) - 1, 0)).astype(np.int64)
    return np.unique(np.sort(values)[places]) if len(values) else values


def _atoms(values: Array) -> Array:
    """Return the numbers that occur most often, at least twice."""
    unique, counts = np.unique(values, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_ATOMS]
    return np.asarray(unique[order][counts[order] > 1])


def _views(first: Array, second: Array, score: Score | None) -> Iterator[View]:
    """Yield every view that is worth a try: no answer, values, and estimated likelihood ratios."""
    pooled = np.concatenate([first, second])
    silent = bool(np.isnan(pooled[:, 0]).any())
    if silent:
        yield View("no answer", lambda outputs: np.isnan(outputs[:, 0]).astype(np.float64))
    for name, base in _scores(first, second, score):
        yield View(name, base)
        if silent:
            yield View(name, base, inf)
        yield View(f"likelihood ratio of {name}", _binned_ratio(base, first, second))


def _scores(first: Array, second: Array, score: Score | None) -> Iterator[tuple[str, Score]]:
    if score is not None:
        yield "score", score
    if first.shape[1] == 1:
        yield "output", _coordinate(0)
        return
    for j in range(first.shape[1]):
        yield f"output[{j}]", _coordinate(j)
    yield "norm", lambda outputs: np.sqrt((outputs**2).sum(axis=1))
    yield "direction", _direction(first, second)


def _coordinate(j: int) -> Score:
    return lambda outputs: outputs[:, j]


def _direction(first: Array, second: Array) -> Score:
    """Return the linear discriminant: regularised, on coordinates scaled by their quartiles and cut."""
    answers = [part[np.isfinite(part).all(axis=1)] for part in (first, second)]
    pooled = np.concatenate(answers) if sum(map(len, answers)) else np.zeros((1, first.shape[1]))
    low, middle, high = np.quantile(pooled, [0.25, 0.5, 0.75], axis=0)
    scale = np.where(high > low, high - low, 1.0)

    def scaled(part: Array) -> Array:
        return np.asarray(np.clip((part - middle) / scale, -20.0, 20.0))

    if min(map(len, answers)) < 2:
        return _coordinate(0)
    a, b = (scaled(part) for part in answers)
    spread = np.cov(a, rowvar=False) + np.cov(b, rowvar=False)
    ridge = 1e-3 * (np.trace(spread) / len(spread) + 1e-9) * np.eye(len(spread))
    weights = np.linalg.solve(spread + ridge, a.mean(axis=0) - b.mean(axis=0))
    return lambda outputs: scaled(outputs) @ weights


def _binned_ratio(base: Score, first: Array, second: Array) -> Score:
    """Return the log ratio of the bin of `base`: bins between pooled quantiles, one for no answer."""
    values = [base(part) for part in (first, second)]
    pooled = np.concatenate(values)
    known = pooled[~np.isnan(pooled)]
    edges = _quantiles(known, BINS)

    def bins(scores: Array) -> NDArray[np.int64]:
        inside = np.searchsorted(edges, scores, side="right")
        return np.where(np.isnan(scores), len(edges) + 1, inside)

    shares = [(np.bincount(bins(part), minlength=len(edges) + 2) + 0.5) / (len(part) + 1) for part in values]
    ratio = np.log(shares[0] / shares[1])
    return lambda outputs: ratio[bins(base(outputs))]


def equal_by_chance(outputs: Array, others: Array) -> float:
    """Return how likely batches that agree in every row are under independence; 1 if they do not agree.

    The chance that two draws agree is estimated from the frequencies of the outputs.
    """
    if not np.array_equal(outputs, others, equal_nan=True):
        return 1.0
    _, counts = np.unique(np.nan_to_num(outputs), axis=0, return_counts=True)
    return float(((counts / len(outputs)) ** 2).sum() ** len(outputs))
