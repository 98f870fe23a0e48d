"""The sample sizes of M21, slides on private covariance estimation: Table 1 and the theorems behind it.

Two groups: M21/HT, heavy tails under zCDP (Kamath & Mouzakis), and M21/UG, unbounded Gaussians under (ε, δ)
(Kamath, Mouzakis, Singhal, Steinke & Ullman). The slides hide constants and logarithms; every function here
has constant 1 on each term and says which logarithms it leaves out, so that its value is a SHAPE: how the
sample size moves with d, α, ρ or ε and u. What is enough, with constants, is the `error_bound` of the
estimators, searched by the planner.
"""

from math import log, sqrt

from workbench.bounds import Shape, formula


@formula
def heavy_tailed_shape(d: int, alpha: float, rho: float, moments: int, upper: float) -> Shape:
    """Return Table 1, bounded moments under zCDP.

    d²/α² + d^(2 + 1/(2(k-1)))/(√ρ α^(k/(k-1))) + d^(3/2) log u/√ρ, the polynomial in log u taken as log u.
    """
    k = moments
    noise = d ** (2 + 1 / (2 * (k - 1))) / (sqrt(rho) * alpha ** (k / (k - 1)))
    return Shape(d**2 / alpha**2, noise, d**1.5 * log(upper) / sqrt(rho))


@formula
def unbounded_shape(d: int, alpha: float, epsilon: float) -> Shape:
    """Return Table 1, Gaussians under (ε, δ): d²/α² + d²/(αε) + d^(5/2)/ε, logarithms left out.

    >>> unbounded_shape(4, 0.5, 1.0).preconditioning
    32.0
    """
    return Shape(d**2 / alpha**2, d**2 / (alpha * epsilon), d**2.5 / epsilon)


@formula
def coinpress_mean_shape(d: int, alpha: float, rho: float, radius: float) -> Shape:
    """Return the mean of CoinPress (Biswas, Dong, Kamath & Ullman 2020), among the prior work of the slides.

    d/α² + d/(α√ρ) + √d log R/√ρ, `radius` = R in standard deviations, at least 1; other logarithms left out.

    >>> coinpress_mean_shape(4, 0.5, 1.0, 1.0)
    Shape(sampling=16.0, noise=8.0, preconditioning=0.0)
    """
    return Shape(d / alpha**2, d / (alpha * sqrt(rho)), sqrt(d) * log(max(radius, 1.0)) / sqrt(rho))


@formula
def coinpress_covariance_shape(d: int, alpha: float, rho: float, upper: float) -> Shape:
    """Return the covariance of CoinPress: d²/α² + d²/(α√ρ) + d^(3/2) √log u/√ρ, I ≤ Σ ≤ u I."""
    return Shape(d**2 / alpha**2, d**2 / (alpha * sqrt(rho)), d**1.5 * sqrt(log(upper)) / sqrt(rho))


@formula
def naive_spectral_shape(d: int, alpha: float, rho: float, moments: int, beta: float) -> Shape:
    """Return M21/HT Theorem 3.1, spectral norm: d log d/(α²β²) + d^(3/2) log(1/β)/(α^(k/(k-1)) √ρ).

    The logarithm of one column is that of two.
    """
    noise = d**1.5 * log(1 / beta) / (alpha ** (moments / (moments - 1)) * sqrt(rho))
    return Shape(d * log(max(d, 2)) / (alpha * beta) ** 2, noise)


@formula
def naive_mahalanobis_shape(
    d: int, alpha: float, rho: float, moments: int, upper: float, beta: float
) -> Shape:
    """Return M21/HT Theorem 3.1, Mahalanobis norm: the noise term is proportional to the condition number u.

    d²/(α²β) + u d^(2 + 1/(2(k-1))) √log(1/β)/(√ρ α^(k/(k-1))).
    """
    k = moments
    noise = d ** (2 + 1 / (2 * (k - 1))) * sqrt(log(1 / beta)) / (sqrt(rho) * alpha ** (k / (k - 1)))
    return Shape(d**2 / (alpha**2 * beta), upper * noise)


@formula
def preconditioning_step_shape(d: int, rho: float, beta: float) -> Shape:
    """Return M21/HT Theorem 3.2, one halving of u: d log d/β² + d^(3/2) log(1/β)/√ρ.

    The slide's ε² in the last denominator is read as √ρ: the step is the spectral case of Theorem 3.1 at a
    constant α.
    """
    return naive_spectral_shape(d, 1.0, rho, 2, beta)


@formula
def eigenvalues_shape(d: int, epsilon: float) -> float:
    """Return M21/UG Theorem 3.1: d^(3/2)/ε, logarithms left out."""
    return d * sqrt(d) / epsilon


@formula
def coarse_shape(d: int, epsilon: float, gap: float) -> float:
    """Return M21/UG Theorem 5.1: d²/(ε γ⁴), `gap` = γ the root of the least allowed λ_k/λ_1."""
    return d**2 / (epsilon * gap**4)


@formula
def fine_shape(d: int, epsilon: float, spread: float) -> float:
    """Return M21/UG Theorem 5.2: d^(3/2)/(ε τ²γ²), `spread` = τγ the root of the least λ_{k+1}/λ_1."""
    return d * sqrt(d) / (epsilon * spread**2)
