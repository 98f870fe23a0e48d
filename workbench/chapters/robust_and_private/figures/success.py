"""How often PRIME is within reach of its theorem, over n and the corrupted share, with the worst cluster."""

from dataclasses import replace
from math import nan

from workbench.chapters.robust_and_private.runs import clusters
from workbench.charts.chart import Chart
from workbench.charts.phase import Phase
from workbench.charts.words import number
from workbench.privacy import ApproxDP
from workbench.study.profiles import blocks
from workbench.study.run import Run
from workbench.study.scaling import Setting

KEY, FAR = "mean/prime", 1.15
SHARES = (0.01, 0.02, 0.04, 0.08)


def _setting(corruption: float, *, epsilon: float = 4.0, delta: float = 0.01, d: int = 2) -> Setting:
    predicted = clusters.rows_to_see(KEY, d, corruption, ApproxDP(epsilon, delta))
    public = {"d": d, "corruption": corruption, "far": FAR, "epsilon": epsilon, "delta": delta}
    return Setting(
        point={"key": KEY, **public},
        alpha=clusters.FILTERS[KEY].error(corruption),
        start=round(predicted),
        stated=nan,
        predicted=predicted,
    )


PHASE = Phase(
    f"phase {KEY} corruption", _setting, SHARES, "share of false rows ξ", clusters.errors, blocks=blocks(4)
)


def success_under_attack(run: Run, *, epsilon: float = 4.0, delta: float = 0.01, d: int = 2) -> Chart:
    """Return the share of good runs over n and ξ, beside the n at which the cluster is seen."""
    title = f"Share of PRIME's runs within 1.2 ξ √ln(1/ξ), d = {d}, ε = {number(epsilon)}"
    return Chart(
        "success_under_attack",
        "The fewer rows lie, the more rows it takes to see them",
        (replace(PHASE.panel(run, epsilon=epsilon, delta=delta, d=d), title=title),),
        alt="A table as colours: the share of good runs, ξ from bottom to top, n from left to right. It rises"
        " from near 0 to 1 at a line that moves left as ξ grows.",
        how_to_read="The share of PRIME's runs that err by at most 1.2 ξ √ln(1/ξ), with one cluster hidden as"
        " near as it still does harm. White line: there the cluster shows through the noise."
        f" d = {d}, ε = {number(epsilon)}, δ = {number(delta)}.",
    )
