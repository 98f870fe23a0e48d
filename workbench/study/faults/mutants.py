"""Mistakes that an attack must find, for every entry of the catalog.

Mistakes that no sample can show, such as a δ of 1e-6 or noise a few per cent too small, are left to the
contracts and property tests.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from math import log
from typing import Any

import numpy as np

from workbench.catalog import CATALOG
from workbench.estimators.parts.locate import clipping
from workbench.estimators.parts.locate.unit_histogram import UnitHistogram
from workbench.estimators.parts.locate.window_median import WindowMedian
from workbench.estimators.parts.scale import exponent_scale, winsorised_scale
from workbench.privacy import ApproxDP, Charge, histograms, mechanisms
from workbench.study.faults.mutation import Mutant, Patch, weaker
from workbench.study.pairs import BUILDERS, WHOLE, multivariate


def _half(function: Callable[..., float]) -> Callable[..., float]:
    return lambda *arguments: function(*arguments) / 2


def _cheap_variance(original: Callable[..., Any]) -> Callable[..., Any]:
    def charge(*arguments: Any) -> Any:
        right = original(*arguments)
        return replace(right, sensitivity=right.sensitivity / 2)

    return charge


def _from_the_smallest(recipe: UnitHistogram, x: Any) -> Any:
    """Bins that begin at the smallest row: one row moves all the others."""
    keys = np.floor(x - x.min())
    return keys if recipe.radius is None else np.clip(keys, 0, recipe.bins - 1)


def _light_bottom(original: Callable[..., float]) -> Callable[..., float]:
    return lambda *arguments: original(*arguments) - log(8)


def _sorted_pairs(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: original(np.sort(x))


def _unclipped(x: Any, centre: float, clip: float) -> float:
    return float((x - centre).mean())


CLIPPED = "univariate/clipped-mean"
HISTOGRAM, STABLE = "univariate/histogram-location", "univariate/stable-location"

UNIVARIATE = (
    Mutant("Laplace noise halved", CLIPPED, "mean", weaker("laplace", 0.5), "tight, ε"),
    Mutant("Laplace noise over √2", CLIPPED, "mean", weaker("laplace", 0.5**0.5), "paper, ε"),
    Mutant("Gaussian noise halved", CLIPPED, "mean", weaker("gaussian", 0.5), "(ε"),
    Mutant("Gaussian noise over √2", CLIPPED, "mean", weaker("gaussian", 0.5**0.5), "GDP"),
    Mutant("discrete noise halved", STABLE, "locate", weaker("discrete_laplace", 0.5), "(ε"),
    Mutant("Gumbel noise halved", "univariate/median", "locate", weaker("gumbel", 0.5)),
    Mutant("exponential noise halved", HISTOGRAM, WHOLE, weaker("exponential", 0.5)),
    Mutant(
        "sensitivity 1/n for 2/n",
        "univariate/two-step-mean",
        "mean",
        (Patch(clipping, "sensitivity", _half(clipping.sensitivity)),),
    ),
    Mutant(
        "sensitivity of the variances halved",
        "univariate/interval-unknown-variance",
        "variance",
        (Patch(winsorised_scale, "_mean_charge", _cheap_variance(winsorised_scale._mean_charge)),),
    ),
    Mutant(
        "counts priced as if one moved",
        HISTOGRAM,
        "locate",
        (Patch(histograms, "COUNTS_L2", histograms.COUNTS_L2 / 2),),
        "paper, ρ",
    ),
    Mutant(
        "no clipping", "univariate/unbounded-mean", "mean", (Patch(clipping, "clipped_mean", _unclipped),)
    ),
    Mutant(
        "no noise",
        "univariate/interval",
        "mean",
        (Patch(mechanisms, "additive", lambda value, charge, noise: np.asarray(value, np.float64)),),
        "paper",
    ),
    Mutant(
        "largest count without noise",
        HISTOGRAM,
        WHOLE,
        (Patch(mechanisms, "noisy_max", lambda scores, charge, noise: int(np.argmax(scores))),),
    ),
    Mutant(
        "bins that begin at the smallest row",
        HISTOGRAM,
        WHOLE,
        (Patch(UnitHistogram, "keys", _from_the_smallest),),
    ),
    Mutant(
        "bins that begin at the smallest row, no range",
        STABLE,
        WHOLE,
        (Patch(UnitHistogram, "keys", _from_the_smallest),),
    ),
    Mutant(
        "no threshold",
        STABLE,
        WHOLE,
        (Patch(histograms, "stability_threshold", lambda cost: -np.inf),),
    ),
    Mutant(
        "bottom too light",
        "univariate/unbounded-mean",
        "locate",
        (Patch(WindowMedian, "log_bottom", _light_bottom(WindowMedian.log_bottom)),),
    ),
    Mutant(
        "pairs of sorted rows",
        "univariate/scale",
        "log-scale",
        (Patch(exponent_scale, "pair_differences", _sorted_pairs(exponent_scale.pair_differences)),),
    ),
    Mutant(
        "pairs of sorted rows, exponents",
        "univariate/scale",
        WHOLE,
        (Patch(exponent_scale, "pair_differences", _sorted_pairs(exponent_scale.pair_differences)),),
        "paper",
    ),
)

NOISE = {
    "gaussian": "gaussian",
    "symmetric_gaussian": "symmetric_gaussian",
    "lower_bound": "gaussian",
    "laplace": "laplace",
    "truncated_laplace": "truncated_laplace",
    "thompson_laplace": "thompson_laplace",
    "exponential": "gumbel",
    "window_median": "gumbel",
    "stability_histogram": "gaussian",
}  # mechanism: what a simulated source draws for it


def _noise(charge: Charge) -> str:
    """Return the noise of a step: a lower bound is the only one of which it depends on the budget."""
    laplace = charge.mechanism == "lower_bound" and isinstance(charge.cost, ApproxDP)
    return "laplace" if laplace else NOISE[charge.mechanism]


def _reduced(step: str, factor: float) -> tuple[Patch, ...]:
    """Return the mistake of a step that declares a part of its sensitivity."""
    construct = Charge.__init__

    def charge(self: Charge, name: str, mechanism: str, sensitivity: float, cost: Any) -> None:
        construct(self, name, mechanism, sensitivity * factor if name == step else sensitivity, cost)

    return (Patch(Charge, "__init__", charge),)


def in_many_dimensions(key: str) -> Iterator[Mutant]:
    """Yield, for an entry in d dimensions, a step with too little noise and sensitivity.

    The step is the last that is attained or, if none is, the first. It has half of what it should have or,
    if it is a choice among hundreds of candidates, each of them improbable, a hundredth. Of votes of robust
    groups, which one row moves by next to nothing, it is the last, with a ten-millionth.
    """
    setting = min(multivariate.settings(key), key=lambda one: len(list(one.plan.charges())))
    charges = list(setting.plan.charges())
    robust = key.endswith("populous-robust")
    last = charges[-1] if robust else (multivariate.attained(setting.plan, CATALOG[key]) or charges[:1])[-1]
    factor = 1e-7 if robust else 0.01 if last.mechanism == "exponential" else 0.5
    words = f"of {last.step} times {factor:g}"
    faint = weaker(_noise(last), factor)
    yield Mutant(f"noise {words}", key, last.step, faint, setting.variant)
    yield Mutant(f"sensitivity {words}", key, last.step, _reduced(last.step, factor), setting.variant)


def of_added_rows() -> Iterator[Mutant]:
    """Yield the second moments that are charged what one added row moves, r²/n and not √2 r²/n."""
    for key, step in (("covariance/perturbed", "covariance"), ("covariance/local-thresholded", "users")):
        for pair in ("e1, or e2", "(1, 1)/√2, or (1, -1)/√2"):
            patches = _reduced(step, 0.5**0.5)
            yield Mutant(f"sensitivity 1 at {pair}", key, step, patches, "μ = 2 GDP", pair)


@cache
def mutants_of(key: str) -> tuple[Mutant, ...]:
    """Return the mutants of one entry; in d dimensions their settings are searched for, which takes time."""
    listed = (mutant for mutant in (*UNIVARIATE, *of_added_rows()) if mutant.key == key)
    return *listed, *(in_many_dimensions(key) if key in multivariate.KEYS else ())


def all_mutants() -> tuple[Mutant, ...]:
    """Return every mutant, entry by entry."""
    return tuple(mutant for key in BUILDERS for mutant in mutants_of(key))
