"""The entries of spectra and of subspaces, and of a covariance whose spectrum may be any."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog.assumptions import normal
from workbench.catalog.entry import DELTA, EPSILON, Assumption, Entry, Example, Knob, N
from workbench.catalog.hardest import along_a_subspace
from workbench.distributions import Gaussian
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.populous import Preconditioner
from workbench.estimators.subspaces import Eigenvalues, SubspaceAggregate, SubspaceExact
from workbench.populations import Contaminated, MultivariateGaussian, MultivariateStudent, PointMass
from workbench.privacy import ZCDP, ApproxDP

APPROX, CONCENTRATED = ApproxDP(8.0, 1e-6), ZCDP(2.0, 1e-6)
CORRUPTION = Knob("corruption", 0.01, 0.1, "share of the rows")

GAP = 1e-3  # of the spectrum of thin rows
ALONG = np.array([[0.36, 0.48], [0.48, 0.64]])  # the projection on their long axis
THIN = MultivariateGaussian(Gaussian([3.0, -1.0], 25.0 * (ALONG + GAP**2 * (np.eye(2) - ALONG))))
LINE = MultivariateGaussian(Gaussian([3.0, -1.0], 25.0 * ALONG))
NORMAL = normal(MultivariateStudent(THIN.moments, 3.0))
CONTINUOUS = Assumption(
    "the rows have a density on their subspace",
    lambda population, _: not isinstance(population, Contaminated),
    Contaminated(clean=LINE, outliers=PointMass([1.0, 1.0]), fraction=0.3),
)
GAPPED = Assumption(
    "the k-th gap of the spectrum is at most gap",
    lambda population, estimator: _gap(population, estimator.k) <= estimator.gap * (1 + 1e-9),
    MultivariateGaussian(Gaussian(np.zeros(2), np.eye(2))),
)
VOTES = frozenset(
    f"vote{of}, {step}" for of in ("", " 1", " on the rank") for step in ("count", "mean")
)  # at d = 2; a friendly mean moves less than its proof allows, and the paper's count too
ROBUST = frozenset({"vote", "mask"})  # one row moves a robust group less than is needed to leave its friends
MASK = frozenset({"mask"})  # what it hides is an average of groups, and moves less than its proof allows


def _gap(population: MultivariateGaussian, k: int) -> float:
    values = np.linalg.eigvalsh(population.covariance)[::-1]
    return float(np.sqrt(values[k] / values[k - 1]))


thin = partial(
    Entry,
    population=THIN,
    assumptions=(NORMAL,),
    knobs=(N, EPSILON, DELTA),
    symmetries={"translation": "exact", "scale": "exact"},
)

SPECTRAL = (
    thin(
        key="covariance/matrix-quantile",
        summary="covariance of any Gaussian by one vote of each row, and noise of its own shape",
        estimand="covariance",
        statements=("AL22/matrix-quantile",),
        examples=(
            Example(MatrixQuantileCovariance(), APPROX),
            Example(MatrixQuantileCovariance(mask="wishart"), APPROX),  # the mask of d > 4
            Example(MatrixQuantileCovariance(alpha=0.5, degenerate=True), APPROX),
        ),
        loss=losses.thompson_error,
        bounded_steps=MASK | {"stability", "subspace"},  # a count that is neither 0 nor its most moves
    ),
    thin(
        key="spectral/eigenvalues",
        summary="eigenvalues of a covariance, whatever their size",
        estimand="eigenvalues",
        statements=("M21/UG/Alg1", "M21/UG/Thm3.1"),
        examples=(
            Example(Eigenvalues(), APPROX),
            Example(Eigenvalues(calibration="paper"), CONCENTRATED),
        ),
        loss=losses.eigenvalue_error,
        symmetries={"translation": "exact", "scale": "lattice"},
    ),
    thin(
        key="spectral/subspace-aggregate",
        summary="the subspace before a gap of the spectrum, by a vote of blocks of rows",
        hardest=along_a_subspace,
        estimand="subspace",
        statements=("M21/UG/Alg2",),
        examples=(
            Example(SubspaceAggregate(k=1, gap=GAP), APPROX),
            Example(SubspaceAggregate(k=1, gap=GAP, calibration="paper"), CONCENTRATED),
        ),
        loss=losses.subspace_error,
        assumptions=(NORMAL, GAPPED),
        knobs=(N, EPSILON, DELTA, Knob("gap", 1e-9, 1.0)),
        bounded_steps=VOTES,
    ),
    thin(
        key="spectral/subspace-exact",
        summary="the subspace that rows lie in, exactly, by a vote of groups of d rows",
        hardest=along_a_subspace,
        estimand="subspace",
        statements=("AL22/Thm4.1", "AL22/Alg2"),
        examples=(Example(SubspaceExact(), APPROX),),
        population=LINE,
        loss=losses.subspace_error,
        assumptions=(CONTINUOUS,),
    ),
    thin(
        key="spectral/preconditioner",
        summary="a matrix in whose frame rows are round, whatever their covariance, by a vote of groups",
        estimand="covariance",
        statements=("AL22/Alg1", "AL22/Alg3", "AL22/Thm5.4"),
        examples=(
            Example(Preconditioner(), APPROX),
            Example(Preconditioner(mask="wishart"), APPROX),
        ),
        loss=losses.thompson_error,
        bounded_steps=MASK,
    ),
)
