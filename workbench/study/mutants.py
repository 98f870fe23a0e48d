"""Mistakes that an attack must find: each breaks the package in one place, for as long as it is applied.

Mistakes that no sample can show, such as a δ of 1e-6 or noise a few per cent too small, are left to the
contracts and property tests.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np

from workbench.estimators.parts import (
    clipping,
    exponent_scale,
    pivots,
    winsorised_scale,
)
from workbench.estimators.parts.unit_histogram import UnitHistogram
from workbench.estimators.parts.window_median import WindowMedian
from workbench.privacy import SimulatedNoise, histograms, mechanisms
from workbench.study.audit import AuditReport
from workbench.study.audit_suite import attack
from workbench.study.pairs import BUILDERS, WHOLE, Case
from workbench.study.profiles import AUDIT_CI, AuditPreset


@dataclass(frozen=True)
class Patch:
    """Something of the package and what stands in for it: an attribute of `owner`, or a function anywhere."""

    owner: Any
    attribute: str
    replacement: Any


@dataclass(frozen=True)
class Mutant:
    """A mistake, and the attack that must find it.

    It is the first one of `key` at `stage` whose variant contains `variant`.
    """

    name: str
    key: str
    stage: str
    patches: tuple[Patch, ...]
    variant: str = ""

    def case(self) -> Case:
        """Return the attack, built with whatever patches are in place."""
        attacks = BUILDERS[self.key]()
        return next(one for one in attacks if one.stage == self.stage and self.variant in one.variant)

    def attacked(self, preset: AuditPreset = AUDIT_CI, seed: int = 0) -> AuditReport:
        """Return the report on the mutant: it should be a violation."""
        with applied(self.patches):
            case = self.case()
            return attack(replace(case, key=f"{case.key} with {self.name}"), preset, seed)


@contextmanager
def applied(patches: tuple[Patch, ...]) -> Iterator[None]:
    """Apply patches, without designs and tables from before, and leave none behind."""
    tables = dict(pivots._TABLES)
    with ExitStack() as stack:
        stack.callback(pivots._TABLES.update, tables)
        stack.callback(_forget)
        for patch in patches:
            stack.enter_context(_applied(patch))
        _forget()
        yield


@contextmanager
def _applied(patch: Patch) -> Iterator[None]:
    """Replace an attribute; where the owner is a module, also wherever the package imported it."""
    original = getattr(patch.owner, patch.attribute)
    owners = [patch.owner] if isinstance(patch.owner, type) else _importers(patch.attribute, original)
    for owner in owners:
        setattr(owner, patch.attribute, patch.replacement)
    try:
        yield
    finally:
        for owner in owners:
            setattr(owner, patch.attribute, original)


def _importers(attribute: str, original: object) -> list[Any]:
    modules = [module for name, module in sys.modules.items() if name.startswith("workbench")]
    return [module for module in modules if vars(module).get(attribute) is original]


def _forget() -> None:
    """Empty every cache of the package: designs depend on sensitivities and noise."""
    for name, module in list(sys.modules.items()):
        if name.startswith("workbench"):
            for value in list(vars(module).values()):
                if callable(getattr(value, "cache_clear", None)):
                    value.cache_clear()
    pivots._TABLES.clear()


def weaker(kind: str, factor: float) -> tuple[Patch, ...]:
    """Return the mistake of a noise whose scale is `factor` times the right one."""
    original: Callable[..., Any] = getattr(SimulatedNoise, kind)

    def drawn(self: SimulatedNoise, value: Any, sensitivity: float, scale: float, *rest: float) -> Any:
        return original(self, value, sensitivity, factor * scale, *rest)

    return (Patch(SimulatedNoise, kind, drawn),)


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

MUTANTS = (
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
