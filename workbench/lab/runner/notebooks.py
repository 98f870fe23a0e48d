"""Run notebooks headlessly: one process each, names checked first, cached, never an orphan."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from workbench.charts import canonical_json
from workbench.errors import ArgumentError
from workbench.lab.live.parameters import chapter, require
from workbench.lab.publish.check import parameters
from workbench.lab.runner import cache, stores
from workbench.lab.runner.core_share import Cores
from workbench.lab.runner.progress import Progress
from workbench.lab.runner.run_notebook import EXECUTED

TIMEOUT = {"quick": 900.0, "full": 4 * 3600.0}  # seconds a notebook may take
GRACE = 10.0  # seconds to end its kernel in
LATE, INTERRUPTED = "timeout", "interrupted"  # why a notebook was stopped
OWN = {"profile": "--profile", "out": "--out"}  # parameters the runner sets
NOISE = (
    "Kernel is running over TCP",
    "Debugger warning",
    "frozen modules",
    "Input Notebook:",
    "Output Notebook:",
)


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook: ok, cached, verdict (not as expected), error, timeout or interrupted."""

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


def check_parameters(notebooks: Iterable[Path], given: Mapping[str, object]) -> None:
    """Raise unless every notebook has every given parameter, and allows a value of its kind."""
    for notebook in notebooks:
        known = parameters(notebook)
        _check_required(notebook, known)
        for name, value in given.items():
            _check_one(notebook, known, name, value)
        require(chapter(notebook.stem), given)


def _check_required(notebook: Path, known: Mapping[str, object]) -> None:
    missing = [name for name in ("profile", "seed", "out") if name not in known]
    if missing:
        raise ArgumentError("notebook", notebook.stem, f"a parameters cell with {', '.join(missing)}")


def _check_one(notebook: Path, known: Mapping[str, object], name: str, value: object) -> None:
    if name in OWN:
        raise ArgumentError(name, value, f"the option {OWN[name]} instead of a parameter")
    if name not in known:
        allowed = ", ".join(sorted(known.keys() - OWN.keys()))
        raise ArgumentError(f"parameter {name}", value, f"a parameter of {notebook.stem}: {allowed}")
    default = known[name]
    if isinstance(default, str) != isinstance(value, str):
        raise ArgumentError(f"parameter {name}", value, f"a value like the default {default!r}")


@dataclass(frozen=True)
class _Shared:
    """What all notebooks of a run share."""

    timeout: float
    stop: Event
    cores: Cores
    progress: Progress


def run(
    notebooks: Iterable[Path],
    out: Path,
    *,
    profile: str = "quick",
    given: Mapping[str, object] | None = None,
    jobs: int | None = None,
    timeout: float | None = None,
    report: Callable[[Outcome], None] = lambda _: None,
    progress: Progress | None = None,
) -> list[Outcome]:
    """Run notebooks into `out`/STEM and report each as it ends, unless the run is interrupted.

    At most `jobs` processes compute at a time: so many notebooks, or fewer whose sweeps use several.

    Raises
    ------
    ArgumentError
        If a parameter is misspelt, before anything runs or is written.
    """
    notebooks, given = list(notebooks), dict(given or {})
    check_parameters(notebooks, given)
    jobs = jobs or min(2, os.cpu_count() or 1)
    cores = Cores(jobs, len(notebooks))
    shared = _Shared(timeout or TIMEOUT[profile], Event(), cores, progress or Progress({}))

    def one(notebook: Path) -> Outcome:
        try:
            outcome = _run_one(notebook, out / notebook.stem, {**given, "profile": profile}, shared)
        finally:
            shared.cores.ended()
        if outcome.status != INTERRUPTED:
            report(outcome)
        return outcome

    with ThreadPoolExecutor(jobs) as pool:
        try:
            futures = [pool.submit(one, notebook) for notebook in notebooks]
            return [future.result() for future in futures]
        except BaseException:  # an interrupt, too, ends what is running
            shared.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def is_cached(notebook: Path, out: Path, profile: str, given: Mapping[str, object]) -> bool:
    """Return whether `run` would find the notebook's outputs in `out`/STEM as they would come out."""
    return cache.fresh(out / notebook.stem, cache.key(notebook, {**given, "profile": profile}))


def _run_one(notebook: Path, out: Path, given: dict[str, object], shared: _Shared) -> Outcome:
    wanted = cache.key(notebook, given)
    if cache.fresh(out, wanted):
        return Outcome(notebook.stem, "cached")
    cache.forget(out)
    _clear(out)
    remark = stores.prepare(out)
    outcome = replace(_launch(notebook, out, given, shared), remark=remark)
    if outcome.good:
        cache.remember(out, wanted)
    return outcome


def _clear(out: Path) -> None:
    """Remove what an earlier run left, and nothing else: the folder may be anybody's."""
    out.mkdir(parents=True, exist_ok=True)
    for path in [*cache.outputs(out), out / EXECUTED]:
        path.unlink(missing_ok=True)


def _launch(notebook: Path, out: Path, given: dict[str, object], shared: _Shared) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="workbench-") as scratch:
        job, result, log = (Path(scratch) / name for name in ("job.json", "result.json", "log.txt"))
        out = out.resolve()
        content = {"notebook": str(notebook), "out": str(out), "result": str(result)}
        canonical_json.write(job, content | {"parameters": {**given, "out": str(out)}})
        began = time.monotonic()
        lease = shared.cores.lease(Path(scratch) / "lease.json", stores.place(out))
        with lease as environment, shared.progress.of(out):
            stopped = _stopped(job, log, environment, shared)
        if stopped:
            reason = f"stopped after {shared.timeout:g} s" if stopped == LATE else ""
            return Outcome(notebook.stem, stopped, reason, time.monotonic() - began)
        if not result.is_file():
            return Outcome(notebook.stem, "error", _last_line(log))
        return replace(Outcome(notebook.stem, "error"), **canonical_json.read(result))


def _stopped(job: Path, log: Path, lease: Mapping[str, str], shared: _Shared) -> str:
    """Run the job's process, and return why it was stopped; nothing if it ended by itself."""
    command = [sys.executable, "-m", "workbench.lab.runner.run_notebook", str(job)]
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            stdout=sink,
            stderr=sink,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env={**_env(), **lease},
        )
        try:
            return _awaited(process, shared)
        finally:
            _end(process)


def _awaited(process: "subprocess.Popen[Any]", shared: _Shared) -> str:
    deadline = time.monotonic() + shared.timeout
    while process.poll() is None:
        if shared.stop.wait(0.05):
            return INTERRUPTED
        if time.monotonic() >= deadline:
            return LATE
    return ""


def _env() -> dict[str, str]:
    one_thread = dict.fromkeys(cache.THREADS, "1")
    return {"PYDEVD_DISABLE_FILE_VALIDATION": "1", **one_thread, **os.environ}


def _end(process: "subprocess.Popen[Any]") -> None:
    """Ask the process to end its kernel, then end its whole group."""
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
