"""`compare`: the same rows for every method, nothing computed twice, the same bits from any worker."""

from pathlib import Path

import numpy as np
import pytest

from workbench import ApproxDP, ClippedMean, CoinPressMean, EmpiricalMean, PureDP, TwoStepMean
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.populations import MultivariateGaussian, UnivariateGaussian
from workbench.study import compare
from workbench.study.audit import OwnFunction, mechanism
from workbench.study.comparing import digest
from workbench.study.sweeps import CellError, Resources, lending

NORMAL, ONE = UnivariateGaussian(3.0), PureDP(1.0)
LIMIT = 9.0


def mine(rows, rng, budget):
    return rows.clip(-LIMIT, LIMIT).mean() + rng.laplace(scale=2 * LIMIT / len(rows) / budget.epsilon)


def plain(rows, rng):
    return rows.mean()


def silent(rows, rng):
    return None if len(rows) < 50 else rows.mean()


def made(text, name="f", **names):
    """A function out of text, as a cell of a notebook makes it."""
    space = {"np": np, **names}
    exec(compile(text, f"cell_{abs(hash(text))}.py", "exec"), space)
    return space[name]


def counted(folder):
    """A function that leaves a mark for every call."""
    text = "def f(rows, rng):\n with open(WHERE, 'a') as f: f.write('x')\n return rows.mean()"
    return made(text, WHERE=str(Path(folder) / "calls")), Path(folder) / "calls"


def test_every_method_sees_the_same_rows_and_the_table_is_tidy(tmp_path):
    methods = {"a": plain, "b": lambda rows, rng: rows.mean(), "two-step": TwoStepMean(radius=9, sigma=1.0)}
    found = compare(
        methods, population=NORMAL, n=[40, 80], budget=[ONE, PureDP(2)], trials=30, store=tmp_path / "s"
    )
    frame = found.frame
    assert list(frame) == ["method", "budget", "n", "trial", "error", "abstained"]
    assert len(frame) == 3 * 2 * 2 * 30
    errors = {name: part["error"].to_numpy() for name, part in frame.groupby("method")}
    assert (errors["a"] == errors["b"]).all()
    assert (errors["a"] != errors["two-step"]).all()
    per_budget = frame[frame["method"] == "a"].groupby("budget")["error"].apply(np.array)
    assert (per_budget.iloc[0] == per_budget.iloc[1]).all()
    medians = found.summary.set_index(["method", "budget", "n"])
    predicted = TwoStepMean(radius=9, sigma=1.0).predicted_error(80, 1, PureDP(2))
    assert medians.loc[("two-step", str(PureDP(2)), 80), "predicted"] == predicted
    assert np.isinf(medians.loc[("a", str(ONE), 40), "predicted"])


def test_a_second_run_reads_the_store_and_more_trials_go_on(tmp_path):
    function, calls = counted(tmp_path)
    kept = {"population": NORMAL, "n": [10, 20], "budget": None, "store": tmp_path / "s"}
    first = compare({"f": function}, trials=50, **kept).frame
    assert len(calls.read_text()) == 100
    again = compare({"f": made(*_source(), WHERE=str(calls))}, trials=50, **kept).frame
    assert again.equals(first)
    assert len(calls.read_text()) == 100
    more = compare({"renamed": function}, trials=100, **kept).frame
    assert len(calls.read_text()) == 200
    assert (more[more["trial"] < 50]["error"].to_numpy() == first["error"].to_numpy()).all()


def _source():
    return ("\n\ndef f(rows, rng):\n with open(WHERE, 'a') as f: f.write('x')\n return rows.mean()",)


@pytest.mark.daily
def test_workers_give_the_same_bits(tmp_path):
    methods = {"mine": mine, "cell": made("def f(rows, rng): return np.median(rows) + 0 * rng.random()")}
    kept = {"population": NORMAL, "n": [30, 60], "budget": ONE, "trials": 50}
    one = compare(methods, **kept, store=tmp_path / "one", jobs=1).frame
    two = compare(methods, **kept, store=tmp_path / "two", jobs=2).frame
    assert one.equals(two)
    assert one.equals(compare(methods, **kept, cached=False).frame)


