"""What is claimed and decided: the committed verdicts, and whether a quick run agrees with them.

The profile `full` decides a claim. The profile `quick` runs the first of its blocks and asks of every check
whether its estimate agrees with the committed one.
"""

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from html import escape
from math import hypot, inf, isfinite
from pathlib import Path
from typing import Any, TypeAlias

from workbench.charts import canonical_json
from workbench.errors import ArgumentError, one_of, one_of_words
from workbench.lab import project, tables
from workbench.lab.figures import VERDICTS, figures, verdicts
from workbench.sources import recalled, sources, statements
from workbench.special import ndtri

Record: TypeAlias = Mapping[str, Any]
HOLDS, OPEN, REFUTED, SLOWER = "HOLDS", "UNDECIDED", "REFUTED", "NOT CONTRADICTED"
PHRASES = {HOLDS: "hold", SLOWER: "not contradicted", REFUTED: "refuted", OPEN: "undecided"}
NUMBERS = ("test", "level", "trials", "n", "estimate", "interval")


# What is committed


def collected(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts under a folder of figures by id, each with its profile and its notebook."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob(f"*/{VERDICTS}")):
        profile, decided = verdicts(path.parent)
        whence = {"profile": profile, "notebook": path.parent.name}
        found |= {verdict["id"]: {**verdict, **whence} for verdict in decided}
    return found


def full_verdicts(figures: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return the verdicts of the committed full run by id; none where no figures are at hand."""
    folder = figures or figures_folder()
    return {
        id: {name: value for name, value in one.items() if name not in ("profile", "notebook")}
        for id, one in (collected(folder) if folder else {}).items()
        if one["profile"] == "full"
    }


def figures_folder() -> Path | None:
    """Return the committed figures of the checkout that this package, or the working folder, is part of."""
    for start in (Path(__file__).parent, Path.cwd()):
        with suppress(ArgumentError):
            return project.find(start).figures
    return None


def of_claims(ids: Iterable[str], what: str = "expected") -> dict[str, str]:
    """Return by id how claims are expected to come out, or why (`reason`); nothing of one that is gone."""
    from workbench.chapters.registry import known

    claims = known()
    return {name: str(getattr(claims[name], what, "")) for name in ids if name in claims}


# Whether a quick run agrees


@dataclass(frozen=True)
class Agreement:
    """How a run's checks of one claim compare with the committed ones: a line for each that differs.

    The least relative change of an estimate that a check would have called a difference is what it `notices`.

    >>> print(Agreement((), 0.124), "/", Agreement(), "/", Agreement(("width: 2 in [1, 3]",)))
    agrees; would notice 12 % / agrees / differs: width: 2 in [1, 3]
    """

    apart: tuple[str, ...] = ()
    notices: float = field(default=inf, compare=False)

    def __str__(self) -> str:
        if self.apart:
            return f"differs: {'; '.join(self.apart)}"
        return f"agrees; would notice {self.notices:.0%}".replace("%", " %") if self.notices < 1 else "agrees"


def agreement(ours: Record, theirs: Record) -> Agreement:
    """Return whether the checks of a verdict agree with those of the committed one.

    Two estimates differ if the interval of their difference, made from the intervals of both (Zou & Donner
    2008), does not hold 0; its level is that of the intervals, or of a check for the exponents of searched n,
    of which there are too many to be compared at 5 %. A check without an interval, such as a largest
    value over all runs, differs if one of the two runs refutes what the other confirms.

    >>> check = {"id": "c", "status": "HOLDS", "estimate": 1.0, "interval": [0.9, 1.1]}
    >>> print(agreement(check, check))
    agrees; would notice 14 %
    >>> print(agreement({**check, "estimate": 2.0, "interval": [1.7, 2.2]}, check))
    differs: c: 2 in [1.7, 2.2], committed 1 in [0.9, 1.1]
    """
    kept, lines, notices = [*checks(theirs)], [], inf
    for one in checks(ours):
        other = next((check for check in kept if check["id"] == one["id"]), None)
        if other is None:
            continue
        kept.remove(other)
        differs, least = _compared(one, other)
        notices = min(notices, least)
        if differs:
            lines.append(f"{one['id']}: {_measured(one)}, committed {_measured(other)}")
    return Agreement(tuple(lines), notices)


def checks(verdict: Record) -> Sequence[Record]:
    return (verdict.get("detail") or {}).get("checks") or [verdict]


def _compared(one: Record, other: Record) -> tuple[bool, float]:
    from workbench.study.rules import claim_level  # slow to load, and asked by runs alone

    ours, theirs = float(one["estimate"]), float(other["estimate"])
    (low, high), (least, most) = (map(float, check["interval"]) for check in (one, other))
    against = {str(check["status"]) for check in (one, other)} == {HOLDS, REFUTED}
    if not (low < high and least < most and isfinite(ours) and isfinite(theirs)):
        return against, inf
    wider = 1.0
    if "scaling" in (one.get("detail") or ()):
        from workbench.study.scaling import SEEN  # the planner and the catalog, for exponents alone

        wider = float(ndtri(claim_level() / 2) / ndtri(SEEN / 2))
    below = wider * hypot(ours - low, most - theirs)
    above = wider * hypot(high - ours, theirs - least)
    return against or not -above <= ours - theirs <= below, max(below, above) / (abs(theirs) or 1)


def _found(check: Record) -> str:
    return f"{tables.show(check['estimate'])} in {tables.show(check['interval'])}"


def _measured(check: Record) -> str:
    shown = _found(check)
    return shown if check["interval"][0] < check["interval"][1] else f"{check['status']} at {shown}"


def agreements(quick: Iterable[Record], full: Mapping[str, Record]) -> dict[str, Agreement]:
    return {one["id"]: agreement(one, full[one["id"]]) for one in quick if one["id"] in full}


def counted(quick: Sequence[Record], full: Mapping[str, Record]) -> str:
    """Return how many claims of a quick run agree with the committed full run, differ or are new.

    >>> check = {"id": "c", "status": "HOLDS", "estimate": 1.0, "interval": [0.9, 1.1]}
    >>> counted([check, {**check, "id": "d"}], {"c": check})
    '1 agrees, 1 is new'
    """
    found = agreements(quick, full)
    differ = sum(bool(one.apart) for one in found.values())
    parts = [
        (len(found) - differ, "agrees", "agree"),
        (differ, "differs", "differ"),
        (len(quick) - len(found), "is new", "are new"),
    ]
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in parts if count)


# A notebook's own


def changed(decided: Sequence[Record], profile: str) -> list[str]:
    """Return a line for each claim that differs from the committed run, in full from what is expected.

    A claim that no full run has decided may be undecided in quick, which may have too few runs.
    """
    known = agreements(decided, full_verdicts() if profile == "quick" else {})
    lines = [f"{name} {found}" for name, found in known.items() if found.apart]
    statuses = {str(one["id"]): str(one["status"]) for one in decided if one["id"] not in known}
    for name, expected in of_claims(statuses).items():
        open_ends = {OPEN, *((HOLDS, SLOWER) if expected == OPEN else ())} if profile == "quick" else set()
        if statuses[name] not in {expected, *open_ends}:
            lines.append(f"{name} is {statuses[name]}, expected {expected} ({profile} profile)")
    return lines


def told(decided: Sequence[Record], *, full: bool, remark: str = "") -> tuple[str, str]:
    """Return what claims come to and a remark, as HTML with the table folded and as text.

    A run that is not `full` is told beside the committed full run.
    """
    kept = {} if full else full_verdicts()
    found = [kept.get(one["id"], one) for one in decided]
    known = [one for one in found if full or one["id"] in kept]
    lines = [f"{sentence(known)}."] if known else []
    header, rows = ["id", "statement", "verdict", *NUMBERS], []
    for one in found:
        numbers = (tables.show(one.get(name)) for name in NUMBERS)
        rows.append([str(one["id"]), " ".join(str(one["statement"]).split()), str(one["status"]), *numbers])
    if not full:
        header.append("this quick run")
        agreed = agreements(decided, kept)
        for row in rows:
            row.append(str(agreed.get(row[0], "is new")))
        lines.append(f"In this quick run, beside the committed full run: {counted(decided, kept)}.")
    line = " ".join(filter(None, [*lines, remark]))
    page = f'<p class="workbench-verdicts"><b>{escape(line)}</b></p>'
    table = folded("every claim and its verdict", tables.html(header, rows))
    return page + table, f"{line}\n{tables.text(header, rows)}"


def folded(summary: str, page: str) -> str:
    return f'<details class="workbench-folded"><summary>{escape(summary)}</summary>{page}</details>'


def sentence(decided: Sequence[Record], run: str = "the full run") -> str:
    """Return how many claims hold in a run, and which of the others were not expected.

    >>> sentence([{"id": "T1", "status": "HOLDS"}, {"id": "T2", "status": "REFUTED"}])
    '1 of 2 claims holds in the full run; 1 is refuted: T2'
    """
    expected, statuses = of_claims(str(one["id"]) for one in decided), [one["status"] for one in decided]
    holding = statuses.count(HOLDS)
    claims = "1 claim" if len(decided) == 1 else f"{len(decided)} claims"
    parts = [f"{holding} of {claims} {'holds' if holding == 1 else 'hold'} in {run}"]
    for status in (SLOWER, OPEN, REFUTED):
        others = [one["id"] for one in decided if status == one["status"] != expected.get(one["id"])]
        as_said = statuses.count(status) - len(others)
        for count, said in ((as_said, ", as expected"), (len(others), f": {', '.join(others)}")):
            if count:
                parts.append(f"{count} {'is' if count == 1 else 'are'} {PHRASES[status]}{said}")
    return "; ".join(parts)


def tally(statuses: Iterable[str]) -> str:
    """Return how many hold, are not contradicted, are refuted and are undecided.

    >>> tally(["HOLDS", "REFUTED", "HOLDS"])
    '2 hold, 1 refuted'
    """
    counts = Counter(statuses)
    return ", ".join(f"{counts[status]} {words}" for status, words in PHRASES.items() if counts[status])


# The statements of the sources

COVER = 20  # columns for the name of what covers a statement


def sourced(names: Sequence[str]) -> list[tuple[str, Any]] | None:
    """Return the statements of a source, or one of them, each with its source; None for other names."""
    if len(names) != 1 or names[0].partition("/")[0].casefold() not in {one.casefold() for one in sources()}:
        return None
    name = names[0].casefold()
    found = [(source, one) for source in sources() for one in statements(source)]
    wanted = [pair for pair in found if name in (pair[0].casefold(), pair[1].id.casefold())]
    if not wanted:
        ids = {one.id.casefold(): one.id for _, one in found}
        raise ArgumentError("claim", names[0], one_of_words(names[0], sources(), ids.values()))
    return wanted


def statements_told(found: Sequence[tuple[str, Any]], *, as_json: bool) -> str:
    if as_json:
        records = [{"source": name} | asdict(statement) for name, statement in found]
        return json.dumps(records, indent=1, ensure_ascii=False)
    if len(found) == 1:
        ((source, one),) = found
        slips = (f"{slip.location}: {slip.says}\nshould say: {slip.should_say}" for slip in one.errata)
        pairs = {
            "id": one.id,
            "source": source,
            "kind": one.kind,
            "statement": one.text,
            "covered by": "\n".join(one.covered_by),
            "reason": one.reason,
            "constants": one.constants,
            "errata": "\n".join(slips),
        }
        return tables.fields(pairs.items(), tables.page_width())
    rows = []
    for _, one in found:
        first, *more = one.covered_by or ("(a reason)",)
        cover = tables.shortened(first, COVER) + (f" +{len(more)}" if more else "")
        rows.append([one.id, cover, str(len(one.errata) or ""), one.text])
    return tables.text(("id", "covered by", "slips", "statement"), rows, tables.page_width())


# The command


def shown(options: Namespace) -> int:
    if (stated := sourced(options.subject)) is not None:
        if options.status:
            raise ArgumentError("status", options.status[0], "no source beside it: claims have verdicts")
        tables.say(statements_told(stated, as_json=options.json))
        return 0
    folder, ids = options.folder or project.find(explicit=options.project).figures, options.subject
    found, width = collected(folder), tables.page_width()
    if not found:
        raise ArgumentError("from", str(folder), "a folder of figures")
    for name in ids:
        one_of(found, claim=name)
    chosen = [
        verdict
        for name, verdict in found.items()
        if (not ids or name in ids) and (not options.status or verdict["status"] in options.status)
    ]
    if options.json:
        plain = [{name: value for name, value in one.items() if name != "notebook"} for one in chosen]
        tables.say(canonical_json.dumps(plain).rstrip())
    elif ids:
        tables.say("\n\n".join(tables.fields(_whole(one, folder), width) for one in chosen))
    else:
        rows = list[Sequence[str]]()
        for one in chosen:
            rows.append((one["status"], f"{one['id']}: {_found(one)}"))
            rows.append(("", tables.shortened(one["statement"], width - len(SLOWER) - len(tables.SPACE))))
        tables.say(tables.text(("verdict", "claim, estimate and interval, statement"), rows, width))
    return 0


def _whole(verdict: Record, folder: Path) -> list[tuple[str, str]]:
    try:
        from workbench.chapters.registry import known

        claim = known().get(verdict["id"])
    except ModuleNotFoundError:  # without the extra `lab`: what is committed alone
        claim = None
    sources = getattr(claim, "sources", ())
    cited = (one + " (its formula is recalled)" * (one in recalled()) for one in sources)
    shown = (
        path.with_suffix(".svg").relative_to(folder.parent)
        for path in figures(folder / verdict["notebook"])
        if verdict["id"] in canonical_json.read(path).get("verdicts", ())
    )
    decided = []
    for one in (verdict.get("detail") or {}).get("checks", ()):
        detects = (one.get("detail") or {}).get("detects")
        power = f"; would have refuted {tables.show(detects)}" if detects else ""
        decided.append(f"{one.get('status')} {one.get('id')}: {_found(one)}{power}")
    numbers = ("level", "trials", "n", "estimate", "interval", "bound")
    return [
        *((name, str(verdict[name])) for name in ("id", "statement")),
        ("verdict", f"{verdict['status']} ({verdict['profile']} profile)"),
        ("reason", getattr(claim, "reason", "")),
        ("sources", "\n".join(cited)),
        ("test", str(verdict["test"])),
        *((name, tables.show(verdict.get(name))) for name in numbers),
        ("checks", "\n".join(decided)),
        ("figures", "\n".join(map(str, shown))),
        ("notebook", f"notebooks/{verdict['notebook']}.ipynb"),
        ("module", home(verdict["id"]) if claim else ""),
    ]


def home(claim: str) -> str:
    """Return the module that a claim stands in, as a file; of an installed one the module of its checks."""
    from workbench.chapters.registry import TOPICS, known

    one = known()[claim]
    topic = next((topic.__name__.replace(".", "/") for topic in TOPICS if one in topic.CLAIMS), "")
    return f"{topic}.py" if topic else str(one.checks.__module__)
