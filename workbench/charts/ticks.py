"""Where the ticks of a logarithmic axis sit, and what they say."""

from collections.abc import Sequence
from math import ceil, floor, log10

SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return round numbers between two positive limits: decades, or 1-2-5 steps when decades are few.

    >>> log_ticks(0.9, 2e6, most=4), log_ticks(12, 130)
    ([1.0, 100.0, 10000.0, 1000000.0], [20.0, 50.0, 100.0])
    """
    first, last = ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)
    if last - first >= 2:
        return [10.0**power for power in range(first, last + 1, ceil((last - first + 1) / most))]
    for steps in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7), [1 + step / 10 for step in range(90)]):
        ticks = _within(steps, low, high)
        if len(ticks) >= 3:
            break
    return ticks[:: ceil(len(ticks) / most)]


def _within(steps: Sequence[float], low: float, high: float) -> list[float]:
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    every = [float(f"{step * 10.0**power:.12g}") for power in powers for step in steps]
    return [tick for tick in every if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Return the ticks in words: plain numbers where all are short, powers of ten otherwise.

    >>> tick_labels([0.01, 1.0]), tick_labels([1e-6, 1.0]), tick_labels([2e5, 5e5])
    (['0.01', '1'], ['10⁻⁶', '1'], ['2·10⁵', '5·10⁵'])
    """
    if all(1e-3 <= tick <= 9999 for tick in ticks):
        return [f"{tick:g}" for tick in ticks]
    return [_power(tick) for tick in ticks]


def _power(tick: float) -> str:
    mantissa, exponent = f"{tick:.3e}".split("e")
    ten = "10" + str(int(exponent)).translate(SUPERSCRIPT) if int(exponent) > 1 or int(exponent) < 0 else ""
    if not ten:
        return f"{tick:g}"
    return ten if float(mantissa) == 1 else f"{float(mantissa):g}·{ten}"
