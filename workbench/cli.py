"""The command `workbench`.

Exit codes: 0 all good; 1 something is not as committed or required; 2 a wrong argument, or a file that cannot
be read or written, one line on stderr; 3 the estimator abstained; 4 a release is printed that could not be
written where it was asked for. What a command needs is imported when it runs, so that help is quick.
"""

import argparse
import ast
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from workbench import __version__
from workbench.errors import ArgumentError, one_of_words
from workbench.lab.tables import give_up_on_stdout, page_width, printable, say

LAB = {"pandas", "matplotlib", "joblib", "tqdm", "threadpoolctl", "IPython", "ipywidgets"}
LAB |= {"ipykernel", "papermill", "nbformat", "nbclient", "nbconvert", "jupyterlab", "jupyter_client"}
LAB |= {"anywidget", "jinja2", "latex2mathml"}
BACKENDS = ("serial", "loky", "dask")
STATUSES = ("HOLDS", "REFUTED", "UNDECIDED")
Options = argparse.Namespace
EXAMPLES = {
    "lab": ("workbench lab --no-browser",),
    "reproduce": (
        "workbench reproduce 02_one_mean",
        "workbench reproduce one_mean -p epsilon=0.3 -p n=500",
        "workbench reproduce one_mean --grid epsilon=0.1,0.5,2 --grid n=500,2000",
    ),
    "claims": (
        "workbench claims --status REFUTED",
        "workbench claims one-mean/private-for-free",
        "workbench claims L17    (its statements, and what covers each)",
    ),
    "list": ("workbench list mean", "workbench list univariate/two-step-mean"),
    "plan": (
        "workbench plan mean --alpha 0.1 --set radius=100 --set sigma=1    (the rows that it needs)",
        "workbench plan univariate/unbounded-mean --alpha 0.1 --n 2000 --set sigma=1    (its ε)",
    ),
    "estimate": (
        "workbench estimate heights.csv --column height --key univariate/two-step-mean \\",
        "    --set radius=1000 --set sigma=9 --epsilon 0.5",
        "workbench list univariate/two-step-mean    (what --set may name, and its defaults)",
    ),
    "audit": (
        "workbench audit univariate/median",
        "workbench audit --mutants univariate/median",
        "workbench audit --function mine:noisy_mean --pairs mine:PAIRS --epsilon 1",
    ),
    "bench": ("workbench bench univariate/median --n 20000",),
    "slides": ("workbench slides 02_one_mean",),
    "notebook": (
        "workbench notebook 02_one_mean --student",
        "workbench notebook 02_one_mean --teacher --out ~/monday",
    ),
    "pages": ("workbench pages", "workbench pages ~/workbench"),
    "check": ("workbench check --fix",),
}
FIRST = EXAMPLES["plan"][0].partition("  ")[0]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if argv is None and not _alone():
        return _complain("stdout: expected to be open")
    try:
        try:
            options = parser().parse_args(argv)
            run: Callable[[Options], int] = options.run
            return run(options)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except ArgumentError as error:
        return _complain(str(error))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in LAB:
            raise
        return _complain(f'module = {error.name!r}: expected the extra: pip install "dp-workbench[lab]"')
    except BrokenPipeError:  # the reader has seen enough
        sys.stdout = None
        return 0
    except OSError as error:
        give_up_on_stdout()
        return _complain(": ".join(filter(None, (str(error.filename or ""), error.strerror or str(error)))))
    except MemoryError:
        return _complain("there is not enough memory")
    except KeyboardInterrupt:
        return 130


def _alone() -> bool:
    """Make a process of its own fit for its command, and return whether somebody hears it."""
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # what it starts imports nothing of the working folder
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may have no letter for ε
    return sys.stdout is not None


def _complain(message: str) -> int:
    say(f"workbench: error: {message}", sys.stderr)
    return 2


# Parsers


class Help(argparse.RawDescriptionHelpFormatter):
    """A help as wide as the page, a flag and what it does on one line where they fit."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=page_width())


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line and name what a slip may have meant."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse a flag that is unknown, here where those that are known can be named."""
        options, rest = super().parse_known_args(args, namespace)
        for word in rest:
            if word.startswith("--"):
                flag = word.partition("=")[0]
                known = [one for one in self._option_string_actions if "--" in one]
                self.error(f"{flag}: expected {one_of_words(flag, known)}")
        return options, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            name = "/".join(action.option_strings) or str(action.metavar or action.dest)
            self.error(str(ArgumentError(name, value, one_of_words(value, action.choices))))

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        self.exit(2, f"workbench: error: {printable(' '.join(message.split()))}\n")


