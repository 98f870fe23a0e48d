"""Claims about one mean and its intervals are refuted in a false world; predictions are what is measured."""

from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from tests.chapters.conftest import SEED, columns, elsewhere, refuted, require_refuted, small
from workbench.chapters.one_mean import costs, histograms, intervals, locating, quantiles
from workbench.estimators import intervals as interval
from workbench.estimators.release import FOR_OTHERS
from workbench.privacy import ApproxDP
from workbench.study import scaling as searches
from workbench.study.rules import Status, claim_level
from workbench.study.scaling import Least
from workbench.study.sweeps import Sweep, run

NAME = "one-mean/{}".format


@pytest.fixture(autouse=True)
def nothing_remembered():
    searches.forget()
    yield
    searches.forget()


def statuses(checks):
    return {check.status for check in checks}


def paper(factor):
    return columns(lambda found, point: {"paper": found["paper"] * factor(point)})


@columns
def another_order(found, point):
    private = found["paper"] - found["sampling"]
    return {"paper": found["sampling"] + (1e4 / point["radius"]) ** 0.3 * private}


class Wide:
    def __init__(self, rng):
        self.uniform, self.standard_normal = rng.uniform, lambda size: 1.2 * rng.standard_normal(size)


noisier = elsewhere(lambda _: {"epsilon": 0.33})
nothing_dropped = columns(lambda found, point: {"error": np.minimum(found["error"], 1.0)})
with_range = paper(lambda point: np.log(point["radius"]))
with_mean = paper(lambda point: 1 + (point["mean"] > 1e6))
wide = elsewhere(lambda point: {"data": Wide(point["data"])})
ON_LINE = "rows-per-log-delta"
WORLDS = [
    (locating, "clipping-pays-range", "CLIPPED", another_order, 1000, "exponent in R"),
    (locating, "flat-in-radius", "TWO_STEP", with_range, 200),
    (locating, ON_LINE, "UNBOUNDED", with_mean, 150),
    (histograms, "finite-histogram-error", "FINITE", noisier, 1000),
    (histograms, "stable-histogram-error", "STABLE", nothing_dropped, 8000, "failures over their exact"),
    (histograms, "bin-facts", "EDGE", wide, 10_000, "own bin below n/10 over its exact"),
]


@pytest.mark.daily
@pytest.mark.parametrize(("module", "claim", "case"), [(one, name, more) for one, name, *more in WORLDS])
def test_a_falsified_world_is_refuted(world, module, claim, case):
    world.refutes(module, NAME(claim), *case)


WEAKER = [  # claim, where the budget is 1.5 times smaller, by which method, trials
    ("rows-per-log-range", "range", None, 50),
    (ON_LINE, "line", None, 60),
    ("window-halves-rows", "line", "window", 100),
]


@pytest.mark.daily
@pytest.mark.parametrize(("claim", "where", "method", "trials"), WEAKER)
def test_a_location_with_less_privacy_budget_than_is_said_is_refuted(world, claim, where, method, trials):
    true = locating.located

    def less(point):
        return {"epsilon": point["epsilon"] / 1.5} if method in (None, point["method"]) else {}

    def located(place, epsilon=locating.EPSILON):
        sweep = true(place, epsilon)
        block = elsewhere(less)(sweep.block) if place == where else sweep.block
        return replace(sweep, block=block, trials=min(sweep.trials, trials))

    world.set(locating, "located", located)
    require_refuted(NAME(claim))


FRAMES = [  # sweep, trials; checks; a column of another world
    (costs.FREE, 200, costs.free_checks, "apart", lambda frame: (frame["n"] / 4000) ** 0.5),
    (costs.SCALE, 1000, lambda frame, seed: costs.scale_checks(frame), "error", lambda frame: 1.7),
]


@pytest.mark.daily
@pytest.mark.parametrize(("sweep", "trials", "checks", "column", "factor"), FRAMES)
def test_errors_of_another_world_are_refuted_and_true_ones_are_not(sweep, trials, checks, column, factor):
    frame = small(sweep, trials)
    assert Status.REFUTED not in statuses(checks(frame, SEED))
    wrong = frame.assign(**{column: factor(frame) * frame[column]})
    assert Status.REFUTED in statuses(checks(wrong, SEED))


