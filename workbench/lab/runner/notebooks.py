"""Run notebooks headlessly: at which parameters, in a process each, with a store to resume from, never twice.

Outputs at the parameters that a notebook starts with lie in the notebook's folder; those at others in a
folder of their own within it, named by what is moved. A parameter that is given its start is not moved.
"""

import hashlib
import itertools
import json
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import workbench
from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.errors import ArgumentError, integer_at_least, nearest, real
from workbench.lab.project import chapter
from workbench.lab.publish.committed import REQUIRED, parameters
from workbench.lab.runner.report import outputs
from workbench.lab.runner.run_notebook import EXECUTED
from workbench.study.grids import KERNELS, SOFTWARE
from workbench.study.parameters import Declared, brief
from workbench.study.sweeps import LENT, NONE, DamagedError, Store, require_intact

OWN = {  # parameters the runner sets
    "profile": "the option --profile instead of a parameter",
    "out": "the option --out instead of a parameter",
    "recompute": "nothing: all is recomputed",
}
Grid = Mapping[str, Sequence[object]]


@dataclass(frozen=True)
class Variant:
    """A notebook and the parameters it runs with."""

    notebook: Path  # its file
    home: Path  # the folder of its outputs at the start, and the one that owns its store
    # where its parameters start, in the order declared; without those that the runner sets
    start: Mapping[str, object] = field(default_factory=dict)
    # its parameters that are elsewhere, in the same order
    moved: Mapping[str, object] = field(default_factory=dict)
    figure: str = ""  # the one that is drawn; all of them if empty

    @property
    def folder(self) -> str:
        moved = ",".join(f"{name}={typed(value)}" for name, value in self.moved.items())
        return "/".join(filter(None, (self.figure, moved)))

    @property
    def name(self) -> str:
        return f"{self.notebook.stem}/{self.folder}" if self.folder else self.notebook.stem

    @property
    def out(self) -> Path:
        return self.home / self.folder


def typed(value: object) -> str:
    """Return a value as one would type it, a number with all its digits; safe in the name of a folder.

    >>> typed(1e-9), typed(0.5), typed(0.12345678), typed("../a,b")
    ('1e-9', '0.5', '0.12345678', '..%2Fa%2Cb')
    """
    if not real(value):
        return quote(str(value), safe=" ")
    short = brief(value)
    return short if float(short) == value else repr(value)


def variants(
    notebooks: Iterable[Path],
    out: Path,
    given: Mapping[str, object] | None = None,
    grid: Grid | None = None,
    figure: str = "",
) -> list[Variant]:
    """Return every notebook at every combination of the values of a grid, the last name moving fastest.

    Raises
    ------
    ArgumentError
        If a notebook lacks a parameter, or does not allow a value; before anything runs or is written.
    """
    grid, found = grid or {}, list[Variant]()
    for notebook in notebooks:
        declared, known = CHAPTERS.get(chapter(notebook.stem), {}), parameters(notebook)
        if missing := [name for name in REQUIRED if name not in known]:
            raise ArgumentError("notebook", notebook.stem, f"a parameters cell with {', '.join(missing)}")
        order = [*declared, *(name for name in known if name not in declared)]
        start = {name: known[name] for name in order if name in known and name not in OWN}
        for one in itertools.product(*grid.values()):
            asked = {**(given or {}), **dict(zip(grid, one, strict=True))}
            wanted = {name: _checked(notebook.stem, name, asked[name], start, declared) for name in asked}
            moved = {name: wanted[name] for name in start if name in wanted and wanted[name] != start[name]}
            found.append(Variant(notebook, out / notebook.stem, start, moved, figure))
    for name, count in Counter(one.name for one in found).items():
        if count > 1:
            raise ArgumentError("grid", name, "every combination of values once")
    return found


def _checked(stem: str, name: str, value: object, start: Mapping[str, object], declared: Declared) -> object:
    """Return a value as the notebook wants it, if it allows it: a count may be typed as 1e4."""
    if name in OWN:
        raise ArgumentError(name, value, OWN[name])
    if name not in start:
        near = " or ".join(nearest(name, start))
        meant = f"; did you mean {near}?" if near else ""
        raise ArgumentError(
            f"parameter {name}", value, f"a parameter of {stem}: {', '.join(sorted(start))}{meant}"
        )
    if isinstance(start[name], int) and isinstance(value, float) and value.is_integer():
        value = int(value)
    if name in declared:
        declared[name].require(name, value)
    elif isinstance(start[name], str) != isinstance(value, str):
        raise ArgumentError(f"parameter {name}", value, f"a value like the default {start[name]!r}")
    elif name == "seed":
        integer_at_least(0, seed=value)
    return value


# When a notebook need not run again: same notebook, software, kernels and parameters, outputs intact.


FOLDER = ".cache"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # one each unless the caller says so


