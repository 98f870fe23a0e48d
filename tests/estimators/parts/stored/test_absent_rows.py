"""Absent rows of a source are those of rows in memory, to the last bit."""

import numpy as np
import pytest

from workbench import ZCDP, ClippedCovariance, ClippedMean, CoinPressCovariance, CoinPressMean
from workbench.estimators.files import stream

ESTIMATORS = (
    CoinPressMean(radius=100.0, sigma=1.0),
    ClippedCovariance(upper=4.0),
    CoinPressCovariance(upper=4.0, lower=1.0),
    ClippedMean(radius=100.0, sigma=1.0),
)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_a_stream_with_absent_rows_gives_the_bits_of_rows_in_memory(estimator):
    d = 1 if isinstance(estimator, ClippedMean) else 2
    x = 5 + np.random.default_rng(1).standard_normal((50_001, d))
    x[np.random.default_rng(2).random(len(x)) < 0.2, -1] = np.nan
    whole = estimator(x, budget=ZCDP(0.5), rng=np.random.default_rng(3)).value
    parts = stream(
        estimator,
        lambda: iter(np.array_split(x, 7)),
        n=len(x),
        d=d,
        budget=ZCDP(0.5),
        rng=np.random.default_rng(3),
    )
    assert np.asarray(parts.value).tobytes() == np.asarray(whole).tobytes()
