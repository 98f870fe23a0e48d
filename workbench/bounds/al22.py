"""The sample sizes of AL22, Gaussians learned from votes of groups: theorems, lemmas on masks, lower bounds.

A function named `..._shape` has constant 1 on each term and only the logarithms that its docstring shows. The
others have constants: those of the lemmas are recalled from the published version, because the text at hand
has lost its displays, or derived. α is the error, in total variation unless a docstring says otherwise.
"""

from math import ceil, exp, expm1, inf, log, log1p, sqrt

from workbench.bounds import Shape, formula


@formula
def subspace_shape(d: int, epsilon: float, delta: float) -> float:
    """Return Theorem 4.1: d ln(1/δ)/ε."""
    return d * log(1 / delta) / epsilon


@formula
def preconditioner_shape(d: int, epsilon: float, delta: float) -> float:
    """Return Theorem 5.4: d² √(ln(1/δ))/ε + d ln(1/δ)/ε."""
    return d**2 * sqrt(log(1 / delta)) / epsilon + subspace_shape(d, epsilon, delta)


@formula
def conditioned_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 5.5, I ≤ Σ ≤ K I: d²/α² + d² √(ln(1/δ))/(αε)."""
    return Shape(d**2 / alpha**2, d**2 * sqrt(log(1 / delta)) / (alpha * epsilon))


@formula
def covariance_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 5.6: Theorem 5.5 after Theorem 5.4."""
    fine = conditioned_shape(d, alpha, epsilon, delta)
    return Shape(fine.sampling, fine.noise, preconditioner_shape(d, epsilon, delta))


@formula
def gaussian_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return Theorem 5.7: d²/α² + d² √(ln(1/δ))/(αε) + d ln(1/δ)/(αε).

    >>> gaussian_shape(2, 0.5, 1.0, 0.36787944117144233)
    Shape(sampling=16.0, noise=8.0, preconditioning=4.0)
    """
    fine = conditioned_shape(d, alpha, epsilon, delta)
    return Shape(fine.sampling, fine.noise, subspace_shape(d, epsilon, delta) / alpha)


@formula
def robust_covariance_shape(d: int, alpha: float, corruption: float, epsilon: float, delta: float) -> float:
    """Return Theorem 6.3: d^(3/2) √(ln(1/δ))/(αε) groups of d²/ξ² rows each, ξ = `corruption`."""
    return float(d**3.5 * sqrt(log(1 / delta)) / (alpha * epsilon * corruption**2))


@formula
def robust_mean_shape(d: int, alpha: float, epsilon: float, delta: float) -> float:
    """Return Theorem 7.4: √(d ln(1/δ))/ε groups of d/α² rows each, error α in l2."""
    return sqrt(d * log(1 / delta)) / epsilon * d / alpha**2


@formula
def robust_gaussian_shape(d: int, alpha: float, corruption: float, epsilon: float, delta: float) -> float:
    """Return Corollary 7.5: the covariance of Theorem 6.3, then the mean of Theorem 7.4."""
    covariance = robust_covariance_shape(d, alpha, corruption, epsilon, delta)
    return covariance + robust_mean_shape(d, alpha, epsilon, delta)


@formula
def lower_shape(d: int, alpha: float, epsilon: float, delta: float) -> Shape:
    """Return the lower bounds that section 1.1 cites: d²/α² (any), d/(αε) (spherical), ln(1/δ)/ε (d = 1)."""
    return Shape(d**2 / alpha**2, d / (alpha * epsilon), log(1 / delta) / epsilon)


@formula
def fewest_groups(epsilon: float, delta: float) -> int:
    """Return (20/ε) ln(1 + (e^ε - 1)/(2δ)) rounded up: so many agreeing groups are heard (Lemma 3.6).

    Algorithm 1 is (2ε, 4e^ε δ)-DP with these ε and δ.

    >>> fewest_groups(0.5, 1e-6 / (4 * 2.718281828459045**0.5))
    584
    """
    return ceil(20 / epsilon * log1p(expm1(epsilon) / (2 * delta)))


@formula
def halved(epsilon: float, delta: float) -> tuple[float, float]:
    """Return the (ε', δ') with which Algorithm 1 is (ε, δ)-DP: ε/2 and δ/(4 e^(ε/2)) (Lemma 3.6)."""
    return epsilon / 2, delta / (4 * exp(epsilon / 2))


@formula
def mask_radius(eta: float, d: int, epsilon: float, delta: float) -> float:
    """Return γ of Lemma 5.1: covariances within γ look alike, to (ε, δ), behind the mask of η.

    min(√(ε/(2d(d + 1/η²))), ε/(8d √l), ε/(8l), εη/(12 √(d l))), l = ln(2/δ); 1 at most.
    """
    level = log(2 / delta)
    terms = (
        sqrt(epsilon / (2 * d * (d + 1 / eta**2))),
        epsilon / (8 * d * sqrt(level)),
        epsilon / (8 * level),
        epsilon * eta / (12 * sqrt(d * level)),
    )
    return min(*terms, 1.0)


@formula
def mask_error(eta: float, d: int, beta: float) -> float:
    """Return the distance that the mask of η moves a covariance by, but for probability β (Lemma 5.2).

    (1 - x)^-2 - 1, x = η(2√d + √(2 ln(1/β))); infinite if x ≥ 1 (Davidson & Szarek 2001).
    """
    return _inflated(eta * (2 * sqrt(d) + sqrt(2 * log(1 / beta))))


@formula
def largest_mask(alpha: float, d: int, beta: float) -> float:
    """Return the η at which `mask_error` is α."""
    return (1 - 1 / sqrt(1 + alpha)) / (2 * sqrt(d) + sqrt(2 * log(1 / beta)))


@formula
def frobenius_mask(alpha: float, d: int, beta: float) -> float:
    """Return the η of Proposition 6.2, of order α/d, for which a mask M of I has |M - I|_F ≤ α.

    (I + ηG)(I + ηG)ᵀ - I = η(G + Gᵀ) + η² GGᵀ has Frobenius norm at most 2ηg + η²g², where
    g = d + √(2 ln(1/β)) bounds |G|_F but for probability β.
    """
    return (sqrt(1 + alpha) - 1) / (d + sqrt(2 * log(1 / beta)))


@formula
def group_error(rows: int, d: int, beta: float) -> float:
    """Return the distance of Σ from the second moment of `rows` rows, but for probability β (Lemma 5.3).

    (1 - x)^-2 - 1, x = (√d + √(2 ln(2/β)))/√rows.
    """
    return _inflated((sqrt(d) + sqrt(2 * log(2 / beta))) / sqrt(rows))


def _inflated(x: float) -> float:
    return (1 - x) ** -2 - 1 if x < 1 else inf
