"""The law of max |λ| of a Thompson-Laplace matrix, exactly: density ∝ Π sinh(|λ_i - λ_j|/2) e^(-θ max|λ|).

With V(r) the integral of Π sinh(|λ_i - λ_j|/2) over [-r, r]^d, the largest |λ| has density V'(r) e^(-θr)/Z:
P(max|λ| ≤ r) = (V(r) e^(-θr) + θ ∫₀^r V(s) e^(-θs) ds)/Z, Z the same at ∞. For ordered λ the product is
det(e^(a_k λ_i)) up to a constant, a = -(d-1)/2 .. (d-1)/2, Vandermonde's determinant in e^λ; its integral
over ordered λ is a Pfaffian (de Bruijn 1955), for even d that of

    A_kl = ∫∫_{x < y} (e^(a_k x + a_l y) - e^(a_l x + a_k y)) dx dy   over [-r, r]²;

for odd d bordered by ∫ e^(a_k x) dx.
"""

from collections.abc import Callable

import numpy as np
from scipy.integrate import cumulative_simpson

from workbench.estimators.base import Array

NODES, REACH = 20_001, 60.0  # of the integral, and where e^(-(θ - c) r) is 0


def largest_exponent(d: int, rate: float) -> Callable[[Array], Array]:
    """P(max|λ| ≤ r) as a function of r, for a rate above ⌊d²/4⌋."""
    r = np.linspace(0.0, REACH / (rate - d * d // 4), NODES)
    volume = vandermonde_volume(d, r)
    found = volume * np.exp(-rate * r)
    found = found + rate * cumulative_simpson(found, x=r, initial=0.0)
    return lambda places: np.interp(places, r, found / found[-1])


def vandermonde_volume(d: int, r: Array) -> Array:
    """V(r) up to a factor that does not depend on r."""
    slopes = np.arange(d) - (d - 1) / 2
    entries = [[_pair(a, b, r) for b in slopes] for a in slopes]
    if d % 2:
        border = [_single(a, r) for a in slopes]
        entries = [[*row, one] for row, one in zip(entries, border, strict=True)]
        entries.append([*(-one for one in border), np.zeros_like(r)])
    found = pfaffian(entries)
    return found * np.sign(found[-1])


def pfaffian(entries: list[list[Array]]) -> Array:
    """The Pfaffian of an antisymmetric matrix of even size, by its first row."""
    if not entries:
        return np.ones(())
    total = np.zeros(())
    for j in range(1, len(entries)):
        kept = [i for i in range(1, len(entries)) if i != j]
        minor = pfaffian([[entries[i][k] for k in kept] for i in kept])
        total = total + (-1) ** (j - 1) * entries[0][j] * minor
    return total


def _single(a: float, r: Array) -> Array:
    """∫ e^(ax) over [-r, r]."""
    return 2 * r if a == 0 else 2 * np.sinh(a * r) / a


def _pair(a: float, b: float, r: Array) -> Array:
    """∫∫_{x < y} (e^(ax + by) - e^(bx + ay)) over [-r, r]²."""
    return _ordered(a, b, r) - _ordered(b, a, r)


def _ordered(a: float, b: float, r: Array) -> Array:
    """∫ e^(by) ∫_{-r}^y e^(ax) dx dy."""
    if a == 0:  # ∫ (y + r) e^(by) dy, b ≠ 0 or the difference is 0
        return 2 * r * r if b == 0 else 2 * r * np.exp(b * r) / b - 2 * np.sinh(b * r) / b**2
    return (_single(a + b, r) - np.exp(-a * r) * _single(b, r)) / a
