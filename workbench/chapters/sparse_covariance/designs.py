"""The covariances that the claims about WX19 are tried on, one run on any of them, what is read off tables.

Truths are scaled so that normal rows lie in the unit ball, up to a probability of `BEYOND` per sample, and
runs are in distribution: the second moment is drawn as a Wishart matrix, conditional on no row being clipped
(`populations.laws`). The estimator's own pieces do the rest.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import exp, hypot, inf, log, nan, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from pandas import DataFrame

from workbench.charts.curves import Chart, Mark, Panel, number, text_at, theory
from workbench.distributions import Gaussian, SparseCovariance
from workbench.estimators.shared.noisy_means import median_noise_norm
from workbench.estimators.shared.rows import second_moment_within
from workbench.estimators.sparse import (
    STEP,
    USERS,
    LocalThresholdedCovariance,
    Noise,
    PerturbedCovariance,
    Rule,
    delivered_mu,
    kept_and_repaired,
    perturbed,
    thresholded,
)
from workbench.linalg import psd_part
from workbench.populations.laws import MultivariateGaussian, second_moment
from workbench.populations.sparse import active_block, conditioned, sparse_signal, unit_ball_scale
from workbench.privacy import ApproxDP, Charge, GaussianDP, SimulatedNoise, noise_source
from workbench.privacy.budgets import approx_from_gdp
from workbench.privacy.mechanisms import gaussian_scale
from workbench.special import stdtrit
from workbench.study.measures import Measure, between, each, growth, paired_columns, resampled
from workbench.study.rules import CHECK_LEVEL, Checks, Claim, Interval, Status, Verdict, claim_level, compare
from workbench.study.sweeps import Role, Row, Run, each_trial, over_grid, resampler, stream
from workbench.types import Array, Mask

Model = Literal["central", "local"]
Calibration = Literal["tight", "paper"]
CALIBRATIONS: tuple[Calibration, ...] = ("tight", "paper")

BEYOND = 0.01  # probability that any of n rows would be clipped
DELTA = 1e-6
P, USUAL = 100, ApproxDP(1.0, DELTA)
DRAWS = 3  # of truths, whose mean stands for a typical one
DROWNED = 1 / 3  # of the noise: below it, sampling adds less than 6 % to its norm
LARGEST = 700.0  # powers of e beyond it are infinite

# Truths and runs


def scaled(covariance: Array, n: int) -> Array:
    return covariance / unit_ball_scale(covariance, n, BEYOND)


def share_of(p: int, degree: float) -> float:
    """Return the share of the pairs of which each coordinate has `degree` on average."""
    return degree / (p - 1)


def spread(p: int, share: float, n: int, rng: Generator) -> Array:
    """Return a covariance whose support is spread over all coordinates: entries shrink as 1/p."""
    return scaled(conditioned(sparse_signal(p, share, rng=rng)), n)


def block(p: int, active: int, degree: int, n: int, rng: Generator) -> Array:
    """Return a covariance whose signal sits in `active` coordinates: entries keep their size as p grows."""
    return scaled(active_block(p, active, degree, rng=rng), n)


def neighbours(p: int, degree: int) -> Mask:
    """Return which pairs are next to each other on a circle, `degree` of them for each of p places."""
    gap = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    return (np.minimum(gap, p - gap) <= degree // 2) & (gap > 0)


class Released(NamedTuple):
    """A released matrix with all that is public about it, and the truth that only a study knows."""

    truth: Array
    empirical: Array
    released: Array
    charge: Charge
    n: int

    @property
    def noise(self) -> Noise:
        return Noise(gaussian_scale(self.charge), off_diagonal_sd(self.charge), self.n)

    def thresholded(self, rule: Rule, rng: Generator) -> SparseCovariance:
        """Return steps (3) and (4) of Algorithm 1 by a rule."""
        return kept_and_repaired(self.released, self.charge, self.n, rule, noise_source(rng))

    def kept(self, rule: Rule, rng: Generator) -> Array:
        return thresholded(self.released, self.noise, rule, rng)

    def error(self, matrix: Array) -> float:
        return spectral(matrix - self.truth) / spectral(self.truth)


def released(
    covariance: Array, n: int, epsilon: float, data: Generator, noise: Generator, *, delta: float = DELTA,
    model: Model = "central", calibration: Calibration = "tight",
) -> Released:  # fmt: skip
    """Return a run on n rows of unit radius, in distribution."""
    law = MultivariateGaussian(Gaussian(np.zeros(len(covariance)), covariance))
    empirical = second_moment(law, n, rng=data)
    charge = charged(len(covariance), n, ApproxDP(epsilon, delta), model, calibration)
    return Released(law.covariance, empirical, perturbed(empirical, charge, noise_source(noise)), charge, n)


def spread_run(
    p: int, degree: float, n: int, epsilon: float, data: Generator, noise: Generator, **more: Any
) -> Released:
    return released(spread(p, share_of(p, degree), n, data), n, epsilon, data, noise, **more)


def charged(p: int, n: int, budget: ApproxDP, model: Model, calibration: Calibration) -> Charge:
    kind, step = (LocalThresholdedCovariance, USERS) if model == "local" else (PerturbedCovariance, STEP)
    return kind(calibration=calibration, radius=1.0).plan(n, p, budget)[step]


def off_diagonal_sd(charge: Charge) -> float:
    return gaussian_scale(charge) / (sqrt(2) if charge.mechanism == "symmetric_gaussian" else 1.0)


def without_privacy(run: Released, rng: Generator) -> Array:
    return psd_part(thresholded(run.empirical, Noise(0.0, 0.0, run.n), "adaptive-lasso", rng))


def spectral(matrix: Array) -> float:
    return float(np.abs(np.linalg.eigvalsh(matrix)[[0, -1]]).max())


def column_sum(matrix: Array) -> float:
    """Return the largest absolute column sum: the norm for w = 1, and w = ∞ if the matrix is symmetric."""
    return float(np.abs(matrix).sum(axis=0).max())


def diagonal(matrix: Array) -> Array:
    return np.diag(np.diag(matrix))


def estimates(one: Released, rng: Generator) -> dict[str, Array]:
    """Return the output of the source's rule and of the default one, and all references."""
    rules: dict[str, Rule] = {"algorithm": "paper", "default": "adaptive-lasso"}
    return {name: one.thresholded(rule, rng).psd for name, rule in rules.items()} | {
        "zero": np.zeros_like(one.truth),
        "oracle diagonal": diagonal(one.truth),
        "noisy diagonal": diagonal(one.released),
        "plain": one.released,
        "empirical": one.empirical,
        "without": without_privacy(one, rng),
    }


