"""One thread of linear algebra for each worker, doctests of modules that have one, parts and turns.

The collector of garbage is off while tests are collected, a third of the time that takes: ten thousand
items and the syntax trees of their modules are made, and none of them is garbage.
"""

import gc
import os
import sys
from datetime import date
from pathlib import Path
from zlib import crc32

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook
from _pytest.doctest import DoctestModule

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # workers share the cores; read when numpy is imported

gc.disable()

# The package has a plugin, for which pytest rewrites the asserts of all of it: those of the contracts matter.
for finder in sys.meta_path:
    if isinstance(finder, AssertionRewritingHook):
        finder._must_rewrite.discard("workbench")
        finder._must_rewrite.add("workbench.contracts")

DAY = int(os.environ.setdefault("DAY_OF_TESTS", str(date.today().toordinal())))  # also past midnight

PACKAGE = Path(__file__).parent / "workbench"
LONG = (  # what ends late if it begins late
    "tests/mutants/",
    "tests/study/test_audit_catalog.py",
    "tests/contracts/test_contracts.py",
    "tests/chapters/",
    "tests/estimators/",
    "tests/lab/",
)


def pytest_collect_file(file_path, parent):
    """Import a module of the package only if there is an example to run in it; tests have none."""
    source = file_path.suffix == ".py" and file_path.is_relative_to(PACKAGE)
    if source and ">>>" in file_path.read_text(encoding="utf-8"):
        return DoctestModule.from_parent(parent, path=file_path)
    return None


def on_turn(place, days, day=DAY):
    """Whether what is at a place, a number or a name, is run on a day: one of so many."""
    return ((place if isinstance(place, int) else crc32(place.encode()) // 1000) + day) % days == 0


def pytest_itemcollected(item):
    """Let a test that is marked `turns(days)` wait on all days but one."""
    mark = item.get_closest_marker("turns")
    if mark and not on_turn(mark.kwargs.get("place", item.nodeid), *mark.args):
        item.add_marker("waiting")


def pytest_addoption(parser):
    """Let a part of the tests be asked for."""
    parser.addoption(
        "--part",
        type=part,
        metavar="K/N",
        help="the K-th of N parts of the tests that would run, about equal: K from 0 to N - 1",
    )


def part(words):
    """Return (K, N) of "K/N"."""
    try:
        k, parts = map(int, words.split("/"))
    except ValueError:
        k, parts = 0, 0
    if not 0 <= k < parts:
        raise pytest.UsageError(f"--part: {words}, allowed is K/N with 0 <= K < N, such as 0/4")
    return k, parts


def pytest_collection_modifyitems(config, items):
    """Run the folders of long tests first; leave out what is not in the part that is asked for."""
    items.sort(key=lambda item: [not item.nodeid.startswith(start) for start in LONG])
    if config.option.part:
        k, parts = config.option.part
        others = [item for item in items if crc32(item.nodeid.encode()) % parts != k]
        items[:] = [item for item in items if crc32(item.nodeid.encode()) % parts == k]
        config.hook.pytest_deselected(items=others)


def pytest_runtestloop():
    """Look for garbage again, among what is made from now on."""
    gc.freeze()
    gc.enable()
