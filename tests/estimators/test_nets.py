"""The choice from a net: scores by their definition, their sensitivity, how far the net reaches."""

from math import log, pi, sqrt

import numpy as np
import pytest

from tests.estimators.streams import rng
from workbench.estimators import nets
from workbench.estimators.nets import ROWS, PureNetCovariance, directions, monomials, net
from workbench.privacy import PureDP


@pytest.mark.parametrize("ratio", [1.0, 16.0, 200.0])
def test_every_covariance_is_near_a_candidate(ratio):
    made, source = net(2, ratio, 0.3), rng(3)
    values = np.linalg.eigvalsh(made.candidates)
    assert len(made.candidates) == made.size
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


def leading(estimator, clip):
    """A row of which some form is far above all others of its candidate, below the clip; that form."""
    angles, traces = np.linspace(0, pi, 721), np.trace(directions(2), axis1=1, axis2=2)
    rows = 2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    terms = np.einsum("ij,nuj->nui", monomials(rows), estimator.net(2).forms) - traces[:, None]
    ordered = np.sort(np.abs(terms), axis=1)
    gaps = np.where(ordered[:, -1] < 0.9 * clip, ordered[:, -1] - ordered[:, -2], -1.0)
    place, row = np.unravel_index(np.argmax(gaps), gaps.shape)
    direction = np.argmax(np.abs(terms[place, :, row]))
    assert terms[place, direction, row] > 0
    return rows[row], estimator.net(2).forms[place, direction]


def on_the_cone(form, source):
    """A row whose form is 0 but for rounding, 1e30 long."""
    (a, b, c), root = form, -1.0
    while root <= 0:
        y = source.standard_normal()
        root = (b * y) ** 2 - 4 * a * c * y * y
    return 1e30 * np.array([(-b * y + sqrt(root)) / (2 * a), y])


def test_a_row_that_goes_moves_no_score_by_more_than_its_sensitivity():
    estimator, budget, source = PureNetCovariance(upper=1.0, lower=0.25, centred=True), PureDP(1.0), rng(1)
    n = ROWS + 1  # the last row stands alone, unless one before it is not there
    clip, (charge,) = estimator.clip(n, 2, budget), estimator.plan(n, 2, budget).charges()
    row, form = leading(estimator, clip)
    for _ in range(15):
        x = np.tile(row, (n, 1))
        x[0], x[-1] = 1e20 * row, on_the_cone(form, source)
        y = x.copy()
        y[0] = np.nan
        first, second = (np.asarray(estimator.scores(rows, clip)) for rows in (x, y))
        assert np.abs(first - second).max() <= charge.sensitivity * (1 + 1e-9)


def test_what_is_multiplied_has_a_public_shape(monkeypatch):
    shapes, x = [], rng(2).standard_normal((ROWS + 1, 2))
    monkeypatch.setattr(nets, "monomials", lambda w: shapes.append(w.shape) or monomials(w))
    for share in (0.0, 0.3, 1.0):
        x[: int(share * len(x))] = np.nan
        PureNetCovariance(upper=1.0, centred=True, lower=1.0).scores(x, 2.0)
    assert shapes == 3 * [(ROWS, 2), (1, 2)]
