"""The claims about unbounded Gaussians decide, and each of them can fail: a falsified world is refuted."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.chapters.covariance.claims import unbounded_spectra as spectra
from workbench.chapters.covariance.runs import unbounded as sweeps
from workbench.chapters.registry import CLAIMS
from workbench.study.sweeps import sweep
from workbench.study.verdict import Status

SEED = 4
ANY = spectra.ANY
FEWER = {"EIGENVALUES": 20, "VOTES": 10, "COARSE": 20, "FINE": 10, "SIDES": 2, "SIZES": 1}
SIZES = {
    "covariance/flat-in-condition": 2,
    "covariance/eigenvalues-to-a-factor": 4,
    "covariance/error-follows-gap": 1,
    "covariance/coarse-closes-gap": 3,
    "covariance/fine-flattens": 2,
    "covariance/unbounded-table-in-shape": 19,
}


def alike(*, trials, data, noise, **point):
    """Errors that are the same for every spectrum, at no cost."""
    return {"error": lognormal(data, 0.06, trials), "abstained": np.zeros(trials, bool)}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    for name, trials in FEWER.items():
        monkeypatch.setattr(sweeps, name, replace(getattr(sweeps, name), trials=trials))
    imagined = replace(ANY, block=alike, trials=60)
    monkeypatch.setattr(spectra, "ANY", imagined)
    yield
    sweep.forget()


def falsify(monkeypatch, name, block, trials):
    monkeypatch.setattr(sweeps, name, replace(getattr(sweeps, name), block=block, trials=trials))


def decided(identifier):
    return CLAIMS[identifier].decide("quick", SEED, 1)


def failed(identifier):
    checks = decided(identifier).detail["checks"]
    return [check["id"] for check in checks if check["status"] is Status.REFUTED]


@pytest.mark.parametrize("identifier", SIZES)
def test_a_true_claim_is_not_refuted_by_few_trials(identifier):
    verdict = decided(identifier)
    assert verdict.status is not Status.REFUTED
    verdict.to_json()
    checks = verdict.detail["checks"]
    assert all(check["id"] for check in checks)
    sizes = [size for check in checks for size in check["detail"].get("sizes", ())]
    assert len(sizes) == SIZES[identifier]
    assert {size["statement"] for size in sizes} <= set(CLAIMS[identifier].sources)


def lognormal(data, middle, trials):
    """Return errors as they spread in the sweeps, at no cost."""
    return middle * np.exp(0.3 * data.standard_normal(trials))


def test_an_error_that_grows_with_the_condition_number_is_refuted(monkeypatch):
    def growing(*, trials, data, noise, **point):
        return {
            "error": lognormal(data, point["condition"] ** 0.1, trials),
            "three steps": lognormal(data, point["condition"], trials),
            "source": lognormal(data, 0.1, trials),
        }

    falsify(monkeypatch, "SIDES", growing, 60)
    assert failed("covariance/flat-in-condition") == ["unbounded, largest over smallest mean error"]


@pytest.mark.parametrize(("middle", "found"), [(2.0, True), (1.0, False)])
def test_an_error_that_is_larger_at_one_spectrum_is_refuted(monkeypatch, middle, found):
    def larger(*, trials, data, noise, **point):
        errors = lognormal(data, middle if point["spectrum"] == "ratio 9" else 1.0, trials)
        return {"error": errors, "abstained": np.zeros(trials, bool)}

    monkeypatch.setattr(spectra, "ANY", replace(ANY, block=larger, trials=60))
    names = failed("covariance/flat-in-condition")
    assert any(name.startswith("unbounded, largest over smallest mean error, ") for name in names) == found


def test_a_spectrum_without_an_answer_is_refuted(monkeypatch):
    def silent(*, trials, data, noise, **point):
        none = data.random(trials) < (0.6 if point["spectrum"] == "one small" else 0.02)
        return {"error": np.where(none, np.inf, lognormal(data, 0.06, trials)), "abstained": none}

    monkeypatch.setattr(spectra, "ANY", replace(ANY, block=silent, trials=60))
    assert failed("covariance/flat-in-condition") == ["no answer, d = 7"]


def test_errors_over_spectra_are_measured():
    data, noise = map(np.random.default_rng, (1, 2))
    columns = spectra.errors(2, "ratio 9", trials=2, data=data, noise=noise)
    assert 0 < columns["reference"].max() < columns["error"].max() < 0.5
    assert not columns["abstained"].any()


def test_coinpress_that_needs_no_steps_is_refuted(monkeypatch):
    flat = ("error", "three steps", "source")
    falsify(
        monkeypatch,
        "SIDES",
        lambda *, trials, data, noise, **_: {name: lognormal(data, 0.1, trials) for name in flat},
        60,
    )
    assert [name.split(":")[0] for name in failed("covariance/flat-in-condition")] == [
        "CoinPress in three steps"
    ]


def test_loose_constants_that_grow_are_refuted(monkeypatch):
    def growing(*, trials, data, noise, **point):
        middle = {"error": 0.1, "three steps": point["condition"], "source": point["condition"] ** 0.1}
        return {name: lognormal(data, size, trials) for name, size in middle.items()}

    falsify(monkeypatch, "SIDES", growing, 60)
    assert [name.split(":")[0] for name in failed("covariance/flat-in-condition")] == [
        "CoinPress, its source's constants"
    ]


def test_steps_that_do_not_grow_are_refuted(monkeypatch):
    monkeypatch.setattr(sweeps, "coinpress_steps", lambda condition: 5)
    assert failed("covariance/flat-in-condition") == ["CoinPress, tight: steps at 1e12 over those at 1e2"]


def test_eigenvalues_that_are_twice_the_truth_are_refuted(monkeypatch):
    def doubled(**point):
        return {name: 2 * values for name, values in sweeps.spectra(**point).items()}

    falsify(monkeypatch, "EIGENVALUES", doubled, 40)
    assert len(failed("covariance/eigenvalues-to-a-factor")) == len(sweeps.EIGENVALUES.points)


def test_an_error_of_the_root_of_the_gap_is_refuted(monkeypatch):
    def slower(**point):
        columns = sweeps.votes(**point)
        return {**columns, "over": columns["over"] / np.sqrt(point["gap"])}

    falsify(monkeypatch, "VOTES", slower, 20)
    assert "error over gap, largest over smallest mean" in failed("covariance/error-follows-gap")


def test_a_preconditioner_that_mistakes_the_gap_is_refuted(monkeypatch):
    def mistaken(data):
        return 1e4  # the gap is taken as a hundred times what it is

    monkeypatch.setattr(sweeps, "uncertain", mistaken)
    falsify(monkeypatch, "COARSE", sweeps.votes, 40)
    assert failed("covariance/coarse-closes-gap")


def test_a_fine_preconditioner_that_flattens_nothing_is_refuted(monkeypatch):
    monkeypatch.setattr(sweeps, "_flattened", lambda z, reference: np.eye(len(z)))
    falsify(monkeypatch, "FINE", sweeps.fine, 30)
    assert decided("covariance/fine-flattens").status is Status.REFUTED


def test_errors_that_need_many_more_rows_refute_the_table(monkeypatch):
    falsify(
        monkeypatch, "SIZES", lambda *, trials, data, noise, **_: {"error": lognormal(data, 1.0, trials)}, 40
    )
    assert [
        name for name in failed("covariance/unbounded-table-in-shape") if name.startswith("n over the shape")
    ]


def test_a_start_that_grows_faster_is_refuted(monkeypatch):
    monkeypatch.setattr(sweeps, "start", lambda d, calibration="tight": 10 * d**3)
    names = failed("covariance/unbounded-table-in-shape")
    assert [name for name in names if name.startswith("exponent in d")] == names[:2]
