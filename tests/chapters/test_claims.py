import json
from importlib import import_module
from math import fsum
from pathlib import Path

import numpy as np
import pytest

from workbench.chapters import registry
from workbench.chapters.registry import CLAIMS, Claim, decide, index
from workbench.errors import ArgumentError
from workbench.sources import sources, statements
from workbench.study.rules import CLAIM_LEVEL, Status, at_most, claim_level
from workbench.study.sweeps import Sweep, blocks, grid

ROOT = Path(__file__).parents[2]


def tails(*, trials, data, noise, **point):
    return {"error": np.abs(data.standard_normal(trials)) * point["scale"]}


SWEEP = Sweep("claims-demo", grid(scale=[1, 2]), tails, trials=100, blocks=blocks(full=20))


def claim(scale, **more):
    """Claim that a normal of this scale exceeds 1.96 with probability at most .05: true for 1 alone."""

    def checks(frame):
        error = frame.loc[frame["scale"] == scale, "error"]
        return at_most(int((error > 1.96).sum()), len(error), 0.0501, claim_level())

    statement = f"P(|{scale} z| > 1.96) <= .05"
    return Claim(f"demo-{scale}", f"D{scale}", ("demo/1",), statement, checks, lambda: (SWEEP,), **more)


@pytest.fixture
def _demo(monkeypatch):
    refuted = {"expected": Status.REFUTED, "reason": "the scale is 2"}
    monkeypatch.setattr(registry, "CLAIMS", index((claim(1),), (claim(2, **refuted),)))


@pytest.mark.usefixtures("_demo")
def test_decide_runs_the_claims_asked_for_in_their_order_and_refuses_others_before_anything_runs():
    verdicts = decide(["demo-2", "demo-1"], "full", 5)
    assert [(id, one.id, one.status) for id, one in verdicts.items()] == [
        ("demo-2", "demo-2", Status.REFUTED), ("demo-1", "demo-1", Status.HOLDS)
    ]  # fmt: skip
    assert verdicts["demo-1"].trials == 2000
    with pytest.raises(ArgumentError, match="one of demo-1, demo-2"):
        decide(["demo-2", "demo-3"], "quick", 5)


def test_an_expected_refutation_needs_its_reason():
    for expected in (Status.REFUTED, Status.UNDECIDED):
        with pytest.raises(ArgumentError, match="reason"):
            claim(2, expected=expected)
    with pytest.raises(ArgumentError, match="sources"):
        Claim("a", "A", (), "", lambda *_: None)
    with pytest.raises(ArgumentError, match="demo-1"):
        index((claim(1), claim(2)), (claim(1),))


NAMED_ELSEWHERE = {"AL22/Thm7.4", "AL22/matrix-quantile", "LKKO21/Thm6", "LKKO21/LemH.6"}
"""Statements that a claim tests beside others, and that name those which are about them."""


def test_statements_name_the_claims_that_test_them():
    covered = {one.id: one.covered_by for source in sources() for one in statements(source)}
    tested = [(claim.id, one) for claim in CLAIMS.values() for one in claim.sources if one in covered]
    assert {one for id, one in tested if f"claim {id}" not in covered[one]} == NAMED_ELSEWHERE


def test_a_chapter_lists_the_claims_whose_ids_begin_with_its_name():
    names = {id.partition("/")[0] for id in CLAIMS}
    for name in names:
        package = import_module(f"workbench.chapters.{name.replace('-', '_')}")
        listed = [*package.CLAIMS, *getattr(package, "FULL", ())]
        assert sorted(listed) == sorted(id for id in CLAIMS if id.startswith(f"{name}/"))


def test_checks_are_combined_and_a_sweep_without_the_profile_is_left_out():
    found = []

    def checks(*frames, seed):
        found.append((len(frames), seed))
        return [at_most(0, 100, 0.05, claim_level()), at_most(1, 100, 0.05, claim_level())]

    large = Sweep("claims-large", grid(scale=1), tails, trials=10, blocks={"full": 2})
    both = Claim("both", "B", ("demo/1",), "", checks, lambda: (SWEEP, large))
    assert both.decide("quick", 3).trials == 100
    assert both.decide("full", 3).trials == 4020
    assert found == [(1, 3), (2, 3)]


def test_the_levels_of_all_committed_verdicts_add_up_to_what_they_share():
    paths = sorted(ROOT.glob("figures/*/verdicts.json"))
    full = [verdict for path in paths for verdict in json.loads(path.read_text())["full"]]
    assert {verdict["id"] for verdict in full} == set(CLAIMS)
    assert fsum(verdict["level"] for verdict in full) <= CLAIM_LEVEL
