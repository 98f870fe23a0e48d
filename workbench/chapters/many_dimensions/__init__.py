"""Everything that the notebook `03_many_dimensions` shows, in its order."""

from workbench.chapters.many_dimensions.figures.ball_view import ball_view
from workbench.chapters.many_dimensions.figures.costs import (
    price_of_a_covariance,
    price_of_a_covariance_elsewhere,
    price_of_a_mean,
    price_of_a_mean_elsewhere,
    rows_as_predicted,
)
from workbench.chapters.many_dimensions.figures.ellipse_view import ellipse_view
from workbench.chapters.many_dimensions.figures.ellipses import ellipses, sides
from workbench.chapters.many_dimensions.figures.film import balls
from workbench.chapters.many_dimensions.figures.means import (
    error_against_dimension,
    error_against_rows,
    skewed_rows,
)
from workbench.chapters.many_dimensions.figures.means_view import means_view
from workbench.chapters.many_dimensions.figures.modes import bounds_kept, two_modes
from workbench.chapters.many_dimensions.figures.shapes import budget_of_steps, shrinking_balls
from workbench.chapters.many_dimensions.figures.steps import (
    error_against_steps,
    steps_beyond_the_default,
    steps_on_the_wrong_side,
)

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

FILMS = (balls,)

__all__ = [
    "CLAIMS",
    "FILMS",
    "FULL",
    "ball_view",
    "balls",
    "bounds_kept",
    "budget_of_steps",
    "ellipse_view",
    "ellipses",
    "error_against_dimension",
    "error_against_rows",
    "error_against_steps",
    "means_view",
    "price_of_a_covariance",
    "price_of_a_covariance_elsewhere",
    "price_of_a_mean",
    "price_of_a_mean_elsewhere",
    "rows_as_predicted",
    "shrinking_balls",
    "sides",
    "skewed_rows",
    "steps_beyond_the_default",
    "steps_on_the_wrong_side",
    "two_modes",
]
