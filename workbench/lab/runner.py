"""`workbench reproduce`: run notebooks headlessly, and compare them with what is committed, or predicted.

Each runs in a process of its own (`aside`), with a store from which a run goes on. Outputs at the parameters
that a notebook starts with lie in the notebook's folder; those at others in a folder of their own within it,
named by what is moved. A parameter that is given its start is not moved.
"""

import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn
from urllib.parse import quote

from workbench.chapters.parameters import CHAPTERS
from workbench.charts import canonical_json
from workbench.charts.curves import Agreement
from workbench.errors import ArgumentError, integer_at_least, one_of, one_of_words, positive, real
from workbench.lab import sizes, tables
from workbench.lab.aside import EXECUTED
from workbench.lab.claims import counted, full_verdicts, tally
from workbench.lab.explore import FOLDER as MOVING
from workbench.lab.figures import PROFILES, compare, differences, figures, outputs, verdicts
from workbench.lab.project import REQUIRED, Project, chapter, find, nbformat, parameters, shown
from workbench.study.parameters import Declared, brief
from workbench.study.profiles import cluster
from workbench.study.store import SOFTWARE, DamagedError, Store, digest, require_intact
from workbench.study.sweeps import LENT, NONE

OWN = {  # parameters the runner sets
    "profile": "the option --profile instead of a parameter",
    "out": "the option --out instead of a parameter",
    "recompute": "nothing: all is recomputed",
}


@dataclass(frozen=True)
class Variant:
    notebook: Path  # its file
    home: Path  # the folder of its outputs at the start, and the one that owns its store
    moved: Mapping[str, object]  # its parameters that are not where they start, in the order declared
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
    notebook: Path,
    out: Path,
    given: Mapping[str, object] | None = None,
    grid: Mapping[str, Sequence[object]] | None = None,
    figure: str = "",
) -> list[Variant]:
    """Return a notebook at every combination of the values of a grid, the last name moving fastest."""
    grid, found = grid or {}, list[Variant]()
    declared, known = CHAPTERS.get(chapter(notebook.stem), {}), parameters(notebook)
    if missing := [name for name in REQUIRED if name not in known]:
        raise ArgumentError("notebook", notebook.stem, f"a parameters cell with {', '.join(missing)}")
    start = {name: known[name] for name in {**declared, **known} if name in known and name not in OWN}
    for one in itertools.product(*grid.values()):
        asked = {**(given or {}), **dict(zip(grid, one, strict=True))}
        wanted = {name: _checked(notebook.stem, name, asked[name], start, declared) for name in asked}
        moved = {name: wanted[name] for name in start if name in wanted and wanted[name] != start[name]}
        found.append(Variant(notebook, out / notebook.stem, moved, figure))
        if found.count(found[-1]) > 1:
            raise ArgumentError("grid", found[-1].name, "every combination of values once")
    return found


def _checked(stem: str, name: str, value: object, start: Mapping[str, object], declared: Declared) -> object:
    """Return a value as the notebook wants it, if it allows it: a count may be typed as 1e4."""
    if name in OWN:
        raise ArgumentError(name, value, OWN[name])
    if name not in start:
        known = one_of_words(name, sorted(start))
        raise ArgumentError(f"parameter {name}", value, f"a parameter of {stem}: {known}")
    if isinstance(start[name], int) and isinstance(value, float) and value.is_integer():
        value = int(value)
    if name in declared:
        declared[name].require(name, value)
    elif isinstance(start[name], str) != isinstance(value, str):
        raise ArgumentError(f"parameter {name}", value, f"a value like the default {start[name]!r}")
    elif name == "seed":
        integer_at_least(0, seed=value)
    return value


# Where the finished blocks of a notebook's sweeps are kept: in a store beside its folder
#
# A store outlives its run and serves all variants of the notebook, so that the next run goes on from there:
# after a kill or a timeout, under a larger profile or at other parameters. It serves only blocks of the very
# same software, trials and seed (`study.sweeps`), and has the software in its name.


def place(home: Path) -> Path:
    return home.parent / ".cache" / home.name / f"{SOFTWARE[:16]}.sqlite"


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


