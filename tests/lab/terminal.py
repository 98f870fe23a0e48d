"""A command in a terminal of its own: what it shows, and the keys that are typed into it."""

import os
import pty
import subprocess
import time
from contextlib import contextmanager, suppress
from threading import Thread

PATIENCE = 120.0
CTRL_C = b"\x03"


class Terminal:
    """A process whose controlling terminal this is, and all that it has written."""

    def __init__(self, process, keys):
        self.process, self.keys, self.written = process, keys, b""
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        with suppress(OSError):  # the end of a terminal
            while found := os.read(self.keys, 65536):
                self.written += found

    @property
    def text(self):
        return self.written.decode()

    @property
    def lines(self):
        """The lines a person sees in the end: what was rewritten is gone."""
        return [line.rpartition("\r")[2] for line in self.text.replace("\r\n", "\n").split("\n")]

    def type(self, keys):
        os.write(self.keys, keys)

    def until(self, true):
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < deadline, self.text
            assert self.process.poll() is None, self.text
            time.sleep(0.02)

    def ended(self):
        """Wait for the end and return the exit code."""
        code = self.process.wait(PATIENCE)
        self.reader.join(1.0)
        return code


@contextmanager
def terminal(command, **options):
    """Start a command as the leader of a session whose terminal is new."""
    keys, screen = pty.openpty()

    def own():
        os.setsid()
        os.close(os.open(os.ttyname(screen), os.O_RDWR))  # the first it opens becomes its terminal

    process = subprocess.Popen(command, stdin=screen, stdout=screen, stderr=screen, preexec_fn=own, **options)
    os.close(screen)
    try:
        yield Terminal(process, keys)
    finally:
        process.kill()
        process.wait()
        os.close(keys)


def marked(mark, running=""):
    """Return the ids of the processes that inherited this value of MARK, run this and have not ended."""
    listed = subprocess.run(
        ["ps", "axeww", "-o", "pid=,stat=,command="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [
        int(pid)
        for pid, state, words in rows
        if f"MARK={mark}" in words.split() and running in words and state[0] != "Z"
    ]
