"""What `workbench plan` prints: for every estimator the rows, or the budget, that an accuracy needs."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from time import monotonic
from typing import Any

from workbench.errors import ArgumentError
from workbench.lab.tables import printable
from workbench.lab.terminal.budget_options import spending
from workbench.lab.terminal.plan_report import answers_to, in_short, report
from workbench.study.planner import Answer, Answers, Question, Simulation, compared
from workbench.study.planner.own import own_entry

BETA, EPSILON, DELTA = 0.05, 1.0, 1e-6
SILENT = 1.0  # seconds


@dataclass(frozen=True)
class PlanRequest:
    """The flags; without n and any budget the budget is (1, 1e-6), and with n the δ is 1e-6."""

    subject: str = ""
    d: int | None = None
    alpha: float | None = None
    beta: float = BETA
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    n: int | None = None
    calibration: str = "tight"
    settings: Mapping[str, object] = field(default_factory=dict)
    own: str | None = None
    simulation: Simulation | None = None

    def question(self) -> Question:
        """Return the question to the planner."""
        if self.n is not None and (self.epsilon, self.rho) != (None, None):
            raise ArgumentError("n", self.n, "either --n, which asks for a budget, or --epsilon or --rho")
        return Question(
            subject=self.subject,
            d=self.d,
            alpha=self.alpha,
            beta=self.beta,
            budget=None if self.n is not None else self._budget(),
            n=self.n,
            delta=DELTA if self.delta is None else self.delta,
            calibrations=("tight", "paper") if self.calibration == "both" else (self.calibration,),
            settings=self.settings,
            own=(own_entry(self.own, self.subject),) if self.own else (),
            simulation=self.simulation,
        )

    def _budget(self) -> Any:
        if (self.epsilon, self.delta, self.rho) == (None, None, None):
            return spending(EPSILON, DELTA, None)
        return spending(self.epsilon, self.delta, self.rho)


def planning(request: PlanRequest, *, as_json: bool = False, why: bool = False) -> tuple[str, bool]:
    """Return the text to print, and whether some estimator reaches the accuracy."""
    question = request.question()
    answers = compared(question, _announced, _telling(question))
    good = any(answers_to(question, answer) for answer in answers)
    if as_json:
        return json.dumps(record(question, answers), indent=1, ensure_ascii=False, allow_nan=False), good
    return report(question, answers, why=why), good


def _telling(question: Question) -> Callable[[int, int, str, Answers | None], None]:
    """Return what says each answer on the error stream as it comes; on no terminal, after a second."""
    begun, open_line = monotonic(), False

    def tell(number: int, asked: int, key: str, found: Answers | None) -> None:
        nonlocal open_line
        if not (open_line or sys.stderr.isatty() or monotonic() > begun + SILENT):
            return
        here = f"{number} of {asked}: {key}"
        words = here if found is None else f"{'' if open_line else here}  {in_short(question, found)}\n"
        print(printable(words), end="", file=sys.stderr, flush=True)
        open_line = found is None

    return tell


def _announced(searches: int, core_seconds: float) -> None:
    """Say on the error stream what is about to be simulated."""
    print(f"{searches} searches: about {core_seconds:.0f} core-seconds", file=sys.stderr, flush=True)


def record(question: Question, answers: Sequence[Answers]) -> dict[str, Any]:
    """Return the question and the answers as JSON has them."""
    asked = {name: getattr(question, name) for name in ("subject", "d", "alpha", "beta", "n")}
    given = {"budget": _budget(question.budget), "delta": question.delta if question.n else None}
    simulated = asdict(question.simulation) if question.simulation else None
    return {
        "question": asked | given | {"simulation": simulated},
        "answers": [_all(one) for one in answers],
    }


def _all(answers: Answers) -> dict[str, Any]:
    """Return the answer that is stated, and what it says of n by each kind."""
    return _record(answers.stated) | {
        kind: _size(getattr(answers, kind)) for kind in ("proved", "predicted", "simulated")
    }


def _size(answer: Answer | None) -> dict[str, Any] | None:
    """Return what one kind of answer adds: None where it is not asked for or not stated."""
    if answer is None:
        return None
    names = ("n", "bound", "bounded_from", "reached", "reason", "meaning")
    found = {name: getattr(answer, name) for name in names} | {"budget": _budget(answer.budget)}
    if answer.found is None:
        return found | {"check": asdict(answer.check) if answer.check else None}
    interval = [_plain(end) for end in answer.found.interval]
    return found | {"interval": interval, "kind": answer.found.kind, "runs": answer.found.runs}


def _record(answer: Answer) -> dict[str, Any]:
    names = (
        "key",
        "calibration",
        "d",
        "answers_from",
        "refusal",
        "bounded_from",
        "n",
        "bound",
        "reason",
        "other_rows",
    )
    return {name: getattr(answer, name) for name in names} | {
        "kind": answer.kind,
        "reached": answer.reached,
        "budget": _budget(answer.budget),
        "parameters": {
            name: {"value": _plain(given.value), "from": given.origin}
            for name, given in answer.parameters.items()
        },
        "meaning": answer.meaning,
        "assumptions": list(answer.assumptions),
        "check": asdict(answer.check) if answer.check else None,
    }


def _budget(budget: Any) -> dict[str, Any] | None:
    return {"text": str(budget), **asdict(budget)} if budget is not None else None


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
