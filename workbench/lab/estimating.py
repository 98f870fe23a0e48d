"""`workbench list`, the catalog, and `estimate`: a private estimate from a CSV or Parquet file, or a check.

What an error may tell are public facts: that there is no such file, what its header says, how many rows it
has. What is in the rows never raises, never warns, and decides nothing but the estimate.
"""

import json
import re
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import MISSING as REQUIRED
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from workbench.catalog import KNOWN, addition, lookup
from workbench.catalog.entry import documented
from workbench.charts import canonical_json
from workbench.errors import ArgumentError, integer_at_least, one_of_words, real
from workbench.estimators.base import LARGEST, Abstention
from workbench.estimators.files import (
    MARKS,
    PARQUET,
    ChangedError,
    Writing,
    open_csv,
    open_table,
    passes,
    stream,
)
from workbench.estimators.release import BETA, Asked
from workbench.estimators.scale import Scale
from workbench.estimators.units import Scaled
from workbench.lab import tables
from workbench.lab.tables import give_up_on_stdout, say
from workbench.privacy import ZCDP, ApproxDP, NonPrivate, PureDP, SecureNoise, compose

PRIVATE = "noise seeded by the operating system, in floats: for study, not for release (--secure)"
EXACT = "exact noise from the operating system: private as released, to the last bit"
WORDS = {"proved": ("error bound", "none"), "predicted": ("predicted error", "uninformative")}
SYMBOLS = {"PureDP": "ε", "ApproxDP": "(ε, δ)", "ZCDP": "ρ", "GaussianDP": "μ", "NonPrivate": "no privacy"}
FLAGS = {"PureDP": "--epsilon", "ApproxDP": "--epsilon --delta", "ZCDP": "--rho"}
ROOM = 2**16  # characters of a file that are written before a draw, so that a full disk is met there


def estimate(options: Namespace) -> int:
    """Print a release and write it to `--out`; 3 if the estimator abstained, 4 if it could not be written.

    A check prints what it found; 1 if that is a cell that cannot be read, or a column without a number.
    """
    if options.check:
        if options.out:
            raise ArgumentError("out", str(options.out), "no --check beside it")
        text, good = checked(options.file, Writing(options.separator, options.decimal), options.columns)
        say(text)
        return 0 if good else 1
    record: dict[str, Any] = {}
    lost = []
    try:
        with _opened(options.out) as kept:
            record = released(options)
            if kept is not None:
                kept.write(canonical_json.dumps(record))
    except OSError as error:
        if not record:
            raise
        lost.append(f"out = {str(options.out)!r}: {error.strerror}")
    try:
        say(lines(record))
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up_on_stdout()
        say(lines(record), sys.stderr)
        lost.append(f"stdout: {error.strerror}")
    for reason in lost:
        say(f"workbench: error: {reason}; the release, which is made, is printed", sys.stderr)
    return 4 if lost else 0 if record["status"] == "estimated" else 3


