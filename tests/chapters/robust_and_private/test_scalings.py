"""The claims about how n grows, where n is known: they hold, and are refuted where a number counts twice.

A run succeeds with a chance that rises with ln n round what a formula says: nothing is estimated.
"""

import numpy as np
import pytest
from scipy.special import ndtr

from tests.chapters.worlds import checks_of, decided
from workbench.bounds import lkko21
from workbench.bounds.shape import Shape
from workbench.chapters.robust_and_private import clusters, nets, tables
from workbench.chapters.robust_and_private import crossover as beside
from workbench.chapters.robust_and_private.claims import filter_scalings, net_scalings
from workbench.privacy import ApproxDP
from workbench.study import scaling as run
from workbench.study.rules import Status

LOUD = 30.0  # the noise over its term, constants 1
SHAPES = {
    "mean/filter-nonprivate": lambda d, alpha, *_: lkko21.filter_nonprivate_shape(d, alpha),
    "mean/filter": lkko21.filter_shape,
    "mean/prime": lkko21.prime_shape,
    "mean/prime-heavy": lkko21.prime_heavy_shape,
}
FIRST = {"d": 2, "epsilon": 4.0, "delta": 1e-2, "corruption": 0.01}


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch):
    """With two distances instead of five."""
    monkeypatch.setattr(clusters, "FAR", (1.0, 1.4))
    run.forget()
    yield
    run.forget()


def outcome(n, needed, trials, data):
    """Return errors that are 0 as often as n allows, and infinite otherwise."""
    good = data.random(trials) < ndtr(np.log(n / needed) / 0.15 + 1.3)
    return {"error": np.where(good, 0.0, np.inf)}


def filters(twice=None, worse=1.0):
    """A world of filters: n is that of their theorem, one number counts twice, all n are larger."""

    def errors(
        key,
        d,
        n,
        corruption,
        far,
        *,
        epsilon=1.0,
        delta=1e-6,
        passes=0,
        trials,
        data,
        noise,
    ):
        public = {"d": d, "epsilon": epsilon, "delta": delta, "corruption": corruption}
        shape = SHAPES[key](d, corruption, epsilon, delta)
        needed = shape.sampling + LOUD * shape.noise
        if twice == "delta":
            needed *= np.log(delta) / np.log(FIRST["delta"])
        elif twice:
            needed *= (public[twice] / FIRST[twice]) ** (1 if twice == "d" else -1)
        return outcome(n, worse * needed * (1 - abs(far - 1)), trials, data)

    return errors


@pytest.mark.daily
@pytest.mark.parametrize(
    "claim", ["filter", "nonprivate-filter", "heavy-prime"], ids=lambda name: name.replace("-", " ")
)
def test_the_rates_of_the_theorems_are_seen_where_they_are_true(monkeypatch, claim):
    monkeypatch.setattr(clusters, "errors", filters())
    verdict = decided(f"robust-and-private/{claim}-rows-grow", "full")
    scalings = [check["detail"] for check in checks_of(verdict)]
    assert verdict.status is Status.HOLDS
    assert {one["scaling"]["rate"] for one in scalings} == {"seen"}
    assert {place.partition("cluster at ")[2] for one in scalings for place in one["worst"]} == {"1"}


@pytest.mark.daily
@pytest.mark.parametrize("number", ["d", "epsilon", "delta", "corruption"])
def test_a_number_that_counts_twice_is_refuted(monkeypatch, number):
    monkeypatch.setattr(clusters, "errors", filters(number))
    verdict = decided("robust-and-private/filter-rows-grow", "full")
    refuted = [check["id"] for check in checks_of(verdict) if check["status"] is Status.REFUTED]
    assert [one.partition(":")[0] for one in refuted] == [f"n in {number}"]


@pytest.mark.daily
def test_a_table_is_refuted_by_n_that_are_far_above_it(monkeypatch):
    """And was not before, however large n was against nearer clusters than the one that was planted."""
    scalings = list(tables.in_dimension(filter_scalings.HEAVY)())
    for worse, expected in ((1 / LOUD, {Status.HOLDS}), (1.0, {Status.REFUTED})):
        run.forget()
        monkeypatch.setattr(clusters, "errors", filters(worse=worse))
        again = list(tables.in_dimension(filter_scalings.HEAVY)())
        found = run.measured(again, "full", seed=1, jobs=1)
        assert {check.status for check in tables.below_formula(zip(again, found, strict=True))} == expected
    assert len(scalings) == len(clusters.FAR)


def linear(d, alpha, epsilon, delta):
    """Return n in proportion to d."""
    one = lkko21.filter_shape(1, alpha, epsilon, delta)
    return Shape(d * one.sampling, d * one.noise)


@pytest.mark.daily
def test_a_price_of_dimension_that_does_not_exceed_that_of_prime_is_refuted(monkeypatch):
    for shape, status in ((lkko21.filter_shape, Status.HOLDS), (linear, Status.REFUTED)):
        run.forget()
        monkeypatch.setitem(SHAPES, "mean/filter", shape)
        monkeypatch.setattr(clusters, "errors", filters())
        assert decided("robust-and-private/price-of-dimension", "full").status is status


def ranges(twice):
    def errors(key, d, n, corruption, epsilon, delta, runs, *, trials, data, noise):
        zeta = 1 - 0.5 ** (1 / runs) if runs > 1 else 0.1
        needed = 20 * lkko21.range_shape(d, epsilon, delta, zeta) * (0.8 / epsilon) ** twice
        return outcome(n, needed, trials, data)

    return errors


@pytest.mark.daily
@pytest.mark.parametrize(("twice", "status"), [(0, Status.HOLDS), (1, Status.REFUTED)])
def test_ranges_grow_as_their_lemma_says(monkeypatch, twice, status):
    monkeypatch.setattr(nets, "ranges", ranges(twice))
    assert decided("robust-and-private/box-range-rows-grow", "full").status is status


def test_runs_are_measured_and_repeatable():
    rng = np.random.default_rng
    for key in clusters.FILTERS:
        point = {"key": key, "d": 3, "n": 3000, "corruption": 0.05, "far": 2.0}
        found, again = (clusters.errors(**point, trials=2, data=rng(1), noise=rng(2)) for _ in "ab")
        assert (found["error"] < 2).all()
        assert np.array_equal(found["error"], again["error"])
    for one in (net_scalings.RESILIENT, net_scalings.HEAVY, net_scalings.TUKEY, net_scalings.IN_A_BOX):
        first = next(iter(one.scalings()))
        setting = first.setting(first.values[0])
        found = first.block(**setting.point, n=20 * setting.start, trials=2, data=rng(1), noise=rng(2))
        assert (found["error"] <= setting.alpha).all()


@pytest.mark.daily
@pytest.mark.parametrize(
    ("power", "status"), [(1.0, Status.HOLDS), (0.0, Status.REFUTED), (2.0, Status.REFUTED)]
)
def test_a_crossover_that_moves_otherwise_is_refuted(monkeypatch, power, status):
    def ratios(n, corruption, epsilon, *, trials, data, noise):
        budget = ApproxDP(epsilon, 0.01)
        foreseen = clusters.rows_to_see("mean/prime", 10, corruption, budget, reach=1.5 * 10**0.5)
        needed = 0.5 * 4000 * (foreseen / 4000) ** power
        found = outcome(n, 1.3 * needed, trials, data)
        return {"error": 0.5 + found["error"]}

    monkeypatch.setattr(beside, "over_coinpress", ratios)
    assert decided("robust-and-private/prime-pays-from", "full").status is status
