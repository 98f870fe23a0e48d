"""Attacks: their intervals and verdicts, on functions of one's own too, and the trade-off they estimate."""

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from workbench.errors import ArgumentError
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Charge,
    GaussianDP,
    NonPrivate,
    PureDP,
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

ONE = PureDP(1.0)
PAIR = Pair("0 or 1", [0, 0, 0], [1, 0, 0])


def laplace(scale):
    return lambda x, trials, rng: x.sum() + rng.laplace(scale=scale, size=trials)


def gaussian(sd):
    return lambda x, trials, rng: x.sum() + sd * rng.standard_normal(trials)


def leaking(x, trials, rng):
    """Reveals its bit with probability 0.1, else randomised response of ε = 1: exactly (1, 0.1)-DP."""
    bit = x.sum()
    answer = np.where(rng.random(trials) < 1 / (1 + exp(-1)), bit, 1 - bit)
    return np.where(rng.random(trials) < 0.1, 2 + bit, answer)


@pytest.mark.daily
@pytest.mark.parametrize(
    ("mechanism", "claim", "pairs"),
    [
        (laplace(1.0), ONE, 1),
        (laplace(1.0), ONE, 12),
        (gaussian(1.0), GaussianDP(1.0), 1),
        (leaking, ApproxDP(1.0, 0.1), 1),
        (gaussian(1.0), ZCDP(0.5), 1),
    ],
)
def test_false_alarms_of_mechanisms_exactly_at_their_claim(mechanism, claim, pairs):
    level, audits = 0.05, 300
    same = [replace(PAIR, name=f"pair {place}") for place in range(pairs)]
    sizes = {"level": level, "n_screen": 100, "n_train": 1000, "n_test": 4000}
    alarms = sum(audit(mechanism, same, claim, seed=seed, **sizes).violated for seed in range(audits))
    assert binom.sf(alarms - 1, audits, level) > CONTRACT_LEVEL


def plane(x, trials, rng):
    return x.sum() * np.array([1.6, -1.2]) + rng.standard_normal((trials, 2))


@pytest.mark.parametrize(
    ("mechanism", "claim", "bound"),
    [
        (gaussian(0.5), GaussianDP(2.0), "mu_lower"),
        (plane, GaussianDP(2.0), "mu_lower"),  # along a direction
        (laplace(0.5), PureDP(2.0), "eps_lower"),
    ],
)
def test_bounds_come_close_to_the_truth(mechanism, claim, bound):
    report = audit(mechanism, [PAIR], claim, n_test=200_000, n_train=20_000)
    assert 1.9 < getattr(report, bound) <= 2.0


def silent(x, trials, rng):
    return np.where(rng.random(trials) < 0.2 + 0.7 * x.sum(), np.nan, 1.0)


def with_an_atom(x, trials, rng):
    return np.where(rng.random(trials) < 0.1 * x.sum(), 0.125, rng.laplace(scale=100.0, size=trials))


def endless(x, trials, rng):
    """Of both infinities and none, after a change of the rows."""
    x += 1
    return rng.choice([-np.inf, np.inf, np.nan, 0.0], size=(trials, 2))


@pytest.mark.parametrize(
    ("mechanism", "words"), [(silent, "no answer"), (with_an_atom, "equal to|likelihood"), (endless, "")]
)
def test_silence_atoms_and_infinite_outputs_betray_where_they_differ(mechanism, words):
    report = audit(mechanism, [PAIR], PureDP(0.5))
    assert report.violated == bool(words)
    assert re.search(words, report.event)
    assert not PAIR.first.any()