def released(options: Namespace) -> dict[str, Any]:
    """Return the record of a release; all that is public is computed before anything is drawn."""
    writing = Writing(options.separator, options.decimal)
    budget = spending(options.epsilon, options.delta, options.rho)
    key, seed, missing, scale = options.key, options.seed, options.missing, options.scale
    if key is None:
        raise ArgumentError("key", None, "an estimator: --key KEY, see `workbench list`")
    entry = lookup(key)
    if NonPrivate() in entry.budgets:
        raise ArgumentError("key", key, "an estimator that is private, see `workbench list`")
    if seed is not None:
        integer_at_least(0, seed=seed)
        if options.secure:
            raise ArgumentError("seed", seed, "none with --secure: a replay is not private")
    if missing is not None and not (real(missing) and abs(missing) <= LARGEST):
        raise ArgumentError("missing", missing, f"a finite number, at most {LARGEST:g} in size")
    people = options.rows_per_person
    if people is not None:
        budget = budget.per_row(people)
    named = chosen = estimator(key, dict(options.set))
    if scale is not None:  # empty, where scales are to be found
        chosen = Scaled(estimator=named, scale=scale or Scale())
    table = open_table(options.file, writing)
    names = table.chosen(options.columns)
    if key.startswith("univariate/") and len(names) != 1:
        raise ArgumentError("column", ", ".join(names), f"exactly {one_of_words(None, table.names)}")
    n, d, source = table.number, len(names), table.rows(names, missing)
    rng = SecureNoise() if options.secure else np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        asked, plan = Asked(chosen, n, d, budget), chosen.plan(n, d, budget)
        person = {}
        if people is not None:  # by what is delivered, which a source's own constants may exceed
            whole = compose(plan).for_group(people)
            person = {"each person": f"{whole}, for one with at most {people} rows"}
        said = asked.error()
        laws = str(getattr(chosen, "laws", "")) if entry.estimand == "interval" else ""
        drawn = EXACT if options.secure else PRIVATE if seed is None else f"replay, not private (seed {seed})"
        error: dict[str, Any] | None = None
        if said is not None and entry.estimand != "interval":  # whose ends tell
            error = {"value": plain(said.value), "kind": said.kind, "meaning": said.meaning}
            error |= {"beta": BETA} if said.kind == "proved" else {}
        record = {
            "file": str(table),
            "columns": list(names),
            "rows": n,
            "key": key,
            "estimand": entry.estimand,
            **({"laws": laws} if laws else {}),
            "parameters": {
                name: value if value is None or isinstance(value, str) else plain(value)
                for name, value in asdict(named).items()
            },
            **({} if scale is None else {"scale": [*scale] or "found privately"}),
            "budget": str(budget),
            **person,
            "plan": [
                {"step": one.step, "mechanism": one.mechanism, "cost": str(one.cost)}
                | {"sensitivity": plain(one.sensitivity)}
                for one in plan.charges()
            ],
            "error": error,
            **({"other rows": asked.other_rows} if asked.other_rows else {}),
            "missing": absent(type(named), missing),
            "randomness": drawn,
        }
    if getattr(chosen, "in_passes", False):
        with _progress(n * passes(chosen, n, d, budget)) as bar:
            try:
                release = stream(
                    chosen, source, n=n, d=d, budget=budget, rng=rng, progress=bar and bar.update
                )
            except ChangedError:
                allowed = "one that stays as it is while it is read: nothing is released"
                raise ArgumentError("file", str(options.file), allowed) from None
    else:
        x: Any = np.concatenate(list(source()))
        release = chosen(x if d > 1 else x[:, 0], budget=budget, rng=rng)
    abstained = isinstance(release.value, Abstention)
    if hasattr(chosen, "interval"):  # for any distribution, a function of what is released
        record["interval"] = plain(release.interval())
    return record | {
        "status": "abstained" if abstained else "estimated",
        "value": None if abstained else plain(release.value),
        "guarantee": str(release.guarantee),
    }


def _progress(rows: int) -> AbstractContextManager[Any]:
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:  # without the extra `lab`
        return nullcontext()
    return tqdm(total=rows, unit=" rows", unit_scale=True, delay=1.0, disable=None, leave=False)


def estimator(key: str, settings: Mapping[str, object]) -> Any:
    kind: Any = type(lookup(key).estimator)
    known = {entry.name: entry for entry in fields(kind)}
    for name, value in settings.items():
        if name not in known:
            raise ArgumentError(f"set {name}", value, f"a parameter of {key}: {', '.join(known)}")
        if isinstance(value, tuple) and "tuple" not in str(known[name].type):
            raise ArgumentError(f"set {name}", value, "one value, which holds for every column")
    needed = [name for name, entry in known.items() if entry.default is REQUIRED and name not in settings]
    if needed:
        more = {name: ",NUMBER" for name in needed if str(known[name].type).startswith("tuple")}
        words = " ".join(f"--set {name}=NUMBER{more.get(name, '')}" for name in needed)
        allowed = f"a number: {key} needs {words}"
        raise ArgumentError(f"set {needed[0]}", None, allowed)
    return kind(**settings)


