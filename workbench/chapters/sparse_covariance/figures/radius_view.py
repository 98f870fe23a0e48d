"""The explorer of the second open problem: the error with a radius that is known, or found."""

from collections.abc import Iterator

import numpy as np

from workbench.chapters.sparse_covariance.claims.radius import QUANTILES
from workbench.chapters.sparse_covariance.figures.figures import DEFAULT
from workbench.chapters.sparse_covariance.runs.designs import share_of, spectral, spread
from workbench.chapters.sparse_covariance.runs.theory import plain_error
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import short
from workbench.estimators.covariance.thresholded import ThresholdedCovariance
from workbench.linalg import norms
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream

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
    public = f"n = {n}, p = {p}, s = {degree}, ε = {epsilon:g}, δ = {short(delta)}"
    yield _chart(public, scale, plain, errors)
    root, source = np.linalg.cholesky(covariance), SimulatedNoise(noise)
    for number in range(ROUNDS):
        x = scale * data.standard_normal((n, p)) @ root.T
        fixed = dict(zip(CHOICES[1:], np.quantile(norms(x), QUANTILES), strict=True))
        for name in CHOICES:
            radius = float(fixed[name]) if name in fixed else None
            found = ThresholdedCovariance(radius=radius).estimate(x, budget, source).psd
            errors.setdefault(name, []).append(spectral(found / scale**2 - covariance) / size)
            if not number:
                yield _chart(public, scale, plain, errors)
        yield _chart(public, scale, plain, errors)


def _chart(public: str, scale: float, plain: float, errors: dict[str, list[float]]) -> Chart:
    ends = (0.5, len(CHOICES) + 0.5)
    bars = tuple(
        Series("", (place,), (float(np.mean(found)),), (min(found),), (max(found),), colour_key=DEFAULT)
        for place, found in enumerate((errors[name] for name in CHOICES if name in errors), start=1)
    )
    lines = (
        Series("zero matrix", ends, (1, 1), role="reference", colour_key="non-private"),
        Series("unit ball, without a rule", ends, (plain, plain), role="theory", colour_key=DEFAULT),
    )
    panel = Panel("", "radius", "relative error", (*bars, *lines), xscale="linear", xlim=ends,
                  ylim=(0.02, 20), names=CHOICES)  # fmt: skip
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
