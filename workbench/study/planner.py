"""How many rows, or how much privacy budget, an accuracy needs: every entry of the catalog that may answer.

An entry answers with its own `plan`, which says from how many rows on it runs at all, and its own
`error_bound`, a proved number that the error exceeds with probability at most beta: that n is enough, under
the entry's assumptions alone. Beside it stands the n at which its `predicted_error`, a median, is alpha, and
on demand the one at which a share of runs on synthetic rows is within alpha.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from math import inf, isfinite, isnan
from operator import itemgetter
from sys import float_info
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from workbench.catalog import KNOWN, Addition, Entry, Example, lookup
from workbench.catalog.hardest import hardest
from workbench.errors import (
    ArgumentError,
    checked,
    integer_at_least,
    one_of,
    one_of_words,
    positive,
    probability,
)
from workbench.estimators.release import Asked, meaning
from workbench.privacy import ZCDP, ApproxDP, Budget, NonPrivate, PureDP
from workbench.study.parameters import loaded
from workbench.study.profiles import mapped
from workbench.study.search import BLOCK, MOST, Found, Target, accepts, fewest_rows, least_n
from workbench.types import Array, frozen, public

T = TypeVar("T")
CALIBRATIONS = ("paper", "tight")
Offer = Callable[[float], Budget]


@public
class Question:
    """What is asked: the least n for a budget, or the least budget for an n."""

    subject: str = ""  # an estimand, a key, or nothing for the whole catalog
    # columns; None for one number for each estimand, the fewest of the entries' populations
    d: int | None = None
    # the target error, in the unit of each entry's `error_bound`, of its `predicted_error`, and of its loss
    # for runs; None asks only where answers begin
    alpha: float | None = None
    beta: float = 0.05  # the probability with which the error may exceed alpha
    # what may be spent; None where `n` is given and the least ε at `delta` is sought
    budget: Budget | None = None
    n: int | None = None  # rows; None where a budget is given
    delta: float = 0.0  # where n is given
    calibrations: tuple[str, ...] = ("tight",)  # of the estimators that have several
    settings: Mapping[str, Any] = field(default_factory=dict)  # public parameters of the estimators, by name
    own: tuple[Entry, ...] = ()  # estimators beside those of the catalog; alone where there is no subject
    # whether alpha is a share of a mean: only means of one column answer, whose errors are in its unit
    relative: bool = False
    simulation: "Simulation | None" = None  # how n is searched by runs, too, if it is

    def __post_init__(self) -> None:
        checked(self)
        if not isinstance(self.subject, str):
            raise ArgumentError("subject", self.subject, "an estimand, a key, or nothing")
        if not isinstance(self.budget, Budget | None):
            raise ArgumentError("budget", self.budget, "a budget, such as PureDP(1.0)")
        if not isinstance(self.settings, Mapping):
            raise ArgumentError("settings", self.settings, "a dictionary of public parameters")
        if self.d is not None:
            integer_at_least(1, d=self.d)
        if self.alpha is not None:
            positive(alpha=self.alpha)
        for calibration in self.calibrations:
            one_of(CALIBRATIONS, calibration=calibration)
        if self.simulation and (self.n is not None or self.alpha is None):
            raise ArgumentError("simulate", True, "a target accuracy and a budget, and no n: it is searched")
        if (self.n is None) == (self.budget is None):
            raise ArgumentError("n", self.n, "a number of rows, or a budget instead")
        if self.n is not None:
            integer_at_least(1, n=self.n)
            if self.alpha is None:
                raise ArgumentError("alpha", None, "the target accuracy, where n is given")

    def offers(self) -> list[list[Offer]]:
        """Return the budgets to ask an entry with, as functions of ε or ρ.

        Beside the wanted budget stands the same one with delta = 0, which promises more, is taken by entries
        that have no use for a delta, and may be the better one to spend. Where the budget is what is sought,
        those that take no ε are asked for ρ.
        """
        if self.budget is not None:
            given = [self.budget]
            match self.budget:
                case ApproxDP(epsilon, delta) if delta:
                    given.append(PureDP(epsilon))
                case ZCDP(rho, delta) if delta:
                    given.append(ZCDP(rho))
            return [[lambda _, budget=budget: budget for budget in given]]  # type: ignore[misc]
        if not self.delta:
            return [[PureDP], [ZCDP]]
        return [[lambda e: ApproxDP(e, self.delta), PureDP], [lambda r: ZCDP(r, self.delta), ZCDP]]


# The estimators that a question is about. Parameters that are not set have the values of the catalog's
# example, which stand beside the answer, but for `beta`, which is that of the question. An estimator of the
# catalog is not asked where one without a default, a fact about the rows, is not set.


MEASURED = "the error of runs on synthetic rows, the hardest of its model"
Kind = Literal["proved", "predicted", "simulated"]
Origin = Literal["set", "default", "example", "planner"]


class Parameter(NamedTuple):
    """The value of a public parameter and who chose it."""

    value: Any
    origin: Origin


@frozen
class Candidate:
    """An estimator of an entry, ready to be asked about d columns: for its proved bound or its prediction."""

    entry: Entry
    estimator: Any
    d: int
    parameters: Mapping[str, Parameter]
    kind: Kind = "proved"

    @property
    def asked(self) -> Callable[..., float] | None:
        return getattr(self.estimator, "error_bound" if self.kind == "proved" else "predicted_error", None)

    @property
    def meaning(self) -> str:
        return MEASURED if self.kind == "simulated" else meaning(self.asked) if self.asked else ""

    @property
    def unit(self) -> str:
        """The unit of the errors of its runs, as its entry's loss says: those of two are not compared."""
        return meaning(self.entry.loss)

    @property
    def calibration(self) -> str | None:
        return getattr(self.estimator, "calibration", None)

    def bound(self, n: int, budget: Budget, beta: float) -> float:
        """Return its error bound, or prediction, infinite where it refuses n rows at this budget."""
        if self.asked is None or not accepts(self.estimator, n, self.d, budget):
            return inf
        with np.errstate(all="ignore"):
            return float(self.asked(n, self.d, budget, *((beta,) if self.kind == "proved" else ())))

    def fewest(self, budget: Budget) -> int:
        return fewest_rows(self.estimator, self.d, budget)

    def refusal(self, n: int, budget: Budget) -> str:
        try:
            self.estimator.plan(n, self.d, budget)
        except ArgumentError as error:
            return str(error)
        return ""

    def errors(self, n: int, budget: Budget, trials: int, data: Generator, noise: Generator) -> Array:
        """Measure its error on rows of its hardest distribution, infinite where it abstains."""
        world = hardest(self.entry, self.estimator, self.d)
        samples = (world.population.sample(n, rng=data) for _ in range(trials))
        return np.array([world.error(self.estimator(x, budget=budget, rng=noise).value) for x in samples])