def key(notebook: Path, parameters: Mapping[str, object]) -> str:
    """Return the digest of everything the notebook's numbers depend on, the limit on its work among it."""
    content = {
        "notebook": _digest(notebook),
        "package": _package(),
        "parameters": {name: repr(value) for name, value in parameters.items()},
        "versions": {name: version(name) for name in ("numpy", "scipy", "matplotlib")},
        "python": platform.python_version(),
        "kernels": KERNELS,
        "threads": {name: os.environ.get(name, "1") for name in THREADS},
    }
    return hashlib.sha256(canonical_json.dumps(content).encode()).hexdigest()


def fresh(folder: Path, wanted: str) -> bool:
    """Return whether the folder's outputs are those of the key `wanted`, unchanged."""
    record = _record(folder)
    return record.is_file() and bool(canonical_json.read(record) == _made(folder, wanted))


def forget(folder: Path) -> None:
    """Drop what is noted about a folder."""
    _record(folder).unlink(missing_ok=True)


def _made(folder: Path, wanted: str) -> dict[str, Any]:
    return {"key": wanted, "outputs": {path.name: _digest(path) for path in outputs(folder)}}


def _record(folder: Path) -> Path:
    return folder.parent / FOLDER / f"{folder.name}.json"


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _package() -> dict[str, str]:
    root = Path(workbench.__file__).parent
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): _digest(path) for path in files}


# Where the finished blocks of a notebook's sweeps are kept: in a store beside its record.
#
# A store outlives its run and serves all variants of the notebook, so that the next run goes on from there:
# after a kill or a timeout, under a larger profile or at other parameters. It serves only blocks of the very
# same software, trials and seed (`study.sweeps`), and has the software in its name.


def place(home: Path) -> Path:
    """Return the path of the store of the notebook whose folder is `home`."""
    return home.parent / FOLDER / home.name / f"{SOFTWARE[:16]}.sqlite"


def prepare(path: Path) -> str:
    """Set a store that is proved to be damaged aside, under another name, and say so."""
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


