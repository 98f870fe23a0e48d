"""What has to be known beforehand, and granted, for every private estimator: read off the catalog."""

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

    @property
    def order(self) -> tuple[object, ...]:
        """The place in the tree: first by whether rows may be wrong, then by what has to be told."""
        needs = tuple(-value for value in self.needs.values())
        return self.robust, sum(self.needs.values()), needs, self.privacy

    def applies(self, *told: str) -> bool:
        """Return whether no fact beyond these has to be told."""
        return all(need < Need.MUST or fact in told for fact, need in self.needs.items())


def family(*estimands: str) -> tuple[Member, ...]:
    """Return the private estimators of the catalog that estimate these, those that ask for least first."""
    members = [member(one) for one in CATALOG.values() if one.estimand in estimands and _private(one)]
    return tuple(sorted(members, key=lambda one: (estimands.index(one.estimand), one.order)))


def member(entry: Entry) -> Member:
    """Return what one entry asks for."""
    robust = "corruption" in _parameters(entry) or "clean" in _assumed(entry)
    return Member(entry.key, entry.estimand, _needs(entry), _privacy(entry), robust)


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


def _private(entry: Entry) -> bool:
    return not all(isinstance(example.budget, NonPrivate) for example in entry.examples)


def _parameters(entry: Entry) -> dict[str, Any]:
    """Return the public parameters of the example, with their values."""
    one: Any = entry.estimator
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _assumed(entry: Entry) -> str:
    return "; ".join(assumption.statement for assumption in entry.assumptions)


def _needs(entry: Entry) -> dict[str, Need]:
    """Return what is told through assumptions of accuracy, and through parameters that have no default."""
    said, known = _assumed(entry), _parameters(entry)
    of_mean = "radius" in said
    found = {
        "range": Need.MUST if of_mean else _may("radius" in known and known["radius"] is None),
        "scale": _must("sigma" in said),
        "upper": _must("upper" in known),
        "lower": Need.MUST if "lower times" in said else _may("lower" in known),
        "norm": _must("radius" in known and known["radius"] is not None and not of_mean),
        "normal": _must("normal" in said or "sub-Gaussian" in said),
        "moments": _must("moments" in known),
        "outliers": _must("corruption" in known),
    }
    return {fact: found[fact] for fact in FACTS}


def _must(holds: bool) -> Need:
    return Need.MUST if holds else Need.NOT


def _may(holds: bool) -> Need:
    return Need.MAY if holds else Need.NOT


def _privacy(entry: Entry) -> int:
    budgets = [example.budget for example in entry.examples]
    if any(isinstance(one, PureDP) for one in budgets):
        return 0
    concentrated = any(isinstance(one, GaussianDP) or not getattr(one, "delta", 0.0) for one in budgets)
    return 1 if concentrated else 2
