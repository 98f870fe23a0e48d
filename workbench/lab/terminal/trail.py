"""From what covers a statement to where it stands: algorithm, proof, claim, figures, tests."""

from collections.abc import Iterator
from importlib import import_module
from inspect import getsourcefile
from pathlib import Path
from pkgutil import iter_modules
from re import search
from types import FunctionType, ModuleType

from workbench.charts import canonical_json

PACKAGE = Path(__file__).parents[2]


def places(name: str, root: Path | None = None) -> tuple[str, ...]:
    """Return the files to open for one name of a statement's cover, relative to the checkout.

    Parameters
    ----------
    name : str
        A catalog key, a module or function below the package, `claim ID`, or `proofs/NAME.md`.
    root : Path, optional
        The checkout, for figures and tests; without it only files of the package are named.

    >>> places("proofs/univariate.md"), places("univariate/median")
    (('workbench/proofs/univariate.md',), ('workbench/estimators/quantiles.py',))
    """
    if name.startswith("claim "):
        return tuple(_of_claim(name.removeprefix("claim "), root))
    if name.startswith("proofs/"):
        return (f"workbench/{name}",)
    if "/" in name:
        return tuple(_of_key(name, root))
    return (_module(name),)


def _module(dotted: str) -> str:
    home, found = import_module("workbench"), None
    for name in dotted.split("."):
        if hasattr(home, "__path__") and not hasattr(home, name):
            import_module(f"{home.__name__}.{name}")
        found = getattr(home, name, None)
        home = found if isinstance(found, ModuleType) else home
    return _shown(Path(getsourcefile(found if isinstance(found, FunctionType | type) else home) or ""))


def _shown(path: Path, root: Path = PACKAGE.parent) -> str:
    return str(path.relative_to(root))


def _of_key(key: str, root: Path | None) -> Iterator[str]:
    from workbench.catalog import CATALOG

    yield _module(type(CATALOG[key].estimator).__module__.removeprefix("workbench."))
    if root is not None:
        yield f'tests/contracts -k "{key}"'


def _of_claim(claim: str, root: Path | None) -> Iterator[str]:
    yield home(claim)
    if root is None:
        return
    for path in sorted((root / "figures").glob("*/*.json")):
        if path.name != "verdicts.json" and claim in canonical_json.read(path).get("verdicts", ()):
            yield _shown(path.with_suffix(".svg"), root)
    yield from checked_by(claim, root)


def home(claim: str) -> str:
    """Return the module that a claim stands in.

    >>> home("one-mean/private-for-free")
    'workbench/chapters/one_mean/claims/costs.py'
    """
    from workbench.chapters.registry import CLAIMS

    one = CLAIMS[claim]
    package = f"workbench.chapters.{claim.partition('/')[0].replace('-', '_')}.claims"
    for found in iter_modules(getattr(import_module(package), "__path__", ())):
        module = import_module(f"{package}.{found.name}")
        if any(one is other for other in getattr(module, "CLAIMS", ())):
            return _shown(Path(str(module.__file__)))
    return _shown(Path(getsourcefile(one.checks) or ""))


def checked_by(claim: str, root: Path) -> Iterator[str]:
    """Yield the tests of a claim in a checkout."""
    module = Path(home(claim))
    chapter = module.relative_to(Path("workbench") / "chapters").parts[0]
    listed = rf"[^\n(]*\b{module.stem}\b|\([^)]*\b{module.stem}\b"
    for path in sorted((root / "tests" / "chapters" / chapter).glob("test_*.py")):
        if search(f'"{claim}"|claims import (?:{listed})', path.read_text(encoding="utf-8")):
            yield _shown(path, root)
