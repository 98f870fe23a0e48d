"""What every key of the catalog releases, plans, foresees and refuses: a net under code that moves.

    bits.py dump OUT.json [--keys WORD ...] [-j N]    of the package in the working directory
    bits.py compare A.json B.json          bit for bit, on one machine; ends with 1 if anything differs
    bits.py commit [--keys WORD ...]       writes bits.json anew: a part, to nine digits, for any machine

Only what `workbench`, `workbench.catalog` and `workbench.privacy` export is asked, so that one copy of this
file dumps the trees on both sides of a move. Floats are written by their bits, objects by class and fields.
"""

import argparse
import json
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import product
from math import copysign, cos, log1p
from operator import eq
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints
from unittest.mock import patch
from zlib import crc32

if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is imported
    sys.path[0] = os.getcwd()

import numpy as np

import workbench
from workbench import ArgumentError
from workbench import privacy as dp
from workbench.catalog import CATALOG

COMMITTED = Path(__file__).with_suffix(".json")
DIGITS = 9
ZERO = 1e-13  # below it a number is one that rounding left
KINDS, LOUD = (
    (dp.PureDP(e), dp.ApproxDP(e, 1e-6), dp.ZCDP(rho), dp.ZCDP(rho, 1e-6), dp.GaussianDP(mu), dp.NonPrivate())
    for e, rho, mu in ((1.0, 0.1, 0.5), (8.0, 2.0, 2.0))
)
PART = (25, 300, 2001, 6000, 20_000)  # rows of what is committed: the first that have a plan
MOST = 2**17  # rows: a budget that needs more counts as refused
SEEDS = 5
LONG = """mean/filter range/ball spectral/preconditioner gaussian/coinpress gaussian/unbounded
    covariance/matrix-quantile covariance/populous covariance/populous-robust covariance/coinpress
    covariance/unbounded"""
FEWER = dict.fromkeys(LONG.split(), 2)  # seeds of what takes long
ENDLESS = {"univariate/quantiles"}  # draws distinct numbers until there are enough: one scale adds the same
ASKED = {"error_bound": (0.05,), "predicted_error": ()}
HOSTILE = (np.nan, np.inf, -np.inf, 1e308, 1e101, 1e100, -1e100, 1e15, 1.0, -1.0, 5e-324, 0.0, -0.0)
COUNTS = (-1, 0, 1, 2, 3, 2.5, True, "10", None)
NUMBERS = (-1.0, 0, 1, 2.5, np.nan, np.inf, 10**400, None, True, "a", (), (1.0, 2.0), [1.0])
CHANCES = (0, 1, 1.5, np.nan, "a", None)


def told(value):
    if is_dataclass(value):  # what kinds of charges know is theirs
        kind = dp.Charge if isinstance(value, dp.Charge) else type(value)
        return {kind.__name__: {one.name: told(getattr(value, one.name)) for one in fields(kind)}}
    if isinstance(value, np.ndarray):
        return [str(value.dtype), [*value.shape], [*map(told, value.ravel().tolist())]]
    if isinstance(value, float):
        return value.hex()
    return [*map(told, value)] if isinstance(value, (tuple, list)) else value


def outcome(call, *given, **named):
    """What a call returns or, where it raises, the type of the error and the argument at fault."""
    try:
        return told(call(*given, **named))
    except Exception as error:
        return {"raised": f"{type(error).__name__} {getattr(error, 'argument', '')}".strip()}


def refusal(call, *given, **named):
    found = outcome(call, *given, **named)
    return found.get("raised") if isinstance(found, dict) else None


def shown(value):
    if is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__name__}({', '.join(f'{number:g}' for number in vars(value).values())})"
    return getattr(value, "__name__", f"{type(value).__name__} {value}"[:20])


def typical(key, n, d, seed):
    population, rng = CATALOG[key].population, np.random.default_rng(seed)
    own = d == (population.d or 1)
    return np.asarray(population.sample(n, rng=rng) if own else rng.standard_normal((n, d)))


def absent(x, seed):
    holes = x.copy()
    holes[:: (7, 3, 2, 11, 1)[seed]] = np.nan
    return holes


