"""The choice from a net: exact probabilities on neighbours, the sensitivity, how far the net reaches."""

from math import log, pi, sqrt

import numpy as np
import pytest

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import nets as pure_net
from workbench.estimators.nets import MOST, ROWS, PureNetCovariance, directions, monomials, net
from workbench.losses import mahalanobis_covariance_error
from workbench.populations import MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, PureDP
from workbench.privacy.mechanisms import selection_scale


@pytest.mark.daily
def test_scores_are_the_definition():
    estimator, rng = (
        PureNetCovariance(upper=9.0, centred=True, alpha=0.8, lower=1.0),
        np.random.default_rng(1),
    )
    x = 3 * rng.standard_normal((1100, 2))  # more rows than are held at a time
    made, clip = estimator.net(2), 1.7
    values = estimator.scores(x, clip)
    for place in rng.integers(0, made.size, 8):
        candidate = made.candidates[place]
        spectrum, basis = np.linalg.eigh(candidate)
        root = (basis / np.sqrt(spectrum)) @ basis.T
        w = x / 3 @ root
        means = [
            np.mean([np.clip(row @ u @ row - np.trace(u), -clip, clip) for row in w]) for u in directions(2)
        ]
        assert values[place] == pytest.approx(-np.abs(means).max(), rel=1e-9)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 16.0, 1000.0])
def test_every_covariance_is_near_a_candidate(ratio):
    made, rng = net(2, ratio, 0.3), np.random.default_rng(3)
    assert len(made.candidates) == made.size
    values = np.linalg.eigvalsh(made.candidates)
    assert values.min() >= 1 / ratio * (1 - 1e-12)
    assert values.max() <= 1 + 1e-12
    roots = np.linalg.inv(np.linalg.cholesky(made.candidates))
    for _ in range(200):
        a, b, angle = -rng.uniform(0, log(ratio)), -rng.uniform(0, log(ratio)), rng.uniform(0, pi)
        axis = np.array([np.cos(angle), np.sin(angle)])
        truth = np.exp(b) * np.eye(2) + (np.exp(a) - np.exp(b)) * np.outer(axis, axis)
        gaps = np.linalg.norm(roots @ truth @ roots.transpose(0, 2, 1) - np.eye(2), axis=(1, 2))
        assert gaps.min() <= 1.5 * 0.3


def test_directions_have_norm_one_and_see_every_matrix():
    u, rng = directions(2), np.random.default_rng(1)
    assert np.allclose(np.linalg.norm(u, axis=(1, 2)), 1)
    assert (u == u.transpose(0, 2, 1)).all()
    for _ in range(500):
        e = rng.standard_normal((2, 2))
        e = (e + e.T) / np.linalg.norm(e + e.T)
        assert np.abs(np.einsum("nij,ij->n", u, e)).max() >= 0.9
    assert directions(1).tolist() == [[[1.0]]]
    assert monomials(np.array([[2.0, 3.0]])).tolist() == [[4.0, 6.0, 9.0]]


@pytest.mark.daily
@pytest.mark.parametrize("d", [1, 2])
def test_the_draw_has_the_probabilities_of_the_scores(d):
    estimator, budget, runs = (
        PureNetCovariance(upper=4.0, centred=True, alpha=0.95, lower=1.0),
        PureDP(2.0),
        4000,
    )
    x = 1.5 * np.random.default_rng(1).standard_normal((40, d))
    charge = estimator.plan(40, d, budget)["candidate"]
    logs = estimator.scores(x, estimator.clip(40, d, budget)) / selection_scale(charge)
    chances = np.exp(logs - np.logaddexp.reduce(logs))
    rng = np.random.default_rng(2)
    drawn = np.array([estimator(x, budget=budget, rng=rng).value for _ in range(runs)])
    made = 4 * estimator.net(d).candidates
    counts = np.array([(drawn == candidate).all(axis=(1, 2)).sum() for candidate in made])
    common = chances * runs > 5
    statistic = ((counts - chances * runs) ** 2 / (chances * runs))[common].sum()
    freedom = common.sum()
    assert statistic < freedom + 6 * sqrt(2 * freedom) + 18  # beyond a false alarm of 1e-6


