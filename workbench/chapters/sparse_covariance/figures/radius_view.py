"""The explorer of the second open problem: the error with a radius that is known, or found."""

from collections.abc import Iterator

import numpy as np

from workbench.chapters.sparse_covariance.designs import plain_error, share_of, spectral, spread
from workbench.chapters.sparse_covariance.figures_1_to_4 import DEFAULT
from workbench.chapters.sparse_covariance.open_problems import QUANTILES
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.words import number
from workbench.estimators.sparse import ThresholdedCovariance
from workbench.linalg import norms
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study.grids import Role, stream
from workbench.study.run import Run

ROUNDS = 5
FOUND = "private"
CHOICES = (FOUND, *(f"q = {q:g}" for q in QUANTILES))


def radius_view(
    run: Run, *, epsilon: float, delta: float, n: int, p: int, degree: int, scale: float
) -> Iterator[Chart]:
    """Yield the predicted error without a rule, then that of every radius, then more rounds."""
    data, noise = (stream(run.seed, role, "wx19-radius-view", p, 0) for role in (Role.DATA, Role.NOISE))
    covariance, budget = spread(p, min(1.0, share_of(p, degree)), n, data), ApproxDP(epsilon, delta)
    size, errors = spectral(covariance), dict[str, list[float]]()
    plain = plain_error((size, float(np.trace(covariance))), p, n, budget)
    public = f"n = {number(n)}, p = {p}, s = {degree}, ε = {number(epsilon)}, δ = {number(delta)}"
    yield _chart(public, scale, plain, errors)
    root, source = np.linalg.cholesky(covariance), SimulatedNoise(noise)
    for turn in range(ROUNDS):
        x = scale * data.standard_normal((n, p)) @ root.T
        fixed = dict(zip(CHOICES[1:], np.quantile(norms(x), QUANTILES), strict=True))
        for name in CHOICES:
            radius = float(fixed[name]) if name in fixed else None
            found = ThresholdedCovariance(radius=radius).estimate(x, budget, source).psd
            errors.setdefault(name, []).append(spectral(found / scale**2 - covariance) / size)
            if not turn:
                yield _chart(public, scale, plain, errors)
        yield _chart(public, scale, plain, errors)


def _chart(public: str, scale: float, plain: float, errors: dict[str, list[float]]) -> Chart:
    ends = (0.5, len(CHOICES) + 0.5)
    made = [errors[name] for name in CHOICES if name in errors]
    dots = tuple(
        Series("", [place] * len(found), found, role="rows", colour_key=DEFAULT)
        for place, found in enumerate(made, start=1)
    )
    means = Series("", range(1, len(made) + 1), map(np.mean, made), colour_key=DEFAULT, joined=False)
    line = Series("", ends, (plain, plain), role="theory", colour_key="covariance/perturbed")
    marks = (
        Mark("zeros", "vertical", x=1.0, y=6.6),
        Mark("unit ball, no rule", x=plain, y=0.72, colour_key="covariance/perturbed"),
    )
    panel = Panel("", "radius", "relative error", (*dots, means, line), xscale="linear", xlim=ends,
                  ylim=(0.02, 20), names=CHOICES, marks=marks)  # fmt: skip
    rounds = len(errors.get(CHOICES[-1], ()))
    said = "No run yet."
    if rounds:
        best = min(CHOICES[1:], key=lambda name: float(np.mean(errors[name])))
        over = float(np.mean(errors[FOUND]) / np.mean(errors[best]))
        said = f"After {rounds} round{'s' * (rounds > 1)}: {over:.2f} times the error of the best, {best}."
    return Chart(
        "radius_view",
        f"Is the radius known, or found? {public}",
        (panel,),
        alt="The error with a private radius, and with radii at six quantiles of the true norms.",
        how_to_read="Above, the radius that is found with a twentieth of the budget; below it six that"
        " somebody knew. Too small a radius clips, too large a one adds noise.",
        caption=f"Rows of scale {scale:g}, which the estimator is not told. {said}",
    )
