"""Attacks on the privacy of a mechanism, and what they prove."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from inspect import Parameter, signature
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from workbench.distributions import (
    Ball,
    Box,
    Counts,
    DenoisedCovariance,
    Gaussian,
    Interval,
    SparseCovariance,
)
from workbench.errors import ArgumentError, integer_at_least, probability
from workbench.estimators import Abstention
from workbench.privacy import ZCDP, ApproxDP, Budget, GaussianDP, NonPrivate, PureDP
from workbench.special import ndtri
from workbench.study.profiles import AUDIT_CI, AUDIT_LEVEL, AuditPreset
from workbench.study.rules import clopper_pearson
from workbench.study.sweeps import Role, point_id, stream
from workbench.types import Array, frozen, public, reals

# What a claim of privacy says about one event, and what one event proves about privacy.
#
# Let p = P(E | X) ≥ `low` and q = P(E | X') ≤ `high` for neighbours X, X' and an event E of the output. All
# bounds below hold for the same pair of confidence bounds at once, so that testing a claim at every point of
# its curve costs no multiplicity.
#
# (ε, δ)-DP    p ≤ e^ε q + δ                                     ε ≥ ln((low - δ)/high)
# μ-GDP        Φ⁻¹(p) - Φ⁻¹(q) ≤ μ: every (ε, δ(ε)) at once      μ ≥ Φ⁻¹(low) - Φ⁻¹(high)
# ρ-zCDP       D_α(Bernoulli(p) ‖ Bernoulli(q)) ≤ ρα, α ≥ 1      ρ ≥ max D_α(low ‖ high)/α
#
# The last is the data-processing inequality; D_α grows with p and falls with q for p > q. It implies every
# (ε, δ) that zCDP converts to. δ-approximate zCDP, P = (1 - δ) P₀ + δ P₁, gives P₀(E) ≥ (p - δ)/(1 - δ) and
# Q₀(E) ≤ q/(1 - δ), to which the same applies.


ORDERS = 1 + np.geomspace(1e-6, 1e3, 91)  # any order proves something: the grid cannot overstate


def epsilon_lower(low: ArrayLike, high: ArrayLike, delta: float = 0.0) -> Array:
    """Return ln((low - δ)/high), -inf for low ≤ δ: no smaller ε is true."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(np.asarray(low) - delta, 0.0)) - np.log(high)


def mu_lower(low: ArrayLike, high: ArrayLike) -> Array:
    return ndtri(low) - ndtri(high)


def rho_lower(low: ArrayLike, high: ArrayLike, delta: float = 0.0) -> Array:
    """Return max over α of D_α/α: no smaller ρ is true; a number below 0 where the bounds do not separate."""
    p, q = np.broadcast_arrays((np.asarray(low) - delta) / (1 - delta), np.asarray(high) / (1 - delta))
    apart = p > q
    proved = np.array(p - q, np.float64)
    p, q = p[apart][..., None], q[apart][..., None]
    yes = ORDERS * np.log(p) + (1 - ORDERS) * np.log(q)
    no = ORDERS * np.log1p(-p) + (1 - ORDERS) * np.log1p(-q)
    proved[apart] = (np.logaddexp(yes, no) / (ORDERS - 1) / ORDERS).max(axis=-1, initial=0.0)
    return proved


def excess(claim: Budget, low: ArrayLike, high: ArrayLike) -> Array:
    """Return by how much the bounds on an event's probabilities exceed `claim`: above 0 contradicts it."""
    match claim:
        case PureDP(epsilon):
            return epsilon_lower(low, high) - epsilon
        case ApproxDP(epsilon, delta):
            return epsilon_lower(low, high, delta) - epsilon
        case GaussianDP(mu):
            return mu_lower(low, high) - mu
        case ZCDP(rho, delta):
            return rho_lower(low, high, delta) - rho
    raise ArgumentError("claim", claim, "a private budget")


# Events on which two laws may differ, and the choice of the most promising one from training samples.
#
# Outputs are rows, shape (trials, k); a row with a NaN is "no answer". A view maps rows to one number each;
# an event is a threshold on a view. Views and thresholds are fitted on one half of the training samples,
# and the choice among the events is made on the other half.


Score = Callable[[Array], Array]

