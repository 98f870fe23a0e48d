"""What counts as rows and as randomness: frames, series and lists; generators and noise sources."""

import numpy as np
import pandas as pd
import pytest

from workbench import ApproxDP, PureDP, TwoStepMean, UnboundedMean

ROWS = np.arange(30.0)


def released(estimator, x, budget):
    return estimator(x, budget=budget, rng=np.random.default_rng(0))


@pytest.mark.parametrize("rng", [None, 0, "seed", np.random.default_rng, np.random.SeedSequence(0)])
def test_randomness_is_a_generator_or_a_noise_source(rng):
    with pytest.raises(ValueError, match="rng = "):
        TwoStepMean(radius=1)(ROWS, budget=PureDP(1), rng=rng)


def test_labels_of_a_frame_and_of_a_series_are_kept():
    frame = pd.DataFrame({"height": ROWS})
    assert released(UnboundedMean(), frame, ApproxDP(1, 0.1)).labels == ("height",)
    assert released(UnboundedMean(), frame["height"], ApproxDP(1, 0.1)).labels == ("height",)
    assert released(UnboundedMean(), list(ROWS), ApproxDP(1, 0.1)).labels is None


def test_missing_entries_of_nullable_columns_are_rows_like_others():
    column = pd.Series([1, None, 3, 4], dtype="Int64")
    zeroed = pd.Series([1, 0, 3, 4])
    one, other = (released(TwoStepMean(radius=10), x, PureDP(1)).value for x in (column, zeroed))
    assert one == other