def hostile(x, seed):
    rng = np.random.default_rng(seed)
    few = np.where(rng.random(x.shape) < 0.1, rng.choice(HOSTILE, x.shape), x)
    many = rng.choice(HOSTILE, x.shape)
    return (few, many, np.broadcast_to(x[:1], x.shape), x * 1e-200, 1e15 + x.round() / 8)[seed]


ROWS = {"typical": lambda x, _: x, "absent": absent, "hostile": hostile}


def estimators(key):
    """The estimators of the examples, and the default one with each other value of each option.

    With each come words for it and its budgets: the examples' own and one of every other kind.
    """
    examples = [(small(one.estimator), one.budget) for one in CATALOG[key].examples]
    default, first = examples[0]
    loud = max(getattr(first, name, 0.0) for name in ("epsilon", "rho")) >= 2
    for estimator in dict.fromkeys(one for one, _ in examples):
        changed = [name for name, value in vars(estimator).items() if value != getattr(default, name)]
        words = " ".join(f"{name}={getattr(estimator, name)}" for name in changed)
        own = [budget for one, budget in examples if one == estimator]
        every = *(LOUD if loud else KINDS), *own
        kinds = {(type(one), getattr(one, "delta", 0.0) > 0): one for one in every}
        yield words or "default", estimator, [*dict.fromkeys((*own, *kinds.values()))]
    kinds = get_type_hints(type(default))
    for name in (one.name for one in fields(default) if one.init):
        for choice in choices(kinds[name]):
            with suppress(ArgumentError):
                other = replace(default, **{name: choice})
                if all(other != one for one, _ in examples):
                    yield f"{name}={choice}", other, [first]


def small(estimator):
    return replace(estimator, pivots=300) if hasattr(estimator, "pivots") else estimator


def choices(kind):
    """The values of a parameter that has few; none for a number."""
    if kind is bool:
        return False, True
    return get_args(kind) if get_origin(kind) is Literal else sum(map(choices, get_args(kind)), ())


def fewest(estimator, d, budget):
    """The least number of rows that has a plan, or what refuses all of them."""
    low, high = 0, 1
    while found := refusal(estimator.plan, high, d, budget):
        if found != "ArgumentError n" or high >= MOST:
            return found
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if refusal(estimator.plan, middle, d, budget) else (low, middle)
    return high


def measured(key):
    d, found = CATALOG[key].population.d, {}
    every = [*estimators(key)]
    for words, estimator, budgets in every:
        found[words] = {shown(budget): of_budget(key, estimator, budget, d or 1) for budget in budgets}
    default, budget = every[0][1], CATALOG[key].examples[0].budget
    for other in (1, 5) if d else ():
        found[f"d={other}"] = {shown(budget): of_budget(key, default, budget, other)}
    if reach := getattr(default, "interval_reach", None):  # once: some are simulated
        found["interval_reach"] = outcome(reach, 25, d or 1, budget, 0.05)
    return found | {"refusals": refusals(key, default, budget, d or 1)}


def of_budget(key, estimator, budget, d):
    """What there is at three numbers of rows, or what refuses the budget.

    Each number of rows has some of the seeds under exact noise, which takes most of the time.
    """
    least, seeds = fewest(estimator, d, budget), range(FEWER.get(key, SEEDS))
    if isinstance(least, str):
        return {"refused": least}
    found = {"fewest": least}
    for turn, n in enumerate((max(24, least), max(301, 2 * least + 1), max(1000, 4 * least))):
        asked = key, estimator, budget, n, d
        drawn = releases(*asked, simulated, seeds) | releases(*asked, exact, seeds[turn % len(seeds) :: 3])
        found[f"n={n}"] = foreseen(*asked) | drawn
    return found


def foreseen(key, estimator, budget, n, d):
    """What is known before a row is read, what a release is charged, and what noise of one scale adds."""
    found = {"plan": outcome(estimator.plan, n, d, budget)}
    for name, more in ASKED.items():
        if hasattr(estimator, name):
            found[name] = outcome(getattr(estimator, name), n, d, budget, *more)
    x = typical(key, n, d, 0)
    found["charged"] = outcome(charged, estimator, x, budget)
    if key not in ENDLESS:
        found["unit noise"] = outcome(value, estimator, x, budget, dp.UnitNoise())
    return found


