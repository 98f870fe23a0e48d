"""How often the mean of voting groups is within α, over n and d."""

from dataclasses import replace

from workbench.charts.chart import Chart
from workbench.charts.phase import of_entry
from workbench.charts.words import number
from workbench.study.profiles import blocks
from workbench.study.run import Run

PHASE = of_entry(
    "mean/populous",
    {"d": 2, "alpha": 0.4, "epsilon": 1.0, "delta": 1e-6},
    "d",
    (1, 2, 4, 8),
    "d",
    blocks=blocks(3),
)


def success_of_votes(run: Run, *, alpha: float = 0.4, epsilon: float = 1.0, delta: float = 1e-6) -> Chart:
    """Return the share of good runs over n and d, beside the n of the prediction."""
    panel = replace(
        PHASE.panel(run, alpha=alpha, epsilon=epsilon, delta=delta),
        title=f"Vote of groups: share of runs within α = {number(alpha)} σ, ε = {epsilon:g}, δ ="
        f" {number(delta)}",
        xlabel="rows n",
        ylabel="dimension d",
    )
    return Chart(
        "success_of_votes",
        "Without any range, twice as many rows turn failure into success",
        (panel,),
        alt="A table as colours: the share of good runs, d from bottom to top, n from left to right. It"
        " rises from 0 to 1 at a line that moves by about half a column for every doubling of d.",
        how_to_read="The mean of voting groups; n doubles from column to column. To the right of the white"
        " line at least half of the runs are predicted to succeed, from public numbers.",
    )
