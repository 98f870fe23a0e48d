"""One release, bit for bit: for chunks of any size, rows in any order, any threads, any kernel of BLAS."""

import json
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.machines import environment, kernels
from workbench import ZCDP, ClippedCovariance, ClippedMean, CoinPressMean, PerturbedCovariance, stream

BUDGET = ZCDP(0.5)
ROWS = np.random.default_rng(11).normal(1.0, 2.0, (30_011, 4))
ESTIMATORS = {
    "coinpress": CoinPressMean(radius=1000.0, sigma=1.0),
    "perturbed": PerturbedCovariance(radius=7.0),
    "clipped covariance": ClippedCovariance(upper=9.0, centred=True),
    "clipped mean": ClippedMean(radius=50.0, sigma=1.0),
}
INFORMATION = Path("/proc/cpuinfo")
KERNELS = kernels(INFORMATION.read_text() if INFORMATION.is_file() else "", platform.machine())
SCRIPT = """
import json
from tests.estimators.parts.stored.test_bits import bits
print(json.dumps(bits()))
"""


def release(name, rows, chunk=None):
    estimator, x = ESTIMATORS[name], rows[:, 0] if name == "clipped mean" else rows
    rng = np.random.default_rng(3)
    if chunk is None:
        return np.asarray(estimator(x, budget=BUDGET, rng=rng).value)
    chunks = [x[start : start + chunk] for start in range(0, len(x), chunk)]
    d = 1 if x.ndim == 1 else x.shape[1]
    return np.asarray(stream(estimator, lambda: chunks, n=len(x), d=d, budget=BUDGET, rng=rng).value)


def bits():
    """The releases on the same rows, as text, of which LAPACK makes nothing more afterwards."""
    return {name: release(name, ROWS).tobytes().hex() for name in ESTIMATORS.keys() - {"clipped covariance"}}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("chunk", [1009, 8192, 40_000])
def test_chunks_do_not_matter(name, chunk):
    assert np.array_equal(release(name, ROWS, chunk), release(name, ROWS))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_order_of_rows_does_not_matter(name):
    shuffled = np.random.default_rng(4).permutation(ROWS)
    assert np.array_equal(release(name, shuffled), release(name, ROWS))


def test_sums_of_floats_would_differ():
    shuffled = np.random.default_rng(4).permutation(ROWS)
    assert not np.array_equal(shuffled.T @ shuffled, ROWS.T @ ROWS)


@pytest.mark.daily
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_and_threads_do_not_matter(kernel, threads):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=environment(kernel, threads),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == bits()
