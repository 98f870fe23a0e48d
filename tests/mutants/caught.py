"""Every fault that is put in on purpose, and what catches it: a list to compare before and after a move.

    python -m tests.mutants.caught [--part I/K]

Puts in each fault once, where it is caught soonest, and says which are not caught and which of `caught.json`
are gone; ends with 1 if there are any. Of the whole, it writes the list anew. That the contracts of every
other entry find their faults too is asked by `test_mutants.py`, of attacks by `workbench audit --mutants`.
"""

import argparse
import json
import sys
import time
import warnings
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from tests.contracts.test_contracts import EXAMPLES, LONG
from tests.mutants.faults import fails, isolated, memos
from tests.mutants.rows import PROPERTIES
from tests.mutants.table import MUTANTS, OF_MECHANISMS, charges
from workbench.catalog import CATALOG
from workbench.contracts.accounting import plan_composes_to_the_budget
from workbench.contracts.datasets import dimension, sizes
from workbench.contracts.kit import warm
from workbench.errors import ArgumentError
from workbench.study.mutants import attacked, mutants_of
from workbench.study.pairs import KEYS as ATTACKED

KEYS = list(dict(one.values for one in EXAMPLES))


@cache
def mutated(key):
    found, known = [], set()
    for example in CATALOG[key].examples:
        used = {word for charge in charges(example) for word in (charge.step, f"by {charge.mechanism}")}
        if dimension(example) is None or not used <= known:
            found.append(example)
            known |= used
    return found


def first_of(mutant, candidates):
    return next(filter(mutant.applies, candidates), None)


@contextmanager
def finding():
    """Give what tells whether a mutant's contract finds it in an example, and passes there without it.

    Designs and critical values of the package as it is, at the sizes of the contracts, are made once.
    """
    ready, passed = set(), set()

    def find(mutant, example):
        if repr(example) not in ready:
            for n in sizes(example, 24, 300, 1000):
                warm(example, n)
            ready.add(repr(example))
        trial = (mutant.found_by, str(mutant.options), repr(example))
        if mutant.options and trial not in passed:  # without options, it is a test of the contracts
            mutant.found_by(example, **mutant.options)
            passed.add(trial)
        if mutant.found_by is plan_composes_to_the_budget:  # designs that are kept have the right charges
            for memo in remembered:
                memo.known.clear()
            ready.clear()
        with isolated(remembered), mutant.fault(example):
            try:
                mutant.found_by(example, **mutant.options)
            except (AssertionError, ArgumentError):  # a charge may be refused by what composes it
                return True
        return False

    with memos() as remembered:
        yield find


LIST = Path(__file__).with_suffix(".json")


def contracts_and_properties():
    for mutant in (*MUTANTS, *OF_MECHANISMS):
        yield mutant.name, f"contract {mutant.found_by.__name__}", partial(by_contract, mutant)
    for mutant in PROPERTIES:
        yield mutant.name, f"property {mutant.found_by.__name__}", partial(fails, mutant)


def attacks():
    for key in sorted(ATTACKED, key=LONG.__contains__):
        for mutant in mutants_of(key):
            catch = partial(lambda one: attacked(one).violated, mutant)
            yield mutant.name, f"attack on {mutant.found_by.stage}", catch


def by_contract(mutant):
    example = first_of(mutant, (one for key in sorted(KEYS, key=LONG.__contains__) for one in mutated(key)))
    with finding() as find:
        return find(mutant, example)


def faults(*sources):
    found = {}
    for source in sources:
        for name, by, catch in source():
            found.setdefault(name, (by, catch))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", default="0/1", metavar="I/K", help="each K-th fault, from the I-th on")
    first, step = map(int, parser.parse_args().part.split("/"))
    warnings.simplefilter("error")  # as in the tests
    every, caught, missed = faults(contracts_and_properties, attacks), {}, []
    gone = json.loads(LIST.read_text(encoding="utf-8")).keys() - every
    for name, (by, catch) in [*every.items()][first::step]:
        started = time.process_time()
        if catch():
            caught[name] = by
        else:
            missed.append(f"{name}, by {by}")
        print(f"{time.process_time() - started:7.1f} s  {name}", file=sys.stderr, flush=True)
    print(f"{len(caught)} caught; not: {'; '.join(missed) or 'none'}; gone: {', '.join(gone) or 'none'}")
    if step == 1:
        text = json.dumps(dict(sorted(caught.items())), indent=0, ensure_ascii=False)
        LIST.write_text(text + "\n", encoding="utf-8")
    return int(bool(gone or missed))


if __name__ == "__main__":
    sys.exit(main())
