"""Spectra by name, and laws along rotated axes whose errors are exact however long they are."""

from math import inf

import numpy as np
import pytest

from workbench.errors import ArgumentError
from workbench.populations.rotated import Rotated, rotated
from workbench.populations.spectra import LONGEST, Spectrum, family, named

DIMENSIONS = (1, 2, 3, 5, 7, 10, 20)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("longest", [1.0, 30.0, 1e6, LONGEST])
def test_the_family_stays_within_its_length(d, longest):
    spectra = family(d, longest)
    assert spectra[0].name == "round"
    assert len({spectrum.log_gaps for spectrum in spectra}) == len(spectra)
    for spectrum in spectra:
        assert spectrum.d == d
        assert spectrum.condition <= longest * (1 + 1e-6)
        assert named(spectrum.name, d, longest) == spectrum
        assert spectrum.values[0] == 1.0
        assert spectrum.values[-1] == pytest.approx(spectrum.condition)
        np.testing.assert_allclose(np.diff(np.log(spectrum.values)), spectrum.log_gaps[::-1], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "d", "values"),
    [
        ("round", 3, [1, 1, 1]),
        ("ratio 9", 4, [1, 9, 81, 729]),
        ("ratio 1.5", 3, [1, 1.5, 2.25]),
        ("geometric", 5, [1, 1e2, 1e4, 1e6, 1e8]),
        ("one large", 4, [1, 1, 1, 1e8]),
        ("one small", 4, [1, 1e8, 1e8, 1e8]),
        ("two clusters", 5, [1, 1, 1, 1e8, 1e8]),
        ("pairs", 4, [1, 1.1, 1.1e3, 1.21e3]),
        ("triples", 4, [1, 1e3, 1.1e3, 1.21e3]),
        ("slow decay", 3, [1, 9 / 4, 9]),
    ],
)
def test_a_name_says_what_a_spectrum_is(name, d, values):
    np.testing.assert_allclose(named(name, d).values, values, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: named("ratio 1e+06", 10), "spectrum = 'ratio 1e\\+06': expected one of 10 eigenvalues"),
        (lambda: named("ratio 10", 3, 50.0), "no longer than 50"),
        (lambda: named("geometrical", 3), "did you mean geometric"),
        (lambda: named("round", 0), "d = 0"),
        (lambda: family(0), "d = 0"),
        (lambda: Spectrum("a", (-1.0,)), "log_gaps"),
        (lambda: Spectrum("a", (30.0,)), "a sum of at most ln 1e\\+12"),
        (lambda: Spectrum("a", (float("nan"),)), "log_gaps"),
        (lambda: rotated([1.0, 0.0], np.random.default_rng(1)), "values"),
        (lambda: rotated([1.0], np.random.default_rng(1), far=inf), "far"),
    ],
)
def test_what_is_no_spectrum_is_refused(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


@pytest.mark.parametrize("name", ["round", "geometric", "one large", "one small"])
def test_errors_are_those_of_round_rows_however_long_the_law_is(name):
    """The same rows in units of Σ have the same error along all axes; Σ itself has none, to 1e-3."""
    rng = np.random.default_rng(3)
    law, white = named(name, 4).law(rng, far=1000.0), rng.standard_normal((500, 4)) + 1000
    rows = (white * np.sqrt(law.values)) @ law.basis.T
    assert law.sample_error(rows) == pytest.approx(
        Rotated(np.eye(4), np.ones(4)).sample_error(white), rel=1e-6
    )
    assert law.error(law.covariance) < 1e-3
    assert law.error(2 * law.covariance) == pytest.approx(2.0, rel=1e-3)
    assert law.size(law.covariance) == pytest.approx(2.0, rel=1e-3)
    assert law.error(np.full((4, 4), np.nan)) == law.mean_error(np.full(4, np.nan)) == inf
    assert law.seen_by(law.basis.T) == pytest.approx(law.values, rel=1e-6)


@pytest.mark.parametrize("degrees", [inf, 5.0])
def test_rows_have_the_moments_of_their_law(degrees):
    """Of 200,000 rows: within six standard errors, for Student's t of 5 degrees within eighteen."""
    law = named("geometric", 3).law(np.random.default_rng(4), far=30.0, degrees=degrees)
    rows = law.sample(200_000, rng=np.random.default_rng(5))
    slack = 6.0 if degrees == inf else 18.0
    assert law.mean_error(np.zeros(3)) == pytest.approx(30.0)
    assert law.mean_error(rows.mean(axis=0)) < slack * np.sqrt(3 / 200_000)
    assert law.sample_error(rows) < slack * np.sqrt(12 / 200_000)
