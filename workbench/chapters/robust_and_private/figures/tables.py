"""Tables 1 and 2 of LKKO21 as pictures: the rows that were needed beside the formula, every constant 1."""

from workbench.chapters.robust_and_private.claims import sizes
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Role, Series
from workbench.charts.parameters import short
from workbench.study.run import Run

LEVEL = 0.05
FINE = (2, 4, 8, 16, 32, 64)
LOOKS = {"private": "0", "robust": "1", "both": "2"}
KINDS: dict[str, tuple[Role, str, str]] = {
    "polynomial": ("theory", "formula", ""),
    "exponential": ("estimate", "any cost", "3:any"),
    "lower": ("bound", "necessary", ""),
}
READING = (
    " Markers: the n from which two runs of three err by at most {}, ξ = {:g}, ε = {:g}, δ = {}; the second"
    " estimator that does both is hollow. Dashed, in the colour of its row of the table: the formula with"
    " every constant 1 and only the logarithms that the table shows. The shapes of dashed lines and markers"
    " should agree, their heights need not: the distance is the constant that the table hides. Right, the"
    " formulas alone: what suffices in polynomial time, for both also what suffices at any cost (hollow"
    " diamonds) and what is necessary (dotted, filled below)."
)


def table_1(
    run: Run,
    *,
    corruption: float = sizes.USUAL.corruption,
    epsilon: float = sizes.USUAL.epsilon,
    delta: float = sizes.USUAL.delta,
) -> Chart:
    """Return Table 1, sub-Gaussian rows."""
    terms = sizes.Terms(corruption, epsilon, delta)
    usual = terms == sizes.USUAL
    return Chart(
        "table_1",
        "Table 1, sub-Gaussian rows: rows needed, beside the formulas",
        _panels(run, "1", terms),
        alt="Left, measured sample sizes against d for a private mean, a robust one and two that are both,"
        " beside dashed formulas."
        + " For d = 2 the robust ones lie above their formulas, at d = 32 all lie below, most of all those"
        " that do both: they grow more slowly than d to the 3/2." * usual + " Right, the formulas.",
        how_to_read="Privacy alone and robustness alone are cheap; the formula for both grows as d^(3/2)."
        + " At d = 2 the cluster moves a plain mean by hardly more than the error aimed at, and mean/prime"
        " finds it late. It is 1.5 √d away, and easier to see the larger d is: against the worst place n"
        " grows with d (robust-and-private/prime-rows-grow)." * usual + _reading("1.2 ξ √ln(1/ξ)", terms),
    )


def table_2(
    run: Run,
    *,
    corruption: float = sizes.USUAL.corruption,
    epsilon: float = sizes.USUAL.epsilon,
    delta: float = sizes.USUAL.delta,
) -> Chart:
    """Return Table 2, rows of bounded covariance."""
    terms = sizes.Terms(corruption, epsilon, delta)
    usual = terms == sizes.USUAL
    return Chart(
        "table_2",
        "Table 2, rows of bounded covariance: rows needed, beside the formulas",
        _panels(run, "2", terms),
        alt="The same for rows with Student tails: a private mean, and two that are private and robust,"
        " beside dashed formulas."
        + " The measured sizes of the robust ones lie below their formula and grow more slowly."
        * usual,
        how_to_read="Only a covariance is known, the error aimed at is larger, and fewer rows do."
        + _reading("1.5 √ξ", terms),
    )


def _reading(most: str, terms: sizes.Terms) -> str:
    return READING.format(most, terms.corruption, terms.epsilon, short(terms.delta))


def _panels(run: Run, table: str, terms: sizes.Terms) -> tuple[Panel, Panel]:
    frame = run.table(sizes.SIZES.moved(sizes.points(terms), **vars(terms)))
    series: list[Series] = []
    for name, one in sizes.SETTINGS.items():
        if one.table == table:
            ds = one.top if len(frame) else ()
            found = {float(d): sizes.needed(frame, name, d, run.seed, LEVEL, terms) for d in ds}
            hollow = ":ours" * name.startswith("mean/robust")
            series.append(measured(name, found, LOOKS[one.row] + hollow))
    fast, any_cost, lower = (_formulas(table, kind, terms) for kind in KINDS)
    alone = (*fast, *any_cost[2:], *lower[2:])
    return (
        Panel("measured, and polynomial time", "d", "rows n", (*series, *fast)),
        Panel("formulas with constants 1", "d", "rows n", alone),
    )


def _formulas(table: str, kind: str, terms: sizes.Terms) -> list[Series]:
    """Return the formulas of one kind, one for each row of the table."""
    every = {d: terms.rows(table, d) for d in FINE}
    role, said, look = KINDS[kind]
    return [
        Series(f"{row}: {said}", FINE, [getattr(rows[row], kind).total for rows in every.values()],
               role=role, colour_key=look or LOOKS[row])
        for row in LOOKS
    ]  # fmt: skip
