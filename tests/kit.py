"""What the contracts share: examples of the catalog, hostile rows, a spy on mechanisms, exact laws."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any
from unittest.mock import patch

import numpy as np

from workbench.catalog import CATALOG, Example
from workbench.estimators.parts.window_median import WindowMedian
from workbench.privacy import Charge, histograms, mechanisms

FALSE_ALARM = 1e-6  # of every statistical contract; lower hides real faults, higher makes flakes
SCALE_FACTOR = 1.3  # a wrong noise scale that every statistical contract must reject, and its inverse
DRAWS = 2000  # enough for both: Gamma-exact tests reject 1.3 with certainty

HOSTILE = (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e100, -1e100, 1e15, 5e-324, 0.0, -0.0)


def examples() -> list[Any]:
    """Every example of the catalog, with small tables of pivots, as pytest parameters named after it."""
    import pytest

    return [
        pytest.param(entry.key, quick(example), id=f"{entry.key}-{number}-{name(example)}")
        for entry in CATALOG.values()
        for number, example in enumerate(entry.examples)
    ]


def name(example: Example) -> str:
    return f"{example.estimator.calibration}-{type(example.budget).__name__}"


def quick(example: Example) -> Example:
    """The same example with the smallest table of pivots that its level allows."""
    if any(field.name == "pivots" for field in fields(example.estimator)):
        return Example(replace(example.estimator, pivots=300), example.budget)
    return example


def typical_rows(example: Example, n: int, seed: int) -> np.ndarray:
    """Normal rows where the example expects them."""
    estimator = example.estimator
    centre, sigma = getattr(estimator, "centre", 0.0), getattr(estimator, "sigma", 1.0)
    return centre + sigma * np.random.default_rng(seed).standard_normal(n)


def row_values(example: Example, n: int) -> list[float]:
    """Values that a replaced row may take: hostile ones and both sides of every clip."""
    estimator = example.estimator
    centre, sigma = getattr(estimator, "centre", 0.0), getattr(estimator, "sigma", 1.0)
    radius = getattr(estimator, "radius", 100.0 * sigma)
    near = [
        centre + side * size for side in (-1, 1) for size in (0, 0.4 * sigma, 2 * sigma, radius, 50 * radius)
    ]
    if hasattr(estimator, "bound"):  # the last values that the paper's mean does not zero
        reach = sigma * estimator.bound(n, example.budget) * (1 - 1e-12)
        near += [centre - reach, centre + reach]
    return [*near, *HOSTILE]


@dataclass
class Event:
    """One use of a mechanism: its name, charge, the statistic it saw and what it released."""

    mechanism: str
    charge: Charge
    statistic: Any
    output: Any


@contextmanager
def replaced_everywhere(original: Callable[..., Any], replacement: Callable[..., Any]) -> Iterator[None]:
    """Replace a function in every module of the package that imported it."""
    with ExitStack() as stack:
        for module_name, module in list(sys.modules.items()):
            if module_name.startswith("workbench"):
                for attribute, value in list(vars(module).items()):
                    if value is original:
                        stack.enter_context(patch.object(module, attribute, replacement))
        yield


@contextmanager
def spied(script: list[Event] | None = None) -> Iterator[list[Event]]:
    """Record every use of a mechanism; with a script, release its outputs instead of fresh ones."""
    events: list[Event] = []
    inside = [0]

    def wrap(
        mechanism: str, original: Callable[..., Any], statistic: Callable[..., Any]
    ) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if inside[0]:
                return original(*args, **kwargs)
            charge = next(value for value in args if isinstance(value, Charge))
            inside[0] += 1
            try:
                output = script[len(events)].output if script else original(*args, **kwargs)
            finally:
                inside[0] -= 1
            events.append(Event(mechanism, charge, statistic(*args), output))
            return output

        return call

    with ExitStack() as stack:
        for function, statistic in (
            (mechanisms.additive, lambda value, *_: np.array(value, float)),
            (mechanisms.noisy_max, lambda scores, *_: np.array(scores, float)),
            (mechanisms.exponential, lambda scores, *_: np.array(scores, float)),
            (histograms.stability_histogram, lambda keys, *_: Counter(np.asarray(keys).tolist())),
        ):
            wrapped = wrap(function.__name__, function, statistic)
            stack.enter_context(replaced_everywhere(function, wrapped))
        draw = wrap("window_median", WindowMedian.draw, lambda locator, points, *_: (locator, points.copy()))
        stack.enter_context(patch.object(WindowMedian, "draw", lambda *args: draw(*args)))
        yield events


def distance(event: Event, other: Event) -> float:
    """How far two statistics of one mechanism are apart, in the norm of its charge."""
    first, second = event.statistic, other.statistic
    if event.mechanism == "window_median":
        return score_gap(*first, second[1])
    if event.mechanism == "stability_histogram":
        gaps = np.array([first[key] - second[key] for key in {*first, *second}], float)
    else:
        gaps = np.atleast_1d(first - second).ravel()
    if event.mechanism in ("noisy_max", "exponential"):
        return float(np.abs(gaps).max())
    gaussian = event.charge.mechanism == "gaussian" or event.charge.sensitivity == histograms.COUNTS_L2
    return float(np.sqrt((gaps**2).sum()) if gaussian else np.abs(gaps).sum())


def score_gap(locator: WindowMedian, points: np.ndarray, others: np.ndarray) -> float:
    """The largest difference of the score of two data sets over all positions."""
    pieces, other = locator.pieces(points), locator.pieces(others)
    edges = np.unique(np.concatenate([pieces.edges, other.edges]))
    if len(edges) < 2:
        return 0.0
    middles = edges[:-1] + np.diff(edges) / 2
    inner = (middles > edges[:-1]) & (middles < edges[1:])
    return float(np.abs(score(locator, points, middles) - score(locator, others, middles))[inner].max())


def score(locator: WindowMedian, points: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """m(t) as its definition says, by counting."""
    t = positions[:, None]
    left = (points < t).sum(axis=1)
    outside = ((points + locator.left < t) | (points - locator.right > t) | ~np.isfinite(points)).sum(axis=1)
    return np.maximum(np.abs(len(points) - 2 * left) / 2, outside)