def number(text: str) -> float:
    """Return a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number") from None


def whole(text: str) -> int:
    """Return a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected an integer") from None


def pair(text: str) -> tuple[str, object]:
    """Return a name and its value, a literal or else the word itself."""
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE")
    return name, _literal(value)


def axis(text: str) -> tuple[str, tuple[object, ...]]:
    """Return a name and its values, separated by commas."""
    name, equals, values = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE,VALUE,...")
    return name, tuple(map(_literal, values.split(",")))


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def parser() -> Parser:
    """Return the parser of every command; without one the usage is what is asked for."""
    text = "Differentially private estimation: figures, claims, estimates."
    after = _epilog(FIRST, "workbench COMMAND --help    (its flags, and examples)")
    top = Parser(prog="workbench", description=text, epilog=after, formatter_class=Help)
    top.add_argument(
        "-V", "--version", action="version", version=f"workbench {__version__}", help="which version this is"
    )
    top.set_defaults(run=partial(_usage, top))
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    for name in EXAMPLES:
        ADD[name](partial(_command, commands, name))
    return top


def _epilog(*lines: str) -> str:
    return "\n  ".join(("examples:", *lines))


def _usage(top: Parser, options: Options) -> int:
    top.print_help()
    return 0


def _command(commands: Any, name: str, run: Callable[[Options], int], text: str, more: str = "") -> Any:
    """Add a command that `run` carries out, and return its parser."""
    after = _epilog(*EXAMPLES[name])
    added = commands.add_parser(name, help=text, description=text + more, epilog=after, formatter_class=Help)
    added.set_defaults(run=run)
    return added


def _budget(parser: Any, epsilon: str = "pure DP; with --delta approximate DP") -> None:
    parser.add_argument("--epsilon", type=number, metavar="E", help=epsilon)
    parser.add_argument("--delta", type=number, metavar="D")
    text = "zero-concentrated DP, with --delta if wanted"
    parser.add_argument("--rho", type=number, metavar="R", help=text)


def _sets(parser: Any) -> None:
    text = "its public parameters"
    parser.add_argument("--set", type=pair, action="append", default=[], metavar="NAME=VALUE", help=text)


def _project(parser: Any) -> None:
    parser.add_argument("--project", type=Path, metavar="DIR", help="the checkout (found from here upwards)")


def _json(parser: Any) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON")


# Commands, in the order of the help


def _add_lab(command: Any) -> None:
    parser = command(_lab, "open the notebooks in JupyterLab, offline")
    parser.add_argument("--port", type=whole, default=8888)
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="only print the address")
    _project(parser)


def _lab(options: Options) -> int:
    from workbench.lab import project
    from workbench.lab.live.server import serve

    return serve(project.find(explicit=options.project), options.port, browser=options.browser)


def _add_reproduce(command: Any) -> None:
    parser = command(_reproduce, "run the notebooks and compare with the committed figures and verdicts")
    parser.add_argument("notebook", nargs="*", help="its name or its chapter; all of them by default")
    text = "quick compares with what is committed, full decides every claim (quick)"
    parser.add_argument("--profile", choices=("quick", "full"), default="quick", help=text)
    parser.add_argument("--update", action="store_true", help="rewrite figures/; needs --profile full")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where outputs go (reproduced/)")
    _project(parser)
    text = "run there: into a folder of its own, compared with predictions"
    parser.add_argument(
        "-p", "--parameter", type=pair, action="append", default=[], metavar="NAME=VALUE", help=text
    )
    text = "a run at every combination, with a table of all numbers"
    parser.add_argument(
        "--grid", type=axis, action="append", default=[], metavar="NAME=VALUE,VALUE,...", help=text
    )
    text = "work allowed away from a sweep's usual points, over that at them (2)"
    parser.add_argument("--limit", type=number, metavar="TIMES", help=text)
    parser.add_argument("--jobs", type=whole, metavar="N", help="processes that compute at a time (2)")
    text = "one file for all finished blocks of trials (one a notebook in DIR)"
    parser.add_argument("--store", type=Path, metavar="FILE", help=text)
    text = "who computes, before the notebooks run, all that they declare"
    parser.add_argument("--backend", choices=BACKENDS, help=text)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a dask cluster: tcp://host:8786")
    parser.add_argument("--timeout", type=number, metavar="SECONDS", help="for each notebook")


