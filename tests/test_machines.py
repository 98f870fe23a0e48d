import subprocess
import sys
from pathlib import Path

import pytest

from tests.machines import OWN, environment, kernels

ROOT = Path(__file__).parents[1]
BITS = """
import sys
import numpy as np
from workbench.study.grids import Sweep, grid
from workbench.study.sweeps import run

def block(*, trials, data, noise, **point):
    x = data.standard_normal((trials, 300, 300))
    return {"error": [float(np.linalg.eigvalsh(a @ a.T)[7]) for a in x]}

frame = run(Sweep("bits", grid(n=[1]), block, 3, {"quick": 1}), "quick", seed=1)
print(frame["error"].to_numpy().tobytes().hex())
"""


@pytest.mark.parametrize(
    ("flags", "machine", "found"),
    [
        ("fpu pni avx avx2", "x86_64", ["Prescott", "Haswell"]),
        ("fpu pni avx avx2 avx512f avx512vl", "x86_64", ["Prescott", "Haswell", "SkylakeX"]),
        ("fpu", "x86_64", [OWN]),
        ("fpu pni avx2", "aarch64", [OWN]),
    ],
)
def test_the_kernels_of_a_processor(flags, machine, found):
    assert kernels(f"model name : a\nflags\t\t: {flags}\nbugs : avx512f", machine) == found
    assert kernels("", machine) == [OWN]


@pytest.mark.daily
def test_blocks_of_a_sweep_have_the_same_bits_with_one_thread_and_two():
    bits = [
        subprocess.run(
            [sys.executable, "-c", BITS], env=environment(OWN, threads), cwd=ROOT, capture_output=True,
            text=True, check=True,
        ).stdout
        for threads in (1, 2)
    ]  # fmt: skip
    assert bits[0] == bits[1]
