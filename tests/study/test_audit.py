"""Attacks: their intervals and verdicts, on functions of one's own too, and the trade-off they estimate."""

import json
import re
import sys
from collections import Counter
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from tests.commands.conftest import command as command
from workbench import ZCDP, ClippedMean, PureDP
from workbench.errors import ArgumentError
from workbench.privacy import (
    ApproxDP,
    Charge,
    GaussianDP,
    NonPrivate,
    SimulatedNoise,
    mechanisms,
)
from workbench.privacy.budgets import approx_from_zcdp, gaussian_delta
from workbench.privacy.grid import OnGrid
from workbench.privacy.secure import SecureNoise
from workbench.study.audit import (
    Pair,
    audit,
    audit_function,
    epsilon_lower,
    excess,
    last_bit,
    mu_lower,
    neighbours,
    rho_lower,
)
from workbench.study.profiles import AUDIT_CI, AUDIT_LEVEL, CONTRACT_LEVEL
from workbench.study.trade_off import FREE, HALF, TradeOff, least

ZERO_ONE_ARRAYS = np.zeros(3), np.array([1.0, 0.0, 0.0])
ZERO_ONE = (Pair("0 or 1", *ZERO_ONE_ARRAYS),)


def laplace(scale):
    return lambda x, trials, rng: x.sum() + rng.laplace(scale=scale, size=trials)


def gaussian(sd):
    return lambda x, trials, rng: x.sum() + sd * rng.standard_normal(trials)


def leaking_response(epsilon, delta):
    """Reveals its bit with probability delta, else randomised response: exactly (epsilon, delta)-DP."""

    def mechanism(x, trials, rng):
        bit = int(x.sum())
        answer = np.where(rng.random(trials) < exp(epsilon) / (1 + exp(epsilon)), bit, 1 - bit)
        return np.where(rng.random(trials) < delta, 2 + bit, answer)

    return mechanism


def exactly(scale):
    """Nothing: outputs do not depend on the rows."""
    return lambda x, trials, rng: np.full(trials, x.sum())


# false alarms

AT_THE_CLAIM = {
    "Laplace": (laplace(1.0), PureDP(1.0)),
    "Gaussian": (gaussian(1.0), GaussianDP(1.0)),
    "leaking response": (leaking_response(1.0, 0.1), ApproxDP(1.0, 0.1)),
    "Gaussian as zCDP": (gaussian(1.0), ZCDP(0.5)),
}


@pytest.mark.daily
@pytest.mark.parametrize("name", AT_THE_CLAIM)
def test_false_alarms_of_mechanisms_exactly_at_their_claim(name):
    mechanism, claim = AT_THE_CLAIM[name]
    level, audits = 0.05, 300
    sizes = {"n_screen": 100, "n_train": 1000, "n_test": 4000}
    alarms = sum(
        audit(mechanism, ZERO_ONE, claim, level=level, seed=seed, name=name, **sizes).violated
        for seed in range(audits)
    )
    assert binom.sf(alarms - 1, audits, level) > CONTRACT_LEVEL


@pytest.mark.turns(4)
def test_screening_many_pairs_does_not_raise_false_alarms():
    pairs = [Pair(f"pair {i}", np.zeros(3), np.array([0.0, 1.0, 0.0])) for i in range(12)]
    sizes = {"level": 0.05, "n_screen": 100, "n_train": 200, "n_test": 400}
    alarms = sum(audit(laplace(1.0), pairs, PureDP(1.0), seed=seed, **sizes).violated for seed in range(60))
    assert binom.sf(alarms - 1, 60, 0.05) > CONTRACT_LEVEL


# power: runs for 95 % detection at level 1e-3 by the best event known, and half as many again

POWER = [
    (laplace(0.5), PureDP(1.0), 300),
    (laplace(0.5**0.5), PureDP(1.0), 1500),
    (laplace(0.25), PureDP(2.0), 268),
    (laplace(0.5 * 0.5**0.5), PureDP(2.0), 1095),
    (gaussian(0.25), GaussianDP(2.0), 99),
    (gaussian(0.5 * 0.5**0.5), GaussianDP(2.0), 381),
    (gaussian(0.45), GaussianDP(2.0), 3634),
    (gaussian(0.5), GaussianDP(1.0), 162),
    (gaussian(0.5**0.5), GaussianDP(1.0), 925),
    (gaussian(0.5 / 0.268), GaussianDP(0.268), 1800),
    (exactly(0.0), PureDP(1.0), 25),
    (exactly(0.0), PureDP(2.0), 60),
    (exactly(0.0), GaussianDP(0.268), 13),
]


