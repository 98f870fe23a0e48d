"""`workbench plan`: how many rows, or how much budget, an accuracy needs."""

import argparse
from typing import Any

from workbench.commands.base import command
from workbench.lab.tables import say
from workbench.lab.terminal.argument_types import number, pair, whole


def add(commands: Any) -> None:
    """Add the command."""
    text = "the rows that an accuracy needs at a budget, or the budget at --n rows"
    parser = command(commands, "plan", run, text)
    parser.add_argument("subject", nargs="?", default="", metavar="ESTIMAND", help="or a key; all by default")
    parser.add_argument("--d", type=whole, metavar="D", help="columns (the fewest that all in question take)")
    unit = "wanted error, in the unit of each error bound (none: only where answers begin)"
    parser.add_argument("--alpha", type=number, metavar="A", help=unit)
    parser.add_argument("--beta", type=number, default=0.05, metavar="B", help="chance of a larger one (.05)")
    parser.add_argument("--epsilon", type=number, metavar="E", help="pure DP; with --delta approximate DP")
    parser.add_argument("--delta", type=number, metavar="D", help="(1e-6 where no budget is given)")
    parser.add_argument(
        "--rho", type=number, metavar="R", help="zero-concentrated DP, with --delta if wanted"
    )
    parser.add_argument("--n", type=whole, metavar="N", help="rows: ask for the least budget instead")
    parser.add_argument("--calibration", choices=("paper", "tight", "both"), default="tight")
    parser.add_argument(
        "--set", type=pair, action="append", default=[], metavar="NAME=VALUE", help="public parameters"
    )
    parser.add_argument("--from", dest="own", metavar="MODULE:OBJECT", help="an estimator of your own, too")
    parser.add_argument("--simulate", action="store_true", help="search n by runs on synthetic rows, too")
    parser.add_argument("--share", type=number, default=0.5, metavar="Q", help="of runs within alpha (.5)")
    parser.add_argument("--runs", type=whole, default=200, metavar="R", help="of each search (200)")
    parser.add_argument("--seed", type=whole, default=1, metavar="S", help="of the runs (1)")
    parser.add_argument("--jobs", type=whole, default=1, metavar="J", help="searches at a time (1)")
    text = "also what each answer rests on, and why others do not answer"
    parser.add_argument("--why", action="store_true", help=text)
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Return 1 if no estimator reaches what is asked."""
    from workbench.lab.terminal.planning import PlanRequest, planning
    from workbench.study.planner import Simulation

    names = ("subject", "d", "alpha", "beta", "epsilon", "delta", "rho", "n", "calibration", "own")
    how = {name: getattr(options, name) for name in ("share", "runs", "seed", "jobs")}
    request = PlanRequest(
        settings=dict(options.set),
        simulation=Simulation(**how) if options.simulate else None,
        **{name: getattr(options, name) for name in names},
    )
    text, good = planning(request, as_json=options.json, why=options.why)
    say(text)
    return 0 if good else 1
