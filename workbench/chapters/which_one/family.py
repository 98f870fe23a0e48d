"""What has to be known beforehand for every private estimator, read off the catalog: a table, and a tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import pandas as pd

from workbench.catalog import CATALOG, Entry
from workbench.privacy import GaussianDP, NonPrivate, PureDP


class Need(IntEnum):
    """Whether a fact has to be told."""

    NOT = 0
    MAY = 1
    MUST = 2


FACTS = {
    "range": "the mean lies in a known range",
    "scale": "σ is known, or bounds the covariance",
    "upper": "a bound on the largest eigenvalue",
    "lower": "a bound on the smallest eigenvalue",
    "norm": "a bound on the length of a row",
    "normal": "the rows are normal, or sub-Gaussian",
    "moments": "bounds on higher moments",
    "outliers": "some rows may be wrong, a known share of them",
}
PRIVACY = ("ε alone", "ρ", "ε and δ")
"""The strictest promise that an estimator can make, strictest first."""


@dataclass(frozen=True)
class Member:
    """One private estimator: what has to be told, and the place of its strictest promise in `PRIVACY`."""

    key: str
    estimand: str
    needs: dict[str, Need]
    privacy: int
    robust: bool

    def applies(self, *told: str) -> bool:
        """Return whether no fact beyond these has to be told."""
        return all(need < Need.MUST or fact in told for fact, need in self.needs.items())


def family(*estimands: str) -> tuple[Member, ...]:
    """Return the private estimators of the catalog that estimate these, those that ask for least first."""
    entries = (one for one in CATALOG.values() if one.estimand in estimands)
    private = (
        one for one in entries if not all(isinstance(each.budget, NonPrivate) for each in one.examples)
    )

    def order(one: Member) -> tuple[object, ...]:
        needs = tuple(-value for value in one.needs.values())
        return estimands.index(one.estimand), one.robust, sum(one.needs.values()), needs, one.privacy

    return tuple(sorted(map(member, private), key=order))


def member(entry: Entry) -> Member:
    """Return what one entry asks for: through assumptions of accuracy, and parameters without a default."""
    one: Any = entry.estimator
    known = {field.name: getattr(one, field.name) for field in fields(one)}
    said = "; ".join(assumption.statement for assumption in entry.assumptions)
    of_mean, radius = "radius" in said, known.get("radius")
    must = {
        "range": of_mean,
        "scale": "sigma" in said,
        "upper": "upper" in known,
        "lower": "lower times" in said,
        "norm": radius is not None and not of_mean,
        "normal": "normal" in said or "sub-Gaussian" in said,
        "moments": "moments" in known,
        "outliers": "corruption" in known,
    }
    may = {"range": "radius" in known and radius is None, "lower": "lower" in known}
    needs = {fact: Need.MUST if must[fact] else Need(may.get(fact, False)) for fact in FACTS}
    budgets = [example.budget for example in entry.examples]
    pure = any(isinstance(one, PureDP) for one in budgets)
    concentrated = any(isinstance(one, GaussianDP) or not getattr(one, "delta", 0.0) for one in budgets)
    privacy = 0 if pure else 1 if concentrated else 2
    return Member(entry.key, entry.estimand, needs, privacy, "corruption" in known or "clean" in said)


def table(*estimands: str) -> pd.DataFrame:
    """Return the family as a table: a row for each key, a column for each fact that any of them asks for."""
    words = {Need.NOT: "", Need.MAY: "may", Need.MUST: "must"}
    found = family(*estimands)
    rows = [
        {fact: words[need] for fact, need in one.needs.items()} | {"promise": PRIVACY[one.privacy]}
        for one in found
    ]
    made = pd.DataFrame(rows, index=pd.Index([one.key for one in found], name="key"))
    return made.loc[:, (made != "").any()]


def tree(*estimands: str) -> str:
    """Return the tree: where a fact tells estimators apart, those that need it follow those that do not."""
    return "\n".join(_lines(family(*estimands), ("outliers", *FACTS), ""))


def _lines(members: Sequence[Member], facts: Sequence[str], margin: str) -> Iterator[str]:
    for place, fact in enumerate(facts):
        sides = [[one for one in members if _told(one, fact) == told] for told in (False, True)]
        if all(sides):
            for head, side, bar in zip(("not told", "told"), sides, ("│  ", "   "), strict=True):
                yield f"{margin}{'├─' if bar.strip() else '└─'} {head}: {FACTS[fact]}"
                yield from _lines(side, facts[place + 1 :], margin + bar)
            return
    width = max(len(one.key) for one in members)
    yield from (f"{margin}{one.key:{width}}  {PRIVACY[one.privacy]}" for one in members)


def _told(one: Member, fact: str) -> bool:
    return one.robust if fact == "outliers" else one.needs[fact] == Need.MUST
