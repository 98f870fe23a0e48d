"""What every estimator says to a question: the least n or the least budget found, or why there is none.

It says so up to three times: what is proved, what is predicted, and what is simulated if that is asked for.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from operator import itemgetter

from workbench.errors import ArgumentError
from workbench.privacy import Budget
from workbench.study.least_rows import MOST, fewest_rows
from workbench.study.planner.estimators import Candidate, Kind, Parameter
from workbench.study.planner.question import Offer, Question
from workbench.study.planner.search import DECIMALS, Check, Scale, decimal, factors, steps
from workbench.study.search import Found

NO_BOUND = "no error bound with explicit constants"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one estimator says.

    Parameters
    ----------
    key, estimand, calibration, d, parameters, kind, meaning, assumptions
        Which estimator of what, whether its error is bounded by proof or predicted, what that error is, and
        what this assumes of the rows.
    budget : Budget or None
        What it spends: the given budget, or the least found; None if it takes none or none is enough.
    answers_from : int or None
        The least n that its plan accepts at this budget.
    refusal : str
        What the plan says of one row less.
    bounded_from : int or None
        Where n is sought: the least n found with a finite bound.
    n : int or None
        The given n, or the least found to be enough.
    bound : float or None
        The error bound, or the predicted error, there, at most alpha; None if alpha is not reached.
    check : Check or None
        What a public grid around the answer says of the bound's monotony.
    reason : str
        Why there is no bound.
    needs : tuple of str
        Facts about the rows that are not set, without which it is not asked.
    found : Found or None
        What the search found, where n is simulated: `bound` is then alpha.
    other_rows : str
        What it says of rows that are not of its law, where it answers.
    """

    key: str
    estimand: str
    calibration: str | None
    d: int
    parameters: Mapping[str, Parameter]
    kind: Kind
    meaning: str
    assumptions: tuple[str, ...]
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
    def reached(self) -> bool:
        """Whether alpha is reached."""
        return self.bound is not None


def need(one: Answer) -> tuple[int, float, float]:
    """Return the sorting key of an answer: ε before ρ, less before more, then n; else where it begins."""
    if not one.reached or one.budget is None:
        return 2, one.bounded_from or inf, one.answers_from or inf
    (currency, amount), *_ = asdict(one.budget).items()
    return int(currency != "epsilon"), amount, one.n or 0


def answer_of(question: Question, one: Candidate) -> Answer:
    """Return the answer of one estimator at the best of the budgets it takes."""
    blank = Answer(
        key=one.entry.key,
        estimand=str(one.entry.estimand),
        calibration=getattr(one.estimator, "calibration", None),
        d=one.d,
        parameters=one.parameters,
        kind=one.kind,
        meaning=one.meaning,
        assumptions=tuple(assumption.statement for assumption in one.entry.assumptions),
        n=question.n,
    )
    if needs := facts_missing(question, one):
        return replace(
            blank, needs=needs, reason="needs " + " ".join(f"--set {name}=NUMBER" for name in needs)
        )
    refusals = []
    for offers in question.offers():
        found = []
        for offer in offers:
            try:
                fewest_rows(one.estimator, one.d, offer(1.0))
                found.append((_rows if question.n is None else _budget)(question, one, offer, blank))
            except ArgumentError as error:
                refusals.append((error.argument == "budget", _refused(error, offer(1.0))))
        if found:
            return min(found, key=need)
    return replace(blank, reason=min(refusals, key=itemgetter(0))[1])


def facts_missing(question: Question, one: Candidate) -> tuple[str, ...]:
    """Return what must be set before an estimator is asked; one of one's own has what its object says."""
    return () if one.entry in question.own else tuple(one.lacking)


def _refused(error: ArgumentError, budget: Budget) -> str:
    """Return the refusal in one line; a budget is named whole, not by the share that was refused."""
    return f"takes no {budget}: expected {error.allowed}" if error.argument == "budget" else str(error)


def _rows(question: Question, one: Candidate, offer: Offer, blank: Answer) -> Answer:
    """Return the answer at a given budget."""
    budget = offer(1.0)
    found = _at(one, budget, blank)
    if not one.stated:
        return replace(found, reason=NO_BOUND)
    start = found.answers_from or 1
    scale = Scale(lambda n: one.bound(n, budget, question.beta), start, MOST, factors)
    found = replace(found, bounded_from=scale.least())
    if question.alpha is None:
        return found
    n = scale.least(question.alpha)
    if n is None:
        where, best = scale.best()
        return replace(found, reason=_unreached(one, f"any n up to {MOST:g}", best, f"n = {where}"))
    return replace(found, n=n, bound=scale.at(n), check=scale.check(n, question.alpha))


def _budget(question: Question, one: Candidate, offer: Offer, blank: Answer) -> Answer:
    """Return the answer at a given n."""
    n, alpha = question.n or 0, question.alpha or 0.0
    refusal = one.refusal(n, offer(decimal(DECIMALS)))
    if refusal or not one.stated:
        return replace(blank, reason=refusal or NO_BOUND)
    if n > MOST:
        reason = f"n = {n}: expected at most {MOST}, up to which this bound is computed"
        return replace(blank, reason=reason)
    scale = Scale(
        lambda place: one.bound(n, offer(decimal(place)), question.beta), 0, DECIMALS, steps, decimal
    )
    place = scale.least(alpha)
    if place is None:
        where, best = scale.best()
        most, there = (str(offer(decimal(end))) for end in (DECIMALS, where))
        return replace(blank, reason=_unreached(one, f"any budget up to {most}", best, there))
    found = _at(one, offer(decimal(place)), blank)
    return replace(found, bound=scale.at(place), check=scale.check(place, alpha))


def _at(one: Candidate, budget: Budget, blank: Answer) -> Answer:
    """Return the answer with the budget and where the estimator begins to answer at it."""
    first = fewest_rows(one.estimator, one.d, budget)
    refusal = one.refusal(first - 1, budget) if first > 1 else ""
    others = one.other_rows(first, budget)
    return replace(blank, budget=budget, answers_from=first, refusal=refusal, other_rows=others)


def _unreached(one: Candidate, where: str, best: float, there: str) -> str:
    if not isfinite(best):
        return f"no {'finite error bound' if one.kind == 'proved' else 'informative prediction'} at {where}"
    least = "bound" if one.kind == "proved" else "predicted error"
    return f"alpha is not reached at {where}: the least {least} found is {best:.4g}, at {there}"
