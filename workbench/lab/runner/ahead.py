"""Reading a notebook ahead: its cells run here, without a kernel, and note what they would compute.

What was noted is kept beside the outputs, for the shards that follow in the same folder.
"""

import os
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from joblib.externals.loky.backend.reduction import dumps

from workbench.charts import canonical_json
from workbench.lab.live.noted import Unread
from workbench.lab.runner.cache import FOLDER, key
from workbench.lab.runner.variants import Variant
from workbench.study.sweeps.noting import noting
from workbench.study.sweeps.resources import Resources, lending


def declared(variant: Variant, profile: str, limit: float) -> list[object]:
    """Return every sweep and search that a notebook asks for, and where it could not be read ahead."""
    known = key(variant.notebook, {**variant.moved, "profile": profile, "limit": limit})
    place = variant.home.parent / FOLDER / f"{known}.ahead"
    if place.is_file():
        return list(pickle.loads(place.read_bytes()))
    found = _noted(variant, profile, limit)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as whole:
        whole.write(dumps(found))
    os.replace(whole.name, place)  # another shard may do the same just now
    return found


def _noted(variant: Variant, profile: str, limit: float) -> list[object]:
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
                space |= {**variant.moved, "profile": profile, "out": folder}
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
