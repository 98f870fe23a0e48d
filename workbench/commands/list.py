"""`workbench list`: the catalog."""

import argparse
from typing import Any

from workbench.commands.base import command, show, words


def add(commands: Any) -> None:
    """Add the command."""
    text = "the catalog: every estimator, what it estimates, at which budgets"
    command(commands, "list", run, text).add_argument("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Print one row for every entry."""
    from workbench.catalog import CATALOG

    records = [
        {"key": key, "estimates": entry.estimand, "budgets": [str(budget) for budget in entry.budgets]}
        | {"summary": entry.summary}
        for key, entry in CATALOG.items()
    ]
    rows = [
        [key, entry.estimand, words(type(budget).__name__ for budget in entry.budgets), entry.summary]
        for key, entry in CATALOG.items()
    ]
    return show(options, records, ("key", "estimates", "takes", "summary"), rows)