def test_bounds_of_one_event_are_those_of_the_whole_curve():
    """An event at the boundary of a claim: no point of its curve is violated, one just beyond it is."""
    p, q = 0.7, 0.2
    mu, rho = float(mu_lower(p, q)), float(rho_lower(p, q))
    assert max(p - exp(e) * q - gaussian_delta(mu, e) for e in np.linspace(0, 6, 600)) < 1e-9
    assert max(p - exp(e) * q - gaussian_delta(0.99 * mu, e) for e in np.linspace(0, 6, 600)) > 0
    for delta in np.geomspace(1e-6, 0.5, 30):
        assert p <= exp(approx_from_zcdp(ZCDP(rho), delta).epsilon) * q + delta
    assert float(epsilon_lower(p, q, 0.1)) == pytest.approx(np.log(0.6 / 0.2))
    for epsilon in (0.1, 3.0):  # ρ is at least the divergence and at most that of randomised response
        p, q = exp(epsilon) / (1 + exp(epsilon)), 1 / (1 + exp(epsilon))
        kl = epsilon * np.tanh(epsilon / 2)
        assert kl * (1 - 1e-5) <= rho_lower(p, q) <= kl * (1 + 1e-9)
    assert rho_lower(0.5, 0.3, 0.2) == pytest.approx(float(rho_lower(0.375, 0.375)))
    for claim in (ONE, ApproxDP(1.0, 0.1), GaussianDP(1.0), ZCDP(1.0, 0.1), ZCDP(1.0)):
        impossible = (0.0, 1.0), (0.0, 0.1), (0.9, 1.0)
        assert max(float(excess(claim, *bounds)) for bounds in impossible) < 0
    with pytest.raises(ArgumentError):
        excess(NonPrivate(), 0.5, 0.5)


def test_every_phase_and_either_data_set_has_a_stream_and_a_fixed_size():
    """Also where one pair betrays among several."""
    sizes, streams = Counter(), []

    def mechanism(x, trials, rng):
        sizes[trials] += 1
        streams.append(rng.bit_generator.state["state"]["state"])
        return np.minimum(x, 5.0).sum() + 9 * (x.max() > 100) + rng.laplace(size=trials)

    pairs = [PAIR, Pair("clip", np.zeros(3), np.array([0.0, 0.0, 1e3]))]
    report = audit(mechanism, pairs, ONE, n_screen=50, n_train=70, n_test=90)
    assert sizes == {50: 4, 70: 2, 90: 2, 200: 4}
    assert len(set(streams)) == len(streams)
    assert report.runs == sum(size * times for size, times in sizes.items())
    assert (report.trials, report.pair, report.violated) == (90, "clip", True)


def test_a_report_repeats_itself_is_json_and_never_says_verified():
    good, same, other = (audit(laplace(1.0), [PAIR], ONE, seed=seed) for seed in (4, 4, 5))
    assert good == same != other
    record = json.loads(good.to_json())
    assert (record["claim"], record["level"], record["trials"]) == ("ε = 1", AUDIT_LEVEL, AUDIT_CI.n_test)
    assert good.message.startswith("no violation of ε = 1 found (")
    assert "99.99 % confidence" in good.message
    assert "verified" not in str(good)
    calls = []
    one = lambda x, trials, rng: calls.append(trials) or x.sum() + rng.laplace(scale=0.25)  # noqa: E731
    report = audit(one, [PAIR], ONE, n_train=2000, n_test=2000)  # of one answer: called for every trial
    assert (len(calls), report.violated) == (report.runs, True)


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"pairs": ()}, "pairs"),
        ({"level": 0.0}, "level"),
        ({"n_train": 3}, "n_train"),
        ({"mechanism": lambda x, trials, rng: rng.random(trials - 1)}, "trials"),
        *(
            ({"pairs": pairs}, ".")
            for pairs in (
                *(3, "mine", [3], [([0], [1], [2], [3])], [([0, 0], [0, 0])], [([0, 0], [1, 1])]),
                *([([0], [1, 1])], [(1.0, [1.0])], [("rows", [1.0])], lambda needed: [PAIR]),
            )
        ),
    ],
)
def test_what_is_no_pair_of_neighbours_or_another_bad_argument_is_refused(change, argument):
    asked = {"mechanism": laplace(1.0), "pairs": [PAIR], "claim": ONE} | change
    with pytest.raises(ArgumentError, match=argument):
        audit(**asked | {"pairs": neighbours("pairs", asked["pairs"])})
    plain, named = [([0, 0, 0], [1, 0, 0])], (("x", [[0, 0], [1, 1]], [[0, 0], [1, 2]]),)
    good = [PAIR], PAIR, plain, named, lambda: [PAIR]
    assert all(isinstance(pair, Pair) for pairs in good for pair in neighbours("pairs", pairs))