def candidates(question: Question) -> list[Candidate]:
    listed = entries_of(question.subject) if question.subject or not question.own else []
    entries = [*question.own, *(one for one in listed if one not in question.own)]  # it may be installed, too
    names: dict[str, list[str]] = {
        entry.key: [part.name for part in fields(entry.estimator)] if is_dataclass(entry.estimator) else []
        for entry in entries
    }
    known = sorted({name for some in names.values() for name in some} - {"calibration"})
    for name, value in question.settings.items():
        if name not in known and not (question.relative and name == "centre"):
            raise ArgumentError(f"set {name}", value, one_of_words(name, known))
    chosen = {"beta": question.beta, **question.settings}
    found = []
    for entry in entries:
        alike = (one.population.d or 1 for one in entries if one.estimand == entry.estimand)
        d, taken = question.d or min(alike), names[entry.key]  # one where one of them takes a column alone
        change = {name: value for name, value in chosen.items() if name in taken}
        for calibration in question.calibrations if "calibration" in taken else ("",):
            named = {**change, "calibration": calibration} if calibration else change
            estimator: Any = entry.estimator
            estimator = replace(estimator, **named) if named else estimator
            found.append(Candidate(entry, estimator, d, _parameters(estimator, question.settings, change)))
    return found


def _parameters(
    estimator: Any, settings: Mapping[str, Any], change: Mapping[str, Any]
) -> dict[str, Parameter]:
    def origin(name: str, default: Any) -> Origin:
        if name in settings:
            return "set"
        if default is not MISSING and getattr(estimator, name) == default:
            return "default"
        return "planner" if name in change else "example"

    parts = fields(estimator) if is_dataclass(estimator) else ()
    return {
        part.name: Parameter(getattr(estimator, part.name), origin(part.name, part.default))
        for part in parts
        if part.name != "calibration"
    }


