"""The command `workbench`.

Exit codes: 0 all good; 1 something is not as committed or required; 2 a wrong argument, one line on
stderr, nothing written; 3 the estimator abstained.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

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


def parser() -> Parser:
    """Return the parser of every command."""
    from workbench.commands import COMMANDS

    top = Parser(
        prog="workbench", description="Differentially private estimation: figures, verdicts, estimates."
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return top


if __name__ == "__main__":
    sys.exit(main())
