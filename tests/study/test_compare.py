"""`compare`: the same rows for every method, nothing computed twice, the same bits from any worker."""

import numpy as np
import pytest

from workbench import ApproxDP, ClippedMean, CoinPressMean, EmpiricalMean, PureDP, TwoStepMean
from workbench.distributions import Gaussian
from workbench.errors import ArgumentError
from workbench.estimators import Abstention
from workbench.populations import MultivariateGaussian, UnivariateGaussian
from workbench.study.audit import OwnFunction, mechanism
from workbench.study.comparing import compare

NORMAL, ONE, TWO_STEP = UnivariateGaussian(3.0), PureDP(1.0), TwoStepMean(radius=9, sigma=1.0)


def plain(rows, rng):
    return rows.mean()


def test_every_method_sees_the_same_rows_and_the_table_is_tidy():
    methods = {"a": plain, "b": lambda rows, rng: rows.mean(), "two-step": TWO_STEP}
    found = compare(methods, population=NORMAL, n=[40, 80], budget=[ONE, PureDP(2)], trials=30)
    assert list(found.frame) == ["method", "budget", "n", "trial", "error", "abstained"]
    errors = {key: part["error"].tolist() for key, part in found.frame.groupby(["method", "budget"])}
    assert {len(part) for part in errors.values()} == {2 * 30}
    one, two = str(ONE), str(PureDP(2))
    assert errors["a", one] == errors["b", one] == errors["a", two]
    assert not {*errors["two-step", one]} & {*errors["a", one]}
    predicted = found.summary.set_index(["method", "budget", "n"])["predicted"]
    assert predicted["two-step", two, 80] == TWO_STEP.predicted_error(80, 1, PureDP(2))
    assert predicted["a", one, 40] == np.inf
    law = MultivariateGaussian(Gaussian([1.0, 2.0], np.eye(2)))  # rows in space, and no privacy
    methods = {"sample mean": EmpiricalMean(), "mine": lambda rows, rng: rows.mean(axis=0)}
    found = compare(methods, population=law, n=100, budget=None, trials=10).frame
    first, other = (part["error"].to_numpy() for _, part in found.groupby("method"))
    np.testing.assert_allclose(first, other, rtol=1e-9)


@pytest.mark.daily
def test_workers_take_a_function_of_a_cell_and_give_the_same_bits():
    cell = {"cell": lambda rows, rng: np.median(rows) + rng.random()}
    one, two = (compare(cell, population=NORMAL, n=9, budget=ONE, trials=50, jobs=jobs) for jobs in (1, 2))
    assert one.frame.equals(two.frame)


@pytest.mark.parametrize(
    ("methods", "more", "words"),
    [
        ({"f": 3}, {}, "f = 'int': expected f(rows, rng)"),
        ({"f": lambda rows: 0}, {}, "f = 'f(rows)': expected f(rows, rng)"),
        ({"f": plain}, {"n": []}, "n = []: expected one, or several that differ"),
        ({"f": plain}, {"n": [10, 10]}, "n = [10, 10]: expected one, or several that differ"),
        ({"f": TWO_STEP}, {"budget": ApproxDP(1.0, 1e-6)}, "budget = ApproxDP"),
        ({"a": TWO_STEP, "b": CoinPressMean(radius=9, sigma=1.0)}, {}, "loss = None: expected the one"),
    ],
)
def test_what_is_public_is_refused_in_one_line(methods, more, words):
    with pytest.raises(ArgumentError) as refused:
        compare(methods, **{"population": NORMAL, "n": [10], "budget": ONE} | more)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize(
    "function",
    [
        lambda rows, budget, rng: rows.mean() + rng.laplace() / budget.epsilon,
        lambda x, r, b: x.mean() + r.laplace() / b.epsilon,
        lambda rows, trials, rng: rows.mean() + rng.laplace(size=trials),
        lambda rows, rng, k=3: rows.mean() + rng.laplace(),
        ClippedMean(radius=9, sigma=1.0),
    ],
)
def test_forms_of_functions(function):
    own, x = OwnFunction("f", function), np.zeros(5)
    assert np.ndim(own.answer(x, np.random.default_rng(1), ONE)) == 0
    outputs = np.asarray(mechanism(own, ONE)(x, 7, np.random.default_rng(2)))
    assert outputs.shape in ((7,), (7, 1))
    assert len(np.unique(outputs)) == 7


def test_no_answer_is_a_row_of_infinite_error_and_of_a_mechanism_one_of_nan():
    sometimes = lambda rows, rng: None if rng.random() < 0.5 else (1.0, 2.0)  # noqa: E731
    outputs = mechanism(OwnFunction("f", sometimes), ONE)(np.zeros(3), 40, np.random.default_rng(1))
    assert outputs.shape == (40, 2)
    assert 0 < np.isnan(outputs).any(axis=1).sum() < 40
    methods = {
        "silent": lambda rows, rng: None if len(rows) < 50 else rows.mean(),
        "abstains": lambda rows, rng: Abstention("x"),
        "nan": lambda rows, rng: np.nan,
        "refuses": ClippedMean(radius=9, sigma=1.0),
    }
    frame = compare(methods, population=NORMAL, n=[1, 100], budget=ONE, trials=5).frame
    flagged = frame.groupby(["n", "method"])["abstained"].mean()
    assert (flagged[1] == 1.0).all()
    assert flagged[100].to_dict() == {"silent": 0.0, "abstains": 1.0, "nan": 1.0, "refuses": 0.0}
    assert np.isinf(frame["error"][frame["abstained"]]).all()
