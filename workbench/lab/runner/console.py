"""Where a run speaks: whole lines from any thread, and on a terminal a line below them that is rewritten."""

import shutil
import sys
from threading import Lock
from typing import TextIO

from workbench.lab.tables import printable

ECHO = 2  # characters that a terminal itself writes after the line: ^C


class Console:
    """A stream of lines, by default standard output.

    Parameters
    ----------
    stream : text stream, optional
        Where to write.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        self.live = self.stream.isatty()
        self._below = ""
        self._lock = Lock()

    def say(self, text: str) -> None:
        """Write whole lines, which stay."""
        with self._lock:
            self._write(self._wiped() + printable(text) + "\n" + self._below)

    def below(self, text: str) -> None:
        """Replace the line below all others on a terminal; anywhere else, write nothing."""
        if not self.live:
            return
        room = shutil.get_terminal_size().columns - ECHO - 1  # a wrapped line cannot be rewritten
        text = printable(text)[: max(0, room)]
        with self._lock:
            if text != self._below:
                wiped, self._below = self._wiped(), text
                self._write(wiped + text)

    def _wiped(self) -> str:
        return "\r" + " " * (len(self._below) + ECHO) + "\r" if self._below else ""

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
