"""What the solutions of notebooks 06 and 08 say, and what the package finds."""

import json
import re
from functools import cache
from math import exp, log, sqrt

import numpy as np
from scipy.optimize import brentq

from tests.lab.conftest import ROOT
from tests.lab.exercises.solutions import Said, exercises
from workbench.chapters import matrix_quantile as chapter
from workbench.chapters.matrix_quantile.quantiles import AWAY, UNIT, in_logs, known, scale_at, world
from workbench.chapters.sparse_covariance.designs import charged, share_of, spectral, spread
from workbench.chapters.sparse_covariance.entries import hidden_worlds as sparse_worlds
from workbench.estimators.stable_quantile import quantile as matrix_quantile
from workbench.privacy import ApproxDP, GaussianDP
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.audit import Pair, audit
from workbench.study.hidden import hidden_worlds

LOCAL = ROOT / "figures" / "08_sparse_covariance" / "figure_3.json"
ROWS = (1, 2, 3, 4, 100)


def entry_noise(p, n):
    """The sd of the noise off the diagonal."""
    return gaussian_scale(charged(p, n, ApproxDP(1.0, 1e-6), "central", "tight")) / sqrt(2)


@cache
def truth():
    return spectral(spread(100, share_of(100, 3), 10_000, np.random.default_rng(1)))


def local_errors(users):
    """The errors of Algorithm 2 in Figure 3 for so many users, by p."""
    charts = json.loads(LOCAL.read_text(encoding="utf-8"))["charts"]
    (panel,) = (one for one in charts["full"]["panels"] if one["title"].startswith("columns p"))
    curves = [one for one in panel["series"] if one["role"] == "estimate"]
    return {int(one["label"]): one["y"][one["x"].index(users)] for one in curves}


def quantile(rows, level):
    """The p at which Σ min(x²/p, 1) is the level."""
    squares = np.square(rows).astype(float)
    return brentq(lambda p: np.minimum(squares / p, 1).sum() - level, 1e-6, 1e6)


def counts(rows, p):
    """How many rows count 1 at p."""
    return sum(x**2 >= p for x in rows)


@cache
def long_axis(share, n=5000, far=0.1):
    """The long axis at a level over its prediction, when rows are far away: median of samples."""
    found = []
    for seed in range(8):
        x = np.random.default_rng(seed).standard_normal((n, 2))
        x[: round(far * n)] = AWAY
        found.append(np.linalg.eigvalsh(known(x, share * n))[1] / scale_at(share, 2))
    return float(np.median(found))


WITHOUT = (1, 2, 3, 4, 0)
EIGHTEEN = np.array([1.0, -1.0] * 9)
GONE, FAR_OFF = (np.append(EIGHTEEN[1:], last) for last in (0.0, 100.0))
MOVED = Pair("one row moves far", [1.0] * 72 + [1e3] * 28, [1.0] * 71 + [1e3] * 29)


@cache
def second_moments(sensitivity):
    """The report on the noisy second moment with a sensitivity, of one row at a time, over n."""

    def mine(x, trials, rng):
        tau = (sensitivity / len(x)) / np.sqrt(2)
        sds = tau * np.array([np.sqrt(2), 1, np.sqrt(2)])
        return (x.T @ x / len(x))[[0, 0, 1], [0, 1, 1]] + sds * rng.standard_normal((trials, 3))

    turned = Pair("one row turns", [[1.0, 0.0]] * 4, [[1.0, 0.0]] * 3 + [[0.0, 1.0]])
    return audit(mine, [turned], GaussianDP(1.0), seed=17, name="step 2")


def hard_rule(T, tau, n):
    """The rule of the solution, put together from its words."""
    words = exercises(ROOT / "notebooks" / "08_sparse_covariance.ipynb")[5].solution
    *steps, returned = re.findall(r"`([^`]+)`", words)
    known = {"T": T, "tau": tau, "n": n, "np": np}
    exec("\n".join(steps), known)
    return eval(returned, known)


def score(x, strength=2.0, level=9):
    """h of the example of eighteen rows."""
    holds = lambda t: (  # noqa: E731
        sum(x[x**2 < quantile(x, level + t)] ** 2) >= (strength + t) * quantile(x, level - t + 1) * (1 - 1e-9)
    )
    return next((t for t in range(8, 0, -1) if holds(t)), 0)


def colleague(x, trials, rng):
    """The function that the notebook attacks."""
    low, middle, high = (matrix_quantile(x[:, None], 0.3 * len(x) + k).item() for k in (1, 0, -1))
    return (middle + rng.laplace(scale=high - low, size=trials)) / UNIT


@cache
def mine():
    """The solution's function, put together from its words."""
    words = exercises(ROOT / "notebooks" / "06_matrix_quantile.ipynb")[5].solution
    *steps, returned = re.findall(r"`([^`]+)`", words)

    def made(x, trials, rng):
        known = {"x": x, "trials": trials, "rng": rng, "np": np, "mq": chapter, "quantile": matrix_quantile}
        exec("\n".join(steps), known)
        return eval(returned, known)

    return made


def worlds_of(mechanism, by=2.0):
    """In how many hidden worlds a private variance is within a factor, and of how many."""
    judged = hidden_worlds(in_logs(mechanism), world, within=log(by), seed=17)
    return judged.good, judged.worlds


def attacked(mechanism):
    """The report of the notebook's audit, and of one on rows of which nobody is far."""
    return audit(mechanism, [MOVED], ApproxDP(1.0, 1e-6), seed=17, name="noise of the size of the gap")