def test_uncached_leaves_nothing_in_the_store_of_the_run_and_cached_uses_it(tmp_path):
    function, calls = counted(tmp_path)
    kept = {"population": NORMAL, "n": 10, "budget": None, "trials": 5}
    with lending(Resources(store=tmp_path / "lent")):
        compare({"f": function}, **kept, cached=False)
        assert not (tmp_path / "lent").exists()
        for _ in range(2):
            compare({"f": function}, **kept)
    assert len(calls.read_text()) == 10
    assert (tmp_path / "lent").exists()


CELL = "def f(rows, rng): return rows.mean() + SHIFT + helper(rows)"
HELPER = "def helper(rows): return 0.5"


def cell(text=CELL, helper=HELPER, shift=1.0):
    return made(text, SHIFT=shift, helper=made(helper, "helper"))


def test_code_is_known_by_what_it_computes():
    class Own:
        def __init__(self, k):
            self.k = k

        def __call__(self, rows, rng):
            return rows.mean() + self.k

    def shifted(by):
        return lambda rows, rng: rows.mean() + by[0]

    known = digest(cell(), "f")
    assert digest(cell("\n\n# elsewhere\n" + CELL), "f") == known
    assert digest(cell(shift=np.float64(1.0)), "f") != known
    assert digest(Own(1), "f") == digest(Own(1), "f")
    assert digest(TwoStepMean(radius=9, sigma=1.0), "f") == digest(TwoStepMean(radius=9, sigma=1.0), "f")
    others = [
        cell(CELL.replace("mean", "max")),
        cell(helper=HELPER.replace("0.5", "0.6")),
        cell(shift=2.0),
        cell(CELL.replace("rng)", "rng, k=2)")),
        TwoStepMean(radius=9, sigma=1.0),
        TwoStepMean(radius=10, sigma=1.0),
        shifted(np.array([1.0])),
        shifted(np.array([2.0])),
        shifted([1.0]),
        Own(1),
        Own(2),
        Own(1).__call__,
    ]
    assert len({known, *(digest(other, "f") for other in others)}) == 1 + len(others)


def test_a_stream_of_ones_own_is_refused_before_anything_is_drawn(tmp_path):
    own = made("def f(rows, rng): return rows.mean() + OWN.random()", OWN=np.random.default_rng(1))
    with pytest.raises(ArgumentError, match="expected no stream of its own"):
        compare({"mine": own}, population=NORMAL, n=10, budget=None, store=tmp_path / "s")


@pytest.mark.parametrize(
    ("methods", "more", "words"),
    [
        ({"f": 3}, {}, "f = 'int': expected f(rows, rng)"),
        ({"f": lambda rows: 0}, {}, "f = 'f(rows)': expected f(rows, rng)"),
        ({"f": TwoStepMean}, {}, "f = 'ABCMeta': expected f(rows, rng)"),
        ({"f": plain}, {"n": []}, "n = []: expected one, or several that differ"),
        ({"f": plain}, {"n": [10, 10]}, "n = [10, 10]: expected one, or several that differ"),
        ({"f": plain}, {"trials": 0}, "trials = 0: expected an integer, at least 1"),
        ({"f": TwoStepMean(radius=9, sigma=1.0)}, {"budget": ApproxDP(1.0, 1e-6)}, "budget = ApproxDP"),
        (
            {"a": TwoStepMean(radius=9, sigma=1.0), "b": CoinPressMean(radius=9, sigma=1.0)},
            {},
            "loss = None: expected the one",
        ),
    ],
)
def test_what_is_public_is_refused_in_one_line(methods, more, words, tmp_path):
    kept = {"population": NORMAL, "n": [10], "budget": ONE, "store": tmp_path / "s", **more}
    with pytest.raises(ArgumentError) as refused:
        compare(methods, **kept)
    assert str(refused.value).startswith(words)
    assert not (tmp_path / "s").exists()


