"""What a run shows while it runs: whole lines from several threads, and how far its notebooks are."""

import io
import sqlite3
import sys
import time
from threading import Event, Thread

import pytest
from workbench.lab.runner.console import Console
from workbench.lab.runner.progress import Progress, shown

from tests.lab.conftest import environment
from tests.lab.terminal import terminal
from workbench.lab.runner import console as consoles
from workbench.lab.runner import progress as module
from workbench.lab.runner import stores
from workbench.study.store import Store

COLUMNS = 40


class Screen(io.StringIO):
    """A terminal that keeps what is written, and lets other threads go on after every write."""

    def isatty(self):
        return True

    def write(self, text):
        time.sleep(0.0005)
        return super().write(text)

    def rows(self):
        """The rows a person sees: a return goes back to the first column, a newline to the next row."""
        return [_overwritten(row) for row in self.getvalue().split("\n")]


def _overwritten(row):
    seen = ""
    for piece in row.split("\r"):
        seen = piece + seen[len(piece) :]
    return seen.rstrip()


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    return Screen()


def test_lines_of_several_threads_are_whole_and_the_line_below_is_rewritten(screen):
    console = Console(screen)

    def speak(word):
        for number in range(40):
            console.say(f"  {word}: cached in {number} s")
            console.below(f"{word} {number}")

    threads = [Thread(target=speak, args=(f"0{name}_notebook",)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    console.below("")
    *rows, last = screen.rows()
    assert sorted(rows) == sorted(
        f"  0{name}_notebook: cached in {number} s" for name in range(3) for number in range(40)
    )
    assert last == ""


def test_the_line_below_never_wraps(screen):
    Console(screen).below("x" * 200)
    assert len(screen.rows()[-1]) == COLUMNS - 1 - consoles.ECHO


def test_a_file_gets_no_line_that_is_rewritten():
    stream = io.StringIO()
    Console(stream).below("x")
    assert stream.getvalue() == ""


def stored(out, count):
    """Make a store of so many blocks, as far as counting them goes."""
    with Store(stores.place(out)) as store:
        for number in range(count):
            store.fetch("INSERT INTO cells VALUES ('s', 'p', ?, '', '', '', 'n', 1, 0.5)", [number])


def test_blocks_are_counted_while_another_process_writes(tmp_path):
    out = tmp_path / "01_good"
    assert stores.count(stores.place(out)) == 0
    assert not stores.place(out).exists()
    stored(out, 3)
    writer = sqlite3.connect(stores.place(out), isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO cells VALUES ('s', 'p', 9, '', '', '', 'n', 1, 0.5)")
    assert stores.count(stores.place(out)) == 3
    writer.execute("COMMIT")
    assert stores.count(stores.place(out)) == 4
    writer.close()
    stores.place(out).write_bytes(b"no database")
    assert stores.count(stores.place(out)) == 0


@pytest.mark.parametrize(("most", "of"), [({"01_good": 12}, " of 12"), ({"01_good": 3}, " of 3"), ({}, "")])
def test_a_line_says_blocks_and_seconds_of_everything_that_runs(tmp_path, most, of):
    out = tmp_path / "01_good"
    stored(out, 3)
    progress = Progress(most)
    assert progress.line() == ""
    with progress.of(out), progress.of(tmp_path / "02_other"):
        assert progress.line() == f"01_good: 3{of} blocks, 0 s; 02_other: 0 blocks, 0 s"
    assert progress.line() == ""


def test_blocks_of_other_parameters_do_not_make_it_more_than_all(tmp_path):
    stored(tmp_path / "01_good", 3)
    progress = Progress({"01_good": 2})
    with progress.of(tmp_path / "01_good"):
        assert progress.line() == "01_good: 3 blocks, 0 s"


@pytest.fixture
def soon(monkeypatch):
    """Let progress be shown at once where it is asked for, and nowhere else for an hour."""

    def soon(live):
        monkeypatch.setattr(module, "LIVE", 0.05 if live else 3600)
        monkeypatch.setattr(module, "DULL", 3600 if live else 0.05)

    return soon


@pytest.mark.parametrize("stream", [io.StringIO, Screen])
def test_progress_is_shown_in_time_and_gone_in_the_end(tmp_path, stream, soon):
    console, progress = Console(stream()), Progress({})
    soon(console.live)
    with shown(progress, console):
        time.sleep(0.2)
        assert console.stream.getvalue() == ""  # nothing runs
        with progress.of(tmp_path / "01_good"):
            deadline = time.monotonic() + 60
            while "  01_good: 0 blocks, " not in console.stream.getvalue():
                assert time.monotonic() < deadline
                time.sleep(0.02)
    if console.live:
        assert console.stream.rows() == [""]


def test_a_file_gets_a_line_every_half_minute_at_most():
    assert module.DULL >= 30


def test_a_fault_of_progress_is_none_of_the_run(capfd, soon):
    class Broken(Progress):
        asked = Event()

        def line(self):
            self.asked.set()
            raise RuntimeError("broken")

    soon(live=False)
    with shown(Broken({}), Console(io.StringIO())):
        assert Broken.asked.wait(60)
        time.sleep(0.1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.daily
def test_a_cached_run_in_a_terminal_says_whole_lines(project, workbench):
    copy = project / "notebooks" / "02_good.ipynb"
    copy.write_bytes((project / "notebooks" / "01_good.ipynb").read_bytes())
    workbench("reproduce", "-p", "seed=8", cwd=project)
    command = [sys.executable, "-m", "workbench.cli", "reproduce", "-p", "seed=8"]
    with terminal(command, cwd=project, env=environment()) as screen:
        assert screen.ended() == 0
    lines = [line.rstrip() for line in screen.lines]
    assert sorted(lines[1:3]) == [f"  0{number}_good/seed=8: cached in 0 s" for number in (1, 2)]
