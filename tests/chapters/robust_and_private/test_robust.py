"""The claims about the row-wise filter decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.registry import CLAIMS
from workbench.chapters.robust_and_private.runs import robust as sweeps
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 4
TABLES = {
    "robust-and-private/clean-and-planted": ("PLANTED_LOW", "PLANTED_HIGH"),
    "robust-and-private/every-attack": ("ATTACKED",),
    "robust-and-private/unseen-attacks": ("ATTACKED",),
    "robust-and-private/few-rows-harmless": ("FEWER",),
    "robust-and-private/heavy-tails-robust": ("HEAVY",),
}


@pytest.fixture(autouse=True)
def _forget():
    yield
    sweep.forget()


def imagined(monkeypatch, name, block, trials=30):
    """Replace what a sweep measures; what it is about stays."""
    monkeypatch.setattr(sweeps, name, replace(getattr(sweeps, name), block=block, trials=trials))


def decided(identifier):
    return CLAIMS[identifier].decide("quick", SEED, 1)


def failed(verdict):
    checks = verdict.detail.get("checks", [{"id": verdict.id, "status": verdict.status}])
    return [check["id"] for check in checks if check["status"] is Status.REFUTED]


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


def test_true_worlds_hold(monkeypatch):
    for name in TABLES["robust-and-private/clean-and-planted"]:
        imagined(monkeypatch, name, directions(1.05, 0.015))
    imagined(monkeypatch, "FEWER", pairs({"clean": 1.05, "planted": 0.4}))
    imagined(monkeypatch, "HEAVY", same_error(0.5))
    imagined(monkeypatch, "ATTACKED", same_error(0.03))
    for identifier in (
        "robust-and-private/clean-and-planted",
        "robust-and-private/every-attack",
        "robust-and-private/few-rows-harmless",
        "robust-and-private/heavy-tails-robust",
    ):
        assert decided(identifier).status is Status.HOLDS, identifier
    sweep.forget()
    imagined(monkeypatch, "ATTACKED", same_error(0.195))
    assert decided("robust-and-private/unseen-attacks").status is Status.HOLDS


@pytest.mark.parametrize(
    ("identifier", "block", "check"),
    [
        (
            "robust-and-private/clean-and-planted",
            directions(1.4, 0.015),
            "median over that without corruption",
        ),
        ("robust-and-private/clean-and-planted", directions(1.05, 0.03), "median, shift-ones, d = 3"),
        ("robust-and-private/every-attack", same_error(0.06), "median, five-clusters"),
        ("robust-and-private/unseen-attacks", same_error(0.3), "median, tail-swap"),
        ("robust-and-private/unseen-attacks", same_error(0.1), "median, tail-swap, from below"),
        (
            "robust-and-private/few-rows-harmless",
            pairs({"clean": 1.2, "planted": 0.4}),
            "median over that of the plain mean, clean, n = 300",
        ),
        (
            "robust-and-private/few-rows-harmless",
            pairs({"clean": 1.0, "planted": 0.6}),
            "median over that of the plain mean, planted, n = 3000",
        ),
        ("robust-and-private/heavy-tails-robust", same_error(1.6), "share of errors above 1.5 √corruption"),
    ],
)
def test_false_worlds_are_refuted(monkeypatch, identifier, block, check):
    imagined(monkeypatch, "PLANTED_LOW", directions(1.05, 0.015))
    for name in TABLES[identifier]:
        imagined(monkeypatch, name, block)
    verdict = decided(identifier)
    assert verdict.status is Status.REFUTED
    assert any(found.startswith(check) for found in failed(verdict))


@pytest.mark.parametrize(("often", "status"), [(0.01, Status.HOLDS), (0.15, Status.REFUTED)])
def test_a_share_of_large_errors_decides(monkeypatch, often, status):
    """With twelve trials in each cell, as in a full run."""

    def block(*, trials, data, noise, **point):
        return {"error": np.where(data.random(trials) < often, 1.6, 0.5)}

    imagined(monkeypatch, "HEAVY", block, trials=12)
    assert decided("robust-and-private/heavy-tails-robust").status is status


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
