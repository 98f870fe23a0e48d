"""Claims about how n grows for unbounded Gaussians, M21/UG, and for the pure net."""

from dataclasses import replace
from math import log, sqrt

from workbench.bounds.m21 import coarse_shape, eigenvalues_shape, fine_shape, unbounded_shape
from workbench.bounds.shape import Shape
from workbench.chapters.covariance.claims.cells import Cells, claimed
from workbench.chapters.covariance.runs import searched_gaussians as searched
from workbench.estimators.subspaces import Eigenvalues, SubspaceAggregate
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.privacy import ApproxDP
from workbench.study.rules import Status
from workbench.study.scaling import Scaling
from workbench.study.search import fewest_rows

EPS, EPS_POWERS = (1.0, 0.5, 0.25, 0.125), {"1/ε²": -2, "1/√ε": -0.5}
DELTA = (1e-2, 1e-4, 1e-8, 1e-16)
MANY = {"full": 500, "deep": 500}


EIGENVALUES = Cells(
    statement="M21/UG/Thm3.1",
    key="spectral/eigenvalues",
    block=searched.eigenvalues,
    usual={"d": 3, "epsilon": 1.0, "delta": 1e-6, "condition": 1e6},
    shape=lambda d, epsilon, delta: Shape(0.0, eigenvalues_shape(d, epsilon) * sqrt(log(1 / delta))),
    alpha=lambda: 1.0,
    first=100.0,
    fewest=lambda d, epsilon, delta: fewest_rows(Eigenvalues(centred=True), int(d), ApproxDP(epsilon, delta)),
)


def eigen() -> tuple[Scaling, ...]:
    """Return the cells of Theorem 3.1."""
    return (
        EIGENVALUES.over("d", (2, 4, 8, 16), 1.5, {"d": 1, "d²": 2}, "noise", "d^(3/2)/ε"),
        EIGENVALUES.over("epsilon", EPS, -1, EPS_POWERS, "noise", "d^(3/2)/ε"),
        EIGENVALUES.over("delta", DELTA, 0.5, {"ln 1/δ": 1}, "noise", "polylog", logarithm=True),
        EIGENVALUES.over("condition", (1e2, 1e4, 1e8, 1e16), 0, {"ln κ": 1}, "noise", "none", logarithm=True),
    )


SUBSPACE = Cells(
    statement="M21/UG/Alg2",
    key="spectral/subspace-aggregate",
    block=searched.subspace,
    usual={"d": 3, "epsilon": 1.0, "delta": 1e-6, "gap": 0.01},
    shape=lambda d, epsilon, delta: Shape(0.0, coarse_shape(d, epsilon, 1.0) * log(1 / delta)),
    alpha=lambda: 1.0,
    first=40.0,
    fewest=lambda d, epsilon, delta, gap: fewest_rows(
        SubspaceAggregate(k=1, gap=gap, centred=True), int(d), ApproxDP(epsilon, delta)
    ),
)


def subspace() -> tuple[Scaling, ...]:
    """Return the cells of Algorithm 2."""
    return (
        SUBSPACE.over("d", (2, 4, 8, 16), 2, {"d": 1, "d³": 3}, "noise", "d²/ε"),
        SUBSPACE.over("epsilon", EPS, -1, EPS_POWERS, "noise", "d²/ε"),
        SUBSPACE.over("delta", DELTA, 1, {"ln² 1/δ": 2}, "noise", "polylog", logarithm=True, caps=MANY),
        SUBSPACE.over("gap", (0.1, 0.01, 1e-3, 1e-4), 0, {"γ^(-1/2)": -0.5}, "noise", "none"),
    )


COARSE = Cells(
    statement="M21/UG/Thm5.1",
    key="covariance/unbounded",
    block=searched.coarse,
    usual={"d": 4, "epsilon": 1.0, "delta": 1e-6, "gap": 1e-3, "top": 4.0},
    shape=lambda d, epsilon, top, delta: Shape(0.0, coarse_shape(d, epsilon, top**-0.5) * log(1 / delta)),
    alpha=lambda: 1.0,
    caps={"full": 100, "deep": 400},
    first=3.0,
    fewest=lambda d, epsilon, delta, gap: fewest_rows(
        SubspaceAggregate(k=2, gap=gap, centred=True), int(d), ApproxDP(epsilon, delta)
    ),
)


