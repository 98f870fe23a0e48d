"""Stand-ins for the science, so that the lab's tests depend on nothing but the lab.

On the module path of a child process, this module puts tiny fakes where the catalog, the budgets, the
sources and the claims would be. Tests that use the real ones live in tests/commands/test_estimate.py.
"""

import sys
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import ModuleType, SimpleNamespace


def module(name, **content):
    made = ModuleType(name)
    made.__dict__.update(content)
    sys.modules[name] = made


def invalid(argument, value, allowed):
    from workbench.errors import ArgumentError

    return ArgumentError(argument, value, allowed)


@dataclass(frozen=True)
class NonPrivate:
    pass


@dataclass(frozen=True)
class PureDP:
    epsilon: float

    def __post_init__(self):
        if not 0 < self.epsilon < float("inf"):
            raise invalid("epsilon", self.epsilon, "a finite number above 0")


@dataclass(frozen=True)
class ApproxDP:
    epsilon: float
    delta: float

    def __post_init__(self):
        if not 0 <= self.delta < 1:
            raise invalid("delta", self.delta, "a number from 0 up to, not including, 1")


@dataclass(frozen=True)
class ZCDP:
    rho: float
    delta: float = 0.0


@dataclass(frozen=True)
class Abstention:
    reason: str


@dataclass(frozen=True)
class Mean:
    radius: float = 1.0

    def __post_init__(self):
        if not self.radius > 0:
            raise invalid("radius", self.radius, "a finite number above 0")

    def __call__(self, x, *, budget, rng):
        import numpy as np

        if len(x) < 3:
            raise invalid("n", len(x), "at least 3 rows")
        value = float(np.clip(np.nan_to_num(x, posinf=0, neginf=0), -self.radius, self.radius).mean())
        noisy = value + rng.normal() if self.radius < 100 else Abstention("the range is empty")
        charge = SimpleNamespace(step="mean", mechanism="Laplace", cost=budget, sensitivity=2.0)
        plan = SimpleNamespace(charges=lambda: [charge])
        return SimpleNamespace(value=noisy, plan=plan, guarantee=budget, error=None)


class Status(StrEnum):
    HOLDS = "HOLDS"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True)
class Verdict:
    id: str
    statement: str
    status: Status
    test: str = "one-sided binomial"
    level: float = 1e-6
    n: int = 100
    trials: int = 2000
    estimate: float = 0.012
    interval: tuple = (0.008, 0.017)
    bound: float = 0.03
    detail: str = "24 of 2000"

    def record(self):
        return asdict(self)


STATUS = {"T1": Status.HOLDS, "T2": Status.REFUTED, "T3": Status.UNDECIDED}
CLAIMS = {name: SimpleNamespace(id=name, number=name, expected=Status.HOLDS) for name in STATUS}


def decide(ids, profile, seed, jobs=1):
    return {name: Verdict(name, f"Toy claim {name}: misses at most 3 %", STATUS[name]) for name in ids}


@dataclass(frozen=True)
class Statement:
    id: str
    kind: str
    text: str
    covered_by: tuple = ()
    reason: str = ""
    constants: str = "stated"
    errata: tuple = ()


def sources():
    return ("l17",)


def statements(name):
    if name not in sources():
        raise invalid("source", name, "one of l17")
    return (Statement("1.1", "theorem", "A mean costs little.", ("univariate/toy",)),)


entry = SimpleNamespace(
    key="univariate/toy", estimator=Mean(), estimand="mean", summary="A toy.", budgets=(PureDP(1.0),)
)
toys = {"univariate/toy": entry, "mean/toy": entry}
module("workbench.catalog", CATALOG=toys, KNOWN=toys, addition=lambda key: None, lookup=toys.__getitem__)
module("workbench.privacy", PureDP=PureDP, ApproxDP=ApproxDP, ZCDP=ZCDP, NonPrivate=NonPrivate, Budget=object)
module("workbench.estimators.base", Abstention=Abstention, Array=object, LARGEST=1e100)
module("workbench.estimators.release", BETA=0.05, ErrorStatement=object)
module("workbench.sources", sources=sources, statements=statements, recalled=frozenset)
module("workbench.chapters.registry", CLAIMS=CLAIMS, known=lambda: CLAIMS, decide=decide)
