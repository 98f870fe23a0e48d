"""What all rows of a store must share to be parts of one run; stores of other runs are refused."""

import json
from collections.abc import Mapping

from workbench.errors import ArgumentError
from workbench.study.sweeps.database import Database
from workbench.study.sweeps.fingerprint import SOFTWARE
from workbench.study.sweeps.rounding import KERNELS

READ, WRITE = "SELECT field, value FROM origin", "INSERT OR REPLACE INTO origin VALUES (?, ?)"
Origin = Mapping[str, str]


def origin(**parameters: object) -> dict[str, str]:
    """Return the origin of rows that are computed here: kernels, software, and the run's own parameters.

    The kernels come first: other ones are other software, too, and say more of what to do.
    """
    fixed = {"kernels": " ".join(KERNELS), "code version": SOFTWARE[:16]}
    return fixed | {name: json.dumps(value, sort_keys=True) for name, value in parameters.items()}


def read(store: Database) -> dict[str, str]:
    """Return the origin of a store; nothing for one that is not of a run that was divided."""
    return dict(store.fetch(READ, ()))


def require(store: Database, wanted: Origin, whose: str) -> None:
    """Raise unless a store is of the origin that is wanted, or of none yet."""
    found = read(store)
    for field, value in wanted.items():
        if found and found.get(field) != value:
            raise ArgumentError("store", str(store.path), f"{field} {value} {whose}, not {found.get(field)}")


def write(store: Database, origin: Origin) -> None:
    """Note the origin of a store."""
    store.add(WRITE, list(origin.items()))
