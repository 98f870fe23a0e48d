"""What searched n say of a statement: its rate is seen, n grows slower, n grows faster, or it is open.

What is looked at is the slope of ln(n*/N) for the n* that were found and the statement's N: where the
statement has the right shape, whatever its constant, that is 0, and curvature cancels.
"""

from collections.abc import Callable, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from workbench.special import ndtri
from workbench.study.measures import Measure
from workbench.study.profiles import claim_level
from workbench.study.scaling.scaling import Least, Scaling, Setting
from workbench.study.scaling.slopes import Slope, slope, standard_errors
from workbench.study.verdict import Status, Verdict

TOLERANCE = 0.1  # of an exponent: what logarithms that a statement leaves out may do
SEARCHED = 0.05  # the level of the interval of one n*
SEEN = 0.05  # the level at which wrong statements are excluded
HALF = 0.5  # of a power: a wrong statement that is always near
FEWEST = 3  # values with both ends that a slope takes; of two values, both
CONTRADICTS = {"upper": ("faster",), "lower": ("slower",), "equal": ("faster", "slower")}


def grows(scaling: Scaling, found: Sequence[Least]) -> Verdict:
    """Decide whether n grows with the number as the statement says.

    HOLDS if the statement's rate is seen: the interval of the exponent at 5 % meets it within `TOLERANCE` and
    excludes every wrong rate that the scaling names, and half a power to either side. What a wrong power of a
    term changes of n is taken as small as the term's share of n, where that is known. HOLDS, too, if n
    certainly grows slower than an upper bound, or faster than a lower one: the detail says so. REFUTED if it
    certainly does the contrary, at the level of a check of a claim. Otherwise UNDECIDED.
    """
    bounded = [one for one in found if one.bounded]
    slopes = _Slopes.of(scaling, bounded)
    enough = len(bounded) >= min(FEWEST, len(found))
    rate = _rate(scaling, slopes.excess, _share(found)) if enough else "open"
    status = Status.UNDECIDED if rate == "open" else Status.HOLDS
    if rate in CONTRADICTS["equal" if scaling.power == 0 else scaling.bound]:
        status = Status.REFUTED
    return Verdict(
        status=status,
        test="slope of searched n",
        level=claim_level(),
        trials=sum(one.runs for one in found),
        estimate=slopes.measured.estimate,
        interval=slopes.measured.interval(SEEN),
        bound=slopes.stated,
        id=f"n in {scaling.variable}: {scaling.key}",
        detail={"scaling": _record(scaling, found, rate, slopes)},
    )


class _Slopes(NamedTuple):
    """The exponents of the n that were found, of these over the statement's, and of formulas alone."""

    measured: Slope
    excess: Slope
    stated: float
    predicted: float

    @classmethod
    def of(cls, scaling: Scaling, found: Sequence[Least]) -> "_Slopes":
        axis = [scaling.axis(one.value) for one in found]
        errors = standard_errors([one.interval for one in found], SEARCHED)
        n, stated, predicted = (
            np.array([(one.n, one.setting.stated, one.setting.predicted) for one in found]).reshape(-1, 3).T
        )
        measured, excess, formula, model = (
            slope(axis, y, errors) for y in (n, n / stated, stated, predicted)
        )
        return cls(measured, excess, formula.estimate, model.estimate)


def within(scaling: Scaling, found: Sequence[Least], proved: Callable[[Setting], float]) -> Verdict:
    """Decide whether the n that is found is at most a proved one at every value; shown is the largest ratio.

    HOLDS if every interval at 5 % lies below, REFUTED if one lies above at the level of a check.
    """
    bounds = np.array([proved(one.setting) for one in found])
    errors = standard_errors([one.interval for one in found], SEARCHED)
    ratios = np.array([one.n for one in found]) / bounds
    reach = _reach(claim_level(parts=len(found))) * errors
    with np.errstate(invalid="ignore"):  # nothing is enough: inf, with an open end below
        low, high = (ratios * np.exp(sign * reach) for sign in (-1, 1))
    above = ~(np.array([one.interval[1] for one in found]) <= bounds)  # nan is no bound
    low = np.nan_to_num(low, nan=0.0, posinf=inf)
    refuted = bool(low.max() > 1)
    worst = int(np.argmax(ratios))
    return Verdict(
        status=Status.REFUTED if refuted else Status.UNDECIDED if above.any() else Status.HOLDS,
        test="searched n at most the proved n",
        level=claim_level(),
        trials=sum(one.runs for one in found),
        estimate=float(ratios[worst]),
        interval=(float(low[worst]), float(high[worst])),
        bound=1.0,
        id=f"n over the proved n in {scaling.variable}: {scaling.key}",
        detail={"n": [one.n for one in found], "proved": bounds.tolist()},
    )


def _reach(level: float) -> float:
    return float(-ndtri(level / 2))


def measure(one: Least) -> Measure:
    """Return n with its interval at the level of a check."""
    (error,) = standard_errors([one.interval], SEARCHED)
    reach = float(np.exp(-_reach(claim_level()) * error)) if error < inf else 0.0
    return Measure(one.n, (one.n * reach, one.n / reach if reach else inf), one.runs)


def follow(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
    """Return the check of every scaling: what a claim about sample sizes alone consists of."""
    return [grows(*growth) for growth in growths]


def _share(found: Sequence[Least]) -> float:
    """Return the least known share of the term in n; all of it where none is known."""
    return min((one.setting.share for one in found if isfinite(one.setting.share)), default=1.0)


def _rate(scaling: Scaling, excess: Slope, share: float) -> str:
    """Return what the exponent of n*/N says; `faster` is towards larger n."""
    if not isfinite(excess.error):
        return "open"
    named = (power - scaling.power for power in scaling.instead.values())
    wrong = [share * gap for gap in (*named, -HALF, HALF)]
    low, high = excess.interval(SEEN)
    if low <= TOLERANCE and high >= -TOLERANCE and not any(low <= one <= high for one in wrong):
        return "seen"
    ends = excess.interval(claim_level())
    low, high = ends if scaling.power >= 0 else (-ends[1], -ends[0])
    return "slower" if high < -TOLERANCE else "faster" if low > TOLERANCE else "open"


def _record(scaling: Scaling, found: Sequence[Least], rate: str, slopes: _Slopes) -> dict[str, Any]:
    """Return what the table of scalings prints."""
    settings = [one.setting for one in found]
    return {
        "statement": scaling.statement,
        "variable": scaling.variable,
        "logarithm": scaling.logarithm,
        "key": scaling.key,
        "term": scaling.term,
        "share": scaling.share,
        "power": scaling.power,
        "instead": dict(scaling.instead),
        "rate": rate,
        "curved": slopes.excess.curved,
        "slope": slopes.measured.estimate,
        "slope_interval": slopes.measured.interval(SEEN),
        "slope_stated": slopes.stated,
        "slope_predicted": slopes.predicted,
        "excess": slopes.excess.estimate,
        "excess_interval": slopes.excess.interval(SEEN),
        "values": [one.value for one in found],
        "n": [one.n for one in found],
        "intervals": [one.interval for one in found],
        "kinds": [one.kind for one in found],
        "stated": [one.stated for one in settings],
        "predicted": [one.predicted for one in settings],
        "shares": [one.share for one in settings],
    }