# A run: one process for each notebook, which ends with its parent


TIMEOUT = {"quick": 900.0, "full": 4 * 3600.0}  # seconds a notebook may take
GRACE = 10.0  # seconds to end its kernel in
PAUSE = 30.0  # seconds between two lines about what runs
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # one each unless the caller says so
NOISE = (
    "Kernel is running over TCP",
    "Debugger warning",
    "frozen modules",
    "Input Notebook:",
    "Output Notebook:",
)


@dataclass(frozen=True)
class Outcome:
    """What became of a variant: ok, verdict (not as expected), error, timeout or interrupted."""

    status: str
    reason: str = ""
    seconds: float = 0.0
    core_seconds: float = 0.0
    remark: str = ""

    @property
    def good(self) -> bool:
        return self.status == "ok"


@dataclass
class Batch:
    # how thoroughly; how much work sweeps may take away from their usual points (`study.sweeps.Resources`)
    profile: str = "quick"
    limit: float = NONE.limit
    # processes that compute at a time: so many notebooks, or fewer whose sweeps use several
    jobs: int | None = None
    # the address of a dask cluster that computes their sweeps and searches instead
    scheduler: str | None = None
    timeout: float | None = None  # for each variant, in seconds
    stop: threading.Event = field(default_factory=threading.Event, init=False)

    def __post_init__(self) -> None:
        one_of(PROFILES, profile=self.profile)
        if self.jobs is not None:
            integer_at_least(1, jobs=self.jobs)
        if self.timeout is not None:
            positive(timeout=self.timeout)
        if not (real(self.limit) and self.limit >= 1):
            raise ArgumentError("limit", self.limit, "a finite number, 1 or more, where 1 is the usual work")

    def run(self, variants: Iterable[Variant]) -> list[Outcome]:
        """Run all and say what becomes of each, unless the run is interrupted.

        The variants of one notebook run one after another, so that each finds the blocks that it shares with
        others.
        """
        chains = [list(chain) for _, chain in itertools.groupby(variants, key=lambda variant: variant.home)]
        jobs = self.jobs or min(2, os.cpu_count() or 1)
        share = max(1, jobs // max(1, len(chains)))
        with ThreadPoolExecutor(jobs) as pool:
            try:
                futures = [pool.submit(self._chain, chain, share) for chain in chains]
                return [outcome for future in futures for outcome in future.result()]
            finally:  # an interrupt, too, ends what is running
                self.stop.set()
                pool.shutdown(wait=False, cancel_futures=True)

    def _chain(self, chain: Iterable[Variant], share: int) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for variant in chain:
            try:
                variant.out.mkdir(parents=True, exist_ok=True)
                for path in [*outputs(variant.out), variant.out / EXECUTED]:  # the folder may be anybody's
                    path.unlink(missing_ok=True)
                remark = prepare(place(variant.home))
                found = replace(self.launched(variant, share), remark=remark)
            except (ArgumentError, OSError) as error:  # a full disk, a store that is locked end it alone
                found = Outcome("error", " ".join(str(error).split()))
            outcomes.append(found)
            if found.status == "interrupted":
                break
            remark = f" ({found.remark})" if found.remark else ""
            tables.say(f"  {variant.name}: {found.status} in {found.seconds:.0f} s{remark}")
        return outcomes

    def launched(self, variant: Variant, share: int) -> Outcome:
        """Run a variant in a process whose sweeps share so many; end it when it is late or all is stopped.

        Every `PAUSE` seconds it is said how many blocks there are.
        """
        out, store = str(variant.out.resolve()), place(variant.home).resolve()
        given = {**variant.moved, "profile": self.profile, "out": out, "recompute": True}
        job = {"notebook": str(variant.notebook), "figure": variant.figure, "parameters": given}
        lent = {"store": str(store), "jobs": share, "limit": self.limit, "scheduler": self.scheduler}
        safe = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "PYTHONSAFEPATH": "1"}  # none of the working folder
        env = {**safe, **dict.fromkeys(THREADS, "1"), **os.environ, LENT: json.dumps(lent)}
        allowed, ended = self.timeout or TIMEOUT[self.profile], ""
        began = said = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as log:
            line = [sys.executable, "-m", "workbench.lab.aside", json.dumps(job)]
            process = subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=env
            )
            try:
                while not ended and process.poll() is None:
                    if self.stop.wait(0.05):
                        ended = "interrupted"
                    elif (now := time.monotonic()) >= began + allowed:
                        ended = "timeout"
                    elif now >= said + PAUSE:
                        said = now
                        with suppress(OSError):  # the terminal may be gone
                            tables.say(f"  {variant.name}: {held(store)[0]} blocks, {now - began:.0f} s")
            finally:
                _end(process)
            log.seek(0)
            lines = [line.strip() for line in log if line.strip() and not any(map(line.count, NOISE))]
        if ended:
            reason = f"stopped after {allowed:g} s" if ended == "timeout" else ""
            return Outcome(ended, reason, time.monotonic() - began)
        results = [line for line in lines if line.startswith('{"status": ')]
        if results:
            return Outcome(**json.loads(results[-1]))
        return Outcome("error", lines[-1] if lines else "ended without a result")