def entries_of(subject: str) -> list[Entry]:
    """Return the entries of an estimand, the one of a key, or all of them.

    Those of a whole Gaussian answer for a covariance, too.
    """
    if "/" in subject:
        return [lookup(subject)]
    estimands = dict.fromkeys(entry.estimand for entry in KNOWN.values())
    if subject and subject not in estimands:
        raise ArgumentError("estimand", subject, "a key, or " + one_of_words(subject, estimands, KNOWN))
    wanted = (subject, "gaussian") if subject == "covariance" else (subject,)
    return [entry for entry in KNOWN.values() if not subject or entry.estimand in wanted]


# The least of a scale of whole numbers, n or places of a list of decimals, at which an error bound is small
# enough. A bound need be neither monotone nor finite along it. The search doubles and bisects as if it were,
# asks a fixed grid around the answer, goes on below it where the grid finds a smaller one, and reports where
# the grid finds that more is not enough. A smaller answer between the places it asked can escape it.


FACTORS = (0.5, 0.7, 0.8, 0.9, 0.97, 1.05, 1.5, 5, 100)
STEPS = (-900, -300, -100, -30, -10, 10, 30, 100, 300, 900, 1800)
DIGITS = 900  # decimals with three digits per factor of 10
DECIMALS = 9 * DIGITS  # from 1e-6 to 1e3


@frozen
class Check:
    """How many places around the answer were asked, and those above it at which the bound is too large."""

    places: int
    short_above: tuple[float, ...]


@dataclass
class Scale:
    """An error bound along whole numbers from `start` to `most`, computed once at each."""

    bound: Callable[[int], float]
    start: int
    most: int
    around: Callable[[int], list[int]]
    number: Callable[[int], float] = int
    seen: dict[int, float] = field(default_factory=dict)

    def at(self, place: int) -> float:
        if place not in self.seen:
            value = self.bound(place)
            self.seen[place] = inf if isnan(value) else value
        return self.seen[place]

    def least(self, alpha: float = float_info.max) -> int | None:
        """Return the first place found with a bound of at most `alpha`, by default a finite one; or None.

        Below the answer the bound is larger than alpha at the place next to it, on the grid around it and
        wherever the doubling went.
        """

        def enough(place: int) -> bool:
            return self.at(min(place, self.most)) <= alpha

        short, found, step = self.start - 1, self.start, 1
        while not enough(found):
            if found >= self.most:
                return None
            short, found, step = found, found + step, 2 * step
        while True:
            while found - short > 1:
                middle = (short + found) // 2
                short, found = (short, middle) if enough(middle) else (middle, found)
            lower = [place for place in self._grid(found) if place < found and enough(place)]
            if not lower:
                return found
            found = min(lower)
            short = max((p for p in self.seen if p < found and self.seen[p] > alpha), default=self.start - 1)

    def _grid(self, answer: int) -> list[int]:
        return sorted({place for place in self.around(answer) if self.start <= place <= self.most})

    def best(self) -> tuple[int, float]:
        return min(self.seen.items(), key=lambda pair: pair[::-1])

    def check(self, answer: int, alpha: float) -> Check:
        grid = self._grid(answer)
        short = (self.number(place) for place in grid if place > answer and self.at(place) > alpha)
        return Check(len(grid), tuple(short))


def factors(n: int) -> list[int]:
    return [round(factor * n) for factor in FACTORS]


def decimal(place: int, first: int = -6) -> float:
    """Return the number at a place of the list of decimals with three digits, 1e-6, or another, first.

    >>> [decimal(place) for place in (0, 1, 899, 900, 5400, DECIMALS)]
    [1e-06, 1.01e-06, 9.99e-06, 1e-05, 1.0, 1000.0]
    """
    power, digits = divmod(place, DIGITS)
    return float(f"{100 + digits}e{power + first - 2}")


# What every estimator says to a question: the least n or the least budget found, or why there is none:
# what is proved, what is predicted, and what is simulated if that is asked for.

NO_BOUND = "no error bound with explicit constants"


