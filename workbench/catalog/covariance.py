"""The entries of covariances, of spectra and subspaces, and of whole Gaussians."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog.entry import BELOW, MOMENTS, NORMAL, WITHIN, entry
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

VOTES = {
    f"vote{of}, {step}" for of in ("", " 1", " on the rank") for step in ("count", "mean")
}  # at d = 2; a friendly mean moves less than its proof allows, and the paper's count too
ROBUST = {"vote", "mask"}  # one row moves a robust group less than is needed to leave its friends
MASK = {"mask"}  # what it hides is an average of groups, and moves less than its proof allows

bounded = partial(
    entry,
    estimand="covariance",
    population=TILTED,
    loss=losses.mahalanobis_covariance_error,
    assumptions=(NORMAL, BELOW),
    symmetries="exact none",
)
heavy = partial(bounded, population=HEAVY, assumptions=(MOMENTS, BELOW))
thin = partial(entry, population=THIN, assumptions=(NORMAL,), symmetries="exact exact")
unbounded = partial(thin, estimand="covariance", loss=losses.mahalanobis_covariance_error)
gaussian = partial(thin, estimand="gaussian", loss=losses.gaussian_error, symmetries="none none")
subspace = partial(thin, hardest=along_a_subspace, estimand="subspace", loss=losses.subspace_error)
sparse = partial(
    entry,
    estimand="covariance",
    population=SPARSE,
    loss=losses.spectral_error,
    assumptions=(CENTRED, "the rows are sub-Gaussian"),
)

COVARIANCE = (
    bounded(
        "covariance/empirical",
        "sample covariance, without privacy",
        "M21/sample-covariance",
        (EmpiricalCovariance(), NonPrivate()),
        (EmpiricalCovariance(centred=True), NonPrivate()),
        assumptions=(),
        least_rows=1,
        symmetries="exact exact",
    ),
    bounded(
        "covariance/clipped",
        "covariance by one noisy step: lost on short axes",
        "M21/UG/NaiveEstimator",
        (ClippedCovariance(upper=10.0, lower=1.0), CONCENTRATED),
        (ClippedCovariance(upper=10.0, centred=True), APPROX),
    ),
    bounded(
        "covariance/coinpress",
        "covariance by steps of preconditioning, from a public bound",
        "M21/prior-CoinPress M21/Problem",
        (CoinPressCovariance(upper=100.0, lower=1.0), CONCENTRATED),
        (CoinPressCovariance(upper=100.0, mode="proved", centred=True, lower=1.0), APPROX),
        (CoinPressCovariance(upper=100.0, steps=2, calibration="paper", lower=1.0), GAUSSIAN),
        (CoinPressCovariance(upper=100.0, paired=True, lower=1.0), CONCENTRATED),
        assumptions=(NORMAL, BELOW, "the mean is at most 1e12 √upper long, unless rows are paired"),
        symmetries="none none",
    ),
    heavy(
        "covariance/heavy-tailed-naive",
        "covariance of heavy-tailed rows by one noisy step: lost on short axes",
        "M21/HT/Alg1 M21/HT/Thm3.1",
        (HeavyTailedNaiveCovariance(upper=10.0, hypercontractivity=4.0, lower=1.0), CONCENTRATED),
        (
            HeavyTailedNaiveCovariance(upper=10.0, hypercontractivity=4.0, calibration="paper", lower=1.0),
            APPROX,
        ),
    ),
    heavy(
        "covariance/heavy-tailed",
        "covariance of heavy-tailed rows by steps of preconditioning",
        "M21/Def2.1 M21/HT/Alg2 M21/HT/Thm3.2 M21/HT/Alg3",
        (HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, lower=1.0), CONCENTRATED),
        (HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, mode="proved", lower=1.0), APPROX),
        (HeavyTailedCovariance(upper=100.0, hypercontractivity=4.0, steps=2, lower=1.0), GAUSSIAN),
    ),
    heavy(
        "covariance/pure-net",
        "covariance in one or two dimensions under pure privacy, from a public net",
        "M21/pure",
        (
            PureNetCovariance(upper=4.0, hypercontractivity=4.0, alpha=0.4, lower=1.0),
            PureDP(1.0),
            CONCENTRATED,
        ),
        hardest=off_net,
        population=PLANE,
    ),
    unbounded(
        "covariance/populous",
        "covariance without any bound on it, in a frame found by one vote of groups of rows",
        "AL22/Thm5.5 AL22/Thm5.6",
        (PopulousCovariance(), LOUD),
        symmetries="none none",
        bounded_steps=MASK,
    ),
    unbounded(
        "covariance/unbounded",
        "covariance without any bound on it, in a frame found by votes of blocks of rows",
        "M21/UG/iteration M21/UG/Alg3 M21/UG/Alg4 M21/UG/Thm5.1 M21/UG/Thm5.2 M21/UG/degenerate "
        "M21/UG/complexity M21/Table1",
        (UnboundedCovariance(), LOUD),
        (UnboundedCovariance(calibration="paper"), STABLE),
        symmetries="exact lattice",
        bounded_steps=VOTES,
    ),
    sparse(
        "covariance/perturbed",
        "covariance of rows of known norm: noise on every entry",
        "WX19/Eq7",
        (PerturbedCovariance(radius=1.0), CONCENTRATED, APPROX),
        (PerturbedCovariance(radius=2.0), GAUSSIAN),
        (PerturbedCovariance(calibration="paper", radius=1.0), APPROX),
        hardest=on_a_circle,
        assumptions=(CENTRED,),
    ),
    sparse(
        "covariance/adaptive",
        "covariance of rows within a crude bound: a private radius, eigenvalues denoised",
        "M21/adaptive-covariance",
        (AdaptiveCovariance(radius=1.0, centred=True), CONCENTRATED, APPROX),
        (AdaptiveCovariance(radius=1e6, centred=True), GAUSSIAN),
        (AdaptiveCovariance(radius=10.0), ZCDP(0.5)),
        hardest=on_a_circle,
        assumptions=("the mean is 0, if centred",),
    ),
    sparse(
        "covariance/thresholded",
        "sparse covariance: noise, then small entries are dropped",
        "WX19/Alg1 WX19/Thm1 WX19/Thm2",
        (ThresholdedCovariance(radius=1.0), CONCENTRATED),
        (ThresholdedCovariance(radius=None), APPROX),
        (ThresholdedCovariance(calibration="paper", radius=1.0), APPROX),
        hardest=at_corners,
    ),
    sparse(
        "covariance/local-thresholded",
        "sparse covariance when every user adds the noise",
        "WX19/Alg2 WX19/Thm3",
        (LocalThresholdedCovariance(radius=1.0), GAUSSIAN),
        (LocalThresholdedCovariance(calibration="paper", radius=1.0), APPROX),
        hardest=at_corners,
        least_rows=1,
        bounded_steps={"users"},
    ),
    unbounded(
        "covariance/filter-nonprivate",
        "covariance of rows of which some may be anything, without privacy",
        "AL22/Thm6.1",
        (FilterNonprivateCovariance(corruption=0.05), NonPrivate()),
        (FilterNonprivateCovariance(corruption=0.05, centred=True), NonPrivate()),
        (FilterNonprivateCovariance(corruption=0.05, calibration="paper"), NonPrivate()),
    ),
    unbounded(
        "covariance/populous-robust",
        "covariance of rows of which some may be anything, by a vote of robust groups",
        "AL22/Alg4 AL22/Thm6.3",
        (PopulousRobustCovariance(corruption=0.05), LOUD),
        (PopulousRobustCovariance(corruption=0.02), LOUD),
        bounded_steps=ROBUST,
    ),
    unbounded(
        "covariance/matrix-quantile",
        "covariance of any Gaussian by one vote of each row, and noise of its own shape",
        "AL22/matrix-quantile",
        (MatrixQuantileCovariance(), LOUD),
        (MatrixQuantileCovariance(mask="wishart"), LOUD),  # the mask of d > 4
        (MatrixQuantileCovariance(alpha=0.5, degenerate=True), LOUD),
        loss=losses.thompson_error,
        bounded_steps=MASK | {"stability", "subspace"},  # a count that is neither 0 nor its most moves
    ),
    thin(
        "spectral/eigenvalues",
        "eigenvalues of a covariance, whatever their size",
        "M21/UG/Alg1 M21/UG/Thm3.1",
        (Eigenvalues(), LOUD),
        (Eigenvalues(calibration="paper"), STABLE),
        estimand="eigenvalues",
        loss=losses.eigenvalue_error,
        symmetries="exact lattice",
    ),
    subspace(
        "spectral/subspace-aggregate",
        "the subspace before a gap of the spectrum, by a vote of blocks of rows",
        "M21/UG/Alg2",
        (SubspaceAggregate(k=1, gap=GAP), LOUD),
        (SubspaceAggregate(k=1, gap=GAP, calibration="paper"), STABLE),
        assumptions=(NORMAL, "the k-th gap of the spectrum is at most gap"),
        bounded_steps=VOTES,
    ),
    subspace(
        "spectral/subspace-exact",
        "the subspace that rows lie in, exactly, by a vote of groups of d rows",
        "AL22/Thm4.1 AL22/Alg2",
        (SubspaceExact(), LOUD),
        population=LINE,
        assumptions=("the rows have a density on their subspace",),
    ),
    unbounded(
        "spectral/preconditioner",
        "a matrix in whose frame rows are round, whatever their covariance, by a vote of groups",
        "AL22/Alg1 AL22/Alg3 AL22/Thm5.4",
        (Preconditioner(), LOUD),
        (Preconditioner(mask="wishart"), LOUD),
        loss=losses.thompson_error,
        bounded_steps=MASK,
    ),
    gaussian(
        "gaussian/coinpress",
        "mean and covariance of a Gaussian by joint steps, from public bounds",
        "M21/prior-CoinPress",
        (CoinPressGaussian(radius=100.0, upper=100.0, lower=1.0), CONCENTRATED),
        (CoinPressGaussian(radius=100.0, upper=100.0, centre=3.0, lower=1.0), APPROX),
        (CoinPressGaussian(radius=100.0, upper=10.0, lower=1.0), GAUSSIAN),
        population=TILTED,
        assumptions=(NORMAL, BELOW, "the covariance is at least lower times the identity", WITHIN),
    ),
    gaussian(
        "gaussian/populous-robust",
        "a Gaussian from rows of which some may be anything, by two votes of robust groups",
        "AL22/Cor7.5",
        (PopulousRobustGaussian(corruption=0.02), LOUD),
        bounded_steps={f"{stage}, {step}" for stage in ("covariance", "mean") for step in ROBUST},
    ),
    gaussian(
        "gaussian/unbounded",
        "mean and covariance of a Gaussian without any bound on either",
        "M21/UG/iteration M21/UG/mean-known-covariance M21/UG/complexity",
        (UnboundedGaussian(), LOUD),
        (UnboundedGaussian(calibration="paper"), STABLE),
        symmetries="none lattice",
        bounded_steps=VOTES,
    ),
    gaussian(
        "gaussian/populous",
        "any Gaussian: its subspace, a frame in which it is round, mean and covariance in it",
        "AL22/Thm5.7 AL22/four-steps",
        (PopulousGaussian(), LOUD),
        (PopulousGaussian(degenerate=False), LOUD),
        (PopulousGaussian(degenerate=False, covariance="matrix-quantile"), LOUD),
        # rows of full rank all name one subspace, and normal rows are stable as far as the count goes:
        # spectral/subspace-exact and covariance/matrix-quantile, in the audit, attain them
        bounded_steps=MASK | {"subspace", "stability"},
    ),
    gaussian(
        "gaussian/lifted",
        "any Gaussian with a density from all rows at once, one price for test, frame and moments",
        "M21/lifted-gaussian",
        (LiftedGaussian(), LOUD),
        symmetries="exact exact",
        bounded_steps={"lift"},  # a count that is neither 0 nor its most moves
    ),
)
