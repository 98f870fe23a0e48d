"""Claims about the n of histograms and lower bounds hold, and a wrong power of a number refutes them."""

from dataclasses import replace

import numpy as np
import pytest

from tests.chapters.worlds import decided
from workbench.chapters.one_mean.claims import bound_scalings, histogram_scalings
from workbench.chapters.one_mean.runs import searched
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.scaling import catalogued, grows, within


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    yield
    run.forget()


def found(some, variable, change=None, cap=100):
    """Search one scaling at few runs, at other numbers than it says where `change` tells them."""
    (one,) = (scaling for scaling in some.scalings() if scaling.variable == variable)

    def block(*, trials, data, noise, **point):
        changed = {**point, **(change(point) if change else {})}
        return one.block(**changed, trials=trials, data=data, noise=noise)

    few = replace(one, caps={"full": cap}, block=block)
    (least,) = run.measured([few], "full", seed=4, jobs=1)
    return few, least


@pytest.mark.parametrize(
    "claim", [*histogram_scalings.CLAIMS, *bound_scalings.CLAIMS], ids=lambda claim: claim.number
)
def test_nothing_is_refuted_with_few_runs(claim):
    assert decided(claim.id).status is not Status.REFUTED


def twice(name, first):
    return lambda point: {name: point[name] ** 2 / first}


FASTER = {
    "finite, ε": (histogram_scalings.FINITE, "epsilon", twice("epsilon", 0.8)),
    "stable, ε": (histogram_scalings.STABLE, "epsilon", twice("epsilon", 0.8)),
    "finite, k": (
        histogram_scalings.FINITE,
        "bins",
        lambda point: {"epsilon": 0.5 / np.log(point["bins"]) ** 2},
    ),
    "finite, β": (
        histogram_scalings.FINITE,
        "beta",
        lambda point: {"epsilon": 0.5 / (1 + np.log(point["repeats"]))},
    ),
    "stable, δ": (
        histogram_scalings.STABLE,
        "delta",
        lambda point: {"epsilon": 30.0 / np.log(1 / point["delta"]) ** 1.5},
    ),
}


@pytest.mark.daily
@pytest.mark.parametrize(("theorem", "variable", "change"), FASTER.values(), ids=FASTER)
def test_a_number_that_counts_more_is_refuted(theorem, variable, change):
    assert grows(*found(theorem, variable, change)).status is Status.REFUTED


def test_a_failure_probability_that_does_not_count_is_refuted():
    scaling, least = found(histogram_scalings.FINITE, "beta", lambda point: {"repeats": 1}, cap=200)
    assert grows(scaling, least).status is Status.REFUTED


def test_louder_noise_than_proved_is_refuted():
    scaling, least = found(
        histogram_scalings.STABLE, "alpha", lambda point: {"epsilon": point["epsilon"] / 2}
    )
    assert within(scaling, least, lambda setting: setting.predicted).status is Status.REFUTED


SLOWER = {"packing": bound_scalings.PACKING, "two points": bound_scalings.TWO_POINTS}


@pytest.mark.daily
@pytest.mark.parametrize("statement", SLOWER.values(), ids=SLOWER)
def test_an_estimator_that_grows_slower_than_a_lower_bound_is_refuted(monkeypatch, statement):
    def root(point):
        return {"epsilon": np.sqrt(point["epsilon"] * statement.moves["epsilon"].values[0])}

    assert grows(*found(statement, "epsilon", root, cap=200)).status is Status.REFUTED


def test_no_rows_are_harder_than_those_that_are_searched():
    rng, n, alpha, runs = np.random.default_rng(3), 600, 0.1, 3000
    public = {"repeats": 1, "n": n, "epsilon": 0.5, "delta": 1e-6, "trials": runs}
    failed = searched.stable_shares(alpha=alpha, **public, data=rng, noise=rng)["error"] > alpha
    more = searched.stable_shares(alpha=1.3 * alpha, **public, data=rng, noise=rng)["error"] > alpha
    assert failed.mean() > more.mean()


def test_the_term_that_is_looked_at_is_most_of_n():
    for scaling in histogram_scalings.STABLE.scalings():
        assert min(scaling.setting(value).share for value in scaling.values) >= 0.8


def test_repetition_moves_the_failure_probability():
    for beta, repeats in histogram_scalings.REPEATS.items():
        assert (1 - beta) ** repeats == pytest.approx(searched.SHARE)


def test_catalogued_runs_are_what_is_searched():
    assert all(scaling.block is catalogued for scaling in bound_scalings.PACKING.scalings())
