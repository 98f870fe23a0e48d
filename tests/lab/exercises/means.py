"""What the solutions of notebooks 00 to 02 say, and what the package finds."""

from functools import cache
from math import log, pi, sqrt

import numpy as np
from scipy.optimize import brentq

from tests.lab.conftest import ROOT
from tests.lab.exercises.solutions import Said, functions
from workbench.chapters.many_dimensions import box_and_ball as many_dimensions
from workbench.chapters.many_dimensions import box_and_ball as means
from workbench.chapters.one_mean import costs as one_mean
from workbench.chapters.one_mean.costs import noise_part
from workbench.chapters.start_here import applicable
from workbench.chapters.start_here import applicable as columns
from workbench.estimators.clipped import ClippedMean
from workbench.estimators.two_step import WINDOW, TwoStepMean, WindowMedian
from workbench.privacy import ApproxDP, Charge, GaussianDP, PureDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.audit import audit
from workbench.study.grids import Role, stream

SEED = 17
BEST = (
    "univariate/two-step-mean", "univariate/unbounded-mean", "univariate/median", "mean/coordinatewise",
    "mean/tukey",
)  # fmt: skip


@cache
def released(key, n, epsilon, runs=200):
    """Errors of releases on the rows of the explorer."""
    whole = columns.column()
    x = whole if n == len(whole) else stream(SEED, Role.DATA, "view", n, 0).choice(whole, n, replace=False)
    noise = stream(SEED, Role.NOISE, f"solutions {key}", n, 0)
    return applicable.released(applicable.candidate(key, n, epsilon), x, runs, noise) - x.mean()


@cache
def within_one(n, best):
    """The share of releases within one unit, of each of the best estimators or of each of the others."""
    keys = [key for key in map(str, applicable.keys()) if (key in BEST) == best]
    return [float(np.mean(np.abs(released(key, n, 0.5)) <= 1)) for key in keys]


def standard_errors(epsilon):
    """The median error of the two-step mean, in standard errors."""
    x = columns.column()
    return float(np.median(released(BEST[0], len(x), epsilon, 400))) / (x.std() / sqrt(len(x)))


def bound(radius, n, beta=0.05):
    return radius + sqrt(2 * log(2 * n / beta))


def clipped_scale(radius, n, epsilon):
    """The scale of the Laplace noise, in units of σ."""
    charge = ClippedMean(radius=radius, sigma=1.0, calibration="paper").plan(n, 1, PureDP(epsilon))
    return charge.sensitivity / epsilon


@cache
def two_step_error():
    """The median error at an unknown place of the range."""
    rng, found = np.random.default_rng(SEED), []
    one = TwoStepMean(radius=500 / 9, sigma=1.0)
    for _ in range(400):
        mean = rng.uniform(-500 / 9, 500 / 9)
        x = mean + rng.standard_normal(500)
        found.append(abs(one(x, budget=PureDP(0.1), rng=rng).value - mean))
    return float(np.median(found))


def acts_as(epsilon, delta):
    """The length of the range that a window median without one behaves like."""
    free = WindowMedian(left=WINDOW, right=WINDOW)
    return float(np.exp(free.log_measure(ApproxDP(epsilon, delta))))


def moved_counts():
    """How far a replaced and an added row move a histogram, in sum."""
    rows = np.array([0.5, 1.5, 2.5])
    count = lambda x: np.histogram(x, bins=4, range=(0, 4))[0]  # noqa: E731
    replaced = np.abs(count([3.5, *rows[1:]]) - count(rows))
    added = np.abs(count([*rows, 3.5]) - count(rows))
    return replaced.max(), replaced.sum(), added.sum()


def window(n):
    """The half-width of the lecture's second step."""
    return 2.5 + sqrt(2 * log(4 * n / 0.05))


@cache
def crosses(epsilon):
    """The n at which privacy moves the mean as far as sampling does."""
    return brentq(lambda n: noise_part(n, epsilon) - sqrt(2 / (pi * n)), 10, 1e6)