Relation = Literal["at least", "below", "equal to"]
COMPARE = {"at least": np.greater_equal, "below": np.less, "equal to": np.equal}

THRESHOLDS = np.linspace(0.004, 0.996, 63)
BINS = np.linspace(0.0, 1.0, 33)[1:-1]
MOST_ATOMS = 12


@frozen
class View:
    """A number for every row; `score` may be NaN for "no answer", which then counts as `missing`."""

    name: str
    score: Score
    missing: float = -inf

    def __call__(self, outputs: Array) -> Array:
        values = reals(self.score(outputs))
        return np.where(np.isnan(values), self.missing, values)

    def __str__(self) -> str:
        return self.name if self.missing == -inf else f"{self.name} (or no answer)"


@frozen
class Event:
    """A set of outputs: those whose view is at least, below, or equal to a number."""

    view: View
    relation: Relation
    threshold: float
    exchanged: bool  # whether the two distributions change roles
    strength: float  # how far it is beyond the claim

    def count(self, outputs: Array) -> int:
        return int(hits(self.view(outputs), self.relation, self.threshold))

    def __str__(self) -> str:
        exchanged = " (exchanged)" if self.exchanged else ""
        return f"{self.view} {self.relation} {self.threshold:.6g}{exchanged}"


def rows(outputs: object) -> Array:
    """Return outputs as (trials, k) floats, all of a row NaN if one entry is, or if there is none."""
    values = np.array(outputs, np.float64)
    values = values[:, None] if values.ndim == 1 else values
    values = values if values.shape[1] else np.full((len(values), 1), np.nan)
    values[np.isnan(values).any(axis=1)] = np.nan
    return values


def choose(first: Array, second: Array, claim: Budget, caution: float, score: Score | None) -> Event:
    """Return the event on which the distributions of `first` and `second` contradict `claim` most.

    Shares are taken at the end of an interval of `caution` standard deviations: a small number falls for
    rare events that are nothing, a large one passes over rare events that are something.
    """
    half = len(first) // 2
    fitted, held = (first[:half], second[:half]), (first[half:], second[half:])
    found = (
        event
        for view in _views(*fitted, score)
        for event in _events(view, fitted, [view(part) for part in held], claim, caution)
    )
    return max(found, key=lambda event: event.strength)


def _events(
    view: View, fitted: tuple[Array, Array], seen: list[Array], claim: Budget, caution: float
) -> Iterator[Event]:
    pooled, n = np.concatenate([view(part) for part in fitted]), len(seen[0])
    thresholds = _quantiles(pooled, THRESHOLDS)
    values, times = np.unique(pooled, return_counts=True)
    order = np.argsort(-times, kind="stable")[:MOST_ATOMS]
    atoms = values[order][times[order] > 1]
    tries: dict[Relation, Array] = {"at least": thresholds, "below": thresholds, "equal to": atoms}
    for relation, tried in tries.items():
        counts = [hits(values[:, None], relation, tried) for values in seen]
        for exchanged in (False, True) if len(tried) else ():
            p, q = counts[::-1] if exchanged else counts
            strength = excess(claim, _wilson(p / n, n, -caution), _wilson(q / n, n, caution))
            place = int(strength.argmax())
            yield Event(view, relation, float(tried[place]), exchanged, float(strength[place]))


def hits(values: Array, relation: Relation, thresholds: Array | float) -> NDArray[np.int64]:
    return COMPARE[relation](values, thresholds).sum(axis=0)


def _wilson(share: Array, n: int, z: float) -> Array:
    centre, spread = share + z * z / (2 * n), z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return np.clip((centre + spread) / (1 + z * z / n), 0.0, 1.0)


def _quantiles(values: Array, levels: Array) -> Array:
    places = (levels * (len(values) - 1)).astype(np.int64)
    return np.unique(np.sort(values)[places]) if len(values) else values


def _views(first: Array, second: Array, score: Score | None) -> Iterator[View]:
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
    answers = [part[np.isfinite(part).all(axis=1)] for part in (first, second)]
    if min(map(len, answers)) < 2:
        return _coordinate(0)
    low, middle, high = np.quantile(np.concatenate(answers), [0.25, 0.5, 0.75], axis=0)
    scale = np.where(high > low, high - low, 1.0)

    def scaled(part: Array) -> Array:
        return np.clip((part - middle) / scale, -20.0, 20.0)

    a, b = (scaled(part) for part in answers)
    spread = np.cov(a, rowvar=False) + np.cov(b, rowvar=False)
    ridge = 1e-3 * (np.trace(spread) / len(spread) + 1e-9) * np.eye(len(spread))
    weights = np.linalg.solve(spread + ridge, a.mean(axis=0) - b.mean(axis=0))
    return lambda outputs: scaled(outputs) @ weights