# What follows from public numbers


def rows_factor(model: Model, p: int, budget: ApproxDP) -> float:
    """Return the n at which entries stand out of the noise, over that at ε = 1, δ = 1e-6 and the usual p.

    Entries of rows in the unit ball shrink as 1/p; a threshold is √ln p times the sd of the noise, which
    falls as 1/n, or as 1/√n in the local model.
    """
    here, usual = (
        off_diagonal_sd(charged(2, 10**6, each, "central", "tight")) * columns * sqrt(log(columns))
        for columns, each in ((p, budget), (P, USUAL))
    )
    return here / usual if model == "central" else (here / usual) ** 2


@cache
def typical(truth: Callable[..., Array], *public: Any) -> tuple[float, float]:
    """Return the spectral norm and the trace of a truth with these numbers, the mean of a few draws."""
    truths = [truth(*public, stream(0, Role.DATA, "wx19-typical", draw, 0)) for draw in range(DRAWS)]
    norms, traces = ([size(one) for one in truths] for size in (spectral, np.trace))
    return float(np.mean(norms)), float(np.mean(traces))


def plain_error(
    truth: tuple[float, float], p: int, n: int, budget: ApproxDP, model: Model = "central",
    calibration: Calibration = "tight",
) -> float:  # fmt: skip
    """Return the relative error of the plain release: the norm of its noise, and a little sampling.

    `truth` is its norm and its trace. nan where sampling is no small part: 2 √(|Σ|₂ tr Σ/n) is no prediction,
    but for a truth near the identity.
    """
    norm, trace = truth
    sd = off_diagonal_sd(charged(p, n, budget, model, calibration))
    noise, sampling = sqrt(2) * sd * median_noise_norm(p), 2 * sqrt(norm * trace / n)
    return hypot(noise, sampling) / norm if sampling <= DROWNED * noise else nan


# What is read off a table


