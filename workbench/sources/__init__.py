"""Every numbered statement of the sources: what it says, and what in this package stands for it.

An installed package adds a source by an entry point of the group `workbench.sources`: its tag, and the name
of the package that has TAG.toml.

>>> [statement.kind for statement in statements("l17")][:2]
['theorem', 'theorem']
"""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from workbench.errors import ArgumentError, one_of
from workbench.types import frozen

KINDS = ("theorem", "lemma", "corollary", "fact", "equation", "algorithm", "remark", "citation")
CONSTANTS = ("none", "stated", "derived", "recalled", "chosen")


@frozen
class Erratum:
    """A slip of the source: where, what it says, what it should say."""

    location: str
    says: str
    should_say: str


@frozen
class Statement:
    """A statement of a source in our words.

    `covered_by` lists catalog keys (`family/name`), modules or functions (`bounds.l17.packing_bound`), claims
    (`claim one-mean/rows-per-log-range`) and proofs (`proofs/NAME.md`); `reason` says why nothing does, or
    where the cover departs.
    `constants` tells whether the constants in use are those `stated`, `derived` here, `recalled` from the
    literature or `chosen`; `none` if there are none to speak of.
    """

    id: str
    kind: str
    text: str
    covered_by: tuple[str, ...] = ()
    reason: str = ""
    constants: str = "none"
    errata: tuple[Erratum, ...] = ()

    def __post_init__(self) -> None:
        one_of(KINDS, kind=self.kind)
        one_of(CONSTANTS, constants=self.constants)
        if not (self.covered_by or self.reason):
            raise ArgumentError("covered_by", self.id, "what covers the statement, or a reason")


def sources() -> tuple[str, ...]:
    """Return the tags of the sources with a table, in alphabetical order."""
    return tuple(sorted(_homes()))


@cache
def _homes() -> dict[str, str]:
    from importlib.metadata import entry_points

    names = (entry.name for entry in files(__name__).iterdir())
    own = {name.removesuffix(".toml"): __name__ for name in names if name.endswith(".toml")}
    return {point.name: point.value for point in entry_points(group="workbench.sources")} | own


def statements(source: str) -> tuple[Statement, ...]:
    """Return the statements of `source` (such as "l17") in the order of the source."""
    one_of(sources(), source=source)
    table = tomllib.loads((files(_homes()[source]) / f"{source}.toml").read_text("utf-8"))
    return tuple(_statement(**row) for row in table["statement"])


@cache
def recalled() -> frozenset[str]:
    """Return the ids of the statements whose formulas are recalled: verdicts on them rest on memory."""
    found = (one for source in sources() for one in statements(source))
    return frozenset(one.id for one in found if one.constants == "recalled")


def _statement(covered_by: tuple[str, ...] = (), errata: tuple[Any, ...] = (), **fields: Any) -> Statement:
    slips = tuple(Erratum(**slip) for slip in errata)
    return Statement(covered_by=tuple(covered_by), errata=slips, **fields)
