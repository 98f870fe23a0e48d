"""Every published claim that is executed, in one table.

A source adds its claims as a module with a tuple `CLAIMS`, imported here and named in `FAMILIES`.
"""

from collections.abc import Iterable

from workbench.chapters.any_gaussian.claims.learners import CLAIMS as AL22_LEARNERS
from workbench.chapters.any_gaussian.claims.oracles import CLAIMS as AL22_ORACLES
from workbench.chapters.any_gaussian.claims.votes import CLAIMS as AL22
from workbench.chapters.covariance.claims.coinpress import CLAIMS as M21_COINPRESS_GAUSSIAN
from workbench.chapters.covariance.claims.heavy import CLAIMS as M21_HEAVY
from workbench.chapters.covariance.claims.net import CLAIMS as M21_HEAVY_NET
from workbench.chapters.covariance.claims.unbounded import CLAIMS as M21_UNBOUNDED
from workbench.chapters.many_dimensions.claims.covariance import CLAIMS as M21_COINPRESS_COVARIANCE
from workbench.chapters.many_dimensions.claims.mean import CLAIMS as M21_COINPRESS_MEAN
from workbench.chapters.matrix_quantile.claims.beside import CLAIMS as MQ_BESIDE
from workbench.chapters.matrix_quantile.claims.learner import CLAIMS as MQ_LEARNER
from workbench.chapters.matrix_quantile.claims.quantile import CLAIMS as MQ
from workbench.chapters.one_mean.claims.accounting import CLAIMS as L17_ACCOUNTING
from workbench.chapters.one_mean.claims.costs import CLAIMS as L17_COSTS
from workbench.chapters.one_mean.claims.intervals import CLAIMS as L17_INTERVALS
from workbench.chapters.one_mean.claims.location import CLAIMS as L17_LOCATION
from workbench.chapters.one_mean.claims.prediction import CLAIMS as L17_PREDICTION
from workbench.chapters.one_mean.claims.tight import CLAIMS as L17_TIGHT
from workbench.chapters.robust_and_private.claims.exact import CLAIMS as LKKO21_EXACT
from workbench.chapters.robust_and_private.claims.parts import CLAIMS as LKKO21_PARTS
from workbench.chapters.robust_and_private.claims.robust import CLAIMS as LKKO21_ROBUST
from workbench.chapters.robust_and_private.claims.sizes import CLAIMS as LKKO21_SIZES
from workbench.chapters.robust_and_private.claims.source import CLAIMS as LKKO21
from workbench.chapters.sparse_covariance.claims.source import CLAIMS as WX19
from workbench.chapters.start_here.claims import CLAIMS as M21_ACCOUNTING
from workbench.errors import one_of
from workbench.study.claim import Claim as Claim
from workbench.study.claim import index
from workbench.study.sweeps.resources import resources
from workbench.study.verdict import Verdict

FAMILIES: tuple[tuple[Claim, ...], ...] = (
    AL22,
    AL22_LEARNERS,
    AL22_ORACLES,
    L17_LOCATION,
    L17_COSTS,
    L17_TIGHT,
    L17_PREDICTION,
    L17_INTERVALS,
    L17_ACCOUNTING,
    LKKO21_EXACT,
    LKKO21,
    LKKO21_PARTS,
    LKKO21_ROBUST,
    LKKO21_SIZES,
    M21_ACCOUNTING,
    M21_COINPRESS_COVARIANCE,
    M21_COINPRESS_GAUSSIAN,
    M21_COINPRESS_MEAN,
    M21_HEAVY,
    M21_HEAVY_NET,
    M21_UNBOUNDED,
    MQ,
    MQ_BESIDE,
    MQ_LEARNER,
    WX19,
)
CLAIMS: dict[str, Claim] = index(*FAMILIES)


def decide(ids: Iterable[str], profile: str, seed: int, jobs: int | None = None) -> dict[str, Verdict]:
    """Return the verdicts on these claims by id, in the order asked for; `jobs` is as of `sweep.run`."""
    wanted = list(ids)
    for claim in wanted:
        one_of(CLAIMS, claim=claim)
    jobs = resources().jobs if jobs is None else jobs
    return {claim: _decided(CLAIMS[claim], profile, seed, jobs) for claim in wanted}


def _decided(claim: Claim, profile: str, seed: int, jobs: int) -> Verdict:
    return claim.decide(profile, seed, jobs).about(claim.id, claim.statement)
