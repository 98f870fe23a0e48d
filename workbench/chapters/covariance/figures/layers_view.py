"""The explorer about heavy tails: bias, noise and sampling error against the clipping radius."""

from collections.abc import Iterator

import numpy as np

from workbench.chapters.covariance.heavy_tails import (
    LAYER_LIMITS,
    LAYERS,
    RADIUS,
    CutStudent,
    minimiser,
    predicted,
)
from workbench.charts.bands import ERROR
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.parameters import Parameter
from workbench.charts.words import number
from workbench.distributions import Gaussian
from workbench.estimators.shared.rows import second_moment_sensitivity, second_moment_within
from workbench.linalg import norms
from workbench.populations import MultivariateStudent
from workbench.privacy import ZCDP, Charge, noise_source
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.study.grids import Role, stream
from workbench.study.run import Run
from workbench.types import Array

NAME = "covariance-layers-view"
RADII = tuple(float(radius) for radius in np.geomspace(2.5, 40.0, 7))
FINE = tuple(float(radius) for radius in np.geomspace(2.0, 50.0, 41))
CUT = Parameter("γ", 5.0, 2, 50, "where rows are clipped", "σ", track=(2.5, 40))
WORK, ROUNDS = 15_000, 8  # rows in the samples of a frame, frames


def layers_view(
    run: Run, *, rho: float, alpha: float, n: int, d: int, degrees: float, cut: float
) -> Iterator[Chart]:
    """Yield the view of the three errors: the prediction at once, then more and more samples.

    `cut` is the radius γ at which the reader would cut (`CUT`).
    """
    law = CutStudent(degrees, d)
    yield _chart(law, n, rho, alpha, cut, np.empty((0, 3, len(RADII))))
    data, noise = (stream(run.seed, role, NAME, n, 0) for role in (Role.DATA, Role.NOISE))
    found: list[Array] = []
    for _ in range(ROUNDS):
        found += [sample(law, n, rho, data, noise) for _ in range(max(1, WORK // n))]
        yield _chart(law, n, rho, alpha, cut, np.array(found))


def sample(
    law: CutStudent, n: int, rho: float, data: np.random.Generator, noise: np.random.Generator
) -> Array:
    """Return bias, noise and sampling error of one sample at every radius, shape (3, radii)."""
    d = law.d
    rows = MultivariateStudent(Gaussian(np.zeros(d), np.eye(d)), law.degrees).sample(n, rng=data)
    lengths, source, found = norms(rows), noise_source(noise), np.empty((3, len(RADII)))
    for place, radius in enumerate(RADII):
        moment = np.asarray(second_moment_within(rows, radius))
        charge = Charge("covariance", "symmetric_gaussian", second_moment_sensitivity(n, radius), ZCDP(rho))
        noisy = symmetric_gaussian(moment, charge, source)
        expected = (1 - law.bias(radius) / np.sqrt(d)) * np.eye(d)
        found[0, place] = np.maximum(lengths**2 - radius**2, 0).mean() / np.sqrt(d)
        found[1:, place] = np.linalg.norm(noisy - moment), np.linalg.norm(moment - expected)
    return found


def _chart(law: CutStudent, n: int, rho: float, alpha: float, cut: float, found: Array) -> Chart:
    best = law.best_radius(n, rho)
    points = [_points(part, key, found[:, place]) for place, (part, key) in enumerate(LAYERS.items())]
    marks = (
        minimiser(best),
        Mark("your radius", "vertical", x=cut, y=LAYER_LIMITS[1] * 0.6, colour_key="idea/point"),
        Mark("target accuracy α", "horizontal", y=alpha),
    )
    panel = Panel(
        f"ν = {law.degrees:g}, n = {number(n)}, ρ = {number(rho)}, d = {law.d}", RADIUS, ERROR,
        (*points, *predicted(law, n, rho, FINE)),
        xlim=(2.0, 50.0), ylim=LAYER_LIMITS, marks=marks,
    )  # fmt: skip
    return Chart(
        "covariance_layers_view",
        "Where should heavy tails be clipped?",
        (panel,),
        alt="Bias, noise and sampling error of a clipped covariance against the clipping radius, for the"
        " chosen rows.",
        how_to_read="Thin lines: predicted. Markers: simulated. The vertical lines are the best radius and"
        " yours.",
        caption=_caption(law, n, rho, alpha, best, cut, len(found)),
    )


def _points(part: str, key: str, values: Array) -> Series:
    if not len(values):
        return Series(part, (), (), colour_key=key)
    sizes = values.mean(axis=0) if part == "bias" else np.sqrt((values**2).mean(axis=0))
    some = sizes > 0  # no row was cut: no bias to draw
    return Series(part, np.array(RADII)[some], sizes[some], colour_key=key)


def _caption(law: CutStudent, n: int, rho: float, alpha: float, best: float, cut: float, samples: int) -> str:
    private, plain = law.least(n, rho), law.sampling(best, n)
    word = "more" if private > plain else "less"
    kept = "within" if law.private(cut, n, rho) + law.sampling(cut, n) <= alpha else "beyond"
    return (
        f"Best radius {best:.3g}: bias {law.bias(best):.3g}, noise {law.noise(best, n, rho):.3g}, together"
        f" {word} than the sampling error {plain:.3g}. At γ = {cut:g}: bias {law.bias(cut):.3g}, noise"
        f" {law.noise(cut, n, rho):.3g}; with sampling {kept} α = {alpha:g}. {samples} samples simulated."
    )
