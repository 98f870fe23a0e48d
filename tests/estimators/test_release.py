"""A release of a number reads as one, an array copies, and "no answer" is neither."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from workbench import ClippedMean, Median, TwoStepMean, UnboundedMean
from workbench.distributions import Ball, Interval, SparseCovariance
from workbench.errors import ArgumentError
from workbench.estimators import Abstention, Guarantee, Release
from workbench.estimators.release import Asked
from workbench.privacy import ApproxDP, Charge, PureDP

PLAN = Charge("mean", "laplace", 0.1, PureDP(1.0))


def released(value):
    return Release(value, PLAN, Guarantee(PureDP(1.0)))


def test_a_number():
    release = released(12.345)
    assert float(release) == 12.345
    assert f"{release:.1f}" == "12.3"
    assert f"{release}" == str(release)
    assert np.asarray(release) == 12.345
    assert np.asarray([release, release], np.float32).dtype == np.float32
    assert np.mean([released(1.0), released(3.0)]) == 2.0


def test_an_array_is_a_copy():
    release = released(np.array([1.0, 2.0]))
    array = np.asarray(release)
    array[0] = 7.0
    assert release.value.tolist() == [1.0, 2.0]
    assert np.array(release, copy=False) is not array
    assert np.asarray(release, np.float32).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError):
        float(release)
    with pytest.raises(TypeError):
        f"{release:.1f}"


def test_a_sparse_covariance_is_its_positive_semidefinite_part():
    value = SparseCovariance(np.diag([1.0, -1.0]), np.diag([1.0, 0.0]))
    assert np.array_equal(np.asarray(value), value.psd)
    assert np.array_equal(np.asarray(released(value)), value.psd)
    assert np.linalg.eigvalsh(value)[0] == 0.0


@pytest.mark.parametrize("value", [Interval(1.0, 2.0), Ball(np.zeros(2), 1.0)])
def test_what_is_no_array_stays_none(value):
    with pytest.raises(TypeError, match=type(value).__name__):
        np.asarray(released(value))
    with pytest.raises(TypeError):
        float(released(value))


@pytest.mark.parametrize("read", [float, np.asarray, "{:.1f}".format])
def test_no_answer_is_no_number(read):
    release = released(Abstention("vote"))
    with pytest.raises(ArgumentError, match="vote"):
        read(release)
    assert "no answer from step 'vote'" in f"{release}"


def test_a_release_is_immutable():
    with pytest.raises(FrozenInstanceError):
        released(1.0).value = 2.0


RUNS, LEVEL = 400, 0.2


@pytest.mark.daily
@pytest.mark.parametrize(
    ("estimator", "budget"),
    [
        (UnboundedMean(sigma=2.0), ApproxDP(1.0, 1e-3)),
        (ClippedMean(sigma=2.0, radius=9.0, centre=1.0), PureDP(1.0)),
        (TwoStepMean(sigma=2.0, radius=9.0, calibration="paper"), PureDP(4.0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_interval_round_a_release_covers(estimator, budget):
    # of 400 runs that miss with probability .2, more than 120 do once in 10^6; at half the width a normal
    # pivot misses .52 of them, and 120 or fewer once in 10^15
    missed, widths = 0, []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        release = estimator(rng.normal(5.0, 2.0, 400), budget=budget, rng=rng)
        found = release.interval(1 - LEVEL)
        missed += not found.contains(5.0)
        widths.append(found.high - found.low)
        assert release.abstained or (found.low + found.high) / 2 == pytest.approx(float(release))
    assert missed <= 120
    assert np.median(widths) < np.inf


def test_an_interval_is_the_whole_line_without_an_answer_and_refused_without_a_law():
    asked = Asked(UnboundedMean(sigma=1.0), 100, 1, ApproxDP(1.0, 1e-6))
    lost = Release(Abstention("locate"), PLAN, Guarantee(PureDP(1.0)), asked=asked)
    assert lost.interval(0.9) == Interval(-np.inf, np.inf)
    with pytest.raises(ArgumentError, match=r"^confidence = 1\.5"):
        lost.interval(1.5)
    for release in (
        released(1.0),
        Median(radius=9.0, sigma=1.0)(np.ones(30), budget=PureDP(1.0), rng=np.random.default_rng(1)),
    ):
        with pytest.raises(ArgumentError, match=r"release\.interval = 'float'"):
            release.interval()
