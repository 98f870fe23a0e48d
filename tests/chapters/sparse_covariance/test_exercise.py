"""The worlds that judge a reader's rule."""

import numpy as np

from workbench.chapters.sparse_covariance.exercise import hidden_worlds
from workbench.estimators.sparse import Noise, thresholded


def test_the_default_rule_is_as_good_as_itself_and_zeros_are_worse():
    def default(T, tau, n):
        return thresholded(T, Noise(np.sqrt(2) * tau, tau, n), "adaptive-lasso", np.random.default_rng(0))

    assert "20 hidden worlds: 1.00 times the error of the default rule" in hidden_worlds(default)
    zeros = hidden_worlds(lambda T, tau, n: np.zeros_like(T))
    assert float(zeros.split(": ")[1].split(" ")[0]) > 2


def test_a_rule_cannot_change_the_release_that_others_see():
    def spoils(T, tau, n):
        T[:] = 0
        return T

    assert hidden_worlds(spoils) == hidden_worlds(lambda T, tau, n: np.zeros_like(T))
