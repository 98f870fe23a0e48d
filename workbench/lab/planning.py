"""What `workbench plan` prints: for every estimator the rows, or the budget, that an accuracy needs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from workbench.errors import ArgumentError
from workbench.lab.spending import spending
from workbench.lab.tables import show, text
from workbench.study.planner import Answer, Check, Question, plan

BETA, EPSILON, DELTA = 0.05, 1.0, 1e-6
HEADER = ("key", "calibration", "d", "spends", "answers from n", "bounded from n", "n", "bound", "remark")


@dataclass(frozen=True)
class Request:
    """The flags; without n and any budget the budget is (1, 1e-6)."""

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
        """Return what is asked."""
        if self.n is not None and (self.epsilon, self.rho) != (None, None):
            raise ArgumentError("n", self.n, "either --n, which asks for a budget, or --epsilon or --rho")
        return Question(
            subject=self.subject,
            d=self.d,
            alpha=self.alpha,
            beta=self.beta,
            budget=None if self.n is not None else self._budget(),
            n=self.n,
            delta=self.delta or 0.0,
            calibrations=("tight", "paper") if self.calibration == "both" else (self.calibration,),
            settings=self.settings,
        )

    def _budget(self) -> Any:
        if (self.epsilon, self.delta, self.rho) == (None, None, None):
            return spending(EPSILON, DELTA, None)
        return spending(self.epsilon, self.delta, self.rho)


def planning(request: Request, *, as_json: bool = False) -> tuple[str, bool]:
    """Return what to print, and whether some estimator does what is asked."""
    question = request.question()
    answers = plan(question)
    good = any(answer.reached or (request.alpha is None and answer.answers_from) for answer in answers)
    if as_json:
        return json.dumps(record(question, answers), indent=1, ensure_ascii=False, allow_nan=False), good
    rows = [_row(answer) for answer in answers]
    return "\n\n".join([_asked(question), text(HEADER, rows), _small_print(answers)]), good


def record(question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the question and the answers as JSON has them."""
    asked = {name: getattr(question, name) for name in ("subject", "d", "alpha", "beta", "n")}
    given = {"budget": _budget(question.budget), "delta": question.delta if question.n else None}
    return {"question": asked | given, "answers": [_record(answer) for answer in answers]}


def _record(answer: Answer) -> dict[str, Any]:
    names = ("key", "calibration", "d", "answers_from", "refusal", "bounded_from", "n", "bound", "reason")
    return {name: getattr(answer, name) for name in names} | {
        "reached": answer.reached,
        "budget": _budget(answer.budget),
        "parameters": {
            name: {"value": _plain(one.value), "from": one.origin} for name, one in answer.parameters.items()
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


def _asked(question: Question) -> str:
    where = f"at n = {question.n}" if question.budget is None else f"at {question.budget}"
    if question.budget is None and question.delta:
        where += f", δ = {question.delta:g}"
    if question.alpha is None:
        return f"where answers begin, {where}; bounds with probability {1 - question.beta:g}"
    return f"error at most {question.alpha:g} with probability {1 - question.beta:g}, {where}"


def _row(answer: Answer) -> list[str]:
    spends = "" if answer.budget is None else str(answer.budget)
    numbers = (answer.answers_from, answer.bounded_from, answer.n, answer.bound)
    remark = answer.reason or _against(answer.check)
    return [answer.key, answer.calibration or "", str(answer.d), spends, *map(show, numbers), remark]


def _against(check: Check | None) -> str:
    if check is None or not check.short_above:
        return ""
    return "not monotone: too large again at " + ", ".join(f"{place:g}" for place in check.short_above)


def _small_print(answers: Sequence[Answer]) -> str:
    """Return, for every estimator, what its answer rests on and what it says to fewer rows."""
    lines: dict[tuple[str, str], list[str]] = {}
    for say in (_conditions, _below):
        for answer in answers:
            lines.setdefault((answer.key, say(answer)), []).append(answer.calibration or "")
    return "\n".join(
        f"{key} {' and '.join(names)}".strip() + f": {said}" for (key, said), names in lines.items() if said
    )


def _below(answer: Answer) -> str:
    return f"below n = {answer.answers_from} refuses: {answer.refusal}" if answer.refusal else ""


def _conditions(answer: Answer) -> str:
    parts = [
        f"{name} = {'none' if one.value is None else show(one.value)}"
        + ("" if one.origin == "default" else f" ({one.origin})")
        for name, one in answer.parameters.items()
    ]
    said = {"bound": answer.meaning, "assumes": "; ".join(answer.assumptions)}
    return "; ".join([", ".join(parts), *(f"{name}: {words}" for name, words in said.items() if words)])
