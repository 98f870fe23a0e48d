"""`workbench bench`: what every estimator costs, against the primitives that it cannot avoid."""

import argparse
from typing import Any

from workbench.commands.base import command, show
from workbench.lab.terminal.argument_types import whole

HEADER = (
    "key",
    "calibration",
    "budget",
    "n",
    "d",
    "first ms",
    "ms",
    "floor ms",
    "ratio",
    "peak MB",
    "peak/rows",
)


def add(commands: Any) -> None:
    """Add the command."""
    text = "time and memory of every estimator, against the primitives that it cannot avoid"
    parser = command(commands, "bench", run, text)
    parser.add_argument("key", nargs="*", help="all of the catalog by default")
    parser.add_argument("--n", type=whole, default=100_000, metavar="N", help="rows (100000)")
    parser.add_argument("--d", type=whole, metavar="N", help="columns, where an entry takes several")
    parser.add_argument("--repeat", type=whole, default=5, metavar="N", help="rounds of warm calls (5)")
    parser.add_argument("--json", action="store_true", help="as JSON, with every primitive")


def run(options: argparse.Namespace) -> int:
    """Print one row for every example of the catalog."""
    from workbench.lab.tables import text
    from workbench.study.bench import bench

    found = list(bench(options.key, options.n, options.d, options.repeat))
    rows = [cells(measured) for measured in found]
    return show(options, [measured.record() for measured in found], lambda: text(HEADER, rows))


def cells(measured: Any) -> list[str]:
    """Return one row of the table: processor milliseconds, at their best."""
    sizes = [measured.key, measured.calibration, measured.budget, str(measured.n), str(measured.d)]
    seconds = (measured.first, min(measured.times.cpu), sum(measured.floor.values()))
    times = [f"{1e3 * value:.3f}" for value in seconds]
    return [*sizes, *times, f"{measured.ratio:.1f}", f"{measured.peak / 1e6:.2f}", f"{measured.copies:.1f}"]
