"""`workbench estimate`: one private estimate from a file."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from workbench.commands.base import command, require_free
from workbench.lab.tables import give_up_on_stdout, say
from workbench.lab.terminal.argument_types import number, pair, whole

ROOM = 2**16  # characters of a file that are written before a draw, so that a full disk is met there
SUMMARY = "one private estimate from a CSV or Parquet file"
DETAILS = """one private estimate from a CSV or Parquet file. The first line of CSV names the columns and is
public; every line below it is one row, blank ones too, and their number is public: the last line too needs
its line end. A cell that is no number (empty, a word, a date, 1,000, inf, above 1e100) is a missing entry:
never an error, never told one by one. A row with a missing entry is absent: it keeps its place, and no stage
of an estimate counts it; so is a line with more cells than the first has names. Most means and covariances
of clipped rows make up for absent rows by a private count of the others. --missing VALUE makes such entries
that value. --set centre=170,30000 is one number for each column, in means. --check lists by line
and column what is no number, and marks between thousands: for the owner of the file, not private."""


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
    """Return 3 if the estimator abstained, 4 if its release could not be written where it was asked for.

    A check returns 1 if it found a cell that cannot be read, or a column without a number.
    """
    from workbench.estimators.files import Writing

    writing = Writing(options.separator, options.decimal, options.encoding)
    return (_check if options.check else _estimate)(options, writing)


def _estimate(options: argparse.Namespace, writing: Any) -> int:
    from workbench.charts import canonical_json
    from workbench.lab.terminal.estimate import EstimateRequest, estimate, lines

    names = ("file", "key", "columns", "epsilon", "delta", "rho", "seed", "missing", "secure")
    given = {name: getattr(options, name) for name in names}
    request, record, lost = EstimateRequest(settings=dict(options.set), writing=writing, **given), {}, []
    try:
        with _opened(options.out, options.file) as file:
            record = estimate(request)
            if file is not None:
                file.write(canonical_json.dumps(record))
    except OSError as error:
        if not record:
            raise
        lost.append(f"out = {str(options.out)!r}: {error.strerror}")
    try:
        say(lines(record))
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up_on_stdout()
        say(lines(record), sys.stderr)
        lost.append(f"stdout: {error.strerror}")
    for reason in lost:
        say(f"workbench: error: {reason}; the release, which is made, is printed", sys.stderr)
    return 4 if lost else 0 if record["status"] == "estimated" else 3


@contextmanager
def _opened(path: Path | None, source: Path) -> Iterator[TextIO | None]:
    """Yield a file with room that takes the place of `path`; where there is none, raise before a draw."""
    from workbench.charts import canonical_json
    from workbench.errors import ArgumentError

    if path is None:
        yield None
        return
    require_free("out", path, source)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(canonical_json.replacing(path))
            file.write(" " * ROOM)
            file.seek(0)
        except OSError as error:
            raise ArgumentError("out", str(path), f"a file that can be written ({error.strerror})") from None
        yield file
        file.truncate()


def _check(options: argparse.Namespace, writing: Any) -> int:
    from workbench.errors import ArgumentError
    from workbench.estimators.files import open_csv
    from workbench.lab.terminal.csv_check import check

    if options.file.suffix.lower() == ".parquet":
        raise ArgumentError("check", str(options.file), "a CSV file: columns of Parquet have types")

    text, good = check(open_csv(options.file, writing), options.columns)
    say(text)
    return 0 if good else 1
