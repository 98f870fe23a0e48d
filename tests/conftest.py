"""Takes deadlines from properties; the options of the browser tests; the command line in this process."""

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from workbench.cli import main

settings.register_profile("workbench", deadline=None)  # time is for benchmarks, not for properties
settings.load_profile("workbench")


def pytest_addoption(parser):
    parser.addoption(
        "--browser-output",
        default=Path(__file__).parents[1] / "build" / "browser",
        metavar="DIR",
        help="where the browser tests keep screenshots (emptied first)",
    )


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str

    def refused(self, *words):
        """Fail unless one line names what was wrong, and return it."""
        assert (self.returncode, self.stdout) == (2, ""), self
        assert self.stderr.startswith("workbench: error: ")
        assert self.stderr.count("\n") == 1
        assert all(word in self.stderr for word in words), self.stderr
        return self.stderr.removeprefix("workbench: error: ").strip()

    def printed(self):
        """Fail unless all was good, and return what it printed."""
        assert (self.returncode, self.stderr) == (0, ""), self
        return self.stdout


@pytest.fixture
def command(capsys):
    """Return the command; every warning is an error, as everywhere in the tests."""

    def run(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
        return Done(code, *capsys.readouterr())

    return run