@pytest.mark.turns(4)
@pytest.mark.parametrize(("mechanism", "claim", "runs"), POWER)
def test_power(mechanism, claim, runs):
    sizes = {"n_screen": 100, "n_train": 4000, "n_test": runs + runs // 2}
    found = [audit(mechanism, ZERO_ONE, claim, level=1e-3, seed=seed, **sizes) for seed in range(20)]
    assert sum(report.violated for report in found) >= 18


def test_bounds_come_close_to_the_truth():
    report = audit(gaussian(0.5), ZERO_ONE, GaussianDP(2.0), n_test=200_000, n_train=20_000)
    assert 1.9 < report.mu_lower <= 2.0
    report = audit(laplace(0.5), ZERO_ONE, PureDP(2.0), n_test=200_000, n_train=20_000)
    assert 1.9 < report.eps_lower <= 2.0


# kinds of events


def silent(x, trials, rng):
    return np.where(rng.random(trials) < 0.2 + 0.7 * x.sum(), np.nan, 1.0)


def with_an_atom(x, trials, rng):
    return np.where(rng.random(trials) < 0.1 * x.sum(), 0.125, rng.laplace(scale=100.0, size=trials))


def endless(x, trials, rng):
    return rng.choice([-np.inf, np.inf, np.nan, 0.0], size=(trials, 2))


def greedy(x, trials, rng):
    """Outputs of no kind, after a change of the rows."""
    x += 1
    return np.full(trials, np.nan)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [(silent, "no answer"), (with_an_atom, "equal to|likelihood"), (endless, ""), (greedy, "")],
)
def test_silence_atoms_and_infinite_outputs_betray_where_they_differ(mechanism, words):
    report = audit(mechanism, ZERO_ONE, PureDP(0.5))
    assert report.violated == bool(words)
    assert re.search(words, report.event)
    assert not ZERO_ONE[0].first.any()


def test_vectors_are_told_apart_along_a_direction():
    def mechanism(x, trials, rng):
        return x.sum() * np.array([0.8, -0.6]) + rng.standard_normal((trials, 2))

    report = audit(mechanism, ZERO_ONE, GaussianDP(1.0))
    assert not report.violated
    assert report.mu_lower > 0.85
    assert audit(mechanism, ZERO_ONE, GaussianDP(0.8)).violated


def test_a_score_sees_what_no_built_in_view_does():
    def mechanism(x, trials, rng):
        signs = rng.choice([-1.0, 1.0], size=(trials, 6))
        if x.sum():
            signs[:, 5] = signs[:, :5].prod(axis=1)  # any five columns are independent
        return signs * np.abs(rng.standard_normal((trials, 6)))

    assert not audit(mechanism, ZERO_ONE, PureDP(0.5)).violated
    assert audit(mechanism, ZERO_ONE, PureDP(0.5), score=lambda rows: rows.prod(axis=1)).violated


def test_the_pair_that_betrays_is_found():
    def mechanism(x, trials, rng):
        return np.minimum(x, 5.0).sum() + (x.max() > 100) + rng.laplace(size=trials)

    pairs = [*ZERO_ONE, Pair("clip", np.zeros(3), np.array([0.0, 0.0, 1e3]))]
    report = audit(mechanism, pairs, PureDP(1.0))
    assert report.violated
    assert report.pair == "clip"


# what one event proves


def test_bounds_of_one_event_are_those_of_the_whole_curve():
    """An event at the boundary of a claim: no point of its curve is violated, one just beyond it is."""
    p, q = 0.7, 0.2
    mu, rho = float(mu_lower(p, q)), float(rho_lower(p, q))
    assert max(p - exp(e) * q - gaussian_delta(mu, e) for e in np.linspace(0, 6, 600)) < 1e-9
    assert max(p - exp(e) * q - gaussian_delta(0.99 * mu, e) for e in np.linspace(0, 6, 600)) > 0
    for delta in np.geomspace(1e-6, 0.5, 30):
        assert p <= exp(approx_from_zcdp(ZCDP(rho), delta).epsilon) * q + delta
    assert float(epsilon_lower(p, q, 0.1)) == pytest.approx(np.log(0.6 / 0.2))