@public
class Answer:
    """What one estimator says, by one kind of what is known of its error.

    `answers_from` is the least n that its plan accepts at the budget, given or found, with its refusal of one
    row less; `bounded_from` the least n found with a finite bound. `n` is given, or the least found to be
    enough, with the bound there, at most alpha, None if alpha is not reached, and a check of its monotony.
    `reason` is why there is no bound, and `needs` the facts about the rows without which it is not asked.
    """

    candidate: Candidate
    budget: Budget | None = None
    answers_from: int | None = None
    refusal: str = ""
    bounded_from: int | None = None
    n: int | None = None
    bound: float | None = None
    check: Check | None = None
    reason: str = ""
    needs: tuple[str, ...] = ()
    found: Found | None = None
    other_rows: str = ""

    @property
    def key(self) -> str:
        return self.candidate.entry.key

    @property
    def kind(self) -> Kind:
        return self.candidate.kind

    @property
    def reached(self) -> bool:
        return self.bound is not None


def need(one: Answer) -> tuple[int, float, float]:
    """Return the sorting key of an answer: ε before ρ, less before more, then n; else where it begins."""
    if not one.reached or one.budget is None:
        return 2, one.bounded_from or inf, one.answers_from or inf
    (currency, amount), *_ = asdict(one.budget).items()
    return int(currency != "epsilon"), amount, one.n or 0


def ranked(found: Sequence[T], answer: Callable[[T], Answer]) -> list[T]:
    """Return what needs least first among those whose errors have one unit, the unit of the best first.

    Failures, and where answers begin, come last.
    """

    def kind(one: T) -> tuple[str, ...]:
        said = answer(one).candidate
        return (said.entry.estimand, said.unit) if need(answer(one))[0] < 2 else ()

    ordered = sorted(found, key=lambda one: need(answer(one)))
    kinds = [*map(kind, ordered)]
    return sorted(ordered, key=lambda one: kinds.index(kind(one)))


def answer_of(question: Question, one: Candidate) -> Answer:
    blank = Answer(candidate=one, n=question.n)
    if question.relative and not (one.entry.key.startswith("univariate/") and one.entry.estimand == "mean"):
        return replace(blank, reason="its error is in a unit of its own: --alpha")
    if needs := facts_missing(question, one):
        words = " ".join(f"--set {name}=NUMBER" for name in needs)
        return replace(blank, needs=needs, reason=f"needs {words}")
    refusals = []
    for offers in question.offers():
        found = []
        for offer in offers:
            try:
                one.fewest(offer(1.0))
                found.append((_rows if question.n is None else _budget)(question, one, offer, blank))
            except ArgumentError as error:
                of_budget = error.argument == "budget"
                words = f"takes no {offer(1.0)}: expected {error.allowed}" if of_budget else str(error)
                refusals.append((of_budget, words))
        if found:
            return min(found, key=need)
    return replace(blank, reason=min(refusals, key=itemgetter(0))[1])


def facts_missing(question: Question, one: Candidate) -> tuple[str, ...]:
    """Return the facts about the rows that nobody set: the example's values say nothing of them.

    An estimator of one's own has what its object says.
    """
    unset = (name for name, its in one.parameters.items() if its.origin == "example")
    needed = (name for name in unset if getattr(type(one.estimator), name, None) is None)
    return () if one.entry in question.own else tuple(needed)


def _rows(question: Question, one: Candidate, offer: Offer, blank: Answer) -> Answer:
    budget = offer(1.0)
    found = _at(one, budget, blank)
    if one.asked is None:
        return replace(found, reason=NO_BOUND)
    scale = Scale(lambda n: one.bound(n, budget, question.beta), found.answers_from or 1, MOST, factors)
    found = replace(found, bounded_from=scale.least())
    if question.alpha is None:
        return found
    n = scale.least(question.alpha)
    if n is None:
        where, best = scale.best()
        asked = question, one, MOST, budget
        return replace(found, reason=_unreached(*asked, f"any n up to {MOST:g}", best, f"n = {where}"))
    return replace(found, n=n, bound=scale.at(n), check=scale.check(n, question.alpha))


def _budget(question: Question, one: Candidate, offer: Offer, blank: Answer) -> Answer:
    n, alpha = question.n or 0, question.alpha or 0.0

    def spent(place: int) -> Budget:
        return offer(decimal(place))

    beyond = f"n = {n}: expected at most {MOST}, up to which this bound is computed" if n > MOST else ""
    if reason := one.refusal(n, spent(DECIMALS)) or ("" if one.asked else NO_BOUND) or beyond:
        return replace(blank, reason=reason)
    scale = Scale(
        lambda place: one.bound(n, spent(place), question.beta),
        0,
        DECIMALS,
        lambda place: [place + step for step in STEPS],
        decimal,
    )
    place = scale.least(alpha)
    if place is None:
        where, best = scale.best()
        asked = question, one, n, spent(DECIMALS)
        reason = _unreached(*asked, f"any budget up to {spent(DECIMALS)}", best, str(spent(where)))
        return replace(blank, reason=reason)
    found = _at(one, spent(place), blank)
    return replace(found, bound=scale.at(place), check=scale.check(place, alpha))