def _reproduce(options: Options) -> int:
    """Return 1 if anything is not as committed, or elsewhere not as predicted."""
    from workbench.lab import project
    from workbench.lab.runner.reproduce import Reproduction, reproduce

    axes: dict[str, tuple[object, ...]] = {}
    for name, values in options.grid:
        if name in axes:
            raise ArgumentError(f"grid {name}", values, f"all values of {name} in one --grid")
        axes[name] = values
    request = Reproduction(
        notebooks=options.notebook,
        profile=options.profile,
        update=options.update,
        out=options.out,
        given=dict(options.parameter),
        grid=axes,
        jobs=options.jobs,
        timeout=options.timeout,
        store=options.store,
        backend=options.backend,
        scheduler=options.scheduler,
        **({} if options.limit is None else {"limit": options.limit}),
    )
    return reproduce(project.find(explicit=options.project), request)


def _add_claims(command: Any) -> None:
    parser = command(_claims, "the claims and their committed verdicts; the statements of a source")
    text = "show these claims whole; or a source, or a statement"
    parser.add_argument("subject", nargs="*", metavar="ID", help=text)
    text = "show those of this status: " + ", ".join(STATUSES)
    parser.add_argument(
        "--status", type=str.upper, choices=STATUSES, action="append", default=[], metavar="S", help=text
    )
    parser.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="instead of figures/")
    _project(parser)
    _json(parser)


def _claims(options: Options) -> int:
    from workbench.lab import claims, listing, project

    if (found := listing.sourced(options.subject)) is not None:
        say(listing.statements_told(found, as_json=options.json))
        return 0
    folder = options.folder or project.find(explicit=options.project).figures
    say(claims.verdicts(folder, options.subject, options.status, as_json=options.json))
    return 0


def _add_list(command: Any) -> None:
    parser = command(_list, "the catalog: every estimator, what it estimates, at which budgets")
    text = "one entry whole; or a family, or an estimand"
    parser.add_argument("subject", nargs="?", default="", metavar="KEY", help=text)
    parser.add_argument("--secure", action="store_true", help="which step has no exact noise")
    _json(parser)


def _list(options: Options) -> int:
    from workbench.lab.listing import catalog_told

    say(catalog_told(options.subject, secure=options.secure, as_json=options.json))
    return 0


def _add_plan(command: Any) -> None:
    parser = command(_plan, "the rows that an accuracy needs at a budget, or the budget at --n rows")
    text = "or a key; all by default"
    parser.add_argument("subject", nargs="?", default="", metavar="ESTIMAND", help=text)
    parser.add_argument("--d", type=whole, metavar="D", help="columns (the fewest that all in question take)")
    text = "target error, in the unit of each error bound (none: only where answers begin)"
    parser.add_argument("--alpha", type=number, metavar="A", help=text)
    text = "probability of a larger error (0.05)"
    parser.add_argument("--beta", type=number, default=0.05, metavar="B", help=text)
    _budget(parser)
    parser.add_argument("--n", type=whole, metavar="N", help="rows: ask for the least budget instead")
    parser.add_argument("--calibration", choices=("paper", "tight", "both"), default="tight")
    _sets(parser)
    parser.add_argument("--from", dest="own", metavar="MODULE:OBJECT", help="an estimator of your own, too")
    parser.add_argument("--simulate", action="store_true", help="search n by runs on synthetic rows, too")
    parser.add_argument("--share", type=number, default=0.5, metavar="Q", help="of runs within alpha (0.5)")
    parser.add_argument("--runs", type=whole, default=200, metavar="R", help="of each search (200)")
    parser.add_argument("--seed", type=whole, default=1, metavar="S", help="of the runs (1)")
    parser.add_argument("--jobs", type=whole, default=1, metavar="J", help="searches at a time (1)")
    text = "also what each answer rests on, and why others do not answer"
    parser.add_argument("--why", action="store_true", help=text)
    _json(parser)


def _plan(options: Options) -> int:
    """Return 1 if no estimator reaches what is asked."""
    from workbench.lab.planning import PlanRequest, planning
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


ESTIMATE = """. The first line of CSV names the columns and is
public; every line below it is one row, blank ones too, and their number is public: the last line too needs
its line end. A cell that is no number (empty, a word, a date, 1,000, inf, above 1e100) is a missing entry:
never an error, never told one by one. A row with a missing entry is absent: it keeps its place, and no stage
of an estimate counts it; so is a line with more cells than the first has names. Most means and covariances
of clipped rows make up for absent rows by a private count of the others. --missing VALUE makes such entries
that value. --set centre=170,30000 is one number for each column, in means. --check lists by line
and column what is no number, and marks between thousands: for the owner of the file, not private."""


