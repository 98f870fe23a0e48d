"""Unbounded Gaussians: what steps may cost, which steps run, degenerate rows, any condition number."""

from functools import cache

import numpy as np
import pytest

from workbench.cli import main
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.estimators.base import Trace
from workbench.estimators.covariance import unbounded
from workbench.estimators.covariance.unbounded import UnboundedCovariance
from workbench.estimators.gaussian.unbounded import UnboundedGaussian
from workbench.estimators.parts.gaussians import unbounded_tight
from workbench.estimators.parts.gaussians.finish import RoundFinish, completed
from workbench.estimators.parts.gaussians.frame import Frame, Moments, identity_frame, padded, point_mass
from workbench.estimators.parts.gaussians.lifted_moment import LiftedMoment
from workbench.estimators.parts.gaussians.steps import length_beyond, slope
from workbench.estimators.parts.gaussians.unbounded_paper import _Run
from workbench.estimators.parts.rows import within_ball
from workbench.losses import gaussian_error, mahalanobis_covariance_error
from workbench.privacy import ZCDP, ApproxDP, PureDP, SimulatedNoise, UnitNoise
from workbench.privacy.grid import OnGrid
from workbench.privacy.plan import Charge
from workbench.study.search import fewest_rows

KINDS = [
    kind(calibration=calibration, centred=centred)
    for kind in (UnboundedCovariance, UnboundedGaussian)
    for calibration in ("tight", "paper")
    for centred in (False, True)
]
BUDGET, LOUD = ApproxDP(1.0, 1e-6), ZCDP(20.0, 1e-6)


def named(estimator):
    centred = "centred" if estimator.centred else "moved"
    return f"{type(estimator).__name__}-{estimator.calibration}-{centred}"


@cache
def start(estimator, d, budget):
    return fewest_rows(estimator, d, budget)


def run(estimator, x, seed, budget=LOUD):
    return estimator(x, budget=budget, rng=np.random.default_rng(seed)).value


def law(rng, values, far=1000.0):
    """A Gaussian with these variances along random axes, `far` standard deviations away, and its root."""
    basis = np.linalg.qr(rng.standard_normal((len(values),) * 2))[0]
    root = basis * np.sqrt(values)
    return root @ np.full(len(values), far / np.sqrt(len(values))), root


def error(value, mean, root):
    """The larger error of mean and covariance in the frame of the truth, exact at any condition number."""
    if isinstance(value, Abstention):
        return np.inf
    covariance = value.covariance if isinstance(value, Gaussian) else value
    inverse = (root / (root**2).sum(axis=0)).T
    shape = np.linalg.norm(inverse @ covariance @ inverse.T - np.eye(len(mean)))
    place = np.linalg.norm(inverse @ (value.mean - mean)) if isinstance(value, Gaussian) else 0.0
    return max(shape, place)


@pytest.mark.parametrize("estimator", KINDS, ids=named)
@pytest.mark.parametrize("rank", [1, 2])
def test_rows_of_a_subspace_are_measured_in_it(estimator, rank):
    rng, d = np.random.default_rng(5), 3
    basis = np.linalg.qr(rng.standard_normal((d, rank)))[0]
    n, scales = 4 * start(estimator, d, LOUD), np.geomspace(1e3, 1.0, rank)
    centre = np.zeros(d) if estimator.centred else basis @ np.full(rank, 7.0)
    value = run(estimator, centre + rng.standard_normal((n, rank)) * scales @ basis.T, 6)
    assert not isinstance(value, Abstention)
    covariance = value.covariance if isinstance(value, Gaussian) else value
    inside = basis.T @ covariance @ basis
    assert mahalanobis_covariance_error(inside, np.diag(scales**2)) < 0.3
    assert np.linalg.norm(covariance - basis @ inside @ basis.T) < 1e-7 * scales[0] ** 2
    assert np.linalg.matrix_rank(covariance, tol=1e-9 * scales[0] ** 2) == rank
    if isinstance(value, Gaussian):
        assert np.abs((basis.T @ (value.mean - centre)) / scales).max() < 0.2
        assert np.linalg.norm((np.eye(d) - basis @ basis.T) @ value.mean) < 1e-6 * scales[0]


