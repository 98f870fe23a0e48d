"""All answers of each estimator side by side: what is proved, what is predicted, and what is simulated.

Simulation is asked for, and begins after the rest is known: at the n that is predicted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.errors import ArgumentError
from workbench.study.planner.answers import Answer, answer_of, facts_missing, need
from workbench.study.planner.estimators import Candidate, candidates
from workbench.study.planner.question import Question
from workbench.study.planner.simulation import Search, searched
from workbench.study.search import Found

MEASURED = "the error of runs on synthetic rows, the hardest of its model"
PART = 4  # of a proved n, or times the fewest rows, where a search begins without a prediction


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What one estimator says, by what is known of its error; None where that is not asked or not stated."""

    proved: Answer
    predicted: Answer | None = None
    simulated: Answer | None = None

    @property
    def all(self) -> list[Answer]:
        """Those that there are."""
        return [one for one in (self.proved, self.predicted, self.simulated) if one]

    @property
    def best(self) -> Answer:
        """The one that needs least."""
        return min(self.all, key=need)

    @property
    def stated(self) -> Answer:
        """The proved one, or the predicted one where that fails."""
        failed = not self.proved.reached
        if self.predicted and failed and (self.predicted.reached or not self.proved.meaning):
            return self.predicted
        return self.proved


def plan(question: Question) -> list[Answer]:
    """Return the stated answer of each estimator: those that need least first, failures last."""
    return sorted((answer(question, one) for one in candidates(question)), key=need)


def answer(question: Question, one: Candidate) -> Answer:
    """Return the answer of one estimator: by its proved bound, or by its prediction where that fails."""
    return answers(question, one).stated


def answers(question: Question, one: Candidate) -> Answers:
    """Return the answers of one estimator by its proved bound and by its prediction."""
    guess = replace(one, kind="predicted")
    predicted = answer_of(question, guess) if guess.stated else None
    return Answers(proved=answer_of(question, one), predicted=predicted)


def compared(
    question: Question,
    announce: Callable[[int, float], None] | None = None,
    tell: Callable[[int, int, str, Answers | None], None] | None = None,
) -> list[Answers]:
    """Return all answers of each estimator in question: those that need least first, failures last.

    `announce` is told of how many searches there are, and of their core-seconds, before they begin; `tell` of
    the number of each estimator, how many there are, and its key, before it is asked and with its answers.

    Raises
    ------
    ArgumentError
        As `candidates`; and if none can be asked, as facts about the rows are not set.
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
        found = _simulated(question, asked, found, announce or (lambda *_: None))
    return sorted(found, key=lambda one: need(one.best))


def _simulated(
    question: Question,
    asked: Sequence[Candidate],
    found: Sequence[Answers],
    announce: Callable[[int, float], None],
) -> list[Answers]:
    """Return the answers with what is simulated, for all estimators that take the budget."""
    searches = [_search(question, one, said) for one, said in zip(asked, found, strict=True)]
    sizes = iter(searched([search for search in searches if search], announce))
    return [
        replace(said, simulated=_of_search(said.best, search, next(sizes))) if search else said
        for said, search in zip(found, searches, strict=True)
    ]


def _search(question: Question, one: Candidate, said: Answers) -> Search | None:
    """Return the search for an estimator; None where its plan refuses the budget or d."""
    if said.best.budget is None or question.alpha is None or question.simulation is None:
        return None
    return Search(one, said.best.budget, _start(said), question.alpha, question.simulation)


def _start(said: Answers) -> int:
    """Return the n to begin with: the predicted one, or a part of the proved one."""
    least = said.best.answers_from or 1
    if said.predicted and said.predicted.reached:
        return max(least, said.predicted.n or 1)
    return max(least, (said.proved.n or 0) // PART if said.proved.reached else PART * least)


def _of_search(said: Answer, search: Search, found: Found) -> Answer:
    """Return what a search found as an answer."""
    blank = replace(
        said, kind="simulated", meaning=MEASURED, check=None, bounded_from=None, reason="", found=found
    )
    if found.rows is None:
        reason = f"fewer than {search.how.share:.0%} of the runs are within alpha up to n = {search.most}"
        return replace(blank, n=None, bound=None, reason=reason)
    return replace(blank, n=max(found.rows, said.answers_from or 1), bound=search.alpha)
