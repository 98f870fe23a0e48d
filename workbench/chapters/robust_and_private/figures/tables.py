"""Tables 1 and 2 of LKKO21 as pictures: the rows that were needed beside the formula, every constant 1."""

from workbench.bounds.lkko21 import table_1 as formulas_1
from workbench.bounds.lkko21 import table_2 as formulas_2
from workbench.chapters.robust_and_private.claims import sizes
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Role, Series
from workbench.study.sweeps.sweep import run

LEVEL = 0.05
FINE = (2, 4, 8, 16, 32, 64)
LOOKS = {"private": "0", "robust": "1", "both": "2"}
KINDS: dict[str, tuple[Role, str, str]] = {
    "polynomial": ("theory", "formula", ""),
    "exponential": ("estimate", "any cost", "3:any"),
    "lower": ("bound", "necessary", ""),
}
READING = (
    " Markers: the n from which two runs of three err by at most {}, α = .05, ε = 1, δ = 10⁻⁶; the second"
    " estimator that does both is hollow. Dashed, in the colour of its row of the table: the formula with"
    " every constant 1 and only the logarithms that the table shows. The shapes of dashed lines and markers"
    " should agree, their heights need not: the distance is the constant that the table hides. Right, the"
    " formulas alone: what suffices in polynomial time, for both also what suffices at any cost (hollow"
    " diamonds) and what is necessary (dotted, filled below)."
)


def table_1(profile: str, seed: int) -> Chart:
    """Return Table 1, sub-Gaussian rows."""
    return Chart(
        "table_1",
        "Table 1, sub-Gaussian rows: rows needed, beside the formulas",
        _panels("1", profile, seed),
        alt="Left, measured sample sizes against d for a private mean, a robust one and two that are both,"
        " beside dashed formulas. For d = 2 the robust ones lie above their formulas, at d = 32 all lie"
        " below, most of all those that do both: they grow more slowly than d to the 3/2. Right, the"
        " formulas.",
        how_to_read="Privacy alone and robustness alone are cheap; the formula for both grows as d^(3/2). At"
        " d = 2 the cluster moves a plain mean by hardly more than the error aimed at, and mean/prime finds"
        " it only from more than ten times the formula on (robust-and-private/table-1-hidden-cluster)."
        + READING.format("1.2 α √ln(1/α)"),
    )


def table_2(profile: str, seed: int) -> Chart:
    """Return Table 2, rows of bounded covariance."""
    return Chart(
        "table_2",
        "Table 2, rows of bounded covariance: rows needed, beside the formulas",
        _panels("2", profile, seed),
        alt="The same for rows with Student tails: a private mean, and two that are private and robust,"
        " beside dashed formulas. The measured sizes of the robust ones lie below their formula and grow"
        " more slowly.",
        how_to_read="Only a covariance is known, the error aimed at is larger, and fewer rows do."
        + READING.format("1.5 √α"),
    )


def _panels(table: str, profile: str, seed: int) -> tuple[Panel, Panel]:
    frame, series = run(sizes.SIZES, profile, seed=seed), []
    for name, one in sizes.SETTINGS.items():
        if one.table == table:
            found = {float(d): sizes.needed(frame, name, d, seed, LEVEL) for d in one.top}
            hollow = ":ours" * name.startswith("mean/robust")
            series.append(measured(name, found, LOOKS[one.row] + hollow))
    return (
        Panel("measured, and polynomial time", "d", "rows n", (*series, *_formulas(table, "polynomial"))),
        Panel(
            "formulas with constants 1", "d", "rows n",
            (*_formulas(table, "polynomial"), *_formulas(table, "exponential")[2:],
             *_formulas(table, "lower")[2:]),
        ),
    )  # fmt: skip


def _formulas(table: str, kind: str) -> list[Series]:
    """Return the formulas of one kind, one for each row of the table."""
    every = {d: (formulas_1 if table == "1" else formulas_2)(d, sizes.ALPHA, 1.0, 1e-6) for d in FINE}
    role, said, look = KINDS[kind]
    return [
        Series(f"{row}: {said}", FINE, [getattr(rows[row], kind).total for rows in every.values()],
               role=role, colour_key=look or LOOKS[row])
        for row in LOOKS
    ]  # fmt: skip
