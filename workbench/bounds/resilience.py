"""What robust means do on the line, with constants.

Rows are normal with standard deviation 1; a fraction α of them has been moved far away, to one side.
"""

from math import exp, log, pi, sqrt

from workbench.bounds import below, formula
from workbench.special import brentq, ndtri


@formula
def median_bias(alpha: float) -> float:
    """Return Φ⁻¹(1/(2(1-α))), the median of normal rows of which a fraction α has gone far to one side.

    What Corollary I.1 says with its constant on the line: α √(π/2) to first order.
    """
    below(0.5, alpha=alpha)
    return float(ndtri(0.5 / (1 - alpha)))


@formula
def trimmed_bias(alpha: float) -> float:
    """Return the mean between the 3α-tails of normal rows of which a fraction α has gone far to one side.

    >>> round(trimmed_bias(0.05), 4)
    0.0801
    """
    low, high = _tails(alpha, 0.0)
    return (_density(low) - _density(high)) * (1 - alpha) / (1 - 6 * alpha)


@formula
def margin_rate(alpha: float, width: float) -> float:
    """Return over n how many rows have to move before the tails are further apart than `width`.

    The margin of `mean/resilient`: the r at which the width between the tails of 3α - r reaches `width`, in
    standard deviations; 0 if it is wider from the start, 2α if only the outliers end it.
    """

    def excess(r: float) -> float:
        low, high = _tails(alpha, r)
        return high - low - width

    if excess(0.0) >= 0:
        return 0.0
    most = 2 * alpha * (1 - 1e-12)
    return brentq(excess, 0.0, most) if excess(most) > 0 else 2 * alpha


@formula
def rows_to_pass(margin: float, epsilon: float, delta: float) -> float:
    """Return ln(1/(2δ))/(ε r): at so many rows a test with ε lets half of the runs pass (LKKO21 Lemma H.6).

    >>> round(rows_to_pass(0.072, 1 / 3, 1e-6))
    547
    """
    return log(1 / (2 * delta)) / (epsilon * margin)


def _tails(alpha: float, r: float) -> tuple[float, float]:
    """Return the clean quantiles that 3α - r of all rows are beyond, α of those above not being clean."""
    below(1 / 6, alpha=alpha)
    return float(ndtri((3 * alpha - r) / (1 - alpha))), float(-ndtri((2 * alpha - r) / (1 - alpha)))


def _density(z: float) -> float:
    return exp(-z * z / 2) / sqrt(2 * pi)
