"""The claims of a notebook as it runs: decided, compared with what is expected, and told in one line."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from workbench.lab import tables
from workbench.lab.live.recomputed import folded
from workbench.lab.runner.core_share import leased
from workbench.lab.runner.standing import OPEN, beside, expectations, sentence
from workbench.lab.runner.verdict_check import full_verdicts

HERE = "this quick run"
NEEDS = "needs the trials of the full run"
Verdict = dict[str, Any]


def decide(ids: Iterable[str], profile: str, seed: int) -> list[Verdict]:
    """Return the verdicts on claims, as they are written."""
    return [_decided(claim, profile, seed) for claim in ids]


def _decided(claim: str, profile: str, seed: int) -> Verdict:
    from workbench.chapters.registry import decide

    with leased():
        return decide([claim], profile, seed)[claim].record()


def changed(verdicts: Sequence[Verdict], profile: str) -> list[str]:
    """Return a line for each claim whose verdict is not what is expected of it."""
    expected = expectations(verdict["id"] for verdict in verdicts)
    return [
        f"{verdict['id']} is {verdict['status']}, expected {expected[verdict['id']]} ({profile} profile)"
        for verdict in verdicts
        if verdict["status"] not in _allowed(expected[verdict["id"]], profile)
    ]


def _allowed(expected: str, profile: str) -> tuple[str, ...]:
    """Return what a verdict may be: quick may have too few runs to decide, or too few to be in doubt."""
    if profile != "quick":
        return (expected,)
    return (expected, OPEN, *(("HOLDS",) if expected == OPEN else ()))


def told(decided: Sequence[Verdict], *, full: bool, remark: str = "") -> tuple[str, str]:
    """Return what claims come to, as HTML with the table folded and as text.

    Parameters
    ----------
    decided
        Their verdicts.
    full
        Whether these are of a full run; a quick one is told beside the committed full run.
    remark
        What else must be said.
    """
    kept = {} if full else full_verdicts()
    rows = [tables.verdict_row(kept.get(one["id"], one)) for one in decided]
    header: tuple[str, ...] = tables.VERDICT_COLUMNS
    if kept:
        header = (*header, HERE)
        rows = [
            [*row, NEEDS if one["status"] == OPEN else one["status"]]
            for row, one in zip(rows, decided, strict=True)
        ]
    line = " ".join(filter(None, (*_lines(decided, kept, full=full), remark)))
    page = f'<p class="workbench-verdicts"><b>{escape(line)}</b></p>'
    table = folded("every claim and its verdict", tables.html(header, rows))
    return page + table, f"{line}\n{tables.text(header, rows)}"


def _lines(decided: Sequence[Verdict], kept: Mapping[str, Verdict], *, full: bool) -> Iterator[str]:
    """Yield what a full run comes to, the one just made or the committed one, and how a quick one agrees."""
    expected = expectations(one["id"] for one in decided)
    known = [one if full else kept[one["id"]] for one in decided if full or one["id"] in kept]
    if known:
        yield f"{sentence(known, expected)}."
    if not full:
        yield beside(decided, {name: str(one["status"]) for name, one in kept.items()})