def coarse() -> tuple[Scaling, ...]:
    """Return the cells of Theorem 5.1."""
    return (
        COARSE.over("d", (4, 6, 9, 12), 2, {"d": 1, "d³": 3}, "noise", "d²/(εγ⁴)"),
        COARSE.over("epsilon", EPS, -1, EPS_POWERS, "noise", "d²/(εγ⁴)"),
        COARSE.over("delta", DELTA, 1, {"ln² 1/δ": 2}, "noise", "polylog", logarithm=True),
        COARSE.over("top", (2.0, 4.0, 8.0, 16.0), 2, {"γ^-2": 1}, "noise", "d²/(εγ⁴)", name="top = 1/γ²"),
    )


FINE = Cells(
    statement="M21/UG/Thm5.2",
    key="covariance/unbounded",
    block=searched.fine,
    usual={"d": 3, "epsilon": 1.0, "delta": 1e-6, "spread": 1 / 16},
    shape=lambda d, epsilon, spread, delta: Shape(0.0, fine_shape(d, epsilon, sqrt(spread)) * log(1 / delta)),
    alpha=lambda: 1.0,
    first=20.0,
)


def fine() -> tuple[Scaling, ...]:
    """Return the cells of Theorem 5.2."""
    return (
        FINE.over("d", (2, 4, 8, 16), 1.5, {"d": 1, "d²": 2}, "noise", "d^(3/2)/(ετ²γ²)"),
        FINE.over("epsilon", EPS, -1, EPS_POWERS, "noise", "d^(3/2)/(ετ²γ²)"),
        FINE.over("delta", DELTA, 1, {"ln² 1/δ": 2}, "noise", "polylog", logarithm=True, caps=MANY),
        FINE.over(
            "spread",
            (1 / 8, 1 / 32, 1 / 128, 1 / 512),
            -1,
            {"1/(τγ)": -0.5, "1/(τγ)⁴": -2},
            "noise",
            "d^(3/2)/(ετ²γ²)",
        ),
    )


UNBOUNDED = Cells(
    statement="M21/Table1",
    key="covariance/unbounded",
    block=searched.unbounded,
    usual={"d": 2, "epsilon": 1.0, "delta": 1e-6, "share": 0.9},
    shape=lambda d, epsilon, delta, share: unbounded_shape(int(d), share * sqrt(d), epsilon),
    alpha=lambda d, share: share * sqrt(d),
    first=1.0,
    share=2 / 3,
    caps={"full": 120, "deep": 200},
    fewest=lambda d, epsilon, delta: fewest_rows(UnboundedCovariance(), int(d), ApproxDP(epsilon, delta)),
)
ACCURATE = replace(
    UNBOUNDED,
    usual={"d": 2, "epsilon": 1.0, "delta": 1e-6, "alpha": 0.05},
    shape=unbounded_shape,
    alpha=lambda alpha: alpha,
    first=2,
    caps={"full": 40, "deep": 200},
)


def table() -> tuple[Scaling, ...]:
    """Return the cells of Table 1.

    The third term is .9 d times the second at α = .9 √d, near the size √d of Σ itself: 1.8 times at d = 2,
    5.4 times at d = 6.
    """
    one, term = UNBOUNDED, "d^(5/2)/ε"
    logs = replace(one, shape=lambda d, delta: Shape(0.0, 0.0, d**2.5 * log(1 / delta)))
    return (
        one.over("d", (3, 4, 5, 6), 2.5, {"d²": 2, "d³": 3}, "preconditioning", term, epsilon=1.0),
        one.over("epsilon", (2.0, 1.0, 0.5, 0.25), -1, EPS_POWERS, "preconditioning", term),
        logs.over("delta", DELTA, 1, {"ln² 1/δ": 2}, "preconditioning", "polylog", logarithm=True),
        ACCURATE.over("alpha", (0.06, 0.045, 0.03, 0.02), -2, {"1/α": -1}, "sampling", "d²/α²"),
    )


