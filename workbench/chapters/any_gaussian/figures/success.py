"""How often the mean of voting groups is within α, over n and d."""

from workbench.charts.chart import Chart
from workbench.charts.parameters import short
from workbench.charts.phase import HOW_TO_READ, of_entry
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
    return Chart(
        "success_of_votes",
        "A mean without any range: rows for success",
        (PHASE.panel(run, alpha=alpha, epsilon=epsilon, delta=delta),),
        alt="A table as colours: the share of good runs, d from bottom to top, n from left to right. It"
        " rises from 0 to 1 at a line that moves by about half a column for every doubling of d.",
        how_to_read=f"{HOW_TO_READ} Mean of voting groups, α = {alpha:g} σ, ε = {epsilon:g}, δ ="
        f" {short(delta)}.",
    )