def geometric(values: ArrayLike, level: float = CHECK_LEVEL) -> Measure:
    """Return the geometric mean of independent positive values, with the t interval of its logarithm."""
    return exponential(arithmetic(np.log(np.asarray(values, np.float64)), level))


def arithmetic(values: ArrayLike, level: float = CHECK_LEVEL) -> Measure:
    found = np.asarray(values, np.float64)
    middle, m = float(found.mean()), len(found)
    reach = float(-stdtrit(m - 1, level / 2)) * float(found.std(ddof=1)) / sqrt(m) if m > 1 else inf
    return Measure(middle, (middle - reach, middle + reach), m)


def recall(kept: Array, truth: Array) -> float:
    away = (truth != 0) & ~np.eye(len(truth), dtype=bool)
    return float((kept[away] != 0).mean()) if away.any() else 1.0


def f1(kept: Array, truth: Array) -> float:
    """Return the harmonic mean of precision and recall of the support off the diagonal."""
    above = np.triu_indices(len(truth), 1)
    found, true = kept[above] != 0, truth[above] != 0
    total = int(found.sum() + true.sum())
    return float(2 * (found & true).sum() / total) if total else 1.0


def crossing(ns: Sequence[float], curve: ArrayLike, target: float, *, falling: bool = True) -> float:
    """Return log n where a curve last passes the target, interpolated in log n; nan if it does not."""
    y = np.asarray(curve, np.float64) - target
    reached = y <= 0 if falling else y >= 0
    if reached.all() or not reached[-1]:
        return nan
    i = int(np.flatnonzero(~reached)[-1])
    share = y[i] / (y[i] - y[i + 1])
    return float(log(ns[i]) + share * (log(ns[i + 1]) - log(ns[i])))


def bootstrapped(
    statistic: Callable[[Array], float], rows: Array, level: float, name: str, seed: int
) -> Measure:
    found = resampled(statistic, rows, level, resampler(seed, name), 500)
    return found if np.isfinite(found.estimate) else found._replace(interval=(-inf, inf))


def exponential(measure: Measure) -> Measure:
    low, high = (inf if end > LARGEST else exp(end) for end in measure.interval)
    return Measure(exp(measure.estimate), (low, high), measure.trials)


def computed(name: str, values: ArrayLike, limits: Interval, detail: Mapping[str, object] = {}) -> Verdict:
    found = np.asarray(values, np.float64)
    span = float(found.min()), float(found.max())
    inside = limits[0] <= span[0] and span[1] <= limits[1]
    worst = span[1] if limits[0] == -inf or inside or span[1] > limits[1] else span[0]
    return Verdict(
        status=compare((worst, worst), *limits),
        test="largest and smallest value over a grid",
        level=0.0,
        trials=found.size,
        estimate=worst,
        interval=span,
        bound=limits[1],
        detail=dict(detail),
    ).about(name, "within the limits everywhere")


# Circles of correlated coordinates, and the source's noise


SIZES = (1.1, 1.5, 2.5)  # of entries, over α/s
LARGEST_N, CLIPPED = 10**9, 0.01  # so many rows lie in the unit ball but with this probability
UNIT = 0.35  # α over the variance of a coordinate, at most: then the largest entries are of a covariance


def stated_noise(epsilon: float, delta: float) -> float:
    """Return √(2 ln(1.25/δ))/ε: the source's sd of an entry times n, or √n in the local model."""
    return sqrt(2 * log(1.25 / delta)) / epsilon


@cache
def largest_variance(active: int, degree: int) -> float:
    """Return the variance of a coordinate with which n rows lie in the unit ball, whatever the entries."""
    return 1 / unit_ball_scale(circle(active, degree, 1.0, SIZES[-1] * UNIT / degree), LARGEST_N, CLIPPED)


def circle(active: int, degree: int, variance: float, entry: float) -> Array:
    return variance * np.eye(active) + entry * neighbours(active, degree)


@cache
def noise_of(model: Model, p: int, n: int, epsilon: float, delta: float) -> Charge:
    return charged(p, n, ApproxDP(epsilon, delta), model, "paper")


def padded(block: Array, p: int) -> Array:
    whole = np.zeros((p, p))
    whole[: len(block), : len(block)] = block
    return whole


def run_on(block: Array, p: int, n: int, charge: Charge, added: Array, data: Generator) -> Released:
    law = MultivariateGaussian(Gaussian(np.zeros(len(block)), block))
    empirical = padded(second_moment(law, n, rng=data), p)
    return Released(padded(block, p), empirical, empirical + added, charge, n)


