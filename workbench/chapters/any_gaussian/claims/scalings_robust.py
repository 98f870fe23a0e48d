"""Claims about how n grows when rows are corrupted: Theorems 6.3 and 7.4.

Every run is that of the worst of several attacks on the same rows and the same noise. The wanted error is 3
units, as in the claims at one n: where ξ moves, it moves with it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from workbench.bounds import al22
from workbench.bounds.corruption import mean_unit, unit
from workbench.chapters.any_gaussian import growth
from workbench.chapters.any_gaussian.claims.scalings import DELTAS, INVERSE, budget
from workbench.estimators.populous_robust import PopulousRobustCovariance, PopulousRobustMean
from workbench.study.claim import Claim
from workbench.study.rules import Status
from workbench.study.scaling import Growth, Move, Public, follow
from workbench.study.search import fewest_rows

UNITS = 3.0
FEW = {"full": 40}
CORRUPTIONS = (0.1, 0.05, 0.025, 0.0125)
ROOT = {"ln 1/δ": 1.0, "flat": 0.0}
USUAL: Mapping[str, Any] = {"d": 1, "corruption": 0.05, "epsilon": 1.0, "delta": 1e-6}
GROUPS = "√(d ln(1/δ))/ε · d/α²"
ROBUST = "d^3.5 √ln(1/δ)/(αεξ²)"


def numbers(public: Public) -> tuple[float, float]:
    """Return ε and δ."""
    return public["epsilon"], public["delta"]


def mean_fewest(public: Public) -> int:
    """Return the fewest rows of a robust mean."""
    return fewest_rows(
        PopulousRobustMean(corruption=public["corruption"], sigma=1.0), public["d"], budget(public)
    )


def covariance_fewest(public: Public) -> int:
    """Return the fewest rows of a robust covariance."""
    estimator = PopulousRobustCovariance(corruption=public["corruption"], centred=True)
    return fewest_rows(estimator, public["d"], budget(public))


def mean_shape(public: Public) -> float:
    """Return Theorem 7.4 at the wanted error."""
    return al22.robust_mean_shape(public["d"], UNITS * mean_unit(public["corruption"]), *numbers(public))


def covariance_shape(public: Public) -> float:
    """Return Theorem 6.3 at the wanted error."""
    share = public["corruption"]
    return al22.robust_covariance_shape(public["d"], UNITS * unit(share), share, *numbers(public))


def doubled(fewest: Callable[[Public], int]) -> Callable[[Public], float]:
    """Return twice the fewest rows."""
    return lambda public: 2.0 * fewest(public)


MEANS = Growth(
    id="AL22/Thm7.4",
    key="mean/populous-robust",
    block=growth.robust_mean,
    usual={**USUAL, "epsilon": 2.0},
    alpha=lambda public: UNITS * mean_unit(public["corruption"]),
    shape=mean_shape,
    start=doubled(mean_fewest),
    fewest=mean_fewest,
    caps=FEW,
    moves={
        "d": Move((1, 2, 3, 4), 1.5, {"√d": 0.5, "d^2.5": 2.5}, GROUPS, {"corruption": 0.02}),
        "epsilon": Move((1.0, 0.5, 0.25, 0.125), -1, INVERSE, GROUPS),
        "delta": Move(DELTAS, 0.5, ROOT, GROUPS, {"epsilon": 0.5}, logarithm=True),
        "corruption": Move(CORRUPTIONS, -2, {"1/ξ": -1.0, "flat": 0.0}, "1/(ξ² ln 1/ξ)"),
    },
)
COVARIANCES = Growth(
    id="AL22/Thm6.3",
    key="covariance/populous-robust",
    block=growth.robust_covariance,
    usual={**USUAL, "epsilon": 2.0},
    alpha=lambda public: UNITS * unit(public["corruption"]),
    shape=covariance_shape,
    start=doubled(covariance_fewest),
    fewest=covariance_fewest,
    caps=FEW,
    moves={
        "epsilon": Move((2.0, 1.0, 0.5, 0.25), -1, INVERSE, ROBUST),
        "delta": Move(DELTAS, 0.5, ROOT, ROBUST, {"epsilon": 0.5}, logarithm=True),
        "corruption": Move(CORRUPTIONS, -3, {"1/ξ": -1.0, "1/ξ²": -2.0}, "1/(ξ³ ln 1/ξ)"),
    },
)
CLAIMS = (
    Claim(
        "any-gaussian/robust-mean-rows-grow",
        "N37",
        ("AL22/Thm7.4", "AL22/Alg5"),
        "Searched n of mean/populous-robust at an error of 3 ξ √(ln 1/ξ), under the worse of two clusters,"
        " grow at most as √(d ln(1/δ))/ε · d/α² does (d = 1 .. 4, ε = 1 .. 1/8, δ = 1e-2 .. 1e-16, ξ = .1"
        " .. .0125).",
        checks=follow,
        scalings=MEANS.scalings,
        expected=Status.UNDECIDED,
        reason="In δ n grows by an exponent of about 1 in ln(1/δ), from .5 to 1.5, where √ln(1/δ) is stated:"
        " a vote alone takes ln(1/δ)/ε groups (Lemma 3.6). In d, ε and ξ it grows as stated or slower.",
    ),
    Claim(
        "any-gaussian/robust-covariance-rows-grow",
        "N38",
        ("AL22/Thm6.3", "AL22/Alg4"),
        "Searched n of covariance/populous-robust (d = 1) at an error of 3 ξ ln 1/ξ, under the worse of"
        " two attacks, grow at most as √ln(1/δ)/(αεξ²) does: in ε = 2 .. 1/4, δ = 1e-2 .. 1e-16 and ξ = .1"
        " .. .0125.",
        checks=follow,
        scalings=COVARIANCES.scalings,
    ),
)
