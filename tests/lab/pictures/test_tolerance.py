"""The rule of comparison: what rounding may move, what one flipped run may, and how rarely it errs."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.lab.pictures.differences import differ
from workbench.lab.pictures.tolerance import CLAIMS, Point, Tolerance
from workbench.study.intervals import Interval
from workbench.study.measures import median

X = (1.0, 2.0, 3.0, 4.0)
CURVE = Series("s", X, (1.0, 2.0, 3.0, 4.0), (0.8, 1.6, 2.4, 3.2), (1.2, 2.4, 3.6, 4.8))
SHARES = Series("s", X, (0.5, 0.5, 0.9, 1.0), kind="fraction", trials=40)
COUNTS = replace(SHARES, y=(50, 50, 90, 100), kind="count", trials=100)
VERDICT = {"id": "G1", "status": "HOLDS", "estimate": 0.5, "interval": [0.4, 0.6], "trials": 2000}


def differences(ours, theirs):
    return differ(ours, theirs, Tolerance())


def as_json(series, **panel):
    return Chart("toy", "Toy", (Panel("p", "x", "y", (series,), **panel),), alt="A toy").to_json()


def agree(ours, theirs, **panel):
    return differences(as_json(ours, **panel), as_json(theirs, **panel)) == []


def moved(series, **values):
    """The series with `name=(place, value)` changed."""
    for name, (place, value) in values.items():
        entries = list(getattr(series, name))
        entries[place] = value
        series = replace(series, **{name: entries})
    return series


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"y": (1, 2.3)}, True),
        ({"y": (1, 2.5)}, False),
        ({"y": (1, 1.5)}, False),
        ({"y": (1, 2.3), "low": (1, 1.2), "high": (1, 2.9)}, True),
        ({"high": (1, 3.1)}, True),
        ({"high": (1, 3.3)}, False),
        ({"high": (1, np.inf)}, False),
        ({"y": (1, 1.7), "low": (1, 1.8)}, False),
        ({"y": (1, 2.3), "high": (2, 3.7)}, False),
    ],
)
def test_one_run_may_move_one_point_within_its_interval(changes, same):
    assert agree(moved(CURVE, **changes), CURVE) == same


@pytest.mark.parametrize("role", ["theory", "bound", "reference", "rows"])
def test_what_is_not_simulated_has_no_interval(role):
    curve = replace(CURVE, role=role)
    assert not agree(moved(curve, y=(1, 2.01)), curve)
    assert agree(moved(curve, y=(1, 2.0019)), curve)


def test_a_run_that_flips_moves_what_stands_at_its_x_in_every_panel_and_no_more():
    def two(*series):
        return [as_json(one) for one in series]

    here, there = moved(CURVE, y=(1, 2.3)), moved(CURVE, y=(2, 3.3))
    assert differences(two(here, here), two(CURVE, CURVE)) == []
    assert len(differences(two(here, there), two(CURVE, CURVE))) == 2


def test_an_end_without_bound_may_come_or_go_but_not_past_the_point():
    endless = moved(CURVE, high=(1, np.inf))
    assert agree(CURVE, endless)
    assert agree(moved(endless, y=(1, np.inf)), endless)
    assert not agree(moved(CURVE, y=(1, 2.5)), endless)


@pytest.mark.parametrize(
    ("series", "changed", "same"),
    [
        (SHARES, {"y": (0, 0.525)}, True),
        (SHARES, {"y": (0, 0.65)}, True),
        (SHARES, {"y": (0, 0.675)}, False),
        (SHARES, {"y": (3, 0.975)}, True),
        (SHARES, {"y": (3, 0.9)}, False),
        (COUNTS, {"y": (0, 60)}, True),
        (COUNTS, {"y": (0, 61)}, False),
        (COUNTS, {"y": (0, 120)}, False),
        (replace(COUNTS, trials=None), {"y": (0, 51)}, True),
        (replace(COUNTS, trials=None), {"y": (0, 52)}, False),
        (replace(SHARES, trials=None), {"y": (0, 0.501)}, False),
    ],
)
def test_a_count_or_share_stays_within_its_binomial_error(series, changed, same):
    assert agree(moved(series, **changed), series) == same


def test_two_counts_off_by_less_than_the_binomial_error_are_no_flipped_run():
    assert not agree(replace(COUNTS, y=(55, 55, 90, 100)), COUNTS)
    assert agree(replace(COUNTS, y=(51, 49, 91, 100)), COUNTS)


def heat(values, scale="linear", limits=(0, 1)):
    table = Heat(values, limits, scale=scale)
    return Chart("toy", "Toy", (Panel("p", "x", "y", (), heat=table),), alt="A toy").to_json()


@pytest.mark.parametrize(
    ("values", "scale", "same"),
    [
        ([[1.0, 2e-16], [-3e-17, 0.5]], "linear", True),
        ([[1.0, 2e-9], [-3e-17, 0.5]], "linear", False),
        ([[1.0, 1e-17], [0.0, 0.501]], "linear", False),
        ([[1.0, 1.1e-17], [0.0, 0.5]], "log", False),
    ],
)
def test_a_heat_map_agrees_on_its_scale(values, scale, same):
    kept = heat([[1.0, 1e-17], [0.0, 0.5]], scale)
    assert (differences(heat(values, scale), kept) == []) == same


def test_a_heat_map_of_nothing_has_the_scale_of_its_colours():
    assert differences(heat([[1e-17]]), heat([[0.0]])) == []
    assert differences(heat([[1e-17]]), heat([[0.0]], limits=(0, 1.01))) != []


def test_axes_are_compared_on_their_scale():
    line = replace(CURVE, role="theory", low=None, high=None)
    zero, noise = replace(line, x=(0.0, 1, 2, 3)), replace(line, x=(1e-16, 1, 2, 3))
    assert agree(noise, zero, xscale="linear")
    assert not agree(noise, zero, xscale="log")
    tiny, other = moved(line, y=(0, 1e-12)), moved(line, y=(0, 2e-12))
    assert agree(tiny, other, yscale="linear")
    assert not agree(tiny, other, yscale="log")
    limits = as_json(line, xlim=(0.0, 4.0), ylim=(1.0, 4.0))
    assert differences(as_json(line, xlim=(1e-16, 4.0), ylim=(1.0, 4.0)), limits) == []
    for changed in ({"xlim": (0.0, 4.2)}, {"ylim": (1.05, 4.0)}):
        assert differences(as_json(line, **{"xlim": (0.0, 4.0), "ylim": (1.0, 4.0), **changed}), limits) != []


@pytest.mark.parametrize(("off", "same"), [(CLAIMS, True), (CLAIMS + 1, False)])
def test_one_run_moves_no_more_claims_than_read_its_sweep(off, same):
    kept = [VERDICT | {"id": f"G{place}"} for place in range(6)]
    ours = [verdict | ({"estimate": 0.54} if place < off else {}) for place, verdict in enumerate(kept)]
    assert (differences(ours, kept) == []) == same


def replaced(rng, draw, trials):
    """A sample, and the same with another first run."""
    runs = draw(rng, trials)
    return runs, np.concatenate([draw(rng, 1), runs[1:]])


def t_band(runs) -> Interval:
    from scipy.special import stdtrit

    half = stdtrit(len(runs) - 1, 0.975) * runs.std(ddof=1) / np.sqrt(len(runs))
    return runs.mean() - half, runs.mean() + half


POINTS = {
    "mean": lambda runs: Point(float(runs.mean()), t_band(runs)),
    "median": lambda runs: Point(*median(runs, 0.05)[:2]),
}
LAWS = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "length": lambda rng, size: np.abs(rng.standard_normal(size)),
    "Laplace": lambda rng, size: rng.laplace(size=size),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("summary", POINTS)
def test_a_run_replaced_by_another_draw_stays_within_the_interval(law, summary):
    rng, tolerance, rounds = np.random.default_rng(5), Tolerance(), 3000
    outside = 0
    for _ in range(rounds):
        kept, ours = (POINTS[summary](runs) for runs in replaced(rng, LAWS[law], 6))
        outside += not tolerance.flips(ours, kept)
    assert outside <= 0.03 * rounds + 3 * np.sqrt(0.03 * rounds)


@pytest.mark.parametrize(
    ("ours", "alike"),
    [((-2.0, (-2.03, -1.966)), True), ((-2.2, (-2.3, -2.1)), False), ((-2.0, (-2.03, -1.99)), False)],
)
def test_a_search_that_went_on_elsewhere_is_alike_where_either_is_in_the_other(ours, alike):
    committed = Point(-1.967, (-2.08, -1.85))
    assert Tolerance().searches_alike(Point(*ours), committed) is alike
    assert not Tolerance().searches_alike(Point(-2.0, None), committed)
