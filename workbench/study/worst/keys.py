"""The searches for the worst spectrum of every key that says "any", or "any" within the bounds it is told.

    python -m workbench.study.worst.keys KEY D ...        prints a row of the table for every dimension

All at (1, 1e-6), the mean 1000 standard deviations away, that of lifted keys up to 1e9. Errors are relative
to Σ in Frobenius norm, of whole laws the larger one of mean and covariance, of means in the norm of Σ; those
of subspaces are in spectral norm, over the gap where there is one. Rows are as many as a key takes at all, or
more where its plan knows that they do not suffice.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from math import inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from workbench.distributions import Gaussian
from workbench.estimators import Estimator
from workbench.estimators.affine import AffineMean, LiftedGaussian
from workbench.estimators.base import Abstention
from workbench.estimators.coinpress import CoinPressCovariance, CoinPressGaussian
from workbench.estimators.heavy_tailed import HeavyTailedCovariance
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.populous import PopulousGaussian, Preconditioner, preconditioned_rows
from workbench.estimators.subspaces import SubspaceAggregate, SubspaceExact
from workbench.estimators.unbounded import UnboundedCovariance, UnboundedGaussian
from workbench.populations.heavy_tailed import student_hypercontractivity
from workbench.populations.rotated import Rotated
from workbench.populations.spectra import Spectrum
from workbench.privacy import ApproxDP
from workbench.study.least_rows import fewest_rows
from workbench.study.worst.search import Measured, Search, Trial
from workbench.types import Array

BUDGET, FAR, SEED = ApproxDP(1.0, 1e-6), 1000.0, 47
FARTHEST = 1e9  # of the lifted keys, whose offset is drawn anew in every trial
UPPER, DEGREES, MOMENTS = 1e6, 10.0, 3  # told to the keys that have bounds
GAP = 1e-2  # of the subspaces, √(λ_{k+1}/λ_k)
GUARDED = 1e8  # beyond about 1e9 the guards of matrix quantile and votes of groups have no answer


class Quest(NamedTuple):
    """One key in one dimension: rows, and what is searched."""

    n: int
    search: Search


def errors(law: Rotated, value: object, x: Array) -> tuple[float, float]:
    """Return the error of a release and that of the plain estimate of the same rows, of the same kind."""
    plain = law.sample_error(x)
    if isinstance(value, Gaussian):
        plain = max(plain, law.mean_error(x.mean(axis=0)))
        return max(law.error(value.covariance), law.mean_error(value.mean)), plain
    return inf if isinstance(value, Abstention) else law.error(np.asarray(value)), plain


def whole(estimator: Estimator[Any], n: int, degrees: float = inf) -> Trial:
    """Return one run of an estimator of a covariance or of a law."""

    def trial(spectrum: Spectrum, data: Generator, noise: Generator) -> tuple[float, float]:
        law = spectrum.law(data, far=FAR, degrees=degrees)
        x = law.sample(n, rng=data)
        return errors(law, estimator(x, budget=BUDGET, rng=noise).value, x)

    return trial


def offset(data: Generator) -> float:
    """Return how many standard deviations the mean is away: any number up to `FARTHEST`, on a log scale."""
    return float(np.exp(data.uniform(0.0, log(FARTHEST))))


def lifted(estimator: Estimator[Any], n: int) -> Trial:
    """Return one run of a lifted quantile, of a mean or of a law, with an offset of its own."""

    def trial(spectrum: Spectrum, data: Generator, noise: Generator) -> tuple[float, float]:
        law = spectrum.law(data, far=offset(data))
        x = law.sample(n, rng=data)
        value: Any = estimator(x, budget=BUDGET, rng=noise).value
        if isinstance(value, Gaussian):
            return errors(law, value, x)
        plain = law.mean_error(x.mean(axis=0))
        return inf if isinstance(value, Abstention) else law.mean_error(value), plain

    return trial


def principal_projection(rows: Array, k: int) -> Array:
    """Return the projection on the first k axes of centred rows."""
    axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][:k]
    return np.asarray(axes.T @ axes)


def before_gap(estimator: SubspaceAggregate, n: int) -> Trial:
    """Return one run of the subspace before a gap; its error is in units of the gap."""

    def trial(spectrum: Spectrum, data: Generator, noise: Generator) -> tuple[float, float]:
        law, k = spectrum.law(data, far=FAR), estimator.k
        x, axes = law.sample(n, rng=data), law.basis[:, law.d - k :]
        value = estimator(x, budget=BUDGET, rng=noise).value
        return distance(value, axes) / estimator.gap, distance(
            principal_projection(x, k), axes
        ) / estimator.gap

    return trial


def exact(estimator: SubspaceExact, n: int, d: int) -> Trial:
    """Return one run of the subspace that rows lie in; the spectrum is theirs within it."""

    def trial(spectrum: Spectrum, data: Generator, noise: Generator) -> tuple[float, float]:
        axes = np.linalg.qr(data.standard_normal((d, spectrum.d)))[0]
        x = spectrum.law(data, far=FAR).sample(n, rng=data) @ axes.T
        return distance(estimator(x, budget=BUDGET, rng=noise).value, axes), distance(
            principal_projection(x, spectrum.d), axes
        )

    return trial


def distance(value: object, axes: Array) -> float:
    """Return the distance of a projection from that on these axes."""
    if isinstance(value, Abstention):
        return inf
    return float(np.linalg.norm(np.asarray(value) - axes @ axes.T, 2))


def start(estimator: Estimator[Any], d: int, factor: float = 1.0) -> int:
    """Return so many times the fewest rows that an estimator takes: public."""
    return round(factor * fewest_rows(estimator, d, BUDGET))


def _search(key: str, d: int, n: int, trial: Trial, **more: Any) -> Quest:
    return Quest(n, Search(**{"name": f"{key}, d = {d}", "trial": trial, "d": d, **more}))


def _matrix_quantile(key: str, d: int) -> Quest:
    estimator, effort = MatrixQuantileCovariance(), {} if d < 10 else SLOW
    n = start(estimator, d)
    return _search(key, d, n, whole(estimator, n), longest=GUARDED, **effort)


def _lifted(key: str, d: int, estimator: Estimator[Any], factor: float) -> Quest:
    n = start(estimator, d, factor)
    return _search(key, d, n, lifted(estimator, n), longest=GUARDED, share=0.9, **SLOW)


def _preconditioner(key: str, d: int) -> Quest:
    n = 2 * preconditioned_rows(d, BUDGET, Preconditioner().beta, "auto")  # in pairs
    return _search(key, d, n, whole(Preconditioner(), n), longest=GUARDED, **SLOW)


def _before_gap(key: str, d: int) -> Quest:
    estimator, effort = SubspaceAggregate(k=d // 2, gap=GAP), {} if d < 10 else SLOW
    n = start(estimator, d, 4.0)
    return _search(key, d, n, before_gap(estimator, n), fixed={d // 2: -2 * log(GAP)}, **effort)


def _exact(key: str, d: int) -> Quest:
    n = start(SubspaceExact(), d)
    return _search(key, max(2, d // 2), n, exact(SubspaceExact(), n, d))


def _told(key: str, d: int, estimator: Estimator[Any], rows: int, degrees: float = inf) -> Quest:
    """Return the search within the bounds that an estimator is told, at so many rows for each dimension."""
    n = rows * d
    return _search(key, d, n, whole(estimator, n, degrees), longest=UPPER, **SLOW)


def _silent(key: str, d: int, estimator: Estimator[Any]) -> Quest:
    """Return the search for wrong answers of an estimator without bounds."""
    n = start(estimator, d, 1.1)
    return _search(key, d, n, whole(estimator, n), silent=True, **SLOW)


SLOW = {"screened": 8, "starts": 2, "steps": 12, "confirmed": 100}
COINPRESS = CoinPressCovariance(upper=UPPER, lower=1.0)
COINPRESS_LAW = CoinPressGaussian(radius=FAR * sqrt(UPPER), upper=UPPER, lower=1.0)
HEAVY_TAILED = HeavyTailedCovariance(
    upper=UPPER, moments=MOMENTS, hypercontractivity=student_hypercontractivity(DEGREES, MOMENTS), lower=1.0
)
_SEARCHES: Mapping[str, Callable[[str, int], Quest]] = {
    "covariance/matrix-quantile": _matrix_quantile,
    "spectral/preconditioner": _preconditioner,
    "spectral/subspace-aggregate": _before_gap,
    "spectral/subspace-exact": _exact,
    "covariance/coinpress": partial(_told, estimator=COINPRESS, rows=6000),
    "gaussian/coinpress": partial(_told, estimator=COINPRESS_LAW, rows=1000),
    "covariance/heavy-tailed": partial(_told, estimator=HEAVY_TAILED, rows=10_000, degrees=DEGREES),
    "mean/affine": partial(_lifted, estimator=AffineMean(), factor=2.0),
    "gaussian/lifted": partial(_lifted, estimator=LiftedGaussian(), factor=1.5),
    "covariance/unbounded": partial(_silent, estimator=UnboundedCovariance()),
    "gaussian/unbounded": partial(_silent, estimator=UnboundedGaussian()),
    "gaussian/populous": partial(_silent, estimator=PopulousGaussian(covariance="matrix-quantile")),
}
QUESTS = {key: partial(search, key) for key, search in _SEARCHES.items()}
"""Key -> the search for its worst spectrum in d dimensions."""


def row(key: str, d: int) -> str:
    """Return a row of the table: key, d, n, the worst spectrum and its gaps, errors with intervals, tried."""
    quest = QUESTS[key](d)
    found = quest.search.run(SEED)
    gaps = " ".join(f"{gap:.3f}" for gap in found.spectrum.log_gaps)
    worst, round_ = described(found.measured), described(found.round)
    cells = (key, d, quest.n, f"{found.spectrum.name} ({gaps})", worst, round_, found.tried)
    return f"| {' | '.join(map(str, cells))} |"


def described(measured: Measured) -> str:
    """Return an error, its interval, the plain error and, if not all runs have one, the share of answers."""
    low, high = measured.interval
    said = f"{measured.error:.3g} [{low:.3g}, {high:.3g}], plain {measured.plain:.3g}"
    return said if measured.answered == 1 else f"{said}, {100 * measured.answered:.0f} % answered"


if __name__ == "__main__":
    for dimension in sys.argv[2:]:
        print(row(sys.argv[1], int(dimension)), flush=True)
