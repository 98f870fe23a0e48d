"""What an example has that a fault may break: it is put only where there is something to break."""

from collections.abc import Callable
from functools import cache
from typing import Any

from workbench.catalog import Example
from workbench.contracts.datasets import dimension, entry_of, least, planned, sizes, typical_rows
from workbench.contracts.kit import answer
from workbench.privacy import ApproxDP, Charge
from workbench.study.faults import replaced_everywhere

Condition = Callable[[Example], bool]


@cache
def charges(example: Example) -> tuple[Charge, ...]:
    """Those of the longest plan and, of plans as long, of the one of most rows, which contracts look at."""
    plans = [tuple(planned(example, n).charges()) for n in sizes(example, 24, 300, 1000)]
    return max(reversed(plans), key=len)


def has_step(step: str) -> Condition:
    return lambda example: step in {charge.step for charge in charges(example)}


def uses(*names: str) -> Condition:
    return lambda example: bool({charge.mechanism for charge in charges(example)} & {*names})


def calibrated(calibration: str) -> Condition:
    return lambda example: getattr(example.estimator, "calibration", None) == calibration


def of(*estimands: str) -> Condition:
    return lambda example: entry_of(example).estimand in estimands


def of_type(*names: str) -> Condition:
    return lambda example: type(example.estimator).__name__ in names


def has(name: str) -> Condition:
    return lambda example: hasattr(example.estimator, name)


def both(*conditions: Condition) -> Condition:
    return lambda example: all(condition(example) for condition in conditions)


def without(*conditions: Condition) -> Condition:
    return lambda example: not any(condition(example) for condition in conditions)


def calls(function: Callable[..., Any], counted: bool = True) -> Condition:
    """Whether it is called; unless `counted`, and never for how many rows are there beside their sum."""

    @cache
    def condition(example: Example) -> bool:
        seen: list[bool] = []

        def watched(*args: Any, **kwargs: Any) -> Any:
            seen.append(counted or not (kwargs.get("counted") or any(one is True for one in args)))
            return function(*args, **kwargs)

        with replaced_everywhere((function, watched)):
            answer(example, typical_rows(example, max(300, least(example)), 1))
        return bool(seen) and all(seen)

    return condition


def on_the_line(example: Example) -> bool:
    return dimension(example) is None


def unbounded(example: Example) -> bool:
    return getattr(example.estimator, "radius", None) is None and not hasattr(example.estimator, "low")


def compares_pairs(example: Example) -> bool:
    return has_step("log-scale")(example) or has_step("exponent")(example)


def has_bottom(example: Example) -> bool:
    return any(
        charge.mechanism == "window_median" and getattr(charge.cost, "delta", 0.0) > 0
        for charge in charges(example)
    )


def is_symmetric(example: Example) -> bool:
    return any(kind != "none" for kind in entry_of(example).symmetries.values())


def has_several_steps(example: Example) -> bool:
    found = charges(example)
    return len(found) > 1 and any(charge.cost != example.budget for charge in found)


def has_parts(example: Example) -> bool:
    return hasattr(planned(example, max(24, least(example))), "parts")


def approximate(example: Example) -> bool:
    return isinstance(example.budget, ApproxDP)


def practical(example: Example) -> bool:
    return getattr(example.estimator, "mode", "proved") == "practical"


in_many_dimensions = without(on_the_line)
is_cut = both(of_type("ClippedMean"), calibrated("paper"))
clips_a_mean = both(on_the_line, has_step("mean"), without(is_cut, of_type("BoundedMean")))
clips_around_a_far_place = both(clips_a_mean, unbounded)
searches_bins = both(on_the_line, has_step("locate"), without(uses("window_median")))
has_window_range = both(uses("window_median"), without(has_bottom))
spends_more_than_half = without(both(of_type("FilterMean"), calibrated("paper")))
cuts_at_the_least_threshold = both(
    uses("stability_histogram"),
    without(both(calibrated("paper"), approximate, of_type("UnboundedMean", "StableLocation"))),
)
central = without(has_step("users"))
is_rounded_up = of_type("CoinPressMean", "ClippedHeavyMean", "PerturbedCovariance")
has_no_net = without(has("candidates"))
not_a_covariance = without(of("covariance"))
quickly_bounded = both(
    has("error_bound"), without(both(has_step("log-scale"), has_step("locate")), practical)
)
groups_variances = both(has_step("variance"), calibrated("tight"))
