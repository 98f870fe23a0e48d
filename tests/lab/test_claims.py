"""What a notebook says of its claims: the committed verdicts, and whether this run agrees with them."""

from unittest.mock import patch

import pytest

from workbench.chapters.registry import CLAIMS
from workbench.lab import claims
from workbench.study import sweeps
from workbench.study.faults import alone, weaker

HOLDS, OPEN, REFUTED = (
    next(name for name, claim in CLAIMS.items() if claim.expected == status)
    for status in ("HOLDS", "UNDECIDED", "REFUTED")
)


def records(*found):
    """Verdicts of (id, status) or (id, status, estimate), each measured to a tenth."""
    return [
        {"id": name, "statement": "Said.", "status": status, "estimate": at, "interval": [at - 0.1, at + 0.1]}
        for name, status, at in ((*one, 1.0)[:3] for one in found)
    ]


@pytest.fixture
def kept(monkeypatch):
    """The committed verdicts of three claims, all as expected."""
    found = records((HOLDS, "HOLDS"), (OPEN, "UNDECIDED"), (REFUTED, "REFUTED"))
    monkeypatch.setattr(claims, "full_verdicts", lambda: {one["id"]: one for one in found})


@pytest.mark.usefixtures("kept")
def test_a_quick_run_tells_the_full_verdicts_and_that_it_agrees():
    page, text = claims.told(records((HOLDS, "UNDECIDED"), (OPEN, "UNDECIDED")), full=False)
    line = text.splitlines()[0]
    assert line.startswith(
        "1 of 2 claims holds in the full run; 1 is undecided, as expected. In this quick run"
    )
    assert line.endswith(": 2 agree.")
    head, _, table = page.partition("<details")
    assert (line in head, table.count("<tr>"), table.count("agrees; would notice 14 %")) == (True, 3, 2)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("changed", [(HOLDS, "UNDECIDED", 1.2), (REFUTED, "HOLDS"), (HOLDS, "REFUTED")])
def test_a_quick_run_that_differs_fails_and_says_where(changed):
    found = records(changed)
    (line,) = claims.changed(found, "quick")
    assert line.startswith(f"{changed[0]} differs: ")
    assert "1 differs" in claims.told(found, full=False)[1]


@pytest.mark.usefixtures("kept")
def test_what_needs_the_trials_of_full_is_no_failure_in_quick_and_is_one_in_full():
    found = records((HOLDS, "UNDECIDED"))
    assert claims.changed(found, "quick") == []
    assert claims.changed(found, "full") == [f"{HOLDS} is UNDECIDED, expected HOLDS (full profile)"]


def test_without_committed_verdicts_claims_are_new_and_refuted_ones_fail(monkeypatch):
    monkeypatch.setattr(claims, "full_verdicts", dict)
    found = records((HOLDS, "HOLDS"), (OPEN, "UNDECIDED"))
    assert claims.told(found, full=False)[1].splitlines()[0].endswith("2 are new.")
    assert claims.changed(found, "quick") == []
    assert claims.changed(records((HOLDS, "REFUTED")), "quick")


def decided(claim, *faults):
    """How a quick run of a claim agrees: serial, without a store, and without the tables of another run."""
    with sweeps.lending(sweeps.Resources()), patch.dict(sweeps._memory, clear=True), alone(*faults):
        found = CLAIMS[claim].decide("quick", 1, 1).about(claim, "").record()
    return claims.agreement(found, claims.full_verdicts()[claim])


@pytest.mark.parametrize(
    ("claim", "kinds"),
    [
        pytest.param("one-mean/clipping-pays-range", ("laplace",), marks=pytest.mark.daily),
        ("sparse-covariance/entries-concentrate", ("gaussian",)),
        pytest.param("which-one/rows-are-enough", ("choice", "gaussian"), marks=pytest.mark.daily),
    ],
)
def test_a_wrong_constant_differs_and_the_right_one_agrees(claim, kinds):
    assert not decided(claim).apart
    assert decided(claim, *(weaker(kind, 1.3) for kind in kinds)).apart
