"""Claims about lower bounds: the n of an estimator, beside what no estimator can do without.

A lower bound cannot be broken by a private estimator. What can fail is that an n grows as the bound does:
that the bound has the right power of every number, or that the estimator is good.

The estimators are those whose other terms are small, found by trying, and not those with the fewest rows.
At ε = .01 the n of the tight two-step mean (R = 10) goes as α^-.70 [-.84, -.55] over α = .8 .. .1, where
locating costs rows as well, and that of the tight clipped mean (R = 1) as α^-1.33 [-1.52, -1.15] over
α = .4 .. .05. Neither would decide here.
"""

from workbench.bounds.l17 import packing_bound, two_point_bound
from workbench.losses import total_variation_of_means
from workbench.study.claim import Claim
from workbench.study.scaling import Move, Statement, follow

BETA, LOCATED = 0.1, 4.0
CAPS = {"quick": 100, "full": 400}
EPSILON = {"1/ε²": -2.0, "1/√ε": -0.5}

PACKING = Statement(
    id="L17/Thm2.6",
    key="univariate/median",
    usual={"d": 1, "alpha": LOCATED, "epsilon": 0.1, "radius": 1e4},
    shape=lambda alpha, epsilon, radius: packing_bound(radius, alpha, epsilon, BETA, strict=False),
    bound="lower",
    share=1 - BETA,
    caps=CAPS,
    moves={
        "epsilon": Move((0.4, 0.2, 0.1, 0.05), -1, EPSILON, "ln(R/α)/ε"),
        "radius": Move((30.0, 1e3, 1e6, 1e12), 1, {"√ln R": 0.5, "ln² R": 2.0}, "ln(R/α)/ε", logarithm=True),
    },
)

TWO_POINTS = Statement(
    id="L17/Lem2.7",
    key="univariate/clipped-mean",
    usual={"d": 1, "alpha": 0.2, "epsilon": 0.01, "radius": 1.0, "calibration": "paper"},
    shape=lambda alpha, epsilon: two_point_bound(total_variation_of_means(2 * alpha), epsilon, BETA),
    bound="lower",
    share=1 - BETA,
    caps=CAPS,
    moves={
        "epsilon": Move((0.04, 0.02, 0.01, 0.005), -1, EPSILON, "1/(αε)"),
        "alpha": Move((0.4, 0.2, 0.1, 0.05), -1, {"1/α²": -2.0, "1/√α": -0.5}, "1/(αε)"),
    },
)

CLAIMS = (
    Claim(
        id="one-mean/rows-grow-as-packing",
        number="N6",
        sources=("L17/Thm2.6",),
        statement="The searched n with which the private median is within 4 standard deviations grows as the"
        " packing bound ln(9 (⌈R/4⌉ - 1))/ε does, or faster: in ε = .4 .. .05 at R = 1e4, and in R = 30 .."
        " 1e12 at ε = .1.",
        scalings=PACKING.scalings,
        checks=follow,
    ),
    Claim(
        id="one-mean/rows-grow-as-two-points",
        number="N7",
        sources=("L17/Lem2.7",),
        statement="The searched n of the clipped mean (paper, R = 1) grows as the two-point bound, of order"
        " 1/(αε), does, or faster: in ε = .04 .. .005 at α = .2, and in α = .4 .. .05 at ε = .01.",
        scalings=TWO_POINTS.scalings,
        checks=follow,
        kind="lock",
    ),
)
