"""`workbench estimate`: one private estimate from a file."""

import argparse
from pathlib import Path
from typing import Any

from workbench.commands.base import command
from workbench.lab.terminal.argument_types import number, pair, whole

SUMMARY = "one private estimate from a CSV or Parquet file"
DETAILS = """one private estimate from a CSV or Parquet file. The first line of CSV names the columns and is
public; every line below it is one row, blank ones too, and their number is public: the last line too needs
its line end. A cell that is no number (empty, a word, a date, 1,000, inf, above 1e100) is a missing entry:
never an error, never counted, never told. A row with a missing entry is absent: it keeps its place, and no
stage of an estimate counts it; so is a line with more cells than the first has names. --missing VALUE makes
such entries that value; --set missing=counted (of covariances and means of clipped rows) makes up for absent
rows by a private count. --set centre=170,30000 is one number for each column, in means. --check lists by line
and column what is no number: for the owner of the file, not private."""


def add(commands: Any) -> None:
    """Add the command."""
    parser = command(commands, "estimate", run, SUMMARY)
    parser.description = DETAILS
    parser.add_argument(
        "file", type=Path, help="CSV with a header (.gz, .bz2, .xz too), - for standard input, or .parquet"
    )
    parser.add_argument("--key", help="the estimator, see `workbench list`; needed but for --check")
    parser.add_argument("--column", "--columns", dest="columns", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--epsilon", type=number, metavar="E", help="pure DP; with --delta approximate DP")
    parser.add_argument("--delta", type=number, metavar="D")
    parser.add_argument(
        "--rho", type=number, metavar="R", help="zero-concentrated DP, with --delta if wanted"
    )
    parser.add_argument(
        "--set", type=pair, action="append", default=[], metavar="NAME=VALUE", help="its parameters"
    )
    _add_reading(parser)
    parser.add_argument("--seed", type=whole, metavar="N", help="a replay, which is not private")
    parser.add_argument("--secure", action="store_true", help="exact noise, for release (extra `secure`)")
    parser.add_argument("--out", type=Path, metavar="JSON", help="write the result there too")


def _add_reading(parser: Any) -> None:
    """Add how the file is written and what its cells count as."""
    parser.add_argument(
        "--separator", "--sep", type=_mark, metavar="MARK", help="by default that of the header: , ; | tab"
    )
    parser.add_argument(
        "--decimal", metavar="MARK", help=". or , (default: . and, where ; separates columns, also ,)"
    )
    parser.add_argument("--encoding", default="utf-8", metavar="NAME", help="of the header (default: utf-8)")
    parser.add_argument("--missing", type=number, metavar="VALUE", help="what a missing entry counts as")
    parser.add_argument(
        "--check", action="store_true", help="no estimate: list the cells that are no numbers (not private)"
    )


def _mark(text: str) -> str:
    return {"tab": "\t", "\\t": "\t"}.get(text, text)


def run(options: argparse.Namespace) -> int:
    """Return 3 if the estimator abstained, 1 if a check found a cell that cannot be read."""
    from workbench.estimators.parts.stored.csv_file import Writing

    writing = Writing(options.separator, options.decimal, options.encoding)
    text, good = _check(options, writing) if options.check else _estimate(options, writing)
    print(text)
    return 0 if good else 1 if options.check else 3


def _estimate(options: argparse.Namespace, writing: Any) -> tuple[str, bool]:
    from workbench.lab.terminal.estimate import EstimateRequest, estimate

    names = ("file", "key", "columns", "epsilon", "delta", "rho", "seed", "out", "missing", "secure")
    given = {name: getattr(options, name) for name in names}
    return estimate(EstimateRequest(settings=dict(options.set), writing=writing, **given))


def _check(options: argparse.Namespace, writing: Any) -> tuple[str, bool]:
    from workbench.errors import ArgumentError
    from workbench.estimators.parts.stored.csv_file import open_csv
    from workbench.lab.terminal.csv_check import check

    if options.file.suffix.lower() == ".parquet":
        raise ArgumentError("check", str(options.file), "a CSV file: columns of Parquet have types")

    return check(open_csv(options.file, writing), options.columns)
