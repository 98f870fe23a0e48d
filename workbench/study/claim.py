"""What a claim is: a published statement and the experiment that decides it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Literal, TypeAlias, get_args

from workbench.errors import ArgumentError, one_of
from workbench.study.grids import Sweep
from workbench.study.profiles import claim_level
from workbench.study.rules import (
    Status,
    Verdict,
    at_most,
    beside,
    combine,
    compare,
    enough,
    in_proportion,
    supremum,
)
from workbench.study.scaling import Scaling, measured
from workbench.study.sweeps import run

# what a claim's checks are made of, so that a chapter imports it from here
__all__ = [
    "Status", "Verdict", "at_most", "beside", "claim_level", "combine", "compare", "enough",
    "in_proportion", "supremum",
]  # fmt: skip

Kind: TypeAlias = Literal["source", "ours"]


@dataclass(frozen=True)
class Claim:
    """A statement that is executed."""

    id: str  # stable id: the chapter and what is said, such as `one-mean/flat-in-radius`
    number: str  # its short number, such as `G2`
    sources: tuple[str, ...]  # ids of the numbered statements it tests
    statement: str  # one line, with its constants
    # called with the tables of the sweeps, then with every scaling and what was found of it, and with `seed=`
    # if it has that parameter, because it resamples. Returns the checks that must all hold; or a verdict,
    # where trials are counted in another way.
    checks: Callable[..., Iterable[Verdict] | Verdict]
    # returns what is run, by name and late, so that grids are placed when they are first needed. A sweep that
    # has no blocks under a profile is left out there.
    sweeps: Callable[[], Iterable[Sweep]] = tuple
    scalings: Callable[[], Iterable[Scaling]] = tuple  # returns what is searched, likewise
    # the committed status under the profile full: a refutation is a result, committed with its reason
    expected: Status = Status.HOLDS
    reason: str = ""  # why, for anything but HOLDS
    kind: Kind = "source"  # `source`: what a source says. `ours`: what we say.

    def __post_init__(self) -> None:
        one_of(get_args(Kind), kind=self.kind)
        if not self.sources:
            raise ArgumentError("sources", self.sources, "at least one numbered statement")
        if self.expected is not Status.HOLDS and not self.reason:
            raise ArgumentError("reason", self.reason, f"why {self.id} is expected to be {self.expected}")

    def decide(self, profile: str, seed: int, jobs: int) -> Verdict:
        """Run the sweeps and searches, and return the verdict; the trials are the rows of the tables."""
        wanted = (sweep.under(profile) for sweep in self.sweeps() if profile in sweep.blocks)
        frames = [run(sweep, profile, seed=seed, jobs=jobs) for sweep in wanted]
        seeded = {"seed": seed} if "seed" in signature(self.checks).parameters else {}
        scalings = [scaling for scaling in self.scalings() if profile in scaling.caps]
        growths = list(zip(scalings, measured(scalings, profile, seed=seed, jobs=jobs), strict=True))
        found = self.checks(*frames, *growths, **seeded)
        if isinstance(found, Verdict):
            return found
        runs = sum(map(len, frames)) + sum(least.runs for _, leasts in growths for least in leasts)
        return combine(list(found), runs or None)


def index(*families: Iterable[Claim]) -> dict[str, Claim]:
    """Return the claims of several families by id, or raise if two share an id or a number."""
    claims = [claim for family in families for claim in family]
    for names in ([claim.id for claim in claims], [claim.number for claim in claims]):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ArgumentError("claims", twice, "ids and numbers that are unique")
    return {claim.id: claim for claim in claims}
