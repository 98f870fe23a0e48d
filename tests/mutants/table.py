"""The mutants: faults put into the package on purpose, each with the contract that must find it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from accounting import expected_draw
from datasets import dimension, entry_of, least, planned, sizes, typical_rows
from kit import answer, replaced_everywhere

from workbench.catalog import Example
from workbench.privacy import Charge, histograms, masks, mechanisms

Contract = Callable[..., None]
Fault = Callable[[Example], AbstractContextManager[None]]
MECHANISMS = (
    mechanisms.additive,
    mechanisms.truncated_laplace,
    masks.masked,
    mechanisms.gaussian,
    mechanisms.symmetric_gaussian,
    mechanisms.lower_bound,
    mechanisms.noisy_max,
    mechanisms.exponential,
    histograms.stability_histogram,
)


@dataclass(frozen=True)
class Mutant:
    """A fault, the contract that must find it, and the examples that have what it breaks."""

    name: str
    fault: Fault
    contract: Contract
    applies: Callable[[Example], bool]
    options: dict[str, Any] = field(default_factory=dict)


def everywhere(example: Example) -> bool:
    """Every example."""
    return True


@cache
def charges(example: Example) -> tuple[Charge, ...]:
    """The charges of the longest plan: more rows may take more steps, or fewer."""
    plans = (tuple(planned(example, n).charges()) for n in sizes(example, 24, 300, 1000))
    return max(plans, key=len)


def has_step(step: str) -> Callable[[Example], bool]:
    """Examples whose plan has a step of this name."""
    return lambda example: step in {charge.step for charge in charges(example)}


def uses(*names: str) -> Callable[[Example], bool]:
    """Examples with a charge of one of these mechanisms."""
    return lambda example: bool({charge.mechanism for charge in charges(example)} & {*names})


@cache
def drawn(example: Example) -> set[str]:
    """The kinds of noise of the longest plan."""
    return {expected_draw(charge)[0] for charge in charges(example)}


def draws(kind: str) -> Callable[[Example], bool]:
    """Examples that draw noise of this kind."""
    return lambda example: kind in drawn(example)


def calibrated(calibration: str) -> Callable[[Example], bool]:
    """Examples of one calibration."""
    return lambda example: getattr(example.estimator, "calibration", None) == calibration


def of(*estimands: str) -> Callable[[Example], bool]:
    """Examples of entries that estimate one of these."""
    return lambda example: entry_of(example).estimand in estimands


def calls(function: Callable[..., Any]) -> Callable[[Example], bool]:
    """Examples whose run calls a function of the package."""

    @cache
    def condition(example: Example) -> bool:
        seen: list[object] = []

        def watched(*args: Any, **kwargs: Any) -> Any:
            seen.append(args)
            return function(*args, **kwargs)

        with replaced_everywhere(function, watched):
            answer(example, typical_rows(example, max(300, least(example)), 1))
        return bool(seen)

    return condition


def in_many_dimensions(example: Example) -> bool:
    """Examples whose rows are vectors."""
    return dimension(example) is not None


def on_the_line(example: Example) -> bool:
    """Examples whose rows are numbers."""
    return dimension(example) is None


def both(*conditions: Callable[[Example], bool]) -> Callable[[Example], bool]:
    """Examples that meet all conditions."""
    return lambda example: all(condition(example) for condition in conditions)


def unbounded(example: Example) -> bool:
    """Examples without a range of places."""
    return not hasattr(example.estimator, "radius")


def swapped(original: Callable[..., Any], replacement: Callable[..., Any]) -> Fault:
    """A fault that replaces one function wherever the package imported it."""
    return lambda example: replaced_everywhere(original, replacement)


def attribute(owner: Any, name: str, replacement: Any) -> Fault:
    """A fault that replaces one attribute of a class or module."""

    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        with patch.object(owner, name, replacement):
            yield

    return fault


def method(name: str, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Fault:
    """A fault that changes a method of the example's own class."""

    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        kind = type(example.estimator)
        with patch.object(kind, name, change(getattr(kind, name))):
            yield

    return fault


class Rescaled:
    """A noise source with every scale times a factor; factor 0 adds nothing and draws nothing."""

    def __init__(self, source: Any, factor: float) -> None:
        self.source, self.factor = source, factor

    def __getattr__(self, kind: str) -> Callable[..., Any]:
        def noisy(value: Any, sensitivity: float, scale: float, *rest: float) -> Any:
            if not self.factor:
                exact = np.asarray(value, float)
                return exact @ exact.T if kind in masks.KINDS else exact
            return getattr(self.source, kind)(value, sensitivity, scale * self.factor, *rest)

        return getattr(self.source, kind) if kind == "uniform" else noisy


def noise_of_steps(wrong: Callable[[Example], set[str]], factor: float) -> Fault:
    """A fault in some steps of an example: their noise has `factor` times the scale."""

    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        steps = wrong(example)

        def changed(mechanism: Callable[..., Any]) -> Callable[..., Any]:
            def call(value: Any, charge: Charge, noise: Any, *rest: Any) -> Any:
                source = Rescaled(noise, factor) if charge.step in steps else noise
                return mechanism(value, charge, source, *rest)

            return call

        with ExitStack() as stack:
            for mechanism in MECHANISMS:
                stack.enter_context(replaced_everywhere(mechanism, changed(mechanism)))
            yield

    return fault


def charged(change: Callable[[str, str, float, Any], tuple[str, str, float, Any]]) -> Fault:
    """A fault in every charge, at its construction."""

    @contextmanager
    def fault(example: Example) -> Iterator[None]:
        construct = Charge.__init__

        def changed(self: Charge, step: str, mechanism: str, sensitivity: float, cost: Any) -> None:
            construct(self, *change(step, mechanism, sensitivity, cost))

        with patch.object(Charge, "__init__", changed):
            yield

    return fault


def sensitivity_of_steps(wrong: Callable[[Example], set[str]], factor: float) -> Fault:
    """A fault in some steps of an example: they declare `factor` times their sensitivity."""

    def fault(example: Example) -> AbstractContextManager[None]:
        steps = wrong(example)
        return charged(
            lambda step, name, size, cost: (step, name, size * (factor if step in steps else 1), cost)
        )(example)

    return fault


def times(cost: Any, factor: float) -> Any:
    """A budget with `factor` times the ε, ρ or μ."""
    name = next(name for name in ("epsilon", "rho", "mu") if hasattr(cost, name))
    return replace(cost, **{name: factor * getattr(cost, name)})


class Unclipped:
    """numpy without its clip."""

    def __getattr__(self, name: str) -> Any:
        return (lambda x, low, high, out=None: np.asarray(x)) if name == "clip" else getattr(np, name)