def _end(process: "subprocess.Popen[Any]") -> None:
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


# The command


ADVICE = """
Each line is more than another processor's rounding explains: all of them matter. That happens by chance once
in 1000 runs (workbench/lab/figures.py). After a change of the code, look at what it changed, then:
  workbench reproduce {} --profile full --update
Without one, try another BLAS kernel (OPENBLAS_CORETYPE=Haswell) and report both lists with your versions."""


def reproduce(options: Namespace) -> int:
    """Run, compare or update, and report, as `workbench reproduce --help` says.

    Return 0 if everything is as committed (or was updated), and elsewhere as predicted; 1 if not; 130 if it
    was interrupted by Ctrl-C, or 128 more than the signal that asked it to end.
    """
    batch = Batch(options.profile, options.limit, options.jobs, options.scheduler, options.timeout)
    if options.scheduler is not None:
        with cluster(options.scheduler):  # refused before the first notebook starts
            pass
    given, grid, update = dict(options.parameter), dict[str, Sequence[object]](), options.update
    for name, values in options.grid:
        if name in given:
            raise ArgumentError(f"grid {name}", values, f"no other value of {name} beside it")
        if name in grid:
            raise ArgumentError(f"grid {name}", values, f"all values of {name} in one --grid")
        grid[name] = values
    if update and (batch.profile != "full" or given or grid):
        wrong = "changed parameters" if given or grid else f"profile {batch.profile}"
        raise ArgumentError("update", wrong, "--profile full and the notebooks' own parameters")
    project = find(explicit=options.project)
    project = project.own() if update else project
    out = (options.out or project.reproduced).resolve()
    asked = dict.fromkeys(_asked(project, name) for name in options.notebook)
    asked = asked or dict.fromkeys((notebook, "") for notebook in project.select(()))
    chosen = [one for notebook, figure in asked for one in variants(notebook, out, given, grid, figure)]
    if update and any(one.figure for one in chosen):
        raise ArgumentError("update", "one figure", "whole notebooks")
    project.keep_apart(out)
    out.mkdir(parents=True, exist_ok=True)
    stores = {place(one.home) for one in chosen}
    with interruptible():
        try:
            count = len({one.notebook for one in chosen})
            runs = f" at {len(chosen) // count} settings" if grid else ""
            tables.say(f"{count} notebook{'s'[: count > 1]}{runs}, {batch.profile} profile, into {out}")
            blocks, saved = map(sum, zip(*map(held, stores), strict=True))
            if blocks:
                tables.say(f"{blocks} blocks of earlier runs may save {saved:.0f} core-seconds")
            return _told(project.figures, [*zip(chosen, batch.run(chosen), strict=True)], update)
        except Interrupted as ended:
            with suppress(OSError):  # the terminal may be gone
                print(end="\r" if sys.stdout.isatty() else "")  # over the keys that were pressed
                kept = sum(held(one)[0] for one in stores)
                tables.say(f"interrupted: {kept} blocks kept, run again to go on")
            return ended.exit_code


