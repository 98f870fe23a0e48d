"""Tables 1 and 2 of LKKO21 as pictures: the rows needed over the formulas, every constant 1."""

import itertools

from workbench.chapters.robust_and_private.claims import sizes
from workbench.charts.bands import measured
from workbench.charts.chart import Chart, Panel, Role, Series
from workbench.charts.words import number
from workbench.study import measures
from workbench.study.run import Run

LEVEL = 0.05
FINE = (2, 4, 8, 16, 32, 64)
KINDS: dict[str, tuple[str, Role, str]] = {
    "polynomial": ("enough, in polynomial time", "reference", "mean/prime"),
    "exponential": ("enough, in any time", "reference", "mean/tukey"),
    "lower": ("necessary", "bound", "idea/limit"),
}
SHORT = {  # what it is, and what it promises
    "mean/clipped-heavy": "shrinking ball (private)",
    "mean/prime-heavy": "PRIME (both)",
    "mean/robust-heavy": "row-by-row filter (both)",
    "mean/coinpress": "CoinPress (private)",
    "mean/filter-nonprivate": "filter (robust)",
    "mean/prime": "PRIME (both)",
    "mean/robust": "row-by-row filter (both)",
}


def table_1(
    run: Run,
    *,
    corruption: float = sizes.USUAL.corruption,
    epsilon: float = sizes.USUAL.epsilon,
    delta: float = sizes.USUAL.delta,
) -> Chart:
    """Return the rows needed over the formulas of Table 1, sub-Gaussian rows."""
    terms = sizes.Terms(corruption, epsilon, delta)
    return Chart(
        "table_1",
        "The larger d is, the farther the formulas exceed what is needed",
        (_ratios(run, "1", terms, "1.2 ξ √ln(1/ξ)"),),
        alt="The quotient of the rows needed and the formula against d, for a private mean, a robust one and"
        " two that are both."
        " For d = 2 the robust ones lie above 1, at d = 32 all lie below, most of all those that do"
        " both.",
        how_to_read="Right of the line more rows are needed than the formula with constants 1 says. At d = 2"
        " the cluster harms little and is hard to see; the larger d, the farther away it lies.",
    )


def table_2(
    run: Run,
    *,
    corruption: float = sizes.USUAL.corruption,
    epsilon: float = sizes.USUAL.epsilon,
    delta: float = sizes.USUAL.delta,
) -> Chart:
    """Return the rows needed over the formulas of Table 2, rows of bounded covariance."""
    terms = sizes.Terms(corruption, epsilon, delta)
    return Chart(
        "table_2",
        "For heavy tails, too, the formula for both exceeds what is needed",
        (_ratios(run, "2", terms, "1.5 √ξ"),),
        alt="The quotient of the rows needed and the formula against d, for rows with Student tails: a"
        " private mean, and two that are private and robust."
        " The robust ones lie below 1 and fall with d.",
        how_to_read="Only a covariance is known: the error aimed at is larger, and fewer rows do. Right of"
        " the line more rows are needed than the formula with constants 1 says.",
    )


def table_formulas(
    run: Run,
    *,
    corruption: float = sizes.USUAL.corruption,
    epsilon: float = sizes.USUAL.epsilon,
    delta: float = sizes.USUAL.delta,
) -> Chart:
    """Return what both tables say of privacy and robustness together; nothing is run."""
    terms = sizes.Terms(corruption, epsilon, delta)
    return Chart(
        "table_formulas",
        "Whoever can wait needs fewer rows, the more so the larger d",
        (_formulas("1", "sub-Gaussian rows", terms), _formulas("2", "bounded covariance", terms)),
        alt="Formulas against d for sub-Gaussian rows, and for rows of bounded covariance: what is enough in"
        " polynomial time lies highest, what is enough in any time lower, what is necessary lowest.",
        how_to_read="LKKO21's formulas for a mean that is private and robust, every constant 1, with the"
        " logarithms that the tables show. Nothing lies in the shaded region.",
    )


def _ratios(run: Run, table: str, terms: sizes.Terms, most: str) -> Panel:
    """Return the panel of a table; the formulas themselves where nothing is run."""
    if not run.simulate:
        return _formulas(table, "", terms)
    frame = run.table(sizes.SIZES.moved(sizes.points(terms), **vars(terms)))
    series: list[Series] = []
    names: list[str] = []
    for key, one in sizes.SETTINGS.items():
        if one.table == table:
            places = dict(zip(one.top, itertools.count(len(names) + 1), strict=False))
            names += [f"{SHORT[key]}, d = {d}" for d in one.top]
            found = {
                float(place): measures.scaled(
                    sizes.needed(frame, key, d, run.seed, LEVEL, terms), 1 / one.formula(d, terms)
                )
                for d, place in (places.items() if len(frame) else ())
            }
            series.append(measured("", found, key, joined=False))
    ends = (0.5, len(names) + 0.5)
    series.append(Series("the formula, with constants 1", ends, (1.0, 1.0), role="reference"))
    note = f"n at which two runs of three err by at most {most}; ξ = {number(terms.corruption)},"
    note += f" ε = {number(terms.epsilon)}, δ = {number(terms.delta)}."
    return Panel("", "estimator", "rows needed over the formula", tuple(series), xscale="linear",
                 xlim=ends, names=tuple(names), note=note)  # fmt: skip


def _formulas(table: str, title: str, terms: sizes.Terms) -> Panel:
    rows = [terms.rows(table, d)["both"] for d in FINE]
    note = f"Every constant 1; ξ = {number(terms.corruption)}, ε = {number(terms.epsilon)}."
    series = tuple(
        Series(said, FINE, [getattr(row, kind).total for row in rows], role=role, colour_key=key)
        for kind, (said, role, key) in KINDS.items()
    )
    return Panel(title, "d, columns", "rows n", series, note=note)
