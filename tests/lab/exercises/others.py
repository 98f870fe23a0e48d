"""What the solutions of notebooks 05, 06 and 08 say, and what the package finds."""

import json
from functools import cache
from math import log, sqrt

import numpy as np
from scipy.optimize import brentq

from tests.lab.conftest import ROOT
from tests.lab.exercises.solutions import Said
from workbench.chapters.matrix_quantile.figures.pictures import AWAY, known, scale_at
from workbench.chapters.sparse_covariance.runs.designs import charged, share_of, spectral, spread
from workbench.populations.corruption.mean import MEAN_ATTACKS
from workbench.privacy import ApproxDP
from workbench.privacy.mechanisms import gaussian_scale

ALPHA = 0.05
MAP = ROOT / "figures" / "08_sparse_covariance" / "regime_map.json"
ROWS = (1, 2, 3, 4, 100)


def pull(d):
    """How far a plain mean follows the planted cluster of Figure 1."""
    return moved("shift-ones", d)


@cache
def moved(name, d, n=20_000):
    """How far an attack moves the mean of its rows."""
    (attack,) = (one for one in MEAN_ATTACKS if one.name == name)
    rng = np.random.default_rng(5)
    x = np.zeros((n, d))
    return float(np.linalg.norm(attack.corrupt(x, ALPHA, rng=rng).mean(axis=0)))


def limit(alpha=ALPHA):
    return alpha * sqrt(log(1 / alpha))


def unnoticed(alpha):
    """The farthest place of a cluster whose excess variance is α ln(1/α)."""
    excess = lambda t: alpha * (1 - alpha) * t**2 - alpha * log(1 / alpha)  # noqa: E731
    return brentq(excess, 0.0, 100.0)


def cluster_as_said():
    """Whether place and pull of that cluster are those of the solution, for small and large shares."""
    return all(
        np.isclose(unnoticed(a) ** 2, log(1 / a) / (1 - a))
        and np.isclose(a * unnoticed(a), limit(a) / sqrt(1 - a))
        for a in (0.01, ALPHA, 0.1)
    )


def entry_noise(p, n):
    """The sd of the noise off the diagonal."""
    return gaussian_scale(charged(p, n, ApproxDP(1.0, 1e-6), "central", "tight")) / sqrt(2)


@cache
def truth():
    return spectral(spread(100, share_of(100, 3), 10_000, np.random.default_rng(1)))


def local_errors(users):
    """The errors on the map of the local model for so many users, by p."""
    charts = json.loads(MAP.read_text(encoding="utf-8"))["charts"]
    (panel,) = (one for one in charts["full"]["panels"] if one["title"].startswith("(d)"))
    heat, place = panel["heat"], np.log10(users) - 5
    assert heat["columns"][0] == "10⁵"
    return {int(p): row[int(place)] for p, row in zip(heat["rows"], heat["values"], strict=True)}


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
OTHERS = {
    ("07_robust_and_private", 1): (
        Said(
            r"$0.075\sqrt d > 0.0865$ from $d = 2$ on",
            lambda slope, most, d: (
                slope.rounds(pull(1))
                and np.isclose(slope * sqrt(d), pull(int(d)))
                and most.rounds(limit())
                and pull(1) < limit() < pull(int(d))
            ),
        ),
    ),
    ("07_robust_and_private", 2): (
        Said(
            r"$t^2 = \ln(1/\xi)/(1 - \xi)$, and the shift is $\xi t ="
            r" \xi\sqrt{\ln(1/\xi)/(1-\xi)}$: the limit itself, but for $1/\sqrt{1-\xi}$."
            " The attack `under-threshold` is this cluster",
            lambda *_: (
                cluster_as_said() and 0.9 < moved("under-threshold", 3) / (ALPHA * unnoticed(ALPHA)) <= 1
            ),
        ),
    ),
    ("08_sparse_covariance", 1): (
        Said(
            r"$2\sqrt p\,\sigma_1/n = 20 \cdot 4.2 \cdot 10^{-4} = 0.0084$: as large as the truth itself",
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
            "the error at $10^6$ users is 1.08 at $p = 25$, and larger for larger $p$",
            lambda users, error, p: (
                error.rounds(local_errors(users)[p])
                and min(local_errors(users), key=local_errors(users).get) == p
            ),
        ),
    ),
    ("06_matrix_quantile", 1): (
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
    ("06_matrix_quantile", 2): (
        Said(
            "At about twice the share of the far rows, $v/n = 0.2$, it is within a factor 2.1, at $0.25$"
            " within 1.8",
            lambda level, by, next_, less: (
                by - 0.2 < long_axis(level) <= by and less - 0.2 < long_axis(next_) <= less
            ),
        ),
    ),
}
