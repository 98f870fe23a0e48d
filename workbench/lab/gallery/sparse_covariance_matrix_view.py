"""The explorer of matrices: the truth, its noisy release, and what a rule keeps of it."""

from collections.abc import Callable, Iterator
from math import log, sqrt

import numpy as np

from workbench.bounds.wx19 import threshold
from workbench.estimators.base import Array
from workbench.estimators.parts.thresholding import HARD, LASSO, Rule
from workbench.lab.charts import Chart, Panel, Series
from workbench.lab.controls import Choice, Slider
from workbench.lab.gallery.sparse_covariance_figures import DEFAULT, LOOKS, PAPER
from workbench.lab.gallery.sparse_covariance_regimes import SHOWN_DEGREE, SHOWN_P, matrix_panel
from workbench.study.claims.wx19_designs import Run, released, share_of, spectral, spread
from workbench.study.claims.wx19_measures import f1
from workbench.study.streams import Role, stream

WORDS: dict[str, Rule] = {
    "default rule": "adaptive-lasso",
    "equation (9)": "paper",
    "hard": "hard",
    "false discoveries": "bh",
    "thinning": "thinning",
}
CONTROLS = {
    "n": Slider(2000, 500_000, 15_000, label="n", unit="rows", integer=True),
    "epsilon": Slider(0.1, 5, 1, label="ε"),
    "rule": Choice(tuple(WORDS), "default rule", label="rule"),
}
SIGNAL_N = 500_000  # rows whose unit ball fixes the truth's scale
ALT = "The truth, its noisy release and what a rule keeps of it as colours, and the eigenvalues of all three."


def level(one: Run, rule: Rule) -> float:
    """Return about where a rule cuts, from public numbers and the mean variance."""
    variance, p = float(np.diag(one.truth).mean()), len(one.truth)
    if rule == "paper":
        return threshold(p, one.n, one.noise.off_diagonal, float(np.diag(one.truth).max()))
    kappa = HARD if rule == "hard" else LASSO
    return kappa * sqrt(log(p)) * float(np.hypot(one.noise.off_diagonal, variance / sqrt(one.n)))


def matrices_view(seed: int) -> Callable[..., Iterator[Chart]]:
    """Return the view of `explore` for a seed: the truth and what is predicted to be kept, then a run."""

    def view(n: int, epsilon: float, rule: str) -> Iterator[Chart]:
        data, noise = (stream(seed, role, "wx19-matrices-view", n, 0) for role in (Role.DATA, Role.NOISE))
        signal = stream(seed, Role.DATA, "wx19-matrices-view", 0, 0)
        truth = spread(SHOWN_P, share_of(SHOWN_P, SHOWN_DEGREE), SIGNAL_N, signal)
        one, chosen = released(truth, n, epsilon, data, noise), WORDS[rule]
        small = (np.abs(truth) <= level(one, chosen)) & ~np.eye(SHOWN_P, dtype=bool)
        kept = np.where(small, 0.0, truth)
        yield _chart(n, epsilon, rule, truth, truth, kept, f"Predicted: {rule} keeps {_pairs(kept)} pairs.")
        kept = one.kept(chosen, noise)
        yield _chart(n, epsilon, rule, truth, one.released, kept, _sentence(one, kept, rule), simulated=True)

    return view


def _pairs(matrix: Array) -> int:
    return int((matrix != 0).sum() - len(matrix)) // 2


def _sentence(one: Run, kept: Array, rule: str) -> str:
    size = spectral(one.truth)
    errors = [spectral(matrix - one.truth) / size for matrix in (one.released, kept)]
    return (
        f"Of {_pairs(one.truth)} correlated pairs among {SHOWN_P * (SHOWN_P - 1) // 2}, {rule} keeps"
        f" {_pairs(kept)}: F1 = {f1(kept, one.truth):.2f}. Relative error {errors[1]:.2f}, without a rule"
        f" {errors[0]:.2f}."
    )


def _chart(
    n: int,
    epsilon: float,
    rule: str,
    truth: Array,
    noisy: Array,
    kept: Array,
    caption: str,
    *,
    simulated: bool = False,
) -> Chart:
    return Chart(
        "sparse_covariance_matrix_view",
        f"n = {n}, ε = {epsilon:g}",
        (
            matrix_panel("truth", truth, truth),
            matrix_panel("plain release", noisy, truth),
            matrix_panel(rule, kept, truth),
            _eigenvalues(truth, noisy, kept, rule, simulated),
        ),
        alt=ALT,
        caption=caption,
    )


def _eigenvalues(truth: Array, noisy: Array, kept: Array, rule: str, simulated: bool) -> Panel:
    unit, places = float(np.diag(truth).mean()), np.arange(1, len(truth) + 1)
    values = [np.linalg.eigvalsh(matrix)[::-1] / unit for matrix in (truth, noisy, kept)]
    look = PAPER if rule == "equation (9)" else DEFAULT
    series = [
        Series("truth", places, values[0], role="reference", colour_key="non-private"),
        Series("plain release", places, values[1], role="reference", colour_key=LOOKS["plain"]),
        Series(
            "after the rule", places, values[2], role="estimate" if simulated else "theory", colour_key=look
        ),
    ]
    return Panel(
        "eigenvalues, in mean variances",
        "place",
        "",
        tuple(series),
        xscale="linear",
        yscale="linear",
        ylim=(-1.5, 4),
    )
