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
from functools import partial
from pathlib import Path

from tests.contracts.test_contracts import LONG
from tests.mutants.faults import fails
from tests.mutants.rows import PROPERTIES
from tests.mutants.table import MUTANTS, OF_MECHANISMS
from tests.mutants.test_mutants import KEYS, finding, first_of, mutated
from workbench.study.mutants import attacked, mutants_of
from workbench.study.pairs import KEYS as ATTACKED

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
