"""The verdicts of the committed full run as a sentence and a folded list, in markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.lab.claims import HOLDS, OPEN, expectations, reasons, sentence
from workbench.lab.publish.words import plain

WORDS = {HOLDS: "holds", OPEN: "undecided", "REFUTED": "refuted"}
ORDER = ("REFUTED", OPEN, HOLDS)  # what asks for a word first

PICTURES = "The pictures are of that run; a cell that is run says whether its picture comes out again."


def listed(decided: Sequence[Mapping[str, Any]]) -> str:
    """Return the sentence, and the claims behind it."""
    ids = [str(one["id"]) for one in decided]
    why = reasons(ids)
    ranked = sorted(decided, key=lambda one: ORDER.index(str(one["status"])))
    items = [_item(one, why.get(str(one["id"]), "")) for one in ranked]
    count = "The claim" if len(items) == 1 else f"All {len(items)} claims"
    return "\n".join(
        [
            f"**{sentence(decided, expectations(ids))}.** {PICTURES}",
            "",
            f"<details><summary>{count}, and what became of each</summary>",
            "",
            *items,
            "",
            "</details>",
        ]
    )


def _item(verdict: Mapping[str, Any], reason: str) -> str:
    status, said = str(verdict["status"]), str(verdict["statement"])
    why = f" *Why:* {plain(_ended(reason))}" if reason and status != HOLDS else ""
    return f"* **{WORDS[status]}**: {plain(_ended(said))}{why} (`{verdict['id']}`)"


def _ended(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "."
