"""How often intervals cover at worst: shares, printed by `pytest -m slow -s` on this file.

`IntervalMean` is searched over rows in piles, lattices, tails and few far values.

Every distribution is tried on `SCREENED` samples, the worst of each kind on `FRESH` others. Those that the
docstring does not except cover .94 of the time; those that it does cover what it says.
"""

from dataclasses import dataclass
from itertools import product
from math import ceil, inf

import numpy as np
import pytest
from scipy import stats

from workbench import ZCDP, ApproxDP, IntervalMean
from workbench.estimators.intervals import tail_design

BUDGET = ApproxDP(1.0, 1e-6)
SCREENED, FRESH, WORST = 40, 400, 3
HEAVY = {"t4.5": stats.t(4.5), "pareto4.5": stats.lomax(4.5), "lognormal": stats.lognorm(1.0)}
SKEW = {"skew lognormal": stats.lognorm(0.5)}
HEAVIEST = {"lognormal1.5": stats.lognorm(1.5)}
BASES = {
    "normal": stats.norm(),
    "uniform": stats.uniform(-1.0, 2.0),
    "exponential": stats.expon(),
    **SKEW,
    **HEAVY,
}
ALL = BASES | HEAVIEST


@dataclass(frozen=True)
class Rows:
    """Rows of sd 1 rounded to multiples of `step`; a share set to 0, and about so many moved to `at`."""

    base: str
    step: float = 0.0
    zeros: float = 0.0
    moved: int = 0
    at: float = 0.0

    def draw(self, rng, n):
        x = ALL[self.base].rvs(n, random_state=rng) / ALL[self.base].std()
        x = self.step * np.rint(x / self.step) if self.step else x
        x[rng.random(n) < self.zeros] = 0.0
        x[rng.random(n) < self.moved / n] = self.at
        return x

    def mean(self, n):
        base = ALL[self.base]
        mean = base.mean() / base.std()
        if self.step:  # the sum of all tails
            ends = (np.arange(100_000) + 0.5) * self.step * base.std()
            mean = self.step * float((base.sf(ends) - base.cdf(-ends)).sum())
        share = self.moved / n
        return share * self.at + (1 - share) * (1 - self.zeros) * mean

    def kind(self, n, budget=BUDGET):
        few = min(self.moved or inf, n * (1 - self.zeros) or inf) < ceil(
            1.5 * tail_design(n, budget).wide.rank
        )
        if few and (self.zeros or abs(self.at) >= 4):
            return "few far rows"
        if self.base in HEAVIEST:
            return "heavier"
        if self.base in HEAVY | SKEW and (self.step or self.moved):
            return "heavy with steps"
        return "coarse" if self.step >= 2 else "others"


MANY = (10, 16, 25, 40, 63, 100, 160, 250, 400)
FAMILY = (
    *(Rows(base) for base in HEAVIEST),
    *(Rows("normal", moved=many, at=at) for many, at in product(MANY, (4.0, 8.0, 15.0, 30.0))),
    *(Rows("normal", zeros=1.0, moved=many, at=1.0) for many in MANY if many > 100),  # two-valued
    *(Rows(base, moved=many, at=at) for base, many, at in product(HEAVY, (25, 160, 400), (-4.0, 4.0, 10.0))),
    *(Rows(base, step=step) for base, step in product(BASES, (0.0, 0.25, 0.5, 1.0, 2.0))),
    *(Rows(base, zeros=zeros) for base, zeros in product(BASES, (0.5, 0.8, 0.9))),
)
# the least coverage of a heavy tail or a coarse lattice that the docstring states
CONCENTRATED = ZCDP(0.5, 1e-6)
FLOORS = {
    "others": 0.94,
    "coarse": 0.92,  # rows without a heavy tail that are rounded to two standard deviations
    "heavier": 0.87,  # a smooth tail, of log sd 1.5
}
STEPS = {
    (BUDGET, 1200): 0.65,
    (BUDGET, 2000): 0.75,
    (BUDGET, 10_000): 0.85,
    (BUDGET, 100_000): 0.94,
    (CONCENTRATED, 584): 0.65,
    (CONCENTRATED, 5000): 0.85,
}


def covered(rows, n, samples, stream, budget=BUDGET):
    found, mean = [], rows.mean(n)
    for sample in range(samples):
        rng = np.random.default_rng((stream, sample, n))
        found.append(IntervalMean()(rows.draw(rng, n), budget=budget, rng=rng).value.contains(mean))
    return float(np.mean(found))


def allowed(samples, floor):
    """The share that is covered at least, but for a chance of 1e-4, where the floor is."""
    return 1 - stats.binom.isf(1e-4, samples, 1 - floor) / samples


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["others", "coarse", "heavier", "heavy with steps"])
@pytest.mark.parametrize(("budget", "n"), STEPS, ids=str)
def test_the_worst_distributions_are_covered_as_stated(budget, n, kind):
    floor = FLOORS.get(kind, STEPS[budget, n])
    screened, fresh = (SCREENED, FRESH) if n < 100_000 else (6, 100)
    searched = [rows for rows in FAMILY if rows.kind(n, budget) == kind]
    found = {rows: covered(rows, n, screened, 0, budget) for rows in searched}
    worst = sorted(found, key=found.__getitem__)[:WORST]
    shares = {rows: covered(rows, n, fresh, 1, budget) for rows in worst}
    print(kind, n, budget, shares, f"at least {floor}")
    assert min(shares.values()) >= allowed(fresh, floor) - 1e-9


@pytest.mark.parametrize(
    ("budget", "n", "said"), [(ApproxDP(8.0, 1e-6), 150, 0.88), (ZCDP(2.0, 1e-6), 270, 0.88)]
)
def test_a_heavy_tail_of_few_rows_is_covered_less_often_and_the_release_says_so(budget, n, said):
    """Of 400 intervals about 354 cover, with a standard deviation of 6."""
    release = IntervalMean()(np.arange(float(n)), budget=budget, rng=np.random.default_rng(0))
    assert "is as heavy as lognormal, or skewed; within known bounds" in str(release)
    found = covered(Rows("lognormal"), n, 400, 5, budget)
    assert allowed(400, said) - 1e-9 <= found < 0.94


def test_a_few_far_rows_are_missed_and_the_release_says_so():
    """24 of 1,200 rows at 8 sd are covered .6 of the time, of 60 at most 45 but for a chance of .01."""
    release = IntervalMean()(np.arange(1200.0), budget=BUDGET, rng=np.random.default_rng(0))
    assert "fewer than 96 rows are far" in str(release)
    assert covered(Rows("normal", moved=24, at=8.0), 1200, 60, 2) < 0.76
