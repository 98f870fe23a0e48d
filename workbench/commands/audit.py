"""`workbench audit`: attack the privacy of every stage of every estimator."""

import argparse
from typing import Any

from workbench.commands.base import command
from workbench.lab.terminal.argument_types import whole


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "audit", run, "attack the privacy of every stage of every estimator")
    parser.add_argument("key", nargs="*", help="all of the catalog by default")
    parser.add_argument(
        "--mutants", action="store_true", help="broken estimators instead: each must be found"
    )
    parser.add_argument("--preset", choices=("ci", "deep"), default="ci", help="how many runs (ci)")
    parser.add_argument("--seed", type=whole, default=0, metavar="N")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Return 1 if a guarantee is refuted, or a mutant is not found."""
    from workbench.lab.terminal.audits import audits, mutants

    found = (mutants if options.mutants else audits)(options.key, options.preset, options.seed)
    print(found.text(as_json=options.json))
    return 0 if found.good else 1
