"""What notebooks declare, computed before they run: all of it, on any backend, or one shard of it.

A search chooses each n by what it has found, so that it is one unit. What a figure or a claim runs beyond
what can be read ahead is computed when the notebook runs, as ever.
"""

from collections.abc import Callable, Iterable, Sequence

from workbench.lab.live.noted import Unread
from workbench.lab.runner import stores
from workbench.lab.runner.ahead import declared
from workbench.lab.runner.request import Reproduction
from workbench.lab.runner.variants import Variant
from workbench.study.shards import origin
from workbench.study.shards.digest import digest
from workbench.study.shards.units import SEARCH, Unit, units
from workbench.study.shards.work import fill, missing, plan
from workbench.study.sweeps.database import require_intact
from workbench.study.sweeps.store import Store

Say = Callable[[str], None]


def require(request: Reproduction) -> None:
    """Raise unless the one store of a request, if there is one, is sound and of the same run."""
    if request.store:
        with Store(request.store) as store:
            require_intact(store)
            origin.require(store, request.origin, "as asked for")
            origin.write(store, request.origin)


def sharded(chosen: Sequence[Variant], request: Reproduction, say: Say) -> int:
    """Compute a shard into its store, and say what is there; a block that fails raises."""
    assert request.shard
    assert request.store
    found = _units(chosen, request, say)
    ours = [unit for unit in found if request.shard.has(unit)]
    with Store(request.store) as store:
        plan(store, found)
        say(f"shard {request.shard}: {_counted(ours)}, {len(missing(store, ours))} still to be computed")
        fill(store, ours, request.by)
        say(f"shard {request.shard} is in {request.store}: {digest([store])}")
    return 0


def computed(chosen: Sequence[Variant], request: Reproduction, say: Say) -> None:
    """Compute everything that is declared into the stores in which the notebooks find it."""
    for group in [list(chosen)] if request.store else [[variant] for variant in chosen]:
        found = _units(group, request, say)
        if not request.store:
            stores.prepare(group[0].home)
        with Store(stores.places(group, request.store)[0]) as store:
            plan(store, found)
            fill(store, found, request.by)


def rows(chosen: Sequence[Variant], request: Reproduction) -> list[str]:
    """Return the line with the hash of all rows in the stores of a run."""
    found = [path for path in stores.places(chosen, request.store) if path.is_file()]
    opened = [Store(path) for path in found]
    try:
        return [f"in the stores: {digest(opened)}"] if opened else []
    finally:
        for store in opened:
            store.close()


def _units(chosen: Iterable[Variant], request: Reproduction, say: Say) -> list[Unit]:
    """Return every unit of all variants, and say what cannot be known beforehand."""
    noted = [one for variant in chosen for one in declared(variant, request.profile, request.limit)]
    found = units(noted)
    say(f"read ahead: {_counted(found)}; a search chooses its blocks one by one, in one shard")
    for one in noted:
        if isinstance(one, Unread):
            say(f"cannot be read ahead: {one.name} ({one.why}); what else it runs, runs with the notebook")
    return found


def _counted(units: Sequence[Unit]) -> str:
    searches = sum(unit.block == SEARCH for unit in units)
    return f"{len(units) - searches} blocks and {searches} searches"