def _add_estimate(command: Any) -> None:
    parser = command(_estimate, "one private estimate from a CSV or Parquet file", ESTIMATE)
    text = "CSV with a header (.gz, .bz2, .xz too), - for standard input, or .parquet"
    parser.add_argument("file", type=Path, help=text)
    parser.add_argument("--key", help="the estimator, see `workbench list`; needed but for --check")
    parser.add_argument("--column", "--columns", dest="columns", nargs="+", default=[], metavar="NAME")
    _budget(parser)
    _sets(parser)
    text = "by default that of the header: , ; | tab"
    parser.add_argument("--separator", "--sep", type=_mark, metavar="MARK", help=text)
    text = ". or , (default: . and, where ; separates columns, also ,)"
    parser.add_argument("--decimal", metavar="MARK", help=text)
    parser.add_argument("--encoding", default="utf-8", metavar="NAME", help="of the header (default: utf-8)")
    parser.add_argument("--missing", type=number, metavar="VALUE", help="what a missing entry counts as")
    text = "no estimate: list the cells that are no numbers (not private)"
    parser.add_argument("--check", action="store_true", help=text)
    parser.add_argument("--seed", type=whole, metavar="N", help="a replay, which is not private")
    parser.add_argument("--secure", action="store_true", help="exact noise, for release (extra `secure`)")
    parser.add_argument("--out", type=Path, metavar="JSON", help="write the result there too")


def _mark(text: str) -> str:
    return {"tab": "\t", "\\t": "\t"}.get(text, text)


def _estimate(options: Options) -> int:
    """Return 3 if the estimator abstained, 4 if its release could not be written where it was asked for.

    A check returns 1 if it found a cell that cannot be read, or a column without a number.
    """
    from workbench.estimators.files import Writing
    from workbench.lab import estimating

    writing = Writing(options.separator, options.decimal, options.encoding)
    if options.check:
        text, good = estimating.checked(options.file, writing, options.columns)
        say(text)
        return 0 if good else 1
    names = ("file", "key", "columns", "epsilon", "delta", "rho", "seed", "missing", "secure")
    given = {name: getattr(options, name) for name in names}
    request = estimating.EstimateRequest(settings=dict(options.set), writing=writing, **given)
    return estimating.answered(request, options.out)


def _add_audit(command: Any) -> None:
    parser = command(_audit, "attack the privacy of every stage of every estimator")
    parser.add_argument("key", nargs="*", help="all of the catalog by default")
    text = "broken estimators instead: each must be found"
    parser.add_argument("--mutants", action="store_true", help=text)
    text = "a function of your own instead: f(rows, rng), f(rows, rng, budget), f(rows, trials, rng)"
    parser.add_argument("--function", metavar="MODULE:OBJECT", help=text)
    text = "its neighbours: a list of (first, second), two data sets that differ in one row"
    parser.add_argument("--pairs", metavar="MODULE:OBJECT", help=text)
    _budget(parser, "what it claims: pure DP, or with --delta approximate DP")
    parser.add_argument("--mu", type=number, metavar="M", help="Gaussian DP")
    parser.add_argument("--preset", choices=("ci", "deep"), default="ci", help="how many runs (ci)")
    parser.add_argument("--seed", type=whole, default=0, metavar="N")
    _json(parser)


def _audit(options: Options) -> int:
    """Return 1 if a guarantee is refuted, or a mutant is not found."""
    from workbench.lab import audits

    own = ("pairs", "epsilon", "delta", "rho", "mu")
    given: dict[str, Any] = {name: getattr(options, name) for name in own}
    if options.function is not None:
        if options.key or options.mutants:
            raise ArgumentError("function", options.function, "no key and no --mutants beside it")
        report = audits.own(options.function, preset=options.preset, seed=options.seed, **given)
        say(report.to_json() if options.json else f"{report}\n{audits.level(report)}")
        return 1 if report.violated else 0
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(name, str(value), "--function MODULE:OBJECT beside it")
    attack = audits.mutants if options.mutants else audits.audits
    found = attack(options.key, options.preset, options.seed)
    say(found.text(as_json=options.json))
    return 0 if found.good else 1


def _add_bench(command: Any) -> None:
    text = "time and memory of every estimator, against the primitives that it cannot avoid"
    parser = command(_bench, text)
    parser.add_argument("key", nargs="*", help="all of the catalog by default")
    parser.add_argument("--n", type=whole, default=100_000, metavar="N", help="rows (100000)")
    parser.add_argument("--d", type=whole, metavar="N", help="columns, where an entry takes several")
    parser.add_argument("--repeat", type=whole, default=5, metavar="N", help="rounds of warm calls (5)")
    _json(parser)