@cache
def accused(stem, given, claim):
    """The report on the function of an exercise, as the cell prints it."""
    mine, _ = functions(ROOT / "notebooks" / f"{stem}.ipynb")
    report = audit(mine, given.PAIRS, claim, seed=SEED, name="mine")
    assert report.violated
    return report


def parts(key, n):
    """The predicted error in 32 dimensions within ±100."""
    return means.predicted(key, means.estimators(32, 100.0)[key], n, 32, ApproxDP(1.0, 1e-6))


def rows_of_the_box():
    """How many rows the box needs for the error of CoinPress at 2000."""
    wanted, n = parts(means.BALL, 2000).total, 2000
    while parts(means.BOX, n).total > wanted:
        n += 100
    return n


def noise_at(share):
    return gaussian_scale(Charge("mean", "gaussian", 1.0, GaussianDP(sqrt(share))))


def sides():
    """Whether one root is symmetric, a product of two is not, and one of commuting ones is."""
    first, second = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[1.0, 0.5], [0.5, 4.0]])
    diagonal = whitening(np.diag([1.0, 4.0])) @ whitening(np.diag([9.0, 2.0]))
    maps = (whitening(first), whitening(second) @ whitening(first), diagonal)
    return [np.allclose(one, one.T) for one in maps] == [True, False, True]


def whitening(u):
    """The root of the inverse."""
    values, basis = np.linalg.eigh(u)
    return basis / np.sqrt(values) @ basis.T


