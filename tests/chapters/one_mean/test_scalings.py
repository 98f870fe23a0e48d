"""The claims about how n grows hold with few runs, and are refuted where a number enters by another power."""

import pytest

from tests.chapters.worlds import decided, refuted
from workbench.bounds.l17 import upper
from workbench.chapters.one_mean.claims import scalings
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.scaling import catalogued


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    yield
    run.forget()


@pytest.mark.daily
@pytest.mark.parametrize("claim", scalings.CLAIMS, ids=lambda claim: claim.number)
def test_nothing_is_refuted_with_few_runs(claim):
    verdict = decided(claim.id)
    assert verdict.status is not Status.REFUTED
    assert "seen" in {check["detail"].get("scaling", {}).get("rate") for check in verdict.detail["checks"]}


WORLDS = {  # the number that counts twice and the claims that this refutes
    "epsilon": ("one-mean/clipped-rows-grow", "one-mean/two-step-rows-grow", "one-mean/unbounded-rows-grow"),
    "radius": ("one-mean/clipped-rows-grow",),
}
CASES = [(number, claim) for number, claims in WORLDS.items() for claim in claims]


@pytest.mark.daily
@pytest.mark.parametrize(("number", "claim"), CASES)
def test_a_number_that_counts_twice_is_refuted(monkeypatch, number, claim):
    true, first = catalogued.catalogued, {"epsilon": 0.4, "radius": 50.0}[number]

    def squared(key: str, d: int, n: int, *, trials, data, noise, **public):
        twice = {**public, number: public[number] ** 2 / first}
        return true(key, d, n, trials=trials, data=data, noise=noise, **twice)

    monkeypatch.setattr(catalogued, "catalogued", squared)
    assert f"n in {number}" in {check.partition(":")[0] for check in refuted(claim, "full")}


@pytest.mark.daily
def test_a_proved_n_that_is_too_small_is_refuted(monkeypatch):
    claim = "one-mean/unbounded-rows-grow"
    monkeypatch.setattr(upper, "smallest", lambda predicate, start=1: 20)
    assert any(check.startswith("n over the proved n") for check in refuted(claim))
