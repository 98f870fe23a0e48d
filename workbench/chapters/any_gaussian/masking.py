"""A mask has the shape of the covariance that it hides (AL22 Lemmas 5.1 and 5.2, Proposition 6.2)."""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.random import Generator

from workbench.bounds.al22 import frobenius_mask
from workbench.chapters.any_gaussian.votes import BETA, BUDGET, DELTA, EPSILON
from workbench.charts.chart import Chart, Mark, Panel
from workbench.charts.curves import ellipse, plane
from workbench.charts.style import number
from workbench.estimators.populous import PopulousFrame
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.stable import masked
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.grids import Role, Sweep, multiples, stream
from workbench.study.measures import seldom
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import Verdict
from workbench.study.run import Run
from workbench.types import Array, Columns

MASK, ONE_SIZE, PLAIN = "covariance/populous", "idea/noise", "non-private"
MASK_ROWS, MASK_CONDITION, DRAWN = (9000, 18_000), 25.0, 6
MASK_DESIGN = 0.1, "thompson_laplace"


def masks(
    run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, condition: float = MASK_CONDITION
) -> Chart:
    """Return masked releases of a round and of a long covariance (then noise of one size on the long one)."""
    budget = ApproxDP(epsilon, delta)
    least, usual = (PopulousFrame(0, 2, one, *MASK_DESIGN).fewest for one in (budget, BUDGET))
    few, many = multiples(MASK_ROWS, least / usual)
    root = rotated(np.array([1.0, condition]) * 4 / condition, _stream(run.seed, Role.DATA))
    circle = rotated(np.array([4.0, 4.0]), _stream(run.seed, Role.DATA))

    def released(of: Array, n: int) -> list[Array]:
        return masked_releases(of, n, budget, DRAWN, _stream(run.seed, Role.NOISE))

    shape, round_ = "Round" if condition == 1 else "Long", released(circle, few)
    one_size = [root @ root.T + one - circle @ circle.T for one in round_]  # as added where Σ is round
    panels = (
        _ellipses(f"Round, n = {number(few)}", circle, round_, MASK),
        _ellipses(f"{shape}, n = {number(few)}", root, released(root, few), MASK),
        _ellipses(f"{shape}, n = {number(many)}", root, released(root, many), MASK),
        _ellipses(f"Noise of one size, n = {number(few)}", root, one_size, ONE_SIZE),
    )
    named = Mark("black: Σ", x=0.0, y=-2.7, colour_key=PLAIN)
    return Chart(
        "masks",
        "A mask has the shape of what it hides; additive noise has not",
        (replace(panels[0], marks=(named,)), *panels[1:]),
        alt="Four panels: a circle and a long ellipse with masked releases around them, the ellipse at twice"
        " the rows, and the ellipse with noise of one size, which is far too much across. The masked releases"
        " of the ellipse are as far from it, in its own units, as those of the circle.",
        how_to_read="Black: Σ. Coloured: six releases of it. A mask multiplies a root of Σ by a random matrix"
        " from both sides, so a long axis gets much noise and a short one little, and nobody has to know"
        " either. More rows narrow it.",
    )


def _stream(seed: int, role: Role) -> Generator:
    return stream(seed, role, "any-gaussian-masks", 0, 0)


def _ellipses(title: str, root: Array, released: list[Array], key: str) -> Panel:
    lines = [ellipse("", one, role="release", colour_key=key) for one in released]
    return plane(title, (*lines, ellipse("", root @ root.T, role="truth", colour_key=PLAIN)), reach=2.9)


def rotated(values: Array, rng: Generator) -> Array:
    """Return a root, shape (d, d), of a covariance with these eigenvalues in a random frame."""
    d = len(values)
    return np.asarray(np.linalg.qr(rng.standard_normal((d, d)))[0] * np.sqrt(values))


def masked_releases(root: Array, n: int, budget: ApproxDP, count: int, rng: Generator) -> list[Array]:
    """Return masked versions of one covariance, at the width of a design for n rows of mean 0."""
    charge = PopulousFrame(n, len(root), budget, *MASK_DESIGN).design.charges[1]
    source = SimulatedNoise(rng)
    return [masked(root, charge, source) for _ in range(count)]


# What is run


ALPHA = 0.2  # a Frobenius error


def frobenius(d: int, eta: float, *, trials: int, data: Generator, noise: Generator) -> Columns:
    """Measure the Frobenius distance of the source's mask from I."""
    source = SimulatedNoise(noise)
    drawn = np.array([source.square(np.eye(d), 1.0, eta) for _ in range(trials)])
    return {"frobenius": np.linalg.norm(drawn - np.eye(d), axis=(1, 2))}


FROBENIUS, TWICE = (
    Sweep(
        name,
        tuple({"d": d, "eta": factor * frobenius_mask(ALPHA, d, BETA)} for d in dimensions),
        frobenius,
        200,
        blocks(10),
    )
    for name, factor, dimensions in (
        ("al22-frobenius-masks", 1, (1, 2, 5, 10)),
        ("al22-twice-frobenius-masks", 2, (5, 10)),
    )
)


# What is claimed


def frobenius_masks_are_concentrated(frame: pd.DataFrame, twice: pd.DataFrame) -> list[Verdict]:
    checks = [seldom(f"d = {d}", rows["frobenius"] > ALPHA, BETA) for d, rows in frame.groupby("d")]
    for d, rows in twice.groupby("d"):
        moved = int((rows["frobenius"] > ALPHA).sum())
        share = measures.share(moved, len(rows), 2 * claim_level())
        checks.append(measures.between(f"twice as wide, d = {d}", share, BETA, 1.0))
    return checks


CLAIMS = (
    Claim(
        "any-gaussian/frobenius-masks-concentrate",
        "AL22.6",
        ("AL22/Prop6.2",),
        "the source's mask at the η of order α/d moves I by more than α = .2 in Frobenius norm with"
        " probability at most .1 (d = 1 .. 10), at twice that η with a larger one (d = 5, 10)",
        sweeps=lambda: (FROBENIUS, TWICE),
        checks=frobenius_masks_are_concentrated,
    ),
)