def test_rho_is_at_least_the_divergence_and_at_most_that_of_randomised_response():
    for epsilon in (0.1, 1.0, 3.0):
        p, q = exp(epsilon) / (1 + exp(epsilon)), 1 / (1 + exp(epsilon))
        kl = epsilon * np.tanh(epsilon / 2)
        assert kl * (1 - 1e-5) <= rho_lower(p, q) <= kl * (1 + 1e-9)
    assert rho_lower(0.2, 0.3) < 0
    assert rho_lower(0.5, 0.3, 0.2) == pytest.approx(float(rho_lower(0.375, 0.375)))


def test_impossible_bounds_prove_nothing():
    for claim in (PureDP(1.0), ApproxDP(1.0, 0.1), GaussianDP(1.0), ZCDP(1.0, 0.1), ZCDP(1.0)):
        assert excess(claim, 0.0, 1.0) < 0
        assert excess(claim, 0.0, 0.1) < 0
        assert excess(claim, 0.9, 1.0) < 0
    with pytest.raises(ArgumentError):
        excess(NonPrivate(), 0.5, 0.5)


# honesty of the procedure


@pytest.mark.parametrize(
    "mechanism",
    [exactly(0.0), lambda x, trials, rng: (rng.random(trials) < 1e-3) * 1.0],
    ids=["constant", "rare"],
)
def test_equal_batches_of_a_mechanism_without_entropy_are_accepted(mechanism):
    audit(mechanism, ZERO_ONE, PureDP(1.0))


def test_every_phase_and_either_data_set_has_a_stream_and_a_fixed_size():
    sizes, streams = Counter(), []

    def mechanism(x, trials, rng):
        sizes[trials] += 1
        streams.append(rng.bit_generator.state["state"]["state"])
        return x.sum() + rng.laplace(size=trials)

    pairs = [*ZERO_ONE, Pair("1 or 2", np.ones(3), np.array([2.0, 1.0, 1.0]))]
    report = audit(mechanism, pairs, PureDP(1.0), n_screen=50, n_train=70, n_test=90)
    assert sizes == {50: 4, 70: 2, 90: 2, 200: 4}
    assert len(set(streams)) == len(streams)
    assert report.runs == sum(size * times for size, times in sizes.items())
    assert report.trials == 90


def test_a_report_repeats_itself_is_json_and_page_and_never_says_verified():
    pair, lists = (Pair("<pair>", *rows) for rows in (ZERO_ONE_ARRAYS, ([0, 0, 0], (1, 0, 0))))
    good, same, other = (
        audit(laplace(1.0), [one], PureDP(1.0), seed=seed) for one, seed in ((pair, 4), (lists, 4), (pair, 5))
    )
    assert good == same != other
    record = json.loads(good.to_json())
    assert (record["claim"], record["level"], record["trials"]) == ("ε = 1", AUDIT_LEVEL, AUDIT_CI.n_test)
    assert good.message.startswith("no violation of ε = 1 found (")
    assert "99.99 % confidence" in good.message
    assert "verified" not in str(good)
    page = audit(laplace(0.3), [pair], PureDP(1.0))._repr_html_()
    assert "VIOLATION" in page
    assert ("&lt;pair&gt;" in page, "<pair>" in page) == (True, False)
    assert Pair("rows", [[0, 0], [1, 1]], [[0, 0], [1, 2]]).first.shape == (2, 2)


@pytest.mark.parametrize("wrap", [float, np.float64, np.array])
def test_a_function_of_one_answer_is_called_for_every_trial(wrap):
    calls = []

    def one(scale):
        def mechanism(x, trials, rng):
            calls.append(trials)
            return wrap(x.sum() + rng.laplace(scale=scale))

        return mechanism

    sizes = {"n_train": 2000, "n_test": 2000}
    report = audit(one(0.25), ZERO_ONE, PureDP(1.0), **sizes)
    assert len(calls) == report.runs
    assert report.violated
    assert not audit(one(1.0), ZERO_ONE, PureDP(1.0), **sizes).violated


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.zeros(3), np.zeros(3)),
        (np.zeros(3), np.ones(3)),
        (np.zeros(3), np.zeros(4)),
        (1.0, [1.0]),
        ("rows", [1.0]),
        ([1.0, [2.0]], [1.0]),
        (None, [1.0]),
    ],
)
def test_pairs_are_neighbours(first, second):
    with pytest.raises(ArgumentError):
        Pair("bad", first, second)


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"pairs": ()}, "pairs"),
        ({"level": 0.0}, "level"),
        ({"n_test": 0}, "n_test"),
        ({"n_train": 3}, "n_train"),
        ({"mechanism": lambda x, trials, rng: rng.random(trials - 1)}, "trials"),
    ],
)
def test_bad_arguments(change, argument):
    with pytest.raises(ArgumentError, match=argument):
        audit(**{"mechanism": laplace(1.0), "pairs": ZERO_ONE, "claim": PureDP(1.0)} | change)