def test_rows_in_space_and_references_without_privacy(tmp_path):
    law = MultivariateGaussian(Gaussian([1.0, 2.0], np.eye(2)))
    methods = {"sample mean": EmpiricalMean(), "mine": lambda rows, rng: rows.mean(axis=0)}
    found = compare(methods, population=law, n=100, budget=None, trials=10, store=tmp_path / "s").frame
    errors = {name: part["error"].to_numpy() for name, part in found.groupby("method")}
    np.testing.assert_allclose(errors["mine"], errors["sample mean"], rtol=1e-9)


def test_a_function_that_fails_is_named(tmp_path):
    with pytest.raises(CellError, match="ZeroDivisionError"):
        compare({"bad": lambda rows, rng: 1 / 0}, population=NORMAL, n=9, budget=None, store=tmp_path / "s")


@pytest.mark.parametrize(
    "function",
    [
        lambda rows, rng: rows.mean() + rng.laplace(),
        lambda rows, rng, budget: rows.mean() + rng.laplace() / budget.epsilon,
        lambda rows, budget, rng: rows.mean() + rng.laplace() / budget.epsilon,
        lambda x, r, b: x.mean() + r.laplace() / b.epsilon,
        lambda rows, trials, rng: rows.mean() + rng.laplace(size=trials),
        lambda rows, rng, k=3: rows.mean() + rng.laplace(),
        ClippedMean(radius=9, sigma=1.0),
    ],
)
def test_forms_of_functions(function):
    own = OwnFunction("f", function)
    x = np.zeros(5)
    assert isinstance(float(own.answer(x, np.random.default_rng(1), ONE)), float)
    outputs = np.asarray(mechanism(own, ONE)(x, 7, np.random.default_rng(2)))
    assert outputs.shape in ((7,), (7, 1))
    assert len(np.unique(outputs)) == 7


def test_no_answer_of_a_mechanism_is_a_row_of_nan():
    def sometimes(rows, rng):
        return None if rng.random() < 0.5 else (1.0, 2.0)

    outputs = mechanism(OwnFunction("f", sometimes), ONE)(np.zeros(3), 40, np.random.default_rng(1))
    assert outputs.shape == (40, 2)
    assert 0 < np.isnan(outputs).any(axis=1).sum() < 40


@pytest.mark.parametrize("home", ["/proc/none", "/dev/null", None])
def test_a_home_that_cannot_be_written_is_one_line(monkeypatch, home):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    if home is None:
        monkeypatch.setattr("pwd.getpwuid", lambda user: {}[user])
    else:
        monkeypatch.setenv("HOME", home)
    with pytest.raises(ArgumentError, match=r"^(store|XDG_CACHE_HOME) = .*: expected a "):
        compare({"plain": plain}, population=NORMAL, n=10, budget=None)


def test_no_answer_is_a_row_of_infinite_error(tmp_path):
    methods = {
        "silent": silent,
        "abstains": lambda rows, rng: Abstention("x"),
        "nan": lambda rows, rng: np.nan,
        "refuses": ClippedMean(radius=9, sigma=1.0),
    }
    kept = {"population": NORMAL, "n": [1, 100], "budget": ONE, "trials": 5, "store": tmp_path / "s"}
    frame = compare(methods, **kept).frame
    flagged = frame.groupby(["method", "n"])["abstained"].mean().unstack()
    assert (flagged[1] == 1.0).all()
    assert flagged[100].to_dict() == {"silent": 0.0, "abstains": 1.0, "nan": 1.0, "refuses": 0.0}
    assert np.isinf(frame["error"][frame["abstained"]]).all()
