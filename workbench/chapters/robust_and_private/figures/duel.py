"""The scoreboard: attacks against estimators, as a table of all (`duel_view` shows any two)."""

from workbench.chapters.robust_and_private.runs import duel as study
from workbench.chapters.robust_and_private.runs.prime import (
    CORRUPTION,
    DELTA,
    limit,
)
from workbench.charts.chart import Chart, Heat, Mark, Panel
from workbench.charts.words import number
from workbench.study import measures
from workbench.study.grids import grid
from workbench.study.run import Run

COLUMNS = {
    "mean/empirical": "sample\nmean",
    "mean/filter-nonprivate": "filter",
    "mean/clipped-box": "clipped\nmean",
    "mean/coinpress": "CoinPress",
    "mean/filter": "private\nfilter",
    "mean/prime": "PRIME",
    "mean/robust": "row-by-row\nfilter",
}
GROUPS = (("no privacy", 0.5), ("private", 2.5), ("private and robust", 5.0))
BORDERS = (1.5, 3.5)
MOST = 100.0  # over the limit: more is written as this


def scoreboard(
    run: Run,
    *,
    corruption: float = CORRUPTION,
    epsilon: float = study.EPSILON,
    delta: float = DELTA,
    n: int = study.N,
    d: int = study.D,
) -> Chart:
    """Return the median error of every estimator under every attack, over ξ √ln(1/ξ)."""
    points = grid(attack=study.SHOWN, n=n, corruption=corruption, epsilon=epsilon, who="all")
    frame = run.table(study.DUEL.moved(points, d=d, delta=delta))
    tables = [measures.at(frame, attack=attack) for attack in study.SHOWN]
    table = [
        [min(MOST, float(rows[name].median()) / limit(corruption)) for name in study.FIGHTERS]
        for rows in tables
    ]
    heat = Heat(
        table, (0.1, 10.0), scale="log", emphasis="middle", written=True,
        rows=tuple(study.GLOSS[name] for name in study.SHOWN),
        columns=tuple(COLUMNS[name] for name in study.FIGHTERS),
    )  # fmt: skip
    marks = [Mark(words, x=x, y=-0.85) for words, x in GROUPS]
    marks += [Mark(" ", "vertical", x=x, y=0.0) for x in BORDERS]
    panel = Panel("", "median error over ξ √ln(1/ξ)", "attack", (), heat=heat, marks=tuple(marks),
                  note="100 stands for 100 and more.")  # fmt: skip
    return Chart(
        "scoreboard",
        "Two attacks defeat every mean, filters withstand most others",
        (panel,),
        alt="A table of colours, one row for each attack and one column for each estimator."
        " Means that do not filter are at 2 to 3 under one planted cluster, and two of them far above that"
        " under a far point mass; the robust ones are below 1 but for a hidden cluster, which two of them"
        " miss, and for rows moved inward and swapped tails, where all columns are above 1.",
        how_to_read="Below 1, purple: the error is below ξ √ln(1/ξ). Above 1, brown: the adversary wins. What"
        " makes rows narrower, or leaves their covariance alone, gets past every filter."
        f" ξ = {number(corruption)}, n = {number(n)}, d = {d}, ε = {number(epsilon)}, δ = {number(delta)}.",
    )