# low bits accuse noise of floats, and not noise of whole numbers: the innocent with probability 1e-6 at most

NUMBER = [Pair("0 or 1", np.array([0.0]), np.array([1.0]))]
STEP, LOW, MILLION = 2.0**-20, 1e-6, 1_000_000
KINDS = {"laplace": (mechanisms.laplace, PureDP(1.0)), "gaussian": (mechanisms.gaussian, ZCDP(0.5))}


@pytest.mark.turns(4)
@pytest.mark.parametrize("kind", KINDS)
def test_floats_are_accused_and_whole_numbers_are_not_in_a_million_draws(kind):
    add, cost = KINDS[kind]
    charge = Charge("sum", kind, 1.0, cost)

    def simulated(x, trials, rng):
        return add(np.full(trials, x.sum()), charge, SimulatedNoise(rng))

    def secure(x, trials, _):
        return add(OnGrid(np.full(trials, round(x.sum() / STEP)), STEP), charge, SecureNoise())

    assert audit(simulated, NUMBER, cost, score=last_bit, level=LOW, seed=1).violated
    sizes = {"n_train": MILLION // 4, "n_test": MILLION}
    assert not audit(secure, NUMBER, cost, score=last_bit, level=LOW, seed=1, **sizes).violated


# Attacks on functions of one's own: the verdict on what is right, too quiet, too sensitive, or seeded.

MECHANISMS = """
import numpy as np

PAIRS = [("one row", [0, 0, 0], [1, 0, 0])]


def right(rows, rng):
    return rows.clip(0, 1).mean() + rng.laplace(scale=1 / len(rows))


def halved(rows, rng):
    return rows.clip(0, 1).mean() + rng.laplace(scale=0.5 / len(rows))


def wrong_sensitivity(rows, rng, budget):
    return rows.clip(0, 1).sum() + rng.laplace(scale=1 / len(rows) / budget.epsilon)


def fixed_seed(rows, rng):
    return rows.clip(0, 1).mean() + np.random.default_rng(7).laplace(scale=1 / len(rows))


def fixed_seeds(rows, trials, rng):
    return rows.clip(0, 1).mean() + np.random.default_rng(7).laplace(scale=1 / len(rows), size=trials)
"""
ONE = PureDP(1.0)
PAIR = Pair("one row", [0, 0, 0], [1, 0, 0])
PAIRS, EPSILON = ("--pairs", "mechanisms:PAIRS"), ("--epsilon", "1")


@pytest.fixture
def own_mechanisms(tmp_path, monkeypatch):
    """A module of four mechanisms in the working folder."""
    (tmp_path / "mechanisms.py").write_text(MECHANISMS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mechanisms", raising=False)
    return tmp_path


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("right", 0, "mechanisms:right: no violation of ε = 1 found"),
        ("halved", 1, "mechanisms:halved: VIOLATION of ε = 1"),
        pytest.param("wrong_sensitivity", 1, "VIOLATION of ε = 1", marks=pytest.mark.daily),
        pytest.param("fixed_seed", 1, "VIOLATION of ε = 1", marks=pytest.mark.daily),
        ("fixed_seeds", 1, "they are those of a fixed seed: 200 against 0 of 200"),
    ],
)
def test_the_verdict_on_four_mechanisms(own_mechanisms, command, name, code, words):
    done = command("audit", "--function", f"mechanisms:{name}", *PAIRS, *EPSILON)
    assert (done.returncode, words in done.stdout) == (code, True)
    assert f"accused with probability {AUDIT_LEVEL:g} at most; this is no proof of privacy" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--function", "mechanisms:right", *EPSILON), "pairs = None: expected --pairs MODULE"),
        (("--function", "mechanisms", *PAIRS, *EPSILON), "module:object"),
        (
            ("--function", "mechanisms:right", "--pairs", "mechanisms:right", *EPSILON),
            "expected a list of Pair",
        ),
        (("--function", "mechanisms:none", *PAIRS, *EPSILON), "can be imported"),
        (("--function", "mechanisms:right", *PAIRS), "epsilon = None"),
        (("--function", "m:f", "--mutants", *EPSILON), "no key and no --mutants"),
        (("--function", "m:f", *EPSILON, "--mu", "1"), "mu = 1.0: expected --mu alone"),
        (EPSILON, "epsilon = '1.0': expected --function MODULE:OBJECT beside it"),
    ],
)
def test_wrong_flags_are_one_line(own_mechanisms, command, words, said):
    command("audit", *words).refused(said)


