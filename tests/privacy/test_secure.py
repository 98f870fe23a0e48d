"""`SecureNoise`: whole numbers alone, distributions of at least the scale asked for, refusals before a draw.

Masks are the floats next to the numbers that the bits stand for. The level of tests of distributions is 1e-6;
what is 1.3 times too large or too small is rejected.
"""

import subprocess
import sys
from fractions import Fraction
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy import stats

from tests.privacy.kit import FALSE_ALARM, Recorded, Tape
from workbench.errors import ArgumentError
from workbench.privacy import SecureNoise, exact, secure
from workbench.privacy.grid import OnGrid
from workbench.privacy.stable import ChargedRoot

NOISE = SecureNoise()
ADDITIVE = ("laplace", "truncated_laplace", "discrete_laplace", "gaussian", "exponential")


def scales_of(kind, *arguments):
    asked = []

    def sampler(law, shape):
        asked.append((*vars(law).values(), shape))
        return np.zeros(shape, np.int64)

    with patch.object(exact, "draw", sampler):
        getattr(NOISE, kind)(*arguments)
    return asked


def test_scales_in_units_are_rounded_up_and_truncated_noise_is_as_many_scales_wide():
    rng = np.random.default_rng(3)
    for _ in range(300):
        scale, unit = 10 ** rng.uniform(-9, 9), 10 ** rng.uniform(-18, 3)
        at, ideal = OnGrid(np.zeros(2, np.int64), unit), Fraction(scale) / Fraction(unit)
        for kind in ("laplace", "discrete_laplace", "gaussian", "exponential"):
            ((width, shape),) = scales_of(kind, at, 1.0, scale)
            assert ideal < Fraction(width) < ideal * (1 + Fraction(1, 10**11))
            assert shape == (2,)
        bound = scale * rng.uniform(1e-3, 30)
        ((width, reach, _),) = scales_of("truncated_laplace", at, 1.0, scale, bound)
        assert Fraction(bound) / Fraction(scale) <= Fraction(reach) / Fraction(width)
        square = OnGrid(np.zeros((2, 2), np.int64), unit)
        off, on = (numbers[0] for numbers in scales_of("symmetric_gaussian", square, 1.0, scale))
        assert ideal < Fraction(on)
        assert ideal**2 < 2 * Fraction(off) ** 2


@pytest.mark.parametrize("kind", [*ADDITIVE, "symmetric_gaussian", "choice"])
def test_a_statistic_of_floats_is_refused(kind):
    more = (3.0,) if kind == "truncated_laplace" else ()
    with pytest.raises(ArgumentError, match=r"^value = .*whole numbers"):
        getattr(NOISE, kind)(np.zeros((2, 2)), 1.0, 1.0, *more)
    with pytest.raises(ArgumentError, match="whole numbers"):
        NOISE.choice([0, 3], 1.0, 1.0, np.array([0.5, 1.0]))


@pytest.mark.parametrize("mask", [NOISE.wishart, NOISE.square, NOISE.thompson_laplace])
def test_a_root_that_no_charge_covers_is_refused_by_the_source_itself(mask):
    with pytest.raises(ArgumentError, match="root whose rounding is charged for"):
        mask(np.eye(2), 0.1, 0.01)
    assert mask(ChargedRoot(np.eye(2)), 0.1, 0.01).shape == (2, 2)


# Masks

ILL = np.array([[1.0, 1e60, 0.3], [1.0, 1e60 * (1 + 2.0**-50), -0.7], [0.1, 1e-30, 2.0]])


def rejected(draws, cdf):
    return stats.kstest(draws, cdf).pvalue < FALSE_ALARM


def density_ratio(shape, n):
    g, a = mpf(shape) - mpf(1) / 3, mpf(shape)
    y = n / (3 * mpmath.sqrt(g))
    if y <= -1:
        return mpf(0)
    x = g * (1 + y) ** 3
    return x ** (a - 1) * mpmath.exp(-x) * mpmath.sqrt(g) * (1 + y) ** 2 * mpmath.exp(n * n / 2)


@pytest.mark.turns(4)
@pytest.mark.parametrize("shape", [1.0625, 1.5, 7.0])
def test_gamma_numbers_are_kept_with_the_ratio_of_the_densities(shape):
    """The largest ratio is at 0; the second of two fed proposals is always kept."""
    rng, decisions = np.random.default_rng(9), []
    for _ in range(100):
        chosen, u = int(rng.random() ** 4 * 2**127), int(rng.random() * 2**128)
        chosen = chosen if rng.random() < 0.5 else 2**128 - 1 - chosen
        fed = Tape(b"".join(top.to_bytes(16, "little") for top in (chosen, u, 2**126, 2**10)))
        secure.gamma(lambda bits: exact.exactly(shape), fed)
        with mpmath.workdps(60):
            n = mpmath.sqrt(2) * mpmath.erfinv(1 - (2 * chosen + 1) / mpf(2) ** 128)
            kept = u / mpf(2) ** 128 < density_ratio(shape, n) / density_ratio(shape, mpf(0))
        assert fed.place == (32 if kept else 64 if n > -3 * mpmath.sqrt(mpf(shape) - mpf(1) / 3) else 48)
        decisions.append(kept)
    assert 1 < decisions.count(False) < 70


