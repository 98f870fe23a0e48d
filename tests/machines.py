"""README's first command as other machines would run it: `machines.py OUT [DAY]`, for continuous integration.

Reproduces every notebook under each BLAS kernel that this processor has, and under its own, with one thread
and with two, prints the outcomes as a table, and ends with 1 unless all of them are good. A kernel's first
run starts from nothing. Its second executes every notebook again, too, but finds the blocks of sweeps, which
run on one thread however many there are (`test_sweeps.py`), and are so two thirds of the work. Given a DAY,
a number, it does one of these runs, and the next one the day after.
"""

import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

NEEDS = {"Prescott": "sse3", "Haswell": "avx2", "SkylakeX": "avx512f"}  # kernel: as /proc/cpuinfo names it
SPELT = {"sse3": "pni"}
THREADS = (1, 2)
OWN = "its own"  # what the library chooses
LOADED = "from workbench.study.store import KERNELS; print(*KERNELS, sep=', ')"


def kernels(cpuinfo: str, machine: str) -> list[str]:
    """The kernels to ask for on a processor; none but its own where they are not known."""
    if machine not in ("x86_64", "AMD64"):
        return [OWN]
    flags = set(cpuinfo.partition("flags")[2].partition("\n")[0].split())
    return [name for name, flag in NEEDS.items() if SPELT.get(flag, flag) in flags] or [OWN]


def distinct(asked: Iterable[str], loaded: dict[str, str]) -> list[str]:
    """The kernels asked for, and the machine's own if it is none of them, each once."""
    found = {loaded[name]: name for name in (OWN, *asked)}
    return list(found.values())


def runs(kernels: list[str], day: int | None = None) -> list[tuple[str, int]]:
    """Kernels, the machine's own first, with their threads: all of them, or that of a day."""
    every = [(kernel, threads) for kernel in kernels for threads in THREADS]
    return every if day is None else [every[day % len(every)]]


def environment(kernel: str, threads: int) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    chosen = {} if kernel == OWN else {"OPENBLAS_CORETYPE": kernel}
    return {**inherited, **chosen, "OPENBLAS_NUM_THREADS": str(threads)}


def loaded(kernel: str) -> str:
    """What the libraries say they have chosen."""
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, env=environment(kernel, 1), check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def reproduce(kernel: str, threads: int, out: Path) -> tuple[int, str]:
    """Run the command, showing what it prints; return how it ends, and a line of the table."""
    command = [str(Path(sys.executable).with_name("workbench")), "reproduce", "--out", str(out)]
    started, failed = time.monotonic(), 0
    with subprocess.Popen(
        command, env=environment(kernel, threads), stdout=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            failed += line.startswith("FAILED")
    seconds = time.monotonic() - started
    return process.returncode, f"{kernel:10} {threads:7} {seconds:8.0f} {process.returncode:5} {failed:7}"


def main(out: Path, day: int | None = None) -> int:
    """Run them; 1 unless every one is good."""
    information = Path("/proc/cpuinfo")
    asked = kernels(information.read_text() if information.is_file() else "", platform.machine())
    chosen = {name: loaded(name) for name in {OWN, *asked}}
    outcomes = []
    for kernel, threads in runs(distinct(asked, chosen), day):
        print(f"\nkernel {kernel}, {threads} threads: {chosen[kernel]}", flush=True)
        outcomes.append(reproduce(kernel, threads, out / kernel.replace(" ", "-")))
    print(f"\n{'kernel':10} {'threads':>7} {'seconds':>8} {'exit':>5} {'FAILED':>7}")
    print(*(line for _, line in outcomes), sep="\n")
    return int(any(code for code, _ in outcomes))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
