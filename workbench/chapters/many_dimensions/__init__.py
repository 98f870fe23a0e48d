"""Everything that the notebook `03_many_dimensions` shows, in its order."""

from workbench.chapters.many_dimensions.figures.ball_view import ball_view
from workbench.chapters.many_dimensions.figures.costs import price_of_a_covariance, price_of_a_mean
from workbench.chapters.many_dimensions.figures.ellipse_view import ellipse_view
from workbench.chapters.many_dimensions.figures.ellipses import ellipses, sides
from workbench.chapters.many_dimensions.figures.means import error_against_dimension, skewed_rows
from workbench.chapters.many_dimensions.figures.means_view import means_view
from workbench.chapters.many_dimensions.figures.modes import two_modes
from workbench.chapters.many_dimensions.figures.shapes import budget_of_steps, shrinking_balls
from workbench.chapters.many_dimensions.figures.steps import error_against_steps

CLAIMS = (
    "many-dimensions/mean-excess",
    "many-dimensions/order-of-steps",
    "many-dimensions/covariance-excess",
    "many-dimensions/two-steps-or-more",
    "many-dimensions/proved-bounds-hold",
    "many-dimensions/wrong-side-grows",
    "many-dimensions/near-and-flat",
    "many-dimensions/near-sample-mean",
)
FULL = (  # minutes of runs
    "many-dimensions/fewer-rows-than-proved",
    "many-dimensions/mean-rows-grow",
    "many-dimensions/covariance-rows-grow",
)

__all__ = [
    "CLAIMS",
    "FULL",
    "ball_view",
    "budget_of_steps",
    "ellipse_view",
    "ellipses",
    "error_against_dimension",
    "error_against_steps",
    "means_view",
    "price_of_a_covariance",
    "price_of_a_mean",
    "shrinking_balls",
    "sides",
    "skewed_rows",
    "two_modes",
]
