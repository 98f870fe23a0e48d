"""What notebooks declare, computed before they run, by any backend.

Their cells run here, without a kernel, and note what they would compute. A search chooses each n by what it
has found, so that it is one unit. What a figure or a claim runs beyond that is computed with the notebook.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from workbench.charts import canonical_json
from workbench.lab.live.noted import Unread
from workbench.lab.runner import stores
from workbench.lab.runner.request import Reproduction
from workbench.lab.runner.variants import Variant
from workbench.study.beforehand import SEARCH, Unit, digest, fill, units
from workbench.study.store import Store
from workbench.study.sweeps import Resources, lending, noting

Say = Callable[[str], None]


def computed(chosen: Sequence[Variant], request: Reproduction, say: Say) -> None:
    """Compute everything that is declared into the stores in which the notebooks find it."""
    for group in [list(chosen)] if request.store else [[variant] for variant in chosen]:
        found = _units(group, request, say)
        if not request.store:
            stores.prepare(group[0].home)
        with Store(stores.places(group, request.store)[0]) as store:
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
    noted = [one for variant in chosen for one in _noted(variant, request.profile, request.limit)]
    found = units(noted)
    searches = sum(unit.block == SEARCH for unit in found)
    say(f"read ahead: {len(found) - searches} blocks and {searches} searches")
    for one in noted:
        if isinstance(one, Unread):
            say(f"cannot be read ahead: {one.name} ({one.why}); what else it runs, runs with the notebook")
    return found


def _noted(variant: Variant, profile: str, limit: float) -> list[object]:
    """Return every sweep and search that a notebook asks for, and where it could not be read ahead."""
    found: list[object] = []
    cells = canonical_json.read(variant.notebook)["cells"]
    with _aside() as folder, lending(Resources(limit=limit)), noting(found):
        space: dict[str, Any] = {"__name__": "__main__"}
        for number, cell in enumerate(cells):
            if cell["cell_type"] != "code":
                continue
            try:
                exec(compile("".join(cell["source"]), f"cell {number}", "exec"), space)
            except Exception as error:
                found.append(Unread(f"{variant.name}, cell {number}", f"{type(error).__name__}: {error}"))
            if "parameters" in cell["metadata"].get("tags", ()):
                space |= {**variant.moved, "profile": profile, "out": folder, "recompute": True}
    return found


@contextmanager
def _aside() -> Iterator[str]:
    """Yield a folder of its own, to which what runs in it may write, and let it print nothing."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder, open(os.devnull, "w") as nowhere:
        os.chdir(folder)
        try:
            with redirect_stdout(nowhere), redirect_stderr(nowhere):
                yield folder
        finally:
            os.chdir(here)
