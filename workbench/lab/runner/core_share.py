"""What the runner lends a notebook: a store to resume from, its share of the cores, how much work it may do.

The lease is a small file, named to the notebook's process by an environment variable and read by its session
before every figure and every claim, because the share grows when other notebooks end. Without a runner there
is no lease: sweeps keep nothing and use one process.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from workbench.charts import canonical_json
from workbench.study.sweeps import NONE, Resources, lending, resources

VARIABLE = "WORKBENCH_LEASE"


class Cores:
    """The cores of a run, divided among the notebooks that have not ended.

    The share never shrinks, so that processes begun under an earlier share are never too many.

    Parameters
    ----------
    cores : int
        Processes that compute at a time, over all notebooks.
    notebooks : int
        How many there are to run.
    limit : float
        The work of a sweep at other points than the usual ones, as a multiple of what it takes at these.
    """

    def __init__(self, cores: int, notebooks: int, limit: float = NONE.limit) -> None:
        self.cores, self.waiting, self.limit = cores, notebooks, limit
        self._leases: dict[Path, Path] = {}
        self._lock = Lock()

    @property
    def share(self) -> int:
        """How many processes every notebook may use at present."""
        return max(1, self.cores // max(1, self.waiting))

    @contextmanager
    def lease(self, path: Path, store: Path) -> Iterator[dict[str, str]]:
        """Keep the lease at `path` up to date, and yield the environment that names it."""
        with self._lock:
            self._leases[path] = store
            self._write(path)
        try:
            yield {VARIABLE: str(path)}
        finally:
            with self._lock:
                del self._leases[path]

    def ended(self) -> None:
        """Divide the share of a notebook that has ended among the others."""
        with self._lock:
            self.waiting -= 1
            for path in self._leases:
                self._write(path)

    def _write(self, path: Path) -> None:
        lent = {"store": str(self._leases[path]), "jobs": self.share, "limit": self.limit}
        canonical_json.write(path, lent)


@contextmanager
def leased() -> Iterator[None]:
    """Let sweeps use what the runner lends at this moment."""
    path = os.environ.get(VARIABLE)
    lent = Resources(**canonical_json.read(Path(path))) if path else resources()
    with lending(lent):
        yield