@pytest.mark.parametrize("estimator", KINDS, ids=named)
def test_rows_that_are_all_alike_have_covariance_zero_and_no_unit_for_a_mean(estimator):
    d = 2
    value = run(estimator, np.full((4 * start(estimator, d, LOUD), d), 0.0 if estimator.centred else 5.0), 7)
    if isinstance(estimator, UnboundedGaussian) and not estimator.centred:
        assert isinstance(value, Abstention)
        return
    covariance = value.covariance if isinstance(value, Gaussian) else value
    assert not isinstance(value, Abstention)
    assert (covariance == 0).all()


SPECTRA = {
    "round": lambda d: np.ones(d),
    "geometric": lambda d: np.geomspace(1, 1e-12, d),
    "one large": lambda d: np.append(1.0, np.full(d - 1, 1e-8)),
    "one small": lambda d: np.append(np.ones(d - 1), 1e-4),
    "huge": lambda d: np.geomspace(1e60, 1e52, d),
}


@pytest.mark.daily
@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("estimator", KINDS, ids=named)
def test_every_shape_is_found_from_where_it_starts(estimator, spectrum):
    """With twice the fewest rows: no error of a half in six runs, and none of a third in the middle."""
    rng, d, errors = np.random.default_rng(8), 3, []
    n = 2 * start(estimator, d, BUDGET if estimator.calibration == "tight" else LOUD)
    budget = BUDGET if estimator.calibration == "tight" else LOUD
    for seed in range(6):
        mean, root = law(rng, SPECTRA[spectrum](d), 0.0 if estimator.centred else 1000.0)
        rows = mean + rng.standard_normal((n, d)) @ root.T
        errors.append(error(run(estimator, rows, seed, budget), mean, root))
    assert max(errors) < 0.5
    assert np.median(errors) < 0.33


def test_where_tight_starts():
    for d, most in ((2, 3300), (3, 6200), (5, 14_000)):
        assert start(UnboundedGaussian(), d, BUDGET) == start(UnboundedCovariance(), d, BUDGET) <= most
        assert start(UnboundedGaussian(calibration="paper"), d, BUDGET) > 5 * most


def test_too_few_rows_are_refused_with_the_number(tmp_path, capsys):
    least = start(UnboundedGaussian(), 2, BUDGET)
    for n in (10, least - 1):
        with pytest.raises(ArgumentError, match=f"n = {n}: expected at least {least} rows"):
            UnboundedGaussian().plan(n, 2, BUDGET)
    for budget in (PureDP(1.0), ZCDP(0.1), ApproxDP(1.0, 0.0)):
        with pytest.raises(ArgumentError, match="budget"):
            UnboundedGaussian().plan(10**6, 2, budget)
    table = tmp_path / "rows.csv"
    np.savetxt(
        table, np.random.default_rng(9).standard_normal((50, 2)), delimiter=",", header="a,b", comments=""
    )
    for key in ("covariance/unbounded", "gaussian/unbounded"):
        assert main(["estimate", str(table), "--key", key, "--epsilon", "1", "--delta", "1e-6"]) == 2
        assert f"at least {least} rows" in capsys.readouterr().err


def answers(n, runs=20):
    estimator, found = UnboundedGaussian(), []
    for seed in range(runs):
        law = run(estimator, np.random.default_rng((26, seed)).standard_normal((n, 2)), seed, BUDGET)
        found.append([*law.mean, *law.covariance.ravel()])
    return found


def test_complete_rows_are_divided_by_no_share(monkeypatch):
    """To the last bit: of 60 corners one is taken for absent rows once in 33."""
    n = 2 * start(UnboundedGaussian(), 2, BUDGET)
    found = answers(n)
    monkeypatch.setattr(LiftedMoment, "share", lambda *_: 1.0)
    assert found == answers(n)


