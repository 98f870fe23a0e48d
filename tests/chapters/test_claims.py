import numpy as np
import pytest

from workbench.chapters import registry
from workbench.chapters.registry import CLAIMS, Claim, decide
from workbench.errors import ArgumentError
from workbench.study.claim import index
from workbench.study.profiles import blocks, claim_level
from workbench.study.rules import at_most
from workbench.study.sweeps.sweep import Sweep, grid, run
from workbench.study.verdict import Status


def tails(point, trials, data, noise):
    return {"error": np.abs(data.standard_normal(trials)) * point["scale"]}


SWEEP = Sweep("claims-demo", grid(scale=[1, 2]), tails, trials=100, blocks=blocks(full=20))


def claim(scale, **more):
    """Claim that a normal of this scale exceeds 1.96 with probability at most .05: true for 1 alone."""

    def decided(profile, seed, jobs):
        frame = run(SWEEP, profile, seed=seed, jobs=jobs)
        error = frame.loc[frame["scale"] == scale, "error"]
        return at_most(int((error > 1.96).sum()), len(error), 0.0501, claim_level())

    return Claim(f"demo-{scale}", ("demo/1",), f"P(|{scale} z| > 1.96) <= .05", decided, **more)


@pytest.fixture
def _demo(monkeypatch):
    refuted = {"expected": Status.REFUTED, "reason": "the scale is 2"}
    monkeypatch.setattr(registry, "CLAIMS", index((claim(1),), (claim(2, **refuted),)))


@pytest.mark.usefixtures("_demo")
def test_decide_runs_the_claims_asked_for_in_their_order():
    verdicts = decide(["demo-2", "demo-1"], "full", 5)
    assert list(verdicts) == ["demo-2", "demo-1"]
    assert [v.status for v in verdicts.values()] == [registry.CLAIMS[id].expected for id in verdicts]
    assert verdicts["demo-1"].id == "demo-1"
    assert verdicts["demo-1"].statement == "P(|1 z| > 1.96) <= .05"
    assert verdicts["demo-1"].trials == 2000


@pytest.mark.usefixtures("_demo")
def test_the_same_seed_gives_the_same_verdict_for_any_jobs():
    once = decide(["demo-1"], "quick", 5)
    claims_run = decide(["demo-1"], "quick", 5, jobs=2)
    assert once == claims_run


@pytest.mark.usefixtures("_demo")
def test_decide_refuses_an_unknown_claim_before_anything_runs():
    with pytest.raises(ArgumentError, match="one of demo-1, demo-2"):
        decide(["demo-2", "demo-3"], "quick", 5)


def test_an_expected_refutation_needs_its_reason():
    for expected in (Status.REFUTED, Status.UNDECIDED):
        with pytest.raises(ArgumentError, match="reason"):
            claim(2, expected=expected)
    with pytest.raises(ArgumentError, match="sources"):
        Claim("a", (), "", lambda *_: None)


def test_ids_are_unique():
    with pytest.raises(ArgumentError, match="demo-1"):
        index((claim(1), claim(2)), (claim(1),))


def test_every_claim_is_under_its_id():
    assert all(id == claim.id for id, claim in CLAIMS.items())
    assert len(CLAIMS) == sum(map(len, registry.FAMILIES))
