"""Run notebooks headlessly: one process each, cached, never an orphan."""

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
from itertools import groupby
from pathlib import Path
from threading import Event
from typing import Any

from workbench.charts import canonical_json
from workbench.errors import ArgumentError
from workbench.lab.runner import cache, stores
from workbench.lab.runner.core_share import Cores
from workbench.lab.runner.progress import Progress
from workbench.lab.runner.run_notebook import EXECUTED
from workbench.lab.runner.variants import Variant
from workbench.study.sweeps import NONE

TIMEOUT = {"quick": 900.0, "full": 4 * 3600.0}  # seconds a notebook may take
GRACE = 10.0  # seconds to end its kernel in
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


@dataclass(frozen=True)
class _Shared:
    """What all notebooks of a run share."""

    profile: str
    timeout: float
    stop: Event
    cores: Cores
    progress: Progress
    store: Path | None


def run(
    variants: Iterable[Variant],
    *,
    profile: str = "quick",
    limit: float = NONE.limit,
    jobs: int | None = None,
    timeout: float | None = None,
    report: Callable[[Outcome], None] = lambda _: None,
    progress: Progress | None = None,
    store: Path | None = None,
) -> list[Outcome]:
    """Run variants of notebooks and report each as it ends, unless the run is interrupted.

    At most `jobs` processes compute at a time: so many notebooks, or fewer whose sweeps use several. The
    variants of one notebook run one after another, so that each finds the blocks that it shares with others.
    """
    chains = [list(chain) for _, chain in groupby(variants, key=lambda variant: variant.home)]
    jobs = jobs or min(2, os.cpu_count() or 1)
    cores = Cores(jobs, len(chains), limit)
    allowed = timeout or TIMEOUT[profile]
    shared = _Shared(profile, allowed, Event(), cores, progress or Progress({}, store), store)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            futures = [pool.submit(_run_chain, chain, shared, report) for chain in chains]
            return [outcome for future in futures for outcome in future.result()]
        except BaseException:  # an interrupt, too, ends what is running
            shared.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _run_chain(chain: Iterable[Variant], shared: _Shared, report: Callable[[Outcome], None]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    try:
        for variant in chain:
            outcomes.append(_tried(variant, shared))
            if outcomes[-1].status == INTERRUPTED:
                break
            report(outcomes[-1])
    finally:
        shared.cores.ended()
    return outcomes


def is_cached(variant: Variant, profile: str, limit: float = NONE.limit) -> bool:
    """Return whether `run` would find a variant's outputs as they would come out."""
    return cache.fresh(variant.out, _key(variant, profile, limit))


def _key(variant: Variant, profile: str, limit: float) -> str:
    return cache.key(variant.notebook, {**variant.moved, "profile": profile, "limit": limit})


def _tried(variant: Variant, shared: _Shared) -> Outcome:
    """Run a variant; a full disk, a store that is locked and the like end it, and not the others."""
    try:
        return _run_one(variant, shared)
    except (ArgumentError, OSError) as error:
        return Outcome(variant.name, "error", " ".join(str(error).split()))


def _run_one(variant: Variant, shared: _Shared) -> Outcome:
    wanted = _key(variant, shared.profile, shared.cores.limit)
    if cache.fresh(variant.out, wanted):
        return Outcome(variant.name, "cached")
    cache.forget(variant.out)
    _clear(variant.out)
    remark = "" if shared.store else stores.prepare(variant.home)
    outcome = replace(_launch(variant, shared), remark=remark)
    if outcome.good:
        cache.remember(variant.out, wanted)
    return outcome


def _clear(out: Path) -> None:
    """Remove what an earlier run left, and nothing else: the folder may be anybody's."""
    out.mkdir(parents=True, exist_ok=True)
    for path in [*cache.outputs(out), out / EXECUTED]:
        path.unlink(missing_ok=True)


def _launch(variant: Variant, shared: _Shared) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="workbench-") as scratch:
        job, result, log = (Path(scratch) / name for name in ("job.json", "result.json", "log.txt"))
        out = str(variant.out.resolve())
        content = {"notebook": str(variant.notebook), "out": out, "result": str(result)}
        given = {**variant.moved, "profile": shared.profile, "out": out, "recompute": True}
        canonical_json.write(job, content | {"parameters": given})
        began = time.monotonic()
        store = (shared.store or stores.place(variant.home)).resolve()
        lease = shared.cores.lease(Path(scratch) / "lease.json", store)
        with lease as environment, shared.progress.of(variant.home, variant.name):
            stopped = _stopped(job, log, environment, shared)
        if stopped:
            reason = f"stopped after {shared.timeout:g} s" if stopped == LATE else ""
            return Outcome(variant.name, stopped, reason, time.monotonic() - began)
        if not result.is_file():
            return Outcome(variant.name, "error", _last_line(log))
        return replace(Outcome(variant.name, "error"), **canonical_json.read(result))


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
    fixed = {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "PYTHONSAFEPATH": "1"}  # no modules of the working folder
    return {**fixed, **one_thread, **os.environ}


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
