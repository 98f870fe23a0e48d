"""The house of DESIGN: who imports whom, sizes, names, documents; read from the source, nothing is run."""

import ast
import re
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from importlib.resources import files
from pathlib import Path

import pytest

from workbench.catalog import CATALOG

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "workbench"
MODULES = sorted(PACKAGE.rglob("*.py"))
LEVELS = (
    *("errors special types", "privacy linalg distributions", "losses", "populations bounds estimators"),
    *("catalog sources", "study", "contracts", "charts", "chapters", "lab", "cli"),
)
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names.split()}
ONLY_FROM = {  # library: the level at which it may appear first
    **dict.fromkeys(("pandas", "joblib", "threadpoolctl", "tqdm", "scipy.stats"), "study"),
    "matplotlib": "charts",
    **dict.fromkeys(("IPython", "ipywidgets", "anywidget", "nbformat", "papermill"), "lab"),
}


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path, deep=True):
    """Every module or name that a file imports, in full; unless `deep`, not inside functions."""
    name, found = name_of(path), []
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree(path)) if deep else tree(path).body:
        if isinstance(node, ast.Import):
            found += [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            found += [f"{base}.{one.name}" for one in node.names]
    return found


def part(name):
    return name.split(".")[1]


INSIDE = [path for path in MODULES if path != PACKAGE / "__init__.py"]


def may_import(here, name):
    """A part imports itself and what is below, libraries from a level on; no estimator knows the truth."""
    if name.startswith("workbench.") and name != "workbench.__version__":
        there = part(name)
        return there == here or (LEVEL[there] < LEVEL[here] and (here, there) != ("estimators", "losses"))
    started = (first for library, first in ONLY_FROM.items() if f"{name}.".startswith(f"{library}."))
    return all(LEVEL[here] >= LEVEL[first] for first in started)


def test_imports_point_strictly_down_and_libraries_start_at_their_level():
    every = [(name_of(path), name) for path in INSIDE for name in imported(path)]
    assert not [one for one in every if not may_import(part(one[0]), one[1])]


HOMES = {  # library: the only module that imports it, or those whose names begin so
    "anywidget": "lab.explore", "IPython": "lab.figures", "matplotlib": "charts.drawing",
    "flint": "privacy.exact",
}  # fmt: skip


def test_pictures_and_widgets_have_one_home():
    used = {(name.split(".")[0], name_of(path)) for path in MODULES for name in imported(path)}
    for library, home in HOMES.items():
        users = [user for one, user in used if one == library]
        assert users
        assert all(user.startswith(f"workbench.{home}") for user in users), users


def test_no_modules_import_each_other_in_a_circle():
    names, graph = {name_of(path) for path in MODULES}, {}
    for path in MODULES:
        used = {one if one in names else one.rpartition(".")[0] for one in imported(path, deep=False)}
        graph[name_of(path)] = (used & names) - {name_of(path)}
    TopologicalSorter(graph).prepare()


SHORT = 60  # lines of a module that is no face of a package
SHAPES = ROOT / "tests" / "shapes.txt"


def misshapen():
    names, users = {name_of(path): path for path in MODULES}, {path: set() for path in MODULES}
    for path in MODULES:
        for name in imported(path):
            used = names.get(name) or names.get(name.rpartition(".")[0])
            if used not in (None, path):
                users[used].add(path)
    for path in INSIDE:
        if path.name in ("__init__.py", "__main__.py", "conftest.py"):
            continue
        if [user.parent for user in users[path]] == [path.parent]:
            yield f"lone {path.relative_to(PACKAGE)}"
        if path.read_text(encoding="utf-8").count("\n") < SHORT:
            yield f"short {path.relative_to(PACKAGE)}"


def test_only_listed_modules_are_short_or_have_one_importer_beside_them():
    """`python -m tests.test_architecture` writes the list anew; it may only shrink."""
    found, listed = {*misshapen()}, {*SHAPES.read_text(encoding="utf-8").splitlines()}
    assert not found - listed, "merge it with the module that it is for"
    assert not listed - found, "strike it from the list"


def documents():
    for path in (ROOT / "README.md", *sorted(PACKAGE.rglob("*.md"))):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in MODULES:
        kinds = ast.Module | ast.ClassDef | ast.FunctionDef
        nodes = [node for node in ast.walk(tree(path)) if isinstance(node, kinds)]
        yield name_of(path), "\n".join(filter(None, map(ast.get_docstring, nodes)))


def resolves(dotted):
    """Whether `a.b.c` is a module below the package, or a public name inside one."""
    path = PACKAGE.joinpath(*dotted.split("."))
    if path.is_dir() or path.with_suffix(".py").is_file():
        return True
    home, _, name = dotted.rpartition(".")
    source = PACKAGE.joinpath(*home.split("."))
    stem = source / "__init__" if source.is_dir() else source
    files = [file for end in (".py", ".pyi") if (file := stem.with_suffix(end)).is_file()]
    return any(re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) for file in files)