@pytest.mark.turns(4)
def test_wishart_masks_have_their_law():
    """The trace has dν degrees of freedom, 1/(M⁻¹)₁₁ has ν - d + 1 (Muirhead 1982), for any root."""
    root, d = np.array([[2.0, 0.0], [-1.0, 0.5]]), 2  # gamma variables of shapes 1.25 and 0.75
    read = np.random.default_rng(3).bytes
    draws = np.array([secure.wishart(root, 1 / 2.5, read) for _ in range(2500)])
    draws = np.linalg.inv(root) @ draws @ np.linalg.inv(root).T
    for rows in (2.5, 2.5 * 1.3, 2.5 / 1.3):
        first = rejected(rows * np.trace(draws, axis1=1, axis2=2), stats.chi2(d * rows).cdf)
        second = rejected(rows / np.linalg.inv(draws)[:, 0, 0], stats.chi2(rows - d + 1).cdf)
        assert (first or second) == (rows != 2.5)


def by_hand(root, eta, chunks):
    """The whole law of square masks: every entry of the factor is the normal quantile of its bits."""
    d = len(root)
    with mpmath.workdps(200):
        tops = [(2 * int.from_bytes(chunk, "little") + 1, 8 * len(chunk)) for chunk in chunks]
        normal = [mpmath.sqrt(2) * mpmath.erfinv(1 - top / mpf(2) ** bits) for top, bits in tops]
        factor = mpmath.eye(d) + mpf(eta) * mpmath.matrix(np.reshape(normal, (d, d)).tolist())
        factor = mpmath.matrix(root.tolist()) * factor
        return [[float(entry) for entry in row] for row in (factor * factor.T).tolist()]


@pytest.mark.parametrize("root", [np.eye(3), ILL], ids=["round", "ill"])
@pytest.mark.parametrize("seed", range(5))
def test_every_entry_is_the_float_next_to_the_exact_number(root, seed):
    """Also where a product in floats is right in no digit."""
    read = Recorded(seed)
    found = secure.square(root, 0.3, read)
    assert len(read.chunks) == 9
    assert found.tolist() == by_hand(root, 0.3, read.chunks)
    assert np.array_equal(found, found.T)


def test_more_bits_are_drawn_until_every_entry_has_one_float():
    """A uniform number whose first 128 bits are 0 has no normal quantile yet."""
    ordinary = np.random.default_rng(7).bytes(16)
    fed = Tape(bytes(16) + ordinary)
    assert secure.square(np.eye(1), 0.5, fed).tolist() == by_hand(np.eye(1), 0.5, [ordinary + bytes(16)])
    assert fed.place == 32


def test_a_ball_round_a_midpoint_has_no_float_next_to_it():
    with exact.precise(128):
        middle = exact.exactly(1) + exact.exactly(2.0**-53)
        assert secure.nearest(middle + exact.uniform_ball(2**63, 64) * 2.0**-60) == 1 + 2.0**-52
        assert secure.nearest(middle + (exact.uniform_ball(2**63, 64) - 0.5) * 2.0**-60) is None
        assert secure.nearest(exact.flint().arb("nan")) is None


@pytest.mark.parametrize(
    "make", [secure.normal, lambda read: secure.gamma(lambda _: exact.exactly(0.7), read)]
)
def test_later_balls_hold_the_same_number(make):
    rng = np.random.default_rng(8)
    for _ in range(50):
        number, found = make(rng.bytes), []
        for bits in (128, 512, 256):
            with exact.precise(bits):
                found.append(number(bits))
        assert all(found[0].contains(one) for one in found)
        assert float(found[1].rad()) < 1e-70 < float(found[0].rad())


def test_wrong_arguments_are_named():
    for draw, root, scale, words in (
        (secure.wishart, [[np.nan]], 0.1, "root"),
        (secure.wishart, np.eye(3), 0.5, "scale = 0.5: expected below 1/2"),
        (secure.thompson_laplace, np.eye(5), 0.01, "d = 5"),
        (secure.thompson_laplace, np.eye(4), 0.25, "scale = 0.25: expected below 1/4"),
    ):
        with pytest.raises(ArgumentError, match=words):
            draw(root, scale)


def test_without_the_extra_the_module_loads_and_a_draw_names_it():
    code = (
        "import sys; sys.modules['flint'] = None\n"
        "from workbench.privacy import SecureNoise\n"
        "try: SecureNoise().laplace([1, 2], 1.0, 1.0)\n"
        "except ValueError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.count("\n") == 1
    assert "secure" in said


@pytest.mark.secure
def test_integers_beside_the_largest_do_not_wrap():
    counts = np.array([2**63 - 1, -(2**63)])
    assert SecureNoise().laplace(counts, 1, 1.0).tolist() == [2.0**63, -(2.0**63)]


@pytest.mark.parametrize("wrong", [0.0, float("nan"), float("inf"), 10**400])
def test_a_wrong_scale_is_named_before_anything_is_drawn(wrong):
    values = dict.fromkeys(("wishart", "square", "thompson_laplace"), ChargedRoot(np.eye(2)))
    for kind in (*ADDITIVE, "symmetric_gaussian", "choice", *values):
        bound = (2.0,) if kind == "truncated_laplace" else ()
        with pytest.raises(ArgumentError, match="scale = "):
            getattr(NOISE, kind)(values.get(kind, [[3]]), 1, wrong, *bound)
    with pytest.raises(ArgumentError, match="bound = "):
        NOISE.truncated_laplace([3], 1, 1.0, wrong)
