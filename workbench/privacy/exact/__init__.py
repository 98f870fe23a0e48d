"""Noise that may be released: of exact laws, from the randomness of the operating system.

    normal, laplace, truncated_laplace, gumbel, exponential   ⌊X + ½⌋, X the ideal real variable
    discrete_laplace                                          P(z) ∝ e^(-|z|/scale)
    reaching                                                  the noise of counts that it lifts to a height
    choose                                                    an index, P(i) ∝ weight · e^(rate · score)
    cut                                                       the pieces of the cuts of `privacy.cuts`
    below, lattice, bernoulli                                 uniform integers, a coin
    wishart, square, thompson_laplace                         floats next to L M Lᵀ, M an ideal random matrix

For an integer q, ⌊q + X + ½⌋ = q + ⌊X + ½⌋: noise is drawn round zero, in units of the caller's grid, and
added to integers; rounding is post-processing of the ideal mechanism. A float is a guess, accepted where a
bound on its error decides it; else balls decide, on as many random bits as that takes. Proof:
`proofs/exact.md`. How long a draw takes depends on what is drawn: nothing here is hardened against timing.
"""

from workbench.privacy.exact.choices import choose, choose_near
from workbench.privacy.exact.cuts import pieces as cut
from workbench.privacy.exact.heights import reaching
from workbench.privacy.exact.integers import below, bernoulli, lattice
from workbench.privacy.exact.laws import DiscreteLaplace, Law, Normal
from workbench.privacy.exact.masks import square, thompson_laplace, wishart
from workbench.privacy.exact.roots import Average
from workbench.privacy.exact.rounded import (
    discrete_laplace,
    exponential,
    gumbel,
    laplace,
    normal,
    truncated_laplace,
)

__all__ = [
    "Average",
    "DiscreteLaplace",
    "Law",
    "Normal",
    "below",
    "bernoulli",
    "choose",
    "choose_near",
    "cut",
    "discrete_laplace",
    "exponential",
    "gumbel",
    "laplace",
    "lattice",
    "normal",
    "reaching",
    "square",
    "thompson_laplace",
    "truncated_laplace",
    "wishart",
]
