"""Eight private means of one column, six of them with a fault: find out which."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from workbench.errors import one_of
from workbench.estimators.clipped import ClippedMean
from workbench.privacy import Budget, GaussianDP, PureDP
from workbench.study.audit import AuditReport, Pair, audit
from workbench.study.faults import Fault, alone
from workbench.study.mutants import CLIPPED, UNIVARIATE
from workbench.study.pairs import rows
from workbench.study.pairs.base import Setting
from workbench.study.profiles import AUDIT_CI, AUDIT_LEVEL, AuditPreset
from workbench.types import Array

PURE, GAUSSIAN = PureDP(2), GaussianDP(2)
RADIUS = 2.0  # of the range that the mean is told to lie in


@dataclass(frozen=True)
class Suspect:
    """A clipped mean that promises a budget, with one of the package's own mutants, or with none.

    Call it as `audit` does: `suspect(x, trials, rng)` returns that many releases about the column x.
    """

    letter: str
    fault: str
    claim: Budget

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is put into the package while it runs."""
        return tuple(mutant.fault for mutant in UNIVARIATE if mutant.name == self.fault)

    def __call__(self, x: Array, trials: int, rng: np.random.Generator) -> object:
        """Return releases about a column."""
        with alone(*self.faults):
            estimator, column = ClippedMean(radius=RADIUS, sigma=1.0), np.asarray(x, np.float64)
            bound = estimator.bound(len(column), self.claim)
            setting = Setting(CLIPPED, estimator, self.claim, len(column))
            case = setting.noisy("mean", partial(estimator.statistic, bound=bound), ())
            return case.mechanism(column, trials, rng)


_LINE_UP: tuple[tuple[str, Budget], ...] = (
    ("sensitivity 1/n for 2/n", PURE),
    ("Laplace noise over √2", PURE),
    ("", PURE),
    ("no clipping", PURE),
    ("Gaussian noise halved", GAUSSIAN),
    ("no noise", PURE),
    ("", GAUSSIAN),
    ("Laplace noise halved", PURE),
)
SUSPECTS: Mapping[str, Suspect] = MappingProxyType(
    {letter: Suspect(letter, *one) for letter, one in zip("ABCDEFGH", _LINE_UP, strict=True)}
)


def suspect(letter: str) -> Suspect:
    """Return one of the eight."""
    one_of(SUSPECTS, letter=letter)
    return SUSPECTS[letter]


def neighbours(n: int = 4) -> tuple[Pair, ...]:
    """Return the pairs with which a clipped mean is attacked: a row leaves for an end, or for far away."""
    return rows.ends(n)


def accused(
    one: Suspect, seed: int, preset: AuditPreset = AUDIT_CI, level: float = AUDIT_LEVEL
) -> AuditReport:
    """Return the report on a suspect, attacked with all pairs."""
    return audit(
        one,
        neighbours(),
        one.claim,
        level=level,
        n_screen=preset.n_screen,
        n_train=preset.n_train,
        n_test=preset.n_test,
        seed=seed,
        name=f"suspect {one.letter}",
    )


def times_promised(report: AuditReport) -> float:
    """Return the proven privacy loss as a multiple of the promised one."""
    match report.claim:
        case PureDP(epsilon):
            return report.eps_lower / epsilon
        case GaussianDP(mu):
            return report.mu_lower / mu
    raise TypeError(report.claim)
