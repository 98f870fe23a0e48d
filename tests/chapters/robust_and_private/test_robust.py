"""The claims about the row-wise filter decide; in a falsified world they are refuted."""

import numpy as np
import pandas as pd
import pytest

from tests.chapters.worlds import decided, require_refuted
from workbench.chapters.registry import CLAIMS
from workbench.chapters.robust_and_private.claims.robust import without_filter
from workbench.chapters.robust_and_private.runs import robust as sweeps
from workbench.study.rules import Status, combine

PLANTED, ATTACKED = "robust-and-private/clean-and-planted", "robust-and-private/every-attack"
UNSEEN, FEWER = "robust-and-private/unseen-attacks", "robust-and-private/few-rows-harmless"
HEAVY = "robust-and-private/heavy-tails-robust"
TABLES = {
    PLANTED: ("PLANTED_LOW", "PLANTED_HIGH"),
    ATTACKED: ("ATTACKED",),
    UNSEEN: ("ATTACKED",),
    FEWER: ("FEWER",),
    HEAVY: ("HEAVY",),
}


def directions(factor, low):
    def block(*, trials, data, noise, **point):
        clean = 0.01 * (1 + 0.2 * data.random(trials))
        return {sweeps.NONE: clean, sweeps.EXTRA: 3 * clean} | {
            name: np.full(trials, low) if point["d"] <= 3 else factor * clean for name in sweeps.DIRECTIONS
        }

    return block


def same_error(size):
    return lambda *, trials, data, noise, **point: {"error": size * (1 + 0.1 * data.random(trials))}


def pairs(factors):
    def block(*, trials, data, noise, **point):
        plain = 1 + data.random(trials)
        return {
            f"{kind} {side}": plain * (factors[kind] if side == "filter" else 1.0)
            for kind in ("clean", "planted")
            for side in ("filter", "plain")
        }

    return block


def imagined(world, identifier, block, trials=30):
    """Replace what the sweeps of a claim measure; what they are about stays."""
    world.sweep(sweeps, "PLANTED_LOW", block=directions(1.05, 0.015), trials=30)
    for name in TABLES[identifier]:
        world.sweep(sweeps, name, block=block, trials=trials)


@pytest.mark.daily
@pytest.mark.parametrize(
    ("identifier", "block"),
    [
        (PLANTED, directions(1.05, 0.015)),
        (FEWER, pairs({"clean": 1.05, "planted": 0.4})),
        (HEAVY, same_error(0.5)),
        (ATTACKED, same_error(0.03)),
        (UNSEEN, same_error(0.195)),
    ],
)
def test_true_worlds_hold(world, identifier, block):
    imagined(world, identifier, block)
    assert decided(identifier).status is Status.HOLDS


@pytest.mark.parametrize(
    ("identifier", "block", "check"),
    [
        (PLANTED, directions(1.4, 0.015), "median over that without corruption"),
        (PLANTED, directions(1.05, 0.03), "median, shift-ones, d = 3"),
        (ATTACKED, same_error(0.06), "median, five-clusters"),
        (UNSEEN, same_error(0.3), "median, tail-swap"),
        (UNSEEN, same_error(0.1), "median, tail-swap, from below"),
        (
            FEWER,
            pairs({"clean": 1.2, "planted": 0.4}),
            "median over that of the plain mean, clean, n = 3000",
        ),
        (
            FEWER,
            pairs({"clean": 1.0, "planted": 0.6}),
            "median over that of the plain mean, planted, n = 3000",
        ),
        (HEAVY, same_error(1.6), "share of errors above 1.5 √corruption"),
    ],
)
def test_false_worlds_are_refuted(world, identifier, block, check):
    imagined(world, identifier, block)
    require_refuted(identifier, check)


@pytest.mark.parametrize(("often", "status"), [(0.01, Status.HOLDS), (0.15, Status.REFUTED)])
def test_a_share_of_large_errors_decides(world, often, status):
    """With twelve trials in each cell, as in a full run."""

    def block(*, trials, data, noise, **point):
        return {"error": np.where(data.random(trials) < often, 1.6, 0.5)}

    imagined(world, HEAVY, block, trials=12)
    assert decided(HEAVY).status is status


@pytest.mark.daily
def test_the_sweeps_measure_what_they_say(monkeypatch):
    """With fewer rows: every attack has its column, corruption costs more than nothing, pairs share noise."""
    monkeypatch.setattr(sweeps, "N", 4000)
    rng = np.random.default_rng
    planted = sweeps.planted(**{"d": 3}, trials=2, data=rng(1), noise=rng(2))
    assert {*planted} == {sweeps.NONE, *sweeps.DIRECTIONS, sweeps.EXTRA}
    for name in ("tail-swap", "five-clusters", "signs, cluster-4", "exponential, none"):
        (errors,) = sweeps.attacks(**{"attack": name}, trials=2, data=rng(1), noise=rng(2)).values()
        assert (errors > 0).all()
        assert (errors < 1).all()
    few = sweeps.few(**{"n": 300}, trials=3, data=rng(1), noise=rng(2))
    assert (few["clean filter"] == few["clean plain"]).all()  # the rule leaves the filter out
    many = sweeps.few(**{"n": 3000}, trials=3, data=rng(1), noise=rng(2))
    assert (many["planted filter"] < many["planted plain"]).all()
    for law in sweeps.LAWS:
        (errors,) = sweeps.heavy(law, 0.05, "far", trials=2, data=rng(1), noise=rng(2)).values()
        assert (errors < 1.5).all()


@pytest.mark.parametrize(("apart", "status"), [(0.0, Status.HOLDS), (1e-15, Status.REFUTED)])
def test_without_a_filter_a_difference_in_the_last_bit_is_refuted(apart, status):
    clean = np.full(4, 0.25)
    names = {"clean plain": clean, "clean filter": clean, "planted plain": clean}
    frame = pd.DataFrame({"n": [300, 300, 1000, 1000], **names, "planted filter": clean + apart})
    assert combine(without_filter(frame)).status is status
    assert CLAIMS["robust-and-private/no-filter-few-rows"].checks is without_filter
