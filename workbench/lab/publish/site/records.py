"""What a card of the page shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Link(NamedTuple):
    """A name with the id of its card; without one, a file to open."""

    label: str
    target: str = ""


class Size(NamedTuple):
    """One number of rows: by a formula, and as it was measured."""

    formula: str
    statement: str
    kind: str
    predicted: float
    estimate: float
    interval: tuple[float, float]

    @property
    def ratio(self) -> float | None:
        """Measured over predicted; none where the n that was tried is the formula's."""
        same = self.kind == "tried" and self.predicted == self.estimate
        return None if same or not self.predicted else self.estimate / self.predicted


@dataclass(frozen=True)
class Figure:
    """A committed figure with its words."""

    key: str
    title: str
    question: str
    alt: str
    caption: str
    how_to_read: str
    parameters: Sequence[tuple[str, str]]
    claims: Sequence[Link]

    @property
    def id(self) -> str:
        """The id of its card."""
        return f"figure/{self.key}"


@dataclass(frozen=True)
class Claim:
    """A claim, what it was decided by, and where it stands."""

    name: str
    number: str
    chapter: str
    statement: str
    context: Sequence[tuple[Link, str]]
    status: str
    reason: str
    numbers: Sequence[tuple[str, str]]
    checks: Sequence[Mapping[str, Any]]
    sizes: Sequence[Size]
    growths: Sequence[Any]
    figures: Sequence[Link]
    statements: Sequence["Statement"]
    sources: Sequence[Link]
    estimators: Sequence[Link]
    proofs: Sequence[Link]
    module: str
    tests: Sequence[str]

    @property
    def id(self) -> str:
        """The id of its card."""
        return f"claim/{self.name}"

    @property
    def ratios(self) -> list[float]:
        """Measured over predicted numbers of rows."""
        return [size.ratio for size in self.sizes if size.ratio is not None]


@dataclass(frozen=True)
class Statement:
    """A numbered statement of a source, and what covers it."""

    name: str
    source: str
    kind: str
    text: str
    reason: str
    constants: str
    covers: Sequence[Link]
    errata: Sequence[Any]
    claims: Sequence[Link] = ()

    @property
    def id(self) -> str:
        """The id of its card."""
        return f"statement/{self.name}"


@dataclass(frozen=True)
class Estimator:
    """An entry of the catalog."""

    key: str
    cls: str
    summary: str
    estimand: str
    budgets: str
    tried: Sequence[str]
    signature: str
    guarantee: str
    text: str
    algorithm: str
    assumptions: Sequence[str]
    statements: Sequence[Link]
    claims: Sequence[Link]
    module: str

    @property
    def id(self) -> str:
        """The id of its card."""
        return f"estimator/{self.key}"

    @property
    def family(self) -> str:
        """The first part of its key."""
        return self.key.partition("/")[0]


@dataclass(frozen=True)
class Chapter:
    """A notebook with all that belongs to it."""

    folder: str
    title: str
    lead: str
    cells: Sequence[str]
    figures: Sequence[Figure]
    claims: Sequence[Claim]

    @property
    def counts(self) -> str:
        """How many of its claims hold, are refuted and undecided."""
        from workbench.lab.claims import tally

        return tally(claim.status for claim in self.claims)


@dataclass(frozen=True)
class Document:
    """A proof, as HTML."""

    name: str
    title: str
    html: str
    headings: Sequence[Link] = field(default=())

    @property
    def id(self) -> str:
        """The id of its card."""
        return f"proof/{self.name}"
