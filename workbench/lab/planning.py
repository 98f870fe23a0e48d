"""What `workbench plan` prints: for every estimator the rows, or the budget, that an accuracy needs."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from math import inf, isfinite, nan
from time import monotonic
from typing import Any, TypeAlias

from workbench.errors import ArgumentError, probability, real
from workbench.lab.estimating import spending
from workbench.lab.tables import fields, page_width, printable, show, text, wrapped
from workbench.study.planner import Answer, Answers, Question, compared, own_entry

DELTA = 1e-6
SILENT = 1.0  # seconds


def question(
    subject: str = "",
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    rho: float | None = None,
    n: int | None = None,
    beta: float | None = None,
    confidence: float | None = None,
    alpha: float | None = None,
    relative: str | None = None,
    calibration: str = "tight",
    own: str | None = None,
    **more: Any,
) -> Question:
    """Return what the flags ask; without n and any budget that is (1, 1e-6), and with n the δ is 1e-6."""
    if n is not None and (epsilon, rho) != (None, None):
        raise ArgumentError("n", n, "either --n, which asks for a budget, or --epsilon or --rho")
    usual = (epsilon, delta, rho) == (None, None, None)
    given = spending(1.0, DELTA, None) if usual else spending(epsilon, delta, rho) if n is None else None
    if confidence is not None:
        probability(confidence=confidence)
        if beta is not None:
            raise ArgumentError("confidence", confidence, "either --confidence or --beta")
        beta = float(1 - Decimal(str(confidence)))
    if relative is not None:
        if alpha is not None:
            raise ArgumentError("relative", relative, "either --relative or --alpha")
        alpha = _share_of(relative, more.get("settings", {}).get("centre"))
    return Question(
        subject=subject,
        alpha=alpha,
        relative=relative is not None,
        beta=0.05 if beta is None else beta,
        budget=given if n is None else None,
        n=n,
        delta=DELTA if delta is None else delta,
        calibrations=("tight", "paper") if calibration == "both" else (calibration,),
        own=(own_entry(own, subject),) if own else (),
        **more,
    )


def _share_of(text: str, centre: object) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = nan
    if not 0 < share < inf:
        raise ArgumentError("relative", text, "a share above 0, such as 1% or 0.01")
    if not (real(centre) and centre):
        raise ArgumentError("relative", text, "--set centre=NUMBER beside it, not 0: what it is a share of")
    return share * abs(centre)


def planning(
    asked: Question, *, confidence: float | None = None, as_json: bool = False, why: bool = False
) -> tuple[str, bool]:
    """Return the text to print, and whether some estimator reaches the accuracy."""
    answers = compared(asked, _announced, _telling(asked))
    if confidence is not None and not any(isfinite(one.proved.bound or inf) for one in answers):
        allowed = "none: no proved error bound is finite here, and predictions are of half of the runs"
        raise ArgumentError("confidence", confidence, allowed)
    good = any(answers_to(asked, answer) for answer in answers)
    if as_json:
        return json.dumps(record(asked, answers), indent=1, ensure_ascii=False, allow_nan=False), good
    return report(asked, answers, why=why), good


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


NAMES = (
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
SIZE = ("n", "bound", "bounded_from", "reached", "reason", "meaning")


def record(question: Question, answers: Sequence[Answers]) -> dict[str, Any]:
    """Return the question and the answers as JSON has them."""
    asked = {name: getattr(question, name) for name in ("subject", "d", "alpha", "beta", "n")}
    asked |= {"budget": _budget(question.budget), "delta": question.delta if question.n else None}
    asked["simulation"] = asdict(question.simulation) if question.simulation else None
    return {"question": asked, "answers": [_record(one) for one in answers]}


def _record(answers: Answers) -> dict[str, Any]:
    """Return the answer that is stated, and what it says of n by each kind."""
    one = answers.stated
    parameters = {
        name: {"value": _plain(given.value), "from": given.origin} for name, given in one.parameters.items()
    }
    return {name: getattr(one, name) for name in NAMES} | {
        "other_rows": one.other_rows,
        "kind": one.kind,
        "reached": one.reached,
        "budget": _budget(one.budget),
        "parameters": parameters,
        "meaning": one.meaning,
        "assumptions": list(one.assumptions),
        "check": asdict(one.check) if one.check else None,
        **{kind: _size(getattr(answers, kind)) for kind in ("proved", "predicted", "simulated")},
    }


def _size(answer: Answer | None) -> dict[str, Any] | None:
    """Return what one kind of answer adds: None where it is not asked for or not stated."""
    if answer is None:
        return None
    found = {name: getattr(answer, name) for name in SIZE} | {"budget": _budget(answer.budget)}
    if answer.found is None:
        return found | {"check": asdict(answer.check) if answer.check else None}
    interval = [_plain(end) for end in answer.found.interval]
    return found | {"interval": interval, "kind": answer.found.kind, "runs": answer.found.runs}


def _budget(budget: Any) -> dict[str, Any] | None:
    return {"text": str(budget), **asdict(budget)} if budget is not None else None


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


# The page

WHY = "--why"
Column: TypeAlias = tuple[str, Callable[[Answers], object]]
KEY: Column = ("key", lambda one: one.proved.key)
CALIBRATION: Column = ("calibration", lambda one: one.proved.calibration)
SPENDS: Column = ("spends", lambda one: one.best.budget)
BEGINS: tuple[Column, ...] = (
    ("answers from", lambda one: one.proved.answers_from),
    ("bounded from", lambda one: one.proved.bounded_from),
    ("informed from", lambda one: one.predicted and one.predicted.bounded_from),
)
ROWS: tuple[Column, ...] = (
    ("proved n", lambda one: _reached(one.proved, "n")),
    ("predicted n", lambda one: _reached(one.predicted, "n")),
)
SPENT: tuple[Column, ...] = (
    ("proved", lambda one: _reached(one.proved, "budget")),
    ("predicted", lambda one: _reached(one.predicted, "budget")),
)
SIMULATED: tuple[Column, ...] = (
    ("simulated n", lambda one: _reached(one.simulated, "n")),
    ("interval", lambda one: _interval(one.simulated)),
)


def answers_to(question: Question, answers: Answers) -> bool:
    """Return whether an estimator does what is asked: reaches alpha, or begins to answer if there is none."""
    begins = question.alpha is None and bool(answers.proved.answers_from)
    return answers.best.reached or begins


def in_short(question: Question, answers: Answers) -> str:
    """Return the rows, or the budget, that an estimator needs, in a few words."""
    if not answers_to(question, answers):
        return "no answer"
    if question.n is not None:
        return str(answers.best.budget)
    return f"n = {answers.proved.answers_from if question.alpha is None else answers.best.n}"


def report(question: Question, found: Sequence[Answers], *, why: bool) -> str:
    """Return the page: what is asked, the answers to it, what they rest on, and how many do not answer."""
    good = [one for one in found if answers_to(question, one)]
    others = [one for one in found if not answers_to(question, one)]
    whole = why or not good or len({one.proved.key for one in found}) == 1
    parts = [asked(question, [one.proved for one in found]), *_tables(question, good)]
    parts += [*map(_conditions, good), _reasons(others)] if whole else [_parameters(good), _summary(others)]
    return "\n\n".join(filter(None, parts))


def asked(question: Question, answers: Sequence[Answer]) -> str:
    """Return the question in words: the error, the budget or the rows, d, and what each number promises."""
    where = f"at n = {question.n}" if question.budget is None else f"at {question.budget}"
    if question.budget is None and question.delta:
        where += f", δ = {question.delta:g}"
    head = "where answers begin" if question.alpha is None else f"error at most {question.alpha:g}"
    said = f"proved: with probability {1 - question.beta:g}; predicted: in half of the runs, not proved"
    if question.simulation:
        said += f"; simulated: in {question.simulation.share:.0%} of the runs"
    promises = "\n  ".join(wrapped(said, page_width() - 2))
    return f"{head}, {where}, {_dimension(question, answers)}\n{promises}"


def _dimension(question: Question, answers: Sequence[Answer]) -> str:
    """Return d, or the one of each estimand where they differ."""
    names: dict[int, dict[str, None]] = {}
    for one in answers:
        names.setdefault(one.d, {})[one.estimand] = None
    chosen = "" if question.d else " (--d for another)"
    if len(names) == 1:
        return f"d = {min(names)}{chosen}"
    return "; ".join(f"d = {d} for {', '.join(names[d])}" for d in sorted(names)) + chosen


def _tables(question: Question, good: Sequence[Answers]) -> list[str]:
    """Return the answers, a table for each estimand and unit, as their errors have nothing in common."""
    kinds: dict[str, list[Answers]] = {}
    units = {(one.proved.estimand, one.proved.unit) for one in good}
    for one in good:
        name = one.proved.estimand
        several = question.alpha is not None and len([unit for kind, unit in units if kind == name]) > 1
        kinds.setdefault(f"{name}, {one.proved.unit}" if several else name, []).append(one)
    tables = ((name, _table(question, one)) for name, one in kinds.items())
    return [f"{name}:\n{table}" if len(kinds) > 1 else table for name, table in tables]


def _table(question: Question, good: Sequence[Answers]) -> str:
    shown = [KEY]
    shown += [CALIBRATION] if len({one.proved.calibration for one in good} - {None}) > 1 else []
    if question.alpha is None:
        shown += [*BEGINS, SPENDS]
    elif question.n is None:
        shown += [*ROWS, *(SIMULATED if question.simulation else ()), SPENDS]
    else:
        shown += SPENT
    rows = [[_cell(value(one)) for _, value in shown] for one in good]
    return text([name for name, _ in shown], rows, page_width())


def _reached(one: Answer | None, name: str) -> object:
    return getattr(one, name) if one and one.reached else None


def _interval(one: Answer | None) -> str:
    """Return the interval of a simulated n in brackets, and what is odd about it."""
    if one is None or one.found is None:
        return ""
    low, high = one.found.interval
    ends = f"[{low:.0f}, {'∞' if high == inf else format(high, '.0f')}]"
    return ends if one.found.kind == "found" else f"{ends} {one.found.kind}"


def _cell(value: object) -> str:
    return show(value) if value is None or isinstance(value, int | float) else str(value)


def _parameters(good: Sequence[Answers]) -> str:
    """Return the public numbers that the answers rest on and that are no defaults, and warnings."""
    found: dict[str, dict[str, None]] = {}
    for one in good:
        for said in _chosen(one.proved):
            found.setdefault(said, {})[one.proved.key] = None
    least = max(2, len(good) // 2)  # so many share a number: they need not be named
    words = [said if len(keys) >= least else f"{said} in {', '.join(keys)}" for said, keys in found.items()]
    lines = [f"with {'; '.join(words)}"] if words else []
    lines += [f"{each.key}: {_against(each)}" for one in good for each in one.all if _against(each)]
    return "\n".join("\n  ".join(wrapped(line, page_width() - 2)) for line in dict.fromkeys(lines))


def _chosen(one: Answer) -> list[str]:
    """Return the parameters that somebody chose, with who did."""
    chosen = {name: given for name, given in one.parameters.items() if given.origin in ("set", "example")}
    return [f"{name} = {_value(given.value)} ({given.origin})" for name, given in chosen.items()]


def _value(value: object) -> str:
    return "none" if value is None else show(value)


def _summary(others: Sequence[Answers]) -> str:
    verb = "other" if len(others) == 1 else "others"
    names = dict.fromkeys(name for one in others for name in one.proved.needs)
    needs = f"; some need {' '.join(f'--set {name}=NUMBER' for name in names)}" if names else ""
    return f"{len(others)} {verb}: {WHY}{needs}" if others else f"{WHY}: what each number means and assumes"


def _reasons(others: Sequence[Answers]) -> str:
    if not others:
        return ""
    keys = {(one.stated.key, one.stated.reason): "" for one in others}
    return text(("no answer", "why"), [list(pair) for pair in keys], page_width())


def _conditions(one: Answers) -> str:
    """Return what the answers of an estimator mean and assume, and its refusal of fewer rows."""
    said = one.proved
    below = f"below n = {said.answers_from} refuses: {said.refusal}" if said.refusal else ""
    pairs = (
        ("for", " ".join(filter(None, (said.key, said.calibration)))),
        ("with", _values(said)),
        *((each.kind, _stated(each)) for each in one.all),
        ("assumes", "; ".join(said.assumptions)),
        ("other rows", said.other_rows),
        ("rows", below),
        ("but", "; ".join(filter(None, dict.fromkeys(map(_against, one.all))))),
    )
    return fields(pairs, page_width())


def _stated(one: Answer) -> str:
    """Return what a number is, and its error there, or why there is none."""
    if one.found and one.reached:
        return f"{one.meaning}; {one.found.runs} runs: {_interval(one)}"
    if one.reached:
        return f"{one.meaning}: {show(one.bound)}"
    return "; ".join(filter(None, (one.meaning, one.reason)))


def _values(one: Answer) -> str:
    said = []
    for name, given in one.parameters.items():
        origin = "" if given.origin == "default" else f" ({given.origin})"
        said.append(f"{name} = {_value(given.value)}{origin}")
    return ", ".join(said)


def _against(one: Answer) -> str:
    if one.check is None or not one.check.short_above:
        return ""
    return "not monotone: too large again at " + ", ".join(f"{place:g}" for place in one.check.short_above)
