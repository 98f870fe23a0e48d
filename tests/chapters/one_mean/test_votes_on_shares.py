"""What the reduction promises on shares is the least n of its bound, and the claims notice what they say."""

import numpy as np
import pytest
from scipy.special import gammaincinv

from tests.chapters.cliffs import found
from workbench.chapters.one_mean.claims import votes_on_shares as claims
from workbench.chapters.one_mean.runs import votes_on_shares as runs
from workbench.study import scaling as run
from workbench.study.rules import Status
from workbench.study.scaling import Least

SUFFICE = "one-mean/votes-on-shares-suffice"


@pytest.fixture(autouse=True)
def nothing_remembered():
    run.forget()
    yield
    run.forget()


def test_the_searched_n_are_at_most_the_promised():
    assert set(found(SUFFICE).values()) == {Status.HOLDS}


def test_more_rows_than_promised_are_refuted():
    above = found(SUFFICE, times=1.6)
    refuted = {check for check, status in above.items() if status is Status.REFUTED}
    assert refuted >= {check for check in above if check.startswith("n over the proved n")}


def test_another_power_is_refuted():
    assert Status.REFUTED in found(SUFFICE, more=1.0).values()


def growths(share):
    """All scalings with n as stated, those of the counts so many times the ones of the vote."""
    rows = {scaling.variable: scaling for scaling in claims.VOTED.scalings()}
    for scaling in claims.both():
        leasts = []
        for value in scaling.values:
            n = rows[scaling.variable].setting(value).stated
            n *= 1.0 if scaling.key == claims.VOTED.key else share
            leasts.append(Least(value, scaling.setting(value), n, (0.9 * n, 1.1 * n), "found", 300, 0.0))
        yield scaling, leasts


@pytest.mark.parametrize(("share", "expected"), [(0.15, Status.HOLDS), (0.8, Status.REFUTED)])
def test_who_needs_fewer_rows_is_decided_at_every_setting(share, expected):
    checks = claims.counts_need_fewer(*growths(share))
    assert len({check.id for check in checks}) == 12
    assert {check.status for check in checks} == {expected}


def test_the_promise_is_the_first_n_of_its_bound_and_above_what_is_foreseen():
    n, level = runs.promised(4, 4.0, 0.2), np.log(1 / runs.BEYOND)
    reach = 4 + np.sqrt(8 * level) + level
    assert runs._scale(n, 4, 4.0) * reach <= 0.2 < runs._scale(n - 1, 4, 4.0) * reach
    assert runs.counted(4, 4.0, 0.2) < runs.foreseen(4, 4.0, 0.2) < n


def test_the_bound_of_the_norm_is_one_of_its_law():
    for bins in (1, 2, 16):
        level = np.log(1 / runs.BEYOND)
        assert gammaincinv(bins, 1 - runs.BEYOND) <= bins + np.sqrt(2 * bins * level) + level


def errors(block, n, trials):
    streams = (np.random.default_rng(seed) for seed in (5, 6))
    return block(bins=4, n=n, epsilon=4.0, trials=trials, data=next(streams), noise=next(streams))["error"]


def test_a_vote_on_shares_answers_and_errs_as_foreseen():
    """Within by .85 and silent by .05, fewer than 50 or more than 16 of 80 runs are so by 1e-6."""
    n = runs.foreseen(4, 4.0, 0.2)
    found = errors(runs.votes, n, 80)
    assert (found <= 0.2).sum() >= 50
    assert np.isinf(found).sum() <= 16
    assert (errors(runs.votes, n // 2, 40) <= 0.2).sum() < 20


def test_counts_err_as_foreseen():
    """Noise of twice the width would leave a third of the runs within the .9-quantile."""
    n = round(runs.counted(4, 0.5, 0.1))
    streams = (np.random.default_rng(seed) for seed in (7, 8))
    found = runs.counts(bins=4, n=n, epsilon=0.5, trials=400, data=next(streams), noise=next(streams))[
        "error"
    ]
    assert abs((found <= 0.1).mean() - 0.9) < 0.075  # five deviations
    assert (2 * found <= 0.1).mean() < 0.6
