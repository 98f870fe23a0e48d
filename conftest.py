"""One thread of linear algebra for each worker, doctests of the modules that have one, the longest first.

The collector of garbage is off while tests are collected, a third of the time that takes: ten thousand
items and the syntax trees of their modules are made, and none of them is garbage.
"""

import gc
import os
from pathlib import Path

from _pytest.doctest import DoctestModule

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # workers share the cores; read when numpy is imported

gc.disable()

PACKAGE = Path(__file__).parent / "workbench"
LONG = (  # what ends late if it begins late
    "tests/mutants/",
    "tests/study/test_audit_catalog.py",
    "tests/contracts/test_records.py",
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


def pytest_collection_modifyitems(items):
    """Run the folders of long tests first."""
    items.sort(key=lambda item: [not item.nodeid.startswith(start) for start in LONG])


def pytest_runtestloop():
    """Look for garbage again, among what is made from now on."""
    gc.freeze()
    gc.enable()