def _bench(options: Options) -> int:
    from workbench.charts import canonical_json
    from workbench.lab.tables import text
    from workbench.study.bench import HEADER, bench

    found = list(bench(options.key, options.n, options.d, options.repeat))
    if options.json:
        say(canonical_json.dumps([measured.record() for measured in found]).rstrip())
    else:
        say(text(HEADER, [measured.cells() for measured in found]))
    return 0


def _add_slides(command: Any) -> None:
    text = "write a notebook as reveal.js slides, one page, from its committed figures and verdicts"
    parser = command(_slides, text)
    parser.add_argument("notebook", help="its name")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the page goes (reproduced/)")
    text = "run the notebook first, and show what it makes instead of what is committed"
    parser.add_argument("--run", action="store_true", dest="fresh", help=text)
    parser.add_argument("--lecturer", default="", metavar="NAME", help="who the title names")
    parser.add_argument("--date", default="", metavar="DAY", help="what the title says of the day")
    _project(parser)


def _slides(options: Options) -> int:
    """Return 1 if the notebook fails or a figure that it shows is not at hand."""
    from workbench.lab.publish.slides import slides

    found, notebook, out = _one(options)
    about = (options.lecturer, options.date)
    page, line = slides(found, notebook, out, fresh=options.fresh, about=about)
    say(line, sys.stdout if page else sys.stderr)
    return 0 if page else 1


def _one(options: Options) -> tuple[Any, Path, Path]:
    """Return the project, its notebook that is asked for, and where what is made of it goes."""
    from workbench.lab import project

    found = project.find(explicit=options.project)
    (notebook,) = found.select([options.notebook])
    out = (options.out or found.reproduced).resolve()
    found.keep_apart(out)
    return found, notebook, out


def _add_notebook(command: Any) -> None:
    parser = command(_notebook, "write a copy of a notebook that is one file, for students or to teach from")
    parser.add_argument("notebook", help="its name")
    which = parser.add_mutually_exclusive_group()
    for name, text in (
        ("student", "with a place for the answer instead of each solution"),
        ("teacher", "with the solutions open and the 90-minute plan after the title"),
    ):
        which.add_argument(
            f"--{name}", dest="edition", action="store_const", const=name, default="", help=text
        )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the copy goes (reproduced/)")
    _project(parser)


def _notebook(options: Options) -> int:
    from workbench.lab.publish.committed import copy

    found, notebook, out = _one(options)
    say(str(copy(found, notebook, out, options.edition)))
    return 0


def _add_pages(command: Any) -> None:
    text = "write notebooks, estimators, claims, sample sizes and proofs as pages, from what is committed"
    parser = command(_pages, text)
    parser.add_argument("out", nargs="?", type=Path, metavar="DIR", help="where they go (reproduced/pages)")
    _project(parser)


def _pages(options: Options) -> int:
    from workbench.lab import project
    from workbench.lab.publish.pages import write

    found = project.find(explicit=options.project)
    first, *others = write(found, (options.out or found.reproduced / "pages").resolve())
    say(f"{first}: with {len(others)} further pages, which need no network")
    return 0


def _add_check(command: Any) -> None:
    text = "whether notebooks are fit to be committed: canonical, without outputs, with slide types"
    parser = command(_check, text)
    parser.add_argument("notebook", nargs="*", help="names or files; all of the project by default")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended")
    _project(parser)


def _check(options: Options) -> int:
    """Return 1 if something is left to mend."""
    from workbench.lab import project
    from workbench.lab.publish.committed import examined

    files = [Path(name) for name in options.notebook if Path(name).is_file()]
    others = [name for name in options.notebook if not Path(name).is_file()]
    if others or not files:
        files += project.find(explicit=options.project).select(others)
    text, good = examined(files, mend=options.fix)
    say(text)
    return 0 if good else 1


ADD = {
    "lab": _add_lab,
    "reproduce": _add_reproduce,
    "claims": _add_claims,
    "list": _add_list,
    "plan": _add_plan,
    "estimate": _add_estimate,
    "audit": _add_audit,
    "bench": _add_bench,
    "slides": _add_slides,
    "notebook": _add_notebook,
    "pages": _add_pages,
    "check": _add_check,
}

if __name__ == "__main__":
    sys.exit(main())