def source_run(
    block: Array, p: int, n: int, epsilon: float, delta: float, data: Generator, noise: Generator,
    model: Model = "central",
) -> Released:  # fmt: skip
    charge = noise_of(model, p, n, epsilon, delta)
    added = perturbed(np.zeros((p, p)), charge, noise_source(noise))
    return run_on(block, p, n, charge, added, data)


def spectral_error(kept: Array, truth: Array) -> float:
    """Return the error of step (4) in spectral norm; coordinates without entries are repaired one by one."""
    away = ~np.eye(len(kept), dtype=bool)
    linked = (away & ((kept != 0) | (truth != 0))).any(axis=0)
    both = np.ix_(linked, linked)
    inside = spectral(psd_part(kept[both]) - truth[both]) if linked.any() else 0.0
    alone = np.abs(np.maximum(np.diag(kept), 0.0) - np.diag(truth))[~linked]
    return max(inside, float(alone.max(initial=0.0)))


# The noise itself: its sensitivity, its spectrum, and what the source's delivers (equations 7, 8, Theorem 1)


ROOT_2 = sqrt(2)
EXACT = 1e-6
GRID = 2e-5  # rows are whole numbers of 2^-18: two entries that are cut by as much lose 2√2 times that
DIMENSIONS = (2, 3, 10, 50)
FAR, STATED = 100.0, "covariance/perturbed"
NOISE_P = (50, 100, 200, 400, 800)
DELTAS = (1e-3, 1e-5, 1e-6)


def promise(run: Run, *, epsilon: float = 1.0, delta: float = DELTA) -> Chart:
    """Return the chart of the source's delivered over its promised ε, and of our noise over the source's."""
    ends = (0.05 * epsilon, 4 * epsilon)
    epsilons = np.geomspace(*ends, 30).tolist()
    deltas = [float(f"{delta / DELTA * one:.6g}") for one in DELTAS]
    ranks = np.linspace(1.0, 0.0, len(deltas)).tolist()
    usual = (epsilon, delta) == (1.0, DELTA)
    ratios, sizes = (
        tuple(
            theory(f"δ = {number(one)}", epsilons, [found(e, one) for e in epsilons], STATED, rank=rank)
            for one, rank in zip(deltas, ranks, strict=True)
        )
        for found in (lambda e, one: delivered(e, one) / e, size)
    )  # fmt: skip
    top = max(max(one.y) for one in ratios)
    return Chart(
        "promise",
        "Noise made for an added row breaks its promise for larger ε",
        (
            Panel("delivered ε over promised ε", "promised ε", "ratio", ratios, yscale="linear",
                  marks=(Mark("as promised", "horizontal", y=1.0),
                         text_at("promise broken", 2.2 * ends[0], (1 + top) / 2))),
            Panel("exact symmetric noise over the source's", "promised ε", "ratio of sds", sizes,
                  yscale="linear", ylim=(0.4, 1.1) if usual else None,
                  marks=[Mark("equal noise", "horizontal", y=1.0)]),
        ),
        alt="Left: the true ε over the promised one rises with ε and passes 1 between 0.15 and 1.3, earlier"
        " for small δ. Right: the sd of our noise over that of the source, at a promise that is kept,"
        " between 0.4 and 0.9.",
        how_to_read="One replaced row moves the matrix √2 times as far as an added one. The classic formula"
        " is so generous that for small ε nobody notices. Exact noise keeps the promise at every ε, and is"
        " the smaller one below the line.",
    )  # fmt: skip


def size(epsilon: float, delta: float) -> float:
    """Return the sd of our noise off the diagonal over the source's, at the same promise."""
    budget = ApproxDP(epsilon, delta)
    ours, theirs = (off_diagonal_sd(charged(2, 100, budget, "central", one)) for one in CALIBRATIONS)
    return ours / theirs


def delivered(epsilon: float, delta: float) -> float:
    """Return the true ε' at δ of the noise that the source states for (ε, δ), replace-one."""
    return approx_from_gdp(delivered_mu(ApproxDP(epsilon, delta)), delta).epsilon


