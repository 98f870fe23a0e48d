"""Claims about how n grows: every number in the sample sizes (1), (2) and (6), one at a time.

A term stands out where the other numbers are such that it is the largest: the sampling term at large ε, the
noise at small ε, the location at an accuracy of one standard deviation. Beside the shapes stand the n that
are proved, with all constants: no n that is found may be larger.
"""

from collections.abc import Callable, Sequence

from workbench.bounds.l17.shapes import clipped_mean_shape, two_step_shape, unbounded_shape
from workbench.bounds.l17.upper import clipped_mean_sample_size, two_step_sample_size, unbounded_sample_size
from workbench.study.claim import Claim
from workbench.study.rules import Verdict
from workbench.study.scaling import Least, Move, Scaling, Setting, Statement, follow, within

BETA = 0.1
CAPS = {"quick": 100, "full": 500}  # a run takes a millisecond

SAMPLING = {"1/α": -1.0}
NOISE = {"1/α²": -2.0, "1/√α": -0.5}
EPSILON = {"1/ε²": -2.0, "1/√ε": -0.5}

CLIPPED = Statement(
    id="L17/Eq1",
    key="univariate/clipped-mean",
    usual={"d": 1, "alpha": 0.1, "epsilon": 0.5, "radius": 100.0, "calibration": "paper"},
    shape=lambda alpha, radius, epsilon: clipped_mean_shape(alpha, radius, epsilon).total,
    share=1 - BETA,
    caps=CAPS,
    moves={
        "radius": Move((50.0, 100.0, 200.0, 400.0), 1, {"√R": 0.5, "ln R": 0.2}, "R/(αε)"),
        "epsilon": Move((0.8, 0.4, 0.2, 0.1), -1, EPSILON, "R/(αε)"),
        "alpha": Move((0.4, 0.2, 0.1, 0.05), -1, NOISE, "R/(αε)"),
    },
)

TWO_STEP = Statement(
    id="L17/Eq2",
    key="univariate/two-step-mean",
    usual={"d": 1, "alpha": 1.0, "epsilon": 0.1, "radius": 100.0, "calibration": "paper"},
    shape=lambda alpha, radius, epsilon: two_step_shape(alpha, radius, epsilon).total,
    share=1 - BETA,
    caps=CAPS,
    moves={
        "alpha": Move((0.16, 0.08, 0.04, 0.02), -2, SAMPLING, "1/α²", {"epsilon": 10.0}),
        "epsilon": Move((0.16, 0.08, 0.04, 0.02), -1, EPSILON, "ln R/ε and the noise", {"alpha": 0.5}),
        "radius": Move((5.0, 25.0, 1e3, 1e6), 1, {"√ln R": 0.5, "ln² R": 2.0}, "ln R/ε", logarithm=True),
    },
)

UNBOUNDED = Statement(
    id="L17/Eq6",
    key="univariate/unbounded-mean",
    usual={"d": 1, "alpha": 1.0, "epsilon": 0.1, "delta": 1e-6, "calibration": "paper"},
    shape=lambda alpha, epsilon, delta: unbounded_shape(alpha, epsilon, delta).total,
    share=1 - BETA,
    caps=CAPS,
    moves={
        "alpha": Move((0.16, 0.08, 0.04, 0.02), -2, SAMPLING, "1/α²", {"epsilon": 10.0}),
        "epsilon": Move((0.4, 0.2, 0.1, 0.05), -1, EPSILON, "ln(1/δ)/ε"),
        "delta": Move((1e-2, 1e-4, 1e-8, 1e-16), 1, {"√ln 1/δ": 0.5}, "ln(1/δ)/ε", logarithm=True),
    },
)


def _proved(sample_size: Callable[..., int], *names: str, **split: float) -> Callable[[Setting], float]:
    """Return the n that is proved at a setting, for the split of the budget that the source has."""
    return lambda setting: sample_size(
        setting.alpha, **{name: setting.point[name] for name in names}, beta=BETA, **split
    )


def _claim(
    name: str,
    number: str,
    sources: tuple[str, ...],
    statement: Statement,
    proved: Callable[[Setting], float],
    said: str,
) -> Claim:
    def checks(*growths: tuple[Scaling, Sequence[Least]]) -> list[Verdict]:
        return follow(*growths) + [within(*growth, proved) for growth in growths]

    return Claim(
        id=f"one-mean/{name}-rows-grow",
        number=number,
        sources=sources,
        statement=f"Searched n of the {said}; none is larger than the proved one.",
        checks=checks,
        scalings=statement.scalings,
    )


CLAIMS = (
    _claim(
        "clipped",
        "N1",
        ("L17/Lem2.2", "L17/Eq1"),
        CLIPPED,
        _proved(clipped_mean_sample_size, "radius", "epsilon"),
        "clipped mean grow as 1/α² + R/(αε) + √ln(1/(αε))/(αε) does, and by no other power nearby: in R = 50"
        " .. 400, ε = .8 .. .1, α = .4 .. .05",
    ),
    _claim(
        "two-step",
        "N2",
        ("L17/Thm2.5", "L17/Eq2"),
        TWO_STEP,
        _proved(two_step_sample_size, "radius", "epsilon", split=0.5),
        "two-step mean grow at most as 1/α² + ln(R)/ε + √ln(1/(αε))/(αε) does: in α = .16 .. .02 at ε = 10,"
        " in ε = .16 .. .02 at α = .5, and in R = 5 .. 1e6 at α = 1",
    ),
    _claim(
        "unbounded",
        "N3",
        ("L17/Thm2.8", "L17/Eq6"),
        UNBOUNDED,
        _proved(unbounded_sample_size, "epsilon", "delta", split=0.5),
        "unbounded mean grow at most as 1/α² + ln(1/δ)/ε + √ln(1/(αε))/(αε) does: in α = .16 .. .02 at"
        " ε = 10, in ε = .4 .. .05 and δ = 1e-2 .. 1e-16 at α = 1",
    ),
)
