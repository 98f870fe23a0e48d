import importlib
import os
import platform
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import workbench
from workbench.chapters.covariance.heavy_tails import spreads
from workbench.chapters.one_mean.locating import clipped
from workbench.errors import ArgumentError
from workbench.lab.runner import THREADS
from workbench.study.grids import home

ROOT = Path(workbench.__file__).parents[1]
KINDS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
VECTORS = tuple(np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))


class Measure:
    """A block that carries what no digest of a file tells."""

    def __call__(self, **given):
        return {}


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module of the user's own, and import it as it is then."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def written(source):
        (tmp_path / "a_helper.py").write_text(source)
        monkeypatch.delitem(sys.modules, "a_helper", raising=False)
        return importlib.import_module("a_helper")

    return written


def test_a_block_is_known_by_its_name_and_outside_the_package_by_its_file(module):
    assert home(spreads) == (spreads.__module__, "spreads", "")
    assert home(clipped) == (clipped.func.__module__, "on_range of ['ClippedMean']", "")
    first, again = (module("def block(): return 1").block for _ in range(2))
    with pytest.raises(ArgumentError, match="at the top of a module"):
        home(first)  # which was replaced
    known = home(again)
    assert known[:2] == ("a_helper", "block")
    assert known == home(module("def block(): return 1").block)
    assert known != home(module("def block(): return 2").block)


@pytest.mark.parametrize("block", [lambda: 1, partial(lambda: 1), Measure(), Measure().__call__, len])
def test_what_is_no_function_of_a_file_is_refused_in_one_line(block):
    with pytest.raises(ArgumentError, match=r"block = .*a function at the top of a module") as caught:
        home(block)
    assert "\n" not in str(caught.value)


def digests(**changed):
    code = """
from pathlib import Path
from workbench.lab import runner
from workbench.study.grids import SOFTWARE
print(SOFTWARE, runner.key(Path("README.md"), {}))"""
    inherited = {name: value for name, value in os.environ.items() if name not in (*THREADS, *KINDS)}
    env = {**inherited, "PYTHONPATH": str(ROOT), **changed}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(done.stdout.split())


@pytest.mark.daily
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="kernels of x86-64")
def test_another_kernel_is_another_store_and_another_run_and_threads_are_a_run_alone():
    first, again, prescott, narrow, two, one = (
        digests(**{"OPENBLAS_CORETYPE": "Haswell"} | changed)
        for changed in (
            {},
            {},
            {"OPENBLAS_CORETYPE": "Prescott"},
            {"NPY_DISABLE_CPU_FEATURES": " ".join(VECTORS)},
            {"OPENBLAS_NUM_THREADS": "2"},
            {"OPENBLAS_NUM_THREADS": "1"},
        )
    )
    assert first == again == one
    for other in (prescott, *([narrow] if VECTORS else ())):
        assert not {*first} & {*other}
    assert (two[0] == first[0], two[1] == first[1]) == (True, False)
