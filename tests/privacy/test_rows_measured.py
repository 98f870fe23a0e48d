"""The rows that tighter zCDP saves, measured: the least n of a criterion by search, before and now.

The criterion is a share .9 of runs within an error; before is zCDP of a choice by ε²/8, of Laplace noise by
that of pure DP (`test_saved_rows.FORMER`). Both searches have the same streams of rows and noise for the
same n. `python -m tests.privacy.test_rows_measured` prints the table of `proofs/univariate.md`, 5.8.
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp, hypot, isfinite, log
from pathlib import Path

import pytest

import workbench
from tests.privacy.test_saved_rows import FORMER
from workbench.catalog import CATALOG
from workbench.privacy import ZCDP
from workbench.privacy import budgets as concentrated
from workbench.study.planner import Candidate, Search, Simulation

PROOF = Path(workbench.__file__).parent / "proofs" / "univariate.md"
SHARE, SEED = 0.9, 20261124


@dataclass(frozen=True)
class Case:
    """A criterion: an estimator, its public numbers, the error, and a public n next to the answer."""

    key: str
    d: int
    budget: ZCDP
    alpha: float
    start: int
    parameters: tuple[tuple[str, float], ...] = ()
    runs: int = 10_000

    def __str__(self) -> str:
        given = "".join(f", {name} {value:g}" for name, value in self.parameters)
        columns = f", $d = {self.d}$" if self.d > 1 else ""
        delta = f", δ = {self.budget.delta:g}" if self.budget.delta else ""
        return f"`{self.key}`{columns}{given}{delta}, error {self.alpha:g}"

    @property
    def search(self) -> Search:
        """The search for its least n."""
        estimator = replace(CATALOG[self.key].estimator, **dict(self.parameters))
        candidate = Candidate(CATALOG[self.key], estimator, self.d, {})
        how = Simulation(share=SHARE, runs=self.runs, seed=SEED)
        return Search(candidate, self.budget, self.start, self.alpha, how)


RADIUS = (("radius", 100.0),)
CASES = (
    Case("univariate/median", 1, ZCDP(2.0), 1.0, 10, RADIUS),
    Case("univariate/quantiles", 1, ZCDP(2.0), 1.0, 20, RADIUS),
    Case("univariate/histogram-location", 1, ZCDP(2.0), 2.5, 10, RADIUS),
    Case("univariate/unbounded-mean", 1, ZCDP(2.0, 1e-10), 1.0, 20),
    Case("univariate/scale", 1, ZCDP(2.0, 1e-10), 0.7, 30),
    Case("univariate/two-step-mean", 1, ZCDP(2.0), 0.8, 10, RADIUS),
    Case("mean/tukey", 2, ZCDP(2.0), 0.5, 25),
    Case("mean/coordinatewise", 3, ZCDP(2.0), 2.0, 10, RADIUS),
    Case("covariance/pure-net", 2, ZCDP(2.0), 2.0, 40, runs=30_000),
    Case("spectral/eigenvalues", 3, ZCDP(2.0), 1.5, 240),
)
QUICK = (0, 2)  # of the table, measured again by a test


def tell(place: int, former: bool) -> None:
    """Print what a search finds, with the former conversions if asked."""
    for name in FORMER if former else ():
        setattr(concentrated, name, FORMER[name])
    found = CASES[place].search.found
    print(json.dumps([found.n, *found.interval, found.kind, found.runs]))


@cache
def found(place: int, former: bool) -> tuple[float, float, float, str, int]:
    """What a search finds, in a process of its own: designs are kept."""
    code = f"from tests.privacy import test_rows_measured as rows; rows.tell({place}, {former})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))


def saved(before: Sequence[float], now: Sequence[float]) -> tuple[float, float, float]:
    """The share of rows that is saved, and its interval: of the log of n it is about a normal one's."""
    (n, *ends), (m, *others) = before, now
    half = hypot(log(ends[1] / ends[0]), log(others[1] / others[0])) / 2
    return tuple(1 - m / n * exp(off) for off in (0, half, -half))


def line(place: int) -> str:
    """The line of a case in the table."""
    case, (before, now) = CASES[place], (found(place, former)[:3] for former in (True, False))
    said = (f"{n:.1f} ({low:.1f} to {high:.1f})" for n, low, high in (before, now))
    share, least, most = (100 * part for part in saved(before, now))
    interval = f"({least:.0f} to {most:.0f})" if isfinite(least) else "(not shown)"
    return f"| {case} | {' | '.join(said)} | {share:.0f} % {interval} |"


@pytest.mark.daily
@pytest.mark.parametrize("place", QUICK)
def test_the_table_of_the_proof_is_what_searches_find(place):
    assert line(place) + "\n" in PROOF.read_text(encoding="utf-8")


def test_five_criteria_need_fewer_rows_beyond_the_intervals():
    """Of the table: a share is saved whose interval is above 0."""
    lines = PROOF.read_text(encoding="utf-8").splitlines()
    said = [one for case in CASES for one in lines if one.startswith(f"| {case} | ")]
    least = [re.search(r"% \((-?[0-9]+) to", one) for one in said]
    assert len(said) == len(CASES)
    assert sum(one is not None and int(one[1]) > 0 for one in least) >= 5


if __name__ == "__main__":
    for one in range(len(CASES)):
        print(line(one), *(words for former in (True, False) for words in found(one, former)[3:]), flush=True)
