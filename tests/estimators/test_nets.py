"""The choice from a net: scores by their definition, their sensitivity, how far the net reaches."""

from math import log, pi

import numpy as np
import pytest

from tests.estimators.streams import rng
from workbench.estimators import nets
from workbench.estimators.nets import ROWS, PureNetCovariance, monomials, net


@pytest.mark.parametrize("ratio", [1.0, 16.0, 200.0])
def test_every_covariance_is_near_a_candidate(ratio):
    made, source = net(2, ratio, 0.3), rng(3)
    values = np.linalg.eigvalsh(made.candidates)
    given = PureNetCovariance(upper=4.0, lower=4.0 / ratio, alpha=0.6, centred=True)
    assert len(made.candidates) == made.size == given.net(2).size
    assert 1 / ratio * (1 - 1e-12) <= values.min() <= values.max() <= 1 + 1e-12
    roots = np.linalg.inv(np.linalg.cholesky(made.candidates))
    for _ in range(100):
        a, b, angle = -source.uniform(0, log(ratio)), -source.uniform(0, log(ratio)), source.uniform(0, pi)
        axis = np.array([np.cos(angle), np.sin(angle)])
        truth = np.exp(b) * np.eye(2) + (np.exp(a) - np.exp(b)) * np.outer(axis, axis)
        gaps = np.linalg.norm(roots @ truth @ roots.transpose(0, 2, 1) - np.eye(2), axis=(1, 2))
        assert gaps.min() <= 1.5 * 0.3


# A row that is absent keeps its place: the bits of a product of matrices depend on where a row stands, and a
# form of rows on its null cone, far out, is nothing but such bits.


def test_what_is_multiplied_has_a_public_shape(monkeypatch):
    shapes, x = [], rng(2).standard_normal((ROWS + 1, 2))
    monkeypatch.setattr(nets, "monomials", lambda w: shapes.append(w.shape) or monomials(w))
    for share in (0.0, 0.3, 1.0):
        x[: int(share * len(x))] = np.nan
        PureNetCovariance(upper=1.0, centred=True, lower=1.0).scores(x, 2.0)
    assert shapes == 3 * [(ROWS, 2), (1, 2)]