def absent(kind: type, value: float | None) -> str:
    """Return what an estimator makes of missing entries: with no value, what its docstring says of them."""
    if value is not None:
        return f"an entry that is missing or no number counts as {value:g}"
    found = documented(kind).partition("Missing entries: ")[2].partition("\n\n")[0]
    effect = " ".join(found.split()).partition(" is absent, in its place. ")[2]
    return f"a row with an entry that is missing or no number is absent, in its place. {effect}".rstrip(". ")


def plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(part) for name, part in asdict(value).items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    number = float(value)
    return number if np.isfinite(number) else str(number)


def lines(record: Mapping[str, Any]) -> str:
    value = "no value (the estimator abstained)" if record["value"] is None else _show(record["value"])
    ends = record.get("interval", [])
    every = ends if isinstance(ends, list) else [ends]  # one, or one for each bin
    pairs = {
        record["estimand"]: value,
        "95 % interval": ", ".join(f"{one['low']:.6g} to {one['high']:.6g}" for one in every),
        "covers the mean of": record.get("laws", ""),
        "estimator": record["key"],
        "parameters": ", ".join(f"{name} = {value}" for name, value in record["parameters"].items()),
    }
    if error := record["error"]:
        name, none = WORDS[error["kind"]]
        sure = f", with probability {1 - error['beta']:g}" if "beta" in error else ""
        none_here = f"{none} at this n and budget"
        pairs[name] = none_here if error["value"] == "inf" else f"{_show(error['value'])}{sure}"
        pairs[name] += f" ({error['meaning']})"
    pairs |= {
        "other rows": record.get("other rows", ""),
        "file": record["file"],
        "columns": ", ".join(record["columns"]),
        "rows": f"{record['rows']} (the lines below the header)",
        "missing entries": f"{record['missing']}; how many is not released, --check lists them",
        "scales": str(record.get("scale", "")).strip("[]"),
        "budget": record["budget"],
        "guarantee": record["guarantee"],
        "each person": record.get("each person", ""),
        "randomness": record["randomness"],
        "plan": "".join("\n    {step}: {mechanism}, {cost}".format(**charge) for charge in record["plan"]),
    }
    return "\n".join(f"{name}: {text}".replace(": \n", ":\n") for name, text in pairs.items() if text)


def _show(value: Any) -> str:
    if isinstance(value, dict) and "counts" in value:
        return f"{', '.join(map(_show, value['counts']))} of {value['n']:.0f} rows"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_show(part)}" for name, part in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(map(_show, value)) + "]"
    return f"{float(value):.10g}"  # an infinite end is a word in the record


def spending(epsilon: float | None, delta: float | None, rho: float | None) -> Any:
    if rho is not None:
        if epsilon is not None:
            raise ArgumentError("rho", rho, "either --rho or --epsilon, not both")
        return ZCDP(rho, delta=delta or 0.0)
    if epsilon is None:
        raise ArgumentError("epsilon", None, "a finite number above 0 (or --rho)")
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)


@contextmanager
def _opened(path: Path | None) -> Iterator[TextIO | None]:
    """Yield a file with room that becomes `path`; where there is none, raise before a draw."""
    if path is None:
        yield None
        return
    canonical_json.require_free("out", path)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(canonical_json.replacing(path))
            file.write(" " * ROOM)
            file.seek(0)
        except OSError as error:
            raise ArgumentError("out", str(path), f"a file that can be written ({error.strerror})") from None
        yield file
        file.truncate()


# The catalog


