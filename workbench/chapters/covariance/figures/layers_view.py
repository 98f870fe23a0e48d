"""The explorer about heavy tails: bias, noise and sampling error against the clipping radius."""

from collections.abc import Callable, Iterator

import numpy as np

from workbench.chapters.covariance.figures.heavy import LAYER_LIMITS, LAYERS, RADIUS, minimiser, predicted
from workbench.chapters.covariance.runs.heavy_theory import CutStudent
from workbench.charts.bands import ERROR
from workbench.charts.chart import Chart, Panel, Series
from workbench.distributions import Gaussian
from workbench.estimators.parts.rows import second_moment_sensitivity, second_moment_within
from workbench.linalg import norms
from workbench.populations import MultivariateStudent
from workbench.privacy import ZCDP, Charge, noise_source
from workbench.privacy.mechanisms import symmetric_gaussian
from workbench.study.sweeps.streams import Role, stream
from workbench.types import Array

NAME = "covariance-layers-view"
D, RADII = 5, tuple(float(radius) for radius in np.geomspace(2.5, 40.0, 7))
FINE = tuple(float(radius) for radius in np.geomspace(2.0, 50.0, 41))
WORK, ROUNDS = 15_000, 8  # rows in the samples of a frame, frames


def layers_view(seed: int) -> Callable[..., Iterator[Chart]]:
    """Return the view of `explore`: the prediction at once, then more and more samples."""

    def view(degrees: float, n: int, rho: float) -> Iterator[Chart]:
        law = CutStudent(degrees, D)
        yield _chart(law, n, rho, np.empty((0, 3, len(RADII))))
        data, noise = (stream(seed, role, NAME, n, 0) for role in (Role.DATA, Role.NOISE))
        found: list[Array] = []
        for _ in range(ROUNDS):
            found += [sample(law, n, rho, data, noise) for _ in range(max(1, WORK // n))]
            yield _chart(law, n, rho, np.array(found))

    return view


def sample(
    law: CutStudent, n: int, rho: float, data: np.random.Generator, noise: np.random.Generator
) -> Array:
    """Return bias, noise and sampling error of one sample at every radius, shape (3, radii)."""
    rows = MultivariateStudent(Gaussian(np.zeros(D), np.eye(D)), law.degrees).sample(n, rng=data)
    lengths, source, found = norms(rows), noise_source(noise), np.empty((3, len(RADII)))
    for place, radius in enumerate(RADII):
        moment = second_moment_within(rows, radius)
        charge = Charge("covariance", "symmetric_gaussian", second_moment_sensitivity(n, radius), ZCDP(rho))
        noisy = symmetric_gaussian(moment, charge, source)
        expected = (1 - law.bias(radius) / np.sqrt(D)) * np.eye(D)
        found[0, place] = np.maximum(lengths**2 - radius**2, 0).mean() / np.sqrt(D)
        found[1:, place] = np.linalg.norm(noisy - moment), np.linalg.norm(moment - expected)
    return found


def _chart(law: CutStudent, n: int, rho: float, found: Array) -> Chart:
    best = law.best_radius(n, rho)
    lines = predicted(law, n, rho, FINE)
    points = [_points(part, key, found[:, place]) for place, (part, key) in enumerate(LAYERS.items())]
    panel = Panel(
        f"ν = {law.degrees:g}, n = {n}, ρ = {rho:g}, d = {D}", RADIUS, ERROR,
        (*points, *lines, minimiser(best)), xlim=(2.0, 50.0), ylim=LAYER_LIMITS,
    )  # fmt: skip
    return Chart(
        "covariance_layers_view",
        "Where should heavy tails be cut?",
        (panel,),
        alt="Bias, noise and sampling error of a clipped covariance against the clipping radius, for the"
        " chosen rows.",
        how_to_read="Dashed: predicted. Markers: simulated. The vertical line is the best radius.",
        caption=_caption(law, n, rho, best, len(found)),
    )


def _points(part: str, key: str, values: Array) -> Series:
    if not len(values):
        return Series(part, (), (), colour_key=key)
    sizes = values.mean(axis=0) if part == "bias" else np.sqrt((values**2).mean(axis=0))
    some = sizes > 0  # no row was cut: no bias to draw
    return Series(part, np.array(RADII)[some], sizes[some], colour_key=key)


def _caption(law: CutStudent, n: int, rho: float, best: float, samples: int) -> str:
    private, plain = law.least(n, rho), law.sampling(best, n)
    word = "more" if private > plain else "less"
    return (
        f"Best radius {best:.3g}: bias {law.bias(best):.3g}, noise {law.noise(best, n, rho):.3g}, together"
        f" {word} than the sampling error {plain:.3g}; {samples} samples simulated."
    )
