"""The entries of covariances, of spectra and subspaces, and of whole Gaussians."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog.entry import BELOW, MOMENTS, NO_SYMMETRY, NORMAL, WITHIN, Entry, each
from workbench.catalog.hardest import along_a_subspace, at_corners, off_net, on_a_circle
from workbench.distributions import Gaussian
from workbench.estimators.adaptive_covariance import AdaptiveCovariance
from workbench.estimators.affine import LiftedGaussian
from workbench.estimators.coinpress import ClippedCovariance, CoinPressCovariance, CoinPressGaussian
from workbench.estimators.heavy_tailed import HeavyTailedCovariance, HeavyTailedNaiveCovariance
from workbench.estimators.matrix_quantile import MatrixQuantileCovariance
from workbench.estimators.nets import PureNetCovariance
from workbench.estimators.populous import PopulousCovariance, PopulousGaussian, Preconditioner
from workbench.estimators.populous_robust import PopulousRobustCovariance, PopulousRobustGaussian
from workbench.estimators.references import EmpiricalCovariance, FilterNonprivateCovariance
from workbench.estimators.sparse import LocalThresholdedCovariance, PerturbedCovariance, ThresholdedCovariance
from workbench.estimators.subspaces import Eigenvalues, SubspaceAggregate, SubspaceExact
from workbench.estimators.unbounded import UnboundedCovariance, UnboundedGaussian
from workbench.populations import MultivariateGaussian, MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate, PureDP

APPROX, CONCENTRATED, GAUSSIAN = ApproxDP(1.0, 1e-6), ZCDP(0.1), GaussianDP(0.5)
LOUD, STABLE = ApproxDP(8.0, 1e-6), ZCDP(2.0, 1e-6)
CENTRED = "the mean is 0"

SPARSE = MultivariateGaussian(
    Gaussian(np.zeros(3), np.array([[0.05, 0.03, 0.0], [0.03, 0.05, 0.0], [0.0, 0.0, 0.05]]))
)
TILTED = MultivariateGaussian(
    Gaussian([1.0, -2.0, 0.5], np.array([[6.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.5]]))
)
HEAVY = MultivariateStudent(TILTED.moments, 10.0)
PLANE = MultivariateStudent(Gaussian([1.0, -2.0], np.array([[2.0, 0.8], [0.8, 1.5]])), 10.0)
GAP = 1e-3  # of the spectrum of thin rows
ALONG = np.array([[0.36, 0.48], [0.48, 0.64]])  # the projection on their long axis
THIN = MultivariateGaussian(Gaussian([3.0, -1.0], 25.0 * (ALONG + GAP**2 * (np.eye(2) - ALONG))))
LINE = MultivariateGaussian(Gaussian([3.0, -1.0], 25.0 * ALONG))

VOTES = frozenset(
    f"vote{of}, {step}" for of in ("", " 1", " on the rank") for step in ("count", "mean")
)  # at d = 2; a friendly mean moves less than its proof allows, and the paper's count too
ROBUST = frozenset({"vote", "mask"})  # one row moves a robust group less than is needed to leave its friends
MASK = frozenset({"mask"})  # what it hides is an average of groups, and moves less than its proof allows

bounded = partial(
    Entry,
    estimand="covariance",
    population=TILTED,
    loss=losses.mahalanobis_covariance_error,
    assumptions=(NORMAL, BELOW),
    symmetries={"translation": "exact", "scale": "none"},
)
heavy = partial(bounded, population=HEAVY, assumptions=(MOMENTS, BELOW))
thin = partial(
    Entry, population=THIN, assumptions=(NORMAL,), symmetries={"translation": "exact", "scale": "exact"}
)
unbounded = partial(thin, estimand="covariance", loss=losses.mahalanobis_covariance_error)
gaussian = partial(thin, estimand="gaussian", loss=losses.gaussian_error, symmetries=NO_SYMMETRY)
sparse = partial(
    Entry,
    estimand="covariance",
    population=SPARSE,
    loss=losses.spectral_error,
    assumptions=(CENTRED, "the rows are sub-Gaussian"),
    symmetries=NO_SYMMETRY,
)

COVARIANCE = (
    Entry(
        key="covariance/empirical",
        summary="sample covariance, without privacy",
        estimand="covariance",
        statements=("M21/sample-covariance",),
        examples=each(
            (EmpiricalCovariance(), NonPrivate()),
            (EmpiricalCovariance(centred=True), NonPrivate()),
        ),
        population=TILTED,
        loss=losses.mahalanobis_covariance_error,
        least_rows=1,
        symmetries={"translation": "exact", "scale": "exact"},
    ),
    bounded(
        key="covariance/clipped",
        summary="covariance by one noisy step: lost on short axes",
        statements=("M21/UG/NaiveEstimator",),
        examples=each(
            (ClippedCovariance(upper=10.0, lower=1.0), CONCENTRATED),
            (ClippedCovariance(upper=10.0, centred=True), APPROX),
        ),
    ),
    bounded(
        key="covariance/coinpress",
        summary="covariance by steps of preconditioning, from a public bound",
        statements=("M21/prior-CoinPress", "M21/Problem"),
        examples=each(
            (CoinPressCovariance(upper=100.0, lower=1.0), CONCENTRATED),
            (CoinPressCovariance(upper=100.0, mode="proved", centred=True, lower=1.0), APPROX),
            (CoinPressCovariance(upper=100.0, steps=2, calibration="paper", lower=1.0), GAUSSIAN),
            (CoinPressCovariance(upper=100.0, paired=True, lower=1.0), CONCENTRATED),
        ),
        assumptions=(NORMAL, BELOW, "the mean is at most 1e12 √upper long, unless rows are paired"),
        symmetries=NO_SYMMETRY,
    ),
    heavy(
        key="covariance/heavy-tailed-naive",
        summary="covariance of heavy-tailed rows by one noisy step: lost on short axes",
        statements=("M21/HT/Alg1", "M21/HT/Thm3.1"),
        examples=each(
            (HeavyTailedNaiveCovariance(upper=10.0, hypercontractivity=4.0, lower=1.0), CONCENTRATED),
            (
                HeavyTailedNaiveCovariance(
                    upper=10.0, hypercontractivity=4.0, calibration="paper", lower=1.0
                ),
                APPROX,
            ),
        ),
    ),
    heavy(
        key="covariance/heavy-tailed",
        summary="covariance of heavy-tailed rows by steps of preconditioning",
        statements=("M21/Def2.1", "M21/HT/Alg2", "M21/HT/Thm3.2", "M21/HT/Alg3"),
        examples=each(
            (HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, lower=1.0), CONCENTRATED),
            (HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, mode="proved", lower=1.0), APPROX),
            (HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, steps=2, lower=1.0), GAUSSIAN),
        ),
    ),
    heavy(
        key="covariance/pure-net",
        summary="covariance in one or two dimensions under pure privacy, from a public net",
        hardest=off_net,
        statements=("M21/pure",),
        examples=each(
            (
                PureNetCovariance(upper=4.0, hypercontractivity=4.0, alpha=0.4, lower=1.0),
                PureDP(1.0),
                CONCENTRATED,
            )
        ),
        population=PLANE,
    ),
    unbounded(
        key="covariance/populous",
        summary="covariance without any bound on it, in a frame found by one vote of groups of rows",
        statements=("AL22/Thm5.5", "AL22/Thm5.6"),
        examples=each(
            (PopulousCovariance(), LOUD),
        ),
        symmetries=NO_SYMMETRY,
        bounded_steps=MASK,
    ),
    unbounded(
        key="covariance/unbounded",
        summary="covariance without any bound on it, in a frame found by votes of blocks of rows",
        statements=(
            *("M21/UG/iteration", "M21/UG/Alg3", "M21/UG/Alg4", "M21/UG/Thm5.1", "M21/UG/Thm5.2"),
            *("M21/UG/degenerate", "M21/UG/complexity", "M21/Table1"),
        ),
        examples=each(
            (UnboundedCovariance(), LOUD),
            (UnboundedCovariance(calibration="paper"), STABLE),
        ),
        assumptions=(NORMAL,),
        symmetries={"translation": "exact", "scale": "lattice"},
        bounded_steps=VOTES,
    ),
    sparse(
        key="covariance/perturbed",
        summary="covariance of rows of known norm: noise on every entry",
        hardest=on_a_circle,
        statements=("WX19/Eq7",),
        examples=each(
            (PerturbedCovariance(radius=1.0), CONCENTRATED, APPROX),
            (PerturbedCovariance(radius=2.0), GAUSSIAN),
            (PerturbedCovariance(calibration="paper", radius=1.0), APPROX),
        ),
        assumptions=(CENTRED,),
    ),
    sparse(
        key="covariance/adaptive",
        summary="covariance of rows within a crude bound: a private radius, eigenvalues denoised",
        hardest=on_a_circle,
        statements=("M21/adaptive-covariance",),
        examples=each(
            (AdaptiveCovariance(radius=1.0), CONCENTRATED, APPROX),
            (AdaptiveCovariance(radius=1e6), GAUSSIAN),
            (AdaptiveCovariance(radius=10.0, centred=False), ZCDP(0.5)),
        ),
        assumptions=("the mean is 0, if centred",),
    ),
    sparse(
        key="covariance/thresholded",
        summary="sparse covariance: noise, then small entries are dropped",
        hardest=at_corners,
        statements=("WX19/Alg1", "WX19/Thm1", "WX19/Thm2"),
        examples=each(
            (ThresholdedCovariance(radius=1.0), CONCENTRATED),
            (ThresholdedCovariance(radius=None), APPROX),
            (ThresholdedCovariance(calibration="paper", radius=1.0), APPROX),
        ),
    ),
    sparse(
        key="covariance/local-thresholded",
        summary="sparse covariance when every user adds the noise",
        hardest=at_corners,
        statements=("WX19/Alg2", "WX19/Thm3"),
        examples=each(
            (LocalThresholdedCovariance(radius=1.0), GAUSSIAN),
            (LocalThresholdedCovariance(calibration="paper", radius=1.0), APPROX),
        ),
        least_rows=1,
        bounded_steps=frozenset({"users"}),
    ),
    unbounded(
        key="covariance/filter-nonprivate",
        summary="covariance of rows of which some may be anything, without privacy",
        statements=("AL22/Thm6.1",),
        examples=each(
            (FilterNonprivateCovariance(corruption=0.05), NonPrivate()),
            (FilterNonprivateCovariance(corruption=0.05, centred=True), NonPrivate()),
            (FilterNonprivateCovariance(corruption=0.05, calibration="paper"), NonPrivate()),
        ),
    ),
    unbounded(
        key="covariance/populous-robust",
        summary="covariance of rows of which some may be anything, by a vote of robust groups",
        statements=("AL22/Alg4", "AL22/Thm6.3"),
        examples=each(
            (PopulousRobustCovariance(corruption=0.05), LOUD),
            (PopulousRobustCovariance(corruption=0.02), LOUD),
        ),
        bounded_steps=ROBUST,
    ),
    thin(
        key="covariance/matrix-quantile",
        summary="covariance of any Gaussian by one vote of each row, and noise of its own shape",
        estimand="covariance",
        statements=("AL22/matrix-quantile",),
        examples=each(
            (MatrixQuantileCovariance(), LOUD),
            (MatrixQuantileCovariance(mask="wishart"), LOUD),  # the mask of d > 4
            (MatrixQuantileCovariance(alpha=0.5, degenerate=True), LOUD),
        ),
        loss=losses.thompson_error,
        bounded_steps=MASK | {"stability", "subspace"},  # a count that is neither 0 nor its most moves
    ),
    thin(
        key="spectral/eigenvalues",
        summary="eigenvalues of a covariance, whatever their size",
        estimand="eigenvalues",
        statements=("M21/UG/Alg1", "M21/UG/Thm3.1"),
        examples=each(
            (Eigenvalues(), LOUD),
            (Eigenvalues(calibration="paper"), STABLE),
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
        examples=each(
            (SubspaceAggregate(k=1, gap=GAP), LOUD),
            (SubspaceAggregate(k=1, gap=GAP, calibration="paper"), STABLE),
        ),
        loss=losses.subspace_error,
        assumptions=(NORMAL, "the k-th gap of the spectrum is at most gap"),
        bounded_steps=VOTES,
    ),
    thin(
        key="spectral/subspace-exact",
        summary="the subspace that rows lie in, exactly, by a vote of groups of d rows",
        hardest=along_a_subspace,
        estimand="subspace",
        statements=("AL22/Thm4.1", "AL22/Alg2"),
        examples=each(
            (SubspaceExact(), LOUD),
        ),
        population=LINE,
        loss=losses.subspace_error,
        assumptions=("the rows have a density on their subspace",),
    ),
    thin(
        key="spectral/preconditioner",
        summary="a matrix in whose frame rows are round, whatever their covariance, by a vote of groups",
        estimand="covariance",
        statements=("AL22/Alg1", "AL22/Alg3", "AL22/Thm5.4"),
        examples=each(
            (Preconditioner(), LOUD),
            (Preconditioner(mask="wishart"), LOUD),
        ),
        loss=losses.thompson_error,
        bounded_steps=MASK,
    ),
    gaussian(
        key="gaussian/coinpress",
        summary="mean and covariance of a Gaussian by joint steps, from public bounds",
        statements=("M21/prior-CoinPress",),
        examples=each(
            (CoinPressGaussian(radius=100.0, upper=100.0, lower=1.0), CONCENTRATED),
            (CoinPressGaussian(radius=100.0, upper=100.0, centre=3.0, lower=1.0), APPROX),
            (CoinPressGaussian(radius=100.0, upper=10.0, lower=1.0), GAUSSIAN),
        ),
        population=TILTED,
        assumptions=(NORMAL, BELOW, "the covariance is at least lower times the identity", WITHIN),
    ),
    gaussian(
        key="gaussian/populous-robust",
        summary="a Gaussian from rows of which some may be anything, by two votes of robust groups",
        statements=("AL22/Cor7.5",),
        examples=each(
            (PopulousRobustGaussian(corruption=0.02), LOUD),
        ),
        bounded_steps=frozenset(f"{stage}, {step}" for stage in ("covariance", "mean") for step in ROBUST),
    ),
    gaussian(
        key="gaussian/unbounded",
        summary="mean and covariance of a Gaussian without any bound on either",
        statements=("M21/UG/iteration", "M21/UG/mean-known-covariance", "M21/UG/complexity"),
        examples=each(
            (UnboundedGaussian(), LOUD),
            (UnboundedGaussian(calibration="paper"), STABLE),
        ),
        symmetries={"translation": "none", "scale": "lattice"},
        bounded_steps=VOTES,
    ),
    gaussian(
        key="gaussian/populous",
        summary="any Gaussian: its subspace, a frame in which it is round, mean and covariance in it",
        statements=("AL22/Thm5.7", "AL22/four-steps"),
        examples=each(
            (PopulousGaussian(), LOUD),
            (PopulousGaussian(degenerate=False), LOUD),
            (PopulousGaussian(degenerate=False, covariance="matrix-quantile"), LOUD),
        ),
        # rows of full rank all name one subspace, and normal rows are stable as far as the count goes:
        # spectral/subspace-exact and covariance/matrix-quantile, in the audit, attain them
        bounded_steps=MASK | {"subspace", "stability"},
    ),
    gaussian(
        key="gaussian/lifted",
        summary="any Gaussian with a density from all rows at once, one price for test, frame and moments",
        statements=("M21/lifted-gaussian",),
        examples=each(
            (LiftedGaussian(), LOUD),
        ),
        symmetries={"translation": "exact", "scale": "exact"},
        bounded_steps=frozenset({"lift"}),  # a count that is neither 0 nor its most moves
    ),
)