def test_a_translation_moves_the_mean_alone():
    rng, estimator = np.random.default_rng(12), UnboundedGaussian()
    rows = np.round(rng.standard_normal((2 * start(estimator, 2, LOUD), 2)) * 2.0**30) / 2.0**30
    one, other = run(estimator, rows, 13), run(estimator, rows + np.array([1024.0, -64.0]), 13)
    assert other.mean - [1024.0, -64.0] == pytest.approx(one.mean, abs=1e-9)
    assert other.covariance == pytest.approx(one.covariance, rel=1e-9)


def test_turned_rows_have_the_turned_law():
    """Errors in the frame of the truth have the same law in every frame: medians of 24 runs, both ways."""
    rng, estimator, errors = np.random.default_rng(14), UnboundedGaussian(), {False: [], True: []}
    n, values = 2 * start(estimator, 2, LOUD), np.array([1.0, 1e-6])
    for turned in errors:
        for seed in range(24):
            mean, root = law(rng, values) if turned else (np.zeros(2), np.diag(np.sqrt(values)))
            rows = mean + rng.standard_normal((n, 2)) @ root.T
            errors[turned].append(error(run(estimator, rows, seed), mean, root))
    middle = {turned: np.median(found) for turned, found in errors.items()}
    assert 0.5 < middle[True] / middle[False] < 2.0


@pytest.mark.parametrize(
    ("factor", "step"), [(0.0, "eigenvalue in frame"), (1e-40, "moment"), (1e40, "moment")]
)
def test_an_eigenvalue_that_is_wrong_in_the_frame_is_no_answer(monkeypatch, factor, step):
    """The least one is 0, or it or the largest far off: rows do not become round."""
    estimator, found = UnboundedCovariance(centred=True), []
    measure = unbounded_tight.TightUnbounded._eigenvalues

    def wrong(self, *arguments):
        found.append(measure(self, *arguments))
        if len(found) == 2:
            found[-1][0 if factor > 1 else -1] *= factor
        return found[-1]

    monkeypatch.setattr(unbounded_tight.TightUnbounded, "_eigenvalues", wrong)
    rows = np.random.default_rng(15).standard_normal((2 * start(estimator, 2, LOUD), 2))
    value = run(estimator, rows, 16)
    assert isinstance(value, Abstention)
    assert value.step.startswith(step)
    assert len(found) == 2


def test_moments_that_are_no_numbers_are_no_answer(monkeypatch):
    recipe = UnboundedGaussian().recipe(10**4, 2, BUDGET)
    found = Moments(np.zeros(2), np.full((2, 2), np.inf))
    monkeypatch.setattr(type(recipe), "estimate", lambda *_: found)
    assert unbounded.moments(recipe, np.zeros((2, 2)), UnitNoise(), None) == Abstention("covariance")


def test_a_preconditioner_closes_its_gap_and_keeps_the_others():
    """M21/UG Theorem 5.1, with the exact projection: gap k becomes 1, the later eigenvalues stay."""
    rng, values = np.random.default_rng(17), np.array([1e8, 1e7, 1e3, 1.0])
    basis = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    sigma, gap = (basis * values) @ basis.T, np.sqrt(1e3 / 1e7)
    frame = identity_frame(4).shrunk(basis[:, :2], gap)
    shaped = np.linalg.eigvalsh(frame.matrix @ sigma @ frame.matrix.T)[::-1]
    assert shaped == pytest.approx([1e4, 1e3, 1e3, 1.0], rel=1e-6)


