from math import inf

import numpy as np
import pandas as pd
import pytest

from workbench.chapters.one_mean.claims import intervals as study
from workbench.estimators.univariate.interval import Interval
from workbench.study.profiles import claim_level
from workbench.study.sweeps.sweep import Sweep, grid, run
from workbench.study.verdict import Status

POINTS = grid(
    calibration="tight",
    variance="known",
    n=300,
    sigma=study.SIGMAS,
    mean=study.MEANS,
    pivots=study.TABLE,
)


def coverage(name):
    frame = run(Sweep(name, POINTS, study.intervals, trials=2000, blocks={"quick": 1}), "quick", seed=5)
    return study._coverage(frame, "all", claim_level() / 65)


@pytest.mark.daily
def test_true_intervals_cover():
    verdict = coverage("test-intervals")
    assert verdict.status == Status.HOLDS
    assert verdict.detail["whole lines"] == 0
    assert verdict.detail["runs in the table"] == study.TABLE


@pytest.mark.daily
def test_intervals_that_are_a_tenth_too_short_are_refuted(monkeypatch):
    true = Interval.half_width
    monkeypatch.setattr(Interval, "half_width", lambda self, n, budget: 0.9 * true(self, n, budget))
    assert coverage("test-intervals-short").status == Status.REFUTED


def widths(ratio, pivots, n=500):
    reference = 1 + 0.01 * np.random.default_rng(1).standard_normal(n)
    return pd.DataFrame(
        {"width": ratio * reference, "reference": reference, "pivots": pivots, "calibration": "tight"}
    )


@pytest.mark.parametrize(
    ("ratio", "pivots", "status"),
    [
        (1.04, 20_000, Status.HOLDS),
        (1.04, 4000, Status.HOLDS),
        (1.06, 20_000, Status.REFUTED),
        (1.06, 4000, Status.UNDECIDED),  # a small table makes wide intervals
        (inf, 20_000, Status.REFUTED),
    ],
)
def test_widths_are_decided_for_the_full_table(ratio, pivots, status):
    verdict = study._width(widths(ratio, pivots), 5000, 1.05, 1e-6, np.random.default_rng(2))
    assert verdict.status == status
    if np.isfinite(ratio):
        (size,) = verdict.detail["sizes"]
        assert (size["predicted"], size["interval"][0] > 0) == (5000, status == Status.REFUTED)


def test_the_experiment_is_the_one_asked_for():
    points = study.sweep_of("full").points
    for method in study.METHODS:
        for n in (1000, 5000):
            at = [
                p
                for p in points
                if (p["calibration"], p["variance"], p["n"], p["pivots"]) == (*method, n, 20_000)
            ]
            assert {(p["sigma"], p["mean"]) for p in at} == {
                (s, m) for s in study.SIGMAS for m in study.MEANS
            }
    assert study.sweep_of("full").trials * study.sweep_of("full").blocks["full"] == 2000


def test_the_plain_interval_is_the_usual_one():
    z = np.random.default_rng(3).standard_normal(50)
    assert study._plain_width(z, "known", 0.05) == pytest.approx(2 * 1.959964 / np.sqrt(50))
    assert study._plain_width(z, "unknown", 0.05) == pytest.approx(2 * 2.009575 * z.std(ddof=1) / np.sqrt(50))


def test_whole_lines_cover_at_infinite_width():
    point = {
        "calibration": "paper",
        "variance": "unknown",
        "n": 1000,
        "sigma": 1.0,
        "mean": 0.0,
        "pivots": 4000,
    }
    columns = study.intervals(
        **point, trials=3, data=np.random.default_rng(1), noise=np.random.default_rng(2)
    )
    assert columns["covered"].all()
    assert np.isinf(columns["width"]).all()
