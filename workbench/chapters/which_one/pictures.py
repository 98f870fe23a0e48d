"""The family of estimators as a table of colours: what each of them has to be told."""

from workbench.chapters.which_one.family import FACTS, Member, Need, family
from workbench.charts.chart import Chart, Heat, Mark, Panel
from workbench.charts.methods import name
from workbench.study.run import Run

SHORT = {
    "range": "range",
    "scale": "σ",
    "upper": "largest λ",
    "lower": "least λ",
    "norm": "lengths",
    "normal": "normal",
    "moments": "moments",
    "outliers": "liars",
}
WORDS = {0.5: "may", 1.0: "must"}
HEAD = "what it has to be told, and the budget it needs"
NOTE = "liars: the share of wrong rows. ε: pure, ρ: concentrated, δ: approximate."
PRIVACY = {0.0: "ε", 0.5: "ρ", 1.0: "δ"}
NAMES = {"mean/clipped-box": "clipped to a box"}  # where a name of its own is needed beside the others
WRITTEN = "non-private"  # black
READING = (
    "Orange: it must be told; paler: it may be told, or serves the prediction alone; empty: it is not asked."
    " The last column: the budget it needs, ε alone, ρ, or a δ. Whoever bears wrong rows stands last."
)


def family_of_means(run: Run) -> Chart:
    """Return what every private estimator of a mean has to be told; nothing is run."""
    return _family(
        "family_of_means",
        "Most private means must be told a range, and σ or a bound",
        ("mean",),
    )


def family_of_covariances(run: Run) -> Chart:
    """Return what every private estimator of a covariance or a Gaussian has to be told; nothing is run."""
    estimands = ("covariance", "gaussian")
    title = "Without a bound on eigenvalues or lengths a covariance needs a δ"
    return _family("family_of_covariances", title, estimands)


def _family(chart: str, title: str, estimands: tuple[str, ...]) -> Chart:
    members = family(*estimands)
    asked = [fact for fact in FACTS if any(one.needs[fact] for one in members)]
    cells = [_cells(one, asked) for one in members]
    heat = Heat(
        cells,
        (-2.0, 2.0),
        emphasis="middle",
        bar=None,
        rows=tuple(_named(one, estimands) for one in members),
        columns=(*(SHORT[fact] for fact in asked), "privacy"),
    )
    marks = [
        Mark(words[cell], x=column, y=row, colour_key=WRITTEN)
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
        if cell in (words := PRIVACY if column == len(asked) else WORDS)
    ]
    least = ", ".join(_named(one, estimands) for one in members if sum(one.needs.values()) <= Need.MUST)
    return Chart(
        chart,
        title,
        (Panel("", HEAD, "estimator", (), heat=heat, marks=tuple(marks), note=NOTE),),
        alt=f"A table as colours: {len(members)} estimators, one below the other, and {len(asked)} facts that"
        f" they may have to be told. Told one fact at most: {least}.",
        how_to_read=READING,
    )


def _named(one: Member, estimands: tuple[str, ...]) -> str:
    both = len(estimands) > 1 and one.estimand == "gaussian"
    return NAMES.get(one.key, name(one.key)) + ", with the mean" * both


def _cells(one: Member, asked: list[str]) -> list[float]:
    return [*(one.needs[fact] / 2 for fact in asked), one.privacy / (len(PRIVACY) - 1)]
