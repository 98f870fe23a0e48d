"""A robust private mean in one to three dimensions: the private Tukey median.  LKKO21 Algorithm 14.

Rows x of shape (n, d), d = 1, 2 or 3, every coordinate of the mean within `radius` of `centre`; a fraction of
the rows may be corrupted. Neighbours: replace one row. With z = x - centre:

    (1) u(t) = min_v #{i : ⟨v, z_i⟩ ≥ ⟨v, t⟩}, the Tukey depth of t                   sensitivity 1
    (2) t = a draw with probability ∝ e^{ε u(t)/2} on [-2 radius, 2 radius)^d
    (3) out = centre + t

On the line the depth is constant between rows and the draw is exact: u = n/2 - m with the m of
`parts.locate.window_median` without a window, the law of `univariate/median` in its "paper" calibration. In
two and three dimensions v runs through the public directions of `parts.nets.direction_net`, both signs, and t
through a public grid with spacing at most `step`: a net of any size is private, a coarse one costs accuracy.
Rows are cut to the box of the candidates first.

Departure from the source, which draws from the density itself: the grid and the directions. The error on a
grid is at least that of its nearest point, up to step √d/2. Proof: `proofs/resilience.md`, section 1.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from workbench.errors import require_columns
from workbench.estimators.base import Estimator, Trace, in_columns, standard_radius
from workbench.estimators.parts.budgets import require_selection
from workbench.estimators.parts.foreseen import better_than
from workbench.estimators.parts.locate.window_mean import located_median
from workbench.estimators.parts.locate.window_median import EVERYTHING, WindowMedian
from workbench.estimators.parts.nets.direction_net import (
    boxed,
    directions,
    grid,
    grid_size,
    median_on_grid,
    projected,
    require_few_columns,
)
from workbench.estimators.parts.rows import only_present
from workbench.privacy import Budget, Charge, NoiseSource, Plan
from workbench.privacy.grid import Integers
from workbench.privacy.mechanisms import exponential, selection_scale
from workbench.special import ndtr
from workbench.types import Array, PerColumn

STEP = "mean"
DEEPEST = 1.3  # n times the variance of the deepest point of normal rows, per coordinate


@dataclass(frozen=True, kw_only=True)
class TukeyMean(Estimator[Array]):
    """Private Tukey median in one to three dimensions, robust (LKKO21 Algorithm 14).

    Accurate for rows that are symmetric about a mean with every coordinate within `radius` of `centre`; a
    fraction of them may be anything.
    Guarantee: central model, one replaced row, for every input. Budgets: PureDP, or ZCDP with delta = 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. It
    is on no side: depths are those among the others.

    Parameters
    ----------
    radius : float
        Every coordinate of the mean lies within it of `centre`; in the unit of the data.
    centre : float or tuple, default 0.0
        Middle of the range, of every coordinate or a tuple of one for each.
    sigma : float, default 1.0
        Standard deviation of the rows, for the predicted error alone.
    step : float, default 0.1
        Largest spacing of the grid of candidates; unused on the line.

    Examples
    --------
    >>> import numpy as np
    >>> from workbench.privacy import PureDP
    >>> x = np.random.default_rng(1).normal(3.0, 1.0, size=(1000, 2))
    >>> x[:50] = 9.0
    >>> release = TukeyMean(radius=4.0)(x, budget=PureDP(1.0), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 3.0).max() < 0.3)
    True
    """

    radius: float
    centre: PerColumn = 0.0
    sigma: float = 1.0
    step: float = 0.1

    def _validate(self) -> None:
        standard_radius(self.radius, 2.0)

    @property
    def reach(self) -> float:
        """Half the side of the box of candidates."""
        return 2 * self.radius

    @property
    def locator(self) -> WindowMedian:
        """The draw on the line."""
        return WindowMedian(left=EVERYTHING, right=EVERYTHING, low=-self.reach, high=self.reach)

    def candidates(self, d: int) -> int:
        """Return the number of points of the grid; 0 on the line, where every place is one."""
        return 0 if d == 1 else grid_size(d, self.reach, self.step)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        """Return the one charge of step (2)."""
        require_few_columns(n, d)
        require_columns(d, centre=self.centre)
        require_selection(budget)
        self.candidates(d)
        return self.locator.charge(STEP, budget) if d == 1 else Charge(STEP, "exponential", 1.0, budget)

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource, trace: Trace | None = None) -> Array:
        """Return the private mean of sanitised rows."""
        n, d = x.shape
        middle = in_columns(self.centre, d)
        z, charge = boxed(x, middle, self.reach), self.plan(n, d, budget)[STEP]
        if d == 1:
            position = self.locator.draw(z[:, 0], charge, noise)
            assert position is not None
            return np.asarray(middle + position)
        points = grid(d, self.reach, self.step)
        chosen = exponential(depths(z, points), charge, noise)  # (1), (2)
        return np.asarray(middle + points[chosen])  # (3)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows; infinite from √d radius/sigma on.

        The mean is in the middle between candidates; a place at a distance t from the deepest one, which
        sampling puts next to the mean, has depth n Φ(-t/sigma).
        """
        charge = self.plan(n, d, budget)[STEP]
        trivial = sqrt(d) * self.radius / self.sigma
        if d == 1:
            reach = self.reach / self.sigma
            locator = WindowMedian(left=EVERYTHING, right=EVERYTHING, low=-reach, high=reach)
            return better_than(trivial, located_median(locator, n, charge.cost))
        scale = selection_scale(charge)
        expected = median_on_grid(
            d,
            self.reach / self.sigma,
            self.step / self.sigma,
            sqrt(DEEPEST / n),
            lambda apart: n * ndtr(-apart) / scale,
        )
        return better_than(trivial, expected)


def depths(z: Array, points: Array) -> Integers:
    """Return the Tukey depth of every point among the rows z, along the directions of the net."""
    least = np.full(len(points), len(z))
    for v in directions(z.shape[1]):
        rows, places = np.sort(only_present(projected(z, v))), projected(points, v)
        order = np.argsort(places)  # sorted places are found several times as fast
        above = len(rows) - np.searchsorted(rows, places[order], side="left")
        below = np.searchsorted(rows, places[order], side="right")
        least[order] = np.minimum(least[order], np.minimum(above, below))
    return least
