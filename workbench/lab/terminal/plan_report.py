"""The page of `workbench plan`: the answers first, the least n on top; why others do not answer if asked."""

from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

from workbench.lab.tables import fields, page_width, show, text, wrapped
from workbench.study.planner import Answer, Answers, Question

WHY = "--why"
Column: TypeAlias = tuple[str, Callable[[Answers], object]]
KEY: Column = ("key", lambda one: one.proved.key)
CALIBRATION: Column = ("calibration", lambda one: one.proved.calibration)
SPENDS: Column = ("spends", lambda one: one.best.budget)
BEGINS: Column = ("answers from", lambda one: one.proved.answers_from)
BOUNDED: Column = ("bounded from", lambda one: one.proved.bounded_from)
INFORMED: Column = ("informed from", lambda one: one.predicted and one.predicted.bounded_from)
ROWS: tuple[Column, ...] = (
    ("proved n", lambda one: _rows(one.proved)),
    ("predicted n", lambda one: _rows(one.predicted)),
)
SPENT: tuple[Column, ...] = (
    ("proved", lambda one: _budget(one.proved)),
    ("predicted", lambda one: _budget(one.predicted)),
)
SIMULATED: tuple[Column, ...] = (
    ("simulated n", lambda one: _rows(one.simulated)),
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
    promises = "\n  ".join(wrapped(_promises(question), page_width() - 2))
    return f"{head}, {where}, {_dimension(question, answers)}\n{promises}"


def _promises(question: Question) -> str:
    said = f"proved: with probability {1 - question.beta:g}; predicted: in half of the runs, not proved"
    if question.simulation:
        said += f"; simulated: in {question.simulation.share:.0%} of the runs"
    return said


def _dimension(question: Question, answers: Sequence[Answer]) -> str:
    """Return d, or the one of each estimand where they differ."""
    names: dict[int, dict[str, None]] = {}
    for one in answers:
        names.setdefault(one.d, {})[one.estimand] = None
    chosen = "" if question.d else " (--d for another)"
    if len(names) == 1:
        return f"d = {min(names)}{chosen}"
    return "; ".join(f"d = {d} for {', '.join(names[d])}" for d in sorted(names)) + chosen


def _estimands(answers: Sequence[Answer]) -> list[str]:
    return list(dict.fromkeys(one.estimand for one in answers))


def _tables(question: Question, good: Sequence[Answers]) -> list[str]:
    """Return the answers, a table for each estimand, as their errors and their d have nothing in common."""
    names = _estimands([one.proved for one in good])
    tables = {name: _table(question, [one for one in good if one.proved.estimand == name]) for name in names}
    return [f"{name}:\n{table}" if len(names) > 1 else table for name, table in tables.items()]


def _table(question: Question, good: Sequence[Answers]) -> str:
    shown = [KEY]
    shown += [CALIBRATION] if len({one.proved.calibration for one in good} - {None}) > 1 else []
    if question.alpha is None:
        shown += [BEGINS, BOUNDED, INFORMED, SPENDS]
    elif question.n is None:
        shown += [*ROWS, *(SIMULATED if question.simulation else ()), SPENDS]
    else:
        shown += SPENT
    rows = [[_cell(value(one)) for _, value in shown] for one in good]
    return text([name for name, _ in shown], rows, page_width())


def _rows(one: Answer | None) -> object:
    return one.n if one and one.reached else None


def _budget(one: Answer | None) -> object:
    return one.budget if one and one.reached else None


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
    return [
        f"{name} = {'none' if given.value is None else show(given.value)} ({given.origin})"
        for name, given in one.parameters.items()
        if given.origin in ("set", "example")
    ]


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
    return ", ".join(
        f"{name} = {'none' if given.value is None else show(given.value)}"
        + ("" if given.origin == "default" else f" ({given.origin})")
        for name, given in one.parameters.items()
    )


def _against(one: Answer) -> str:
    if one.check is None or not one.check.short_above:
        return ""
    return "not monotone: too large again at " + ", ".join(f"{place:g}" for place in one.check.short_above)