@pytest.mark.daily
def test_more_error_and_more_abstentions_are_not_near_the_sample_mean(world, monkeypatch):
    monkeypatch.setattr(costs, "WIDE", (100.0,))
    near = {"radius": 100, "calibration": "tight"}
    world.sweep(costs, "RATIOS", keep=lambda point: near.items() <= point.items())
    honest, free = small(costs.RATIOS, 400), small(costs.UNBOUNDED_RATIOS, 400)
    mute = free["abstained"] | (free["trial"] % 4 == 0)
    silent = free.assign(abstained=mute, error=free["error"].where(~mute, np.inf))
    louder = honest.assign(error=1.5 * honest["error"])
    assert Status.REFUTED not in statuses(costs.ratio_checks(honest, free, SEED))
    for wrong in ((louder, free), (honest, silent)):
        assert Status.REFUTED in statuses(costs.ratio_checks(*wrong, SEED))


@pytest.mark.daily
@pytest.mark.parametrize(("rms", "failure"), [(1.3, 1.0), (1 / 1.3, 1.0), (1.0, 0.8)])
def test_a_prediction_that_is_off_is_refuted(monkeypatch, rms, failure):
    points = tuple(point for point in costs.PREDICTED.points if point["n"] in (100, 300))
    monkeypatch.setattr(costs, "PREDICTED", replace(costs.PREDICTED, name="test-predicted", points=points))
    monkeypatch.setattr(costs, "EDGE", replace(costs.EDGE, name="test-edge", trials=4000))
    true = costs.predict

    def off(point):
        one = true(point)
        return replace(one, rms=rms * one.rms, failure=failure * one.failure)

    monkeypatch.setattr(costs, "predict", off)
    assert refuted(NAME("error-as-predicted"))


@pytest.mark.daily
@pytest.mark.parametrize(("factor", "status"), [(1.0, Status.HOLDS), (0.9, Status.REFUTED)])
def test_intervals_that_are_a_tenth_too_short_are_refuted(monkeypatch, factor, status):
    true = interval.pivotal_width
    monkeypatch.setattr(interval, "pivotal_width", lambda *given: factor * true(*given))
    some = {"calibration": "tight", "variance": "known", "n": 300}
    points = tuple(point for point in intervals.SWEEP.points if some.items() <= point.items())
    sweep = Sweep(f"test-intervals-{factor}", points, intervals.intervals, 2000, {"quick": 1})
    assert intervals.coverage(run(sweep, "quick", seed=5), "all", claim_level() / 65).status == status


@pytest.mark.parametrize(
    ("ratio", "status"), [(1.04, Status.HOLDS), (1.06, Status.REFUTED), (np.inf, Status.REFUTED)]
)
def test_widths_are_decided(ratio, status):
    reference = 1 + 0.01 * np.random.default_rng(1).standard_normal(500)
    frame = pd.DataFrame({"width": ratio * reference, "reference": reference})
    assert intervals.student_width(frame, 5000, 1.05, 1e-6, np.random.default_rng(2)).status == status


@pytest.mark.parametrize(("missed", "width", "status"), [(0.05, 1.1, 0), (0.14, 1.1, 1), (0.05, 1.4, 1)])
def test_misses_and_widths_of_any_distribution_are_decided(missed, width, status):
    covered = np.arange(1200) >= round(missed * 1200)
    points = [(law, n) for law in intervals.LAWS for n in intervals.ROWS]
    parts = [pd.DataFrame({"law": law, "n": n, "covered": covered, "width": width}) for law, n in points]
    frame = pd.concat(parts, ignore_index=True)
    frame.loc[frame["law"] == "log-normal", "width"] = np.inf
    assert (Status.REFUTED in statuses(intervals.any_law_is_covered(frame))) == bool(status)


