"""What a list of verdicts comes to, in one sentence.

>>> sentence([{"id": "T1", "status": "HOLDS"}, {"id": "T2", "status": "REFUTED"}], {"T2": "REFUTED"})
'1 of 2 claims holds in the full run; 1 is refuted, as expected'
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Record: TypeAlias = Mapping[str, Any]
HOLDS, OPEN = "HOLDS", "UNDECIDED"
FULL = "the full run"


def expectations(ids: Iterable[str]) -> dict[str, str]:
    """Return the verdicts that claims are expected to get, by id; nothing of a claim that is gone."""
    from workbench.chapters.registry import CLAIMS

    return {name: str(CLAIMS[name].expected) for name in ids if name in CLAIMS}


def reasons(ids: Iterable[str]) -> dict[str, str]:
    """Return why claims are expected to come out otherwise than by holding, by id."""
    from workbench.chapters.registry import CLAIMS

    return {name: str(getattr(CLAIMS[name], "reason", "")) for name in ids if name in CLAIMS}


def sentence(decided: Sequence[Record], expected: Mapping[str, str], run: str = FULL) -> str:
    """Return how many claims hold, and what of the others was expected."""
    holding = [one for one in decided if one["status"] == HOLDS]
    verb = "holds" if len(holding) == 1 else "hold"
    parts = [f"{len(holding)} of {_claims(len(decided))} {verb} in {run}"]
    for status, words in ((OPEN, "undecided"), ("REFUTED", "refuted")):
        ids = [one["id"] for one in decided if one["status"] == status]
        as_expected = [name for name in ids if expected.get(name) == status]
        if as_expected:
            parts.append(f"{_are(len(as_expected))} {words}, as expected")
        if others := [name for name in ids if name not in as_expected]:
            parts.append(f"{_are(len(others))} {words}: {', '.join(others)}")
    return "; ".join(parts)


def beside(quick: Sequence[Record], full: Mapping[str, str]) -> str:
    """Return one sentence on whether a quick run agrees with the full run.

    >>> quick = [{"id": "T1", "status": "HOLDS"}, {"id": "T2", "status": "UNDECIDED"}]
    >>> beside(quick, {"T1": "HOLDS", "T2": "REFUTED"})
    'This quick run agrees: 1 comes out alike, 1 needs the trials of the full run.'
    >>> beside(quick, {"T1": "REFUTED"})
    'This quick run differs: T1 is HOLDS, in the full run REFUTED.'
    >>> beside(quick, {})
    'In this quick run 1 claim holds, 1 needs the trials of the full profile.'
    """
    if not full:
        return _alone(quick)
    known = [(one["id"], str(one["status"]), full[one["id"]]) for one in quick if one["id"] in full]
    against = [one for one in known if OPEN not in one and one[1] != one[2]]
    if against:
        said = (f"{name} is {ours}, in the full run {theirs}" for name, ours, theirs in against)
        return f"This quick run differs: {'; '.join(said)}."
    alike = sum(ours == theirs for _, ours, theirs in known)
    needing = sum(ours == OPEN != theirs for _, ours, theirs in known)
    clear = len(known) - alike - needing
    new = len(quick) - len(known)
    parts = [
        (alike, "comes out alike", "come out alike"),
        (needing, "needs the trials of the full run", "need the trials of the full run"),
        (clear, "that the full run leaves open comes out", "that the full run leaves open come out"),
        (new, "is new", "are new"),
    ]
    return f"This quick run agrees: {_counted(parts)}."


def _alone(quick: Sequence[Record]) -> str:
    counts = Counter(str(one["status"]) for one in quick)
    parts = [
        (counts["HOLDS"], "claim holds", "claims hold"),
        (counts["REFUTED"], "is refuted", "are refuted"),
        (counts[OPEN], "needs the trials of the full profile", "need the trials of the full profile"),
    ]
    return f"In this quick run {_counted(parts)}."


def _counted(parts: Sequence[tuple[int, str, str]]) -> str:
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in parts if count)


def _claims(count: int) -> str:
    return "1 claim" if count == 1 else f"{count} claims"


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"
