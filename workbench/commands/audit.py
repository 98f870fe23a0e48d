"""`workbench audit`: attack the privacy of every stage of every estimator, or of a function of one's own."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command, require_free
from workbench.lab.tables import say
from workbench.lab.terminal.argument_types import number, whole


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "audit", run, "attack the privacy of every stage of every estimator")
    parser.add_argument("key", nargs="*", help="all of the catalog by default")
    parser.add_argument(
        "--mutants", action="store_true", help="broken estimators instead: each must be found"
    )
    _add_own(parser)
    parser.add_argument("--preset", choices=("ci", "deep"), default="ci", help="how many runs (ci)")
    parser.add_argument("--seed", type=whole, default=0, metavar="N")
    parser.add_argument("--json", action="store_true", help="as JSON")


def _add_own(parser: Any) -> None:
    """Add what a function of one's own needs."""
    text = "a function of your own instead: f(rows, rng), f(rows, rng, budget), f(rows, trials, rng)"
    parser.add_argument("--function", metavar="MODULE:OBJECT", help=text)
    text = "its neighbours: a list of (first, second), two data sets that differ in one row"
    parser.add_argument("--pairs", metavar="MODULE:OBJECT", help=text)
    parser.add_argument(
        "--epsilon", type=number, metavar="E", help="what it claims: pure DP, or with --delta"
    )
    parser.add_argument("--delta", type=number, metavar="D")
    parser.add_argument(
        "--rho", type=number, metavar="R", help="zero-concentrated DP, with --delta if wanted"
    )
    parser.add_argument("--mu", type=number, metavar="M", help="Gaussian DP")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write its report there, too")


def run(options: argparse.Namespace) -> int:
    """Return 1 if a guarantee is refuted, or a mutant is not found."""
    if options.function is not None:
        return _own(options)
    _require_no_own(options)
    from workbench.lab.terminal.audits import audits, mutants

    found = (mutants if options.mutants else audits)(options.key, options.preset, options.seed)
    say(found.text(as_json=options.json))
    return 0 if found.good else 1


def _own(options: argparse.Namespace) -> int:
    from workbench.charts.canonical_json import replacing
    from workbench.errors import ArgumentError
    from workbench.lab.terminal.own_audit import OwnAudit, level, page

    if options.key or options.mutants:
        raise ArgumentError("function", options.function, "no key and no --mutants beside it")
    if options.html is not None:
        require_free("html", options.html)
    names = ("function", "pairs", "epsilon", "delta", "rho", "mu", "preset", "seed")
    report = OwnAudit(**{name: getattr(options, name) for name in names}).report()
    say(report.to_json() if options.json else f"{report}\n{level(report)}")
    if options.html is not None:
        with replacing(options.html) as file:
            file.write(page(report))
    return 1 if report.violated else 0


def _require_no_own(options: argparse.Namespace) -> None:
    """Raise where what a function needs is given without one."""
    from workbench.errors import ArgumentError

    for name in ("pairs", "epsilon", "delta", "rho", "mu", "html"):
        if getattr(options, name) is not None:
            raise ArgumentError(name, str(getattr(options, name)), "--function MODULE:OBJECT beside it")