MEANS = {
    ("00_start_here", 1): (
        Said("At ε = 1"),
        Said("At ε = 0.25"),
        Said("about 3 standard errors below the mean", lambda k: k.rounds(-standard_errors(0.25))),
    ),
    ("00_start_here", 2): (
        Said(
            "About 75 % of their releases are within one unit",
            lambda share: all(abs(one - share) < 0.07 for one in within_one(100, True)),
        ),
        Said("of the others 35 % or fewer", lambda most: most - 0.1 < max(within_one(100, False)) <= most),
        Said(
            "with all 442 rows these five are, 98 % of the time or more",
            lambda n, least: (
                n == len(columns.column()) and len(BEST) == 5 and min(within_one(int(n), True)) >= least
            ),
        ),
    ),
    ("00_start_here", 3): (
        Said(
            "averages over 441 and 442 rows",
            lambda fewer, n: n == len(columns.column()) and fewer == n - 1,
        ),
        Said(
            "more than the $2w/n$ for which",
            lambda two: np.isclose(two * bound(7.0, 442) / 442, clipped_scale(7.0, 442, 1.0)),
        ),
    ),
    ("02_one_mean", 1): (
        Said("The range is 500 cm to either side", lambda half: half == (1000 - 0) / 2),
        Said(r"$R \approx 55.6$", lambda radius: radius.rounds(500 / 9)),
        Said(r"$B \approx 60$", lambda b: b.rounds(bound(500 / 9, 500))),
        Said(
            r"scale $2B/(n\varepsilon) \approx 2.4$",
            lambda two, scale: (
                scale.rounds(clipped_scale(500 / 9, 500, 0.1))
                and np.isclose(two * bound(500 / 9, 500) / 50, clipped_scale(500 / 9, 500, 0.1))
            ),
        ),
        Said(r"$n\varepsilon = 50$", lambda product: product == 500 * 0.1),
        Said(
            "error of the two-step mean is about 0.09",
            lambda error: abs(error - two_step_error()) < error.unit,
        ),
    ),
    ("02_one_mean", 2): (
        Said(
            r"one of length $8 e^{\varepsilon/2}/\delta$, which is $2R$",
            lambda eight, two, half: (
                np.isclose(eight * np.exp(0.7 / two) / 1e-6, acts_as(0.7, 1e-6), rtol=0.02) and half == 2
            ),
        ),
        Said(
            r"$R \approx 4/\delta = 4 \cdot 10^6$",
            lambda four, radius: radius == four / 1e-6 and np.isclose(2 * radius, acts_as(1e-6, 1e-6), 0.02),
        ),
    ),
    ("02_one_mean", 3): (
        Said(
            r"Replacing a row takes 1 from one count *and* adds 1 to another: the $\ell_1$-sensitivity is 2."
            " With add/remove neighbours it would be 1.",
            lambda taken, given, norm, both, alone: (
                (taken, both, alone) == moved_counts() and given == norm == 1
            ),
        ),
    ),
    ("02_one_mean", 4): (
        Said(
            r"$4w/(n\varepsilon) = \sqrt{2/(\pi n)}$ says $\sqrt n = 5.0\,w/\varepsilon$",
            lambda four, two, factor: (
                np.isclose(four * window(500), 500 * noise_part(500, 1.0))
                and factor.rounds(four / sqrt(two / pi))
            ),
        ),
        Said(
            r"At $\varepsilon = 1$ the window is $w = 7.3$ and $n \approx 1340$",
            lambda epsilon, w, n: w.rounds(window(crosses(epsilon))) and abs(n - crosses(epsilon)) <= 5,
        ),
        Said(
            r"at $\varepsilon = 0.5$ it is $7.6$ and $n \approx 5820$. Halving $\varepsilon$ costs four"
            " times the rows",
            lambda epsilon, w, n: (
                w.rounds(window(crosses(epsilon)))
                and abs(n - crosses(epsilon)) <= 5
                and 4 < crosses(epsilon) / crosses(2 * epsilon) < 4.5
            ),
        ),
    ),
    ("02_one_mean", 5): (
        Said(
            r"The audit proves that $\varepsilon$ is at least 5.89, and it is infinite",
            lambda proved: proved.rounds(accused("02_one_mean", one_mean, PureDP(1.0)).eps_lower),
        ),
        Said("for half of"),
    ),
    ("03_many_dimensions", 1): (
        Said(
            "The error of the box is about 14.3 σ", lambda error: error.rounds(parts(means.BOX, 2000).total)
        ),
        Said("CoinPress by 0.23, the", lambda error: error.rounds(parts(means.BALL, 2000).total)),
        Said("sample mean by 0.13", lambda error: error.rounds(parts(means.BALL, 2000).sampling)),
        Said(
            "a factor of 63",
            lambda by: by.rounds(parts(means.BOX, 2000).total / parts(means.BALL, 2000).total),
        ),
        Said(
            "The box's noise falls as $1/n$",
            lambda one: np.isclose(
                parts(means.BOX, 4000).privacy, one * parts(means.BOX, 2000).privacy / 2, 0.01
            ),
        ),
        Said(
            "it takes 63 times the rows, 127 000, to come down to 0.23",
            lambda by, n, error: (
                abs(n - rows_of_the_box()) <= 500
                and by.rounds(rows_of_the_box() / 2000)
                and error.rounds(parts(means.BOX, int(n)).total)
            ),
        ),
        Said("CoinPress is at 0.016", lambda error: error.rounds(parts(means.BALL, 127_000).total)),
    ),
    ("03_many_dimensions", 2): (
        Said(
            "the noise of a step with 1 % of the budget is ten times that at 100 %",
            lambda share, whole: np.isclose(noise_at(share), 10 * noise_at(whole)),
        ),
        Said("beside a ball of radius 1000", lambda radius: radius == 10 * 100.0),
    ),
    ("03_many_dimensions", 3): (
        Said(
            r"$A = I/\sqrt u$ at first, and $U_1^{-1/2}/\sqrt u$ after one step: symmetric, so that rows of"
            r" the first two steps are mapped correctly. After two steps"
            r" $A = U_2^{-1/2} U_1^{-1/2}/\sqrt u$. If $\Sigma$ is diagonal, $U_1$ and $U_2$",
            lambda *_: sides(),
        ),
    ),
    ("03_many_dimensions", 4): (
        Said(
            r"the audit proves that $\mu$ is at least 2.69, and it is 2.83",
            lambda proved, true: (
                proved.rounds(accused("03_many_dimensions", many_dimensions, GaussianDP(1.0)).mu_lower)
                and true.rounds(sqrt(many_dimensions.EXERCISE_D))
            ),
        ),
        Said("too much for 0.4"),
    ),
}