OTHERS = {
    ("08_sparse_covariance", 1): (
        Said(
            r"$2\sqrt p\,\tau_1/n = 20 \cdot 4.2 \cdot 10^{-4} = 0.0084$: as large as the truth itself",
            lambda two, _one, twenty, _product, norm: (
                twenty == two * sqrt(100)
                and norm.rounds(two * sqrt(100) * 4.2e-4)
                and abs(entry_noise(100, 10_000) - 4.2e-4) < 0.05e-4
                and 0.8 < truth() / norm < 1.2
            ),
        ),
    ),
    ("08_sparse_covariance", 2): (),
    ("08_sparse_covariance", 3): (
        Said(
            "the error at $10^6$ users is 1.31 at $p = 50$, and larger for larger $p$",
            lambda users, error, p: (
                error.rounds(local_errors(users)[p])
                and min(local_errors(users), key=local_errors(users).get) == p
            ),
        ),
    ),
    ("08_sparse_covariance", 4): (
        Said(
            r"It proves, with 99.99 % confidence, that $\mu$ is at least 1.3; the true one is"
            r" $\sqrt2 = 1.41$",
            lambda sure, least, two, true: (
                np.isclose(sure, 1 - second_moments(1.0).level)
                and second_moments(1.0).violated
                and least.rounds(second_moments(1.0).mu_lower)
                and true.rounds(sqrt(two))
            ),
        ),
        Said(
            "the sensitivity of a replaced row, the audit accuses nobody",
            lambda *_: not second_moments(sqrt(2)).violated,
        ),
    ),
    ("08_sparse_covariance", 5): (
        Said(
            "The release itself has 2.80 times the error of the default rule",
            lambda times: f": {times:.2f} times" in sparse_worlds(lambda T, _tau, _n: T),
        ),
        Said("it is 1.10 times", lambda times: f": {times:.2f} times" in sparse_worlds(hard_rule)),
    ),
    ("06_matrix_quantile", 1): (
        Said(
            "At about twice the share of the far rows, $v/n = 0.2$, it is within a factor 2.1, at $0.25$"
            " within 1.8",
            lambda level, by, next_, less: (
                by - 0.2 < long_axis(level) <= by and less - 0.2 < long_axis(next_) <= less
            ),
        ),
    ),
    ("06_matrix_quantile", 2): (
        Said(
            "100 counts 1 and the other four must count 1 together: $(1 + 4 + 9 + 16)/p = 1$, so $P_2 = 30$.",
            lambda *found: (
                np.isclose(quantile(ROWS, 2), found[-1])
                and counts(ROWS, found[-1]) == 1
                and found[3:7] == (1, 4, 9, 16)
            ),
        ),
        Said(
            "$P_3 = 14$, where 100 and 4 count 1 and $(1 + 4 + 9)/p = 1$",
            lambda _level, p, *_: np.isclose(quantile(ROWS, 3), p) and counts(ROWS, p) == 2,
        ),
        Said(
            "$P_1 = 10030$, where nothing counts 1 but all together do",
            lambda _level, p, _one: np.isclose(quantile(ROWS, 1), p) and counts(ROWS, p) == 0,
        ),
        Said(
            "Without 100, 4 counts 1 and $14/p = 1$: the new $P_2$ is 14, the lower end itself",
            lambda *found: np.isclose(quantile(WITHOUT, 2), found[-1]) and counts(WITHOUT, found[-1]) == 1,
        ),
    ),
    ("06_matrix_quantile", 3): (
        Said(
            "Now $P_v = 17/v$ and the slope is 17",
            lambda others, slope: np.isclose(quantile(GONE, 5.0), others / 5.0) and slope == sum(GONE**2),
        ),
        Said(
            "$h = 4$, and $P_9 = 17/9 = 1.889$",
            lambda h, level, *found: (
                h == score(GONE) and found[-1].rounds(quantile(GONE, level)) and found[:2] == (17, level)
            ),
        ),
        Said(
            "The quantile with 100 is $2.125$, a share of $0.125$ more",
            lambda row, far, more: (
                row == FAR_OFF[-1]
                and far == quantile(FAR_OFF, 9.0)
                and np.isclose(1 + more, far / quantile(GONE, 9.0))
            ),
        ),
        Said(
            "Lemma 4 allows $1/(G - 1) = 1$; with $G = 8$, the largest strength at which $C_1$ is still true,"
            " it would allow $0.143$",
            lambda _lemma, _one, _minus, most, strength, _first, less: (
                most == 1 / (2 - 1)
                and less.rounds(1 / (strength - 1))
                and score(EIGHTEEN, strength) == 1
                and score(EIGHTEEN, strength + 0.01) == 0
            ),
        ),
    ),
    ("06_matrix_quantile", 4): (),
    ("06_matrix_quantile", 5): (
        Said(
            r"The count is hidden with $0.6$, the mask with $0.4$, and with $h = 1$ the noise must"
            r" exceed $22$, which has probability $e^{-0.6 \cdot 22}/2 = 9.3 \cdot 10^{-7}$: it keeps"
            r" $(1, 10^{-6})$",
            lambda test, mask, h, most, *found: (
                h + most == 23
                and found[-3].rounds(exp(-test * most) / 2)
                and np.isclose(test + mask, found[-2])
                and found[-3] <= found[-1]
            ),
        ),
        Said(
            "The audit does not accuse it, and in the hidden worlds it is within a factor of 2 in 198 of 200"
            " columns",
            lambda by, right, worlds: (
                not attacked(mine()).violated and worlds_of(mine(), by) == (right, worlds)
            ),
        ),
        Said(
            r"is right in all of them, and the audit proves that its $\varepsilon$ is at least 6.59",
            lambda epsilon: (
                epsilon.rounds(attacked(colleague).eps_lower) and worlds_of(colleague) == (200, 200)
            ),
        ),
    ),
}
