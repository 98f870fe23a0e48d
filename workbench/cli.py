"""The command `workbench`.

Exit codes: 0 all good; 1 something is not as committed or required; 2 a wrong argument, or a file that cannot
be read or written, one line on stderr; 3 the estimator abstained; 4 a release is printed that could not be
written where it was asked for.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from typing import Any, NoReturn

from workbench import __version__
from workbench.commands import COMMANDS
from workbench.commands.base import Help
from workbench.commands.examples import FIRST, epilog
from workbench.errors import ArgumentError, one_of_words
from workbench.lab.tables import give_up_on_stdout, printable, say

LAB = {"pandas", "matplotlib", "joblib", "tqdm", "threadpoolctl", "sklearn", "IPython", "ipywidgets"}
LAB |= {"ipykernel", "papermill", "nbformat", "nbclient", "nbconvert", "jupyterlab", "jupyter_client"}
LAB |= {"anywidget", "jinja2", "latex2mathml"}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line and name what a slip may have meant."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse a flag that is unknown, here where those that are known can be named."""
        options, rest = super().parse_known_args(args, namespace)
        for word in rest:
            if word.startswith("--"):
                flag, known = (
                    word.partition("=")[0],
                    [one for one in self._option_string_actions if "--" in one],
                )
                self.error(f"{flag}: expected {one_of_words(flag, known)}")
        return options, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            name = "/".join(action.option_strings) or str(action.metavar or action.dest)
            self.error(str(ArgumentError(name, value, one_of_words(value, action.choices))))

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        self.exit(2, f"workbench: error: {printable(' '.join(message.split()))}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    if argv is None and not _alone():
        return _complain("stdout: expected to be open")
    try:
        try:
            options = parser().parse_args(argv)
            run: Callable[[argparse.Namespace], int] = options.run
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


def parser() -> Parser:
    """Return the parser of every command; without one the usage is what is asked for."""
    text = "Differentially private estimation: figures, verdicts, estimates."
    after = epilog(FIRST, "workbench COMMAND --help    (its flags, and examples)")
    top = Parser(prog="workbench", description=text, epilog=after, formatter_class=Help)
    top.add_argument(
        "-V", "--version", action="version", version=f"workbench {__version__}", help="which version this is"
    )
    top.set_defaults(run=partial(_usage, top))
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return top


def _usage(top: Parser, options: argparse.Namespace) -> int:
    top.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