def releases(key, estimator, budget, n, d, source, seeds):
    return {
        f"{source.__name__} seed={seed} {name}": source(estimator, rows(x, seed), budget, seed)
        for seed in seeds
        for x in [typical(key, n, d, seed)]
        for name, rows in ROWS.items()
    }


def value(estimator, x, budget, rng):
    release = estimator(x, budget=budget, rng=rng)
    return [release.value, *(release.labels or ())]


def simulated(estimator, x, budget, seed):
    """A value under simulated noise, and the number that would be drawn next."""
    rng = np.random.default_rng(seed)
    return {"value": outcome(value, estimator, x, budget, rng), "next": told(rng.random())}


def exact(estimator, x, budget, seed):
    """A value under exact noise of fixed bits, and the bits that would be drawn next."""
    bits = np.random.default_rng(seed).bytes
    with patch("os.urandom", bits):
        return {"value": outcome(value, estimator, x, budget, dp.SecureNoise()), "next": bits(4).hex()}


def charged(estimator, x, budget):
    """The guarantee of a release, whether its plan is the one foretold, and what a ledger is charged."""
    release, ledger = estimator(x, budget=budget, rng=np.random.default_rng(0)), dp.Ledger(dp.ZCDP(1e9, 0.5))
    planned = release.plan == estimator.plan(len(x), 1 if x.ndim == 1 else x.shape[1], budget)
    return [release.guarantee, planned, outcome(ledger.charge, release), ledger.spent]


def refusals(key, estimator, budget, d):
    """What is raised for public arguments of which most are wrong."""
    n = max(1000, int(fewest(estimator, d, budget)))
    x, plan = typical(key, n, d, 0), estimator.plan
    shapes = (n, d, 1), (n, 0), (n, 1), (n, 2), (n, 3), (0, d), (1, d), ()
    rows = {str(shape): np.zeros(shape) for shape in shapes} | {"text": ["a"] * n, "None": None}
    sources = None, 0, np.random.default_rng, dp.SimulatedNoise, "0"

    def parameter(name, bad):
        return replace(estimator, **{name: bad}).plan(n, d, budget)

    def chance(name, bad):
        return getattr(estimator, name)(n, d, budget, bad)

    return {
        "n": {shown(bad): refusal(plan, bad, d, budget) for bad in COUNTS},
        "d": {shown(bad): refusal(plan, n, bad, budget) for bad in COUNTS},
        "budget": {shown(bad): refusal(plan, n, d, bad) for bad in (None, 1.0, "1", dp.PureDP, *KINDS)},
        "x": {one: refusal(value, estimator, rows[one], budget, np.random.default_rng()) for one in rows},
        "rng": {shown(bad): refusal(value, estimator, x, budget, bad) for bad in sources},
        "beta": {shown(bad): refusal(chance, "error_bound", bad) for bad in CHANCES},
    } | {name: {shown(bad): refusal(parameter, name, bad) for bad in NUMBERS} for name in vars(estimator)}


# Committed


def part(source, key):
    """What is committed of one key: one number of rows and one seed of each estimator, by turns."""
    d, found = CATALOG[key].population.d or 1, {}
    for number, (words, estimator, budgets) in enumerate(estimators(key)):
        for budget in budgets[: None if words == "default" and source is simulated else 1]:
            found[f"{words} {shown(budget)}"] = of_part(source, key, estimator, budget, d, number % SEEDS)
        if source is simulated and words == "default" and hasattr(estimator, "corruption"):
            found["planted"] = short(planted(estimator, d))
    return found


