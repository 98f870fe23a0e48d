"""`workbench estimate`: one private estimate from a file."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.words import number, pair, whole


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "estimate", run, "one private estimate from a CSV file")
    parser.add_argument("file", type=Path, help="CSV with a header")
    parser.add_argument("--key", required=True, help="the estimator, see `workbench list`")
    parser.add_argument("--column", "--columns", dest="columns", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--epsilon", type=number, metavar="E", help="pure DP; with --delta approximate DP")
    parser.add_argument("--delta", type=number, metavar="D")
    parser.add_argument(
        "--rho", type=number, metavar="R", help="zero-concentrated DP, with --delta if wanted"
    )
    parser.add_argument(
        "--set", type=pair, action="append", default=[], metavar="NAME=VALUE", help="its parameters"
    )
    parser.add_argument("--seed", type=whole, metavar="N", help="a replay, which is not private")
    parser.add_argument("--out", type=Path, metavar="JSON", help="write the result there too")


def run(options: argparse.Namespace) -> int:
    """Return 3 if the estimator abstained."""
    from workbench.lab.estimate import Request, estimate

    names = ("file", "key", "columns", "epsilon", "delta", "rho", "seed", "out")
    request = Request(settings=dict(options.set), **{name: getattr(options, name) for name in names})
    text, valued = estimate(request)
    print(text)
    return 0 if valued else 3
