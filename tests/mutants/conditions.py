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
    """The charges of the longest plan: more rows may take more steps, or fewer."""
    plans = (tuple(planned(example, n).charges()) for n in sizes(example, 24, 300, 1000))
    return max(plans, key=len)


def has_step(step: str) -> Condition:
    """Examples whose plan has a step of this name."""
    return lambda example: step in {charge.step for charge in charges(example)}


def uses(*names: str) -> Condition:
    """Examples with a charge of one of these mechanisms."""
    return lambda example: bool({charge.mechanism for charge in charges(example)} & {*names})


@cache
def drawn(example: Example) -> set[str]:
    """The kinds of noise of the longest plan."""
    return {expected_draw(charge)[0] for charge in charges(example)}


def draws(kind: str) -> Condition:
    """Examples that draw noise of this kind."""
    return lambda example: kind in drawn(example)


def calibrated(calibration: str) -> Condition:
    """Examples of one calibration."""
    return lambda example: getattr(example.estimator, "calibration", None) == calibration


def of(*estimands: str) -> Condition:
    """Examples of entries that estimate one of these."""
    return lambda example: entry_of(example).estimand in estimands


def calls(function: Callable[..., Any]) -> Condition:
    """Examples whose run calls a function of the package."""

    @cache
    def condition(example: Example) -> bool:
        seen: list[object] = []

        def watched(*args: Any, **kwargs: Any) -> Any:
            seen.append(args)
            return function(*args, **kwargs)

        with replaced_everywhere((function, watched)):
            answer(example, typical_rows(example, max(300, least(example)), 1))
        return bool(seen)

    return condition


def in_many_dimensions(example: Example) -> bool:
    """Examples whose rows are vectors."""
    return dimension(example) is not None


def on_the_line(example: Example) -> bool:
    """Examples whose rows are numbers."""
    return dimension(example) is None


def both(*conditions: Condition) -> Condition:
    """Examples that meet all conditions."""
    return lambda example: all(condition(example) for condition in conditions)


def unbounded(example: Example) -> bool:
    """Examples without a range of places."""
    return not hasattr(example.estimator, "radius")


def clips_a_mean(example: Example) -> bool:
    """Examples whose mean goes through the shared clipped mean."""
    paper_cut = type(example.estimator).__name__ == "ClippedMean" and calibrated("paper")(example)
    return on_the_line(example) and has_step("mean")(example) and not paper_cut


def clips_around_a_far_place(example: Example) -> bool:
    """Examples whose mean is clipped around a place that may be anywhere."""
    return clips_a_mean(example) and unbounded(example)


def searches_bins(example: Example) -> bool:
    """Examples with bins of width 1."""
    return on_the_line(example) and has_step("locate")(example) and not uses("window_median")(example)


def compares_pairs(example: Example) -> bool:
    """Examples that look at differences of rows in pairs."""
    return has_step("log-scale")(example) or has_step("exponent")(example)


def has_bottom(example: Example) -> bool:
    """Examples with a window median without a range: it has a δ of its own."""
    return any(
        charge.mechanism == "window_median" and getattr(charge.cost, "delta", 0.0) > 0
        for charge in charges(example)
    )


def has_window_range(example: Example) -> bool:
    """Examples with a window median on a range."""
    return uses("window_median")(example) and not has_bottom(example)


def is_symmetric(example: Example) -> bool:
    """Examples that promise something about moved or rescaled rows."""
    return any(kind != "none" for kind in entry_of(example).symmetries.values())


def spends_more_than_half(example: Example) -> bool:
    """All but the filter with its source's constants, whose noise is chosen for at most ε = .9."""
    return type(example.estimator).__name__ != "FilterMean" or example.estimator.calibration != "paper"


def has_several_steps(example: Example) -> bool:
    """Examples that divide their budget."""
    found = charges(example)
    return len(found) > 1 and any(charge.cost != example.budget for charge in found)


def has_parts(example: Example) -> bool:
    """Examples whose plan has several parts, of which the last may be left out."""
    return hasattr(planned(example, max(24, least(example))), "parts")


def cuts_at_the_least_threshold(example: Example) -> bool:
    """Examples whose histogram cuts at the least allowed threshold, not at the source's larger one."""
    stated = calibrated("paper")(example) and isinstance(example.budget, ApproxDP)
    single = type(example.estimator).__name__ in ("UnboundedMean", "StableLocation")
    return uses("stability_histogram")(example) and not (stated and single)


def central(example: Example) -> bool:
    """Examples in which the noise does not drown what rows are."""
    return not has_step("users")(example)


def is_rounded_up(example: Example) -> bool:
    """Examples with a radius that is no whole number of steps, and a direction in which it rounds up."""
    return type(example.estimator).__name__ in ("CoinPressMean", "ClippedHeavyMean", "PerturbedCovariance")


def has_no_net(example: Example) -> bool:
    """Examples that do not choose among public candidates: those cut scores, and end where the net does."""
    return not hasattr(example.estimator, "candidates")


def not_a_covariance(example: Example) -> bool:
    """Examples whose proved bounds are not products of several."""
    return entry_of(example).estimand != "covariance"


def quickly_bounded(example: Example) -> bool:
    """Examples whose bound is finite for few rows; the others need 40 000, or prove none."""
    slow = has_step("log-scale")(example) and has_step("locate")(example)
    unproved = getattr(example.estimator, "mode", "proved") == "practical"
    return hasattr(example.estimator, "error_bound") and not (slow or unproved)


groups_variances = both(has_step("variance"), calibrated("tight"))
is_scaled = both(has_step("variance"), calibrated("paper"))
is_cut = both(lambda example: type(example.estimator).__name__ == "ClippedMean", calibrated("paper"))
