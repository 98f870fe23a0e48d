"""Regenerate every figure and verdict, and say what is not as committed."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import ArgumentError, integer_at_least, one_of, positive
from workbench.lab import tables
from workbench.lab.pictures.figures import PROFILES, VERDICTS, compare
from workbench.lab.project import Project
from workbench.lab.runner import cache, complexity
from workbench.lab.runner.console import Console
from workbench.lab.runner.costs import Costs, costs
from workbench.lab.runner.interrupts import Interrupted, interruptible
from workbench.lab.runner.notebooks import Outcome, check_parameters, is_cached, run
from workbench.lab.runner.progress import Progress, shown
from workbench.lab.runner.report import verdicts, write_index
from workbench.lab.runner.stores import held
from workbench.lab.runner.verdict_check import beside_full, full_run

ADVICE = """
Each line is more than another processor's rounding explains: all of them matter. That happens by chance once
in 1000 runs (workbench/lab/pictures/tolerance.py). After a change of the code, look at what it changed, then:
  workbench reproduce {notebooks} --profile full --update
Without one, try another BLAS kernel (OPENBLAS_CORETYPE=Haswell) and report both lists with your versions."""


@dataclass(frozen=True)
class Reproduction:
    """What to reproduce: which notebooks, how thoroughly, with which changed parameters, where to."""

    notebooks: Sequence[str] = ()
    profile: str = "quick"
    update: bool = False
    out: Path | None = None
    given: Mapping[str, object] = field(default_factory=dict)
    jobs: int | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        one_of(PROFILES, profile=self.profile)
        if self.jobs is not None:
            integer_at_least(1, jobs=self.jobs)
        if self.timeout is not None:
            positive(timeout=self.timeout)
        if self.update and (self.profile != "full" or self.given):
            wrong = "changed parameters" if self.given else f"profile {self.profile}"
            raise ArgumentError("update", wrong, "--profile full and the notebooks' own parameters")


def reproduce(project: Project, request: Reproduction, console: Console | None = None) -> int:
    """Run, compare or update, and report.

    Returns
    -------
    int
        0 if everything is as committed (or was updated), 1 if not; 130 if it was interrupted by Ctrl-C, or
        128 more than the signal that asked it to end.
    """
    chosen = project.select(request.notebooks)
    check_parameters(chosen, request.given)
    out = (request.out or project.reproduced).resolve()
    project.keep_apart(out)
    console = console or Console()
    with interruptible():
        try:
            return _reproduced(project, request, chosen, out, console)
        except Interrupted as ended:
            with suppress(OSError):  # the terminal may be gone
                console.say(_interrupted(chosen, request, out))
            return ended.exit_code


def _reproduced(
    project: Project, request: Reproduction, chosen: Sequence[Path], out: Path, console: Console
) -> int:
    say = console.say
    expected = _announce(chosen, request, out, say)
    outcomes = _run(chosen, request, out, expected, console)
    faults = {outcome.notebook: _faults(project, request, out, outcome) for outcome in outcomes}
    faults |= complexity.check(out, project.figures, compared=not (request.update or request.given))
    if request.update:
        _update(project, out, outcomes)
    remark = _remark(out, outcomes, project.figures) if request.profile == "quick" else []
    say("\n".join([_summary(out, outcomes, faults), *remark, *expected.after(outcomes)]))
    return 1 if any(faults.values()) else 0


def _run(
    chosen: Sequence[Path], request: Reproduction, out: Path, expected: Costs, console: Console
) -> list[Outcome]:
    progress = Progress({name: work.blocks for name, work in expected.works.items() if work})
    with shown(progress, console):
        return run(
            chosen,
            out,
            profile=request.profile,
            given=request.given,
            jobs=request.jobs,
            timeout=request.timeout,
            report=lambda outcome: console.say(_line(outcome)),
            progress=progress,
        )


def _todo(chosen: Sequence[Path], request: Reproduction, out: Path) -> list[Path]:
    return [path for path in chosen if not is_cached(path, out, request.profile, request.given)]


def _interrupted(chosen: Sequence[Path], request: Reproduction, out: Path) -> str:
    """Say what the next run of the same finds in the stores of the notebooks that have not ended."""
    blocks = sum(held(out / path.stem)[0] for path in _todo(chosen, request, out))
    return f"interrupted: {blocks} blocks kept, run again to go on"


def _announce(chosen: Sequence[Path], request: Reproduction, out: Path, say: Callable[[str], None]) -> Costs:
    """Say what is to be done and what it is expected to cost."""
    plural = "notebook" if len(chosen) == 1 else "notebooks"
    say(f"{len(chosen)} {plural}, {request.profile} profile, into {out}")
    todo = _todo(chosen, request, out)
    expected = costs(todo, request.profile, out)
    if todo:
        say(expected.before())
    return expected


def _line(outcome: Outcome) -> str:
    remark = f" ({outcome.remark})" if outcome.remark else ""
    return f"  {outcome.notebook}: {outcome.status} in {outcome.seconds:.0f} s{remark}"


def _faults(project: Project, request: Reproduction, out: Path, outcome: Outcome) -> list[str]:
    if not outcome.good:
        return [outcome.reason]
    if request.update or request.given:
        return []
    committed = project.figures / outcome.notebook
    if not cache.outputs(committed):
        command = f"workbench reproduce {outcome.notebook} --profile full --update"
        return [f"no committed figures; make them with: {command}"]
    return compare(out / outcome.notebook, committed)


def _update(project: Project, out: Path, outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.good:
            target = project.figures / outcome.notebook
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            for path in cache.outputs(out / outcome.notebook):
                shutil.copyfile(path, target / path.name)
    if project.figures.is_dir():
        write_index(project.figures)
        complexity.write(project.figures)


def _summary(out: Path, outcomes: Sequence[Outcome], faults: Mapping[str, Sequence[str]]) -> str:
    rows = [_row(out / outcome.notebook, outcome, bool(faults[outcome.notebook])) for outcome in outcomes]
    header = ("notebook", "status", "seconds", "core-s", "figures", "claims")
    failed = [f"FAILED {name}: {line}" for name, lines in faults.items() for line in lines]
    return "\n".join(["", tables.text(header, rows), *failed, *_advice(outcomes, faults)])


def _advice(outcomes: Sequence[Outcome], faults: Mapping[str, Sequence[str]]) -> list[str]:
    """Say what differences mean and what to do about them, if there are any."""
    changed = [
        one.notebook
        for one in outcomes
        if one.good and any(", committed " in f for f in faults[one.notebook])
    ]
    if not changed:
        return []
    return [ADVICE.format(notebooks=" ".join(changed))]


def _remark(out: Path, outcomes: Sequence[Outcome], figures: Path) -> list[str]:
    """Return the committed full verdicts on claims that a quick run leaves undecided, summed up."""
    quick = [verdict for outcome in outcomes for verdict in verdicts(out / outcome.notebook)[1]]
    return [line for line in [beside_full(quick, full_run(figures))] if line]


def _row(folder: Path, outcome: Outcome, faulty: bool) -> list[str]:
    status = "differs" if outcome.good and faulty else outcome.status
    figures = [path for path in cache.outputs(folder) if path.name != VERDICTS and path.suffix == ".json"]
    times = (f"{outcome.seconds:.0f}", f"{outcome.core_seconds:.0f}")
    return [outcome.notebook, status, *times, str(len(figures)), _claims(folder)]


def _claims(folder: Path) -> str:
    statuses = [str(verdict["status"]) for verdict in verdicts(folder)[1]]
    return ", ".join(f"{statuses.count(one)} {one.lower()}" for one in dict.fromkeys(statuses))
