"""The command line in this process: its exit code, and what it printed."""

from typing import NamedTuple

import pytest

from workbench.cli import main


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
