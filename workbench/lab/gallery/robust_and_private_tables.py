"""Tables 1 and 2 of LKKO21 as pictures: the rows that were needed beside the formula, every constant 1."""

from workbench.bounds.lkko21 import table_1 as formulas_1
from workbench.bounds.lkko21 import table_2 as formulas_2
from workbench.lab.charts import Chart, Panel, Series
from workbench.lab.gallery.covariance_heavy import measured
from workbench.study.claims import lkko21_sizes as sizes
from workbench.study.sweep import run

LEVEL = 0.05
FINE = (2, 4, 8, 16, 32, 64)
ROWS = {"private": "private, not robust", "robust": "robust, not private", "both": "both"}
LOOKS = {
    "1": {"private": "mean/coinpress", "robust": "mean/filter-nonprivate", "both": "mean/prime"},
    "2": {"private": "mean/clipped-heavy", "robust": "", "both": "mean/prime-heavy"},
}
READING = (
    " Markers: the n from which two runs of three err by at most {}, α = .05, ε = 1, δ = 10⁻⁶. Dashed, in"
    " the colour of the estimator that stands for it: the formula with every constant 1 and only the"
    " logarithms that the table shows. The shapes of dashed lines and markers should agree, their heights"
    " need not: the distance is the constant that the table hides. Right, the formulas alone: what suffices"
    " in polynomial time, what suffices at any cost (hollow), and what is necessary (dotted, filled below)."
)


def table_1(profile: str, seed: int) -> Chart:
    """Return Table 1, sub-Gaussian rows."""
    return Chart(
        "table_1",
        "Table 1, sub-Gaussian rows: rows needed, beside the formulas",
        _panels("1", profile, seed),
        alt="Left, measured sample sizes against d for a private mean, a robust one and two that are both,"
        " beside dashed formulas. For d = 2 the measured sizes lie above the formula, at d = 32 below it,"
        " most of all for both at once: they grow more slowly than d to the 3/2. Right, the formulas.",
        how_to_read="Privacy alone and robustness alone are cheap; the formula for both grows as d^(3/2)."
        + READING.format("1.2 α √ln(1/α)"),
    )


def table_2(profile: str, seed: int) -> Chart:
    """Return Table 2, rows of bounded covariance."""
    return Chart(
        "table_2",
        "Table 2, rows of bounded covariance: rows needed, beside the formulas",
        _panels("2", profile, seed),
        alt="The same for rows with Student tails: a private mean, and two that are private and robust,"
        " beside dashed formulas. The measured sizes of the robust ones grow more slowly than the formula.",
        how_to_read="Only a covariance is known, the error aimed at is larger, and fewer rows do."
        + READING.format("1.5 √α"),
    )


def _panels(table: str, profile: str, seed: int) -> tuple[Panel, Panel]:
    frame, series = run(sizes.SIZES, profile, seed=seed), []
    for name, one in sizes.SETTINGS.items():
        if one.table == table:
            found = {float(d): sizes.needed(frame, name, d, seed, LEVEL) for d in one.top}
            series.append(measured(name, found, name))
    return (
        Panel("measured, and polynomial time", "d", "rows n", (*series, *_formulas(table, "polynomial", ""))),
        Panel(
            "formulas with constants 1", "d", "rows n",
            (*_formulas(table, "polynomial", ""), *_formulas(table, "exponential", ":any")[2:],
             *_formulas(table, "lower", "")[2:]),
        ),
    )  # fmt: skip


def _formulas(table: str, kind: str, variant: str) -> list[Series]:
    every = {d: (formulas_1 if table == "1" else formulas_2)(d, sizes.ALPHA, 1.0, 1e-6) for d in FINE}
    found = []
    for row, words in ROWS.items():
        values = [getattr(rows[row], kind).total for rows in every.values()]
        role = "bound" if kind == "lower" else "theory" if kind == "polynomial" else "estimate"
        label = {"polynomial": "", "exponential": f"{words}, at any cost", "lower": f"{words}: necessary"}[
            kind
        ]
        found.append(
            Series(label, FINE, values, role=role, colour_key=LOOKS[table][row] + variant)  # type: ignore[arg-type]
        )
    return found
