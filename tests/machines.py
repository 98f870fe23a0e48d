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
from itertools import product
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


def environment(kernel: str, threads: int) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    chosen = {} if kernel == OWN else {"OPENBLAS_CORETYPE": kernel}
    return {**inherited, **chosen, "OPENBLAS_NUM_THREADS": str(threads)}


def loaded(kernel: str) -> str:
    """What the libraries say they have chosen."""
    command, env = [sys.executable, "-c", LOADED], environment(kernel, 1)
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def main(out: Path, day: int | None = None) -> int:
    """Run them; 1 unless every one is good."""
    information = Path("/proc/cpuinfo")
    asked = kernels(information.read_text() if information.is_file() else "", platform.machine())
    chosen = {loaded(name): name for name in (OWN, *asked)}  # each once, its own if none asked for is it
    runs, lines = [*product(chosen.items(), THREADS)], []
    for (words, kernel), threads in runs if day is None else [runs[day % len(runs)]]:
        print(f"\nkernel {kernel}, {threads} threads: {words}", flush=True)
        program, started = Path(sys.executable).with_name("workbench"), time.monotonic()
        command = [program, "reproduce", "--out", out / kernel.replace(" ", "-")]
        code = subprocess.run(command, env=environment(kernel, threads)).returncode
        lines.append((kernel, threads, round(time.monotonic() - started), code))
    for line in (("kernel", "threads", "seconds", "exit"), *lines):
        print("{:10} {:>7} {:>8} {:>5}".format(*line))
    return int(any(code for *_, code in lines))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
