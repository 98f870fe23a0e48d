"""The page of `workbench plan`: the answers first, the least n on top; why others do not answer if asked."""

from collections.abc import Sequence

from workbench.lab.tables import fields, page_width, show, text, wrapped
from workbench.study.planner import Answer, Question

WHY = "--why"
COLUMNS = {
    "key": "key",
    "calibration": "calibration",
    "n": "n",
    "spends": "budget",
    "bound": "bound",
    "predicted error": "bound",
    "answers from": "answers_from",
    "bounded from": "bounded_from",
    "informed from": "bounded_from",
}
"""Heading -> what it shows of an answer."""
MEDIAN, FEW = "predicted from public numbers, the median error, not proved", 6


def answers_to(question: Question, answer: Answer) -> bool:
    """Return whether an estimator does what is asked: reaches alpha, or begins to answer if there is none."""
    return answer.reached or (question.alpha is None and bool(answer.answers_from))


def report(question: Question, answers: Sequence[Answer], *, why: bool) -> str:
    """Return the page: what is asked, the answers to it, what they rest on, and how many do not answer."""
    good = [answer for answer in answers if answers_to(question, answer)]
    others = [answer for answer in answers if not answers_to(question, answer)]
    whole = why or not good or len({answer.key for answer in answers}) == 1
    proved, predicted = (
        [answer for answer in good if answer.kind == kind] for kind in ("proved", "predicted")
    )
    several = len(_estimands(answers)) > 1
    parts = [asked(question, answers), *_tables(question, proved, several)]
    if predicted and (whole or not proved):
        parts += [f"{MEDIAN}:", *_tables(question, predicted, several)]
    parts += [*map(_conditions, good)] if whole else [_parameters(proved or predicted)]
    short = [_in_a_line(question, predicted) if proved else "", _summary(others)]
    parts.append(_reasons(others) if whole else "\n".join(filter(None, short)))
    return "\n\n".join(filter(None, parts))


def asked(question: Question, answers: Sequence[Answer]) -> str:
    """Return the question in words: the error, its probability, the budget or the rows, and d."""
    where = f"at n = {question.n}" if question.budget is None else f"at {question.budget}"
    if question.budget is None and question.delta:
        where += f", δ = {question.delta:g}"
    sure = f"with probability {1 - question.beta:g}"
    if question.alpha is None:
        head = f"where answers begin, {where}; bounds {sure}"
    else:
        head = f"error at most {question.alpha:g} {sure}, {where}"
    return f"{head}, {_dimension(question, answers)}"


def _dimension(question: Question, answers: Sequence[Answer]) -> str:
    """Return d, or the one of each estimand where they differ."""
    names: dict[int, dict[str, None]] = {}
    for answer in answers:
        names.setdefault(answer.d, {})[answer.estimand] = None
    chosen = "" if question.d else " (--d for another)"
    if len(names) == 1:
        return f"d = {min(names)}{chosen}"
    return "; ".join(f"d = {d} for {', '.join(names[d])}" for d in sorted(names)) + chosen


def _estimands(answers: Sequence[Answer]) -> list[str]:
    return list(dict.fromkeys(answer.estimand for answer in answers))


def _tables(question: Question, good: Sequence[Answer], several: bool) -> list[str]:
    """Return the answers, a table for each estimand, as their errors and their d have nothing in common."""
    tables = {
        name: _table(question, [answer for answer in good if answer.estimand == name])
        for name in _estimands(good)
    }
    return [f"{name}:\n{table}" if several else table for name, table in tables.items()]


def _table(question: Question, good: Sequence[Answer]) -> str:
    shown = ["key"]
    shown += ["calibration"] if len({answer.calibration for answer in good if answer.calibration}) > 1 else []
    if question.alpha is None:
        shown += ["answers from", "bounded from", "spends"]
    else:
        proved = all(answer.kind == "proved" for answer in good)
        stated, begins = ("bound", "bounded from") if proved else ("predicted error", "informed from")
        sizes = ["n", stated, "spends", "answers from", begins]
        shown += sizes if question.n is None else ["spends", stated, "answers from"]
    rows = [[_cell(getattr(answer, COLUMNS[name])) for name in shown] for answer in good]
    return text(shown, rows, page_width())


def _cell(value: object) -> str:
    return show(value) if value is None or isinstance(value, int | float) else str(value)


def _parameters(good: Sequence[Answer]) -> str:
    """Return a line for every answer: the public numbers it is planned with, and a warning."""
    width = page_width()
    lines = {
        f"{answer.key}: {'; '.join(filter(None, (_values(answer), _against(answer))))}": None
        for answer in good
    }
    return "\n".join("\n  ".join(wrapped(line, width - 2)) for line in lines)


def _in_a_line(question: Question, predicted: Sequence[Answer]) -> str:
    """Return a line of the predicted sizes, where proved answers have the table."""
    if not predicted:
        return ""
    unit = "n = " if question.n is None else ""
    said = [f"{answer.n if unit else answer.budget} {answer.key}" for answer in predicted[:FEW]]
    more = [f"{len(predicted) - FEW} more"] if len(predicted) > FEW else []
    line = f"predicted (median, not proved): {unit}{', '.join([*said, *more])}"
    return "\n  ".join(wrapped(line, page_width() - 2))


def _summary(others: Sequence[Answer]) -> str:
    said = f"{WHY} says what each bound means, what it assumes"
    if not others:
        return f"{said}, and what fewer rows meet"
    verb = "other does" if len(others) == 1 else "others do"
    return f"{len(others)} {verb} not answer; {said}, and why others fail"


def _reasons(others: Sequence[Answer]) -> str:
    if not others:
        return ""
    keys = {(answer.key, answer.reason): "" for answer in others}
    return text(("no answer", "why"), [list(pair) for pair in keys], page_width())


def _conditions(answer: Answer) -> str:
    """Return the assumptions of an answer, and its refusal of fewer rows."""
    name = " ".join(filter(None, (answer.key, answer.calibration)))
    below = f"below n = {answer.answers_from} refuses: {answer.refusal}" if answer.refusal else ""
    pairs = (
        ("for", name),
        ("with", _values(answer)),
        ("bound" if answer.kind == "proved" else "error", answer.meaning or answer.reason),
        ("assumes", "; ".join(answer.assumptions)),
        ("rows", below),
        ("but", _against(answer)),
    )
    return fields(pairs, page_width())


def _values(answer: Answer) -> str:
    return ", ".join(
        f"{name} = {'none' if given.value is None else show(given.value)}"
        + ("" if given.origin == "default" else f" ({given.origin})")
        for name, given in answer.parameters.items()
    )


def _against(answer: Answer) -> str:
    if answer.check is None or not answer.check.short_above:
        return ""
    return "not monotone: too large again at " + ", ".join(f"{place:g}" for place in answer.check.short_above)
