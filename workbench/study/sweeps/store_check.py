"""Whether a whole store is intact, and what its blocks have cost: read before a run resumes from it.

A block is checked whenever it is read (`store`), so a damaged one is never served; here all are checked at
once, for whoever would rather begin again than fail in the middle.
"""

from workbench.study.sweeps.store import Store, checksum

ALL = "SELECT sweep, point, block, columns, numbers, digest FROM cells"
COST = "SELECT COUNT(*), TOTAL(seconds) FROM cells"


def require_intact(store: Store) -> None:
    """Raise an `ArgumentError` unless the database is sound and every block is what was put in."""
    if store.fetch("PRAGMA quick_check(1)", ()) != [("ok",)]:
        raise store.unreadable("its pages are damaged")
    for *content, digest in store.fetch(ALL, ()):
        if checksum(*content) != digest:
            raise store.unreadable("a block is damaged")


def spent(store: Store) -> tuple[int, float]:
    """Return how many blocks there are and what they have cost, in core-seconds."""
    ((count, seconds),) = store.fetch(COST, ())
    return int(count), float(seconds)