def _binned_ratio(base: Score, first: Array, second: Array) -> Score:
    values = [base(part) for part in (first, second)]
    pooled = np.concatenate(values)
    edges = _quantiles(pooled[~np.isnan(pooled)], BINS)

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


# What an audit found, in words and as JSON.


@public
class AuditReport:
    """What one attack found."""

    name: str  # what was attacked
    claim: Budget  # what it promises
    level: float  # probability, at most, that a mechanism that keeps its claim is accused
    violated: bool  # whether the confirmed event contradicts the claim
    eps_lower: float  # no smaller ε (at the claim's δ), μ or ρ is true, all three with confidence 1 - `level`
    mu_lower: float
    rho_lower: float
    pair: str  # where: "exchanged" means that the event is more likely on the pair's second data set
    event: str
    # how often the event occurred on either data set of the pair, the more likely one first
    counts: tuple[int, int]
    trials: int  # confirmation runs on either data set
    runs: int  # runs in all

    @property
    def message(self) -> str:
        if not self.violated:
            return f"no violation of {self.claim} found ({self._bounds()})"
        where = f"{self.event}: {self.counts[0]} against {self.counts[1]} of {self.trials}"
        return f"VIOLATION of {self.claim} ({self._bounds()}) on {self.pair}, {where}"

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"

    def _bounds(self) -> str:
        confidence = f"with {100 * (1 - self.level):g} % confidence"
        return f"ε ≥ {self.eps_lower:.3g}, μ ≥ {self.mu_lower:.3g}, ρ ≥ {self.rho_lower:.3g} {confidence}"

    def record(self) -> dict[str, object]:
        return asdict(self) | {"claim": str(self.claim), "message": self.message}

    def to_json(self) -> str:
        return json.dumps(self.record(), allow_nan=False, ensure_ascii=False)


# Attacks on a mechanism's privacy: events that tell two neighbours apart better than its claim allows.
#
#     (1) screen    a few runs on every pair of neighbours; keep the pair with the most suspicious event
#     (2) train     fresh runs on that pair choose one event
#     (3) confirm   fresh runs, as many as fixed beforehand: Clopper-Pearson bounds on the event's two
#                   probabilities, which contradict the claim or do not
#
# Only (3) decides, and it is one test: a mechanism that keeps its claim is accused with probability at most
# `level`, whatever (1) and (2) chose. An audit that finds nothing proves nothing beyond its lower bounds.
# Every phase, and either data set, draws from a stream of its own.


Mechanism = Callable[[Array, int, Generator], object]

FRESH = 200  # runs of each of two batches that must differ
TOO_EQUAL = 1e-9  # batches that agree by chance with a smaller probability are copies
HOPE, CAUTION = 1.5, 3.0  # sds in the choice of a pair, on few runs, and of an event (see `choose`)
SCREENS, TRAINS, COPIES = (0, 1), (2, 3), (4, 5)  # blocks of the screening stream


class RepeatedError(ArgumentError):
    """A mechanism's outputs do not depend on the stream that it is given."""


@frozen
class Pair:
    """Neighbours: two data sets, arrays or lists of rows, that differ in exactly one row."""

    name: str
    first: Array
    second: Array

    def __post_init__(self) -> None:
        for argument in ("first", "second"):
            found: Any = getattr(self, argument)
            try:
                values = found if isinstance(found, np.ndarray) else np.array(found, np.float64)
            except (TypeError, ValueError):
                values = np.zeros(())
            if values.ndim == 0:
                allowed = "an array, or a list of numbers or of equal rows"
                raise ArgumentError(argument, type(found).__name__, allowed)
            object.__setattr__(self, argument, values)
        if self.first.shape != self.second.shape:
            raise ArgumentError("second", self.second.shape, f"the shape of first, {self.first.shape}")
        apart = (self.first != self.second).reshape(len(self.first), -1).any(axis=1)
        if apart.sum() != 1:
            raise ArgumentError("second", f"{self.name}: {apart.sum()} other rows", "one replaced row")


