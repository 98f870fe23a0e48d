"""What others call: shapes, types, one source of randomness, and the line that names the extra."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.privacy import exact
from workbench.privacy import secure as exact_shapes

DRAW = {
    "normal": lambda scale, shape: exact.normal(scale, shape),
    "laplace": lambda scale, shape: exact.laplace(scale, shape),
    "truncated_laplace": lambda scale, shape: exact.truncated_laplace(scale, 3 * scale, shape),
    "exponential": lambda scale, shape: exact.exponential(scale, shape),
    "discrete_laplace": lambda scale, shape: exact.discrete_laplace(scale, shape),
}
CHOICES = {
    "choose": lambda: exact.choose([3, 1, 2], 0.5),
    "below": lambda: exact.below(10**9),
    "wishart": lambda: exact_shapes.wishart(np.eye(2), 0.2).tolist(),
    "square": lambda: exact_shapes.square(np.eye(2), 0.2).tolist(),
    "thompson_laplace": lambda: exact_shapes.thompson_laplace(np.eye(2), 0.1).tolist(),
}


@pytest.mark.parametrize("name", DRAW)
def test_shapes_and_types(name):
    draw = DRAW[name]
    for shape, expected in (((2, 3), (2, 3)), (4, (4,)), ((), ()), ((0,), (0,)), (np.int64(3), (3,))):
        assert draw(2.0, shape).shape == expected
        assert draw(2.0, shape).dtype == np.int64
    assert draw(np.float64(2.5), (2,)).dtype == draw(np.int64(2), (2,)).dtype == np.int64
    wide = draw(2**80 + 1, (3,))
    assert wide.dtype == object
    assert all(type(z) is int for z in wide)


def stream(seed):
    """A deterministic stand-in for os.urandom."""
    state = {"count": 0}

    def read(size):
        state["count"] += 1
        return hashlib.shake_256(f"{seed}/{state['count']}".encode()).digest(size)

    return read


@pytest.mark.parametrize(
    "call", [*(lambda d=d: d(100.0, (5,)).tolist() for d in DRAW.values()), *CHOICES.values()]
)
def test_all_randomness_is_that_of_the_operating_system(call, monkeypatch):
    def outcomes(seed):
        monkeypatch.setattr(os, "urandom", stream(seed))
        return [call() for _ in range(40)]

    assert outcomes("one") == outcomes("one") != outcomes("two")


def test_laws_are_those_of_their_names(monkeypatch):
    for name, what in (
        ("normal", exact.Normal(100.0)),
        ("laplace", exact.Laplace(100.0)),
        ("truncated_laplace", exact.TruncatedLaplace(100.0, 300.0)),
        ("exponential", exact.Exponential(100.0)),
        ("discrete_laplace", exact.DiscreteLaplace(100.0)),
    ):
        monkeypatch.setattr(os, "urandom", stream(name))
        found = DRAW[name](100.0, (50,)).tolist()
        assert found == exact.draw(what, (50,), stream(name)).tolist()


@pytest.mark.parametrize("name", DRAW)
@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), None, "2"])
def test_a_wrong_scale_is_named_before_anything_is_drawn(name, scale, monkeypatch):
    monkeypatch.setattr(os, "urandom", None)
    call = {"truncated_laplace": lambda: exact.truncated_laplace(scale, 3.0, (2,))}.get(
        name, lambda: DRAW[name](scale, (2,))
    )
    with pytest.raises(ArgumentError, match="scale = "):
        call()


def test_a_wrong_bound_is_named():
    with pytest.raises(ArgumentError, match="bound = -1"):
        exact.truncated_laplace(1.0, -1, (2,))


MISSING = """
import sys
sys.modules["flint"] = None
import workbench, workbench.catalog
from workbench.privacy import exact, exact_shapes
print(exact.below(1))
for draw, *given in (exact.normal, 1.0, 2), (exact.choose, [1, 2], 1.0), (exact_shapes.square, [[1.0]], 1.0):
    try:
        draw(*given)
    except ValueError as error:
        print(error)
"""


@pytest.mark.daily
def test_without_the_library_one_line_names_the_extra():
    done = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, check=True)
    line = """module = 'flint': expected the extra `secure`: pip install "dp-workbench[secure]\""""
    assert done.stdout.splitlines() == ["0", line, line, line]
    assert not done.stderr
