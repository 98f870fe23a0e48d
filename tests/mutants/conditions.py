"""What an example has that a fault may break: it is put only where there is something to break."""

from collections.abc import Callable
from functools import cache
from typing import Any

from workbench.catalog import Example
from workbench.contracts.datasets import dimension, entry_of, least, planned, sizes, typical_rows
from workbench.contracts.draws import expected_draw
from workbench.contracts.kit import answer
from workbench.privacy import ApproxDP, Charge
from workbench.study.faults import replaced_everywhere

Condition = Callable[[Example], bool]


@cache
def charges(example: Example) -> tuple[Charge, ...]:
    plans = (tuple(planned(example, n).charges()) for n in sizes(example, 24, 300, 1000))
    return max(plans, key=len)


def has_step(step: str) -> Condition:
    return lambda example: step in {charge.step for charge in charges(example)}


def uses(*names: str) -> Condition:
    return lambda example: bool({charge.mechanism for charge in charges(example)} & {*names})


@cache
def drawn(example: Example) -> set[str]:
    """The kinds of noise of the longest plan."""
    return {expected_draw(charge)[0] for charge in charges(example)}


def draws(kind: str) -> Condition:
    return lambda example: kind in drawn(example)


def calibrated(calibration: str) -> Condition:
    return lambda example: getattr(example.estimator, "calibration", None) == calibration


def of(*estimands: str) -> Condition:
    return lambda example: entry_of(example).estimand in estimands


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


def in_many_dimensions(example: Example) -> bool:
    return dimension(example) is not None


def on_the_line(example: Example) -> bool:
    return dimension(example) is None


def both(*conditions: Condition) -> Condition:
    return lambda example: all(condition(example) for condition in conditions)


def unbounded(example: Example) -> bool:
    return getattr(example.estimator, "radius", None) is None and not hasattr(example.estimator, "low")


def clips_a_mean(example: Example) -> bool:
    paper_cut = type(example.estimator).__name__ == "ClippedMean" and calibrated("paper")(example)
    return on_the_line(example) and has_step("mean")(example) and not paper_cut


def clips_around_a_far_place(example: Example) -> bool:
    return clips_a_mean(example) and unbounded(example)


def searches_bins(example: Example) -> bool:
    return on_the_line(example) and has_step("locate")(example) and not uses("window_median")(example)


def compares_pairs(example: Example) -> bool:
    return has_step("log-scale")(example) or has_step("exponent")(example)


def has_bottom(example: Example) -> bool:
    return any(
        charge.mechanism == "window_median" and getattr(charge.cost, "delta", 0.0) > 0
        for charge in charges(example)
    )


def has_window_range(example: Example) -> bool:
    return uses("window_median")(example) and not has_bottom(example)


def is_symmetric(example: Example) -> bool:
    return any(kind != "none" for kind in entry_of(example).symmetries.values())


def spends_more_than_half(example: Example) -> bool:
    return type(example.estimator).__name__ != "FilterMean" or example.estimator.calibration != "paper"


def has_several_steps(example: Example) -> bool:
    found = charges(example)
    return len(found) > 1 and any(charge.cost != example.budget for charge in found)


def has_parts(example: Example) -> bool:
    return hasattr(planned(example, max(24, least(example))), "parts")


def cuts_at_the_least_threshold(example: Example) -> bool:
    stated = calibrated("paper")(example) and isinstance(example.budget, ApproxDP)
    single = type(example.estimator).__name__ in ("UnboundedMean", "StableLocation")
    return uses("stability_histogram")(example) and not (stated and single)


def central(example: Example) -> bool:
    return not has_step("users")(example)


def is_rounded_up(example: Example) -> bool:
    return type(example.estimator).__name__ in ("CoinPressMean", "ClippedHeavyMean", "PerturbedCovariance")


def has_no_net(example: Example) -> bool:
    return not hasattr(example.estimator, "candidates")


def not_a_covariance(example: Example) -> bool:
    return entry_of(example).estimand != "covariance"


def quickly_bounded(example: Example) -> bool:
    slow = has_step("log-scale")(example) and has_step("locate")(example)
    unproved = getattr(example.estimator, "mode", "proved") == "practical"
    return hasattr(example.estimator, "error_bound") and not (slow or unproved)


groups_variances = both(has_step("variance"), calibrated("tight"))
is_cut = both(lambda example: type(example.estimator).__name__ == "ClippedMean", calibrated("paper"))