def audit(
    mechanism: Mechanism,
    pairs: Sequence[Pair],
    claim: Budget,
    *,
    level: float = AUDIT_LEVEL,
    n_screen: int = AUDIT_CI.n_screen,
    n_train: int = AUDIT_CI.n_train,
    n_test: int = AUDIT_CI.n_test,
    seed: int = 0,
    score: Score | None = None,
    name: str = "audit",
) -> AuditReport:
    """Attack `mechanism` on every pair and return what one confirmed event proves.

    A mechanism is a function `(x, trials, rng)` that returns independent outputs on the data set x, shape
    (trials,) or (trials, k), or one number: then it is called once for every trial. A row with NaN is "no
    answer". With one pair there is nothing to screen. The sizes are runs on either data set, in every phase,
    fixed before the first; `level` is that of false alarms; a `score` maps outputs (trials, k) to one number
    each, to be tried as a statistic besides the built-in ones; `name` names the streams, and the report.
    """
    if not pairs:
        raise ArgumentError("pairs", pairs, "at least one pair")
    integer_at_least(4, n_screen=n_screen, n_train=n_train, n_test=n_test)
    probability(level=level)

    width = 1  # of an output; where nothing was answered it is not seen

    def outputs(pair: Pair, role: Role, blocks: tuple[int, int], trials: int) -> list[Array]:
        nonlocal width
        sets, point = zip((pair.first, pair.second), blocks, strict=True), point_id({"pair": pair.name})
        found = [_run(mechanism, x, trials, stream(seed, role, name, point, block)) for x, block in sets]
        width = max(width, *(one.shape[1] for one in found))
        return [np.broadcast_to(one, (trials, width)) for one in found]

    def choice(pair: Pair, blocks: tuple[int, int], trials: int, caution: float) -> Event:
        first, second = outputs(pair, Role.SCREEN, blocks, trials)
        return choose(first, second, claim, caution, score)

    pair, screened = pairs[0], 0
    if len(pairs) > 1:  # (1)
        pair = max(pairs, key=lambda pair: choice(pair, SCREENS, n_screen, HOPE).strength)
        screened = len(pairs) * n_screen
    batches = [outputs(pair, role, COPIES, FRESH)[0] for role in (Role.SCREEN, Role.CONFIRM)]
    if equal_by_chance(*batches) < TOO_EQUAL:
        raise RepeatedError("mechanism", "the same outputs on two streams", "draws from the given stream")
    chosen = choice(pair, TRAINS, n_train, CAUTION)  # (2)
    samples = outputs(pair, Role.CONFIRM, (0, 1), n_test)  # (3)
    counts = chosen.count(samples[chosen.exchanged]), chosen.count(samples[not chosen.exchanged])
    return _report(
        name,
        claim,
        level,
        counts,
        n_test,
        pair=pair.name,
        event=str(chosen),
        runs=2 * (screened + n_train + n_test + 2 * FRESH),
    )


def _run(mechanism: Mechanism, x: Array, trials: int, rng: Generator) -> Array:
    output = mechanism(x.copy(), trials, rng)
    if np.ndim(output) == 0:  # type: ignore[arg-type]
        output = [output, *(mechanism(x.copy(), 1, rng) for _ in range(trials - 1))]
    found = rows(output)
    if len(found) != trials:
        raise ArgumentError("mechanism", f"{len(found)} outputs", f"one for each of {trials} trials")
    return found


def _report(
    name: str, claim: Budget, level: float, counts: tuple[int, int], trials: int, **found: Any
) -> AuditReport:
    low, high = (clopper_pearson(count, trials, level)[end] for end, count in enumerate(counts))
    delta = getattr(claim, "delta", 0.0)
    return AuditReport(
        name=name,
        claim=claim,
        level=level,
        violated=bool(excess(claim, low, high) > 0),
        eps_lower=max(float(epsilon_lower(low, high, delta)), 0.0),
        mu_lower=max(float(mu_lower(low, high)), 0.0),
        rho_lower=max(float(rho_lower(low, high, delta)), 0.0),
        counts=counts,
        trials=trials,
        **found,
    )


