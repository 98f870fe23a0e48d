"""The streams of random numbers that tests of estimators draw rows and noise from."""

import numpy as np


def rng(seed=1):
    """A stream of its own for each seed."""
    return np.random.default_rng(seed)
