"""The claims about votes of groups decide; in a falsified world they are refuted."""

import numpy as np
import pytest

from tests.chapters.worlds import (
    Falsified,
    decided,
    elsewhere,
    refuted,
    require_refuted,
    require_true,
    scaled,
    statuses,
)
from workbench.chapters.any_gaussian.claims import votes as votes_claims
from workbench.chapters.any_gaussian.claims.checks import certain, reached
from workbench.chapters.any_gaussian.runs import geometry, theory, votes
from workbench.estimators.populous import preconditioned_rows
from workbench.populations.spectra import named
from workbench.study.rules import Status

TRIANGLES, MIXTURES = "any-gaussian/triangles-hold", "any-gaussian/mixtures-are-local"
MASKS, FROBENIUS = "any-gaussian/masks-concentrate", "any-gaussian/frobenius-masks-concentrate"
NEIGHBOURS, HEARD = "any-gaussian/neighbours-move-little", "any-gaussian/agreeing-groups-heard"
SUBSPACES, FOUND = "any-gaussian/subspaces-exact", "any-gaussian/preconditioners-found"
TRUNCATED, HIDDEN = "any-gaussian/truncated-noise-exact", "any-gaussian/masks-hide-more"
MEANS, LAWS = "any-gaussian/means-without-range", "any-gaussian/laws-learned"
COVARIANCES = "any-gaussian/covariances-learned"
FRAMES = ("FRAMES",)


def imagined(world, block, trials, *names):
    """Replace what sweeps of votes measure; what they are about stays."""
    for name in names:
        world.sweep(votes, name, block=block, trials=trials)


def errors(size):
    """Return errors of about this size, the same everywhere."""

    def block(*, trials, data, noise, **point):
        drawn = size * (1 + 0.1 * data.random(trials))
        return {"error": drawn, "unbounded": drawn, "abstained": np.isinf(drawn)}

    return block


SIZES = {TRIANGLES: 0, MIXTURES: 0, MASKS: 0, NEIGHBOURS: 0, FROBENIUS: 0, HEARD: 1, SUBSPACES: 8}


@pytest.mark.parametrize("identifier", SIZES)
def test_a_true_claim_is_not_refuted(identifier):
    require_true(identifier, sizes=SIZES[identifier])


@pytest.mark.parametrize("identifier", [TRUNCATED, HIDDEN])
def test_what_nothing_random_decides_holds(world, identifier):
    world.part(votes_claims, "MASKED", (1, 2))
    assert decided(identifier).status is Status.HOLDS


@pytest.mark.parametrize(("power", "identifier"), [(2.0, TRIANGLES), (0.5, MIXTURES)])
def test_powers_of_the_distance_break_triangles_and_mixtures(world, power, identifier):
    true = geometry.ratios
    world.part(geometry, "ratios", lambda a, b: 1 + np.maximum(true(a, b) - 1, 0) ** power)
    assert len(refuted(identifier)) == 2


def wider(factor):
    return elsewhere(lambda point: {"eta": factor * point["eta"]})


def jumping(block):
    """Mixtures without the source's locality."""
    return lambda **point: {name: 3 * values for name, values in block(**point).items()}


GEOMETRY = [
    Falsified(MIXTURES, "MIXTURES", jumping, 400, ["", ""]),
    Falsified(MASKS, "MASKS", wider(3.0), 400, "beyond 4.3"),
    Falsified(MASKS, "MASKS", wider(0.3), 400, "within 2.5"),
    Falsified(FROBENIUS, "FROBENIUS", wider(2.0), 400, "d = 5"),
    Falsified(NEIGHBOURS, "NEIGHBOURS", scaled(count=1.1), 20, ["count of friends over its sensitivity"]),
]


@pytest.mark.parametrize("case", GEOMETRY, ids=lambda case: f"{case.sweep}, {case.refuted}")
def test_another_geometry_is_refuted(world, case):
    world.falsify(geometry, case)
    case.require()


def test_a_smaller_range_of_truncated_noise_is_refuted(world):
    true = theory.truncated_laplace_bound
    world.part(theory, "truncated_laplace_bound", lambda charge: 0.98 * true(charge))
    require_refuted(TRUNCATED)


def test_a_stated_radius_that_is_too_large_is_refuted(world):
    true = theory.mask_radius
    world.part(votes_claims, "MASKED", (1, 2))
    world.part(theory, "mask_radius", lambda *rest: 15 * true(*rest))
    theory.exact_radius.cache_clear()
    assert refuted(HIDDEN)[:2] == ["exact δ at the stated γ, over δ", "exact γ over the stated one"]


def test_the_weight_of_the_replaced_group_itself_has_to_be_charged(world):
    """C without its + 1."""
    true = geometry.Vote.change.fget
    world.part(geometry.Vote, "change", property(lambda vote: true(vote) - 1))
    require_refuted(NEIGHBOURS, "weights in total variation over C/k")


