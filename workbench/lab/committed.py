"""`workbench verdicts`: what has been decided, read from the JSON beside the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import ArgumentError, one_of
from workbench.lab import canonical, tables
from workbench.lab.report import verdicts as read_verdicts


@dataclass(frozen=True)
class Required:
    """Ids of claims that must be decided, and of claims that must hold."""

    decided: Sequence[str] = ()
    holds: Sequence[str] = ()

    def unmet(self, found: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """Return what is not as required, one line each."""
        statuses = {name: str(verdict["status"]) for name, verdict in found.items()}
        decided = [name for name in self.decided if statuses.get(name, "UNDECIDED") == "UNDECIDED"]
        holds = [name for name in self.holds if statuses.get(name) != "HOLDS"]
        return [f"{name}: required to be decided, is {statuses.get(name, 'missing')}" for name in decided] + [
            f"{name}: required to hold, is {statuses.get(name, 'missing')}" for name in holds
        ]


def verdicts(folder: Path, required: Required, *, as_json: bool = False) -> int:
    """Print the verdicts under a folder of figures; 1 if something required is not met."""
    if not folder.is_dir():
        raise ArgumentError("from", str(folder), "a folder of figures")
    found = _collect(folder)
    _check_known([*required.decided, *required.holds], found)
    rows = [[*tables.verdict_row(verdict, width=60), verdict["profile"]] for verdict in found.values()]
    header = (*tables.VERDICT_COLUMNS, "profile")
    print(canonical.dumps(list(found.values())).rstrip() if as_json else tables.text(header, rows))
    unmet = required.unmet(found)
    if unmet:
        print("\n".join(f"FAILED {line}" for line in unmet))
    return 1 if unmet else 0


def _collect(folder: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*/verdicts.json")):
        profile, decided = read_verdicts(path.parent)
        found |= {verdict["id"]: {**verdict, "profile": profile} for verdict in decided}
    return found


def _check_known(ids: Sequence[str], found: Mapping[str, object]) -> None:
    if set(ids) <= found.keys():
        return
    from workbench.study.claims import CLAIMS

    for name in ids:
        one_of(sorted(CLAIMS.keys() | found.keys()), claim=name)
