"""A `reproduce` that is asked to end, by Ctrl-C in a terminal or by a signal: what it says and leaves."""

import os
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from tests.cluster import until
from tests.lab.conftest import marked
from tests.lab.runner.test_resume import OPEN, Lab
from tests.lab.runner.test_resume import whole as whole
from workbench.lab.runner import Interrupted, interruptible

LINE = f"interrupted: {OPEN} blocks kept, run again to go on"


@pytest.mark.daily
@pytest.mark.usefixtures("_heard")
def test_ctrl_c_pressed_in_haste_says_how_many_blocks_are_kept_and_the_next_run_goes_on(whole, tmp_path):
    lab = Lab(whole.checkout, tmp_path, "figure")  # its first sweep stops in the middle
    with subprocess.Popen(
        [*lab.command, "--jobs", "2"], cwd=lab.checkout, env={**lab.environment, "MARK": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert any(f"01_gated/seed=8: {OPEN} blocks, " in line for line in process.stdout)
        for _ in range(3):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            time.sleep(0.1)
        said = process.communicate()[0]
    assert (process.returncode, said) == (130, f"{LINE}\n")
    until(lambda: not marked(str(tmp_path)))
    assert len(lab.stored) == OPEN
    (tmp_path / "GATE").touch()
    assert f"{OPEN} blocks of earlier runs may save" in lab.reproduce("--jobs", "2")
    assert lab.bytes() == whole.bytes()


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