def stated_noise_keeps_its_promise() -> Verdict:
    true = {(e, d): delivered(e, d) for e in (0.1, 0.5, 1.0, 2.0, 4.0) for d in DELTAS}
    table = {f"({e:g}, {d:g})": one for (e, d), one in true.items()}
    return computed("true ε over promised ε", [one / e for (e, _), one in true.items()], (-inf, 1.0), table)


def gap(first: Array, second: Array) -> float:
    """Return n |S - S'| for n = 1 row of either data set."""
    moment, other = (np.asarray(second_moment_within(x, 1.0)) for x in (first, second))
    return float(np.linalg.norm(moment - other))


def sensitivity_is_root_2(seed: int) -> Checks:
    rng = stream(seed, Role.SCREEN, "wx19-sensitivity")
    random = [
        gap(*pair)
        for d in DIMENSIONS
        for scale in (1.0, FAR)
        for pair in scale * rng.standard_normal((2000 // (2 * len(DIMENSIONS)), 2, 1, d))
    ]
    first, second = np.eye(2)[:1], np.eye(2)[1:]
    pairs = (first, second), ((first + second) / ROOT_2, (first - second) / ROOT_2)
    worst = [gap(reach * one, reach * other) for one, other in pairs for reach in (1.0, FAR)]
    declared = 50 * PerturbedCovariance(radius=1.0).plan(50, 2, GaussianDP(1.0))[STEP].sensitivity
    return [
        computed("random pairs", random, (0.0, ROOT_2 * (1 + EXACT))),
        computed("orthogonal pairs", worst, (ROOT_2 * (1 - GRID), ROOT_2 * (1 + EXACT))),
        computed("what is charged", [declared], (ROOT_2 * (1 - EXACT), ROOT_2 * (1 + EXACT))),
    ]


@each_trial
def spectra(p: int, *, data: Generator, noise: Generator) -> Row:
    """Measure |N|₂ over 2 √p times the sd off the diagonal."""
    charge = Charge("", "symmetric_gaussian", ROOT_2, GaussianDP(1.0))
    zeros, source = np.zeros((p, p)), SimulatedNoise(noise)
    return {"norm": spectral(perturbed(zeros, charge, source))}


SPECTRA = over_grid("wx19-noise-spectra", spectra, 12, p=NOISE_P)


def spectrum_checks(frame: DataFrame) -> Checks:
    level = claim_level(parts=2 * len(NOISE_P))
    norms = dict(zip(NOISE_P, paired_columns(frame, "norm", "p").T, strict=True))
    ratios = {p: geometric(found / (2 * sqrt(p)), level) for p, found in norms.items()}
    power = growth({p: geometric(found, level) for p, found in norms.items()})
    yield from each("|N|₂ / (2 sd √p), p = ", ratios, 0.95, 1.05)
    yield between("slope in p", power, 0.45, 0.55, bound=0.5)


CLAIMS = (
    Claim(
        "sparse-covariance/sensitivity-root-two",
        "S1",
        ("WX19/Eq7", "WX19/Thm1"),
        "One replaced row of norm at most 1, clipped from anywhere, moves the second moment by at most √2/n"
        " in Frobenius norm; (e1, e2) and (1, ±1)/√2 attain it, to 2e-5.",
        sensitivity_is_root_2,
    ),
    Claim(
        "sparse-covariance/noise-as-root-p",
        "S3",
        ("WX19/Eq8",),
        "The noise of the plain release has |N|₂ = 2 sd √p within 5 % for p = 50 .. 800, sd off the"
        " diagonal: a slope of .5 in p, within .05.",
        spectrum_checks,
        lambda: [SPECTRA],
    ),
    Claim(
        "sparse-covariance/stated-noise-keeps-promise",
        "S13",
        ("WX19/Thm1", "WX19/Def2"),
        "The noise of equation (7), sd √(2 ln(1.25/δ))/(nε) on every entry of the upper triangle (recalled:"
        " the display is lost in the text), is (ε, δ)-DP for neighbours that differ in one replaced row, for"
        " ε = .1 .. 4 and δ = 1e-3 .. 1e-6.",
        stated_noise_keeps_its_promise,
        expected=Status.REFUTED,
        reason="with this sd, which is recalled, its sensitivity is that of an added row, 1/n for √2/n: at"
        " (1, 1e-5) it delivers ε = 1.098, at (4, 1e-5) 5.243; at ε = .1 it keeps its promise, since the"
        " slack of the classic formula is larger",
    ),
)
