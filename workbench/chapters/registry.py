"""Every published claim that is executed, in one table: those of the chapters, in the order of the story."""

from collections.abc import Iterable

from workbench.chapters.any_gaussian import attacks as attacked
from workbench.chapters.any_gaussian import frames, learners, masking, votes
from workbench.chapters.covariance import heavy_tails, joint, net, unbounded
from workbench.chapters.many_dimensions import price, steps
from workbench.chapters.matrix_quantile import lifted, outliers, rows
from workbench.chapters.one_mean import (
    costs,
    histograms,
    intervals,
    locating,
    quantiles,
    votes_on_shares,
    wide_range,
)
from workbench.chapters.robust_and_private import crossover, exact, filters, planted, tables
from workbench.chapters.scalings import al22, coinpress, l17, lkko21, m21, m21_table, matrix_quantile, wx19
from workbench.chapters.sparse_covariance import (
    dimension,
    entries,
    figures_1_to_4,
    noise,
    open_problems,
    rates,
)
from workbench.chapters.what_epsilon_means import attacks, every_mean, last_bits, line_up, losses, members
from workbench.chapters.which_one import claims as planner
from workbench.errors import one_of
from workbench.study.claim import Claim as Claim
from workbench.study.claim import index
from workbench.study.rules import Verdict
from workbench.study.sweeps import resources

TOPICS = (
    *(attacks, losses, line_up, last_bits, members, every_mean),
    *(wide_range, locating, histograms, costs, intervals, l17, quantiles, votes_on_shares),
    *(price, steps, coinpress),
    *(heavy_tails, unbounded, net, joint, m21, m21_table),
    *(votes, masking, frames, learners, attacked, al22),
    *(rows, outliers, lifted, matrix_quantile),
    *(planted, filters, crossover, exact, tables, lkko21),
    *(noise, dimension, rates, figures_1_to_4, entries, open_problems, wx19),
    planner,
)
CLAIMS: dict[str, Claim] = index(*(topic.CLAIMS for topic in TOPICS))


def claim_id(name: str) -> str:
    """Return the id of a claim, given that or its number."""
    by_number = {claim.number: claim.id for claim in CLAIMS.values()}
    found = by_number.get(name, name)
    one_of(CLAIMS, claim=found)
    return found


def decide(ids: Iterable[str], profile: str, seed: int, jobs: int | None = None) -> dict[str, Verdict]:
    """Return the verdicts on these claims by id, in the order asked for; `jobs` is as of `sweep.run`."""
    wanted = [claim_id(name) for name in ids]
    jobs = resources().jobs if jobs is None else jobs
    return {claim: _decided(CLAIMS[claim], profile, seed, jobs) for claim in wanted}


def _decided(claim: Claim, profile: str, seed: int, jobs: int) -> Verdict:
    return claim.decide(profile, seed, jobs).about(claim.id, claim.statement)
