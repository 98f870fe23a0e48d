"""What the sweeps of a run may use: a store to resume from, and how many processes at a time.

Neither changes a number, so no figure and no claim says anything of them: whoever runs figures and claims
lends them, and every `sweep.run` within that is not told otherwise uses what is lent.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from os import PathLike

from workbench.errors import integer_at_least


@dataclass(frozen=True)
class Resources:
    """What sweeps use unless told otherwise.

    Parameters
    ----------
    store : path, optional
        Where finished blocks are kept, so that a run that was killed goes on from there.
    jobs : int
        Blocks computed at a time.
    """

    store: str | PathLike[str] | None = None
    jobs: int = 1

    def __post_init__(self) -> None:
        integer_at_least(1, jobs=self.jobs)


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
