"""Regenerate every figure and verdict, and say what is not as committed, or elsewhere not as predicted."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from workbench.lab import tables
from workbench.lab.claims import Record, counted, full_verdicts, tally
from workbench.lab.explore import FOLDER
from workbench.lab.project import Project
from workbench.lab.runner import beforehand, cache, complexity, grids, index, judge, numbers, stores
from workbench.lab.runner.console import Console
from workbench.lab.runner.costs import Costs, costs
from workbench.lab.runner.interrupts import Interrupted, interruptible
from workbench.lab.runner.notebooks import Outcome, is_cached, run
from workbench.lab.runner.progress import Progress, shown
from workbench.lab.runner.report import verdicts, write_index
from workbench.lab.runner.request import Reproduction as Reproduction
from workbench.lab.runner.stores import held
from workbench.lab.runner.variants import Grid, Variant, variants
from workbench.study.sweeps import CellError, SchedulerLostError

ADVICE = """
Each line is more than another processor's rounding explains: all of them matter. That happens by chance once
in 1000 runs (workbench/lab/differences.py). After a change of the code, look at what it changed, then:
  workbench reproduce {notebooks} --profile full --update
Without one, try another BLAS kernel (OPENBLAS_CORETYPE=Haswell) and report both lists with your versions."""


def reproduce(project: Project, request: Reproduction, console: Console | None = None) -> int:
    """Run, compare or update, and report.

    Returns
    -------
    int
        0 if everything is as committed (or was updated), and elsewhere as predicted; 1 if not, or if
        blocks failed or a cluster's scheduler is lost; 130 if it was interrupted by Ctrl-C, or 128 more than
        the signal that asked it to end.
    """
    out = (request.out or project.reproduced).resolve()
    chosen = variants(project.select(request.notebooks), out, request.given, request.grid)
    project.keep_apart(out)
    console = console or Console()
    with interruptible():
        try:
            return _reproduced(project, request, chosen, out, console)
        except (CellError, SchedulerLostError) as error:
            console.say(str(error))
            return 1
        except Interrupted as ended:
            with suppress(OSError):  # the terminal may be gone
                console.say(_interrupted(chosen, request))
            return ended.exit_code


def _reproduced(
    project: Project, request: Reproduction, chosen: Sequence[Variant], out: Path, console: Console
) -> int:
    expected = _announce(chosen, request, out, console.say)
    if request.backend:
        beforehand.computed(_todo(chosen, request), request, console.say)
    outcomes = _run(chosen, request, expected, console)
    faults = {
        outcome.notebook: _faults(project, request, variant, outcome)
        for variant, outcome in zip(chosen, outcomes, strict=True)
    }
    indices = _write_indices(request.grid, chosen, faults)
    if not all(variant.moved for variant in chosen):
        faults |= complexity.check(out, project.figures, compared=not request.update)
    if request.update:
        _update(project, out, outcomes)
    lines = [f"{one.name} {line}" for one in chosen for line in judge.remarks(one)]
    lines += beforehand.rows(chosen, request)
    console.say(
        "\n".join(
            [_summary(project.figures, out, outcomes, faults), *lines, *indices, *expected.after(outcomes)]
        )
    )
    return 1 if any(faults.values()) else 0


def _run(
    chosen: Sequence[Variant], request: Reproduction, expected: Costs, console: Console
) -> list[Outcome]:
    blocks = {name: work.blocks for name, work in expected.works.items() if work}
    progress = Progress(blocks, request.store)
    with shown(progress, console):
        return run(
            chosen,
            profile=request.profile,
            limit=request.limit,
            jobs=request.jobs,
            timeout=request.timeout,
            store=request.store,
            report=lambda outcome: console.say(_line(outcome)),
            progress=progress,
        )


def _todo(chosen: Sequence[Variant], request: Reproduction) -> list[Variant]:
    return [one for one in chosen if not is_cached(one, request.profile, request.limit)]


def _interrupted(chosen: Sequence[Variant], request: Reproduction) -> str:
    """Say what the next run of the same finds in the stores of the notebooks that have not ended."""
    kept = sum(held(path)[0] for path in stores.places(_todo(chosen, request), request.store))
    return f"interrupted: {kept} blocks kept, run again to go on"


def _announce(
    chosen: Sequence[Variant], request: Reproduction, out: Path, say: Callable[[str], None]
) -> Costs:
    """Say what is to be done and what it is expected to cost."""
    notebooks = len({one.notebook for one in chosen})
    runs = f" at {len(chosen) // notebooks} settings" if request.grid else ""
    plural = "notebook" if notebooks == 1 else "notebooks"
    say(f"{notebooks} {plural}{runs}, {request.profile} profile, into {out}")
    todo = _todo(chosen, request)
    expected = costs(todo, request.profile, request.limit, request.store)
    if todo:
        say(expected.before())
    return expected


def _line(outcome: Outcome) -> str:
    remark = f" ({outcome.remark})" if outcome.remark else ""
    return f"  {outcome.notebook}: {outcome.status} in {outcome.seconds:.0f} s{remark}"


def _faults(project: Project, request: Reproduction, variant: Variant, outcome: Outcome) -> list[str]:
    if request.update and outcome.good:
        return []
    return judge.faults(variant, outcome, project.figures)


def _write_indices(grid: Grid, chosen: Sequence[Variant], faults: Mapping[str, Sequence[str]]) -> list[str]:
    """Write the index and the table of every notebook of a grid, and return one line on each."""
    lines = []
    for home, group in groupby(chosen if grid else (), key=lambda variant: variant.home):
        runs = grids.members(list(group), {name: "; ".join(found) for name, found in faults.items()})
        multiples = grids.multiples(grid, runs)
        numbers.write(home, runs, multiples)
        lines.append(f"index of {home.name}: {index.write(home, grid, runs, multiples)}")
    return lines


def _update(project: Project, out: Path, outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.good:
            target = project.figures / outcome.notebook
            target.mkdir(parents=True, exist_ok=True)
            for path in filter(Path.is_file, target.iterdir()):
                path.unlink()
            for path in cache.outputs(out / outcome.notebook):
                shutil.copyfile(path, target / path.name)
            if (moving := out / outcome.notebook / FOLDER).is_dir():  # the grids of a full run
                shutil.copytree(moving, target / FOLDER, dirs_exist_ok=True)
    if project.figures.is_dir():
        write_index(project.figures)
        complexity.write(project.figures)


def _summary(
    figures: Path, out: Path, outcomes: Sequence[Outcome], faults: Mapping[str, Sequence[str]]
) -> str:
    full = full_verdicts(figures)
    rows = [_row(out / one.notebook, one, full, bool(faults[one.notebook])) for one in outcomes]
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


def _row(folder: Path, outcome: Outcome, full: Mapping[str, Record], faulty: bool) -> list[str]:
    status = "differs" if outcome.good and faulty else outcome.status
    times = (f"{outcome.seconds:.0f}", f"{outcome.core_seconds:.0f}")
    return [outcome.notebook, status, *times, str(len(cache.figures(folder))), _claims(folder, full)]


def _claims(folder: Path, full: Mapping[str, Record]) -> str:
    """Return what claims come to: decided in full, in quick beside what full has decided."""
    profile, decided = verdicts(folder)
    return counted(decided, full) if profile == "quick" else tally(str(one["status"]) for one in decided)
