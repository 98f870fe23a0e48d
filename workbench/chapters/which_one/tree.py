"""The family as a tree of questions, in words: what is known splits the estimators, until nothing does."""

from collections.abc import Iterator, Sequence

from workbench.chapters.which_one.family import FACTS, PRIVACY, Member, Need, family

ASKED = ("outliers", *(fact for fact in FACTS if fact != "outliers"))


def tree(*estimands: str) -> str:
    """Return the tree: where a fact tells estimators apart, those that need it follow those that do not."""
    return "\n".join(_lines(family(*estimands), ASKED, ""))


def _lines(members: Sequence[Member], facts: Sequence[str], margin: str) -> Iterator[str]:
    for place, fact in enumerate(facts):
        sides = [[one for one in members if _told(one, fact) == told] for told in (False, True)]
        if all(sides):
            yield from _split(FACTS[fact], sides, facts[place + 1 :], margin)
            return
    width = max(len(one.key) for one in members)
    yield from (f"{margin}{one.key:{width}}  {PRIVACY[one.privacy]}" for one in members)


def _split(words: str, sides: Sequence[Sequence[Member]], facts: Sequence[str], margin: str) -> Iterator[str]:
    for head, side, bar in zip((f"not told: {words}", f"told: {words}"), sides, ("│  ", "   "), strict=True):
        yield f"{margin}{'├─' if bar.strip() else '└─'} {head}"
        yield from _lines(side, facts, margin + bar)


def _told(one: Member, fact: str) -> bool:
    return one.robust if fact == "outliers" else one.needs[fact] == Need.MUST
