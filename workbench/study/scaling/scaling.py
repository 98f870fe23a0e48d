"""What a scaling is: one statement and one number in its n, at which values, and what is run there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, log, nan
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from workbench.errors import ArgumentError, integer_at_least, one_of, positive, probability
from workbench.study.profiles import PROFILES
from workbench.study.search import BLOCK, Kind
from workbench.study.sweeps.grids import Block, require_axes
from workbench.study.sweeps.schema import Point

CAPS: Mapping[str, int] = MappingProxyType({"quick": 100, "full": 200, "deep": 400})
LeastKind: TypeAlias = Kind | Literal["refused"]
ENDS = ("quick",)  # profiles that search at the first and the last value alone


class Setting(NamedTuple):
    """The public numbers at one value.

    Attributes
    ----------
    point : mapping
        What the block takes, but for n.
    alpha : float
        A run succeeds if its error is at most this.
    start : int
        Where the search begins: a public prediction, never a measured n.
    stated : float
        The n of the statement, with constants 1 where it has none.
    predicted : float
        The n of a prediction with all constants; nan if there is none.
    share : float
        Of the isolated term in n: of that of the prediction if there is one, else of the statement's.
    fewest : int
        The estimator refuses fewer rows.
    """

    point: Point
    alpha: float
    start: int
    stated: float
    predicted: float = nan
    share: float = nan
    fewest: int = 1


@dataclass(frozen=True)
class Scaling:
    """One statement and one number in its n.

    Parameters
    ----------
    statement : str
        Id of the numbered statement.
    variable : str
        The number, in the vocabulary of the package: `epsilon`, `delta`, `alpha`, `d`, `radius`, ...
    key : str
        What is run: a catalog key, with what distinguishes it in brackets.
    term : str
        The term of the statement's n that is looked at.
    values : tuple of float
        Of the number: at least 4 over a factor 8, of its logarithm if n is a power of that.
    setting : callable
        Value -> `Setting`.
    block : callable
        As a sweep's (`grids.Sweep`), with n among its parameters; it measures the column `error`.
    power : float
        The exponent of the number in the term, or of its logarithm.
    logarithm : bool
        Whether n is a power of |ln| of the number, as of ln 1/delta.
    instead : mapping
        Wrong statements nearby, in words -> the exponent that each would have. Where the statement's rate is
        called seen, they are excluded.
    bound : str
        Whether the statement bounds n from above, from below, or is an equality.
    share : float
        Wanted share of runs that succeed.
    caps : mapping
        Profile -> runs after which a search ends, but for those beyond its answer.
    """

    statement: str
    variable: str
    key: str
    term: str
    values: tuple[float, ...]
    setting: Callable[[float], Setting]
    block: Block
    power: float
    instead: Mapping[str, float]
    logarithm: bool = False
    bound: Literal["upper", "lower", "equal"] = "upper"
    share: float = 0.9
    caps: Mapping[str, int] = field(default_factory=lambda: CAPS)

    def __post_init__(self) -> None:
        if len(set(self.values)) < 2:
            raise ArgumentError("values", self.values, "at least two that differ")
        for value in self.values:
            positive(value=value)
        probability(share=self.share)
        for profile, cap in self.caps.items():
            one_of(PROFILES, profile=profile)
            integer_at_least(BLOCK, cap=cap)
        require_axes(self.block, {**self.setting(self.values[0]).point, "n": 1})

    @property
    def name(self) -> str:
        """Stable id, part of every seed."""
        return f"{self.statement} {self.variable} {self.key}"

    def at(self, profile: str) -> tuple[float, ...]:
        """Return the values at which a profile searches."""
        return (self.values[0], self.values[-1]) if profile in ENDS else self.values

    def axis(self, value: float) -> float:
        """Return what n is a power of: the number, or the size of its logarithm."""
        return abs(log(value)) if self.logarithm else value


class Least(NamedTuple):
    """The least n at one value, beside what is said of it."""

    value: float
    setting: Setting
    n: float
    interval: tuple[float, float]
    kind: LeastKind
    runs: int
    core_seconds: float

    @property
    def bounded(self) -> bool:
        """Whether the search found both ends, and errors decide, not a plan that refuses fewer rows."""
        return self.kind != "refused" and self.interval[0] > 0 and self.interval[1] < inf
