"""The command `workbench`.

Exit codes: 0 all good; 1 something is not as committed or required; 2 a wrong argument, one line on
stderr, nothing written; 3 the estimator abstained. Everything is imported when its command needs it.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from workbench.lab.words import number, pair, whole

LAB = {"pandas", "matplotlib", "joblib", "tqdm", "threadpoolctl", "sklearn", "IPython", "ipywidgets"}
LAB |= {"ipykernel", "papermill", "nbformat", "nbclient", "nbconvert", "jupyterlab", "jupyter_client"}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        self.exit(2, f"workbench: error: {' '.join(message.split())}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from workbench.errors import ArgumentError

    options = parser().parse_args(argv)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except ArgumentError as error:
        return _complain(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in LAB:
            raise
        return _complain(f'module = {error.name!r}: expected the extra: pip install "dp-workbench[lab]"')
    except BrokenPipeError:  # the reader has seen enough
        sys.stdout = None
        return 0
    except KeyboardInterrupt:
        return 130


def _complain(message: str) -> int:
    print(f"workbench: error: {message}", file=sys.stderr)
    return 2


def _list(options: argparse.Namespace) -> int:
    from workbench.catalog import CATALOG

    records = [
        {"key": key, "estimates": entry.estimand, "budgets": [str(budget) for budget in entry.budgets]}
        | {"summary": entry.summary}
        for key, entry in CATALOG.items()
    ]
    rows = [
        [key, entry.estimand, _words(type(budget).__name__ for budget in entry.budgets), entry.summary]
        for key, entry in CATALOG.items()
    ]
    return _print(options, records, ("key", "estimates", "takes", "summary"), rows)


def _sources(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from workbench.sources import sources, statements

    names = [options.name.lower()] if options.name else list(sources())
    found = [(name, statement) for name in names for statement in statements(name)]
    records = [{"source": name} | asdict(statement) for name, statement in found]
    rows = [
        [
            name,
            one.id,
            one.kind,
            _words(one.covered_by) or f"({one.reason})",
            _words(slip.location for slip in one.errata),
            one.text,
        ]
        for name, one in found
    ]
    return _print(options, records, ("source", "id", "kind", "covered by", "errata", "statement"), rows)


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value or ()))


def _print(options: argparse.Namespace, records: Any, header: Sequence[str], rows: list[list[str]]) -> int:
    from workbench.lab.tables import text

    print(
        json.dumps(records, indent=1, ensure_ascii=False, default=str) if options.json else text(header, rows)
    )
    return 0


def _reproduce(options: argparse.Namespace) -> int:
    from workbench.lab import project
    from workbench.lab.reproduce import Request, reproduce

    given = dict(options.parameter)
    if options.seed is not None:
        given["seed"] = options.seed
    request = Request(
        notebooks=options.notebook,
        profile=options.profile,
        update=options.update,
        out=options.out,
        given=given,
        jobs=options.jobs,
        timeout=options.timeout,
    )
    return reproduce(project.find(explicit=options.project), request)


def _verdicts(options: argparse.Namespace) -> int:
    from workbench.lab import project
    from workbench.lab.committed import Required, verdicts

    folder = options.folder or project.find(explicit=options.project).figures
    required = Required(decided=options.require_decided, holds=options.require_holds)
    return verdicts(folder, required, as_json=options.json)


def _lab(options: argparse.Namespace) -> int:
    from workbench.lab import project
    from workbench.lab.server import serve

    return serve(project.find(explicit=options.project), options.port, browser=options.browser)


def _estimate(options: argparse.Namespace) -> int:
    from workbench.lab.estimate import Request, estimate

    names = ("file", "key", "columns", "epsilon", "delta", "rho", "seed", "out")
    request = Request(settings=dict(options.set), **{name: getattr(options, name) for name in names})
    text, valued = estimate(request)
    print(text)
    return 0 if valued else 3


def _audit(options: argparse.Namespace) -> int:
    from workbench.lab.doubt import audits, mutants

    found = (mutants if options.mutants else audits)(options.key, options.preset, options.seed)
    print(found.text(as_json=options.json))
    return 0 if found.good else 1


def parser() -> Parser:
    """Return the parser of every command."""
    top = Parser(
        prog="workbench", description="Differentially private estimation: figures, verdicts, estimates."
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    _add_tables(commands)
    _add_runs(commands)
    _add_estimate(commands)
    return top


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], int], text: str) -> Any:
    command = commands.add_parser(name, help=text, description=text)
    command.set_defaults(run=run)
    return command


def _add_tables(commands: Any) -> None:
    listing = _command(
        commands, "list", _list, "the catalog: every estimator, what it estimates, at which budgets"
    )
    sources = _command(
        commands, "sources", _sources, "every numbered statement of a source and what covers it"
    )
    sources.add_argument("name", nargs="?", help="one source; all of them by default")
    verdicts = _command(commands, "verdicts", _verdicts, "the committed verdicts on every claim")
    verdicts.add_argument(
        "--require-decided", nargs="+", default=[], metavar="ID", help="fail unless decided"
    )
    verdicts.add_argument(
        "--require-holds", nargs="+", default=[], metavar="ID", help="fail unless they hold"
    )
    verdicts.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="instead of figures/")
    verdicts.add_argument("--project", type=Path, metavar="DIR")
    for command in (listing, sources, verdicts):
        command.add_argument("--json", action="store_true", help="as JSON")


def _add_runs(commands: Any) -> None:
    run = _command(
        commands, "reproduce", _reproduce, "run the notebooks and compare with the committed figures"
    )
    run.add_argument("notebook", nargs="*", help="all of them by default")
    run.add_argument("--profile", choices=("quick", "full"), default="quick", help="how thoroughly (quick)")
    run.add_argument("--update", action="store_true", help="rewrite figures/; needs --profile full")
    run.add_argument("--out", type=Path, metavar="DIR", help="where outputs go (reproduced/)")
    run.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")
    run.add_argument("-p", "--parameter", type=pair, action="append", default=[], metavar="NAME=VALUE")
    run.add_argument("--seed", type=whole, metavar="N", help="short for -p seed=N")
    run.add_argument("--jobs", type=whole, metavar="N", help="notebooks at a time (2)")
    run.add_argument("--timeout", type=number, metavar="SECONDS", help="for each notebook")
    doubt = _command(commands, "audit", _audit, "attack the privacy of every stage of every estimator")
    doubt.add_argument("key", nargs="*", help="all of the catalog by default")
    doubt.add_argument("--mutants", action="store_true", help="broken estimators instead: each must be found")
    doubt.add_argument("--preset", choices=("ci", "deep"), default="ci", help="how many runs (ci)")
    doubt.add_argument("--seed", type=whole, default=0, metavar="N")
    doubt.add_argument("--json", action="store_true", help="as JSON")
    lab = _command(commands, "lab", _lab, "open the notebooks in JupyterLab, offline")
    lab.add_argument("--port", type=whole, default=8888)
    lab.add_argument("--no-browser", dest="browser", action="store_false", help="only print the address")
    lab.add_argument("--project", type=Path, metavar="DIR")


def _add_estimate(commands: Any) -> None:
    run = _command(commands, "estimate", _estimate, "one private estimate from a CSV file")
    run.add_argument("file", type=Path, help="CSV with a header")
    run.add_argument("--key", required=True, help="the estimator, see `workbench list`")
    run.add_argument("--column", "--columns", dest="columns", nargs="+", default=[], metavar="NAME")
    run.add_argument("--epsilon", type=number, metavar="E", help="pure DP; with --delta approximate DP")
    run.add_argument("--delta", type=number, metavar="D")
    run.add_argument("--rho", type=number, metavar="R", help="zero-concentrated DP, with --delta if wanted")
    run.add_argument(
        "--set", type=pair, action="append", default=[], metavar="NAME=VALUE", help="its parameters"
    )
    run.add_argument("--seed", type=whole, metavar="N", help="a replay, which is not private")
    run.add_argument("--out", type=Path, metavar="JSON", help="write the result there too")


if __name__ == "__main__":
    sys.exit(main())
