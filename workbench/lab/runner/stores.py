"""Where the runner keeps the finished blocks of a notebook's sweeps: in a store beside its record.

A store outlives its run and serves all variants of the notebook, so that the next run goes on from there:
after a kill or a timeout, under a larger profile or at other parameters. It serves only blocks of the very
same software, trials and seed (`study.store`), and has the software in its name.
"""

import itertools
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from workbench.lab.runner.cache import FOLDER
from workbench.lab.runner.variants import Variant
from workbench.study.grids import SOFTWARE
from workbench.study.store import DamagedError, Store, require_intact, spent


def place(out: Path) -> Path:
    """Return the path of the store of the notebook whose folder is `out`."""
    return out.parent / FOLDER / out.name / f"{SOFTWARE[:16]}.sqlite"


def prepare(out: Path) -> str:
    """Set a store that is proved to be damaged aside, under another name, and say so."""
    path = place(out)
    try:
        with Store(path) as store:
            require_intact(store)
    except DamagedError:
        names = (path.with_name(f"{path.name}.damaged-{number}") for number in itertools.count(1))
        aside = next(name for name in names if not name.exists())
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                path.with_name(path.name + suffix).rename(f"{aside}{suffix}")
        return f"its store was damaged: begun again; it is kept as {aside.name}"
    return ""


def places(variants: Iterable[Variant], given: Path | None) -> list[Path]:
    """Return the stores of variants: the one that is given, or those of their notebooks."""
    return [given] if given else [place(home) for home in dict.fromkeys(one.home for one in variants)]


def held(path: Path) -> tuple[int, float]:
    """Return how many blocks a run would find in a store, and the core-seconds they have cost."""
    if not path.is_file():
        return 0, 0.0
    try:
        with Store(path) as store:
            return spent(store)
    except DamagedError:
        return 0, 0.0


def count(path: Path) -> int:
    """Return how many blocks a run that goes on has stored so far; 0 where that cannot be read just now."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=0.1)) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM cells").fetchone()[0])
    except sqlite3.Error:
        return 0
