import functools
import os
import platform
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import workbench
from workbench.errors import ArgumentError
from workbench.lab.runner.cache import THREADS
from workbench.losses import IntervalLoss
from workbench.study.sweeps.fingerprint import SOFTWARE, fingerprint

ROOT = Path(workbench.__file__).parents[1]
KINDS = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")
VECTORS = tuple(np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))
SOURCE = """
import numpy as np
from functools import lru_cache
SCALE = 2.0
NAMES = {"one", "two", "three"}
def halve(x):
    return x / 2 if x > 1 else twice(x)
def twice(x):
    return halve(2 * x)
@lru_cache
def cached(x):
    return x + 1
def block(point, trials, data, noise, *, shift=1):
    def inner(x):
        return [SCALE * halve(cached(v)) for v in x if v not in {"one", "two", "three", "four"}]
    return {"error": np.asarray(inner(data.random(trials)) + shift), "names": len(NAMES)}
"""


def block(source=SOURCE, name="block"):
    space = {"__name__": "a_notebook"}
    exec(source, space)
    return space[name]


def test_a_function_defined_again_is_the_same_and_so_it_is_in_another_process():
    assert fingerprint(block()) == fingerprint(block())
    assert fingerprint(block()) == fingerprint(block("# moved down\n" + SOURCE + "\nUNREAD = 3"))
    code = f"""
from workbench.study.sweeps.fingerprint import SOFTWARE, fingerprint
space = {{"__name__": "a_notebook"}}
exec({SOURCE!r}, space)
print(fingerprint(space["block"]), SOFTWARE)"""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [fingerprint(block()), SOFTWARE]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2.0", "SCALE = 2"),
        ("x / 2", "x / 3"),
        ("2 * x", "3 * x"),
        ("x + 1", "x + 2"),
        ("shift=1", "shift=2"),
        ("SCALE * halve", "SCALE / halve"),
        ('"three", "four"', '"three"'),
        ('"one", "two", "three"}\ndef', '"one", "two"}\ndef'),
        ("import numpy as np", "import math as np"),
        ("np.asarray", "np.array"),
    ],
)
def test_every_part_counts(old, new):
    assert old in SOURCE
    assert fingerprint(block()) != fingerprint(block(SOURCE.replace(old, new)))


def scaled(factor):
    return lambda x: factor * x


def test_closures_arguments_and_instances_count():
    kinds = [
        [scaled(1), scaled(2), scaled(1.0), scaled("1")],
        [functools.partial(block(), shift=shift) for shift in (1, 2)],
        [np.zeros(3), np.zeros(4), np.zeros(3, dtype=int)],
        [np.random.default_rng(seed) for seed in (1, 2)],
        [np.linalg.eigvalsh, np.linalg.eigh, np.exp, len, IntervalLoss, workbench, np],
    ]
    found = [fingerprint(value) for kind in kinds for value in kind]
    assert len(set(found)) == len(found)
    assert found == [fingerprint(value) for kind in kinds for value in kind]


class Measure:
    """A block with parameters."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, point, trials, data, noise):
        return {"error": self.factor * SHARED * data.random(trials)}


SHARED = 3.0


def test_an_instance_counts_with_its_class_and_what_its_methods_read(monkeypatch):
    found = {fingerprint(Measure(factor)) for factor in (1, 2, 1)}
    assert len(found) == 2
    assert fingerprint(Measure(1).__call__) not in found
    monkeypatch.setitem(globals(), "SHARED", 4.0)
    assert fingerprint(Measure(1)) not in found


def test_a_module_of_the_users_own_counts_by_its_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "a_helper.py").write_text("def f(): return 1\n")
    source = "import a_helper\ndef block(): return a_helper.f()"
    before = fingerprint(block(source))
    assert before == fingerprint(block(source))
    (tmp_path / "a_helper.py").write_text("def f(): return 2\n")
    assert before != fingerprint(block(source))


def test_what_refers_to_itself_has_an_end():
    loop = []
    loop.append(loop)
    assert fingerprint(loop) == fingerprint([loop][0])


def test_what_cannot_be_followed_is_refused_in_one_line():
    lock = threading.Lock()
    with pytest.raises(ArgumentError, match="can be pickled") as caught:
        fingerprint(lambda: lock)
    assert "\n" not in str(caught.value)
    with pytest.raises(ArgumentError, match="with a source"):
        fingerprint(block("class Hidden: pass\ndef block(): return Hidden()"))


def digests(**changed):
    code = """
from pathlib import Path
from workbench.lab.runner import cache
from workbench.study.sweeps.fingerprint import SOFTWARE
print(SOFTWARE, cache.key(Path("README.md"), {}))"""
    inherited = {name: value for name, value in os.environ.items() if name not in (*THREADS, *KINDS)}
    env = {**inherited, "PYTHONPATH": str(ROOT), **changed}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(done.stdout.split())


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="kernels of x86-64")
def test_another_kernel_or_vector_instruction_is_another_store_and_another_run():
    prescott, haswell = (digests(OPENBLAS_CORETYPE=name) for name in ("Prescott", "Haswell"))
    assert all(one != other for one, other in zip(prescott, haswell, strict=True))
    assert digests(OPENBLAS_CORETYPE="Haswell") == haswell
    narrow = digests(OPENBLAS_CORETYPE="Haswell", NPY_DISABLE_CPU_FEATURES=" ".join(VECTORS))
    assert VECTORS == () or all(one != other for one, other in zip(narrow, haswell, strict=True))


def test_threads_are_another_run_with_the_same_store():
    one, two, unsaid = digests(OPENBLAS_NUM_THREADS="1"), digests(OPENBLAS_NUM_THREADS="2"), digests()
    assert one == unsaid
    assert one[0] == two[0]
    assert one[1] != two[1]
