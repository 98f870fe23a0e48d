"""How far the notebooks of a run are: blocks in their stores, of so many, and the time since they began.

It only looks: whatever goes wrong with it, a run and its results are the same.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread

from workbench.lab.runner import stores
from workbench.lab.runner.console import Console

LIVE, DULL = 1.0, 30.0  # seconds between two looks on a terminal, and between two lines anywhere else


class Progress:
    """What runs at present.

    Parameters
    ----------
    blocks : mapping of str to int
        Name of a variant -> the blocks it ends with, about; none where that is not known.
    store : path, optional
        The one of all variants, if they share one.
    """

    def __init__(self, blocks: Mapping[str, int], store: Path | None = None) -> None:
        self.blocks, self.store = blocks, store
        self._running: dict[tuple[str, Path], float] = {}
        self._lock = Lock()

    @contextmanager
    def of(self, home: Path, name: str = "") -> Iterator[None]:
        """Count a notebook with the store of `home` among those that run, by its name or that of `home`."""
        one = name or home.name, home
        with self._lock:
            self._running[one] = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                del self._running[one]

    def line(self) -> str:
        """Return one line about all that runs; nothing if nothing does."""
        with self._lock:
            running = dict(self._running)
        return "; ".join(self._one(*one, time.monotonic() - began) for one, began in running.items())

    def _one(self, name: str, home: Path, seconds: float) -> str:
        done, most = stores.count(self.store or stores.place(home)), self.blocks.get(name, 0)
        of = f" of {most}" if 0 < most >= done else ""  # the store may hold those of other parameters, too
        return f"{name}: {done}{of} blocks, {seconds:.0f} s"


@contextmanager
def shown(progress: Progress, console: Console) -> Iterator[None]:
    """Show progress on a console every `LIVE` seconds on a terminal, every `DULL` seconds anywhere else."""
    over, pause = Event(), LIVE if console.live else DULL
    ticker = Thread(target=_tick, args=(progress, console, over, pause), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        over.set()
        ticker.join()
        with suppress(OSError):  # the terminal may be gone
            console.below("")


def _tick(progress: Progress, console: Console, over: Event, pause: float) -> None:
    with suppress(Exception):
        while not over.wait(pause):
            line = progress.line()
            if console.live:
                console.below(line and f"  {line}")
            elif line:
                console.say(f"  {line}")
