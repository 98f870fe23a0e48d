"""The integer search against a linear scan, the binomial tail against the direct sum."""

from math import comb

import numpy as np
import pytest

from workbench.bounds.search import binomial_tail, smallest


@pytest.mark.parametrize("start", [-3, 0, 1, 7])
def test_smallest_equals_a_scan(start: int) -> None:
    for answer in range(start, start + 70):
        assert smallest(lambda n, a=answer: n >= a, start=start) == answer


def test_smallest_never_asks_below_the_start_and_asks_little() -> None:
    asked: list[int] = []

    def predicate(n: int) -> bool:
        asked.append(n)
        return n >= 10**6

    assert smallest(predicate, start=5) == 10**6
    assert min(asked) == 5
    assert len(asked) < 45


@pytest.mark.parametrize(("n", "p"), [(0, 0.3), (1, 0.3), (7, 0.01), (12, 0.5), (9, 1.0)])
def test_binomial_tail_equals_the_sum(n: int, p: float) -> None:
    counts = np.arange(-1, n + 3)
    mass = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    expected = [sum(mass[max(k, 0) :]) for k in counts]
    np.testing.assert_allclose(binomial_tail(counts, n, p), expected, rtol=1e-12, atol=1e-15)