def _at(one: Candidate, budget: Budget, blank: Answer) -> Answer:
    first = one.fewest(budget)
    refusal = one.refusal(first - 1, budget) if first > 1 else ""
    others = Asked(one.estimator, first, one.d, budget).other_rows
    return replace(blank, budget=budget, answers_from=first, refusal=refusal, other_rows=others)


def _unreached(
    question: Question, one: Candidate, n: int, budget: Budget, where: str, best: float, there: str
) -> str:
    if isfinite(best):
        least = "bound" if one.kind == "proved" else "predicted error"
        return f"alpha is not reached at {where}: the least {least} found is {best:.4g}, at {there}"
    if one.kind != "proved":
        return f"no informative prediction at {where}"
    others: dict[str, Any] = {"mode": "proved", "beta": question.beta / 2}  # what is chosen, no fact
    for name in (name for name in others if name in one.parameters):
        other = replace(one, estimator=replace(one.estimator, **{name: others[name]}))
        if isfinite(other.bound(n, budget, question.beta)):
            return f"no finite error bound at {where}, but with --set {name}={others[name]}"
    return f"no finite error bound at {where}"


# The n at which a share of runs on synthetic rows is within alpha: a search for each estimator. Rows are of
# the estimator's own model, the hardest within its public bounds (`catalog.hardest`). Every block of runs has
# streams of its own, so that the answer is the same for any number of workers.

NUMBERS = 25 * 10**6  # the most that are drawn for one run
WORK = 2.0  # runs of a search, in runs at the n it begins with, over the cap: steps of 2 and runs beyond


@public
class Simulation:
    """How n is searched: which share of the runs is to be within alpha, of how many runs, `jobs` at a time.

    The seed is public; with the question it decides every number.
    """

    share: float = 0.5
    runs: int = 200
    seed: int = 1
    jobs: int = 1

    def __post_init__(self) -> None:
        checked(self)
        probability(share=self.share)
        integer_at_least(BLOCK, runs=self.runs)
        integer_at_least(0, seed=self.seed)
        integer_at_least(1, jobs=self.jobs)


class Search(NamedTuple):
    """A search that is to be made: of which estimator, at which budget, beginning at n rows."""

    candidate: Candidate
    budget: Budget
    n: int
    alpha: float
    how: Simulation

    @property
    def most(self) -> int:
        return NUMBERS // self.candidate.d

    def errors(self, n: int, place: int, block: int, runs: int) -> Array:
        from workbench.study.store import one_thread
        from workbench.study.sweeps import Role, point_id, stream

        one, budget = self.candidate, self.budget
        if not accepts(one.estimator, n, one.d, budget):
            return np.full(runs, inf)
        name = f"{one.entry.key} {one.estimator!r} {one.d} {budget!r} {self.n}"
        address = name, point_id({"place": place}), block
        data, noise = (stream(self.how.seed, role, *address) for role in (Role.DATA, Role.NOISE))
        with one_thread():
            return one.errors(n, budget, runs, data, noise)

    def found(self) -> Found:
        target = Target(alpha=self.alpha, share=self.how.share, cap=self.how.runs, most=self.most)
        return least_n(self.errors, target, self.n)

    def core_seconds(self) -> float:
        n = min(self.n, self.most)
        self.errors(n, 0, 0, 1)
        started = time.thread_time()
        self.errors(n, 0, 0, 1)
        return (time.thread_time() - started) * self.how.runs * WORK


# All answers of each estimator side by side. Simulation begins at the n that is predicted.

PART = 4  # of a proved n, or times the fewest rows, where a search begins without a prediction


