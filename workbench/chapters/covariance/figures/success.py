"""How often CoinPress's covariance is within α, over n and d."""

from dataclasses import replace

from workbench.charts.chart import Chart
from workbench.charts.phase import of_entry
from workbench.charts.words import number
from workbench.study.run import Run

PHASE = of_entry(
    "covariance/coinpress",
    {"d": 2, "alpha": 0.2, "rho": 0.125},
    "d",
    (1, 2, 4, 8),
    "d",
)


def success_by_dimension(run: Run, *, alpha: float = 0.2, rho: float = 0.125) -> Chart:
    """Return the share of good runs over n and d, beside the n of the prediction."""
    panel = replace(
        PHASE.panel(run, alpha=alpha, rho=rho),
        title=f"CoinPress's covariance: share of runs within α = {number(alpha)}, ρ = {number(rho)}",
        xlabel="rows n",
        ylabel="dimension d",
    )
    return Chart(
        "success_by_dimension",
        "From failure to success within two doublings of n",
        (panel,),
        alt="A table as colours: the share of good runs, d from bottom to top, n from left to right. It"
        " rises from 0 to 1 at a line that moves right as d grows, by about one column at first and then more"
        " for every doubling.",
        how_to_read="CoinPress's covariance, in the norm of Σ; n doubles from column to column. To the right"
        " of the white line at least half of the runs are predicted to succeed, from public numbers.",
    )
