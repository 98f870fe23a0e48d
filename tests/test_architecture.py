"""The house keeps its order: imports point down, keys name modules and classes, parts stay small."""

import ast
import re
import tomllib
from pathlib import Path
from statistics import median

import pytest

from workbench.catalog import CATALOG

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "workbench"
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = (
    {"errors"},
    {"privacy", "distributions", "linalg"},
    {"losses"},
    {"populations", "bounds", "estimators", "sources"},
    {"catalog"},
    {"study"},
    {"lab"},
    {"cli"},
)
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}
BLIND = {"populations", "losses", "bounds", "catalog"}  # an estimator must not know the truth
ONLY = {"matplotlib": "lab", "ipywidgets": "lab", "papermill": "lab", "pandas": "study", "joblib": "study"}


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path):
    """Absolute names of all imported modules, those inside functions and blocks included."""
    package = ".".join(path.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            )
            module = ".".join(part for part in (base, node.module or "") if part)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def layer(name):
    parts = name.split(".")
    return parts[1] if parts[0] == "workbench" and len(parts) > 1 and parts[1] in LEVEL else None


def owner(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    if owner(path) == "__init__":
        return
    for name in imports(path):
        target = layer(name)
        if target is not None and target != owner(path):
            assert LEVEL[target] <= LEVEL[owner(path)], name
            assert not (owner(path) == "estimators" and target in BLIND), name
        if name.split(".")[0] in ONLY:
            assert LEVEL[owner(path)] >= LEVEL[ONLY[name.split(".")[0]]], name
        if name.startswith("scipy.stats"):
            assert LEVEL[owner(path)] >= LEVEL["study"], name


def test_widgets_and_pictures_have_one_home_each():
    users = {path.name for path in MODULES if any(name.startswith("ipywidgets") for name in imports(path))}
    assert users == {"explore.py"}


@pytest.mark.parametrize("key", CATALOG)
def test_key_is_module_is_class(key):
    kind = type(CATALOG[key].estimator)
    family, name = key.split("/")
    assert kind.__module__ == f"workbench.estimators.{family}.{name.replace('-', '_')}"
    assert kind.__name__ == "".join(part.capitalize() for part in name.split("-"))


def test_the_nine_univariate_keys_exist():
    names = (
        "clipped-mean two-step-mean unbounded-mean median histogram-location stable-location scale interval "
        "interval-unknown-variance"
    )
    assert {f"univariate/{name}" for name in names.split()} <= set(CATALOG)


def functions(path):
    return [
        node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def code_lines(node):
    """Lines of a function without its docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno - body[0].lineno + 1) if body else 0


def test_modules_and_functions_stay_small():
    long = {str(path): lines for path in MODULES if (lines := len(path.read_text().splitlines())) > 260}
    assert not long
    sizes = [code_lines(node) for path in MODULES for node in functions(path)]
    assert median(sizes) <= 10
    assert sum(size > 25 for size in sizes) <= 0.03 * len(sizes)


def test_every_public_function_is_documented():
    missing = [
        f"{path.relative_to(PACKAGE)}:{node.name}"
        for path in MODULES
        for node in public_functions(parsed(path))
        if ast.get_docstring(node) is None
    ]
    assert not missing


def public_functions(tree):
    """Functions and methods that are not private, nor defined inside another function."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node


def test_no_legacy_randomness_and_no_bare_except():
    legacy = re.compile(r"np\.random\.(?!Generator|SeedSequence|default_rng)\w+")
    for path in MODULES:
        assert not legacy.search(path.read_text(encoding="utf-8")), path
        handlers = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.ExceptHandler)]
        assert all(handler.type is not None for handler in handlers), path


def test_environment_file_and_extras_are_in_step():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    environment = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert f"python{project['requires-python']}" in environment
    extras = re.search(r"-e \.\[([a-z,]+)\]", environment)
    assert extras
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])
    assert "Python 3.11 or later" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(">=" in line for line in project["dependencies"])