def frames(times=1.0, trials=400):
    """Tables of full's size in which errors have the predicted medians, those one by one so many times."""
    rng, tables = np.random.default_rng(1), []
    for m in quantiles.COUNTS:
        together, apart = quantiles.largest(m, quantiles.N, quantiles.EPSILON)
        errors = np.array([[together], [times * apart]]) * np.exp(0.3 * rng.standard_normal((2, trials)))
        tables.append(pd.DataFrame({"m": m, "together": errors[0], "apart": errors[1]}))
    return pd.concat(tables[:2]), pd.concat(tables[2:])


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    ("times", "expected"), [(1.0, Status.HOLDS), (2.5, Status.REFUTED), (0.4, Status.REFUTED)]
)
def test_a_gain_is_as_predicted_or_refuted(times, expected):
    assert statuses(quantiles.gain(*frames(times), seed=3)) == {expected}


@pytest.mark.turns(4)
def test_errors_of_quantiles_are_as_predicted_and_half_the_budget_would_be_seen():
    """Medians of 60 runs are off by .1 in the logarithm: 1.5 is four deviations, 2 three beyond it."""
    data, noise = (np.random.default_rng(seed) for seed in (1, 2))
    found = quantiles.both(m=9, n=2000, epsilon=1.0, trials=60, data=data, noise=noise)
    for name, predicted in zip(("together", "apart"), quantiles.largest(9, 2000, 1.0), strict=True):
        ratio = np.median(found[name]) / predicted
        assert 1 / 1.5 < ratio < 1.5 < 2 * ratio


def test_rank_errors_of_ties_are_distances_from_their_ranks():
    x = np.repeat([0.0, 1.0], [60, 40])
    found = [quantiles.rank_errors(x, np.array(one), 3) for one in ([0.0, 0.0, 1.0], [0.5] * 3)]
    assert np.array(found) == pytest.approx(np.array([[0.0] * 3, [0.35, 0.1, 0.15]]))


def growths(share):
    """All scalings with n as stated, those of the counts so many times the ones of the vote."""
    rows = {scaling.move.variable: scaling for scaling in histograms.VOTED.scalings()}
    for scaling in (*histograms.VOTED.scalings(), *histograms.DIRECT.scalings()):
        leasts = []
        for value in scaling.move.values:
            n = rows[scaling.move.variable].setting(value).stated
            n *= 1.0 if scaling.key == histograms.VOTED.key else share
            leasts.append(Least(value, scaling.setting(value), n, (0.9 * n, 1.1 * n), "found", 300))
        yield scaling, leasts


@pytest.mark.turns(4)
@pytest.mark.parametrize(("share", "expected"), [(0.15, Status.HOLDS), (0.8, Status.REFUTED)])
def test_who_needs_fewer_rows_is_decided_at_every_setting(share, expected):
    checks = list(histograms.counts_need_fewer(*growths(share)))
    assert len({check.id for check in checks}) == 12
    assert statuses(checks) == {expected}


# Confidence intervals hold for the distributions that they name, or are the whole line.

BUDGET = ApproxDP(1.0, 1e-6)


def value(x):
    return wb.IntervalMean()(x, budget=BUDGET, rng=np.random.default_rng(6)).value


@pytest.mark.parametrize("one", [0.0, -5.0, 1e10, 1e40, -1e99])
def test_rows_that_nobody_can_tell_from_others_are_the_whole_line(one):
    """One value looks like a column with a few others; where rows are capped, narrow ones do, too."""
    noise = np.random.default_rng(10).normal(size=3000)
    assert value(np.full(3000, one)).width == inf
    assert abs(one) < 1e30 or value(one * (1 + 1e-6 * noise)).width == inf
    assert value(np.random.default_rng(7).pareto(0.8, 10_000)).high == inf  # which has no mean


@pytest.mark.parametrize(("every", "answers"), [(50, True), (500, False)])
def test_rare_far_values_are_covered_or_the_whole_line_and_not_left_out(every, answers):
    found = value(np.where(np.arange(10_000) % every == 0, 1.0, 0.0))
    assert found.contains(1 / every)
    assert (found.high < inf) is answers


def test_a_release_says_for_which_laws_it_is():
    said = f"normal rows of standard deviation sigma only; {FOR_OTHERS}"
    release = wb.Interval(sigma=1.0)(np.arange(2000.0), budget=BUDGET, rng=np.random.default_rng(9))
    assert f"{said}\n" in str(release)
    assert f"{said}<br>" in release._repr_html_()
