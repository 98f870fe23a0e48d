"""How often the unbounded mean is within α, over n and ε."""

from dataclasses import replace

from workbench.charts.chart import Chart
from workbench.charts.parameters import short
from workbench.charts.phase import HOW_TO_READ, of_entry
from workbench.study.run import Run

PHASE = of_entry(
    "univariate/unbounded-mean",
    {"d": 1, "alpha": 0.1, "epsilon": 0.1, "delta": 1e-6},
    "epsilon",
    (0.05, 0.1, 0.2, 0.4, 0.8),
    "ε",
)


def success_by_epsilon(run: Run, *, alpha: float = 0.1, delta: float = 1e-6) -> Chart:
    """Return the share of good runs over n and ε, beside the n of the prediction."""
    title = f"Mean without a range: share of runs within α = {alpha:g} σ, δ = {short(delta)}"
    return Chart(
        "success_by_epsilon",
        "Half of ε costs up to twice the rows",
        (replace(PHASE.panel(run, alpha=alpha, delta=delta), title=title, ylabel="budget ε"),),
        alt="A table as colours: the share of good runs, ε from bottom to top, n from left to right. It"
        " rises from 0 to 1 at a line that moves by half a column to one for every halving of ε.",
        how_to_read=HOW_TO_READ,
    )
