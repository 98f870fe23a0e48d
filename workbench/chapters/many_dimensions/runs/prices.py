"""Where the price of privacy is measured at other public numbers than the usual ones.

Grids follow the predictions: rows as many as the steps need to do as much, ρ in the same multiples, and the
rows for an error of α round those that are predicted.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from workbench.chapters.many_dimensions.claims import checks, covariance, mean
from workbench.chapters.many_dimensions.runs import coinpress as runs
from workbench.study.grids import Sweep, affordable, multiples

Setting = tuple[int, float]  # d and α
MOST = 2.0  # the work of counting rows, over the usual


@dataclass(frozen=True)
class Price:
    """One kind of estimate at public numbers.

    Parameters
    ----------
    axes, sizes
        The sweeps along n, ρ and d, and those that look for rows in many and in few dimensions.
    middle
        Setting of `sizes`: predicted n, one for each mode.
    predict, rows
        What is predicted: of both parts of the error, and of the n at which it is at most α.
    power
        Of d, in the rows at which steps do as much.
    rho, told
        The budget, and the range or the condition number by its name.
    d, alpha
        Over the usual ones.
    """

    axes: Mapping[str, Sweep]
    sizes: tuple[Sweep, Sweep]
    middle: Mapping[Setting, tuple[int, int]]
    predict: checks.Predict
    rows: Callable[..., int]
    power: float
    rho: float
    told: Mapping[str, float]
    d: float
    alpha: float

    def along(self, name: str) -> Sweep:
        """Return the sweep along n, ρ or d at these numbers."""
        usual, found = self.axes[name], {}
        for point in usual.points:
            (n,) = multiples([point["n"]], runs.more_rows(self.rho, self.d, self.power))
            place = {"n": n, "d": self.columns(point["d"]), "rho": point["rho"] / runs.RHO * self.rho}
            found[place[name]] = {**place, **self.told}
        return usual.moved(found.values())

    def columns(self, usual: int) -> int:
        """Return a dimension, in proportion."""
        return max(1, round(usual * self.d))

    def settings(self) -> dict[Setting, tuple[int, int]]:
        """Return d and α with the n that is predicted, one for each mode, where the work allows it."""
        usual = sum(d * n for (d, _), both in self.middle.items() for n in both)
        places = [(self.columns(d), alpha * self.alpha) for d, alpha in self.middle]
        practical, proved = runs.MODES
        predicted = {place: (self.needed(*place, practical), self.needed(*place, proved)) for place in places}
        work = {place: place[0] * sum(both) for place, both in predicted.items()}
        return {place: predicted[place] for place in affordable(work, MOST * usual)}

    def needed(self, d: int, alpha: float, mode: str) -> int:
        """Return the predicted n at which the error is at most α with probability .9."""
        return self.rows(d, alpha, mode, self.rho, *self.told.values())

    def searches(self, places: Mapping[Setting, tuple[int, int]]) -> Iterator[Sweep]:
        """Yield the sweeps that look for the rows of these settings, their grids round the predicted n."""
        if list(places) == list(self.middle):
            same = all(
                sweep.points[0].items() >= {"rho": self.rho, **self.told}.items() for sweep in self.sizes
            )
            places = dict(self.middle) if same else places
        for sweep, few in zip(self.sizes, (False, True), strict=True):
            some = {place: both for place, both in places.items() if (place[0] <= runs.FEW) == few}
            if some:
                yield sweep.moved(runs.around(some, rho=self.rho, **self.told))


def mean_price(rho: float, alpha: float, d: int, radius: float) -> Price:
    """Return the price of a mean; the radius is half the side of the box within the public ball."""
    axes = {"n": runs.MEAN_N, "rho": runs.MEAN_RHO, "d": runs.MEAN_D}
    sizes = (runs.MEAN_SIZES, runs.MEAN_SIZES_FEW)
    kind = partial(Price, axes, sizes, runs.MEAN_ROWS, mean.predicted, runs.mean_rows, 1.0)
    return kind(rho, {"reach": radius}, d / runs.D, alpha / runs.MEAN_ALPHA)


def covariance_price(rho: float, alpha: float, d: int, condition: float) -> Price:
    """Return the price of a covariance."""
    axes = {"n": runs.COVARIANCE_N, "rho": runs.COVARIANCE_RHO, "d": runs.COVARIANCE_D}
    sizes = (runs.COVARIANCE_SIZES, runs.COVARIANCE_SIZES_FEW)
    kind = partial(Price, axes, sizes, runs.COVARIANCE_ROWS, covariance.predicted, runs.covariance_rows, 1.5)
    told = {"condition": condition}
    return kind(rho, told, d / runs.COVARIANCE_DIMENSION, alpha / runs.COVARIANCE_ALPHA)