def test_a_fine_step_flattens_what_is_above_its_reference():
    """M21/UG Theorem 5.2 without noise: eigenvalues above λ_{k+1} come to about it, the others stay."""
    estimator, rng = UnboundedCovariance(centred=True, calibration="paper"), np.random.default_rng(18)
    n, values = 400_000, np.array([40.0, 9.0, 1.0])
    recipe = estimator.recipe(n, 3, LOUD)
    charge = next(one for one in recipe.charges() if one.step == "fine 2")
    run_ = _Run(recipe, rng.standard_normal((n, 3)) * np.sqrt(values), iter([charge]), SimulatedNoise(rng))
    run_.values = values
    matrix = run_._fine(2).matrix
    assert np.linalg.eigvalsh(matrix @ np.diag(values) @ matrix.T) == pytest.approx([1.0] * 3, abs=0.05)
    run_.charges = iter([Charge("fine 1", charge.mechanism, charge.sensitivity, charge.cost)])
    matrix = run_._fine(1).matrix
    assert np.linalg.eigvalsh(matrix @ np.diag(values) @ matrix.T) == pytest.approx([1, 9, 9], rel=0.05)


def test_a_frame_maps_there_and_back():
    rng = np.random.default_rng(19)
    basis, shape = np.linalg.qr(rng.standard_normal((4, 2)))[0], rng.standard_normal((2, 2))
    frame, moment = Frame(basis, shape), np.array([[2.0, 0.5], [0.5, 1.0]])
    vector = rng.standard_normal(2)
    assert frame.matrix @ frame.back(vector) == pytest.approx(vector)
    assert frame.matrix @ frame.covariance(moment) @ frame.matrix.T == pytest.approx(moment)
    assert np.linalg.matrix_rank(completed(frame)) == 4
    assert completed(identity_frame(3)).tolist() == np.eye(3).tolist()
    whole = padded(OnGrid(np.arange(1, 5).reshape(2, 2), 0.5), 3)
    assert np.asarray(whole).tolist() == [[0.5, 1.0, 0.0], [1.5, 2.0, 0.0], [0.0, 0.0, 0.0]]
    assert padded(OnGrid(np.arange(2), 0.5), 3).counts.tolist() == [0, 1, 0]


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_slope_of_a_clipped_mean_is_exact(d):
    """Against a difference quotient over the same normal rows: its error is that of the average alone."""
    rng, radius, step = np.random.default_rng(20), 1.2 * np.sqrt(d), 0.2
    z = rng.standard_normal((200_000, d))
    z = np.concatenate([z, -z])
    found = within_ball(z + step * np.eye(d)[0], radius)[:, 0].mean() / step
    assert found == pytest.approx(slope(d, radius), abs=0.01)


def test_lengths_of_normal_rows_are_beyond_their_quantile_as_often_as_stated():
    z = np.random.default_rng(21).standard_normal((200_000, 3)) * np.sqrt([1.0, 0.3, 0.01])
    beyond = (np.linalg.norm(z, axis=1) > length_beyond(np.array([1.0, 0.3, 0.01]), 0.1)).mean()
    assert beyond == pytest.approx(0.1, abs=0.02)


def test_the_finish_alone_is_near_the_sample_moments():
    """With a frame off by 10 and little noise, the last steps are as good as all rows allow."""
    rng, d, n = np.random.default_rng(22), 3, 20_000
    recipe = RoundFinish(n, d, ZCDP(50.0, 1e-6), (1.0, 0.3, 0.1))
    truth = Gaussian([5.0, -3.0, 100.0], np.diag([10.0, 1.0, 3.0]))
    rows = truth.mean + rng.standard_normal((n, d)) * np.sqrt(np.diag(truth.covariance))
    found = recipe.estimate(
        rows, identity_frame(d), np.array([12.0, 4.0, 1.1]), list(recipe.charges()), SimulatedNoise(rng)
    )
    plain = gaussian_error(Gaussian(rows.mean(axis=0), np.cov(rows.T)), truth)
    assert gaussian_error(Gaussian(found.mean, found.covariance), truth) < 2 * plain


def test_a_trace_holds_the_released_steps_of_the_loop():
    trace, estimator = Trace(), UnboundedCovariance()
    rows = np.random.default_rng(23).standard_normal((start(estimator, 2, LOUD), 2))
    estimator(rows, budget=LOUD, rng=np.random.default_rng(24), trace=trace)
    assert set(trace.records) == {"eigenvalues", "frame", "eigenvalues_in_frame"}
    assert point_mass(2).finite
