"""The claims about unbounded Gaussians decide, and each of them can fail: a falsified world is refuted."""

import numpy as np
import pytest

from tests.chapters.worlds import Falsified, columns, instead, refuted, require_refuted, require_true
from workbench.chapters.covariance.claims import unbounded_spectra as spectra
from workbench.chapters.covariance.runs import unbounded as sweeps

FLAT, TABLE = "covariance/flat-in-condition", "covariance/unbounded-table-in-shape"
EIGENVALUES, GAP = "covariance/eigenvalues-to-a-factor", "covariance/error-follows-gap"
COARSE, FINE = "covariance/coarse-closes-gap", "covariance/fine-flattens"
SIZES = {FLAT: 2, EIGENVALUES: 4, GAP: 1, COARSE: 3, FINE: 2, TABLE: 3}


def lognormal(data, middle, trials):
    """Return errors as they spread in the sweeps, at no cost."""
    return middle * np.exp(0.3 * data.standard_normal(trials))


def errors(**middle):
    """Measure errors about these, functions of the point."""

    def block(*, trials, data, noise, **point):
        found = {name: lognormal(data, size(point), trials) for name, size in middle.items()}
        return {**found, "abstained": np.zeros(trials, bool)}

    return block


def sides(**middle):
    """Errors of the three estimators that are compared, all of them .1 but for these."""
    same = dict.fromkeys(("error", "three steps", "source"), lambda point: 0.1)
    return instead(errors(**(same | middle)))


@pytest.fixture(autouse=True)
def _few(world):
    world.few(sweeps, {"EIGENVALUES": 20, "VOTES": 10, "COARSE": 20, "FINE": 10, "SIDES": 2, "SIZES": 1})
    world.sweep(spectra, "ANY", block=errors(error=lambda point: 0.06), trials=60)


@pytest.mark.parametrize("identifier", SIZES)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    require_true(identifier, sizes=SIZES[identifier])


def condition(power):
    return lambda point: point["condition"] ** power


FALSIFIED = {
    "an error that grows with the condition number": Falsified(
        FLAT,
        "SIDES",
        sides(error=condition(0.1), **{"three steps": condition(1)}),
        60,
        ["unbounded, largest over smallest mean error"],
    ),
    "CoinPress that needs no steps": Falsified(FLAT, "SIDES", sides(), 60, ["CoinPress in three steps:"]),
    "loose constants that grow": Falsified(
        FLAT,
        "SIDES",
        sides(source=condition(0.1), **{"three steps": condition(1)}),
        60,
        ["CoinPress, its source's constants:"],
    ),
    "eigenvalues twice the truth": Falsified(
        EIGENVALUES,
        "EIGENVALUES",
        columns(lambda found, point: {name: 2 * values for name, values in found.items()}),
        40,
        [""] * len(sweeps.EIGENVALUES.points),
    ),
    "an error of the root of the gap": Falsified(
        GAP,
        "VOTES",
        columns(lambda found, point: {"over": found["over"] / np.sqrt(point["gap"])}),
        20,
        "error over gap, largest over smallest mean",
    ),
    "errors that need many more rows": Falsified(
        TABLE, "SIZES", instead(errors(error=lambda point: 1.0)), 40, "n over the shape"
    ),
}


@pytest.mark.daily
@pytest.mark.parametrize("case", FALSIFIED.values(), ids=FALSIFIED)
def test_a_falsified_world_is_refuted(world, case):
    world.falsify(sweeps, case)
    case.require()


@pytest.mark.parametrize(("middle", "found"), [(2.0, True), (1.0, False)])
def test_an_error_that_is_larger_at_one_spectrum_is_refuted(world, middle, found):
    larger = errors(error=lambda point: middle if point["spectrum"] == "ratio 9" else 1.0)
    world.sweep(spectra, "ANY", block=larger)
    names = refuted(FLAT)
    assert any(name.startswith("unbounded, largest over smallest mean error, ") for name in names) == found


def test_a_spectrum_without_an_answer_is_refuted(world):
    def silent(*, trials, data, noise, **point):
        none = data.random(trials) < (0.6 if point["spectrum"] == "one small" else 0.02)
        return {"error": np.where(none, np.inf, lognormal(data, 0.06, trials)), "abstained": none}

    world.sweep(spectra, "ANY", block=silent)
    assert refuted(FLAT) == ["no answer, d = 7"]


def test_errors_over_spectra_are_measured():
    data, noise = map(np.random.default_rng, (1, 2))
    columns = spectra.errors(2, "ratio 9", trials=2, data=data, noise=noise)
    assert 0 < columns["reference"].max() < columns["error"].max() < 0.5
    assert not columns["abstained"].any()


@pytest.mark.daily
def test_steps_that_do_not_grow_are_refuted(world):
    world.part(sweeps, "coinpress_steps", lambda condition: 5)
    assert refuted(FLAT) == ["CoinPress, tight: steps at 1e12 over those at 1e2"]


def test_a_preconditioner_that_mistakes_the_gap_is_refuted(world):
    world.part(sweeps, "uncertain", lambda data: 1e4)  # a hundred times the gap
    world.few(sweeps, {"COARSE": 40})
    require_refuted(COARSE)


def test_a_fine_preconditioner_that_flattens_nothing_is_refuted(world):
    world.part(sweeps, "_flattened", lambda z, reference: np.eye(len(z)))
    world.few(sweeps, {"FINE": 30})
    require_refuted(FINE)
