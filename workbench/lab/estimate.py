"""`workbench estimate`: one private estimate from a CSV file.

What the file's owner may learn from an error are public facts: that there is no such file, which columns
it has, how many rows. What is in the rows never raises and never warns.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench.catalog import CATALOG
from workbench.errors import ArgumentError, integer_at_least, one_of
from workbench.estimators.base import Abstention
from workbench.lab import canonical
from workbench.lab.spending import spending
from workbench.privacy import NonPrivate

PRIVATE = "noise seeded by the operating system"
REPLAY = "replay, not private"


@dataclass(frozen=True)
class Request:
    """What to estimate, from which columns, at which budget."""

    file: Path
    key: str
    columns: Sequence[str] = ()
    epsilon: float | None = None
    delta: float | None = None
    rho: float | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    seed: int | None = None
    out: Path | None = None


def estimate(request: Request) -> tuple[str, bool]:
    """Return what to print, and whether there is a value (an abstention is none)."""
    one_of(CATALOG, key=request.key)
    if NonPrivate() in CATALOG[request.key].budgets:
        raise ArgumentError("key", request.key, "an estimator that is private, see `workbench list`")
    if request.seed is not None:
        integer_at_least(0, seed=request.seed)
    if request.out is not None and (request.out.is_dir() or not request.out.resolve().parent.is_dir()):
        raise ArgumentError("out", str(request.out), "a file in a folder that exists")
    chosen, budget = (
        estimator(request.key, request.settings),
        spending(request.epsilon, request.delta, request.rho),
    )
    table = read(request.file, request.columns, request.key)
    release = chosen(table, budget=budget, rng=np.random.default_rng(request.seed))
    record = _record(request, chosen, budget, release, len(table))
    if request.out is not None:
        canonical.write(request.out, record)
    return _lines(record), record["status"] == "estimated"


def estimator(key: str, settings: Mapping[str, object]) -> Any:
    """Return the estimator of a key with these public parameters; those without a default must be set."""
    kind: Any = type(CATALOG[key].estimator)
    known = {entry.name: entry.default for entry in fields(kind)}
    for name, value in settings.items():
        if name not in known:
            raise ArgumentError(f"set {name}", value, f"a parameter of {key}: {', '.join(known)}")
    for name, default in known.items():
        if default is MISSING and name not in settings:
            raise ArgumentError(f"set {name}", None, f"a number: {key} needs --set {name}=NUMBER")
    return kind(**settings)


def read(file: Path, columns: Sequence[str], key: str) -> Any:
    """Return the wanted columns: a one-dimensional array for univariate keys, a DataFrame otherwise."""
    frame = _frame(file)
    one = key.startswith("univariate/")
    wanted = list(columns) or list(frame.columns)
    for name in wanted:
        one_of(frame.columns, column=name)
    if one and len(wanted) != 1:
        raise ArgumentError("column", ", ".join(wanted), f"exactly one of {', '.join(frame.columns)}")
    if not len(frame):
        raise ArgumentError("file", str(file), "a CSV file with at least one row below its header")
    numeric = frame[wanted].apply(_numbers)
    return numeric[wanted[0]].to_numpy() if one else numeric


def _frame(file: Path) -> Any:
    import pandas

    expected = "a CSV file with a header and rows of the same length"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            return pandas.read_csv(file, index_col=False, low_memory=False)
    except FileNotFoundError:
        raise ArgumentError("file", str(file), "a file that exists") from None
    except (OSError, ValueError, pandas.errors.ParserWarning):
        raise ArgumentError("file", str(file), expected) from None


def _numbers(column: Any) -> Any:
    import pandas

    if pandas.api.types.is_numeric_dtype(column) and not pandas.api.types.is_complex_dtype(column):
        return column.astype("float64")
    try:
        return pandas.to_numeric(column).astype("float64")
    except (ValueError, TypeError, OverflowError):
        raise ArgumentError("column", str(column.name), "a column of numbers") from None


def _record(request: Request, chosen: Any, budget: Any, release: Any, rows: int) -> dict[str, Any]:
    abstained = isinstance(release.value, Abstention)
    return {
        "key": request.key,
        "estimand": CATALOG[request.key].estimand,
        "status": "abstained" if abstained else "estimated",
        "value": None if abstained else plain(release.value),
        "parameters": {name: _setting(value) for name, value in asdict(chosen).items()},
        "budget": str(budget),
        "guarantee": str(release.guarantee),
        "plan": [_charge(charge) for charge in release.plan.charges()],
        "rows": rows,
        "randomness": PRIVATE if request.seed is None else f"{REPLAY} (seed {request.seed})",
    }


def _setting(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else plain(value)


def _charge(charge: Any) -> dict[str, Any]:
    words = {"step": charge.step, "mechanism": charge.mechanism, "cost": str(charge.cost)}
    return words | {"sensitivity": plain(charge.sensitivity)}


def plain(value: Any) -> Any:
    """Return an estimate as JSON has it: numbers, lists, and records for intervals and the like."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(part) for name, part in asdict(value).items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    number = float(value)
    return number if np.isfinite(number) else str(number)


def _lines(record: Mapping[str, Any]) -> str:
    value = "no value (the estimator abstained)" if record["value"] is None else _show(record["value"])
    pairs = {
        record["estimand"]: value,
        "estimator": record["key"],
        "parameters": ", ".join(f"{name} = {value}" for name, value in record["parameters"].items()),
        "rows": str(record["rows"]),
        "budget": record["budget"],
        "guarantee": record["guarantee"],
        "randomness": record["randomness"],
        "plan": "".join(f"\n    {one['step']}: {one['mechanism']}, {one['cost']}" for one in record["plan"]),
    }
    return "\n".join(f"{name}: {text}".replace(": \n", ":\n") for name, text in pairs.items())


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_show(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(map(_show, value)) + "]"
    return f"{float(value):.10g}"  # an infinite end is a word in the record
