"""Every published claim that is executed, in one table: those of the chapters, in the order of the story."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points

from workbench.chapters.any_gaussian import attacks as attacked
from workbench.chapters.any_gaussian import frames, votes
from workbench.chapters.covariance import heavy_tails, joint, net, unbounded
from workbench.chapters.many_dimensions import coinpress, steps
from workbench.chapters.matrix_quantile import lifted, outliers, rows
from workbench.chapters.one_mean import costs, histograms, intervals, locating, quantiles
from workbench.chapters.robust_and_private import filters, planted, tables
from workbench.chapters.scalings import al22, l17, lkko21, m21, wx19
from workbench.chapters.sparse_covariance import designs, dimension, entries, figures_1_to_4
from workbench.chapters.what_epsilon_means import attacks, densities, members
from workbench.chapters.which_one import choice as planner
from workbench.errors import ArgumentError, one_of
from workbench.study.rules import Claim as Claim
from workbench.study.rules import Verdict

TOPICS = (
    *(attacks, densities, members),
    *(locating, histograms, costs, intervals, l17, quantiles),
    *(coinpress, steps),
    *(heavy_tails, unbounded, net, joint, m21),
    *(votes, frames, attacked, al22),
    *(rows, outliers, lifted),
    *(planted, filters, tables, lkko21),
    *(designs, dimension, figures_1_to_4, entries, wx19),
    planner,
)


def index(*families: Iterable[Claim]) -> dict[str, Claim]:
    """Return the claims of several families by id, or raise if two share an id or a number."""
    claims = [claim for family in families for claim in family]
    for names in ([claim.id for claim in claims], [claim.number for claim in claims]):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ArgumentError("claims", twice, "ids and numbers that are unique")
    return {claim.id: claim for claim in claims}


CLAIMS: dict[str, Claim] = index(*(topic.CLAIMS for topic in TOPICS))


@cache
def installed() -> tuple[Iterable[Claim], ...]:
    return tuple(point.load() for point in entry_points(group="workbench.claims"))


def known() -> dict[str, Claim]:
    """Return these claims, and those of installed packages: entry points of the group `workbench.claims`."""
    return index(CLAIMS.values(), *installed())


def claim_id(name: str) -> str:
    """Return the id of a claim, given that or its number."""
    found = {claim.number: claim.id for claim in known().values()}.get(name, name)
    one_of(known(), claim=found)
    return found


def decide(ids: Iterable[str], profile: str, seed: int) -> dict[str, Verdict]:
    """Return the verdicts on these claims by id, in the order asked for."""
    wanted, claims = [claim_id(name) for name in ids], known()
    return {id: claims[id].decide(profile, seed).about(id, claims[id].statement) for id in wanted}
