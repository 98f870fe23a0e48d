"""What has been decided, read from the JSON beside the figures, and what it says of a quick run's claims."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from workbench.errors import ArgumentError
from workbench.lab import project
from workbench.lab.pictures.figures import VERDICTS
from workbench.lab.runner.report import verdicts as read_verdicts

Record: TypeAlias = Mapping[str, Any]
NOTEBOOK, PROFILE = "notebook", "profile"
PHRASES = {"HOLDS": "hold", "REFUTED": "refuted", "UNDECIDED": "undecided"}


def collected(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts under a folder of figures by id, each with its profile and its notebook."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob(f"*/{VERDICTS}")):
        profile, decided = read_verdicts(path.parent)
        whence = {PROFILE: profile, NOTEBOOK: path.parent.name}
        found |= {verdict["id"]: {**verdict, **whence} for verdict in decided}
    return found


def full_verdicts(figures: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return the verdicts of the committed full run by id; none where no figures are at hand."""
    folder = figures or figures_folder()
    found = collected(folder) if folder else {}
    return {
        name: {key: value for key, value in one.items() if key not in (PROFILE, NOTEBOOK)}
        for name, one in found.items()
        if one[PROFILE] == "full"
    }


def full_run(figures: Path | None = None) -> dict[str, str]:
    """Return how the committed full run decided, by id."""
    return {name: str(one["status"]) for name, one in full_verdicts(figures).items()}


def committed(ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the verdicts of the committed full run on these claims; none if it has not decided them all."""
    found = full_verdicts()
    return [found[name] for name in ids] if found.keys() >= set(ids) else []


def figures_folder() -> Path | None:
    """Return the committed figures of the checkout that this package, or the working folder, is part of."""
    for start in (Path(__file__).parent, Path.cwd()):
        try:
            return project.find(start).figures
        except ArgumentError:
            continue
    return None


def beside_full(quick: Sequence[Record], full: Mapping[str, str]) -> str:
    """Return one line on what a quick run left undecided and who decides it; nothing if it left nothing."""
    undecided = sum(str(one["status"]) == "UNDECIDED" for one in quick)
    if not undecided:
        return ""
    decided = tally(full[one["id"]] for one in quick if one["id"] in full)
    run = f"the committed full run: {decided}" if decided else "the full profile decides"
    return f"{undecided} of {len(quick)} claims undecided in quick, which has few trials; {run}"


def tally(statuses: Iterable[str]) -> str:
    """Return how many hold, are refuted and are undecided.

    >>> tally(["HOLDS", "REFUTED", "HOLDS"])
    '2 hold, 1 refuted'
    """
    counts = Counter(statuses)
    return ", ".join(f"{counts[status]} {words}" for status, words in PHRASES.items() if counts[status])