def unknown_names(text):
    """What a text names that the package does not have: modules, proofs, parts, files, keys."""
    dotted = re.findall(r"\bworkbench((?:\.[a-zA-Z_]\w*)+)", text)
    yield from (name for name in dotted if name not in (".cli", ".csv") and not resolves(name[1:]))
    folders = r"proofs|sources|privacy|estimators|bounds|study|charts|chapters|lab"
    paths = re.findall(rf"\b(?:{folders})/[a-z0-9_/]+\.(?:py|md|toml)", text)
    yield from (path for path in paths if not (PACKAGE / path).is_file())
    keys = re.findall(r"`((?:univariate|range|mean|covariance|spectral|gaussian)/[\w-]+)`", text)
    yield from (key for key in keys if key not in CATALOG)
    yield from re.findall(r"spec/", text)  # a reader has none


def test_what_documents_name_exists():
    assert not [f"{where}: {name}" for where, text in documents() for name in unknown_names(text)]


@cache
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_python_is_stated_everywhere_alike():
    least = project()["project"]["requires-python"]
    version = least.removeprefix(">=")
    assert f"python{least}" in (ROOT / "environment.yml").read_text(encoding="utf-8").replace(" ", "")
    assert f"Python {version} or later" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert project()["tool"]["mypy"]["python_version"] == version
    assert project()["tool"]["ruff"]["target-version"] == "py" + version.replace(".", "")


def declared(*extras):
    lists = [project()["project"]["optional-dependencies"][extra] for extra in extras]
    wanted = [line for lines in (project()["project"]["dependencies"], *lists) for line in lines]
    return {re.match(r"[\w-]+", line)[0].lower() for line in wanted}


BROUGHT_ALONG = {  # by a distribution that is asked for
    **dict.fromkeys(("jinja2", "nbformat", "traitlets"), "nbconvert"),
    "ipython": "ipykernel",
    "mpmath": "dp-accounting",
}
ASKING = (
    (MODULES, ("lab", "secure", "dask")),
    ([*MODULES, *sorted((ROOT / "tests").rglob("*.py"))], ("lab", "dask", "test", "dev")),
)


@pytest.mark.parametrize(("paths", "extras"), ASKING)
def test_every_imported_library_is_asked_for(paths, extras):
    homes = packages_distributions()
    allowed = declared(*extras)
    for path in paths:
        for library in {name.split(".")[0] for name in imported(path)} & homes.keys():
            names = {name.lower() for name in homes[library]} - {"dp-workbench"}
            names = {BROUGHT_ALONG.get(name, name) for name in names}
            assert not names or names & allowed, f"{path.name}: {library}"


def test_proofs_and_sources_come_with_the_package():
    assert project()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["workbench"]
    for name in ("proofs/univariate.md", "sources/l17.toml", "py.typed"):
        assert files("workbench").joinpath(name).is_file()
    ignored = {*(ROOT / ".gitignore").read_text(encoding="utf-8").split()}
    assert not {"*.md", "*.toml", "proofs", "sources"} & ignored, "what git ignores is left out of a wheel"


if __name__ == "__main__":
    SHAPES.write_text("".join(f"{line}\n" for line in sorted(misshapen())), encoding="utf-8")
