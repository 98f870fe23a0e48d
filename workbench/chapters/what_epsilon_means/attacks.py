"""An attacker who must say which of two neighbouring data sets a release is about.

False positives: saying "the second" of the first. False negatives: saying "the first" of the second. Where
the release is (ε, δ)-private, every test has β ≥ max(0, 1 - δ - e^ε α, e^(-ε)(1 - δ - α)) (Wasserman & Zhou
2010), so that its advantage, 1 - α - β, is at most (e^ε - 1 + 2δ)/(e^ε + 1).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, expm1

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from pandas import DataFrame

from workbench.chapters.what_epsilon_means.densities import (
    GAUSSIAN,
    KEYS,
    LAPLACE,
    MEDIAN,
    Additive,
    Densities,
    Middle,
    law,
)
from workbench.charts.curves import (
    LEVEL,
    Chart,
    Panel,
    Series,
    across,
    measured,
    number,
    styled,
    text_at,
    theory,
)
from workbench.errors import one_of
from workbench.estimators.clipped import ClippedMean
from workbench.privacy import Budget, Charge, GaussianDP, PureDP, SimulatedNoise
from workbench.privacy.mechanisms import additive, discrete_laplace, laplace
from workbench.study.audit import AuditReport, audit, last_bit
from workbench.study.faults import Fault, alone
from workbench.study.measures import at, between, certain, hits, scaled, seldom
from workbench.study.mutants import UNIVARIATE
from workbench.study.pairs import univariate as rows
from workbench.study.profiles import AUDIT_CI, AUDIT_LEVEL, AuditPreset
from workbench.study.rules import CHECK_LEVEL, Checks, Claim, Verdict, combine, largest
from workbench.study.sweeps import Run, over_grid
from workbench.types import Array, Columns

FIRST, SECOND = (-0.4, 0.0, 0.4, -1.0), (-0.4, 0.0, 0.4, 1.0)  # rows within ±1: the last one moves
SOUND = (LAPLACE, GAUSSIAN, MEDIAN)
EPSILON, DELTA = 1.0, 1e-2
EPSILONS, DELTAS = (0.1, 0.5, 1.0, 2.0, 4.0), (1e-6, 1e-2, 0.1)
ROUNDING = 1e-6  # of sums over cells of the densities
CUTS = (-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.9)  # log ratios above which one says "the second", in ε
POSITIVES = tuple(np.linspace(0.0, 1.0, 101).tolist())
GRID = tuple(np.geomspace(0.1, 6.0, 25).tolist())
DRAWN = 121  # points of a curve
NAMES = {LAPLACE: "Laplace noise", GAUSSIAN: "Gaussian noise", MEDIAN: "private median"}


def most_advantage(epsilon: float, delta: float) -> float:
    """Return the largest advantage against any (ε, δ)-private release.

    >>> round(most_advantage(1.0, 0.0), 4)
    0.4621
    """
    return (expm1(epsilon) + 2 * delta) / (exp(epsilon) + 1)


def fewest_misses(epsilon: float, delta: float, positives: ArrayLike) -> Array:
    """Return the least possible false negatives of a test with these false positives."""
    alpha = np.asarray(positives, np.float64)
    lines = (1 - delta - np.exp(epsilon) * alpha, np.exp(-epsilon) * (1 - delta - alpha), 0.0 * alpha)
    return np.max(lines, axis=0)


def answered(epsilon: float, delta: float) -> Densities:
    """Return the worst release that is (ε, δ)-private: it tells all with probability δ, or a biased coin."""
    true = exp(epsilon) / (1 + exp(epsilon))
    first = np.array([delta, 0.0, (1 - delta) * true, (1 - delta) * (1 - true)])
    return Densities(first, first[[1, 0, 3, 2]], 1.0)


def pair(mechanism: str, epsilon: float, delta: float) -> Densities:
    """Return the exact distributions of a mechanism on `FIRST` and `SECOND`, cell by cell."""
    made = law(mechanism, len(FIRST), epsilon, delta, bound=1.0)
    first, second = np.array(FIRST), np.array(SECOND)
    if isinstance(made, Middle):
        edges = np.unique(np.concatenate([made.steps(first)[0], made.steps(second)[0]]))
        middles, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
        one, other = (np.exp(made.log_density(x, middles)) for x in (first, second))
        return Densities(one, other, width)
    assert isinstance(made, Additive)
    reach = 1.0 + 14 * made.scale * (3.0 if made.laplace else 1.0)
    return Densities.of(made, first, second, np.linspace(-reach, reach, 200_001))


def rounds(
    mechanism: str, epsilon: float, delta: float, *, trials: int, data: Generator, noise: Generator
) -> Columns:
    """Play rounds: a coin chooses the data set, the release is drawn, the sign of its log ratio guesses.

    `first` and `second` are the log ratios of a release about either data set.
    """
    made = law(mechanism, len(FIRST), epsilon, delta, bound=1.0)
    sets = np.array(FIRST), np.array(SECOND)
    coins = data.integers(2, size=trials).astype(bool)
    outputs = [made.draw(one, trials, noise) for one in sets]
    first, second = (made.log_density(sets[1], y) - made.log_density(sets[0], y) for y in outputs)
    return {"won": (np.where(coins, second, first) > 0) == coins, "first": first, "second": second}


ROUNDS = over_grid("what-epsilon-means-rounds", rounds, 2000, mechanism=SOUND, epsilon=EPSILON, delta=DELTA)


def attacker(run: Run, *, epsilon: float = 1.0, delta: float = 0.01) -> Chart:
    """Return both errors of attackers, and how many rounds of a hundred they win."""
    frame = run.table(ROUNDS.moved({**point, "epsilon": epsilon, "delta": delta} for point in ROUNDS.points))
    bound, shares = [50 + 50 * most_advantage(e, delta) for e in GRID], np.linspace(0.0, 1.0, DRAWN)
    errors = [
        styled("bound", "", POSITIVES, fewest_misses(epsilon, delta, POSITIVES)),
        styled("reference", "guessing", (0, 1), (1, 0), label_at=(0.7, 0.52)),
    ]
    most = styled("reference", "most for (ε, δ)", GRID, bound, "idea/total", label_at=(0.72, 84.0))
    wins = [most]
    for mechanism in SOUND:
        key, rows, found = KEYS[mechanism], at(frame, mechanism=mechanism), {}
        positives, negatives = pair(mechanism, epsilon, delta).trade_off()
        errors.append(theory("", shares, np.interp(shares, positives, np.clip(negatives, 0.0, 1.0)), key))
        for cut in CUTS if len(rows) else ():
            found[(rows["first"] > cut * epsilon).mean()] = hits(rows["second"] <= cut * epsilon, LEVEL)
        errors.append(measured("", dict(sorted(found.items())), key, joined=False))
        best = [50 + 50 * pair(mechanism, e, delta).advantage for e in GRID]
        wins.append(theory(NAMES[mechanism], GRID, best, key))
        if len(rows):
            wins.append(measured("", {epsilon: scaled(hits(rows["won"], LEVEL), 100)}, key, joined=False))
    return Chart(
        "attacker",
        "No attacker gets into the corner that ε and δ cut off",
        (
            Panel(
                f"both errors, ε = {number(epsilon)}, δ = {number(delta)}", "false positives",
                "false negatives", errors, "linear", "linear", xlim=(0.0, 1.0), ylim=(0.0, 1.0),
                marks=[text_at("impossible", 0.14, 0.1)],
            ),
            Panel(
                "how often the best attacker is right", "ε", "won of 100 rounds", wins,
                yscale="linear", xlim=(0.1, 6.0), ylim=(50, 100),
            ),
        ),
        alt="Left, false negatives against false positives: curves of Laplace noise, Gaussian noise and the"
        " median above a shaded corner, with measured points on them. Right, rounds won against ε, all below"
        " a bound.",
        how_to_read="Left, every point is a test. The lower left is where attackers want to be. Right, 50 of"
        " 100 rounds is guessing. Markers: simulated attacks on the package's own mechanisms.",
    )  # fmt: skip


def attackers_stay_below(frame: DataFrame) -> Checks:
    every = [(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS]
    attained = [abs(answered(*one).advantage - most_advantage(*one)) for one in every]
    yield largest("advantage over the bound", _ratios(), 1 + ROUNDING, "at most 1")
    yield largest("what attains the bound, off by", attained, ROUNDING, "at most rounding")
    for mechanism in SOUND:
        won, delta = at(frame, mechanism=mechanism)["won"], DELTA if mechanism == GAUSSIAN else 0.0
        yield seldom(f"{mechanism}: rounds won", won, (1 + most_advantage(EPSILON, delta)) / 2, factor=1.1)


def _ratios() -> Iterator[float]:
    for mechanism in SOUND:
        for epsilon in EPSILONS:
            for delta in DELTAS if mechanism == GAUSSIAN else (0.0,):
                yield pair(mechanism, epsilon, delta or DELTA).advantage / most_advantage(epsilon, delta)


# Eight private means of one column, six of them with a fault: what an audit proves of each.


PURE, LINE_UP_GAUSSIAN = PureDP(2), GaussianDP(2)
SIZES = AuditPreset("full", 2_000, 8_000, 40_000)
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
        return tuple(mutant.fault for mutant in UNIVARIATE if mutant.name == self.fault)

    def __call__(self, x: Array, trials: int, rng: Generator) -> object:
        with alone(*self.faults):
            estimator, column = ClippedMean(radius=RADIUS, sigma=1.0), np.asarray(x, np.float64)
            bound = estimator.bound(len(column), self.claim)
            exact = np.asarray(estimator.statistic(column, bound=bound), np.float64)
            charge = estimator.plan(len(column), 1, self.claim)["mean"]
            return additive(np.broadcast_to(exact, (trials, *exact.shape)), charge, SimulatedNoise(rng))


SUSPECTS = {
    one.letter: one
    for one in (
        Suspect("A", "sensitivity 1/n for 2/n", PURE),
        Suspect("B", "Laplace noise over √2", PURE),
        Suspect("C", "", PURE),
        Suspect("D", "no clipping", PURE),
        Suspect("E", "Gaussian noise halved", LINE_UP_GAUSSIAN),
        Suspect("F", "no noise", PURE),
        Suspect("G", "", LINE_UP_GAUSSIAN),
        Suspect("H", "Laplace noise halved", PURE),
    )
}


def suspect(letter: str) -> Suspect:
    one_of(SUSPECTS, letter=letter)
    return SUSPECTS[letter]


def accused(
    one: Suspect, seed: int, preset: AuditPreset = AUDIT_CI, level: float = AUDIT_LEVEL
) -> AuditReport:
    """Return the report on a suspect, attacked with rows that leave for an end, or for far away."""
    name = f"suspect {one.letter}"
    return audit(one, rows.ends(4), one.claim, level=level, seed=seed, name=name, **preset.sizes)


def suspects(run: Run) -> Chart:
    """Return the privacy loss that an audit proves of every suspect, over what it promises."""
    preset = SIZES if run.profile == "full" else AUDIT_CI
    reports = [accused(one, run.seed, preset) for one in SUSPECTS.values()] if run.simulate else []
    broken, bars = sum(report.violated for report in reports), []
    losses = {
        place: one.eps_lower / PURE.epsilon if one.claim == PURE else one.mu_lower / LINE_UP_GAUSSIAN.mu
        for place, one in enumerate(reports, start=1)
    }
    for label, key, kind in (("accused", "idea/wrong", True), ("not accused", "idea/good", False)):
        some = [place for place in losses if reports[place - 1].violated is kind]
        bars.append(styled("bars", label, some, [losses[one] for one in some], key))
    promise = across("the promise", (0.5, len(SUSPECTS) + 0.5), 1.0)
    panel = Panel(
        "", "", "privacy loss that the audit proves, over the promise", (*bars, promise), yscale="linear",
        ylim=(0.0, 4.5), names=tuple(f"{one.letter}: {one.claim}" for one in SUSPECTS.values()),
    )  # fmt: skip
    return Chart(
        "suspects",
        f"The audit proves that {broken} of {len(SUSPECTS)} suspects break their promise",
        [panel],
        alt="Bars one below the other, for each of eight mechanisms the privacy loss that an audit proves."
        " Two end short of the line at 1, the promise; six go beyond it.",
        how_to_read="A bar beyond the line is a proof, with 99.99 % confidence, that the promise is broken. A"
        " bar that ends before it proves nothing: the audit found no attack.",
    )


def mutants_are_found(*, seed: int) -> Verdict:
    checks = []
    for letter, one in SUSPECTS.items():
        report = accused(one, seed, SIZES, CHECK_LEVEL)
        wanted = float(bool(one.fault))
        name = f"{letter}, {one.fault or 'no fault'}: accused"
        check = certain(name, float(report.violated), wanted, wanted)
        # the level at which a right mechanism is accused by chance
        checks.append(check if one.fault else replace(check, level=CHECK_LEVEL))
    return combine(checks, 2 * len(SUSPECTS) * SIZES.n_test)


# What the low bits of x + Lap(1) say about x.
#
# A float in [1/2, 1) is a multiple of 2^-53, one in [1/4, 1/2) of 2^-54, and so on. For x = 1 and |out| < 1/2
# the noise is at least 1/2 in size, so that out is a multiple of 2^-53. For x = 0 the output is the noise
# itself: that in [2^-(j+1), 2^-j) is a multiple of 2^-53 with probability 2^-j only.


ONE_FLOAT, ON_A_GRID = "float noise", "noise on a grid"
UNIT = 2.0**-53
STEP = 2.0**-10  # of the grid
NEAR = 0.5
SHOWN = 16  # floats next to each other
BITS = 0.02  # of the share that betrays x = 0: fair last bits are a model


def float_noise(x: Array, trials: int, rng: Generator) -> Array:
    """Return x + Lap(1), the sum over x: ε = 1 for a row in [0, 1], in real numbers."""
    return laplace(np.full(trials, x.sum()), Charge("sum", "laplace", 1.0, PureDP(1.0)), SimulatedNoise(rng))


def grid_noise(x: Array, trials: int, rng: Generator) -> Array:
    """Return the same on multiples of 2^-10: x is rounded to it, the noise is a number of steps."""
    steps = np.round(np.clip(x.sum(), 0.0, 1.0) / STEP)
    charge = Charge("sum", "discrete_laplace", 1 / STEP, PureDP(1.0))
    return STEP * discrete_laplace(np.full(trials, steps), charge, SimulatedNoise(rng))


NOISES = {ONE_FLOAT: float_noise, ON_A_GRID: grid_noise}


def betrays(outputs: Array) -> Array:
    """Return which outputs lie within 1/2 of 0 and are no multiples of 2^-53."""
    return np.asarray((np.abs(outputs) < NEAR) & (last_bit(outputs) < -53))


def predicted() -> float:
    """Return the probability of such an output for x = 0, if the last bits of the noise are fair coins."""
    j = np.arange(1, 60)
    return float(((np.exp(-(2.0 ** -(j + 1))) - np.exp(-(2.0**-j))) * (1 - 2.0**-j)).sum())


def outputs(kind: str, x: float, *, trials: int, data: Generator, noise: Generator) -> Columns:
    found = NOISES[kind](np.array([x]), trials, noise)
    return {"betrays": betrays(found), "last": last_bit(found), "near": np.abs(found) < NEAR}


OUTPUTS = over_grid("what-epsilon-means-floats", outputs, 5000, 40, kind=NOISES, x=[0.0, 1.0])


def floats(_run: Run) -> Chart:
    """Return which floats near 0.3 are x + Lap(1) for x = 0, and which for x = 1."""
    places = np.arange(SHOWN, dtype=float)
    shared = last_bit(0.3 + (UNIT / 2) * places) >= -53  # floats in [1/4, 1/2) are multiples of 2^-54
    series = [
        Series(label, np.full(int(of.sum()), row), places[of], joined=False, colour_key=key)
        for label, row, of, key in (
            ("either", 1, shared, "idea/data"),
            ("only if x = 0", 1, ~shared, "idea/wrong"),
            ("", 2, shared, "idea/data"),
        )
    ]
    panel = Panel(
        f"{SHOWN} floats next to each other, from 0.3 on", "", "float, steps of 2⁻⁵⁴ from 0.3", series,
        "linear", "linear", ylim=(-1.0, SHOWN), names=("if x = 0", "if x = 1"),
        note="The output x + Lap(1) near 0.3: if x = 1 it is a multiple of 2⁻⁵³.",
    )  # fmt: skip
    return Chart(
        "floats",
        f"{100 * predicted():.0f} % of all float outputs prove that x = 0: their last bits say so",
        [panel],
        alt="Two rows of ticks, the floats that follow 0.3. If x = 0, the output may be any of them; if"
        " x = 1, only every other one.",
        how_to_read="Each marker is a float that can be the output. One that only x = 0 can give betrays it"
        " with certainty: an event that no ε allows. Noise on a grid gives the same floats for both.",
    )


def floats_leak(frame: DataFrame) -> Checks:
    found, middle = hits(at(frame, kind=ONE_FLOAT, x=0.0)["betrays"]), predicted()
    yield between("float noise, x = 0", found, middle - BITS, middle + BITS, bound=middle)
    for kind, x in ((ONE_FLOAT, 1.0), (ON_A_GRID, 0.0), (ON_A_GRID, 1.0)):
        yield seldom(f"{kind}, x = {x:g}", at(frame, kind=kind, x=x)["betrays"], 2e-3, factor=4.0)


CLAIMS = (
    Claim(
        "what-epsilon-means/attackers-stay-below",
        "X1",
        ("M21/DP", "WZ10/Thm2.4"),
        "True minus false positives of the best attacker is at most (e^ε - 1 + 2δ)/(e^ε + 1) for Laplace and"
        " Gaussian noise and the median (ε = .1 .. 4, δ to .1, exactly), and a leak with randomised response"
        " attains it; against the package's own draws at ε = 1 the likelihood ratio wins no more rounds.",
        attackers_stay_below,
        lambda: [ROUNDS],
    ),
    Claim(
        "what-epsilon-means/mutants-are-found",
        "X3",
        ("M21/Thm-Laplace", "M21/sensitivity"),
        "Six mutants of the clipped mean (n = 4, ε = 2 or μ = 2) are accused by an audit of 40 000 releases"
        " on either neighbour, and the right one is not, with Laplace and with Gaussian noise.",
        mutants_are_found,
        kind="ours",
    ),
    Claim(
        "what-epsilon-means/floats-leak",
        "X4",
        ("Mironov12/floats",),
        "x + Lap(1) in floats lies within 1/2 of 0 and is no multiple of 2^-53 with probability .272 (± .02)"
        " for x = 0 and never for x = 1; on a grid of 2^-10 with whole-number noise never for either.",
        floats_leak,
        lambda: [OUTPUTS],
        kind="ours",
    ),
)
