"""What `import workbench` costs beside its libraries, on an idle machine: as `test_speed`."""

import subprocess
import sys

import pytest

EVERYTHING = "from workbench import *; import workbench.catalog"
LIBRARIES = "import numpy, scipy.special"
ROUNDS = 4
PACKAGE_ABOVE, EVERYTHING_ABOVE = 1.5, 2.5  # times the libraries


def seconds(code):
    measured = f"from time import perf_counter as t; start = t(); {code}; print(t() - start)"
    done = subprocess.run([sys.executable, "-c", measured], capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.benchmark
def test_import_takes_no_longer_than_its_libraries():
    # the least of interleaved fresh processes: what the code needs, not what else the machine does
    codes = ("import workbench", EVERYTHING, LIBRARIES)
    package, everything, libraries = map(min, zip(*(map(seconds, codes) for _ in range(ROUNDS)), strict=True))
    assert package <= PACKAGE_ABOVE * libraries
    assert everything <= EVERYTHING_ABOVE * libraries, "the catalog costs more than our own modules should"
