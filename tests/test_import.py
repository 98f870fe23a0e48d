"""`import workbench` is light, and its public names are those of the catalog."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import workbench
from workbench.catalog import CATALOG

SCRIPT = """
import json, sys, time
start = time.perf_counter()
{statement}
print(json.dumps([time.perf_counter() - start, sorted(sys.modules)]))
"""
HEAVY = {"matplotlib", "pandas", "ipywidgets", "joblib", "scipy.stats"}


def imported(statement):
    script = SCRIPT.format(statement=statement)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    seconds, modules = json.loads(done.stdout)
    return seconds, set(modules)


def test_import_costs_no_more_than_its_two_libraries():
    pairs = [(imported("import workbench")[0], imported("import numpy, scipy.special")[0]) for _ in range(5)]
    assert min(first for first, _ in pairs) <= 1.5 * min(second for _, second in pairs)


def test_neither_the_import_nor_an_estimate_loads_what_only_the_lab_needs():
    estimate = (
        "import numpy, workbench as w; "
        "w.Scale()(numpy.arange(99.0), budget=w.ApproxDP(1.0, 1e-6), rng=numpy.random.default_rng(1)); "
        "w.CATALOG"
    )
    for statement in ("import workbench", estimate):
        assert not imported(statement)[1] & HEAVY, statement


def test_every_class_of_the_catalog_is_a_public_name():
    classes = {type(entry.estimator) for entry in CATALOG.values()}
    for kind in classes:
        assert getattr(workbench, kind.__name__) is kind
    assert {kind.__name__ for kind in classes} <= set(dir(workbench))


def test_type_checkers_see_the_names_that_are_loaded():
    tree = ast.parse(Path(workbench.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == set(workbench.__all__) - {"__version__"}
