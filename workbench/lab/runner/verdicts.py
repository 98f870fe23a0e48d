"""`workbench verdicts`: what has been decided, as a table, or one claim whole."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.charts import canonical_json
from workbench.errors import ArgumentError, one_of
from workbench.lab import tables
from workbench.lab.runner import cache
from workbench.lab.runner.verdict_check import NOTEBOOK, PROFILE, Record, collected

HEADER = ("id", "verdict", "statement", "n", "estimate", "interval", PROFILE)


@dataclass(frozen=True)
class Required:
    """Ids of claims that must be decided, and of claims that must hold."""

    decided: Sequence[str] = ()
    holds: Sequence[str] = ()

    def unmet(self, found: Mapping[str, Record]) -> list[str]:
        """Return the unmet requirements, one line each."""
        statuses = {name: str(verdict["status"]) for name, verdict in found.items()}
        decided = [name for name in self.decided if statuses.get(name, "UNDECIDED") == "UNDECIDED"]
        holds = [name for name in self.holds if statuses.get(name) != "HOLDS"]
        return [f"{name}: required to be decided, is {statuses.get(name, 'missing')}" for name in decided] + [
            f"{name}: required to hold, is {statuses.get(name, 'missing')}" for name in holds
        ]


@dataclass(frozen=True)
class Wanted:
    """Ids of claims to be shown whole, and statuses and kinds to be shown; all of them for none."""

    ids: Sequence[str] = ()
    statuses: Sequence[str] = ()
    kinds: Sequence[str] = ()

    def among(self, found: Mapping[str, Record]) -> list[Record]:
        """Return the verdicts that are wanted."""
        return [
            verdict
            for name, verdict in found.items()
            if (not self.ids or name in self.ids)
            and (not self.statuses or verdict["status"] in self.statuses)
            and (not self.kinds or _kind(verdict) in self.kinds)
        ]


ALL = Wanted()


def verdicts(folder: Path, required: Required, wanted: Wanted = ALL, *, as_json: bool = False) -> int:
    """Print the verdicts under a folder of figures; 1 if something required is not met."""
    if not folder.is_dir():
        raise ArgumentError("from", str(folder), "a folder of figures")
    found = collected(folder)
    required = Required(_ids(required.decided, found), _ids(required.holds, found))
    wanted = replace(wanted, ids=_ids(wanted.ids, found))
    for name in wanted.ids:
        one_of(found, claim=name)
    chosen = wanted.among(found)
    plain = [{name: value for name, value in one.items() if name != NOTEBOOK} for one in chosen]
    tables.say(canonical_json.dumps(plain).rstrip() if as_json else _text(chosen, wanted, folder))
    unmet = required.unmet(found)
    if unmet:
        tables.say("\n".join(f"FAILED {line}" for line in unmet))
    return 1 if unmet else 0


def _ids(names: Sequence[str], found: Mapping[str, object]) -> list[str]:
    """Return the ids of claims, given those or their numbers."""
    if set(names) <= found.keys():
        return list(names)
    from workbench.chapters.registry import CLAIMS

    by_number = {claim.number: claim.id for claim in CLAIMS.values()}
    ids = [by_number.get(name, name) for name in names]
    for name in ids:
        one_of(sorted(CLAIMS.keys() | found.keys()), claim=name)
    return ids


def _text(chosen: Sequence[Record], wanted: Wanted, folder: Path) -> str:
    width = tables.page_width()
    if wanted.ids:
        return "\n\n".join(tables.fields(_whole(one, folder), width) for one in chosen)
    return tables.text(HEADER, [_row(one) for one in chosen], width, cut=("statement",))


def _row(verdict: Record) -> list[str]:
    numbers = (tables.show(verdict.get(name)) for name in ("n", "estimate", "interval"))
    return [str(verdict["id"]), str(verdict["status"]), str(verdict["statement"]), *numbers, verdict[PROFILE]]


def _kind(verdict: Record) -> str:
    """Return the kind of a verdict's claim; nothing for a claim that there is no more."""
    from workbench.chapters.registry import CLAIMS

    return str(getattr(CLAIMS.get(verdict["id"]), "kind", ""))


def _whole(verdict: Record, folder: Path) -> list[tuple[str, str]]:
    """Return all that is known of one claim."""
    from workbench.chapters.registry import CLAIMS

    claim = CLAIMS.get(verdict["id"])
    checks: Any = (verdict.get("detail") or {}).get("checks", ())
    numbers = ("level", "trials", "n", "estimate", "interval", "bound")
    return [
        *((name, str(verdict[name])) for name in ("id", "statement")),
        ("verdict", f"{verdict['status']} ({verdict[PROFILE]} profile)"),
        ("reason", getattr(claim, "reason", "")),
        ("kind", _kind(verdict)),
        ("sources", "\n".join(getattr(claim, "sources", ()))),
        ("test", str(verdict["test"])),
        *((name, tables.show(verdict.get(name))) for name in numbers),
        ("checks", "\n".join(map(_check, checks))),
        ("figures", "\n".join(_figures(folder / verdict[NOTEBOOK], verdict["id"]))),
        (NOTEBOOK, f"notebooks/{verdict[NOTEBOOK]}.ipynb"),
    ]


def _check(one: Record) -> str:
    measured = f"{tables.show(one.get('estimate'))} in {tables.show(one.get('interval'))}"
    detects = (one.get("detail") or {}).get("detects")
    power = f"; would have refuted {tables.show(detects)}" if detects else ""
    return f"{one.get('status')} {one.get('id')}: {measured}{power}"


def _figures(folder: Path, claim: str) -> list[str]:
    """Return the pictures that show a claim."""
    shown = (path for path in cache.figures(folder) if claim in canonical_json.read(path).get("verdicts", ()))
    return [str(path.with_suffix(".svg").relative_to(folder.parents[1])) for path in shown]
