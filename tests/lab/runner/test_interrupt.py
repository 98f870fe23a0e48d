"""A `reproduce` that is asked to end, by Ctrl-C in a terminal or by a signal: what it says and leaves."""

import os
import signal
import time

import pytest

from tests.lab.runner.test_resume import OPEN, Lab
from tests.lab.runner.test_resume import whole as whole
from tests.lab.terminal import CTRL_C, marked, terminal
from workbench.lab.runner import Interrupted, interruptible

LINE = f"interrupted: {OPEN} blocks kept, run again to go on"


@pytest.fixture
def lab(whole, tmp_path):
    """A run whose first sweep stops in the middle."""
    return Lab(whole.checkout, tmp_path, "figure")


def environment(lab):
    return {**lab.environment, "MARK": str(lab.folder), "COLUMNS": ""}


def nobody_is_left(lab):
    deadline = time.monotonic() + 15
    while left := marked(str(lab.folder)):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def goes_on(lab, whole):
    """Run the same again, with the gate open."""
    (lab.folder / "GATE").touch()
    said = lab.reproduce("--jobs", "2")
    assert f"{OPEN} blocks of earlier runs may save" in said
    assert lab.bytes() == whole.bytes()


@pytest.mark.daily
def test_ctrl_c_in_a_terminal_pressed_in_haste_says_how_many_blocks_are_kept(lab, whole):
    with terminal([*lab.command, "--jobs", "2"], cwd=lab.checkout, env=environment(lab)) as screen:
        screen.until(lambda: len(lab.stored) == OPEN)
        screen.until(lambda: f"01_gated/seed=8: {OPEN} blocks, " in screen.text)
        for _ in range(3):
            screen.type(CTRL_C)
            time.sleep(0.1)
        assert screen.ended() == 130
    assert screen.lines[-2:] == [LINE, ""]
    assert "timeout" not in screen.text
    assert "Traceback" not in screen.text
    nobody_is_left(lab)
    assert len(lab.stored) == OPEN
    goes_on(lab, whole)


def test_what_a_process_was_told_to_ignore_does_not_end_it():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` does
    try:
        with interruptible():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("_heard")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_cleans_up_is_not_interrupted_again_and_the_handlers_come_back(how):
    before = signal.getsignal(how)
    with interruptible():
        with pytest.raises(Interrupted) as ended:
            interrupt_and_wait(how)
        os.kill(os.getpid(), how)
    assert ended.value.exit_code == 128 + how
    assert signal.getsignal(how) is before


def interrupt_and_wait(how):
    os.kill(os.getpid(), how)
    time.sleep(60)