def held(path: Path) -> tuple[int, float]:
    """Return how many blocks are in a store, beside whoever writes, and the core-seconds they have cost.

    There are none where that cannot be read just now.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=0.1)) as connection:
            count, seconds = connection.execute("SELECT COUNT(*), TOTAL(seconds) FROM cells").fetchone()
            return int(count), float(seconds)
    except sqlite3.Error:
        return 0, 0.0


# A run: one process for each notebook, which ends with its parent (`run_notebook`).


TIMEOUT = {"quick": 900.0, "full": 4 * 3600.0}  # seconds a notebook may take
GRACE = 10.0  # seconds to end its kernel in
PAUSE = 30.0  # seconds between two lines about what runs
LATE, INTERRUPTED = "timeout", "interrupted"  # why a notebook was stopped
NOISE = (
    "Kernel is running over TCP",
    "Debugger warning",
    "frozen modules",
    "Input Notebook:",
    "Output Notebook:",
)


@dataclass(frozen=True)
class Outcome:
    """What became of a variant: ok, cached, verdict (not as expected), error, timeout or interrupted."""

    notebook: str
    status: str
    reason: str = ""
    seconds: float = 0.0
    core_seconds: float = 0.0
    remark: str = ""

    @property
    def good(self) -> bool:
        """Whether its figures and verdicts can be used."""
        return self.status in ("ok", "cached")


@dataclass
class Batch:
    """Variants that run with the same settings."""

    # how thoroughly; how much work sweeps may take away from their usual points (`study.sweeps.Resources`)
    profile: str = "quick"
    limit: float = NONE.limit
    # processes that compute at a time: so many notebooks, or fewer whose sweeps use several
    jobs: int | None = None
    # the address of a dask cluster that computes their sweeps and searches instead
    scheduler: str | None = None
    timeout: float | None = None  # for each variant, in seconds
    store: Path | None = None  # one file for the blocks of all, in place of those beside the outputs
    # what becomes of each, and every `PAUSE` seconds how many blocks there are of those that run
    say: Callable[[str], None] = lambda _: None
    running: dict[str, tuple[Path, float]] = field(default_factory=dict, init=False)
    stop: threading.Event = field(default_factory=threading.Event, init=False)
    share: int = field(default=1, init=False)

    def run(self, variants: Iterable[Variant]) -> list[Outcome]:
        """Run all and say what becomes of each, unless the run is interrupted.

        The variants of one notebook run one after another, so that each finds the blocks that it shares with
        others.
        """
        chains = [list(chain) for _, chain in itertools.groupby(variants, key=lambda variant: variant.home)]
        jobs = self.jobs or min(2, os.cpu_count() or 1)
        self.share = max(1, jobs // max(1, len(chains)))
        threading.Thread(target=self._tell, daemon=True).start()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                futures = [pool.submit(self._chain, chain) for chain in chains]
                return [outcome for future in futures for outcome in future.result()]
            finally:  # an interrupt, too, ends what is running
                self.stop.set()
                pool.shutdown(wait=False, cancel_futures=True)

    @property
    def allowed(self) -> float:
        return self.timeout or TIMEOUT[self.profile]

    def key(self, variant: Variant) -> str:
        """Return the digest of all that the outputs of a variant depend on."""
        how = {"profile": self.profile, "limit": self.limit, "figure": variant.figure}
        return key(variant.notebook, {**variant.moved, **how})

    def stores(self, variants: Iterable[Variant]) -> list[Path]:
        """Return the stores of variants: the one that is given, or those of their notebooks."""
        homes = dict.fromkeys(variant.home for variant in variants)
        return [self.store] if self.store else [place(home) for home in homes]

    def held(self, variants: Iterable[Variant]) -> tuple[int, float]:
        """Return the blocks that a run finds in the stores of what it has to do, and what they have cost."""
        todo = [one for one in variants if not fresh(one.out, self.key(one))]
        counts, seconds = zip((0, 0.0), *map(held, self.stores(todo)), strict=True)
        return sum(counts), sum(seconds)

    def _tell(self) -> None:
        while not self.stop.wait(PAUSE):
            now = time.monotonic()
            lines = [
                f"{name}: {held(at)[0]} blocks, {now - began:.0f} s"
                for name, (at, began) in [*self.running.items()]
            ]
            with suppress(OSError):  # the terminal may be gone
                self.say(f"  {'; '.join(lines)}")

    def _chain(self, chain: Iterable[Variant]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for variant in chain:
            try:
                found = self._one(variant)
            except (ArgumentError, OSError) as error:  # a full disk, a store that is locked end it alone
                found = Outcome(variant.name, "error", " ".join(str(error).split()))
            outcomes.append(found)
            if found.status == INTERRUPTED:
                break
            remark = f" ({found.remark})" if found.remark else ""
            self.say(f"  {found.notebook}: {found.status} in {found.seconds:.0f} s{remark}")
        return outcomes

    def _one(self, variant: Variant) -> Outcome:
        wanted, out = self.key(variant), variant.out
        if fresh(out, wanted):
            return Outcome(variant.name, "cached")
        forget(out)
        out.mkdir(parents=True, exist_ok=True)
        for path in [*outputs(out), out / EXECUTED]:  # nothing else: the folder may be anybody's
            path.unlink(missing_ok=True)
        remark = "" if self.store else prepare(place(variant.home))
        outcome = replace(self._launched(variant), remark=remark)
        if outcome.good:
            _record(out).parent.mkdir(parents=True, exist_ok=True)
            canonical_json.write(_record(out), _made(out, wanted))
        return outcome

    def _launched(self, variant: Variant) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="workbench-") as scratch:
            job, result, log = (Path(scratch) / name for name in ("job.json", "result.json", "log.txt"))
            out, began = str(variant.out.resolve()), time.monotonic()
            content = {"notebook": str(variant.notebook), "out": out, "result": str(result)}
            content["figure"] = variant.figure
            given = {**variant.moved, "profile": self.profile, "out": out, "recompute": True}
            canonical_json.write(job, content | {"parameters": given})
            store = (self.store or place(variant.home)).resolve()
            self.running[variant.name] = store, began
            try:
                stopped = self._stopped(job, log, store)
            finally:
                del self.running[variant.name]
            if stopped:
                reason = f"stopped after {self.allowed:g} s" if stopped == LATE else ""
                return Outcome(variant.name, stopped, reason, time.monotonic() - began)
            if not result.is_file():
                return Outcome(variant.name, "error", _last_line(log))
            return replace(Outcome(variant.name, "error"), **canonical_json.read(result))

    def _stopped(self, job: Path, log: Path, store: Path) -> str:
        command = [sys.executable, "-m", "workbench.lab.runner.run_notebook", str(job)]
        lent = {"store": str(store), "jobs": self.share, "limit": self.limit, "scheduler": self.scheduler}
        safe = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "PYTHONSAFEPATH": "1"}  # none of the working folder
        env = {**safe, **dict.fromkeys(THREADS, "1"), **os.environ, LENT: json.dumps(lent)}
        deadline = time.monotonic() + self.allowed
        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
        with log.open("wb") as sink:
            process = subprocess.Popen(command, stdout=sink, start_new_session=True, env=env, **quiet)
            try:
                while process.poll() is None:
                    if self.stop.wait(0.05):
                        return INTERRUPTED
                    if time.monotonic() >= deadline:
                        return LATE
                return ""
            finally:
                _end(process)


def _end(process: "subprocess.Popen[Any]") -> None:
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    kept = [line for line in lines if not any(noise in line for noise in NOISE)]
    return kept[-1] if kept else "ended without a result"
