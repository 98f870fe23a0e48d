"""The explorer of tracing: scores of members and strangers, and how often a member's is the larger one."""

from collections.abc import Iterator

import numpy as np

from workbench.chapters.what_epsilon_means import members as traces
from workbench.chapters.what_epsilon_means.members import PLAIN, PRIVATE, area, most_area, noise_scale
from workbench.chapters.what_epsilon_means.members import score_panel as scores
from workbench.charts.bands import LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.parameters import brief
from workbench.study.grids import Role, stream
from workbench.study.measures import share
from workbench.study.run import Run
from workbench.types import Array

ENDS = (1.0, 2000.0)
FINE = tuple(int(d) for d in np.unique(np.geomspace(*ENDS, 31).round()))
ROUNDS, WORK = 6, 400_000  # frames, and entries of rows that are drawn for one


def tracing_view(run: Run, *, n: int, d: int, epsilon: float, delta: float) -> Iterator[Chart]:
    """Yield the prediction, then more and more tables, one member and one stranger of each."""
    charge = traces.released(n, d, epsilon, delta)
    data, noise = (
        stream(run.seed, role, "what-epsilon-means-view", n, 0) for role in (Role.DATA, Role.NOISE)
    )
    found = np.empty((2, 2, 0))
    yield _chart(n, d, epsilon, delta, found)
    for _ in range(ROUNDS):
        drawn = traces.scores(n, d, charge, max(20, WORK // (d * 2)), data, noise)
        found = np.concatenate([found, np.array(drawn)], axis=2)
        yield _chart(n, d, epsilon, delta, found)


def _chart(n: int, d: int, epsilon: float, delta: float, found: Array) -> Chart:
    return Chart(
        "tracing_view",
        f"Tracing: n = {n}, d = {d}, ε = {brief(epsilon)}, δ = {brief(delta)}",
        (scores(n, d, found[0]), _areas(n, d, epsilon, delta, found)),
        alt="Left, densities of the scores of strangers and of members against an exact mean. Right, how"
        " often a member's score is above a stranger's against d, for the exact and for the private mean.",
        how_to_read="Lines: predicted. Markers: simulated. Level line: the most for any attacker.",
        caption=_caption(n, d, epsilon, delta, found),
    )


def _areas(n: int, d: int, epsilon: float, delta: float, found: Array) -> Panel:
    most = most_area(epsilon, delta)
    series = [
        Series("most for this budget", ENDS, (most, most), role="reference", colour_key=PRIVATE),
        Series("", FINE, [area(n, one, 0.0) for one in FINE], role="theory", colour_key=PLAIN),
        Series(
            "", FINE, [area(n, one, noise_scale(n, one, epsilon, delta)) for one in FINE], role="theory",
            colour_key=PRIVATE,
        ),
    ]  # fmt: skip
    for label, key, pair in zip(("exact mean", "private mean"), (PLAIN, PRIVATE), found, strict=True):
        hits = {d: share(*_hits(pair), LEVEL)} if pair.size else {}
        series.append(measured(label, hits, key, kind="fraction"))
    return Panel(
        "who was in the table?", "columns d", "member above stranger", tuple(series), yscale="linear",
        xlim=ENDS, ylim=(0.45, 1.02),
    )  # fmt: skip


def _hits(pair: Array) -> tuple[int, int]:
    """Return how often the member's score is the larger one; half of the ties count."""
    above, equal = (pair[0] > pair[1]).sum(), (pair[0] == pair[1]).sum()
    return int(above + equal // 2), pair.shape[1]


def _caption(n: int, d: int, epsilon: float, delta: float, found: Array) -> str:
    scale = noise_scale(n, d, epsilon, delta)
    said = (
        f"A member scores above a stranger with probability {area(n, d, 0.0):.3f} for the exact mean and"
        f" {area(n, d, scale):.3f} for the private one; no attacker exceeds {most_area(epsilon, delta):.3f}"
        " against this budget."
    )
    if not found.size:
        return said
    shares = [hits / trials for hits, trials in map(_hits, found)]
    return f"{said} In {found.shape[2]} tables: {shares[0]:.3f} and {shares[1]:.3f}."
