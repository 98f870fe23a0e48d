"""The explorer of notebook 05 about rows: what no method can do without, and when a subspace is found."""

from collections.abc import Iterator

import numpy as np

from workbench.bounds import al22
from workbench.chapters.any_gaussian import frames as predicted
from workbench.chapters.any_gaussian import frames as votes
from workbench.chapters.any_gaussian.frames import SUBSPACE, said, share
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.estimators.subspaces import SubspaceExact
from workbench.privacy import ApproxDP
from workbench.study.grids import Role, stream
from workbench.study.run import Run

NAME = "any-gaussian-rows-view"
SHARES, FINE = (0.25, 0.5, 0.7, 0.8, 1.0), tuple(float(one) for one in np.linspace(0.2, 1.1, 37))
ROUNDS, WORK = 8, 6000  # frames, and rows that a frame draws for every share
KEYS = {"sampling": "idea/sampling", "noise": "idea/noise", "preconditioning": "spectral/preconditioner"}
PARTS = {"sampling": "sampling, d²/α²", "noise": "privacy, d/(αε)", "preconditioning": "privacy, ln(1/δ)/ε"}


def rows_view(run: Run, *, epsilon: float, delta: float, alpha: float, d: int) -> Iterator[Chart]:
    """Yield lower bounds against d and the chance that a subspace is found, then how often it is.

    Parameters
    ----------
    run
        Has the seed.
    epsilon, delta
        Budget.
    alpha
        Wanted accuracy of the law.
    d
        Columns.
    """
    budget, hits, trials = ApproxDP(epsilon, delta), dict.fromkeys(SHARES, 0), 0
    panels = _shapes(budget, alpha, d)
    yield _chart(panels, budget, alpha, d, hits, trials)
    data, noise = (stream(run.seed, role, NAME, d, 0) for role in (Role.DATA, Role.NOISE))
    each = max(1, WORK // (votes.groups(1.0, budget) * d))
    for _ in range(ROUNDS):
        for one in SHARES:
            found = votes.subspaces(d, one, epsilon, delta, trials=each, data=data, noise=noise)
            hits[one] += int((found["error"] <= votes.ACROSS).sum())
        trials += each
        yield _chart(panels, budget, alpha, d, hits, trials)


def _shapes(budget: ApproxDP, alpha: float, d: int) -> Panel:
    """Return the source's lower bounds and its theorem, with every constant 1."""
    cost = budget.epsilon, budget.delta
    ds = sorted({round(one) for one in np.geomspace(1, max(50, 2 * d), 25)})
    lower = [al22.lower_shape(one, alpha, *cost) for one in ds]
    series = [
        Series(label, ds, [float(getattr(one, part)) for one in lower], role="theory", colour_key=KEYS[part])
        for part, label in PARTS.items()
    ]
    total = [al22.gaussian_shape(one, alpha, *cost).total for one in ds]
    series.append(Series("Theorem 5.7", ds, total, role="truth"))
    mark = Mark(f"d = {d}", "vertical", x=d, colour_key="idea/point")
    return Panel("Rows, every constant 1", "dimension d", "rows n", tuple(series), marks=(mark,))


def _chart(
    shapes: Panel, budget: ApproxDP, alpha: float, d: int, hits: dict[float, int], trials: int
) -> Chart:
    chances = [predicted.found(one, budget) for one in FINE]
    series = [Series("predicted", FINE, chances, role="theory", colour_key=SUBSPACE)]
    if trials:
        shares = {one: share(count, trials) for one, count in hits.items()}
        series.insert(
            0, measured("found", shares, SUBSPACE, [predicted.found(one, budget) for one in shares])
        )
    panel = Panel(
        f"A subspace of {max(1, d // 2)} in {d} dimensions", "rows over the planned number", "share of runs",
        tuple(series), "linear", "linear", ylim=(-0.05, 1.05), xlim=(0.15, 1.15),
    )  # fmt: skip
    return Chart(
        "rows_view",
        f"Rows at {said(budget)}, α = {alpha:g}, d = {d}",
        (shapes, panel),
        alt="Left, lower bounds and the theorem's shape against the dimension. Right, the chance that a"
        " subspace is found against the share of the planned rows.",
        how_to_read="Thin line: predicted. Markers: runs.",
        caption=_caption(budget, alpha, d, hits, trials),
    )


def _caption(budget: ApproxDP, alpha: float, d: int, hits: dict[float, int], trials: int) -> str:
    lower = al22.lower_shape(d, alpha, budget.epsilon, budget.delta)
    least = {words.partition(",")[0]: float(getattr(lower, part)) for part, words in PARTS.items()}
    words, most = max(least.items(), key=lambda one: one[1])
    rows = SubspaceExact(centred=True).fewest(d, budget)
    text = f"Up to constants, {words} alone takes {most:,.0f} rows; a subspace is found from {rows:,} rows on"
    runs = f": with all of them in {hits[1.0]} of {trials} runs, with half in {hits[0.5]}"
    return text + runs * bool(trials) + "."
