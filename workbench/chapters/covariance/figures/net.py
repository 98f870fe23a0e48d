"""The pure net in one and in two dimensions: what is on the list, its chances, the floor of the error."""

from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.covariance.claims import net as claims
from workbench.chapters.covariance.figures.heavy import PLAIN
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.charts.words import number
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import PureDP
from workbench.study import measures
from workbench.study.grids import Role, grid, multiples, stream
from workbench.study.measures import summary
from workbench.study.run import Run

NET = "covariance/pure-net"
LINE_ALPHA, LINE_TRUTH, LINE_N = 0.2, 5.0, (100, 400, 1600)
PLANE_ALPHA, PLANE_N, DRAWN, LIKELY = 0.9, 1000, 12, 3  # ellipses that are drawn, the likeliest among them


def pure_net(run: Run, *, epsilon: float = claims.EPSILON) -> Chart:
    """Return the chances of the candidates on the line, for more and more rows."""
    ns = multiples(LINE_N, claims.EPSILON / epsilon)
    return Chart(
        "pure_net",
        "The net is fixed before a row is read; rows only move the chances",
        tuple(_line(run.seed, epsilon, n) for n in ns),
        alt="Chances of the candidates of a net on the line, as bars: spread out and off the truth for few"
        " rows, gathered at the truth for many.",
        how_to_read=f"Bars: with which probability each variance on the list is released, at ε = {epsilon:g}."
        " A candidate that fits the rows better is likelier. More rows gather the chances at the candidates"
        " next to the truth; between two of them nothing can be released.",
    )


def net_floors(run: Run, *, epsilon: float = claims.EPSILON) -> Chart:
    """Return the errors of nets against n, with their floors, for d = 1 and 2."""
    factor, panels = claims.EPSILON / epsilon, []
    for d, sweep in claims.NETS.items():
        ns = multiples(claims.NET_N[d], factor)
        frame = run.table(sweep.moved(grid(d=d, alpha=claims.ALPHAS[d], n=ns, epsilon=epsilon)))
        panels.append(_errors(frame, d, run.seed))
    return Chart(
        "net_floors",
        "The error falls to the step of the net, and no further",
        tuple(panels),
        alt="Errors fall with n to floors that are lower for finer nets, in one and in two dimensions;"
        " without privacy the error falls on.",
        how_to_read="The horizontal lines are the floors: how far the truth is from the best candidate on the"
        " list, on average. A finer net has a lower floor and needs more rows, since there is more to choose"
        " from.",
    )


def net_ellipses(run: Run, *, epsilon: float = claims.EPSILON) -> Chart:
    """Return some of the candidates of a net in the plane, the likeliest among them."""
    return Chart(
        "net_ellipses",
        "In the plane the list holds ellipses, and the likely ones resemble the truth",
        (_plane(run.seed, epsilon, *multiples([PLANE_N], claims.EPSILON / epsilon)),),
        alt="A few of the ellipses of a net in the plane, the likeliest ones close to the true one.",
        how_to_read="Grey: some of the candidates, every one of which may be released. Coloured: the three"
        " likeliest. Black: the truth. In d dimensions the list grows as fast as the exponential of d².",
    )


def chances(alpha: float, x: np.ndarray, epsilon: float = claims.EPSILON) -> np.ndarray:
    """Return the probability with which every candidate is released."""
    one, (n, d) = claims.estimator(alpha), x.shape
    budget = PureDP(epsilon)
    charge = one.plan(n, d, budget)["candidate"]
    weight = np.asarray(one.scores(x, one.clip(n, d, budget))) * epsilon / (2 * charge.sensitivity)
    weight = np.exp(weight - weight.max())
    return np.asarray(weight / weight.sum())


def _law(name: str, seed: int, *values: float) -> Rotated:
    return rotated(values, stream(seed, Role.DATA, name, 0, 0), degrees=claims.DEGREES)


def _line(seed: int, epsilon: float, n: int) -> Panel:
    law = _law("covariance-net-line", seed, LINE_TRUTH)
    offers = claims.UPPER * claims.estimator(LINE_ALPHA).net(1).candidates[:, 0, 0]
    x = law.sample(n, rng=stream(seed, Role.DATA, "covariance-net-line", n, 0))
    bars = Series("", offers[::-1], chances(LINE_ALPHA, x, epsilon)[::-1], role="bars", colour_key=NET)
    truth = Mark("truth", "vertical", x=LINE_TRUTH, side="left", colour_key=PLAIN)
    return Panel(
        f"n = {number(n)}", "variance on the list", "chance", (bars,), yscale="linear",
        xlim=(0.9, 1.1 * claims.UPPER), ylim=(0.0, 1.0), marks=(truth,),
    )  # fmt: skip


def _plane(seed: int, epsilon: float, n: int) -> Panel:
    law = _law("covariance-net-plane", seed, 2.0, 12.0)
    x = law.sample(n, rng=stream(seed, Role.DATA, "covariance-net-plane", 1, 0))
    offers: Any = claims.UPPER * claims.estimator(PLANE_ALPHA).net(2).candidates
    likely = np.argsort(-chances(PLANE_ALPHA, x, epsilon))
    others = likely[LIKELY :: max(1, (len(likely) - LIKELY) // (DRAWN - LIKELY))][: DRAWN - LIKELY]
    lines = [ellipse("", offers[place], role="release", colour_key="idea/data") for place in others]
    best = [ellipse("", offers[place], colour_key=NET) for place in likely[:LIKELY]]
    words = (
        Mark("brown: the likeliest, black: the truth", x=6.6, y=1.0, colour_key=NET),
        Mark("grey: others on the list", x=-6.4, y=2.6),
    )
    truth = ellipse("", law.covariance, role="truth", colour_key=PLAIN)
    return plane(
        f"{DRAWN} of {len(offers)} candidates",
        (*lines, *best, truth),
        reach=4.4,
        note=f"n = {number(n)}, ε = {epsilon:g}.",
        marks=words,
    )


def _errors(frame: pd.DataFrame, d: int, seed: int) -> Panel:
    series, marks = [], []
    for place, alpha in enumerate(claims.ALPHAS[d]):
        if not len(frame):
            break
        groups = measures.by(measures.at(frame, alpha=alpha), "n")
        found = {
            n: summary(_mean, rows["error"], seed, f"net {d} {alpha:g} {n:g}", LEVEL)
            for n, rows in groups.items()
        }
        floor = float(measures.at(frame, alpha=alpha)["floor"].mean())
        rank = 1 - place / (len(claims.ALPHAS[d]) - 1)
        series.append(measured(f"step {number(alpha / 2)}", found, NET, rank=rank))
        series.append(
            Series("", (*groups,), [floor] * len(groups), role="reference", colour_key=NET, rank=rank)
        )
        if not place and d == 1:
            marks.append(Mark("the floor of this net", x=2.6 * min(groups), y=1.1 * floor))
    plain = [float(rows["reference"].mean()) for rows in measures.by(frame, "n").values()]
    ns = measures.by(frame, "n")
    series.append(Series("no privacy", ns, plain, role="truth", colour_key=PLAIN))
    return Panel(f"d = {d}", "rows n", f"mean {ERROR}", tuple(series), marks=tuple(marks))


def _mean(values: np.ndarray) -> float:
    return float(values.mean())
