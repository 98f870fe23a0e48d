"""The public numbers of every notebook: what they are, where they start, what is allowed.

A name means the same in every notebook; what is allowed and where it starts may differ. Corruption is ξ
everywhere (LKKO21 writes α for it), α is the target accuracy, β a failure probability, ρ zero-concentrated
privacy.
"""

from collections.abc import Mapping
from dataclasses import replace

from workbench.study.parameters import Declared, Parameter

ALPHA = Parameter("α", 0.1, 1e-3, 10, "target accuracy", "σ", track=(0.02, 1))
EPSILON = Parameter("ε", 1.0, 0.01, 20, "privacy of one release", track=(0.05, 10))
DELTA = Parameter("δ", 1e-6, 1e-15, 0.1, "what ε may fail with", track=(1e-12, 1e-3))
RHO = Parameter("ρ", 0.5, 1e-6, 100, "concentrated privacy of one release", track=(0.005, 5))
N = Parameter("n", 1000, 1, 10_000_000, "how many there are", "rows", integer=True, track=(100, 100_000))
D = Parameter("d", 10, 1, 1000, "how many a row has", "columns", integer=True, track=(1, 50))
CONDITION = Parameter("κ", 25.0, 1, 1e12, "condition number of Σ", track=(1, 1e6))
UPPER = Parameter("u", 100.0, 1, 1e12, "public bound on the eigenvalues of Σ", track=(1, 1e6))
CORRUPTION = Parameter("ξ", 0.05, 0.001, 0.49, "the adversary's share of the rows", track=(0.001, 0.2))

CHAPTERS: Mapping[str, Declared] = {
    "start_here": {
        "epsilon": EPSILON,
        "delta": DELTA,
        "n": replace(N, default=442, high=442, track=(10, 442)),
    },
    "what_epsilon_means": {
        "epsilon": replace(EPSILON, track=(0.1, 5)),
        "delta": replace(DELTA, default=0.01, track=(1e-6, 0.1)),
        "n": replace(N, default=100, low=2, high=100_000, track=(20, 5000)),
        "d": replace(D, default=100, high=10_000, track=(1, 2000)),
    },
    "one_mean": {
        "epsilon": replace(EPSILON, default=0.5, track=(0.05, 5)),
        "delta": DELTA,
        "alpha": ALPHA,
        "n": replace(N, low=2, track=(100, 10_000)),
        "radius": Parameter("R", 1000.0, 1e-3, 2.5e6, "half-width of the range", "σ", track=(1, 1e4)),
        "level": Parameter("level", 0.05, 0.005, 0.5, "share of intervals that may miss"),
    },
    "many_dimensions": {
        "epsilon": EPSILON,
        "delta": DELTA,
        "rho": RHO,
        "alpha": replace(ALPHA, default=0.2),
        "n": replace(N, default=2000, low=2),
        "d": D,
        "radius": Parameter("R", 100.0, 1, 1e9, "half-width of every coordinate", "σ", track=(1, 1e4)),
        "condition": replace(CONDITION, default=100.0, low=1.5, track=(2, 1e6)),
    },
    "covariance": {
        "rho": RHO,
        "epsilon": EPSILON,
        "delta": DELTA,
        "alpha": replace(ALPHA, unit=""),
        "n": replace(N, default=5000, low=2, high=1_000_000),
        "d": replace(D, default=5, low=2, track=(2, 20)),
        "upper": UPPER,
        "degrees": Parameter(
            "ν", 4.2, 4.1, 1000, "degrees of freedom of the rows", track=(4.2, 12), log=False
        ),
    },
    "any_gaussian": {
        "epsilon": EPSILON,
        "delta": replace(DELTA, high=0.01),
        "alpha": replace(ALPHA, default=0.2, high=1),
        "n": replace(N, default=150, high=5000, meaning="how many vote", unit="groups", track=(60, 400)),
        "d": replace(D, track=(2, 50)),
        "condition": CONDITION,
        "corruption": replace(CORRUPTION, default=0.02, high=0.2, track=(0.005, 0.2)),
    },
    "matrix_quantile": {
        "epsilon": EPSILON,
        "delta": replace(DELTA, high=0.01),
        "alpha": replace(ALPHA, default=0.2, low=0.05, high=2, track=(0.05, 1)),
        "n": replace(N, default=800, low=12, high=1_000_000, track=(200, 5000)),
        "d": replace(D, default=2, low=2, high=20, track=(2, 20)),
        "level": Parameter("q", 0.2, 0.01, 0.45, "share of the rows outside", track=(0.03, 0.4)),
        "corruption": replace(CORRUPTION, high=0.3, track=(0.001, 0.3)),
    },
    "robust_and_private": {
        "corruption": replace(CORRUPTION, high=0.09, track=(0.005, 0.09)),
        "epsilon": EPSILON,
        "delta": replace(DELTA, default=0.01, high=0.1, track=(1e-9, 0.05)),
        "alpha": replace(ALPHA, default=0.2),
        "n": replace(N, default=20_000, low=1000, high=200_000, track=(1000, 100_000)),
        "d": replace(D, low=2, high=200, track=(2, 50)),
    },
    "sparse_covariance": {
        "epsilon": EPSILON,
        "delta": replace(DELTA, high=1e-4, track=(1e-12, 1e-4)),
        "alpha": replace(ALPHA, unit=""),
        "n": replace(N, default=15_000, low=1000, track=(2000, 500_000)),
        "p": replace(D, symbol="p", default=100, low=10, high=400, track=(10, 200)),
        "degree": Parameter("s", 3, 1, 9, "correlated with each column", "columns", integer=True),
        "share": Parameter("r", 0.2, 0.01, 0.4, "pairs that are correlated in Figures 1 to 4", "of all"),
    },
    "which_one": {
        "epsilon": EPSILON,
        "delta": DELTA,
        "alpha": replace(ALPHA, default=0.2),
        "d": replace(D, default=3, low=2, high=100, track=(2, 50)),
        "radius": Parameter("R", 10.0, 0.1, 1e9, "half-width of the range", "σ", track=(1, 1e4)),
    },
}
"""Chapter -> its parameters, but for the profile, the seed and the folder, which all of them have."""
