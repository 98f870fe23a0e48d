"""What is claimed, and the checks that decide it."""

from workbench.chapters.many_dimensions.claims import covariance, mean, scalings
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (*mean.CLAIMS, *covariance.CLAIMS, *scalings.CLAIMS)