NET = Cells(
    statement="M21/pure",
    key="covariance/pure-net",
    block=searched.pure_net,
    usual={"d": 1, "epsilon": 0.1, "alpha": 0.5, "moments": 2},
    shape=lambda d, epsilon, alpha, moments: Shape(
        d**2 / alpha**2, d**2 / (epsilon * alpha ** (moments / (moments - 1)))
    ),
    alpha=lambda alpha: alpha,
    first=4.0,
    share=2 / 3,
)


def net() -> tuple[Scaling, ...]:
    """Return the cells of the pure net."""
    return (
        NET.over("epsilon", (0.2, 0.1, 0.05, 0.025), -1, EPS_POWERS, "noise", "1/ε"),
        NET.over("alpha", (0.8, 0.4, 0.2, 0.1), -2, {"1/α": -1}, "noise", "α^(-k/(k-1))"),
    )


CLAIMS = (
    claimed(
        "eigenvalues",
        "N17",
        ("M21/UG/Thm3.1",),
        eigen,
        "the block eigenvalues, all within √2 in nine runs of ten, grow at most as d^(3/2) √ln(1/δ)/ε does"
        " (of the logarithms the source says that there are some): in d = 2 .. 16, ε, δ, and not with the"
        " condition number 1e2 .. 1e16",
        kind="lock",
    ),
    claimed(
        "subspace",
        "N18",
        ("M21/UG/Alg2",),
        subspace,
        "the voted direction, spectral error at most the gap γ in nine runs of ten, grow at most as"
        " d² ln(1/δ)/ε does, and not with the gap: in d = 2 .. 16, ε, δ, γ = .1 .. 1e-4",
        expected=Status.UNDECIDED,
        reason="How they grow in d is open: not along a line.",
        kind="ours",
    ),
    claimed(
        "coarse",
        "N19",
        ("M21/UG/Thm5.1",),
        coarse,
        "the coarse preconditioner, λ_{k+1}/λ_1 at least γ²/5 afterwards in nine runs of ten, grow at most"
        " as d² ln(1/δ)/(εγ⁴) does: in d = 4 .. 12, ε, δ and 1/γ² = λ_1/λ_k = 2 .. 16, k = 2",
        expected=Status.UNDECIDED,
        reason="They grow by less in d and 1/γ², and the rate in ε is seen. The exponent of ln(1/δ) is known"
        " to .6 only.",
    ),
    claimed(
        "fine",
        "N20",
        ("M21/UG/Thm5.2", "M21/UG/NaiveEstimator"),
        fine,
        "the fine preconditioner, λ_d/λ_1 at least 1/4 afterwards in nine runs of ten, grow at most as"
        " d^(3/2) ln(1/δ)/(ε τ²γ²) does: in d = 2 .. 16, ε, δ and τ²γ² = 1/8 .. 1/512",
        expected=Status.UNDECIDED,
        reason="How they grow in d and in 1/(τ²γ²) is open; in ε the rate is seen, in δ they grow by less.",
    ),
    claimed(
        "unbounded-table",
        "N21",
        ("M21/Table1", "M21/UG/complexity"),
        table,
        "the unbounded covariance, refusals being failures, grow at most as d²/α² + d²/(αε) + d^(5/2)/ε"
        " does: in d = 3 .. 6, ε and δ at α = .9 √d, where the last term is largest, and in α = .06 .. .02",
        expected=Status.UNDECIDED,
        reason="In α the rate is seen. In d, ε and δ the fewest rows that the plan accepts are enough"
        " for this"
        " α, so that n is bounded from above alone.",
    ),
    claimed(
        "net",
        "N22",
        ("M21/pure",),
        net,
        "the pure net on a line, error at most twice its step in two runs of three, grow at most as"
        " 1/α² + 1/(ε α^(k/(k-1))) does: in ε = .2 .. .025 and α = .8 .. .1, k = 2",
        expected=Status.UNDECIDED,
        reason="In ε the rate is seen. The exponent of α is known to .7 only.",
        kind="ours",
    ),
)
