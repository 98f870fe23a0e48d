"""The sample sizes of LKKO21, robust and private means: its theorems and its Tables 1 and 2.

The source hides constants and logarithms. A function named `..._shape` has constant 1 on each term and only
the logarithms that its docstring shows; its value says how the sample size moves with d, α, ε and δ. α is the
fraction of corrupted rows and sets the error: α √(ln 1/α) for sub-Gaussian rows, √α for rows of bounded
covariance. The formulas are recalled from the published version: the text at hand has lost its displays. What
has constants here, on the line, is in `bounds.resilience`.
"""

from math import ceil, log, sqrt

from workbench.bounds import Shape, below, formula
from workbench.types import frozen


@frozen
class Row:
    """A row of Table 1 or 2: sufficient in polynomial time, sufficient at any cost, necessary."""

    polynomial: Shape
    exponential: Shape
    lower: Shape


@formula
def sub_gaussian_error(alpha: float) -> float:
    """Return α √(ln 1/α), the error of Theorems 5, 6 and 7 but for a constant.

    >>> round(sub_gaussian_error(0.05), 4)
    0.0865
    """
    below(1, alpha=alpha)
    return alpha * sqrt(log(1 / alpha))


@formula
def bounded_covariance_error(alpha: float) -> float:
    """Return √α, the error of Theorems 8 and 9 but for a constant."""
    return sqrt(alpha)


@formula
def filter_nonprivate_shape(d: int, alpha: float) -> Shape:
    """Return Proposition 2.1: d/α²."""
    return Shape(d / alpha**2, 0.0)


@formula
def filter_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 5: d/α² + d² ln(1/δ)/(εα)."""
    return Shape(d / alpha**2, d**2 * log(1 / delta) / (epsilon * alpha))


@formula
def prime_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 6: d/α² + d^(3/2) ln(1/δ)/(εα).

    >>> round(prime_shape(4, 0.1, 1.0, 1e-6).noise)
    1105
    """
    return Shape(d / alpha**2, d**1.5 * log(1 / delta) / (epsilon * alpha))


@formula
def resilient_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 7: d/α² + (d + √d ln(1/δ))/(εα)."""
    return Shape(d / alpha**2, (d + sqrt(d) * log(1 / delta)) / (epsilon * alpha))


@formula
def resilient_heavy_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 8: d/α + (d + √d ln(1/δ))/(εα)."""
    return Shape(d / alpha, resilient_shape(d, alpha, epsilon, delta).noise)


@formula
def prime_heavy_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 9: d/α + d^(3/2) ln(1/δ)/(εα)."""
    return Shape(d / alpha, prime_shape(d, alpha, epsilon, delta).noise)


@formula
def table_1(d: int, alpha: float, epsilon: float, delta: float) -> dict[str, Row]:
    """Return Table 1, sub-Gaussian rows: private alone, robust alone, and both."""
    both = prime_shape(d, alpha, epsilon, delta), resilient_shape(d, alpha, epsilon, delta)
    return _table(*both, d / (epsilon * alpha), delta)


@formula
def table_2(d: int, alpha: float, epsilon: float, delta: float) -> dict[str, Row]:
    """Return Table 2, rows of bounded covariance: private alone, robust alone, and both."""
    both = prime_heavy_shape(d, alpha, epsilon, delta), resilient_heavy_shape(d, alpha, epsilon, delta)
    return _table(*both, d / (epsilon * alpha), delta)


def _table(polynomial: Shape, exponential: Shape, noise: float, delta: float) -> dict[str, Row]:
    sampling = polynomial.sampling
    robust, lower = Shape(sampling, 0.0), Shape(sampling, noise)
    private = Shape(sampling, noise * sqrt(log(1 / delta)))
    return {
        "private": Row(private, lower, lower),
        "robust": Row(robust, robust, robust),
        "both": Row(polynomial, exponential, lower),
    }


@formula
def tukey_shape(d: int, alpha: float, epsilon: float, radius: float, zeta: float) -> Shape:
    """Return Theorem 12: (d + ln(1/ζ))/α² + d ln(d R/(ζα))/(εα), `radius` = R in standard deviations.

    The first term is that of Corollary I.1, the Tukey median without privacy.
    """
    return Shape((d + log(1 / zeta)) / alpha**2, d * log(d * radius / (zeta * alpha)) / (epsilon * alpha))


@formula
def range_shape(d: int, epsilon: float, delta: float, zeta: float) -> float:
    """Return Lemma D.2: √(d ln(1/δ)) ln(d/(ζδ))/ε rows locate the box of DPrange."""
    return sqrt(d * log(1 / delta)) * log(d / (zeta * delta)) / epsilon


@formula
def range_heavy_shape(d: int, alpha: float, epsilon: float, delta: float, zeta: float) -> float:
    """Return Lemma K.1: √(d ln(1/δ)) ln(d/(ζδ))/ε + 1/α, for each of ⌈200 ln(2d/ζ)⌉ parts of the rows."""
    parts = ceil(200 * log(2 * d / zeta))
    return parts * (range_shape(d, epsilon, delta, zeta) + 1 / alpha)


@formula
def histogram_error(bins: int, sd: float, zeta: float) -> float:
    """Return sd √(2 ln(2K/ζ)), which the noise of no bin of K exceeds, probability 1 - ζ (Lemma G.12)."""
    return sd * sqrt(2 * log(2 * bins / zeta))
