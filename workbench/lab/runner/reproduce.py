"""Regenerate every figure and verdict, and say what is not as committed, or elsewhere not as predicted."""

import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import NoReturn

from workbench.charts import canonical_json
from workbench.charts.curves import Agreement
from workbench.errors import ArgumentError, integer_at_least, one_of, positive, real
from workbench.lab import tables
from workbench.lab.claims import Record, counted, full_verdicts, tally
from workbench.lab.differences import compare, differences
from workbench.lab.explore import FOLDER
from workbench.lab.figures import PROFILES
from workbench.lab.project import Project
from workbench.lab.runner import complexity
from workbench.lab.runner.notebooks import Batch, Grid, Outcome, Variant, variants
from workbench.lab.runner.report import figures, outputs, story, verdicts, write_index
from workbench.study.sweeps import Store, digest

ADVICE = """
Each line is more than another processor's rounding explains: all of them matter. That happens by chance once
in 1000 runs (workbench/lab/differences.py). After a change of the code, look at what it changed, then:
  workbench reproduce {notebooks} --profile full --update
Without one, try another BLAS kernel (OPENBLAS_CORETYPE=Haswell) and report both lists with your versions."""


@dataclass
class Reproduction(Batch):
    """What to reproduce: which notebooks, how thoroughly, with which changed parameters, where to."""

    say: Callable[[str], None] = tables.say
    notebooks: Sequence[str] = ()  # stems or chapters, each perhaps with /FIGURE; all of them for none
    update: bool = False  # whether to rewrite what is committed
    out: Path | None = None  # the folder with a folder for every notebook; that of the project if not given
    given: Mapping[str, object] = field(default_factory=dict)  # parameters that all runs have
    grid: Grid = field(default_factory=dict)  # name -> values of it, for one run at every combination

    def __post_init__(self) -> None:
        one_of(PROFILES, profile=self.profile)
        if self.jobs is not None:
            integer_at_least(1, jobs=self.jobs)
        if self.timeout is not None:
            positive(timeout=self.timeout)
        if not (real(self.limit) and self.limit >= 1):
            raise ArgumentError("limit", self.limit, "a finite number, 1 or more, where 1 is the usual work")
        for name in self.grid.keys() & self.given.keys():
            raise ArgumentError(f"grid {name}", self.grid[name], f"no other value of {name} beside it")
        if self.update and (self.profile != "full" or self.given or self.grid):
            wrong = "changed parameters" if self.given or self.grid else f"profile {self.profile}"
            raise ArgumentError("update", wrong, "--profile full and the notebooks' own parameters")


def reproduce(project: Project, request: Reproduction) -> int:
    """Run, compare or update, and report.

    Returns
    -------
    int
        0 if everything is as committed (or was updated), and elsewhere as predicted; 1 if not; 130 if it was
        interrupted by Ctrl-C, or 128 more than the signal that asked it to end.
    """
    out = (request.out or project.reproduced).resolve()
    asked = (_asked(project, name) for name in request.notebooks or [one.stem for one in project.notebooks])
    chosen = [
        one
        for notebook, figure in dict.fromkeys(asked)
        for one in variants([notebook], out, request.given, request.grid, figure)
    ]
    if request.update and any(one.figure for one in chosen):
        raise ArgumentError("update", "one figure", "whole notebooks")
    project.keep_apart(out)
    if request.store:
        Store(request.store).close()  # which says now whether it can be used
    out.mkdir(parents=True, exist_ok=True)
    with interruptible():
        try:
            return _reproduced(project, request, chosen, out)
        except Interrupted as ended:
            kept, _ = request.held(chosen)
            with suppress(OSError):  # the terminal may be gone
                print(end="\r" if sys.stdout.isatty() else "")  # over the keys that were pressed
                tables.say(f"interrupted: {kept} blocks kept, run again to go on")
            return ended.exit_code


def _asked(project: Project, name: str) -> tuple[Path, str]:
    """Return the notebook of a name, and the figure behind it: NOTEBOOK, or NOTEBOOK/FIGURE."""
    before, _, figure = name.rpartition("/")
    with suppress(ArgumentError):
        return project.select([name])[0], ""
    (notebook,) = project.select([before or name])
    one_of(story(notebook).headings, figure=figure)
    return notebook, figure