@pytest.mark.turns(4)
def test_a_function_that_repeats_itself_and_tells_nothing_is_not_accused():
    def ignores(rows, trials, rng):
        return np.random.default_rng(1).random(trials)

    with pytest.raises(ArgumentError, match="the same outputs on two streams"):
        audit_function(ignores, [PAIR], ONE)
    assert not audit_function(lambda rows, rng: 0.0, [PAIR], ONE).violated


@pytest.mark.daily
def test_estimators_and_answers_in_space_are_attacked():
    assert not audit_function(ClippedMean(radius=1, sigma=1.0), [PAIR], ONE).violated
    quiet = audit_function(
        lambda rows, rng: rows.mean(axis=0) + 0.05 * rng.standard_normal(2),
        [(np.zeros((4, 2)), np.array([[1.0, 0.0], *np.zeros((3, 2))]))],
        ZCDP(0.5),
    )
    assert quiet.violated


@pytest.mark.parametrize(
    "pairs", [[PAIR], [([0, 0, 0], [1, 0, 0])], (("x", [0, 0], [1, 0]),), lambda: [PAIR], PAIR]
)
def test_forms_of_pairs(pairs):
    assert all(isinstance(pair, Pair) for pair in neighbours("pairs", pairs))


@pytest.mark.parametrize("pairs", [[], 3, "mine", [3], [([0, 0], [1, 1])], [([0], [1], [2], [3])]])
def test_pairs_that_are_none_are_refused(pairs):
    with pytest.raises(ArgumentError):
        neighbours("pairs", pairs)


DELTA = 1e-6


@pytest.fixture
def trade():
    return TradeOff("covariance/thresholded", 50)


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 50), st.integers(60, 6000))
def test_the_least_enough_is_found_from_any_guess(answer, guess, start, most):
    def enough(n):
        assert start <= n <= most
        return n >= answer

    assert least(enough, start, most, guess) == (max(answer, start) if answer <= most else None)


def test_every_solution_is_the_least_that_is_enough(trade):
    n = trade.rows(0.1, 1.0, DELTA)
    assert trade.error(n, 1.0, DELTA) <= 0.1 < trade.error(n - 1, 1.0, DELTA)
    epsilon = trade.epsilon(0.1, n, DELTA)
    assert trade.error(n, epsilon, DELTA) <= 0.1 < trade.error(n, epsilon - 0.01, DELTA)
    delta = trade.delta(0.1, n, 1.0)
    assert trade.error(n, 1.0, delta) <= 0.1 < trade.error(n, 1.0, delta / 1.02)
    assert trade.rows(0.1, 1.0, DELTA, guess=n / 50) == trade.rows(0.1, 1.0, DELTA, guess=50 * n) == n
    assert trade.epsilon(1e-6, 10, DELTA) is None


@pytest.mark.parametrize(("key", "d", "why"), [("mean/tukey", 3, "step = "), ("mean/affine", 100, "d = 100")])
def test_what_takes_no_budget_at_so_many_columns_says_why(key, d, why):
    with pytest.raises(ArgumentError, match=why):
        TradeOff(key, d).error(1000, 1.0, DELTA)


def test_noise_is_more_than_half_of_the_error_below_the_balance(trade):
    sizes = [round(n) for n in np.geomspace(10, 100_000, 21)]
    epsilons = np.geomspace(0.05, 10, 13).tolist()
    balance = trade.balance(trade.errors(sizes, epsilons, DELTA), sizes, DELTA)
    inside = [pair for pair in zip(epsilons, balance, strict=True) if 10 < pair[1] < 100_000]
    assert len(inside) > 5
    for epsilon, n in inside:
        below, above = (
            trade.error(m, epsilon, DELTA) / trade.error(m, FREE, DELTA)
            for m in (round(n / 1.5), round(n * 1.5))
        )
        assert below > HALF >= above