def catalog(options: Namespace) -> int:
    found = chosen(options.subject)
    if options.secure:
        steps = {key: inexact(entry) for key, entry in found.items() if kinds(entry) != ["NonPrivate"]}
        records = [{"key": key, "exact": not names, "inexact": names} for key, names in steps.items()]
        header = ["key", "noise for release"]
        rows = [[key, f"none for {'; '.join(names)}" if names else "exact"] for key, names in steps.items()]
    else:
        records, header, rows = [], ["key", "estimates", "accepts", "summary"], []
        for key, entry in found.items():
            budgets, summary = [str(budget) for budget in entry.budgets], entry.summary
            records.append({"key": key, "estimates": entry.estimand, "budgets": budgets, "summary": summary})
            rows.append([key, entry.estimand, ", ".join(SYMBOLS[one] for one in kinds(entry)), summary])
    if options.json:
        say(json.dumps(records, indent=1, ensure_ascii=False, default=str))
    elif "/" in options.subject and not options.secure:
        say(whole(*found.values()))
    else:
        say(tables.text(header, rows, tables.page_width()))
    return 0


def chosen(subject: str) -> dict[str, Any]:
    if "/" in subject:
        return {subject: lookup(subject)}
    groups = {key: (key.partition("/")[0], entry.estimand) for key, entry in KNOWN.items()}
    known = dict.fromkeys(name for names in groups.values() for name in names)
    if subject and subject not in known:
        raise ArgumentError("key", subject, f"a key, or {one_of_words(subject, known, KNOWN)}")
    return {key: KNOWN[key] for key, names in groups.items() if subject in ("", *names)}


def inexact(entry: Any) -> list[str]:
    """Return the steps of its examples that have no exact noise, from their plans alone."""
    from workbench.privacy.secure import inexact_steps
    from workbench.study.search import fewest_rows

    d, steps = entry.population.d or 1, list[str]()
    for estimator, budget in ((one.estimator, one.budget) for one in entry.examples):
        steps += inexact_steps(estimator, estimator.plan(fewest_rows(estimator, d, budget), d, budget))
    return list(dict.fromkeys(steps))


def kinds(entry: Any) -> list[str]:
    return [type(budget).__name__ for budget in entry.budgets]


def whole(entry: Any) -> str:
    own, kind = addition(entry.key), type(entry.estimator)
    budgets = (f"{SYMBOLS[one]}: {one} {f'({FLAGS[one]})' if one in FLAGS else ''}" for one in kinds(entry))
    needed = [part.name for part in fields(kind) if part.default is REQUIRED]
    defaults = (
        f"{one.name} (must be set)" if one.name in needed else f"{one.name} = {one.default!r}"
        for one in fields(kind)
    )
    pairs = {
        "key": entry.key,
        "class": f"{kind.__module__ if own else 'workbench'}.{kind.__name__}",
        "summary": entry.summary,
        "estimates": entry.estimand,
        "accepts": "\n".join(map(str.rstrip, budgets)),
        "parameters": "\n".join(defaults),
        "assumes": "\n".join(entry.assumptions),
        "source": "\n".join(f"{id}    (workbench claims {id})" for id in entry.statements),
        "module": kind.__module__.replace(".", "/") + ".py",
    }
    pairs |= {"proof": own.proof or "none stated", "lacks": ", ".join(own.missing)} if own else {}
    if kinds(entry)[0] in FLAGS:  # an entry without privacy, or under another budget, has no call
        budget = entry.budgets[0]
        spends = [f"--{part.name} {getattr(budget, part.name):g}" for part in fields(budget)]
        sets = [f"--set {name}={getattr(entry.estimator, name)!r}".replace(", ", ",") for name in needed]
        columns = "--column NAME" if entry.population.d is None else "--columns NAME NAME"
        call = f"workbench estimate FILE.csv {columns} --key {entry.key}"
        pairs["example"] = " ".join([call, *sets, *spends])
    return tables.fields(pairs.items(), tables.page_width())


# A check for the owner of a file