def planted(estimator, d):
    """Releases of many rows, a twentieth of them far: what a filter does to few rows is nothing."""
    found = {}
    for n, far, budget in product(
        (1500, 3000), (4.0, 50.0), (dp.ApproxDP(10.0, 0.01), dp.ApproxDP(3.0, 1e-6))
    ):
        x = np.random.default_rng(n).standard_normal((n, d))
        x[: n // 20, 0] += far
        predicted = outcome(lambda n, b: estimator.predicted_error(n, d, b), n, budget)
        found[f"{n} {far} {shown(budget)}"] = [simulated(estimator, x, budget, 1), predicted]
    return found


def of_part(source, key, estimator, budget, d, seed):
    n = next((n for n in PART if not refusal(estimator.plan, n, d, budget)), None)
    if n is None:
        return refusal(estimator.plan, PART[-1], d, budget)
    found = {f"n={n} releases": short(releases(key, estimator, budget, n, d, source, [seed]))}
    if source is simulated:
        found["foreseen"] = short(foreseen(key, estimator, budget, n, d))
    return found


def short(found):
    """A tree in three numbers: a checksum of its words, how many floats it has, and a weighted sum of them.

    Of floats the logarithms, so that each one counts by its relative change; what is left of a zero by
    rounding, another number on another processor, is a zero.
    """
    words, floats = [], []

    def walk(one):
        if isinstance(one, (dict, list)):
            words.append(len(one))
            for name, inner in one.items() if isinstance(one, dict) else enumerate(one):
                words.append(name)
                walk(inner)
        elif isinstance(one, str) and one.removeprefix("-").startswith("0x"):
            number = float.fromhex(one)
            size = abs(number) if abs(number) > ZERO else 0.0
            floats.append(copysign(log1p(min(size, 1e290) * 10.0**DIGITS), number if size else 1.0))
        else:
            words.append(one)

    walk(found)
    total = sum((2 + cos(place)) * one for place, one in enumerate(floats))
    return [crc32(json.dumps(words).encode()), len(floats), round(total, DIGITS)]


def written(found):
    lines = json.dumps(found, indent=0, ensure_ascii=False)
    return re.sub(r"\[\s+([^][]*?)\s+\]", lambda one: f"[{' '.join(one[1].splitlines())}]", lines) + "\n"


def alike(one, other):
    """Whether two short trees agree to the digits that are committed of each float, errors added up."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return one[:2] == other[:2] and abs(one[2] - other[2]) <= 10.0 ** (1 - DIGITS) * (1 + one[1]) ** 0.5


# Compared


def differences(one, other, place="", same=eq):
    """A line for whatever differs, by its place: estimator, budget, size, seed, field."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one | other:
            if name in one and name in other:
                yield from differences(one[name], other[name], f"{place} · {name}", same)
            else:
                yield f"{place} · {name}: only in the {'first' if name in one else 'second'}"
    elif not same(one, other):
        yield f"{place}: {json.dumps(one):.100} is now {json.dumps(other):.100}"


def compared(one, other):
    different = False
    for key in one | other:
        found = [*differences(one.get(key), other.get(key))]
        different |= bool(found)
        yield from (f"{key}: {len(found)} differences", *found[:20])
    yield "DIFFERENT" if different else "the same, bit for bit"


def timed(measure, key):
    started = time.process_time()
    found = measure(key)
    print(f"{time.process_time() - started:7.1f} s  {key}", file=sys.stderr, flush=True)
    return key, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("command", choices=("dump", "compare", "commit"))
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--keys", nargs="*", default=[""], metavar="WORD", help="those whose names have one")
    parser.add_argument("-j", type=int, default=1, metavar="N", help="processes")
    given = parser.parse_args()
    keys = [key for key in CATALOG if any(word in key for word in given.keys)]
    print("of", workbench.__file__, file=sys.stderr)

    def computed(measure):
        with ProcessPoolExecutor(given.j) as pool:
            return dict(pool.map(partial(timed, measure), keys))

    if given.command == "dump":
        (out,) = given.files
        out.write_text(json.dumps(computed(measured), indent=0))
    elif given.command == "compare":
        lines = [*compared(*(json.loads(path.read_text()) for path in given.files))]
        print(*lines, sep="\n")
        return int(lines[-1] == "DIFFERENT")
    else:
        found = json.loads(COMMITTED.read_text())
        for one in (simulated, exact):
            of_keys = found[one.__name__] | computed(partial(part, one))
            found[one.__name__] = {key: of_keys[key] for key in CATALOG if key in of_keys}
        COMMITTED.write_text(written(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
