"""Claims about how n grows: the mean of any Gaussian, and a whole Gaussian, from lifted rows.

Half of all runs have to be within α, so that an n stands beside that of a predicted median; no answer is no
success. The statements are for a constant error where n is next to the fewest rows (d ln(1/δ)/ε; Brown,
Hopkins & Smith 2023), and the whole sum, or its sampling term, elsewhere.
"""

from collections.abc import Callable, Iterator, Mapping
from math import log, sqrt
from typing import Any

from workbench.chapters.matrix_quantile import lifted as affine
from workbench.chapters.matrix_quantile.claims.scalings import near_shape
from workbench.privacy import ApproxDP
from workbench.study.claim import Claim
from workbench.study.rules import Status
from workbench.study.scaling import Growth, Move, Public, Scaling, bounded

MEAN, LAW = "M21/affine-mean", "M21/lifted-gaussian"
BAND = 1.15
CAPS, FEW_RUNS = {"full": 200}, {"full": 60}
NUMBERS = ("key", "d", "alpha", "epsilon", "delta")
FEW, CONSTANT = "d ln(1/δ)/ε", 0.4
INVERSE = {"1/ε²": -2.0, "1/√ε": -0.5}
LEVEL = {"√ln 1/δ": 0.5, "ln² 1/δ": 2.0}
LOUD = 32.0  # an ε at which sampling decides
CONDITIONS, OFFSETS = (10.0, 1e4, 1e8), (10.0, 1e4, 1e9)
FLAT = {"√ln": 0.5, "ln": 1.0}


def constant_shape(public: Public) -> float:
    """Return d ln(1/δ)/ε: what a constant error takes, for ε of order 1 or less."""
    return float(public["d"] * log(1 / public["delta"]) / public["epsilon"])


def mean_shape(public: Public) -> float:
    """Return d/α² + d √ln(1/δ)/(αε) + d ln(1/δ)/ε."""
    d, alpha = public["d"], public["alpha"]
    noise = d * sqrt(log(1 / public["delta"])) / (alpha * public["epsilon"])
    return float(d / alpha**2 + noise + constant_shape(public))


def predicted(public: Public) -> float:
    """Return the n whose predicted median is α, given an answer."""
    return float(affine.predicted(*(public[name] for name in NUMBERS)))


def fewest(public: Public) -> int:
    """Return the fewest rows that are not refused."""
    return affine.fewest(public["key"], public["d"], ApproxDP(public["epsilon"], public["delta"]))


def _growth(
    key: str,
    words: str,
    statement: str,
    shape: Callable[[Public], float],
    moves: Mapping[str, Move],
    caps: Mapping[str, int] = CAPS,
    **usual: Any,
) -> Growth:
    where = {"epsilon": 1.0, "delta": 1e-6, "condition": 1e4, "offset": 1e3}
    return Growth(
        id=statement,
        key=f"{key} ({words})",
        block=affine.released,
        usual={"key": key, **where, **usual},
        alpha=lambda public: public["alpha"],
        shape=shape,
        start=predicted,
        fewest=fewest,
        predicted=predicted,
        share=0.5,
        caps=caps,
        moves=moves,
    )


FEWEST = _growth(
    affine.MEAN,
    "α = .4",
    MEAN,
    constant_shape,
    {
        "epsilon": Move((1.0, 0.5, 0.25, 0.125), -1, INVERSE, FEW),
        "delta": Move((1e-2, 1e-4, 1e-8, 1e-12), 1, LEVEL, FEW, logarithm=True),
        "condition": Move(CONDITIONS, 0, FLAT, "flat", logarithm=True),
        "offset": Move(OFFSETS, 0, FLAT, "flat", logarithm=True),
    },
    d=2,
    alpha=CONSTANT,
)
TALL = _growth(
    affine.MEAN,
    "α = .4",
    MEAN,
    constant_shape,
    {"d": Move((2, 5, 10, 20), 1, {"d²": 2.0, "√d": 0.5}, FEW)},
    alpha=CONSTANT,
)
ALPHA = _growth(
    affine.MEAN,
    "ε = 1",
    MEAN,
    mean_shape,
    {"alpha": Move((0.4, 0.2, 0.1, 0.05), -1, {"1/α²": -2.0}, "d √ln(1/δ)/(αε)")},
    d=2,
)
SAMPLING = _growth(
    affine.MEAN,
    "ε = 32",
    MEAN,
    mean_shape,
    {"alpha": Move((0.08, 0.04, 0.02, 0.01), -2, {"1/α": -1.0, "1/α³": -3.0}, "d/α²")},
    d=2,
    epsilon=LOUD,
)
LAWS = _growth(
    affine.LAW,
    "ε = 1",
    LAW,
    near_shape,
    {
        "d": Move((4, 6, 10), 2, {"d": 1.0, "d³": 3.0}, "d² √ln(1/δ)/(αε)", {"alpha": 0.04}),
        "alpha": Move((0.04, 0.02, 0.0125), -1, {"1/α²": -2.0}, "d² √ln(1/δ)/(αε)", {"d": 4}),
    },
    FEW_RUNS,
)


def in_steps() -> Iterator[Scaling]:
    """Yield what is searched of means in d and α, where n may follow no power of the number."""
    for growth in (TALL, ALPHA, SAMPLING):
        yield from growth.scalings()


CLAIMS = (
    Claim(
        "matrix-quantile/mean-rows-grow",
        "N64",
        (MEAN,),
        "Searched n of a mean from a lifted quantile, d = 2, for a median error of .4, grow at most as"
        " ln(1/δ)/ε does (ε = 1 .. 1/8, δ = 1e-2 .. 1e-12), are the same for condition numbers 10 .. 1e8 and"
        " offsets of 10 .. 1e9 standard deviations, and at most 1.15 times the predicted ones.",
        checks=bounded(BAND),
        scalings=FEWEST.scalings,
        kind="ours",
    ),
    Claim(
        "matrix-quantile/mean-rows-in-steps",
        "N65",
        (MEAN,),
        "Searched n of a mean from a lifted quantile grow at most as d ln(1/δ)/ε does in d = 2 .. 20, for a"
        " median error of .4; in α at most as d/α² + d √ln(1/δ)/(αε) + d ln(1/δ)/ε does, from .4 to .05 at ε"
        " = 1 and from .08 to .01 at ε = 32, d = 2; they are at most 1.15 times the predicted ones.",
        checks=bounded(BAND),
        scalings=in_steps,
        expected=Status.UNDECIDED,
        reason="At ε = 32 the rate 1/α² is seen. At ε = 1 n grows as d^.73 and α^-.47, slower than stated,"
        " but on curves: intervals that allow for these do not exclude the stated rate at the level of a"
        " claim. Where α is small, the intervals of n are wider than the band.",
        kind="ours",
    ),
    Claim(
        "matrix-quantile/law-rows-grow",
        "N66",
        (LAW,),
        "Searched n of a whole Gaussian from lifted rows, for a median total variation of α, grow at most as"
        " d²/α² + d² √ln(1/δ)/(αε) + (d^1.5 + d ln(1/δ))/ε does (d = 4 .. 10, α = .04 .. .0125), and are at"
        " most 1.15 times the predicted ones.",
        checks=bounded(BAND),
        scalings=LAWS.scalings,
        expected=Status.UNDECIDED,
        reason="In α n grows slower than stated. In d the three n lie on a curve: their exponent is 1.6, less"
        " than the stated 2, but so few values do not exclude the latter.",
        kind="ours",
    ),
)
