"""The pure net: its error falls to a floor, the distance of a covariance from those on the list (M21/pure).

The floor of a covariance is the error of the candidate with the best score on its own second moment, without
rows and without noise. On the line a grid of logarithms of step s has a mean floor of about s/4 where the
variance is uniform on the logarithmic scale.
"""

from math import log

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench.chapters.covariance.one_radius import error_of
from workbench.charts.curves import ERROR, LEVEL, Chart, Panel, across, measured, number, styled, text_at
from workbench.estimators.nets import PureNetCovariance, directions
from workbench.linalg import second_moment
from workbench.populations.laws import student_hypercontractivity
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import PureDP
from workbench.study import measures
from workbench.study.measures import at, between, by, summary
from workbench.study.rules import Checks, Claim, enough
from workbench.study.sweeps import Row, Run, each_trial, grid, multiples, over_grid, value_of
from workbench.types import Array

NET = "covariance/pure-net"
UPPER, DEGREES, MOMENTS, EPSILON = 16.0, 8.0, 2, 1.0
NET_N = {1: (250, 2000, 16_000), 2: (250, 1000, 4000)}  # dimension: rows
ALPHAS = {1: (0.2, 0.4, 0.8), 2: (0.45, 0.9)}  # dimension: twice the step of the net


def estimator(alpha: float) -> PureNetCovariance:
    return PureNetCovariance(
        upper=UPPER, centred=True, moments=MOMENTS, alpha=alpha,
        hypercontractivity=student_hypercontractivity(DEGREES, MOMENTS), lower=1.0,
    )  # fmt: skip


def nearest(one: PureNetCovariance, law: Rotated) -> Array:
    """Return the candidate with the best score where rows have this covariance exactly."""
    d, net = len(law.values), one.net(len(law.values))
    entries = (law.covariance / UPPER)[np.triu_indices(d)]
    terms = net.forms @ entries - np.trace(directions(d), axis1=1, axis2=2)
    return UPPER * net.candidates[int(np.abs(terms).max(axis=1).argmin())]


@each_trial
def net_errors(
    d: int, alpha: float, n: int, *, epsilon: float = EPSILON, data: Generator, noise: Generator
) -> Row:
    """Measure the error, the floor and the error without privacy at random covariances.

    Logarithms of eigenvalues are uniform, and so are directions.
    """
    one = estimator(alpha)
    law = rotated(np.exp(data.uniform(0.0, log(UPPER), d)), data, degrees=DEGREES)
    x = law.sample(n, rng=data)
    error = error_of(law, value_of(one, x, PureDP(epsilon), noise))
    return {"error": error, "floor": law.error(nearest(one, law)), "reference": law.error(second_moment(x))}


NETS = {
    d: over_grid(f"m21-heavy-net-{d}", net_errors, trials, d=d, alpha=alphas, n=NET_N[d])
    for (d, alphas), trials in zip(ALPHAS.items(), (60, 15), strict=True)
}


def net_floors(run: Run, *, epsilon: float = EPSILON) -> Chart:
    """Return the errors of nets against n, with their floors, for d = 1 and 2."""
    panels = []
    for d, sweep in NETS.items():
        ns = multiples(NET_N[d], EPSILON / epsilon)
        frame = run.table(sweep.moved(grid(d=d, alpha=ALPHAS[d], n=ns, epsilon=epsilon)))
        series, marks = [], []
        for place, alpha in enumerate(ALPHAS[d] if len(frame) else ()):
            rows, rank = at(frame, alpha=alpha), 1 - place / (len(ALPHAS[d]) - 1)
            found = measures.means(by(rows, "n"), "error", run.seed, f"net {d} {alpha:g}", LEVEL)
            floor = rows["floor"].mean()
            series.append(measured(f"step {number(alpha / 2)}", found, NET, rank=rank))
            series.append(across("", found, floor, NET, rank=rank))
            if not place and d == 1:
                marks.append(text_at("the floor of this net", 2.6 * min(found), 1.1 * floor))
        plain = {n: rows["reference"].mean() for n, rows in by(frame, "n").items()}
        series.append(styled("truth", "no privacy", plain, plain.values(), "non-private"))
        axes = "number of rows n", f"mean {ERROR}"
        panels.append(Panel(f"d = {d}", *axes, series, marks=marks))
    return Chart(
        "net_floors",
        "The error falls to the step of the net, and no further",
        panels,
        alt="Errors fall with n to floors that are lower for finer nets, in one and in two dimensions;"
        " without privacy the error falls on.",
        how_to_read="The horizontal lines are the floors: how far the truth is from the best candidate on the"
        " list, on average. A finer net has a lower floor and needs more rows, since there is more to choose"
        " from.",
    )


def falls_to_the_floor(*frames: DataFrame, seed: int) -> Checks:
    for d, frame in zip(NETS, frames, strict=True):
        floors, (few_n, *_, many_n) = {}, NET_N[d]
        for place, alpha in enumerate(ALPHAS[d]):
            few, many = (at(frame, alpha=alpha, n=n) for n in (few_n, many_n))
            name, label = f"d = {d}, alpha = {alpha:g}", f"m21-heavy-net {d} {alpha:g}"
            over = summary(_ratio, many[["error", "floor"]], seed, label)
            check = between(f"error over floor, {name}", over, 0.0, 1.3, n=many_n, bound=1.0)
            yield enough(check, "M21/pure", "enough for the floor of the net, within 30 %")
            label = f"{label} {2 * place + 1}"
            means = [summary(measures.mean, rows["error"], seed, label) for rows in (few, many)]
            name = f"error at n = {few_n} over that at {many_n}, {name}"
            yield between(name, measures.ratio(*means), 1.0, 10.0, bound=1.0)
            floors[alpha] = measures.scaled(means[1], 1 / alpha)
        name, spread = f"error over step, largest over smallest, d = {d}", measures.spread(floors)
        yield between(name, spread, 0.0, 1.5, n=many_n)


def _ratio(pairs: Array) -> float:
    top, bottom = pairs.mean(axis=0)
    return float(top / bottom)


CLAIMS = (
    Claim(
        "covariance/net-falls-to-floor",
        "G16",
        ("M21/pure",),
        "The error of the pure net (eps = 1, covariances between I and 16 I, Student rows) falls with n to"
        " the distance of the covariance from the net, which it reaches within 30 % on average, at n = 16000"
        " in one dimension and 4000 in two; there it is proportional to the net's step (within 1.5) over a"
        " factor of 4 in one dimension and of 2 in two.",
        falls_to_the_floor,
        lambda: NETS.values(),
        kind="ours",
    ),
)
