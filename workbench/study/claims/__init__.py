"""Every published claim that is executed, in one table.

A source adds its claims as a module with a tuple `CLAIMS`, imported here and named in `FAMILIES`.
"""

from collections.abc import Iterable

from workbench.errors import one_of
from workbench.study.claims.al22 import CLAIMS as AL22
from workbench.study.claims.al22_learners import CLAIMS as AL22_LEARNERS
from workbench.study.claims.al22_oracles import CLAIMS as AL22_ORACLES
from workbench.study.claims.base import Claim as Claim
from workbench.study.claims.base import index
from workbench.study.claims.l17_accounting import CLAIMS as L17_ACCOUNTING
from workbench.study.claims.l17_costs import CLAIMS as L17_COSTS
from workbench.study.claims.l17_intervals import CLAIMS as L17_INTERVALS
from workbench.study.claims.l17_location import CLAIMS as L17_LOCATION
from workbench.study.claims.l17_prediction import CLAIMS as L17_PREDICTION
from workbench.study.claims.l17_tight import CLAIMS as L17_TIGHT
from workbench.study.claims.lkko21 import CLAIMS as LKKO21
from workbench.study.claims.lkko21_exact import CLAIMS as LKKO21_EXACT
from workbench.study.claims.lkko21_parts import CLAIMS as LKKO21_PARTS
from workbench.study.claims.lkko21_robust import CLAIMS as LKKO21_ROBUST
from workbench.study.claims.lkko21_sizes import CLAIMS as LKKO21_SIZES
from workbench.study.claims.m21_accounting import CLAIMS as M21_ACCOUNTING
from workbench.study.claims.m21_coinpress_covariance import CLAIMS as M21_COINPRESS_COVARIANCE
from workbench.study.claims.m21_coinpress_gaussian import CLAIMS as M21_COINPRESS_GAUSSIAN
from workbench.study.claims.m21_coinpress_mean import CLAIMS as M21_COINPRESS_MEAN
from workbench.study.claims.m21_heavy import CLAIMS as M21_HEAVY
from workbench.study.claims.m21_heavy_net import CLAIMS as M21_HEAVY_NET
from workbench.study.claims.m21_unbounded import CLAIMS as M21_UNBOUNDED
from workbench.study.claims.mq import CLAIMS as MQ
from workbench.study.claims.mq_beside import CLAIMS as MQ_BESIDE
from workbench.study.claims.mq_learner import CLAIMS as MQ_LEARNER
from workbench.study.claims.wx19 import CLAIMS as WX19
from workbench.study.resources import resources
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