@pytest.mark.parametrize(
    ("factor", "checks"),
    [(0.5, ["silent at k₀ groups and above", "silent at .6 k₀"]), (1.5, ["heard at .4 k₀"])],
)
def test_a_vote_of_another_threshold_is_refuted(world, factor, checks):
    """The shares of k₀ are off by a factor."""
    moved = elsewhere(lambda point: {"share": factor * point["share"]})
    world.falsify(votes, Falsified(HEARD, "PASSES", moved, 1000))
    require_refuted(HEARD, checks)


@pytest.mark.parametrize(("size", "check"), [(0.1, "not found"), (1e-6, "found with half")])
def test_subspaces_that_are_not_found_or_found_too_early_are_refuted(world, size, check):
    imagined(world, errors(size), 400, "SUBSPACES")
    assert sum(name.startswith(check) for name in refuted(SUBSPACES)) == 4


def test_frames_above_a_condition_of_four_are_refuted(world):
    imagined(world, errors(0.7), 40, *FRAMES)
    assert sum(name.startswith("above a condition of 4") for name in refuted(FOUND)) == 2


def test_errors_that_grow_with_the_condition_number_are_refuted(world):
    def growing(*, trials, data, noise, **point):
        condition = named(point["spectrum"], int(point["d"])).condition
        return {"error": 1e-3 * condition**0.2 * (1 + 0.1 * data.random(trials))}

    imagined(world, growing, 200, "FRAMES")
    assert refuted(FOUND) == ["largest over smallest median error, d = 2"]


@pytest.mark.parametrize(
    ("identifier", "tables", "check"),
    [
        (MEANS, ("MEANS",), "no mean within .2"),
        (LAWS, ("LAWS",), "no law within .2"),
        (COVARIANCES, ("MORE_COVARIANCES",), "error above .2"),
    ],
)
@pytest.mark.parametrize(("size", "is_refuted"), [(0.25, True), (0.1, False)])
def test_errors_above_the_target_are_refuted_and_below_are_not(
    world, identifier, tables, check, size, is_refuted
):
    imagined(world, errors(size), 100, *tables)
    names = refuted(identifier)
    assert (bool(names) and all(name.startswith(check) for name in names)) == is_refuted


def failing(share):
    """Return errors of which this share is infinite."""
    return lambda *, trials, data, noise, **point: {
        "error": np.where(data.random(trials) < share, np.inf, 0.1)
    }


@pytest.mark.parametrize(
    ("identifier", "table", "share"),
    [(MEANS, "MEANS", 0.4), (LAWS, "LAWS", 0.35), (COVARIANCES, "MORE_COVARIANCES", 0.35)],
)
def test_failures_that_half_as_many_runs_would_let_pass_are_refuted(world, identifier, table, share):
    """In as many runs as full has: with 48 to 120 runs these shares were not noticed."""
    world.sweep(votes, table, block=failing(share))
    checks = [status for name, status in statuses(identifier, "full").items()]
    assert checks
    assert set(checks) == {Status.REFUTED}


@pytest.mark.parametrize(("factor", "said"), [(1.0, []), (0.5, ["twice as wide"] * 2)])
def test_masks_that_could_be_wider_are_refuted(world, factor, said):
    world.falsify(geometry, Falsified(FROBENIUS, "TWICE", wider(factor), 400))
    require_refuted(FROBENIUS, said)


@pytest.mark.daily
def test_planned_rows_are_those_of_the_plan():
    for d, n in votes.FRAME_ROWS.items():
        assert preconditioned_rows(d, votes.BUDGET, votes.BETA, "auto") == n
    for d in (1, 2):
        assert theory.mean_rows(d, 0.2, votes.BUDGET, votes.BETA) == pytest.approx(
            votes.MEAN_ROWS[d], rel=0.015
        )


def test_sweeps_measure_what_they_say():
    generators = np.random.default_rng(1), np.random.default_rng(2)
    for name, point in (
        ("preconditioners", {"d": 2, "n": votes.FRAME_ROWS[2], "spectrum": "geometric"}),
        ("means", {"d": 2, "n": votes.MEAN_ROWS[2]}),
        ("laws", {"d": 2, "n": 32_000, "kind": "degenerate"}),
        ("laws", {"d": 1, "n": 16_000, "kind": "shifted"}),
        ("covariances", {"d": 1, "n": 16_000, "condition": 1.0}),
    ):
        columns = getattr(votes, name)(**point, trials=2, data=generators[0], noise=generators[1])
        assert len(columns["error"]) == 2
        assert np.max(columns["error"]) < 0.7
        assert not np.any(columns["abstained"])
    too_few = votes.subspaces(**{"d": 5, "share": 0.1}, trials=2, data=generators[0], noise=generators[1])
    assert too_few["abstained"].all()


def test_rules_of_one_violation():
    assert reached("", [0.9, 1.01], 1.0, 0.5).status is Status.REFUTED
    assert reached("", [0.9, 1.0], 1.0, 0.5).status is Status.HOLDS
    assert reached("", [0.3], 1.0, 0.5).status is Status.UNDECIDED
    assert reached("", [0.3, np.nan], 1.0, 0.5).status is Status.REFUTED
    assert certain("", [1.0, 2.0], 0.5, 2.0).status is Status.HOLDS
    assert certain("", [1.0, 2.1], 0.5, 2.0).status is Status.REFUTED
