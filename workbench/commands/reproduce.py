"""`workbench reproduce`: run the notebooks, decide the claims, compare."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.errors import ArgumentError
from workbench.lab.terminal.argument_types import axis, number, pair, whole

BACKENDS = ("serial", "loky", "dask")


def add(commands: Any) -> None:
    """Add the command."""
    text = "run the notebooks and compare with the committed figures"
    parser = command(commands, "reproduce", run, text)
    parser.add_argument("notebook", nargs="*", help="its name or its chapter; all of them by default")
    parser.add_argument(
        "--profile", choices=("quick", "full"), default="quick", help="how thoroughly (quick)"
    )
    parser.add_argument("--update", action="store_true", help="rewrite figures/; needs --profile full")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where outputs go (reproduced/)")
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")
    parser.add_argument(
        "-p", "--parameter", type=pair, action="append", default=[], metavar="NAME=VALUE",
        help="run there: into a folder of its own, compared with predictions",
    )  # fmt: skip
    parser.add_argument(
        "--grid", type=axis, action="append", default=[], metavar="NAME=VALUE,VALUE,...",
        help="a run at every combination, with an index page and a table of all numbers",
    )  # fmt: skip
    parser.add_argument(
        "--limit",
        type=number,
        metavar="TIMES",
        help="what a sweep may take away from its usual points, over what it takes at them (2)",
    )
    parser.add_argument("--seed", type=whole, metavar="N", help="short for -p seed=N")
    parser.add_argument("--jobs", type=whole, metavar="N", help="processes that compute at a time (2)")
    parser.add_argument(
        "--store", type=Path, metavar="FILE", help="one for all blocks of trials (one a notebook in DIR)"
    )
    parser.add_argument(
        "--backend", choices=BACKENDS, help="who computes, before the notebooks run, all that they declare"
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a dask cluster: tcp://host:8786")
    parser.add_argument("--timeout", type=number, metavar="SECONDS", help="for each notebook")


def run(options: argparse.Namespace) -> int:
    """Return 1 if anything is not as committed, or elsewhere not as predicted."""
    from workbench.lab import project
    from workbench.lab.runner.reproduce import Reproduction, reproduce

    given = dict(options.parameter)
    if options.seed is not None:
        given["seed"] = options.seed
    limit = {} if options.limit is None else {"limit": options.limit}
    request = Reproduction(
        notebooks=options.notebook,
        profile=options.profile,
        update=options.update,
        out=options.out,
        given=given,
        grid=_axes(options.grid),
        jobs=options.jobs,
        timeout=options.timeout,
        store=options.store,
        backend=options.backend,
        scheduler=options.scheduler,
        **limit,
    )
    return reproduce(project.find(explicit=options.project), request)


def _axes(given: Sequence[tuple[str, tuple[object, ...]]]) -> dict[str, tuple[object, ...]]:
    axes: dict[str, tuple[object, ...]] = {}
    for name, values in given:
        if name in axes:
            raise ArgumentError(f"grid {name}", values, f"all values of {name} in one --grid")
        axes[name] = values
    return axes
