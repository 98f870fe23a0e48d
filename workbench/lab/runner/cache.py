"""When a notebook need not run again: same notebook, software, kernels and parameters, outputs intact."""

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

import workbench
from workbench.charts import canonical_json
from workbench.lab.figures import NUMBERS, VERDICTS
from workbench.study.grids import KERNELS

FOLDER = ".cache"
SUFFIXES = (".svg", ".json")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # one each unless the caller says so


def key(notebook: Path, parameters: Mapping[str, object]) -> str:
    """Return the digest of everything the notebook's numbers depend on, the limit on its work among it."""
    content = {
        "notebook": digest(notebook),
        "package": _package(),
        "parameters": {name: repr(value) for name, value in parameters.items()},
        "versions": {name: version(name) for name in ("numpy", "scipy", "matplotlib")},
        "python": platform.python_version(),
        "kernels": KERNELS,
        "threads": {name: os.environ.get(name, "1") for name in THREADS},
    }
    return hashlib.sha256(canonical_json.dumps(content).encode()).hexdigest()


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def outputs(folder: Path) -> list[Path]:
    """Return the pictures, numbers and verdicts of one run in a folder, but not the table of a grid."""
    return sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES and path.name != NUMBERS)


def figures(folder: Path) -> list[Path]:
    """Return the numbers of the figures in a folder."""
    return [path for path in outputs(folder) if path.suffix == ".json" and path.name != VERDICTS]


def fresh(folder: Path, wanted: str) -> bool:
    """Return whether the folder's outputs are those of the key `wanted`, unchanged."""
    record = _record(folder)
    if not record.is_file():
        return False
    return bool(canonical_json.read(record) == {"key": wanted, "outputs": _digests(outputs(folder))})


def remember(folder: Path, found: str) -> None:
    """Note that the folder's outputs are those of the key `found`."""
    record = _record(folder)
    record.parent.mkdir(parents=True, exist_ok=True)
    canonical_json.write(record, {"key": found, "outputs": _digests(outputs(folder))})


def forget(folder: Path) -> None:
    """Drop what is noted about a folder."""
    _record(folder).unlink(missing_ok=True)


def _record(folder: Path) -> Path:
    return folder.parent / FOLDER / f"{folder.name}.json"


def _digests(paths: Iterable[Path]) -> dict[str, str]:
    return {path.name: digest(path) for path in paths}


@cache
def _package() -> dict[str, str]:
    root = Path(workbench.__file__).parent
    files = (path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): digest(path) for path in files}