def median_error(estimator, law, n, budget, runs=7):
    values = [
        estimator(
            law.sample(n, rng=np.random.default_rng(s)), budget=budget, rng=np.random.default_rng(s + 50)
        )
        for s in range(runs)
    ]
    return float(np.median([mahalanobis_covariance_error(one.value, law.covariance) for one in values]))


@pytest.mark.daily
def test_the_error_falls_to_the_step_of_the_net():
    law = MultivariateStudent(Gaussian(np.zeros(2), np.array([[6.0, 3.0], [3.0, 4.0]])), 8.0)
    constants = {"lower": 1.0, "moments": 3, "hypercontractivity": law.hypercontractivity(3), "centred": True}
    errors = {
        (alpha, n): median_error(PureNetCovariance(upper=16.0, alpha=alpha, **constants), law, n, PureDP(1.0))
        for alpha, n in ((0.9, 100), (0.9, 2000), (0.5, 2000))
    }
    assert errors[0.9, 2000] < errors[0.9, 100]
    assert errors[0.9, 2000] <= 0.9
    assert errors[0.5, 2000] <= 0.5


@pytest.mark.parametrize("budget", [ApproxDP(1.0, 1e-6), GaussianDP(1.0), ZCDP(1.0, 1e-6)])
def test_other_budgets_are_refused(budget):
    with pytest.raises(ArgumentError):
        PureNetCovariance(upper=4.0, lower=1.0).plan(100, 2, budget)


def test_the_net_is_bounded():
    with pytest.raises(ArgumentError, match="alpha"):
        PureNetCovariance(upper=1e6, alpha=0.1, lower=1.0).plan(100, 2, PureDP(1.0))
    with pytest.raises(ArgumentError, match="d = 3"):
        PureNetCovariance(upper=4.0, lower=1.0).plan(100, 3, PureDP(1.0))
    assert PureNetCovariance(upper=100.0, alpha=0.3, lower=1.0).net(2).size <= MOST


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


def on_the_cone(form, rng):
    """A row whose form is 0 but for rounding, 1e30 long."""
    a, b, c = form
    while True:
        y = rng.standard_normal()
        root = (b * y) ** 2 - 4 * a * c * y * y
        if root > 0:
            return 1e30 * np.array([(-b * y + sqrt(root)) / (2 * a), y])


def test_a_row_that_goes_moves_no_score_by_more_than_its_sensitivity():
    estimator, budget, rng = PureNetCovariance(upper=1.0, lower=0.25, centred=True), PureDP(1.0), rng_of(1)
    n = ROWS + 1  # the last row stands alone, unless one before it is not there
    clip, (charge,) = estimator.clip(n, 2, budget), estimator.plan(n, 2, budget).charges()
    row, form = leading(estimator, clip)
    for _ in range(40):
        x = np.tile(row, (n, 1))
        x[0], x[-1] = 1e20 * row, on_the_cone(form, rng)
        y = x.copy()
        y[0] = np.nan
        first, second = (np.asarray(estimator.scores(rows, clip)) for rows in (x, y))
        assert np.abs(first - second).max() <= charge.sensitivity * (1 + 1e-9)


def test_what_is_multiplied_has_a_public_shape(monkeypatch):
    shapes, rng = [], rng_of(2)
    monkeypatch.setattr(pure_net, "monomials", lambda w: shapes.append(w.shape) or monomials(w))
    x = rng.standard_normal((ROWS + 1, 2))
    for share in (0.0, 0.3, 1.0):
        x[: int(share * len(x))] = np.nan
        PureNetCovariance(upper=1.0, centred=True, lower=1.0).scores(x, 2.0)
    assert shapes == 3 * [(ROWS, 2), (1, 2)]


def rng_of(seed):
    return np.random.default_rng(seed)
