"""Every published claim that is executed, in one table: those of the chapters, in the order of the story."""

from collections.abc import Iterable

from workbench.chapters.any_gaussian import claims as any_gaussian
from workbench.chapters.covariance import claims as covariance
from workbench.chapters.many_dimensions import claims as many_dimensions
from workbench.chapters.matrix_quantile import claims as matrix_quantile
from workbench.chapters.one_mean import claims as one_mean
from workbench.chapters.robust_and_private import story as robust_and_private
from workbench.chapters.sparse_covariance import story as sparse_covariance
from workbench.chapters.what_epsilon_means import claims as what_epsilon_means
from workbench.chapters.which_one import claims as which_one
from workbench.errors import one_of
from workbench.study.claim import Claim as Claim
from workbench.study.claim import index
from workbench.study.rules import Verdict
from workbench.study.sweeps import resources

CHAPTERS = (
    what_epsilon_means,
    one_mean,
    many_dimensions,
    covariance,
    any_gaussian,
    matrix_quantile,
    robust_and_private,
    sparse_covariance,
    which_one,
)
CLAIMS: dict[str, Claim] = index(*(chapter.CLAIMS for chapter in CHAPTERS))


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