SHOWN = 20
_SPACES = re.compile("\xc2?\xa0|\xe2\x80[\x89\xaf]")  # no-break and thin, as lines are decoded
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([,.'_ ])[0-9]{3}(?P<more>(\1[0-9]{3})*+((?!\1)[.,][0-9]*+)?)")


@dataclass
class Column:
    """What the cells of a column are, and which marks stand between thousands or before a fraction."""

    name: str
    numbers: int = 0
    missing: int = 0
    unreadable: int = 0
    grouped: dict[str, list[tuple[bool, bool]]] = field(default_factory=dict)  # is it one here, or there?
    sure: set[str] = field(default_factory=set)  # no decimal marks: two in a number, or another one behind
    fractions: set[str] = field(default_factory=set)

    def add(self, cell: str, here: bool, there: bool) -> None:
        """Look at the marks in a cell, which is a number as the file is read, or with the other mark."""
        text = _SPACES.sub(" ", cell.strip())
        if found := _THOUSANDS.fullmatch(text):
            self.grouped.setdefault(found[1], []).append((here, there))
            self.sure |= {found[1]} if found["more"] else set()
            text = found["more"].replace(found[1], "")
        if here or there or found:
            self.fractions |= {",", "."} & set(text)

    @property
    def thousands(self) -> dict[str, list[tuple[bool, bool]]]:
        """The cells with a mark that stands between thousands alone, if one of them is unreadable."""
        alone = {mark: cells for mark, cells in self.grouped.items() if mark not in self.fractions}
        return {mark: cells for mark, cells in alone.items() if not all(here for here, _ in cells)}

    def told(self, other: str) -> Iterator[str]:
        counts = f"{self.missing} missing, {self.unreadable} unreadable"
        numbers = f"{self.numbers} numbers," if self.numbers else "no cell is a number:"
        yield f"column {self.name}: {numbers} {counts}"
        for mark, cells in self.thousands.items():
            wrong = sum(here for here, _ in cells)
            read = f" ({wrong} of them are read as if it were the decimal mark)" if wrong else ""
            maybe = mark == other and mark not in self.sure
            unless = f"; if it is the decimal mark, --decimal {mark} reads it" if maybe else ""
            yield f"  {len(cells)} cells have {mark!r} between thousands{read}: write them without it{unless}"


def checked(file: Path, writing: Writing, columns: Sequence[str]) -> tuple[str, bool]:
    """Describe how columns are read; tell whether each has a number, and no cell that is unreadable."""
    if file.suffix.lower() == PARQUET:
        raise ArgumentError("check", str(file), "a CSV file: columns of Parquet have types")
    table = open_csv(file, writing)
    cells = table.cells(table.chosen(columns))
    if cells.decimals == ",":
        other = replace(cells, decimals=".")
    else:  # as --decimal , would read: a comma then separates no columns
        alone = len(table.names) == 1 and cells.separator == ","
        other = replace(cells, decimals=",", separator=";" if alone else cells.separator)
    found = [Column(table.names[place]) for place in cells.places]
    faults, long, left = [], 0, 0
    for number, line in enumerate(table.lines(), start=2):
        too_long, wide = (len(one.split(line)) > one.width for one in (cells, other))
        long += too_long
        for column, cell, also in zip(found, cells.wanted(line), other.wanted(line), strict=True):
            here, there = (
                (value := one.number(text)) is not None and abs(value) <= LARGEST
                for one, text in ((cells, cell), (other, also))
            )
            marked = not too_long and cell.strip().lower() in MARKS
            column.numbers, column.missing = column.numbers + here, column.missing + marked
            left += wide or not (there or also.strip().lower() in MARKS)
            column.add(also, here, there)
            if not here and not marked:
                column.unreadable += 1
                faults.append((number, column))
    left += sum(there for one in found for _, there in one.thousands.get(other.decimals, ()))
    shown = [f"  line {line}, column {one.name}: no number" for line, one in faults if one.numbers]
    said = [f"{table.file}: {table.number} rows, {table}"]
    said += [line for column in found for line in column.told(other.decimals)] + shown[:SHOWN]
    said += [f"  and {len(shown) - SHOWN} more"] if len(shown) > SHOWN else []
    said += (
        [f"Lines with more cells than the header has names, which are unreadable: {long}."] if long else []
    )
    said += [f"Unreadable with --decimal {other.decimals}: {left}."] if left < len(faults) else []
    said += ["This check is not private: it is for the owner of the file."]
    return "\n".join(said), not faults and all(one.numbers for one in found)
