"""What is claimed, in the order of the topics; the claims about how n grows come last."""

from workbench.chapters.matrix_quantile import lifted, outliers, rows
from workbench.chapters.matrix_quantile.claims import affine_scalings, scalings
from workbench.study.claim import Claim

CLAIMS: tuple[Claim, ...] = (
    *rows.CLAIMS,
    *outliers.CLAIMS,
    *lifted.CLAIMS,
    *scalings.CLAIMS,
    *affine_scalings.CLAIMS,
)
