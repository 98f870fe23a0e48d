"""How the least n grows with one public number: searched at several values, beside what statements say."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import field, replace
from functools import cache, partial
from inspect import signature
from math import inf, isfinite, log, nan
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from workbench.bounds import Shape
from workbench.catalog import lookup
from workbench.errors import ArgumentError, integer_at_least, one_of, positive, probability
from workbench.privacy import ZCDP, ApproxDP, Budget, PureDP
from workbench.special import chdtrc as chi_squared_tail
from workbench.special import ndtri
from workbench.study.measures import Measure
from workbench.study.planner import Candidate, Scale, factors
from workbench.study.profiles import PROFILES, computed
from workbench.study.rules import Interval, Status, Verdict, claim_level
from workbench.study.search import BLOCK, BRACKETING, MOST, Kind, Target, least_n
from workbench.study.store import Cell, Store
from workbench.study.sweeps import Block, Point, Task, compute, resources
from workbench.types import Array, Columns, frozen

# What a scaling is: one statement and one number in its n, at which values, and what is run there.


CAPS = {"quick": 100, "full": 200}
LeastKind = Kind | Literal["planned"]
ENDS = ("quick",)  # profiles that search at the first and the last value alone


class Setting(NamedTuple):
    """The public numbers at one value."""

    point: Point  # what the block takes, but for n
    alpha: float  # a run succeeds if its error is at most this
    start: int  # where the search begins: a public prediction, never a measured n
    stated: float  # the n of the statement, with constants 1 where it has none
    predicted: float = nan  # the n of a prediction with all constants; nan if there is none
    # of the isolated term in n: of that of the prediction if there is one, else of the statement's
    share: float = nan
    fewest: int = 1  # the estimator refuses fewer rows


class Least(NamedTuple):
    """The least n at one value, beside what is said of it."""

    value: float
    setting: Setting
    n: float
    interval: tuple[float, float]
    kind: LeastKind
    runs: int

    @property
    def bounded(self) -> bool:
        """Whether the search found both ends, and errors decide, not a plan that refuses fewer rows."""
        return self.kind != "planned" and self.interval[0] > 0 and self.interval[1] < inf


# The slope of ln n* in the logarithm of a public number, with its interval, and that of a formula.
#
# Least squares weighted by the intervals of the n*, which are taken as normal in ln n. This slope is a mean,
# with weights above 0, of the slopes from one value to the next. Where a line is refuted, it is called curved
# and has the least interval that holds those of all these: it then holds every exponent on the way.


CURVED = 0.05  # the level at which a line is refuted


@frozen
class Slope:
    """A slope with its standard error, those from one value to the next, and whether a line is refuted."""

    estimate: float
    error: float
    steps: tuple[tuple[float, float], ...] = ()
    curved: bool = False

    def interval(self, level: float) -> Interval:
        parts = self.steps if self.curved else ((self.estimate, self.error),)
        reach = _reach(level / len(parts))
        ends = [(middle - reach * error, middle + reach * error) for middle, error in parts]
        return min(low for low, _ in ends), max(high for _, high in ends)


def slope(xs: ArrayLike, ys: ArrayLike, errors: ArrayLike) -> Slope:
    """Return the slope of ln y against ln x; `errors` are the standard errors of ln y.

    >>> found = slope([1, 2, 4, 8], [10, 20, 40, 80], [0.1] * 4)
    >>> print(round(found.estimate, 9), found.curved)
    1.0 False
    """
    order = np.argsort(xs)
    x, y, e = (values[order] for values in (np.log(xs), np.log(ys), np.array(errors)))
    if len(x) < 2:
        return Slope(nan, inf)
    weight = e**-2.0
    along = x - weight @ x / weight.sum()
    square = weight @ along**2
    estimate = (weight * along) @ y / square
    rest = y - weight @ y / weight.sum() - estimate * along
    curved = len(x) > 2 and chi_squared_tail(len(x) - 2, weight @ rest**2) < CURVED
    steps = zip(np.diff(y) / np.diff(x), np.hypot(e[1:], e[:-1]) / np.diff(x), strict=True)
    return Slope(estimate, square**-0.5, tuple(steps), curved)


def standard_errors(intervals: Sequence[Interval], level: float) -> Array:
    """Return the standard errors of ln n of which these are the intervals at a level; inf for an open end."""
    halves = [log(high / low) / 2 if low > 0 and high < inf else inf for low, high in intervals]
    return np.array(halves) / _reach(level)


# Statements about n: a table of public numbers, one of which moves at a time.


Public = Mapping[str, Any]
Named = Callable[..., Any]
BUDGETS = ("epsilon", "delta", "rho")
GUESS = 4  # n_0 over the fewest rows, where nothing is predicted


def catalogued(
    key: str, d: int, n: int, *, trials: int, data: Generator, noise: Generator, **public: Any
) -> Columns:
    """Measure the error of an entry on rows of its hardest distribution, infinite where it abstains."""
    one, budget = _asked(key, d, public)
    errors = one.errors(n, budget, trials, data, noise)
    return {"error": errors, "abstained": np.isinf(errors)}


class Move(NamedTuple):
    """How one number moves, and what the statement says of it."""

    variable: str  # the number
    values: tuple[float, ...]  # its values; they take the type of the usual one
    power: float  # its exponent in the term
    instead: Mapping[str, float]  # wrong statements nearby, in words -> their exponents
    term: str  # the term that is looked at
    # the other numbers where they differ from the statement's usual ones, so that the term stands out
    beside: Public = MappingProxyType({})
    logarithm: bool = False  # whether the power is that of the number's logarithm
    part: str = "noise"  # the field of a `Shape` that is looked at
    said: str = ""  # what stands behind the key, in brackets
    share: float | None = None  # where they are not those of the statement
    caps: Mapping[str, int] | None = None


@frozen
class Statement:
    """A statement about n.

    Every function of public numbers names those that it takes.
    """

    id: str  # of the numbered statement
    key: str  # what is run: without a block, a key of the catalog
    # the public numbers: of an entry `d`, `alpha`, `epsilon` with or without `delta`, or `rho`, and others
    usual: Public
    # the statement's n, constants 1, or its terms, a `Shape`; it may name the `part` that is looked at
    shape: Named
    moves: tuple[Move, ...]  # how they move
    # as of a `Scaling`; by default runs of the entry on its hardest distribution (`catalog.hardest`)
    block: Block | None = catalogued
    # the error that counts as a success, an n with all constants, the share of the part in n. The latter two
    # of an entry are known: what is predicted is a median, and stands beside a share of 1/2 alone.
    alpha: Named = lambda alpha: alpha
    predicted: Named = lambda: nan
    isolated: Named = lambda: nan
    # the fewest rows that are not refused, and where the search begins; the latter may name `stated`,
    # `predicted` and `fewest`
    fewest: Named = lambda: 1
    start: Named = lambda stated, predicted: predicted if isfinite(predicted) else stated
    also: Named = lambda: {}  # numbers that follow from the others
    bound: Literal["upper", "lower", "equal"] = "upper"  # as of a `Scaling`
    share: float = 0.9
    caps: Mapping[str, int] = field(default_factory=lambda: CAPS)

    def scalings(self) -> Iterator["Scaling"]:
        return (Scaling(self, move) for move in self.moves)

    def only(self, *variables: str) -> "Statement":
        return replace(self, moves=tuple(move for move in self.moves if move.variable in variables))


@frozen
class Scaling:
    """One statement and one number in its n."""

    statement: Statement
    move: Move

    def __post_init__(self) -> None:
        if len(set(self.move.values)) < 2:
            raise ArgumentError("values", self.move.values, "at least two that differ")
        for value in self.move.values:
            positive(value=value)
        probability(share=self.share)
        for profile, cap in self.caps.items():
            one_of(PROFILES, profile=profile)
            integer_at_least(BLOCK, cap=cap)

    @property
    def key(self) -> str:
        said = self.move.said
        return f"{self.statement.key} {said}" if said else self.statement.key

    @property
    def name(self) -> str:
        return f"{self.statement.id} {self.move.variable} {self.key}"

    @property
    def share(self) -> float:
        return self.move.share or self.statement.share

    @property
    def caps(self) -> Mapping[str, int]:
        return self.move.caps or self.statement.caps

    def setting(self, value: float) -> Setting:
        said, part, of_entry = self.statement, self.move.part, self.statement.block is catalogued
        usual = {**said.usual, **self.move.beside}
        public = {**usual, self.move.variable: type(usual.get(self.move.variable, value))(value)}
        public = {"key": said.key, **public} if of_entry else {**public, **named(said.also, public)}
        told = {**public, "part": part}
        shape = named(said.shape, told)
        terms = isinstance(shape, Shape)
        stated = float(shape.total if terms else shape)
        share = getattr(shape, part) / stated if terms else named(said.isolated, told)
        if of_entry:
            fewest, expected = _expected(**public)
            start = expected if expected < inf else GUESS * fewest
            predicted = expected if expected < inf and said.share == 0.5 else nan
            taken = [name for name in public if name != "alpha"]
        else:
            fewest, predicted = int(named(said.fewest, public)), float(named(said.predicted, public))
            start = named(said.start, {**public, "stated": stated, "predicted": predicted, "fewest": fewest})
            taken = [*signature(said.block).parameters] if said.block else []
        return Setting(
            point={name: public[name] for name in taken if name in public},
            alpha=float(named(said.alpha, public)),
            start=round(start),
            stated=stated,
            predicted=predicted,
            share=float(share),
            fewest=fewest,
        )

    def at(self, profile: str) -> tuple[float, ...]:
        values = self.move.values
        return (values[0], values[-1]) if profile in ENDS else values

    def axis(self, value: float) -> float:
        return abs(log(value)) if self.move.logarithm else value


Growth = tuple[Scaling, Sequence[Least]]


def named(call: Named, public: Public) -> Any:
    return call(**{name: public[name] for name in signature(call).parameters if name in public})


def _asked(key: str, d: int, public: Public) -> tuple[Candidate, Budget]:
    own = {name: value for name, value in public.items() if name not in BUDGETS}
    entry = lookup(key)
    kind: Any = entry.estimator
    if "rho" not in public and "epsilon" not in public:
        raise ArgumentError("usual", sorted(public), "a budget: epsilon, epsilon and delta, or rho")
    budget: Budget = ZCDP(public["rho"]) if "rho" in public else PureDP(public["epsilon"])
    if "delta" in public:
        budget = ApproxDP(public["epsilon"], public["delta"])
    return Candidate(entry, replace(kind, **own) if own else kind, int(d), {}, "predicted"), budget


@cache
def _expected(*, alpha: float, key: str, d: int, **public: Any) -> tuple[int, float]:
    one, budget = _asked(key, d, public)
    fewest = one.fewest(budget)
    if one.asked is None:
        return fewest, inf
    n = Scale(lambda rows: one.bound(rows, budget, 0.5), fewest, MOST, factors).least(alpha)
    return fewest, inf if n is None else float(n)


# What searched n say of a statement: its rate is seen, n grows slower, n grows faster, or it is open.
#
# What is looked at is the slope of ln(n*/N) for the n* that were found and the statement's N: where the
# statement has the right shape, whatever its constant, that is 0, and curvature cancels.


TOLERANCE = 0.1  # of an exponent: what logarithms that a statement leaves out may do
SEARCHED = 0.05  # the level of the interval of one n*
SEEN = 0.05  # the level at which wrong statements are excluded, over all scalings; of a shown interval alone
SCALINGS = 200  # that share it: fixed in advance, so that no rate depends on which others there are
SLOPE = "slope of searched n"  # the name of the test
PLANNED = "slope of planned n"
HALF = 0.5  # of a power: a wrong statement that is always near
FEWEST = 3  # values with both ends that a slope takes; of two values, both
CONTRADICTS = {"upper": ("faster",), "lower": ("slower",), "equal": ("faster", "slower")}


def grows(scaling: Scaling, found: Sequence[Least]) -> Verdict:
    """Decide whether n grows with the number as the statement says.

    HOLDS if the statement's rate is seen: the interval of the exponent at 5 % meets it within `TOLERANCE`,
    and a wider one excludes every wrong rate that the scaling names, and half a power to either side. One
    rate is true, so that a scaling is wrong with the level of the wider one, `SEEN` over all `SCALINGS`. What
    a wrong power of a term changes of n is taken as small as the term's share of n, where that is known. NOT
    CONTRADICTED if n certainly grows slower than an upper bound, or faster than a lower one, at the level of
    a check of a claim; REFUTED if it certainly does the contrary. Otherwise UNDECIDED. Every term has a
    constant that no source states, so that faster is what exceeds the sum and the term that moves alone.

    Where every n is the plan's least, which is enough and perhaps more than is needed, exponents are exact
    and an upper bound is never refuted.
    """
    values, settings, n, intervals, kinds, runs = zip(*found, strict=True)
    planned, move = {*kinds} == {"planned"}, scaling.move
    chosen = list(found) if planned else [one for one in found if one.bounded]
    errors = standard_errors([one.interval for one in chosen], SEARCHED)
    exact = len(errors) and not errors.any()
    axis = [scaling.axis(one.value) for one in chosen]

    def exponent(number: Callable[[Least], float]) -> Slope:
        numbers = [number(one) for one in chosen]
        if exact:
            return Slope(slope(axis, numbers, np.ones_like(errors)).estimate, 0.0)
        return slope(axis, numbers, errors)

    grown, excess = exponent(lambda one: one.n), exponent(lambda one: one.n / one.setting.stated)
    stated = exponent(lambda one: one.setting.stated).estimate
    enough = len(chosen) >= min(FEWEST, len(found))
    share = min((one.share for one in settings if isfinite(one.share)), default=1.0)
    rate, alone = (
        _rate(move, grown, excess, share, level) if enough else "open"
        for level in (claim_level(SCALINGS, SEEN), SEEN)
    )
    status = {"seen": Status.HOLDS, "open": Status.UNDECIDED}.get(rate, Status.NOT_CONTRADICTED)
    if rate in CONTRADICTS["equal" if move.power == 0 else scaling.statement.bound]:
        status = Status.UNDECIDED if planned else Status.REFUTED
    record: dict[str, Any] = {
        "statement": scaling.statement.id,
        "variable": move.variable,
        "logarithm": move.logarithm,
        "key": scaling.key,
        "term": move.term,
        "share": scaling.share,
        "power": move.power,
        "instead": dict(move.instead),
        "rate": rate,
        "rate_alone": alone,
        "curved": excess.curved,
        "slope": grown.estimate,
        "slope_interval": grown.interval(SEEN),
        "slope_stated": stated,
        "slope_predicted": exponent(lambda one: one.setting.predicted).estimate,
        "excess": excess.estimate,
        "excess_interval": excess.interval(SEEN),
        "values": list(values),
        "n": list(n),
        "intervals": list(intervals),
        "kinds": list(kinds),
        "stated": [one.stated for one in settings],
        "predicted": [one.predicted for one in settings],
        "shares": [one.share for one in settings],
    }
    return Verdict(
        status=status,
        test=PLANNED if planned else SLOPE,
        level=0.0 if planned else claim_level(),
        trials=sum(runs),
        estimate=grown.estimate,
        interval=record["slope_interval"],
        bound=stated,
        id=f"n in {move.variable}: {scaling.key}",
        detail={"scaling": record},
    )


def _rate(move: Move, grown: Slope, excess: Slope, share: float, level: float) -> str:
    if not isfinite(excess.error):
        return "open"
    named = (other - move.power for other in move.instead.values())
    wrong = [share * gap for gap in (*named, -HALF, HALF)]
    (least, most), (low, high) = excess.interval(SEEN), excess.interval(level)
    if least <= TOLERANCE and most >= -TOLERANCE and not any(low <= one <= high for one in wrong):
        return "seen"
    sign = 1 if move.power >= 0 else -1
    low, high = sorted(sign * end for end in excess.interval(claim_level()))
    beyond = min(sign * (end - move.power) for end in grown.interval(claim_level()))
    return "slower" if high < -TOLERANCE else "faster" if min(low, beyond) > TOLERANCE else "open"


def within(
    scaling: Scaling, found: Sequence[Least], proved: Callable[[Setting], float], *, lower: bool = False
) -> Verdict:
    """Decide whether the n that is found is at most a proved one at every value; shown is the largest ratio.

    `lower`: at least a lower bound, and the smallest. HOLDS if every interval at 5 % lies on that side,
    REFUTED if one lies on the other at the level of a check.
    """
    bounds = np.array([proved(one.setting) for one in found])
    errors = standard_errors([one.interval for one in found], SEARCHED)
    n = [one.n for one in found]
    ratios = np.array(n) / bounds
    reach = _reach(claim_level(parts=len(found))) * errors
    with np.errstate(invalid="ignore"):  # nothing is enough: inf, with an open end below
        low, high = (ratios * np.exp(sign * reach) for sign in (-1, 1))
    low = np.nan_to_num(low, nan=0.0, posinf=inf)
    ends = np.array([one.interval for one in found])
    held = ends[:, 0] >= bounds if lower else ends[:, 1] <= bounds  # nan is no bound
    refuted = high.min() < 1 if lower else low.max() > 1
    worst = np.argmin(ratios) if lower else np.argmax(ratios)
    return Verdict(
        status=Status.REFUTED if refuted else Status.HOLDS if held.all() else Status.UNDECIDED,
        test=f"searched n at {'least' if lower else 'most'} the proved n",
        level=claim_level(),
        trials=sum(one.runs for one in found),
        estimate=ratios[worst],
        interval=(low[worst], high[worst]),
        bound=1.0,
        id=f"n over the proved n in {scaling.move.variable}: {scaling.key}",
        detail={"n": n, "proved": bounds.tolist()},
    )


def _reach(level: float) -> float:
    return -ndtri(level / 2)


def measure(one: Least) -> Measure:
    (error,) = standard_errors([one.interval], SEARCHED)
    reach = np.exp(-_reach(claim_level()) * error) if error < inf else 0.0
    return Measure(one.n, (one.n * reach, one.n / reach if reach else inf), one.runs)


def follow(*growths: Growth) -> list[Verdict]:
    """Return the check of every scaling: what a claim about sample sizes alone consists of."""
    return [grows(*growth) for growth in growths]


def below(proved: Callable[[Setting], float], *, grow: bool = True) -> Callable[..., list[Verdict]]:
    """Return the checks that no n is beyond a proved one; before them, those that they grow as stated."""

    def checks(*growths: Growth) -> list[Verdict]:
        return (follow(*growths) if grow else []) + [within(*growth, proved) for growth in growths]

    return checks


def bounded(times: float = 1.0) -> Callable[..., list[Verdict]]:
    """Return the checks of growths whose n are at most so many times the prediction, too."""
    return below(lambda setting: times * setting.predicted)


# Running scalings: every search in a process of its own, its blocks kept in the store.
#
# A block of a search is addressed by the scaling's name, the public numbers with n, and its place in the
# order of blocks at that n. The answer is the same for any number of workers, and a search that was killed
# goes on from the blocks that it has.


REFUSED = 1.06  # times the fewest rows: an n found below is not told from the plan's least one
PARTS = 4  # a draw of the search is of at most so many blocks of `BRACKETING` runs
REMEMBERED = 200  # searches kept in one process

_memory: dict[tuple[str, float, str, int], Least] = {}


class _MissingError(Exception):
    """A search wants a block that is not stored."""


def measured(scalings: Iterable[Scaling], profile: str, *, seed: int) -> list[list[Least]]:
    """Return the least n of every scaling that the profile searches, at each of its values.

    Searches that this process has made before are recalled. A search is whole on one worker; the blocks of
    those made on a cluster are stored here when they have ended, and those that have ended before are not
    made again.
    """
    integer_at_least(0, seed=seed)
    lent, wanted = resources(), [one for one in scalings if profile in one.caps]
    asked = {(one.name, value, profile, seed): (one, value) for one in wanted for value in one.at(profile)}
    new = {key: one for key, one in asked.items() if key not in _memory}
    if lent.scheduler:
        for key, one in [*new.items()]:
            with suppress(_MissingError):
                _memory[key], _ = _least(profile, seed, lent.store, False, one)
                del new[key]
    keys, sent = [*new], [*new.values()]
    search = partial(_least, profile, seed, None if lent.scheduler else lent.store, True)
    with closing(computed(search, sent, lent.jobs, lent.scheduler)) as found:
        for place, (least, cells) in found:
            _memory[keys[place]] = least
            if lent.store and cells:
                scaling: Any = sent[place][0]
                with Store(lent.store) as store:
                    shelf = store.shelf(scaling.name, scaling.statement.block, BRACKETING, seed=seed)
                    for point, cell in cells:
                        shelf.put(point, cell)
    result = [[_memory[one.name, value, profile, seed] for value in one.at(profile)] for one in wanted]
    while len(_memory) > REMEMBERED:
        del _memory[next(iter(_memory))]
    return result


def forget() -> None:
    _memory.clear()


def _least(
    profile: str,
    seed: int,
    path: str | PathLike[str] | None,
    computing: bool,
    asked: tuple[Scaling, float],
) -> tuple[Least, list[tuple[Point, Cell]]]:
    """Return what one search finds; without computing, it stops at the first block that is missing."""
    scaling, value = asked
    trials: Any = scaling.statement.block
    setting = scaling.setting(value)
    fewest = float(setting.fewest)
    planned = Least(value, setting, fewest, (fewest, fewest), "planned", 0)
    if not trials:
        return planned, []
    target = Target(alpha=setting.alpha, share=scaling.share, cap=scaling.caps[profile])
    cells: list[tuple[Point, Cell]] = []
    with Store(path) if path else nullcontext() as store:
        shelf = store.shelf(scaling.name, trials, BRACKETING, seed=seed) if store else None

        def errors(n: int, place: int, block: int, runs: int) -> Array:
            if n < setting.fewest:
                return np.full(runs, inf)
            point, found = {**setting.point, "n": n}, []
            for number in range(PARTS * block, PARTS * block + runs // BRACKETING):
                cell = shelf.get(point, number) if shelf else None
                if cell is None:
                    if not computing:
                        raise _MissingError
                    cell = compute(Task(scaling.name, point, 0, number, BRACKETING, seed, trials))
                    if shelf:
                        shelf.put(point, cell)
                    else:
                        cells.append((point, cell))
                found.append(cell.columns["error"])
            return np.concatenate(found)

        found = least_n(errors, target, max(setting.start, 1))
    if setting.fewest > 1 and found.n <= REFUSED * setting.fewest:
        return planned._replace(runs=found.runs), cells
    return Least(value, setting, found.n, found.interval, found.kind, found.runs), cells
