"""Attacks on a mechanism's privacy: events that tell two neighbours apart better than its claim allows.

    (1) screen    a few runs on every pair of neighbours; keep the pair with the most suspicious event
    (2) train     fresh runs on that pair choose one event
    (3) confirm   fresh runs, as many as fixed beforehand: Clopper-Pearson bounds on the event's two
                  probabilities, which contradict the claim or do not

Only (3) decides, and it is one test: a mechanism that keeps its claim is accused with probability at most
`level`, whatever (1) and (2) chose. An audit that finds nothing proves nothing beyond its lower bounds.
Every phase, and either data set, draws from a stream of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

import numpy as np

from workbench.errors import ArgumentError, integer_at_least, probability
from workbench.privacy import Budget
from workbench.study.audit.claims import epsilon_lower, excess, mu_lower, rho_lower
from workbench.study.audit.events import Choice, Score, choose, equal_by_chance, rows
from workbench.study.audit.report import AuditReport as AuditReport
from workbench.study.intervals import clopper_pearson
from workbench.study.profiles import AUDIT_CI, AUDIT_LEVEL
from workbench.study.sweeps.streams import Role, point_id, stream
from workbench.types import Array

Mechanism: TypeAlias = Callable[[Array, int, np.random.Generator], object]

FRESH = 200  # runs of each of two batches that must differ
TOO_EQUAL = 1e-9  # batches that agree by chance with a smaller probability are copies
HOPE, CAUTION = 1.5, 3.0  # sds in the choice of a pair, on few runs, and of an event (see `choose`)
SCREENS, TRAINS, COPIES = (0, 1), (2, 3), (4, 5)  # blocks of the screening stream


class RepeatedError(ArgumentError):
    """A mechanism's outputs do not depend on the stream that it is given."""


@dataclass(frozen=True)
class Pair:
    """Neighbours: two data sets, arrays or lists of rows, that differ in exactly one row."""

    name: str
    first: Array
    second: Array

    def __post_init__(self) -> None:
        for argument in ("first", "second"):
            object.__setattr__(self, argument, _as_rows(argument, getattr(self, argument)))
        if self.first.shape != self.second.shape:
            raise ArgumentError("second", self.second.shape, f"the shape of first, {self.first.shape}")
        apart = (self.first != self.second).reshape(len(self.first), -1).any(axis=1)
        if apart.sum() != 1:
            raise ArgumentError("second", f"{self.name}: {apart.sum()} other rows", "one replaced row")


def _as_rows(argument: str, found: object) -> Array:
    """Return an array itself, and a list of numbers or of rows as one."""
    try:
        values = found if isinstance(found, np.ndarray) else np.array(found, np.float64)
    except (TypeError, ValueError):
        values = np.zeros(())
    if values.ndim == 0:
        raise ArgumentError(argument, type(found).__name__, "an array, or a list of numbers or of equal rows")
    return values


@dataclass(frozen=True)
class _Attack:
    """A mechanism with the streams of one audit."""

    name: str
    mechanism: Mechanism
    claim: Budget
    score: Score | None
    seed: int

    def outputs(self, pair: Pair, role: Role, blocks: tuple[int, int], trials: int) -> tuple[Array, Array]:
        """Return fresh outputs on either data set of `pair`."""
        point = point_id({"pair": pair.name})
        first, second = (
            self._run(x, trials, stream(self.seed, role, self.name, point, block))
            for x, block in zip((pair.first, pair.second), blocks, strict=True)
        )
        return first, second

    def _run(self, x: Array, trials: int, rng: np.random.Generator) -> Array:
        output = self.mechanism(x.copy(), trials, rng)
        if np.ndim(output) == 0:  # type: ignore[arg-type]
            output = [output, *(self.mechanism(x.copy(), 1, rng) for _ in range(trials - 1))]
        found = rows(output)
        if len(found) != trials:
            raise ArgumentError("mechanism", f"{len(found)} outputs", f"one for each of {trials} trials")
        return found

    def choice(self, pair: Pair, blocks: tuple[int, int], trials: int, caution: float) -> Choice:
        """Return the most suspicious event on `pair`."""
        first, second = self.outputs(pair, Role.SCREEN, blocks, trials)
        return choose(first, second, self.claim, caution, self.score)

    def require_fresh(self, pair: Pair) -> None:
        """Raise if the mechanism repeats itself on two streams, so that no sample of it would be fresh."""
        batch, _ = self.outputs(pair, Role.SCREEN, COPIES, FRESH)
        other, _ = self.outputs(pair, Role.CONFIRM, COPIES, FRESH)
        if equal_by_chance(batch, other) < TOO_EQUAL:
            raise RepeatedError("mechanism", "the same outputs on two streams", "draws from the given stream")


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

    Parameters
    ----------
    mechanism : callable
        `(x, trials, rng)` returns independent outputs on the data set x, shape (trials,) or (trials, k), or
        one number: then it is called once for every trial. A row with NaN is "no answer".
    pairs : sequence of Pair
        Neighbours that may betray the mechanism; with one pair there is nothing to screen.
    claim : Budget
        What is promised: PureDP, ApproxDP, GaussianDP or ZCDP, the last with or without δ.
    level : float
        False alarms per audit.
    n_screen, n_train, n_test : int
        Runs on either data set, in every phase; fixed before the first run.
    seed : int
        Of all streams.
    score : callable, optional
        Maps outputs (trials, k) to one number each, to be tried as a statistic besides the built-in ones.
    name : str
        Names the streams, and the report.
    """
    if not pairs:
        raise ArgumentError("pairs", pairs, "at least one pair")
    integer_at_least(4, n_screen=n_screen, n_train=n_train, n_test=n_test)
    probability(level=level)
    begin, attack = perf_counter(), _Attack(name, mechanism, claim, score, seed)
    pair, screened = pairs[0], 0
    if len(pairs) > 1:  # (1)
        pair = max(pairs, key=lambda pair: attack.choice(pair, SCREENS, n_screen, HOPE).strength)
        screened = len(pairs) * n_screen
    attack.require_fresh(pair)
    chosen = attack.choice(pair, TRAINS, n_train, CAUTION)  # (2)
    samples = attack.outputs(pair, Role.CONFIRM, (0, 1), n_test)  # (3)
    counts = chosen.event.count(samples[chosen.exchanged]), chosen.event.count(samples[not chosen.exchanged])
    low = clopper_pearson(counts[0], n_test, level)[0]
    high = clopper_pearson(counts[1], n_test, level)[1]
    delta = getattr(claim, "delta", 0.0)
    return AuditReport(
        name=name,
        claim=claim,
        level=level,
        violated=bool(excess(claim, low, high) > 0),
        eps_lower=max(float(epsilon_lower(low, high, delta)), 0.0),
        mu_lower=max(float(mu_lower(low, high)), 0.0),
        rho_lower=max(float(rho_lower(low, high, delta)), 0.0),
        pair=pair.name,
        event=f"{chosen.event}{' (exchanged)' if chosen.exchanged else ''}",
        counts=counts,
        trials=n_test,
        runs=2 * (screened + n_train + n_test + 2 * FRESH),
        seconds=perf_counter() - begin,
    )
