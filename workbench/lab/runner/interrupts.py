"""How a run is asked to end: Ctrl-C, `kill`, a terminal that is closed; all of them end it alike."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # not every platform has all of them


class Interrupted(KeyboardInterrupt):
    """A signal asked this process to end.

    Parameters
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.exit_code = 128 + number  # as a shell says it: 130 after Ctrl-C, 143 after `kill`


def signals() -> list[signal.Signals]:
    """Return the signals that ask a process to end on this platform, but for those it was told to ignore.

    A process in the background of a script ignores Ctrl-C, one under `nohup` the end of its terminal.
    """
    known = [signal.Signals[name] for name in NAMES if hasattr(signal, name)]
    return [one for one in known if signal.getsignal(one) is not signal.SIG_IGN]


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first such signal raise `Interrupted`; what then cleans up is not disturbed by another one."""
    if threading.current_thread() is not threading.main_thread():  # no other may change handlers
        yield
        return
    before = {one: signal.signal(one, _interrupt) for one in signals()}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _interrupt(number: int, _frame: FrameType | None) -> NoReturn:
    for one in signals():
        signal.signal(one, _again)
    raise Interrupted(number)


def _again(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the end has begun."""
