"""How the n of resilient means, of the Tukey median and of private ranges grows, one number at a time.

LKKO21 Theorems 7, 8 and 12 on the line, Lemmas D.2 and K.1. n is what nine runs of ten need, the largest
over clusters at five distances (`runs.nets`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf, nan
from typing import Any

from workbench.bounds import lkko21
from workbench.bounds.resilience import margin_rate, rows_to_pass
from workbench.bounds.search import smallest
from workbench.chapters.robust_and_private import nets
from workbench.chapters.robust_and_private.clusters import follow_worst, named
from workbench.estimators.tukey import ResilientMean
from workbench.study.claim import Claim
from workbench.study.rules import Status
from workbench.study.scaling import Scaling, Setting

CAPS = {"full": 100}
SHARE, HALF = 0.9, 0.5
RUNS = (1, 4, 16, 32)
EPSILON = {"1/ε²": -2.0, "1/√ε": -0.5}
ZETAS = tuple(1 - HALF ** (1 / runs) for runs in RUNS)
DELTAS = (1e-2, 1e-4, 1e-8, 1e-16)
WITHIN = 1e-9  # rows a range may lose beyond those allowed: rounding


@dataclass(frozen=True)
class Moved:
    """One number of a statement, at several values, in one of its terms; `beside` as of a `Move`."""

    variable: str
    values: tuple[float, ...]
    power: float
    instead: Mapping[str, float]
    term: str
    beside: Mapping[str, float] = field(default_factory=dict)
    logarithm: bool = False


@dataclass(frozen=True)
class Stated:
    """A statement: `size(term, public numbers)` is a term of its n, constants 1."""

    id: str
    key: str
    usual: Mapping[str, float]
    size: Callable[[str, Mapping[str, float]], float]
    moves: tuple[Moved, ...]
    predicted: Callable[[Mapping[str, float]], float] = lambda public: nan

    def scalings(self) -> Iterator[Scaling]:
        """Return a scaling for every number and every place of the cluster."""
        net = nets.NETS.get(self.key)
        for move in self.moves:
            for place in net.places if net else (nets.ELSEWHERE,):
                yield Scaling(
                    statement=self.id,
                    variable={"alpha": "corruption", "zeta": "beta"}.get(move.variable, move.variable),
                    key=named(self.key, f"{move.term}, cluster at {place:g}"),
                    term=move.term,
                    values=move.values,
                    setting=partial(self.setting, move, place),
                    block=nets.errors if net else nets.ranges,
                    power=move.power,
                    instead=move.instead,
                    logarithm=move.logarithm,
                    share=HALF if move.variable == "zeta" else SHARE,
                    caps=CAPS,
                )

    def setting(self, move: Moved, place: float, value: float) -> Setting:
        """Return the public numbers at one value."""
        public = {**self.usual, "zeta": 1 - SHARE, **move.beside, move.variable: value}
        runs = RUNS[ZETAS.index(value)] if move.variable == "zeta" else 1
        stated, predicted = self.size(move.term, public), self.predicted(public)
        point: dict[str, Any] = {name: public[name] for name in ("epsilon", "delta")}
        point |= {"key": self.key, "d": int(public["d"]), "corruption": public["alpha"], "runs": runs}
        net = nets.NETS.get(self.key)
        if net is None:
            return Setting(point, WITHIN, round(stated), stated, fewest=2)
        point |= {"place": place, "radius": public["radius"], "step": public["step"]}
        fewest = _fewest(self.key, public)
        start = max(round(stated if predicted != predicted else predicted), fewest)
        return Setting(point, net.error(public["alpha"]), start, stated, predicted, fewest=fewest)


def _fewest(key: str, public: Mapping[str, float]) -> int:
    """Return from which n on the tails leave rows between them."""
    return 2 if key == "mean/tukey" else smallest(lambda n: n - 2 * -(-3 * public["alpha"] * n // 1) >= 1, 30)


def _passes(public: Mapping[str, float]) -> float:
    """Return the rows at which half of the tests pass, on the line."""
    one = ResilientMean(radius=public["radius"], corruption=public["alpha"], sigma=1.0)
    rate = margin_rate(public["alpha"], one.width)
    return rows_to_pass(rate, one.check * public["epsilon"], public["delta"]) if rate else inf


def _of(shape: Any, names: tuple[str, ...], terms: Mapping[str, str]) -> Callable[[str, Any], float]:
    return lambda term, public: getattr(shape(int(public["d"]), *(public[x] for x in names)), terms[term])


TESTED, DRAWN_FROM = "√d ln(1/δ)/(εα)", "d/(εα)"
ON_A_LINE = {"d": 1, "alpha": 0.05, "epsilon": 0.1, "delta": 1e-6, "radius": 1.0, "step": 0.01}
IN_SPACE = {"alpha": 0.1, "radius": 0.9, "step": 0.1, "epsilon": 0.2, "delta": 0.01}
TESTS = (
    Moved("epsilon", (0.4, 0.2, 0.1, 0.05), -1, EPSILON, TESTED),
    Moved("delta", DELTAS, 1, {"√ln 1/δ": 0.5, "ln² 1/δ": 2.0}, TESTED, logarithm=True),
    Moved("alpha", (0.003, 0.01, 0.03, 0.1), -1, {"1/α²": -2.0, "1/√α": -0.5}, TESTED),
    Moved("d", (1, 2, 3), 1, {"d²": 2.0}, DRAWN_FROM, IN_SPACE),
)


def _tested(term: str, public: Mapping[str, float]) -> float:
    """Return the private term of Theorems 7 and 8."""
    return lkko21.resilient_shape(int(public["d"]), public["alpha"], public["epsilon"], public["delta"]).noise


RESILIENT = Stated(
    "LKKO21/Thm7", "mean/resilient", ON_A_LINE, _tested, TESTS,
    _passes,
)  # fmt: skip
HEAVY = Stated(
    "LKKO21/Thm8", "mean/resilient-heavy", {**ON_A_LINE, "radius": 2.0},
    _tested, TESTS[:3],
)  # fmt: skip

DRAWN, SAMPLED = "d ln(dR/(ζα))/(εα)", "(d + ln(1/ζ))/α²"
TUKEY = Stated(
    "LKKO21/Thm12",
    "mean/tukey",
    {"d": 1, "alpha": 0.1, "epsilon": 0.02, "delta": 0.0, "radius": 10.0, "step": 0.1},
    _of(lkko21.tukey_shape, ("alpha", "epsilon", "radius", "zeta"), {DRAWN: "noise", SAMPLED: "sampling"}),
    (
        Moved("epsilon", (0.04, 0.02, 0.01, 0.005), -1, EPSILON, DRAWN),
        Moved("alpha", (0.025, 0.05, 0.1, 0.2), -2, {"1/α": -1.0}, SAMPLED, {"epsilon": 10.0}),
        Moved("alpha", (0.05, 0.08, 0.125, 0.2), -1, {"1/α²": -2.0}, DRAWN),
        Moved("radius", (5.0, 25.0, 1e3, 1e6), 1, {"ln² R": 2.0}, DRAWN, logarithm=True),
        Moved("zeta", ZETAS, 1, {"ln² 1/ζ": 2.0}, SAMPLED, {"epsilon": 10.0}, logarithm=True),
    ),
)

BOX, BALL = "√(d ln(1/δ)) ln(d/(ζδ))/ε", "√(d ln(1/δ)) ln(d/(ζδ))/ε, one part"
TAILS = "1/α, one part"


def _box(term: str, public: Mapping[str, float]) -> float:
    if term == TAILS:
        return 1 / public["alpha"]
    return lkko21.range_shape(int(public["d"]), public["epsilon"], public["delta"], public["zeta"])


def _located(term: str) -> tuple[Moved, ...]:
    return (
        Moved("d", (1, 4, 16, 64), 0.5, {"d": 1.0}, term),
        Moved("epsilon", (0.8, 0.4, 0.2, 0.1), -1, EPSILON, term),
        Moved("delta", DELTAS, 1.5, {"√ln 1/δ": 0.5, "ln² 1/δ": 2.0}, term, logarithm=True),
        Moved("zeta", ZETAS, 1, {"free of ζ": 0.6}, term, {"delta": 0.1}, logarithm=True),
    )


RANGE = {"d": 1, "alpha": 0.05, "epsilon": 0.8, "delta": 1e-6}
IN_A_BOX = Stated("LKKO21/LemD.2", "range/box", RANGE, _box, _located(BOX))
IN_A_BALL = Stated(
    "LKKO21/LemK.1", "range/ball", RANGE, _box,
    (
        *_located(BALL),
        Moved("alpha", (0.001, 0.002, 0.004, 0.008), -1, {"1/√α": -0.5}, TAILS, {"epsilon": 10.0}),
    ),
)  # fmt: skip


def _claim(name: str, number: str, stated: Stated, said: str, **more: Any) -> Claim:
    return Claim(
        f"robust-and-private/{name}-rows-grow",
        number,
        (stated.id,),
        f"Searched n of {stated.key}, {said}",
        checks=follow_worst,
        scalings=stated.scalings,
        **more,
    )


CLAIMS = (
    _claim(
        "resilient",
        "N45",
        RESILIENT,
        "the largest over clusters at 1.5 .. 20 sd, error 2 ξ √ln(1/ξ), grows at most as"
        " (d + √d ln(1/δ))/(εξ): on the line in ε = .4 .. .05, δ = 1e-2 .. 1e-16, ξ = .003 .. .1, and in"
        " d = 1 .. 3 at δ = .01.",
        expected=Status.UNDECIDED,
        reason="On the line the rates are seen. In d only two of three n have both ends.",
    ),
    _claim(
        "heavy-resilient",
        "N46",
        HEAVY,
        "Student rows, the largest over clusters at .5 .. 8 times 1/√ξ, error 1.5 √ξ, grows at most as"
        " (d + √d ln(1/δ))/(εξ): on the line in ε = .4 .. .05, δ = 1e-2 .. 1e-16, ξ = .003 .. .1.",
        expected=Status.UNDECIDED,
        reason="In ε and ξ the rate is seen. In δ, ln(1/δ)^.78 within .42, neither the rate of the test nor"
        " that of its root is excluded: at δ = 1e-2 the draw needs more rows than the test.",
    ),
    _claim(
        "tukey",
        "N47",
        TUKEY,
        "a cluster at 6 sd (1 .. 20: the same), error 2 ξ, grows at most as (d + ln(1/ζ))/ξ²"
        " + d ln(dR/(ζξ))/(εξ), on the line: in ε = .04 .. .005 and R = 5 .. 1e6 at ξ = .1, in ξ = .05 .. .2;"
        " at ε = 10 in ξ = .025 .. .2 and failure probability ζ = .5 .. .021.",
        expected=Status.UNDECIDED,
        reason="The rates 1/ε and 1/ξ² are seen. In R n hardly grows; that it grows slower than ln R is not"
        " certain enough. In ξ at small ε, and in ζ, the bias of the cluster takes most of what is allowed:"
        " the n of ζ = .5 is hardly bounded, and no rate is excluded.",
    ),
    _claim(
        "box-range",
        "N48",
        IN_A_BOX,
        "calibration paper, 5 % of the rows elsewhere, until the box holds all others, grows at most as"
        " √(d ln(1/δ)) ln(d/(ζδ))/ε: in d = 1 .. 64, ε = .8 .. .1, δ = 1e-2 .. 1e-16, ζ = .5 .. .021.",
    ),
    _claim(
        "ball-range",
        "N49",
        IN_A_BALL,
        "on Student rows, until the ball holds all but a share ξ of the clean ones, grows at most as"
        " √(d ln(1/δ)) ln(d/(ζδ))/ε + 1/ξ, the n of one of the source's parts: in d = 1 .. 64,"
        " ε = .8 .. .1, δ = 1e-2 .. 1e-16, ζ = .5 .. .021, ξ = .001 .. .008.",
    ),
)
