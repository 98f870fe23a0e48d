"""What is claimed, and the checks that decide it."""

from workbench.chapters.matrix_quantile.claims import (
    affine_anywhere,
    affine_scalings,
    beside,
    first_rows,
    learner,
    quantile,
    scalings,
)
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *quantile.CLAIMS,
    *beside.CLAIMS,
    *learner.CLAIMS,
    *scalings.CLAIMS,
    *affine_scalings.CLAIMS,
    *affine_anywhere.CLAIMS,
    *first_rows.CLAIMS,
)
