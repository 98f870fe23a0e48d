"""The claims about robust means from public nets decide; in a falsified world they are refuted."""

import numpy as np
import pytest

from tests.chapters.worlds import Falsified, columns, refuted, require_true, scaled
from workbench.chapters.robust_and_private.claims import exact

DEPTH, PASS = "robust-and-private/depth-is-robust", "robust-and-private/resilient-pass-size"
HEAVY = "robust-and-private/heavy-rows-pass"


@pytest.fixture(autouse=True)
def _few(world):
    world.few(exact, {"DEPTH": 20, "PASS": 20, "MARGIN": 5, "PLANES": 2, "HEAVY": 4})


@pytest.mark.parametrize(("identifier", "checks", "sizes"), [(DEPTH, 4, 1), (PASS, 13, 2), (HEAVY, 12, 6)])
def test_a_true_claim_is_not_refuted_by_few_trials(identifier, checks, sizes):
    assert len(require_true(identifier, sizes=sizes).detail["checks"]) == checks


def every_second_is_silent(found, point):
    silent = np.resize([True, False], len(found["error"]))
    return {"abstained": silent, "error": np.where(silent, np.inf, 0.0)}


def not_robust(found, point):
    return {"error": 4 * found["error"] + 0.2}


FALSIFIED = {
    "a median that follows the cluster": (
        Falsified(DEPTH, "DEPTH", columns(lambda found, _: {"error": found["error"] + 0.03}), 100),
        {"error with a cluster": 1},
    ),
    "noise of twice the size": (
        Falsified(DEPTH, "DEPTH", scaled(error=2.2), 100),
        {"error without corruption": 2},
    ),
    "a test that is too easy or too hard": (
        Falsified(PASS, "PASS", columns(every_second_is_silent), 100),
        {"passes at half of these rows": 1, "no answer at twice these rows": 1},
    ),
    "another margin and another trimming": (
        Falsified(PASS, "MARGIN", scaled(margin=1.4, error=1.6), 30),
        {"margin over n, n = 8000": 1, "error on the line": 1},
    ),
    "a mean that is not robust": (Falsified(HEAVY, "HEAVY", columns(not_robust), 20), {"": 6}),
}


@pytest.mark.daily
@pytest.mark.parametrize(("case", "expected"), FALSIFIED.values(), ids=FALSIFIED)
def test_a_falsified_world_is_refuted(world, case, expected):
    world.falsify(exact, case)
    names = refuted(case.claim)
    assert {start: sum(name.startswith(start) for name in names) for start in expected} == expected
