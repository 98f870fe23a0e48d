"""The error of the unbounded covariance does not depend on the spectrum either.

At a tenth more rows than it takes at all, (1, 1e-6), mean 1000 standard deviations away. Equal ratios below
10 leave no gap that a vote would close, and are therefore among the spectra.
"""

from functools import lru_cache

import pandas as pd
from numpy.random import Generator

from workbench.chapters.covariance.runs import unbounded as sweeps
from workbench.populations.spectra import named, shown
from workbench.privacy import ApproxDP
from workbench.study import measures
from workbench.study.grids import Sweep, grid
from workbench.study.measures import summary
from workbench.study.over_spectra import supremum
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict, enough
from workbench.study.run import Row, each_trial

KEY, D, MORE = "covariance/unbounded", 7, 1.1
FEW = ("round", "ratio 9", "one small")  # the worst that was found comes with them
BETA, FLAT = 0.1, 1.5
SIZE = ("M21/UG/iteration", "enough for an error that does not change with the spectrum")


@lru_cache(maxsize=8)
def rows(d: int, budget: ApproxDP = sweeps.BUDGET) -> int:
    """Return n: public."""
    return round(MORE * sweeps.start(d, budget=budget))


@each_trial
def errors(
    d: int,
    spectrum: str,
    *,
    epsilon: float = sweeps.EPSILON,
    delta: float = sweeps.DELTA,
    data: Generator,
    noise: Generator,
) -> Row:
    """Measure the error at one spectrum, and that of the sample covariance of the same rows."""
    law, budget = named(spectrum, d).law(data, far=sweeps.FAR), ApproxDP(epsilon, delta)
    return sweeps.beside_the_sample(law, rows(d, budget), budget, data, noise)


ANY = Sweep(
    "m21-unbounded-any", grid(d=D, spectrum=shown(D, KEY, few=FEW)), errors, trials=3, blocks=blocks(20)
)


def over_spectra(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks: an answer in nine runs of ten, and the same mean error where there is one."""
    silent = supremum(f"no answer, d = {D}", frame, frame["abstained"], BETA, factor=5.0, n=rows(D))
    groups = frame[~frame["abstained"]].groupby("spectrum", sort=False)
    level = claim_level(parts=max(len(groups), 1))
    means = {
        name: summary(measures.mean, one["error"], seed, f"{ANY.name} {name}", level) for name, one in groups
    }
    name = f"unbounded, largest over smallest mean error, {len(ANY.points)} spectra, d = {D}"
    flat = measures.between(name, measures.spread(means), 0.0, FLAT, n=rows(D))
    return [silent, enough(flat, *SIZE)]