# low bits accuse noise of floats, and not noise of whole numbers: the innocent with probability 1e-6 at most


@pytest.mark.turns(4)
@pytest.mark.parametrize(("add", "cost"), [(mechanisms.laplace, ONE), (mechanisms.gaussian, ZCDP(0.5))])
def test_floats_are_accused_and_whole_numbers_are_not_in_a_million_draws(add, cost):
    charge, step, million = Charge("sum", add.__name__, 1.0, cost), 2.0**-20, 1_000_000
    asked = {"pairs": [PAIR], "claim": cost, "score": last_bit, "level": 1e-6, "seed": 1}

    def simulated(x, trials, rng):
        return add(np.full(trials, x.sum()), charge, SimulatedNoise(rng))

    def secure(x, trials, _):
        return add(OnGrid(np.full(trials, round(x.sum() / step)), step), charge, SecureNoise())

    assert audit(simulated, **asked).violated
    assert not audit(secure, **asked, n_train=million // 4, n_test=million).violated


# Attacks on functions of one's own: the verdict on what is right, too quiet, too sensitive, or seeded.

MECHANISMS = """
import numpy as np

PAIRS = [("one row", [0, 0, 0], [1, 0, 0])]

def right(rows, rng):
    return rows.clip(0, 1).mean() + rng.laplace(scale=1 / len(rows))

def fixed_seeds(rows, trials, rng):
    return rows.clip(0, 1).mean() + np.random.default_rng(7).laplace(scale=1 / len(rows), size=trials)
"""


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("right", 0, "right: no violation of ε = 1 found"),
        ("fixed_seeds", 1, "a fixed seed: 200 against 0 of 200"),
    ],
)
def test_mechanisms_of_a_module_have_a_verdict(tmp_path, monkeypatch, command, name, code, said):
    (tmp_path / "mechanisms.py").write_text(MECHANISMS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mechanisms", raising=False)
    asked = ("--function", f"mechanisms:{name}", "--pairs", "mechanisms:PAIRS", "--epsilon", "1")
    done = command("audit", *asked)
    assert (done.returncode, said in done.stdout) == (code, True)
    assert f"accused with probability {AUDIT_LEVEL:g} at most; this is no proof of privacy" in done.stdout


@pytest.mark.turns(4)
def test_a_function_that_repeats_itself_and_tells_nothing_is_not_accused():
    def ignores(rows, trials, rng):
        return np.random.default_rng(1).random(trials)

    with pytest.raises(ArgumentError, match="the same outputs on two streams"):
        audit_function(ignores, [PAIR], ONE)
    for without_entropy in (lambda rows, rng: 0.0, lambda rows, rng: float(rng.random() < 1e-3)):
        assert not audit_function(without_entropy, [PAIR], ONE).violated


def test_a_function_that_answers_on_one_data_set_alone_is_convicted():
    def shy(rows, rng):
        return rng.random(2) if rows[0] else None

    assert audit_function(shy, [([0, 0, 0], [1, 0, 0])], ONE).violated


DELTA, TRADE = 1e-6, TradeOff("covariance/thresholded", 50)


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 50), st.integers(60, 6000))
def test_the_least_enough_is_found_from_any_guess(answer, guess, start, most):
    def enough(n):
        assert start <= n <= most
        return n >= answer

    assert least(enough, start, most, guess) == (max(answer, start) if answer <= most else None)


def test_noise_is_more_than_half_of_the_error_below_the_balance():
    sizes, epsilons = [round(n) for n in np.geomspace(10, 100_000, 21)], [1.0, 3.0, 10.0]
    balance = TRADE.balance(TRADE.errors(sizes, epsilons, DELTA), sizes, DELTA)
    for epsilon, n in zip(epsilons, balance, strict=True):
        below, above = (
            TRADE.error(m, epsilon, DELTA) / TRADE.error(m, FREE, DELTA) for m in (int(n / 1.5), int(n * 1.5))
        )
        assert below > HALF >= above
    assert TRADE.epsilon(1e-6, 10, DELTA) is None  # which no budget reaches
    with pytest.raises(ArgumentError, match="step = "):  # no budget is taken at so many columns
        TradeOff("mean/tukey", 3).error(1000, 1.0, DELTA)
