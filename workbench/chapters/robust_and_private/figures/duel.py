"""The scoreboard: attacks against estimators, as a table of all (`duel_view` shows any two)."""

from workbench.chapters.robust_and_private.runs import duel as study
from workbench.chapters.robust_and_private.runs.prime import (
    CORRUPTION,
    DELTA,
    limit,
)
from workbench.charts.chart import Chart, Heat, Panel
from workbench.charts.parameters import short
from workbench.study import measures
from workbench.study.run import Run
from workbench.study.sweeps.sweep import grid

SHORT = {
    "shift-ones": "ones",
    "shift-alternating": "alternating",
    "axis-clusters": "axes",
    "five-clusters": "five axes",
    "tail-matched": "matched",
    "under-threshold": "hidden",
}


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
    table = [[float(rows[name].median()) / limit(corruption) for name in study.FIGHTERS] for rows in tables]
    usual = (corruption, epsilon, n, d) == (CORRUPTION, study.EPSILON, study.N, study.D)
    heat = Heat(
        table, (0.1, 10.0), scale="log", emphasis="middle", written=True,
        rows=tuple(SHORT.get(name, name) for name in study.SHOWN),
        columns=tuple(name.partition("/")[2].replace("-", "\n") for name in study.FIGHTERS),
    )  # fmt: skip
    panel = Panel("median error / ξ √ln(1/ξ)", "estimator", "", (), heat=heat)
    return Chart(
        "scoreboard",
        "The scoreboard: twelve attacks, seven estimators",
        (panel,),
        alt="A table of colours, one row for each attack and one column for each estimator."
        + " Means that do not filter are at 2 to 3 under one planted cluster, and two of them far above that"
        " under a far point mass; the robust ones are below 1 but for a hidden cluster, which two of them"
        " miss, and for rows moved inward and swapped tails, where all columns are above 1." * usual,
        how_to_read="Columns from left: without privacy (empirical, filter-nonprivate), private but not"
        " robust (clipped-box, coinpress), both (filter, prime, robust). Below 1, purple, an estimator errs"
        " by less than ξ √ln(1/ξ); above it, brown, by more. Rows: clusters along (1, .., 1), along"
        " alternating signs, on all axes and on five; a far point mass; rows of unsuspicious length; the"
        " farthest rows put at the centre; a cluster just below the filter's level; clusters that cancel;"
        " half a sphere; one tail for the other. What makes the rows narrower (inward) or leaves the"
        f" covariance alone (tail-swap) gets past every filter. ξ = {corruption:g}, n = {short(n)}, d = {d},"
        f" ε = {epsilon:g}, δ = {short(delta)}.",
    )
