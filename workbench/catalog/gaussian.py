"""The entries of whole Gaussians."""

from functools import partial

import numpy as np

from workbench import losses
from workbench.catalog import covariance
from workbench.catalog.entry import DELTA, EPSILON, NO_SYMMETRY, Assumption, Example, N
from workbench.catalog.mean import RADIUS, WITHIN
from workbench.catalog.spectral import APPROX, CONCENTRATED, CORRUPTION, MASK, ROBUST, VOTES, thin
from workbench.distributions import Gaussian
from workbench.estimators.affine import LiftedGaussian
from workbench.estimators.coinpress import CoinPressGaussian
from workbench.estimators.populous import PopulousGaussian
from workbench.estimators.populous_robust import PopulousRobustGaussian
from workbench.estimators.unbounded import UnboundedGaussian
from workbench.populations import MultivariateGaussian
from workbench.privacy import ZCDP, ApproxDP, GaussianDP

ABOVE = Assumption(
    "the covariance is at least lower times the identity",
    lambda population, estimator: np.linalg.eigvalsh(population.covariance)[0] >= estimator.lower,
    MultivariateGaussian(Gaussian(np.zeros(3), 1e-6 * np.eye(3))),
)

gaussian = partial(thin, estimand="gaussian", loss=losses.gaussian_error, symmetries=NO_SYMMETRY)

GAUSSIAN = (
    gaussian(
        key="gaussian/coinpress",
        summary="mean and covariance of a Gaussian by joint steps, from public bounds",
        statements=("M21/prior-CoinPress",),
        examples=(
            Example(CoinPressGaussian(radius=100.0, upper=100.0, lower=1.0), ZCDP(0.1)),
            Example(CoinPressGaussian(radius=100.0, upper=100.0, centre=3.0, lower=1.0), ApproxDP(1.0, 1e-6)),
            Example(CoinPressGaussian(radius=100.0, upper=10.0, lower=1.0), GaussianDP(0.5)),
        ),
        population=covariance.TILTED,
        assumptions=(covariance.NORMAL, covariance.BELOW, ABOVE, WITHIN),
        knobs=(N, EPSILON, DELTA, RADIUS, covariance.UPPER),
    ),
    gaussian(
        key="gaussian/populous-robust",
        summary="a Gaussian from rows of which some may be anything, by two votes of robust groups",
        statements=("AL22/Cor7.5",),
        examples=(Example(PopulousRobustGaussian(corruption=0.02), APPROX),),
        knobs=(N, EPSILON, DELTA, CORRUPTION),
        bounded_steps=frozenset(f"{stage}, {step}" for stage in ("covariance", "mean") for step in ROBUST),
    ),
    gaussian(
        key="gaussian/unbounded",
        summary="mean and covariance of a Gaussian without any bound on either",
        statements=("M21/UG/iteration", "M21/UG/mean-known-covariance", "M21/UG/complexity"),
        examples=(
            Example(UnboundedGaussian(), APPROX),
            Example(UnboundedGaussian(calibration="paper"), CONCENTRATED),
        ),
        symmetries={"translation": "none", "scale": "lattice"},
        bounded_steps=VOTES,
    ),
    gaussian(
        key="gaussian/populous",
        summary="any Gaussian: its subspace, a frame in which it is round, mean and covariance in it",
        statements=("AL22/Thm5.7", "AL22/four-steps"),
        examples=(
            Example(PopulousGaussian(), APPROX),
            Example(PopulousGaussian(degenerate=False), APPROX),
            Example(PopulousGaussian(degenerate=False, covariance="matrix-quantile"), APPROX),
        ),
        # rows of full rank all name one subspace, and normal rows are stable as far as the count goes:
        # spectral/subspace-exact and covariance/matrix-quantile, in the audit, attain them
        bounded_steps=MASK | {"subspace", "stability"},
    ),
    gaussian(
        key="gaussian/lifted",
        summary="any Gaussian with a density from all rows at once, one price for test, frame and moments",
        statements=("M21/lifted-gaussian",),
        examples=(Example(LiftedGaussian(), APPROX),),
        symmetries={"translation": "exact", "scale": "exact"},
        bounded_steps=frozenset({"lift"}),  # a count that is neither 0 nor its most moves
    ),
)