def _reproduced(project: Project, request: Reproduction, chosen: Sequence[Variant], out: Path) -> int:
    count = len({one.notebook for one in chosen})
    runs = f" at {len(chosen) // count} settings" if request.grid else ""
    tables.say(f"{count} notebook{'s'[: count > 1]}{runs}, {request.profile} profile, into {out}")
    blocks, saved = request.held(chosen)
    if blocks:
        tables.say(f"{blocks} blocks of earlier runs may save {saved:.0f} core-seconds")
    outcomes = request.run(chosen)
    pairs = list(zip(chosen, outcomes, strict=True))
    updated = {one.notebook for one in outcomes if request.update and one.good}
    faults = {one.notebook: _faults(variant, one, project.figures) for variant, one in pairs}
    faults |= {name: [] for name in updated}
    if not all(variant.folder for variant in chosen):
        faults |= complexity.check(out, project.figures, compared=not request.update)
    if request.update:
        _update(project, out, updated)
    tables.say(_summary(project.figures, out, outcomes, faults))
    for variant in chosen:
        for line in _remarks(variant):
            tables.say(f"{variant.name} {line}")
    with ExitStack() as stack:
        paths = [path for path in request.stores(chosen) if path.is_file()]
        if paths:
            kept, sha = digest([stack.enter_context(Store(path)) for path in paths])
            tables.say(f"in the stores: {kept} blocks of rows, sha256 {sha}")
    tables.say(f"used {sum(one.core_seconds for one in outcomes):.0f} core-seconds")
    return 1 if any(faults.values()) else 0


# How a run is asked to end: Ctrl-C, `kill`, a terminal that is closed; all of them end it alike.


class Interrupted(KeyboardInterrupt):
    """A signal asked this process to end."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.exit_code = 128 + number  # as a shell says it: 130 after Ctrl-C, 143 after `kill`


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first such signal raise `Interrupted`; what then cleans up is not disturbed by another one.

    What the process was told to ignore stays so: Ctrl-C in the background, the end of a terminal under
    `nohup`.
    """
    if threading.current_thread() is not threading.main_thread():  # no other may change handlers
        yield
        return
    known = [one for name in ("SIGINT", "SIGTERM", "SIGHUP") if (one := getattr(signal, name, None))]
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


# What is wrong with a run: beside committed numbers at a notebook's start, beside predictions elsewhere.


def _faults(variant: Variant, outcome: Outcome, committed: Path) -> list[str]:
    if not outcome.good:
        return [outcome.reason]
    if variant.moved:
        return [line for line, found in _judged(variant.out) if not found]
    kept = committed / variant.notebook.stem
    if not outputs(kept):
        command = f"workbench reproduce {variant.name} --profile full --update"
        return [f"no committed figures; make them with: {command}"]
    if variant.figure:
        name = f"{variant.figure}.json"
        made, known = (canonical_json.read(one / name) for one in (variant.out, kept))
        return [f"{name}: {line}" for line in differences(made, known, name)]
    return compare(variant.out, kept)


def _remarks(variant: Variant) -> list[str]:
    if not variant.moved:
        return []
    refused = {path.stem: canonical_json.read(path).get("refused") for path in figures(variant.out)}
    alone = [f"{name}: {reason}" for name, reason in refused.items() if reason]
    return [line for line, found in _judged(variant.out) if found] + alone


def _judged(folder: Path) -> Iterator[tuple[str, Agreement]]:
    for path in figures(folder):
        kept = canonical_json.read(path).get("agreement", {"points": 0, "outside": []})
        found = Agreement(kept["points"], tuple(kept["outside"]))
        if found.points:
            inside = found.points - len(found.outside)
            first = f"; outside: {'; '.join(found.outside[:3])}" if found.outside else ""
            words = f"measured agrees with predicted at these parameters: {inside} of {found.points} points"
            yield f"{path.stem}: {words}{first}", found


# What is written and said in the end.


def _update(project: Project, out: Path, updated: Iterable[str]) -> None:
    for name in updated:
        target = project.figures / name
        target.mkdir(parents=True, exist_ok=True)
        for path in filter(Path.is_file, target.iterdir()):
            path.unlink()
        for path in outputs(out / name):
            shutil.copyfile(path, target / path.name)
        if (moving := out / name / FOLDER).is_dir():  # the grids of a full run
            shutil.copytree(moving, target / FOLDER, dirs_exist_ok=True)
    if project.figures.is_dir():
        write_index(project.figures)
        complexity.write(project.figures)


def _summary(
    committed: Path, out: Path, outcomes: Sequence[Outcome], faults: Mapping[str, Sequence[str]]
) -> str:
    full = full_verdicts(committed)
    rows = [_row(out / one.notebook, one, full, bool(faults[one.notebook])) for one in outcomes]
    header = ("notebook", "status", "seconds", "core-s", "figures", "claims")
    failed = [f"FAILED {name}: {line}" for name, lines in faults.items() for line in lines]
    changed = [
        one.notebook
        for one in outcomes
        if one.good and any(", committed " in line for line in faults[one.notebook])
    ]
    advice = [ADVICE.format(notebooks=" ".join(changed))] if changed else []
    return "\n".join(["", tables.text(header, rows), *failed, *advice])


def _row(folder: Path, outcome: Outcome, full: Mapping[str, Record], faulty: bool) -> list[str]:
    status = "differs" if outcome.good and faulty else outcome.status
    times = (f"{outcome.seconds:.0f}", f"{outcome.core_seconds:.0f}")
    profile, decided = verdicts(folder)
    known = counted(decided, full) if profile == "quick" else tally(str(one["status"]) for one in decided)
    return [outcome.notebook, status, *times, str(len(figures(folder))), known]
