"""The command `workbench`.

Exit codes: 0 all good; 1 something is not as committed or required; 2 a wrong argument, or a file that cannot
be read or written, one line on stderr; 3 the estimator abstained; 4 a release is printed that could not be
written where it was asked for. What carries a command out is a function of its options in a module of the
lab, which is imported when it runs, so that help is quick.
"""

import argparse
import ast
import atexit
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from workbench import __version__
from workbench.errors import ArgumentError, one_of_words
from workbench.lab.tables import give_up_on_stdout, page_width, printable, say

LAB = {"pandas", "matplotlib", "joblib", "tqdm", "threadpoolctl", "IPython", "ipywidgets"}
LAB |= {"ipykernel", "papermill", "nbformat", "nbclient", "nbconvert", "jupyterlab", "jupyter_client"}
LAB |= {"anywidget", "jinja2", "latex2mathml"}
KEPT = ("MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
STATUSES = ("HOLDS", "NOT CONTRADICTED", "REFUTED", "UNDECIDED")


def main(argv: Sequence[str] | None = None) -> int:
    if argv is None and not _alone():
        return _complain("stdout: expected to be open")
    try:
        try:
            options = parser().parse_args(argv)
            module, _, function = options.run.partition(":")
            return int(getattr(import_module(module), function)(options))
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
    """Make a process of its own fit for its command, and return whether somebody hears it.

    Libraries keep their files in a folder of this process where the user has none for them.
    """
    os.environ.setdefault("PYTHONSAFEPATH", "1")  # what it starts imports nothing of the working folder
    given = (os.environ.get(name) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"))
    homes = (os.path.expanduser("~"), *filter(None, given))
    if not all(os.access(one, os.W_OK | os.X_OK) for one in homes):
        from shutil import rmtree
        from tempfile import mkdtemp

        with suppress(OSError):
            folder = mkdtemp(prefix="workbench-")
            atexit.register(rmtree, folder, ignore_errors=True)
            for name in KEPT:
                os.environ.setdefault(name, folder)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may have no letter for ε
    return sys.stdout is not None


def _complain(message: str) -> int:
    with suppress(OSError):  # nobody hears it
        say(f"workbench: error: {message}", sys.stderr)
    return 2


# What the words of a command line become


def pair(text: str, form: str = "NAME=VALUE") -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if not (equals and name.isidentifier()):
        raise argparse.ArgumentTypeError(f"{text!r}: expected {form}")
    return name, _literal(value)


def axis(text: str) -> tuple[str, tuple[object, ...]]:
    name, _ = pair(text, "NAME=VALUE,VALUE,...")
    return name, tuple(map(_literal, text.partition("=")[2].split(",")))


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _scales(text: str) -> tuple[object, ...]:
    return () if text == "found" else tuple(map(_literal, text.split(",")))


def _mark(text: str) -> str:
    return {"tab": "\t", "\\t": "\t"}.get(text, text)


# Commands, in the order of the help: what each does, and its options, one line an option


class Command(NamedTuple):
    """A command: what carries it out, its line in the help, its options, examples, and more help.

    What carries it out is `module:function`; 0 is what that returns where all is good. An option is its names
    and the word for its value; what that becomes, bool for a flag, or the words to choose from; its default,
    a list where several are collected; its help; what more `add_argument` takes.
    """

    run: str
    text: str
    options: Sequence[tuple[Any, ...]]
    examples: Sequence[str]
    more: str = ""


PROJECT = ("--project DIR", Path, None, "the checkout (found from here upwards, or what the wheel carries)")
JSON = ("--json", bool, False, "as JSON")
BUDGET = (
    ("--epsilon E", float, None, "pure DP; with --delta approximate DP"),
    ("--delta D", float, None, "of approximate DP, and of zero-concentrated DP if asked for"),
    ("--rho R", float, None, "zero-concentrated DP"),
)
SET: tuple[Any, ...] = ("--set NAME=VALUE", pair, [], "a public parameter of the estimator")
NOTEBOOK = ("notebook", str, None, "its name")
NOTEBOOKS = ("notebook", str, None, "its name or its chapter; all of them by default", {"nargs": "*"})
KEYS = ("key", str, None, "an estimator; all of the catalog by default", {"nargs": "*"})
OUT = ("--out DIR", Path, None, "where outputs go (reproduced/)")
COMMANDS = {
    "lab": Command(
        "workbench.lab.project:serve",
        "open the notebooks in JupyterLab, offline; outside a checkout a copy of them, in ./dp-workbench",
        (
            ("--port PORT", int, 8888, "of the server (8888)"),
            ("--no-browser", bool, False, "only print the address"),
            PROJECT,
        ),
        ("workbench lab --no-browser",),
    ),
    "reproduce": Command(
        "workbench.lab.runner:reproduce",
        "run the notebooks and compare with the committed figures and verdicts",
        (
            ("notebook", str, None, "its name or its chapter, NAME/FIGURE for one figure", {"nargs": "*"}),
            ("--profile", ("quick", "full"), "quick", "compare, or decide every claim (quick)"),
            ("--update", bool, False, "rewrite figures/; needs --profile full"),
            OUT,
            PROJECT,
            ("-p --parameter NAME=VALUE", pair, [], "run there instead, and compare with predictions"),
            ("--grid NAME=VALUE,VALUE,...", axis, [], "a run at each combination of values"),
            ("--limit TIMES", float, 2.0, "most work of a sweep, over that at its usual points (2)"),
            ("--jobs N", int, None, "processes that compute at a time (2)"),
            ("--scheduler ADDRESS", str, None, "of a dask cluster that computes: tcp://host:8786"),
            ("--timeout SECONDS", float, None, "for each notebook"),
        ),
        (
            "workbench reproduce 02_one_mean/error_against_radius",
            "workbench reproduce one_mean --grid epsilon=0.1,0.5 -p n=500",
        ),
    ),
    "claims": Command(
        "workbench.lab.claims:shown",
        "the claims and their committed verdicts; the statements of a source",
        (
            ("subject ID", str, None, "claims, or one source or statement of it", {"nargs": "*"}),
            ("--status S", STATUSES, [], "only these: " + ", ".join(STATUSES), {"type": str.upper}),
            ("--from DIR", Path, None, "instead of figures/", {"dest": "folder"}),
            PROJECT,
            JSON,
        ),
        ("workbench claims --status REFUTED", "workbench claims L17    (its statements, what covers each)"),
    ),
    "list": Command(
        "workbench.lab.estimating:catalog",
        "the catalog: every estimator, what it estimates, at which budgets",
        (
            ("subject KEY", str, "", "an estimator shown whole; or a family, or an estimand", {"nargs": "?"}),
            ("--secure", bool, False, "which step has no exact noise"),
            JSON,
        ),
        ("workbench list mean", "workbench list univariate/two-step-mean"),
    ),
    "plan": Command(
        "workbench.lab.planning:plan",
        "the rows that an accuracy needs at a budget, or the budget at --n rows",
        (
            ("subject ESTIMAND", str, "", "an estimand, or an estimator (all)", {"nargs": "?"}),
            ("--d D", int, None, "columns (the fewest that all in question accept)"),
            ("--alpha A", float, None, "target error (none: only where answers begin)"),
            ("--relative SHARE", str, None, "as a share of --set centre, such as 1%% (means of a column)"),
            ("--beta B", float, None, "probability of a larger error (0.05)"),
            ("--confidence C", float, None, "the same as --beta 1-C, by a proved bound alone"),
            *BUDGET,
            ("--n N", int, None, "rows: ask for the least budget instead"),
            ("--calibration", ("paper", "tight", "both"), "tight", "original or improved constants (tight)"),
            SET,
            ("--from MODULE:OBJECT", str, None, "an estimator or Addition of your own, too", {"dest": "own"}),
            ("--simulate", bool, False, "search n by runs on synthetic rows, too"),
            ("--share Q", float, 0.5, "of runs within alpha (0.5)"),
            ("--runs R", int, 200, "of each search (200)"),
            ("--seed S", int, 1, "of the runs (1)"),
            ("--jobs J", int, 1, "searches at a time (1)"),
            ("--why", bool, False, "what each answer rests on, and why others give none"),
            JSON,
        ),
        ("workbench plan mean --alpha 0.1 --set radius=100 --set sigma=1    (or --n 2000: the least ε)",),
    ),
    "estimate": Command(
        "workbench.lab.estimating:estimate",
        "one private estimate from a CSV or Parquet file",
        (
            ("file", Path, None, "CSV with a header (also .gz, .bz2, .xz), - for stdin, or .parquet"),
            ("--key KEY", str, None, "the estimator, see `workbench list`; needed but for --check"),
            ("--column --columns NAME", str, (), "by name (all)", {"dest": "columns", "nargs": "+"}),
            *BUDGET,
            SET,
            ("--scale S,S,...", _scales, None, "of each column, which is divided by it; or found: privately"),
            ("--rows-per-person K", int, None, "the budget is for each person, who has K rows at most"),
            ("--separator --sep MARK", _mark, None, "of columns (found in the header: , ; | tab)"),
            ("--decimal MARK", str, None, ". or , (. and, where ; separates columns, also ,)"),
            ("--missing VALUE", float, None, "what a missing entry counts as (its row is absent)"),
            ("--check", bool, False, "no estimate: list the cells that are no numbers (not private)"),
            ("--seed N", int, None, "a replay, which is not private"),
            ("--secure", bool, False, "exact noise, for release (extra `secure`)"),
            ("--out JSON", Path, None, "write the result to this new file, too"),
        ),
        (
            "workbench estimate heights.csv --column height --key univariate/two-step-mean \\",
            "    --set radius=1000 --set sigma=9 --epsilon 0.5",
            "workbench list univariate/two-step-mean    (what --set may name, and its defaults)",
        ),
        """. The first line of CSV names the columns and is
public; every line below it is one row, blank ones too, and their number is public: the last line too needs
its line end. A cell that is no number (empty, a word, a date, 1,000, inf, above 1e100) is a missing entry:
never an error, never told one by one. A row with a missing entry is absent: it keeps its place, and no stage
of an estimate counts it; so is a line with more cells than the first has names. Most means and covariances
of clipped rows make up for absent rows by a private count of the others. --set centre=170,30000 is one
number for each column, in means.""",
    ),
    "audit": Command(
        "workbench.lab.audits:audit",
        "attack the privacy of every stage of every estimator",
        (
            KEYS,
            ("--mutants", bool, False, "broken estimators instead: each must be found"),
            ("--function MODULE:OBJECT", str, None, "one of your own instead: f(rows, rng)"),
            ("--pairs MODULE:OBJECT", str, None, "its neighbours: a list of (first, second)"),
            *BUDGET,
            ("--mu M", float, None, "Gaussian DP"),
            ("--preset", ("ci", "deep"), "ci", "how many runs (ci)"),
            ("--seed N", int, 0, "of the runs (0)"),
            JSON,
        ),
        ("workbench audit --function mine:noisy_mean --pairs mine:PAIRS --epsilon 1",),
    ),
    "bench": Command(
        "workbench.lab.audits:bench",
        "time and memory of every estimator, against the primitives that it cannot avoid",
        (
            KEYS,
            ("--n N", int, 100_000, "rows (100000)"),
            ("--d N", int, None, "columns, where an estimator accepts several"),
            ("--repeat N", int, 5, "rounds of warm calls (5)"),
            JSON,
        ),
        ("workbench bench univariate/median --n 20000",),
    ),
    "slides": Command(
        "workbench.lab.publish:slides",
        "write a notebook as reveal.js slides, one page, from its committed figures and verdicts",
        (
            NOTEBOOK,
            OUT,
            ("--run", bool, False, "run the notebook first, and show what it makes", {"dest": "fresh"}),
            ("--lecturer NAME", str, "", "who the title names"),
            ("--date DAY", str, "", "what the title says of the day"),
            PROJECT,
        ),
        ("workbench slides 02_one_mean",),
    ),
    "notebook": Command(
        "workbench.lab.publish:copy",
        "write a copy of a notebook that is one file, for students or to teach from",
        (
            NOTEBOOK,
            ("--student", bool, False, "with a place for the answer instead of each solution"),
            ("--teacher", bool, False, "with the solutions open and the 90-minute plan after the title"),
            OUT,
            PROJECT,
        ),
        ("workbench notebook 02_one_mean --teacher --out ~/monday",),
    ),
    "pages": Command(
        "workbench.lab.publish:pages",
        "write notebooks, estimators, claims, sample sizes and proofs as pages, from what is committed",
        (("out DIR", Path, None, "where they go (reproduced/pages)", {"nargs": "?"}), PROJECT),
        ("workbench pages ~/workbench",),
    ),
    "check": Command(
        "workbench.lab.publish:check",
        "whether notebooks are fit to be committed: canonical, without outputs, with slide types",
        (NOTEBOOKS, ("--fix", bool, False, "mend what can be mended"), PROJECT),
        ("workbench check --fix",),
    ),
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line; a wrong word names what it may have meant."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            name = "/".join(action.option_strings) or str(action.metavar or action.dest)
            self.error(str(ArgumentError(name, value, one_of_words(value, action.choices))))

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"workbench: error: {printable(' '.join(message.split()))}\n")


def usage(_: argparse.Namespace) -> int:
    parser().print_help()
    return 0


def parser() -> Parser:
    """Return the parser of every command; without one the usage is what is asked for."""

    def shown(prog: str) -> argparse.HelpFormatter:
        return argparse.RawDescriptionHelpFormatter(prog, max_help_position=30, width=page_width())

    first = COMMANDS["plan"].examples[0].partition("  ")[0]
    top = Parser(
        prog="workbench",
        description="Differentially private estimation: figures, claims, estimates.",
        epilog="\n  ".join(("examples:", first, "workbench COMMAND --help    (its flags, and examples)")),
        formatter_class=shown,
    )
    top.add_argument("-V", "--version", action="version", version=f"workbench {__version__}")
    top.set_defaults(run=f"{__name__}:usage")
    added = top.add_subparsers(title="commands", metavar="COMMAND")
    for name, one in COMMANDS.items():
        epilog = "\n  ".join(("examples:", *one.examples))
        about: dict[str, Any] = {"description": one.text + one.more, "epilog": epilog}
        command = added.add_parser(name, help=one.text, formatter_class=shown, **about)
        for words, kind, default, text, *more in one.options:
            names = [word for word in words.split() if word.startswith("-")] or words.split()[:1]
            how: dict[str, Any] = {"help": text, "default": default}
            if kind is bool:
                how["action"] = "store_true"
            else:
                how |= {"choices": kind} if isinstance(kind, tuple) else {"type": kind}
                how |= {"metavar": words.split()[-1]} if len(words.split()) > len(names) else {}
                how |= {"action": "append"} if isinstance(default, list) else {}
            command.add_argument(*names, **how | (more[0] if more else {}))
        command.set_defaults(run=one.run)
    return top


if __name__ == "__main__":
    sys.exit(main())
