"""What a claim is: a published statement and the experiment that decides it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from workbench.errors import ArgumentError
from workbench.study.verdict import Status, Verdict


@dataclass(frozen=True)
class Claim:
    """A statement that is executed.

    Parameters
    ----------
    id : str
        Stable id, such as `l17-lemma-2.2`.
    sources : tuple of str
        Ids of the numbered statements it tests.
    statement : str
        One line, with its constants.
    decide : callable
        `(profile, seed, jobs) -> Verdict`.
    expected : Status
        The committed status under the profile full: a refutation is a result, committed with its reason.
    reason : str
        Why, for anything but HOLDS.
    """

    id: str
    sources: tuple[str, ...]
    statement: str
    decide: Callable[[str, int, int], Verdict]
    expected: Status = Status.HOLDS
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.sources:
            raise ArgumentError("sources", self.sources, "at least one numbered statement")
        if self.expected is not Status.HOLDS and not self.reason:
            raise ArgumentError("reason", self.reason, f"why {self.id} is expected to be {self.expected}")


def index(*families: Iterable[Claim]) -> dict[str, Claim]:
    """Return the claims of several families by id, or raise if two share one."""
    claims = [claim for family in families for claim in family]
    by_id = {claim.id: claim for claim in claims}
    if len(by_id) < len(claims):
        ids = [claim.id for claim in claims]
        raise ArgumentError("claims", sorted({id for id in ids if ids.count(id) > 1}), "ids that are unique")
    return by_id
