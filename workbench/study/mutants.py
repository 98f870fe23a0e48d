"""Mistakes that an attack must find, for every entry of the catalog.

Mistakes that no sample can show, such as a δ of 1e-6 or noise a few per cent too small, are left to the
contracts and property tests.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from workbench.catalog import CATALOG, addition
from workbench.estimators import bounded, intervals, scale, two_step
from workbench.estimators.histograms import UnitHistogram
from workbench.estimators.shared.rows import mean_in_box, mean_sensitivity
from workbench.estimators.shared.window_median import WindowMedian
from workbench.privacy import Charge, histograms, mechanisms
from workbench.privacy.grid import OnGrid
from workbench.study.audit import AuditReport
from workbench.study.faults import Mutant, alone, attribute, declared, kind_of, swapped, weaker
from workbench.study.pairs import KEYS, WHOLE, Case, attack, builder, multivariate
from workbench.study.profiles import AUDIT_CI, AuditPreset
from workbench.types import frozen, reals


@frozen
class Attack:
    """The first attack on `key` at `stage` whose variant contains `variant`.

    Of its pairs, those alone whose name contains `pair`.
    """

    key: str
    stage: str
    variant: str = ""
    pair: str = ""

    def case(self) -> Case:
        cases = builder(self.key)()
        case = next(case for case in cases if case.stage == self.stage and self.variant in case.variant)
        return replace(case, pairs=tuple(pair for pair in case.pairs if self.pair in pair.name))


Attacked = Mutant[Attack]


def attacked(mutant: Attacked, preset: AuditPreset = AUDIT_CI, seed: int = 0) -> AuditReport:
    with alone(mutant.fault):
        case = mutant.found_by.case()
        return attack(replace(case, key=f"{case.key} with {mutant.name}"), preset, seed)


def _half(function: Callable[..., float]) -> Callable[..., float]:
    return lambda *arguments: function(*arguments) / 2


def _cheap(charge: Callable[..., Charge]) -> Callable[..., Charge]:
    return lambda *arguments: replace(right := charge(*arguments), sensitivity=right.sensitivity / 2)


def _light(bottom: Callable[..., int]) -> Callable[..., int]:
    return lambda *arguments: bottom(*arguments) // 8


def bins_from_the_smallest_row(recipe: UnitHistogram, x: Any) -> Any:
    keys = np.floor(x - x.min())
    return keys if recipe.radius is None else np.clip(keys, 0, recipe.bins - 1)


def sorted_pairs(x: Any, differences: Callable[..., Any] = scale.pair_differences) -> Any:
    return differences(np.sort(x))


def _unclipped(
    x: Any,
    centre: float,
    clip: float,
    counted: bool = False,
    right: Callable[..., OnGrid] = two_step.clipped_mean,
) -> OnGrid:
    return right(x, centre, 1e4 * clip, counted)


def _wide_square(z: Any, tail: intervals.Tail) -> OnGrid:
    return mean_in_box(z, lambda rows: 2 * tail.moved(rows)[:, 0] ** 2 - 1, 1.0)


def _twice(logs: Any, least: float, count: Callable[..., OnGrid] = intervals.count_from) -> OnGrid:
    return count(logs, least) * 2.0


CLIPPED = "univariate/clipped-mean"
HISTOGRAM, STABLE = "univariate/histogram-location", "univariate/stable-location"
UNBOUNDED, ANY_LAW = "univariate/unbounded-mean", "univariate/interval-mean"
UNKNOWN = "univariate/interval-unknown-variance"

BINS = attribute(UnitHistogram, "keys", bins_from_the_smallest_row)
PAIRS = swapped(scale.pair_differences, sorted_pairs)

UNIVARIATE: tuple[Attacked, ...] = (
    Mutant("Laplace noise halved", weaker("laplace", 0.5), Attack(CLIPPED, "mean", "tight, ε")),
    Mutant("Laplace noise over √2", weaker("laplace", 0.5**0.5), Attack(CLIPPED, "mean", "paper, ε")),
    Mutant("Gaussian noise halved", weaker("gaussian", 0.5), Attack(CLIPPED, "mean", "(ε")),
    Mutant("Gaussian noise over √2", weaker("gaussian", 0.5**0.5), Attack(CLIPPED, "mean", "GDP")),
    Mutant("discrete noise halved", weaker("discrete_laplace", 0.5), Attack(STABLE, "locate", "(ε")),
    Mutant("noise of a count halved", weaker("discrete_laplace", 0.5), Attack("univariate/count", WHOLE)),
    Mutant("noise of choices halved", weaker("choice", 0.5), Attack("univariate/median", "locate")),
    Mutant("noise of cuts halved", weaker("cuts", 0.5), Attack("univariate/quantiles", "level 1")),
    Mutant("exponential noise halved", weaker("exponential", 0.5), Attack(HISTOGRAM, WHOLE)),
    Mutant(
        "sensitivity 1/n for 2/n",
        swapped(two_step.sensitivity, _half(two_step.sensitivity)),
        Attack("univariate/two-step-mean", "mean"),
    ),
    Mutant(
        "sensitivity of the variances halved",
        swapped(scale._mean_charge, _cheap(scale._mean_charge)),
        Attack(UNKNOWN, "variance"),
    ),
    Mutant(
        "counts priced as if one moved",
        swapped(histograms.COUNTS_L2, histograms.COUNTS_L2 / 2),
        Attack(HISTOGRAM, "locate", "paper, ρ"),
    ),
    Mutant(
        "counts of a histogram priced as if one moved",
        attribute(bounded.Counted, "moved", (1.0, 1.0)),
        Attack("univariate/histogram", WHOLE, "ε = 2"),
    ),
    Mutant(
        "half of the bounds",
        attribute(bounded, "mean_sensitivity", _half(mean_sensitivity)),
        Attack("univariate/bounded-mean", WHOLE),
    ),
    Mutant("no clipping", swapped(two_step.clipped_mean, _unclipped), Attack(UNBOUNDED, "mean")),
    Mutant(
        "no noise",
        swapped(mechanisms.additive, lambda value, charge, noise: reals(value)),
        Attack("univariate/interval", "mean", "paper"),
    ),
    Mutant(
        "largest count without noise",
        swapped(mechanisms.noisy_max, lambda scores, charge, noise: int(np.argmax(scores))),
        Attack(HISTOGRAM, WHOLE),
    ),
    Mutant("bins that begin at the smallest row", BINS, Attack(HISTOGRAM, WHOLE)),
    Mutant("bins that begin at the smallest row, no range", BINS, Attack(STABLE, WHOLE)),
    Mutant(
        "no threshold", swapped(histograms.stability_threshold, lambda cost: -np.inf), Attack(STABLE, WHOLE)
    ),
    Mutant(
        "bottom too light",
        attribute(WindowMedian, "bottom", _light(WindowMedian.bottom)),
        Attack(UNBOUNDED, "locate"),
    ),
    Mutant(
        "pairs that differ counted twice",
        swapped(intervals.count_from, _twice),
        Attack(ANY_LAW, "support"),
    ),
    Mutant(
        "squares priced as half",
        swapped(intervals.mean_square, _wide_square),
        Attack(ANY_LAW, "variance"),
    ),
    Mutant("pairs of sorted rows", PAIRS, Attack(UNKNOWN, "log-scale", "(ε")),
    Mutant("pairs of sorted rows, exponents", PAIRS, Attack("univariate/scale", WHOLE, "paper")),
)

FAINT = {"exponential": 0.01, "located_normal": 0.2, "voted_gaussian": 1e-4}  # how much is left of the noise
STEPS = {  # with what is left of their noise
    "gaussian/coinpress": {"step 6": 0.35},  # at half its runs are told apart too well to rank pairs by few
    "gaussian/lifted": {"moment 2": 0.5, "far rows": 0.5},  # a count with a fiftieth of what there is
    "mean/adaptive": {"scales": 0.25},  # the mean has so much of the budget that any run tells its rows
    "covariance/matrix-quantile": {"stability": 0.002},  # a row moves a matrix by little of what it may
}


def in_many_dimensions(key: str) -> Iterator[Attacked]:
    """Yield, for an entry in d dimensions, a step with too little noise and sensitivity.

    The steps are those of `STEPS`, else the last that is attained or, if none is, the first. That has half of
    what it should have or, if it is a choice among hundreds of candidates, each of them improbable, a
    hundredth. Of votes of robust groups, which one row moves by next to nothing, it is the last, with a
    ten-millionth. Of a location among normal rows, which one row moves by half of its sensitivity, it is a
    fifth; of an average of few rows that voted, far less than its noise, a ten-thousandth.
    """
    setting = min(multivariate.settings(key), key=lambda setting: len(list(setting.plan.charges())))
    charges = list(setting.plan.charges())
    robust = key in multivariate.TIPPED
    steps = STEPS.get(key, {})
    named = [next(charge for charge in charges if charge.step == step) for step in steps]
    known = multivariate.attained(setting.plan, CATALOG[key]) or charges[:1]
    for one in named or (charges if robust else known)[-1:]:
        factor = 1e-7 if robust else steps.get(one.step, FAINT.get(one.mechanism, 0.5))
        words = f"of {one.step} times {factor:g}"
        found_by = Attack(key, one.step, setting.variant)
        yield Mutant(f"noise {words}", weaker(kind_of(one), factor), found_by)
        yield Mutant(f"sensitivity {words}", declared(one.step, factor), found_by)


def of_added_rows() -> Iterator[Attacked]:
    """Yield the second moments that are charged what one added row moves, r²/n and not √2 r²/n."""
    for key, step in (("covariance/perturbed", "covariance"), ("covariance/local-thresholded", "users")):
        for pair in ("e1, or e2", "(1, 1)/√2, or (1, -1)/√2"):
            found_by = Attack(key, step, "μ = 2 GDP", pair)
            yield Mutant(f"sensitivity 1 at {pair}", declared(step, 0.5**0.5), found_by)


@cache
def mutants_of(key: str) -> tuple[Attacked, ...]:
    """Return the mutants of one entry; in d dimensions their settings are searched for, which takes time."""
    if own := addition(key):
        return tuple(own.require("mutants")())
    listed = (mutant for mutant in (*UNIVARIATE, *of_added_rows()) if mutant.found_by.key == key)
    return *listed, *(in_many_dimensions(key) if key in multivariate.KEYS else ())


def all_mutants() -> tuple[Attacked, ...]:
    return tuple(mutant for key in KEYS for mutant in mutants_of(key))
