"""Attacks on functions of one's own: the verdict on what is right, too quiet, too sensitive, or seeded."""

import sys

import numpy as np
import pytest

from tests.commands.conftest import command as command
from workbench import ZCDP, ClippedMean, PureDP
from workbench.errors import ArgumentError
from workbench.study.audit import Pair, audit_function, neighbours
from workbench.study.profiles import AUDIT_LEVEL

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
def mechanisms(tmp_path, monkeypatch):
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
def test_the_verdict_on_four_mechanisms(mechanisms, command, name, code, words):
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
def test_wrong_flags_are_one_line(mechanisms, command, words, said):
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
