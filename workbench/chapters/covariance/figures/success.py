"""How often CoinPress's covariance is within α, over n and d."""

from workbench.charts.chart import Chart
from workbench.charts.parameters import short
from workbench.charts.phase import HOW_TO_READ, of_entry
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
    return Chart(
        "success_by_dimension",
        "From failure to success within two doublings of n",
        (PHASE.panel(run, alpha=alpha, rho=rho),),
        alt="A table as colours: the share of good runs, d from bottom to top, n from left to right. It"
        " rises from 0 to 1 at a line that moves right as d grows, by about one column at first and then more"
        " for every doubling.",
        how_to_read=f"{HOW_TO_READ} CoinPress, α = {alpha:g} in the norm of Σ, ρ = {short(rho)}.",
    )
