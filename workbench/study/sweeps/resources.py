"""What the sweeps of a run may use: a store to resume from, how many processes at a time, how much work.

None changes a number at the usual points, so no figure and no claim says anything of them: whoever runs
figures and claims lends them, and every `sweep.run` within that is not told otherwise uses what is lent.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from os import PathLike

from workbench.errors import ArgumentError, integer_at_least


@dataclass(frozen=True)
class Resources:
    """What sweeps use unless told otherwise.

    Parameters
    ----------
    store : path, optional
        Where finished blocks are kept, so that a run that was killed goes on from there.
    jobs : int
        Blocks computed at a time.
    limit : float
        The work of a sweep at other points than the usual ones, as a multiple of what it takes at these.
    """

    store: str | PathLike[str] | None = None
    jobs: int = 1
    limit: float = 2.0

    def __post_init__(self) -> None:
        integer_at_least(1, jobs=self.jobs)
        if not self.limit > 0:
            raise ArgumentError("limit", self.limit, "a number above 0")


NONE = Resources()
_lent: ContextVar[Resources] = ContextVar("lent", default=NONE)


def resources() -> Resources:
    """Return the resources lent to this run: by default, no store and one process."""
    return _lent.get()


@contextmanager
def lending(lent: Resources) -> Iterator[None]:
    """Lend resources to every sweep within.

    >>> with lending(Resources(jobs=2)):
    ...     resources().jobs
    2
    """
    before = _lent.set(lent)
    try:
        yield
    finally:
        _lent.reset(before)