@public
class Answers:
    """What one estimator says, by what is known of its error; None where that is not asked or not stated."""

    proved: Answer
    predicted: Answer | None = None
    simulated: Answer | None = None

    @property
    def all(self) -> list[Answer]:
        return [one for one in (self.proved, self.predicted, self.simulated) if one]

    @property
    def best(self) -> Answer:
        return min(self.all, key=need)

    @property
    def stated(self) -> Answer:
        failed = not self.proved.reached
        if self.predicted and failed and (self.predicted.reached or not self.proved.candidate.meaning):
            return self.predicted
        return self.proved


def plan(question: Question) -> list[Answer]:
    return ranked([answers(question, one).stated for one in candidates(question)], lambda one: one)


def answers(question: Question, one: Candidate) -> Answers:
    guess = replace(one, kind="predicted")
    predicted = answer_of(question, guess) if guess.asked else None
    return Answers(proved=answer_of(question, one), predicted=predicted)


def compared(
    question: Question,
    announce: Callable[[int, float], None] | None = None,
    tell: Callable[[int, int, str, Answers | None], None] | None = None,
) -> list[Answers]:
    """Return all answers of each estimator in question: those that need least first, failures last.

    `announce` is told of how many searches there are, and of their core-seconds, before they begin; `tell` of
    the number of each estimator, how many there are, and its key, before it is asked and with its answers.
    """
    asked = candidates(question)
    needs = [facts_missing(question, one) for one in asked]
    if asked and all(needs):
        names = dict.fromkeys(name for names in needs for name in names)
        allowed = "a number: " + " ".join(f"--set {name}=NUMBER" for name in names)
        raise ArgumentError(f"set {next(iter(names))}", None, allowed)
    found = []
    for number, one in enumerate(asked, start=1):
        where = number, len(asked), one.entry.key
        if tell:
            tell(*where, None)
        found.append(answers(question, one))
        if tell:
            tell(*where, found[-1])
    if question.simulation:
        searches = {place: search for place, said in enumerate(found) if (search := _search(question, said))}
        if searches and announce:
            announce(len(searches), sum(search.core_seconds() for search in searches.values()))
        sizes = mapped(Search.found, [*searches.values()], question.simulation.jobs)
        for (place, search), size in zip(searches.items(), sizes, strict=True):
            said = found[place]
            found[place] = replace(said, simulated=_of_search(said.best, search, size))
    return ranked(found, lambda one: one.best)


def _search(question: Question, said: Answers) -> Search | None:
    budget, least = said.best.budget, said.best.answers_from or 1
    if budget is None or question.simulation is None or question.alpha is None:
        return None
    start = (said.proved.n or 0) // PART if said.proved.reached else PART * least
    if said.predicted and said.predicted.reached:
        start = said.predicted.n or 1
    return Search(said.proved.candidate, budget, max(least, start), question.alpha, question.simulation)


def _of_search(said: Answer, search: Search, found: Found) -> Answer:
    one = replace(said.candidate, kind="simulated")
    blank = replace(said, candidate=one, check=None, bounded_from=None, reason="", found=found)
    if found.rows is None:
        reason = f"fewer than {search.how.share:.0%} of the runs are within alpha up to n = {search.most}"
        return replace(blank, n=None, bound=None, reason=reason)
    return replace(blank, n=max(found.rows, said.answers_from or 1), bound=search.alpha)


def own_entry(reference: str, subject: str) -> Entry:
    """Return the entry of an object, "module:object": itself, or an estimator like those of its estimand.

    The object is an `Entry`, an `Addition`, or an estimator: at least `plan(n, d, budget)`; `error_bound`,
    `predicted_error` or a call for what they answer. It has the rows and the loss of the catalog's entries
    of its attribute `estimand`, or else of the subject.
    """
    found = loaded("from", reference)
    if isinstance(found, Entry | Addition):
        return found.entry if isinstance(found, Addition) else found
    if isinstance(found, type) or not callable(getattr(found, "plan", None)):
        allowed = "an Entry, an Addition, or an estimator: an object with plan(n, d, budget)"
        raise ArgumentError("from", reference, allowed)
    estimand = str(getattr(found, "estimand", subject.partition("/")[0]))
    one_of(dict.fromkeys(entry.estimand for entry in KNOWN.values()), estimand=estimand)
    like = [entry for entry in KNOWN.values() if entry.estimand == estimand]
    entry = next((one for one in like if one.population.d is not None), like[0])  # in d columns
    example = Example(found, NonPrivate())
    return replace(entry, key=reference, examples=(example,), assumptions=(), hardest=None, summary="")
