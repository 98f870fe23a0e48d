"""The family of estimators as a table of colours: what each of them has to be told."""

from workbench.chapters.which_one.family import FACTS, PRIVACY, Member, Need, family
from workbench.charts.chart import Chart, Heat, Panel
from workbench.study.run import Run

SHORT = {
    "range": "range",
    "scale": "σ",
    "upper": "λ max",
    "lower": "λ min",
    "norm": "length",
    "normal": "normal",
    "moments": "tails",
    "outliers": "wrong",
}
READING = (
    "Yellow (1): it must be told; grey (0.5): it may be told, or serves the prediction alone; dark (0): it"
    " is not asked for. The last column: dark takes ε alone, grey needs ρ, yellow needs a δ. Who asks for"
    " less stands higher; whoever bears wrong rows stands last."
)


def family_of_means(run: Run) -> Chart:
    """Return what every private estimator of a mean has to be told; nothing is run."""
    return _family("family_of_means", "What a private mean has to be told", ("mean",))


def family_of_covariances(run: Run) -> Chart:
    """Return what every private estimator of a covariance or a Gaussian has to be told; nothing is run."""
    estimands = ("covariance", "gaussian")
    return _family(
        "family_of_covariances", "What a private covariance, or a Gaussian, has to be told", estimands
    )


def _family(name: str, title: str, estimands: tuple[str, ...]) -> Chart:
    members = family(*estimands)
    asked = [fact for fact in FACTS if any(one.needs[fact] for one in members)]
    heat = Heat(
        [_cells(one, asked) for one in members],
        (0.0, 1.0),
        rows=tuple(one.key for one in members),
        columns=(*(SHORT[fact] for fact in asked), "privacy"),
    )
    least = ", ".join(one.key for one in members if sum(one.needs.values()) <= Need.MUST)
    return Chart(
        name,
        title,
        (Panel("", "has to be told", "", (), heat=heat),),
        alt=f"A table as colours: {len(members)} estimators, one below the other, and {len(asked)} facts that"
        f" they may have to be told. Told one fact at most: {least}.",
        how_to_read=READING,
    )


def _cells(one: Member, asked: list[str]) -> list[float]:
    return [*(one.needs[fact] / 2 for fact in asked), one.privacy / (len(PRIVACY) - 1)]
