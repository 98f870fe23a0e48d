"""Eight private means of one column, six of them with a fault: what an audit proves of each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from workbench.charts.chart import Chart, Panel, Series
from workbench.errors import one_of
from workbench.estimators.clipped import ClippedMean
from workbench.privacy import Budget, GaussianDP, PureDP
from workbench.study.audit import AuditReport, Pair, audit
from workbench.study.claim import Claim
from workbench.study.faults import Fault, alone
from workbench.study.measures import certain
from workbench.study.mutants import CLIPPED, UNIVARIATE
from workbench.study.pairs import rows
from workbench.study.pairs.base import Setting
from workbench.study.profiles import AUDIT_CI, AUDIT_LEVEL, AuditPreset, claim_level
from workbench.study.rules import Verdict, combine
from workbench.study.run import Run
from workbench.types import Array

PURE, GAUSSIAN = PureDP(2), GaussianDP(2)
PRESETS = {"quick": AUDIT_CI, "full": AuditPreset("full", 2_000, 8_000, 40_000)}
SIZES = AuditPreset("claim", 2_000, 8_000, 40_000)
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


def suspects(run: Run) -> Chart:
    """Return the privacy loss that an audit proves of every suspect, over what it promises."""
    preset = PRESETS.get(run.profile, AUDIT_CI)
    reports = [accused(one, run.seed, preset) for one in SUSPECTS.values()] if run.simulate else []
    found = [times_promised(report) for report in reports]
    broken = sum(report.violated for report in reports)
    places = range(1, len(found) + 1)
    guilty = [report.violated for report in reports]
    bars = []
    for label, key, kind in (("accused", "idea/wrong", True), ("not accused", "idea/good", False)):
        some = [(place, loss) for place, loss, one in zip(places, found, guilty, strict=True) if one is kind]
        xs, ys = zip(*some, strict=True) if some else ((), ())
        bars.append(Series(label, xs, ys, role="bars", colour_key=key))
    promise = Series("the promise", (0.5, len(SUSPECTS) + 0.5), (1.0, 1.0), role="reference")
    names = tuple(f"{one.letter}: {one.claim}" for one in SUSPECTS.values())
    panel = Panel(
        "", "", "privacy loss that the audit proves, over the promise", (*bars, promise), yscale="linear",
        ylim=(0.0, 4.5), names=names,
    )  # fmt: skip
    return Chart(
        "suspects",
        f"The audit proves that {broken} of {len(SUSPECTS)} suspects break their promise",
        (panel,),
        alt="Bars one below the other, for each of eight mechanisms the privacy loss that an audit proves."
        " Two end short of the line at 1, the promise; six go beyond it.",
        how_to_read="A bar beyond the line is a proof, with 99.99 % confidence, that the promise is broken. A"
        " bar that ends before it proves nothing: the audit found no attack.",
    )


def mutants_are_found(*, seed: int) -> Verdict:
    """Return the checks: every suspect with a fault is accused, none without."""
    checks = []
    for letter, one in SUSPECTS.items():
        report = accused(one, seed, SIZES, claim_level())
        wanted = float(bool(one.fault))
        name = f"{letter}, {one.fault or 'no fault'}: accused"
        check = certain(name, float(report.violated), wanted, wanted)
        # the level at which a right mechanism is accused by chance
        checks.append(check if one.fault else replace(check, level=claim_level()))
    return combine(checks, 2 * len(SUSPECTS) * SIZES.n_test)


CLAIMS = (
    Claim(
        "what-epsilon-means/mutants-are-found",
        "X3",
        ("M21/Thm-Laplace", "M21/sensitivity"),
        "Six mutants of the clipped mean (n = 4, ε = 2 or μ = 2) are accused by an audit of 40 000 releases"
        " on either neighbour, and the right one is not, with Laplace and with Gaussian noise.",
        checks=mutants_are_found,
        kind="ours",
    ),
)
