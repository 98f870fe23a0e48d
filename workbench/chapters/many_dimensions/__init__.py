"""Everything that the notebook `03_many_dimensions` shows, in its order."""

from workbench.chapters.many_dimensions.box_and_ball import error_against_dimension, skewed_rows
from workbench.chapters.many_dimensions.coinpress import price_of_a_covariance, price_of_a_mean
from workbench.chapters.many_dimensions.steps import balls, error_against_steps, steps_on_the_wrong_side

CLAIMS = (
    "many-dimensions/published-errors",
    "many-dimensions/mean-excess",
    "many-dimensions/order-of-steps",
    "many-dimensions/covariance-excess",
    "many-dimensions/wrong-side-grows",
    "many-dimensions/near-and-flat",
    "many-dimensions/near-sample-mean",
)
FULL = (  # minutes of runs
    "many-dimensions/fewer-rows-than-proved",
    "many-dimensions/mean-rows-grow",
    "many-dimensions/covariance-rows-grow",
)
