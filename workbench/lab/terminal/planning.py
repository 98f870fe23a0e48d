"""What `workbench plan` prints: for every estimator the rows, or the budget, that an accuracy needs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from workbench.errors import ArgumentError
from workbench.lab.terminal.budget_options import spending
from workbench.lab.terminal.plan_report import answers_to, report
from workbench.study.planner import Answer, Question, plan

BETA, EPSILON, DELTA = 0.05, 1.0, 1e-6


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
        )

    def _budget(self) -> Any:
        if (self.epsilon, self.delta, self.rho) == (None, None, None):
            return spending(EPSILON, DELTA, None)
        return spending(self.epsilon, self.delta, self.rho)


def planning(request: PlanRequest, *, as_json: bool = False, why: bool = False) -> tuple[str, bool]:
    """Return the text to print, and whether some estimator reaches the accuracy."""
    question = request.question()
    answers = plan(question)
    good = any(answers_to(question, answer) for answer in answers)
    if as_json:
        return json.dumps(record(question, answers), indent=1, ensure_ascii=False, allow_nan=False), good
    return report(question, answers, why=why), good


def record(question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the question and the answers as JSON has them."""
    asked = {name: getattr(question, name) for name in ("subject", "d", "alpha", "beta", "n")}
    given = {"budget": _budget(question.budget), "delta": question.delta if question.n else None}
    return {"question": asked | given, "answers": [_record(answer) for answer in answers]}


def _record(answer: Answer) -> dict[str, Any]:
    names = ("key", "calibration", "d", "answers_from", "refusal", "bounded_from", "n", "bound", "reason")
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
