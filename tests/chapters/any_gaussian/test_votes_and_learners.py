"""The claims about votes of groups decide; in a falsified world they are refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.any_gaussian.claims.checks import certain, reached
from workbench.chapters.any_gaussian.runs import geometry, theory, votes
from workbench.chapters.registry import CLAIMS
from workbench.estimators.parts.gaussians.populous_learner import preconditioned_rows
from workbench.populations.spectra import named
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 4
TABLES = {
    "any-gaussian/triangles-hold": "TRIANGLES",
    "any-gaussian/mixtures-are-local": "MIXTURES",
    "any-gaussian/masks-concentrate": "MASKS",
    "any-gaussian/neighbours-move-little": "NEIGHBOURS",
    "any-gaussian/frobenius-masks-concentrate": "FROBENIUS",
    "any-gaussian/agreeing-groups-heard": "PASSES",
    "any-gaussian/subspaces-exact": "SUBSPACES",
}
FRAMES = ("FRAMES", "LARGE_FRAMES", "LARGEST_FRAMES", "DRAWN_FRAMES")


@pytest.fixture(autouse=True)
def _forget():
    yield
    sweep.forget()


def imagined(monkeypatch, name, block, trials=400):
    """Replace what a sweep measures; what it is about stays."""
    module = geometry if hasattr(geometry, name) else votes
    monkeypatch.setattr(module, name, replace(getattr(module, name), block=block, trials=trials))


def decided(identifier):
    return CLAIMS[identifier].decide("quick", SEED, 1)


def failed(identifier):
    verdict = decided(identifier)
    checks = verdict.detail.get("checks", [vars(verdict)])
    return [check["id"] for check in checks if check["status"] is Status.REFUTED]


def errors(size):
    """Return errors of about this size, the same everywhere."""

    def block(*, trials, data, noise, **point):
        drawn = size * (1 + 0.1 * data.random(trials))
        return {"error": drawn, "unbounded": drawn, "abstained": np.isinf(drawn)}

    return block


@pytest.mark.parametrize("identifier", TABLES)
def test_a_true_claim_is_not_refuted(identifier):
    verdict = decided(identifier)
    assert verdict.status is not Status.REFUTED
    verdict.to_json()


@pytest.mark.parametrize("identifier", ["any-gaussian/truncated-noise-exact", "any-gaussian/masks-hide-more"])
def test_what_nothing_random_decides_holds(identifier, monkeypatch):
    monkeypatch.setattr("workbench.chapters.any_gaussian.claims.votes.MASKED", (1, 2))
    assert decided(identifier).status is Status.HOLDS


@pytest.mark.parametrize(
    ("power", "identifier"), [(2.0, "any-gaussian/triangles-hold"), (0.5, "any-gaussian/mixtures-are-local")]
)
def test_powers_of_the_distance_break_triangles_and_mixtures(monkeypatch, power, identifier):
    true = geometry.ratios
    monkeypatch.setattr(geometry, "ratios", lambda a, b: 1 + np.maximum(true(a, b) - 1, 0) ** power)
    assert len(failed(identifier)) == 2


def test_mixtures_without_the_source_s_locality_are_refuted(monkeypatch):
    def jumping(**point):
        return {name: 3 * values for name, values in geometry.mixtures(**point).items()}

    imagined(monkeypatch, "MIXTURES", jumping)
    assert len(failed("any-gaussian/mixtures-are-local")) == 2


def test_a_smaller_range_of_truncated_noise_is_refuted(monkeypatch):
    true = theory.truncated_laplace_bound
    monkeypatch.setattr(theory, "truncated_laplace_bound", lambda charge: 0.98 * true(charge))
    assert decided("any-gaussian/truncated-noise-exact").status is Status.REFUTED


def test_a_stated_radius_that_is_too_large_is_refuted(monkeypatch):
    true = theory.mask_radius
    monkeypatch.setattr("workbench.chapters.any_gaussian.claims.votes.MASKED", (1, 2))
    monkeypatch.setattr(theory, "mask_radius", lambda *rest: 15 * true(*rest))
    theory.exact_radius.cache_clear()
    assert failed("any-gaussian/masks-hide-more")[:2] == [
        "exact δ at the stated γ, over δ",
        "exact γ over the stated one",
    ]


@pytest.mark.parametrize(("factor", "check"), [(3.0, "beyond 4.3"), (0.3, "within 2.5")])
def test_masks_of_another_width_are_refuted(monkeypatch, factor, check):
    def wider(**point):
        return geometry.masks(**{**point, "eta": factor * point["eta"]})

    imagined(monkeypatch, "MASKS", wider)
    assert any(name.startswith(check) for name in failed("any-gaussian/masks-concentrate"))


def test_masks_twice_as_wide_are_refuted_in_frobenius_norm(monkeypatch):
    imagined(monkeypatch, "FROBENIUS", lambda **p: geometry.masks(**{**p, "eta": 2 * p["eta"]}))
    assert "d = 5" in failed("any-gaussian/frobenius-masks-concentrate")


def test_the_weight_of_the_replaced_group_itself_has_to_be_charged(monkeypatch):
    """C without its + 1."""
    true = geometry.Vote.change.fget
    monkeypatch.setattr(geometry.Vote, "change", property(lambda vote: true(vote) - 1))
    assert "weights in total variation over C/k" in failed("any-gaussian/neighbours-move-little")


def test_a_count_that_moves_more_is_refuted(monkeypatch):
    def more(**point):
        columns = geometry.neighbours(**point)
        return {**columns, "count": 1.1 * columns["count"]}

    imagined(monkeypatch, "NEIGHBOURS", more, 20)
    assert failed("any-gaussian/neighbours-move-little") == ["count of friends over its sensitivity"]


@pytest.mark.parametrize(
    ("factor", "checks"),
    [(0.5, ["silent at k₀ groups and above", "silent at .6 k₀"]), (1.5, ["heard at .4 k₀"])],
)
def test_a_vote_of_another_threshold_is_refuted(monkeypatch, factor, checks):
    """The shares of k₀ are off by a factor."""

    def moved(**point):
        return votes.passes(**{**point, "share": factor * point["share"]})

    imagined(monkeypatch, "PASSES", moved, 1000)
    assert failed("any-gaussian/agreeing-groups-heard") == checks


def test_subspaces_that_are_not_found_or_found_too_early_are_refuted(monkeypatch):
    imagined(monkeypatch, "SUBSPACES", errors(0.1))
    assert sum(name.startswith("not found") for name in failed("any-gaussian/subspaces-exact")) == 4
    sweep.forget()
    imagined(monkeypatch, "SUBSPACES", errors(1e-6))
    assert sum(name.startswith("found with half") for name in failed("any-gaussian/subspaces-exact")) == 4


def test_frames_above_a_condition_of_four_are_refuted(monkeypatch):
    monkeypatch.setattr("workbench.chapters.any_gaussian.claims.learners.preconditioned_rows", planned)
    for name in FRAMES:
        imagined(monkeypatch, name, errors(0.7), 40)
    names = failed("any-gaussian/preconditioners-found")
    assert sum(name.startswith("above a condition of 4") for name in names) == 5


def test_errors_that_grow_with_the_condition_number_are_refuted(monkeypatch):
    monkeypatch.setattr("workbench.chapters.any_gaussian.claims.learners.preconditioned_rows", planned)
    for name in FRAMES:
        imagined(monkeypatch, name, errors(0.1), 200)

    def growing(*, trials, data, noise, **point):
        condition = named(point["spectrum"], int(point["d"])).condition
        return {"error": 1e-3 * condition**0.2 * (1 + 0.1 * data.random(trials))}

    imagined(monkeypatch, "FRAMES", growing, 200)
    assert failed("any-gaussian/preconditioners-found") == ["largest over smallest median error, d = 2"]


@pytest.mark.parametrize(
    ("identifier", "tables", "check"),
    [
        ("any-gaussian/means-without-range", ("MEANS",), "no mean within .2"),
        ("any-gaussian/laws-learned", ("LAWS", "LARGE_LAWS"), "no law within .2"),
        ("any-gaussian/covariances-learned", ("COVARIANCES",), "error above .2"),
    ],
)
def test_errors_above_the_target_are_refuted_and_below_are_not(monkeypatch, identifier, tables, check):
    monkeypatch.setattr(
        "workbench.chapters.any_gaussian.claims.learners.fewest_rows", lambda one, d, _: rows(one, d)
    )
    for size, refuted in ((0.25, True), (0.1, False)):
        for name in tables:
            imagined(monkeypatch, name, errors(size), 100)
        names = failed(identifier)
        assert (bool(names) and all(name.startswith(check) for name in names)) == refuted
        sweep.forget()


def planned(d, budget, *rest):
    """Return rows in proportion to d²/ε."""
    return 10_000 * d**2 / budget.epsilon


def rows(estimator, d):
    """Return rows that grow more slowly than the shapes."""
    return 100 * d**1.8 if type(estimator).__name__ == "PopulousCovariance" else d**2.3


def test_rows_that_grow_faster_are_refuted(monkeypatch):
    imagined(monkeypatch, "COVARIANCES", errors(0.1), 100)
    monkeypatch.setattr(
        "workbench.chapters.any_gaussian.claims.learners.fewest_rows", lambda one, d, _: d**2.2
    )
    assert failed("any-gaussian/covariances-learned") == ["exponent of the fewest rows in d"]


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
        ("drawn_preconditioners", {"d": 1, "n": votes.FRAME_ROWS[1]}),
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