def _asked(project: Project, name: str) -> tuple[Path, str]:
    before, _, figure = name.rpartition("/")
    with suppress(ArgumentError):
        return project.select([name])[0], ""
    (notebook,) = project.select([before or name])
    cells = nbformat().read(notebook, as_version=4).cells
    one_of([one for cell in cells if cell.cell_type == "code" for one in shown(cell.source)], figure=figure)
    return notebook, figure


def _told(committed: Path, outcomes: Sequence[tuple[Variant, Outcome]], update: bool) -> int:
    full, rows = full_verdicts(committed), list[list[str]]()
    failed, told, changed = list[str](), list[str](), dict[str, None]()
    for variant, outcome in outcomes:
        remarks = list[str]()
        faults = [] if outcome.good else [outcome.reason]
        if outcome.good and update:
            _commit(variant.out, committed / variant.name)
        elif outcome.good and not variant.moved:
            faults = _differences(variant, committed / variant.notebook.stem)
            changed |= {variant.notebook.stem: None} if any(", committed " in line for line in faults) else {}
        elif outcome.good:
            for path in figures(variant.out):
                made = canonical_json.read(path)
                judged = Agreement(**made.get("agreement", {"points": 0}))
                if judged.points:
                    (remarks if judged else faults).append(f"{path.stem}: {judged}")
                remarks += [f"{path.stem}: {made['refused']}"] if "refused" in made else []
        profile, decided = verdicts(variant.out)
        status = "differs" if outcome.good and faults else outcome.status
        times = (f"{seconds:.0f}" for seconds in (outcome.seconds, outcome.core_seconds))
        claims = counted(decided, full) if profile == "quick" else tally(one["status"] for one in decided)
        rows.append([variant.name, status, *times, str(len(figures(variant.out))), claims])
        failed += [f"FAILED {variant.name}: {line}" for line in faults]
        told += [f"{variant.name} {line}" for line in remarks]
    if update and committed.is_dir():
        sizes.write(committed)
    tables.say("\n" + tables.text(("notebook", "status", "seconds", "core-s", "figures", "claims"), rows))
    for line in [*failed, *([ADVICE.format(" ".join(changed))] if changed else []), *told]:
        tables.say(line)
    paths = {place(variant.home): None for variant, _ in outcomes if place(variant.home).is_file()}
    with ExitStack() as stack:
        if paths:
            kept, sha = digest([stack.enter_context(Store(path)) for path in paths])
            tables.say(f"in the stores: {kept} blocks of rows, sha256 {sha}")
    tables.say(f"used {sum(outcome.core_seconds for _, outcome in outcomes):.0f} core-seconds")
    return 1 if failed else 0


def _differences(variant: Variant, kept: Path) -> list[str]:
    if not outputs(kept):
        command = f"workbench reproduce {variant.name} --profile full --update"
        return [f"no committed figures; make them with: {command}"]
    if not variant.figure:
        return compare(variant.out, kept)
    name = f"{variant.figure}.json"
    made, known = (canonical_json.read(one / name) for one in (variant.out, kept))
    return [f"{name}: {line}" for line in differences(made, known, name)]


def _commit(made: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in filter(Path.is_file, target.iterdir()):
        path.unlink()
    for path in outputs(made):
        shutil.copyfile(path, target / path.name)
    if (made / MOVING).is_dir():  # the grids of a full run
        shutil.copytree(made / MOVING, target / MOVING, dirs_exist_ok=True)


# How a run is asked to end: Ctrl-C, `kill`, a terminal that is closed; all of them end it alike


class Interrupted(KeyboardInterrupt):
    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.exit_code = 128 + number  # as a shell says it: 130 after Ctrl-C, 143 after `kill`


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first such signal raise `Interrupted`; what then cleans up is not disturbed by another one.

    What the process was told to ignore stays so: Ctrl-C in the background, the end of a terminal under
    `nohup`.
    """
    known = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
    heard = [one for one in known if signal.getsignal(one) is not signal.SIG_IGN]

    def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
        for one in heard:
            signal.signal(one, lambda *_: None)
        raise Interrupted(number)

    before = {one: signal.signal(one, interrupt) for one in heard}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
