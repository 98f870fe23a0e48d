"""CoinPress: a private mean by a confidence ball that shrinks.  Biswas, Dong, Kamath & Ullman (2020), for M21.

Rows x of shape (n, d), covariance sigma² I, mean within `radius` of `centre`. Neighbours: replace one row.
In units of sigma, from c = centre and r = radius, for steps i = 1 .. t:

    (1) B_i = the clipping radius, from r, n and d                     `parts.coinpress_design`, public
    (2) m = (1/n) Σ w_j, w_j = x_j - c shrunk to the ball of radius B_i          l2-sensitivity 2 B_i/n
    (3) c = c + m + N(0, s_i² I)
    (4) r = a radius that holds the mean now: tail(d, ·) √(1/n + s_i²), public

Every r and B_i follows from public numbers, so that t and the share of the budget of the first t - 1 steps
are chosen beforehand to make the last radius small; `steps` fixes t, and a step that would not shrink the
ball is skipped, its share going to the last one. `mode="proved"`: B_i clips no row of normal data, and r
holds the mean throughout, with probability 1 - beta. `mode="practical"`, the default: the same privacy,
smaller B_i and r, no proof of coverage.

For d = 1 the same code is a univariate mean. Departures: every step clips the original rows afresh, around a
centre that is given (the authors' program clips clipped rows again). Proof: `proofs/gaussian_steps.md`,
section 1.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from workbench.errors import finite, integer_at_least, one_of, positive, probability
from workbench.estimators.base import Array, Release, Trace, require_matrix, run_multivariate
from workbench.estimators.parts.coinpress_design import MeanDesign, mean_design
from workbench.estimators.parts.gaussian_steps import require_gaussian, step_budgets, steps_plan
from workbench.estimators.parts.rows import mean_of, mean_sensitivity, within_ball
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.mechanisms import gaussian, gaussian_mu


@dataclass(frozen=True, kw_only=True)
class CoinPressMean:
    """Public parameters; `radius`, `centre` (the same in every coordinate) and `sigma` in the data's unit.

    Budgets: ZCDP with delta = 0, GaussianDP, ApproxDP.

    >>> import numpy as np
    >>> from workbench.privacy import ZCDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(2000, 2))
    >>> release = CoinPressMean(radius=1000.0)(x, budget=ZCDP(0.5), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.2)
    True
    """

    radius: float
    centre: float = 0.0
    sigma: float = 1.0
    steps_taken: int | None = None
    mode: Literal["practical", "proved"] = "practical"
    beta: float = 0.05

    def __post_init__(self) -> None:
        positive(radius=self.radius, sigma=self.sigma)
        finite(centre=self.centre)
        if self.steps_taken is not None:
            integer_at_least(1, steps_taken=self.steps_taken)
        one_of(("practical", "proved"), mode=self.mode)
        probability(beta=self.beta)
