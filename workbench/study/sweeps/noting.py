"""What a run would compute, noted instead of computed, so that others may compute it beforehand."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from workbench.study.sweeps.grids import Sweep


class Declared(NamedTuple):
    """One sweep that was asked for."""

    sweep: Sweep
    profile: str
    seed: int


_notes: ContextVar[list[object] | None] = ContextVar("notes", default=None)


def notes() -> list[object] | None:
    """Return where sweeps are noted; None where they are computed."""
    return _notes.get()


@contextmanager
def noting(found: list[object] | None) -> Iterator[None]:
    """Let every sweep within be noted, and return a table without rows; with None, let it be computed."""
    before = _notes.set(found)
    try:
        yield
    finally:
        _notes.reset(before)
