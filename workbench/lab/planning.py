"""What `workbench plan` prints: for every estimator the rows, or the budget, that an accuracy needs."""

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from math import inf, isfinite, nan
from time import monotonic
from typing import Any

from workbench.errors import ArgumentError, probability, real
from workbench.lab.estimating import spending
from workbench.lab.tables import fields, page_width, printable, say, show, text, wrapped
from workbench.study.planner import Answer, Answers, Question, Simulation, compared, own_entry, ranked

DELTA = 1e-6
SILENT = 1.0  # seconds


def plan(options: Namespace) -> int:
    """Print what estimators need; return 1 if none reaches what is asked."""
    asked = question(options)

    def announce(searches: int, core_seconds: float) -> None:
        words = "1 search" if searches == 1 else f"{searches} searches"
        print(f"{words}: about {core_seconds:.0f} core-seconds", file=sys.stderr, flush=True)

    answers = compared(asked, announce, _telling(asked))
    if options.confidence is not None:  # predictions are of half of the runs
        answers = ranked([replace(one, predicted=None) for one in answers], lambda one: one.best)
        proved = [one.proved for one in answers]
        if not any(one.bounded_from if asked.alpha is None else one.reached for one in proved):
            why = proved[0].reason if len(proved) == 1 else "no proved error bound is as small"
            allowed = f"none, as predictions hold in half of the runs: {why or 'no proved error bound'}"
            raise ArgumentError("confidence", options.confidence, allowed)
    if options.json:
        say(json.dumps(record(asked, answers), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        say(report(asked, answers, why=options.why))
    return 0 if any(answers_to(asked, one) for one in answers) else 1


def question(asked: Namespace) -> Question:
    """Return what the flags ask; without n and any budget that is (1, 1e-6), and with n the δ is 1e-6."""
    settings, alpha, beta, n = dict(asked.set), asked.alpha, asked.beta, asked.n
    given = asked.epsilon, asked.delta, asked.rho
    if n is not None and (asked.epsilon, asked.rho) != (None, None):
        raise ArgumentError("n", n, "either --n, which asks for a budget, or --epsilon or --rho")
    if asked.confidence is not None:
        probability(confidence=asked.confidence)
        if beta is not None:
            raise ArgumentError("confidence", asked.confidence, "either --confidence or --beta")
        beta = float(1 - Decimal(str(asked.confidence)))
    if (relative := asked.relative) is not None:
        if alpha is not None:
            raise ArgumentError("relative", relative, "either --relative or --alpha")
        try:
            share = float(relative.removesuffix("%")) / (100 if relative.endswith("%") else 1)
        except ValueError:
            share = nan
        if not 0 < share < inf:
            raise ArgumentError("relative", relative, "a share above 0, such as 1% or 0.01")
        centre = settings.get("centre")
        if not (real(centre) and centre):
            allowed = "--set centre=NUMBER beside it, not 0: what it is a share of"
            raise ArgumentError("relative", relative, allowed)
        alpha = share * abs(centre)
    usual = given == (None, None, None)
    simulation = Simulation(share=asked.share, runs=asked.runs, seed=asked.seed, jobs=asked.jobs)
    return Question(
        subject=asked.subject,
        d=asked.d,
        alpha=alpha,
        relative=relative is not None,
        beta=0.05 if beta is None else beta,
        budget=None if n is not None else spending(1.0, DELTA, None) if usual else spending(*given),
        n=n,
        delta=DELTA if asked.delta is None else asked.delta,
        calibrations=("tight", "paper") if asked.calibration == "both" else (asked.calibration,),
        settings=settings,
        own=(own_entry(asked.own, asked.subject),) if asked.own else (),
        simulation=simulation if asked.simulate else None,
    )


def _telling(question: Question) -> Callable[[int, int, str, Answers | None], None]:
    """Return what says each answer on the error stream as it comes; on no terminal, after a second."""
    begun, open_line = monotonic(), False

    def tell(number: int, asked: int, key: str, found: Answers | None) -> None:
        nonlocal open_line
        if not (open_line or sys.stderr.isatty() or monotonic() > begun + SILENT):
            return
        here = f"{number} of {asked}: {key}"
        words = here
        if found is not None:
            best, n = found.best, found.proved.answers_from if question.alpha is None else found.best.n
            short = str(best.budget) if question.n is not None else f"n = {n}"
            answer = short if answers_to(question, found) else "no answer"
            words = f"{'' if open_line else here}  {answer}\n"
        print(printable(words), end="", file=sys.stderr, flush=True)
        open_line = found is None

    return tell


# JSON


ALIKE = ("reason", "n", "bound", "bounded_from", "reached", "meaning")
NAMES = ("key", "calibration", "d", "answers_from", "refusal", "other_rows", "kind", "assumptions", *ALIKE)


def record(question: Question, answers: Sequence[Answers]) -> dict[str, Any]:
    """Return the question and the answers as JSON has them.

    Of each estimator that is the answer that is stated, and what it says of n by each kind, None where nobody
    asks.
    """
    asked = {name: getattr(question, name) for name in ("subject", "d", "alpha", "beta", "n")}
    asked |= {"budget": _budget(question.budget), "delta": question.delta if question.n else None}
    asked["simulation"] = asdict(question.simulation) if question.simulation else None
    told = []
    for one in answers:
        given = one.stated.candidate.parameters.items()
        parameters = {name: {"value": _plain(its.value), "from": its.origin} for name, its in given}
        kinds = {kind: getattr(one, kind) for kind in ("proved", "predicted", "simulated")}
        kinds = {kind: said and _said(said, ALIKE) for kind, said in kinds.items()}
        told.append(_said(one.stated, NAMES) | {"parameters": parameters} | kinds)
    return {"question": asked, "answers": told}


def _said(one: Answer, names: Sequence[str]) -> dict[str, Any]:
    parts = one, one.candidate, one.candidate.entry
    said = {name: next(getattr(part, name) for part in parts if hasattr(part, name)) for name in names}
    said["budget"] = _budget(one.budget)
    said["check"] = asdict(one.check) if one.check else None
    if one.found is not None and names == ALIKE:
        interval = [_plain(end) for end in one.found.interval]
        said |= {"interval": interval, "kind": one.found.kind, "runs": one.found.runs}
    return said


def _budget(budget: Any) -> dict[str, Any] | None:
    return {"text": str(budget), **asdict(budget)} if budget is not None else None


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


# The page

WHY = "--why"


def answers_to(question: Question, answers: Answers) -> bool:
    """Return whether an estimator does what is asked: reaches alpha, or begins to answer if there is none."""
    begins = question.alpha is None and bool(answers.proved.answers_from)
    return answers.best.reached or begins


def report(question: Question, found: Sequence[Answers], *, why: bool) -> str:
    good = [one for one in found if answers_to(question, one)]
    others = [one for one in found if not answers_to(question, one)]
    kinds: dict[tuple[str, str], list[Answers]] = {}  # a table each: their errors have nothing in common
    for one in good:
        unit = one.proved.candidate.unit if question.alpha is not None else ""
        kinds.setdefault((one.proved.candidate.entry.estimand, unit), []).append(one)
    several = Counter(estimand for estimand, _ in kinds)
    parts = [_asked(question, found)]
    for (estimand, unit), some in kinds.items():
        name = f"{estimand}, {unit}" if several[estimand] > 1 else estimand
        table = _table(question, some)
        parts.append(f"{name}:\n{table}" if len(kinds) > 1 else table)
    if why or not good or len({one.proved.key for one in found}) == 1:
        parts += map(_conditions, good)
        reasons = {(one.stated.key, one.stated.reason): None for one in others}
        parts += [text(("no answer", "why"), [*map(list, reasons)], page_width())] if others else []
    else:
        needs = dict.fromkeys(name for one in others for name in one.proved.needs)
        facts = f"; some need {' '.join(f'--set {name}=NUMBER' for name in needs)}" if needs else ""
        told = f"{len(others)} {'other' if len(others) == 1 else 'others'}: {WHY}{facts}"
        parts += [_chosen(good), told if others else f"{WHY}: what each number means and assumes"]
    return "\n\n".join(filter(None, parts))


def _asked(question: Question, answers: Sequence[Answers]) -> str:
    where = f"at n = {question.n}" if question.budget is None else f"at {question.budget}"
    if question.budget is None and question.delta:
        where += f", δ = {question.delta:g}"
    head = "where answers begin" if question.alpha is None else f"error at most {question.alpha:g}"
    said = f"proved: with probability {1 - question.beta:g}"
    said += "; predicted: in half of the runs, not proved" if any(one.predicted for one in answers) else ""
    if question.simulation:
        said += f"; simulated: in {question.simulation.share:.0%} of the runs"
    entries = [one.proved.candidate.entry for one in answers if one.predicted and question.alpha]
    if any(entry.estimand == "mean" and entry.population.d for entry in entries):
        said += "; means of several columns: proved in the unit of the rows, else in standard deviations"
    names: dict[int, dict[str, None]] = {}
    for one in answers:
        asked = one.proved.candidate
        names.setdefault(asked.d, {})[asked.entry.estimand] = None
    each = "; ".join(f"d = {d} for {', '.join(names[d])}" for d in sorted(names))
    dimension = each if len(names) > 1 else f"d = {min(names)}"
    return f"{head}, {where}, {dimension}{'' if question.d else ' (--d for another)'}\n{_hanging(said)}"


def _hanging(words: str) -> str:
    return "  " + "\n  ".join(wrapped(words, page_width() - 2))


def _table(question: Question, good: Sequence[Answers]) -> str:
    columns: dict[str, list[object]] = {"key": [one.proved.key for one in good]}
    calibrations = [one.proved.candidate.calibration for one in good]
    columns |= {"calibration": [*calibrations]} if len({*calibrations} - {None}) > 1 else {}
    if question.alpha is None:
        columns["answers from"] = [one.proved.answers_from for one in good]
        columns["bounded from"] = [one.proved.bounded_from for one in good]
        columns["informed from"] = [one.predicted and one.predicted.bounded_from for one in good]
    else:
        name, head = ("n", " n") if question.n is None else ("budget", "")
        for kind in ("proved", "predicted", "simulated"):
            found = [getattr(one, kind) for one in good]
            if not any(found):
                continue
            columns[kind + head] = [getattr(one, name) if one and one.reached else None for one in found]
        if question.simulation:
            columns["interval"] = [_interval(one.simulated) for one in good]
    if question.n is None or question.alpha is None:
        columns["spends"] = [one.best.budget for one in good]
    cells = (
        [show(one) if isinstance(one, float | None) else str(one) for one in some]
        for some in columns.values()
    )
    return text([*columns], [[*row] for row in zip(*cells, strict=True)], page_width())


def _interval(one: Answer | None) -> str:
    if one is None or one.found is None:
        return ""
    low, high = one.found.interval
    ends = f"[{low:.0f}, {'∞' if high == inf else format(high, '.0f')}]"
    return ends if one.found.kind == "found" else f"{ends} {one.found.kind}"


def _value(value: object) -> str:
    return "none" if value is None else show(value)


def _chosen(good: Sequence[Answers]) -> str:
    found: dict[str, list[str]] = {}
    for one in good:
        for name, given in one.proved.candidate.parameters.items():
            if given.origin in ("set", "example"):
                said = f"{name} = {_value(given.value)} ({given.origin})"
                found.setdefault(said, []).append(one.proved.key)
    least = max(2, len(good) // 2)  # so many share a number: they need not be named
    words = [
        said if len({*keys}) >= least else f"{said} in {', '.join(dict.fromkeys(keys))}"
        for said, keys in found.items()
    ]
    lines = [f"with {'; '.join(words)}"] if words else []
    lines += [f"{each.key}: {_against(each)}" for one in good for each in one.all if _against(each)]
    return "\n".join(_hanging(line).lstrip() for line in dict.fromkeys(lines))


def _conditions(one: Answers) -> str:
    said, known, parameters, stated = one.proved, one.proved.candidate, [], []
    for name, given in known.parameters.items():
        origin = "" if given.origin == "default" else f" ({given.origin})"
        parameters.append(f"{name} = {_value(given.value)}{origin}")
    for each in one.all:
        found = "; ".join(filter(None, (each.candidate.meaning, each.reason)))
        if each.reached:
            found = f"{each.candidate.meaning}: {show(each.bound)}"
        if each.reached and each.found:
            found = f"{each.candidate.meaning}; {each.found.runs} runs: {_interval(each)}"
        stated.append((each.kind, found))
    below = f"below n = {said.answers_from} refuses: {said.refusal}" if said.refusal else ""
    pairs = (
        ("for", " ".join(filter(None, (said.key, known.calibration)))),
        ("with", ", ".join(parameters)),
        *stated,
        ("assumes", "; ".join(known.entry.assumptions)),
        ("other rows", said.other_rows),
        ("rows", below),
        ("but", "; ".join(filter(None, dict.fromkeys(map(_against, one.all))))),
    )
    return fields(pairs, page_width())


def _against(one: Answer) -> str:
    if one.check is None or not one.check.short_above:
        return ""
    return "not monotone: too large again at " + ", ".join(f"{place:g}" for place in one.check.short_above)