# Neighbours as a reader writes them down.


PAIRS = "a list of Pair, of (first, second) or of (name, first, second), or a function that returns one"


def neighbours(name: str, found: Any) -> list[Pair]:
    try:
        if callable(found):
            signature(found).bind()
    except (TypeError, ValueError):
        raise ArgumentError(name, type(found).__name__, PAIRS) from None
    listed = found() if callable(found) else found
    listed = [listed] if isinstance(listed, Pair) else listed
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise ArgumentError(name, type(listed).__name__, PAIRS)
    pairs: list[Pair] = []
    for place, one in enumerate(listed, 1):
        if not isinstance(one, Pair):
            parts = tuple(one) if isinstance(one, tuple | list) else ()
            parts = (f"pair {place}", *parts) if len(parts) == 2 else parts
            if len(parts) != 3:
                raise ArgumentError(name, type(one).__name__, PAIRS)
            one = Pair(str(parts[0]), *parts[1:])
        pairs.append(one)
    if not pairs:
        raise ArgumentError(name, "nothing", PAIRS)
    return pairs


# How a reader's function is called: what it is given is told by the names, or the number, of its arguments.
#
# | | |
# |---|---|
# | `f(rows, rng)` | one answer |
# | `f(rows, rng, budget)` | one answer at a budget, in any order if they are named so |
# | `f(rows, trials, rng)` | as many independent answers, what `audit` attacks |
# | an estimator | an object with `plan(n, d, budget)`, called as those of the package are |


GIVEN = ("rng", "budget", "trials")
FORMS = "f(rows, rng), f(rows, rng, budget), f(rows, trials, rng), or an estimator"


def is_estimator(method: object) -> bool:
    """Return whether it is called as the estimators of the package are."""
    return callable(getattr(method, "plan", None)) and callable(method) and not isinstance(method, type)


class OwnFunction:
    """A function or an estimator with the arguments that it takes, checked before anything is drawn."""

    def __init__(self, name: str, method: Any) -> None:
        self.name, self.method, self.by_name = name, method, True
        self.wanted: tuple[str, ...] = ()  # besides rows
        if is_estimator(method):
            return
        if not callable(method) or isinstance(method, type):
            raise ArgumentError(name, type(method).__name__, FORMS)
        taken = list(signature(method).parameters.values())
        self.wanted = tuple(one.name for one in taken[1:] if one.name in GIVEN)
        needed = [one.name for one in taken if one.default is one.empty and one.kind not in (2, 4)]
        if not ("rng" in self.wanted and len({*needed} - {*self.wanted}) <= 1):
            placed = all(one.kind <= Parameter.POSITIONAL_OR_KEYWORD for one in taken[: len(needed)])
            if len(needed) not in (2, 3) or not placed:
                raise ArgumentError(name, f"f({', '.join(needed)})", FORMS)
            self.wanted, self.by_name = GIVEN[: len(needed) - 1], False

    def call(self, rows: Array, rng: Generator, budget: Budget | None, trials: int = 1) -> Any:
        """Return what the function returns, or the value of the estimator's release."""
        if is_estimator(self.method):
            free = budget is None or isinstance(budget, NonPrivate)
            return self.method(rows, **({} if free else {"budget": budget, "rng": rng})).value
        given = {"rng": rng, "budget": budget, "trials": trials}
        chosen = {one: given[one] for one in self.wanted}
        return self.method(rows, **chosen) if self.by_name else self.method(rows, *chosen.values())

    def answer(self, rows: Array, rng: Generator, budget: Budget | None) -> Any:
        found = self.call(rows, rng, budget)
        if "trials" in self.wanted and np.ndim(found):
            found = found[0]
        return None if isinstance(found, Abstention) else found


def mechanism(function: OwnFunction, budget: Budget) -> Mechanism:
    """Return what an audit attacks: a function of rows, a number of trials and a generator."""
    if "trials" in function.wanted:  # one call returns as many answers as are asked for
        return lambda x, trials, rng: function.call(x, rng, budget, trials)

    def repeated(x: Array, trials: int, rng: Generator) -> object:
        return as_rows(function.answer(x.copy(), rng, budget) for _ in range(trials))

    return repeated


# The attack on a reader's own function: what it is called with, which neighbours, and a fixed seed.
#
# A function that seeds itself repeats its outputs whatever stream it is given, so that no sample of it is
# fresh and an ordinary audit refuses it. Here that is a finding: outputs that are a function of the rows
# alone, and are others on a neighbour, keep no promise.


def audit_function(
    function: Any,
    pairs: Any,
    claim: Budget,
    *,
    preset: AuditPreset = AUDIT_CI,
    seed: int = 0,
    name: str = "function",
) -> AuditReport:
    """Attack a function, or an estimator, on pairs of neighbours.

    Parameters
    ----------
    function : callable
        `f(rows, rng)`, `f(rows, rng, budget)`, `f(rows, trials, rng)` or an estimator; answers are numbers,
        arrays or what estimators return, None for no answer.
    pairs : sequence
        Of `Pair`, of (first, second) or of (name, first, second), or a function that returns one.
    claim : Budget
        What is promised, and what the function is given as its budget.
    preset, seed
        How many runs, and the seed of all streams.
    name : str
        Of the report.

    Examples
    --------
    >>> from workbench import PureDP
    >>> def halved(rows, rng):
    ...     return rows.clip(0, 1).mean() + rng.laplace(scale=0.5 / len(rows))
    >>> audit_function(halved, [([0, 0, 0], [1, 0, 0])], PureDP(1.0)).violated
    True
    """
    listed = neighbours("pairs", pairs)
    attacked = mechanism(OwnFunction("function", function), claim)
    try:
        return audit(attacked, listed, claim, **preset.sizes, seed=seed, name=name)
    except RepeatedError as repeated:
        return _repeating(attacked, listed, claim, seed, name, repeated)


def _repeating(
    attacked: Mechanism, pairs: list[Pair], claim: Budget, seed: int, name: str, repeated: RepeatedError
) -> AuditReport:
    for pair in pairs:
        known, again, beside = (
            rows(attacked(x.copy(), FRESH, stream(seed, Role.CONFIRM, name, 0, block)))
            for block, x in enumerate((pair.first, pair.first, pair.second))
        )
        if (known == again).all() and not (known == beside).all(axis=1).any():
            event = "the outputs of another stream again: they are those of a fixed seed"
            found = _report(
                name, claim, AUDIT_LEVEL, (FRESH, 0), FRESH, pair=pair.name, event=event, runs=3 * FRESH
            )
            return replace(found, violated=True)
    raise repeated


# The event that accuses noise of floats: how low the last bit of an output lies (Mironov 2012).
#
# The real mechanism may keep its promise; the floats that stand for its outputs need not. An audit looks
# there if it is told to, `audit(mechanism, pairs, claim, score=last_bit)`: noise of numpy is convicted on
# the pair 0 and 1, noise on a grid is not.


def last_bit(outputs: Array) -> Array:
    """Return the exponent of the lowest bit that is set; 0 for the number 0.

    >>> last_bit(np.array([0.75, 2.0**-60, 3.0]))
    array([ -2., -60.,   0.])
    """
    mantissa, exponent = np.frexp(np.ravel(outputs))
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    trailing = np.log2(np.maximum(whole & -whole, 1))
    return np.where(whole == 0, 0.0, exponent - 53 + trailing)


def as_rows(answers: Iterable[object]) -> Array:
    """Return answers as rows of numbers, NaN for no answer."""
    found = [numbers(one) for one in answers]
    width = max(map(len, found))
    return np.array([one or (np.nan,) * width for one in found], np.float64)


def numbers(value: object) -> tuple[float, ...]:
    """Return an output as numbers, none for no answer; an interval by its middle and its width."""
    match value:
        case None | Abstention():
            return ()
        case Interval(low=low, high=high):
            return ((low + high) / 2, high - low) if high < inf else ()
        case tuple() | list():
            return tuple(map(float, value))
        case (
            Box(centre=kept)
            | Ball(centre=kept)
            | Counts(counts=kept)
            | SparseCovariance(thresholded=kept)
            | DenoisedCovariance(covariance=kept)
        ):
            return numbers(kept)
        case Gaussian(mean=mean, covariance=covariance):
            return (*numbers(mean), *numbers(covariance))
        case np.ndarray():
            return tuple(value[np.triu_indices(len(value))] if value.ndim == 2 else value)
    return (float(value),)  # type: ignore[arg-type]
