"""The pure net in one and in two dimensions: what is on offer, its chances, the floor of the error."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.covariance.claims import net as claims
from workbench.chapters.covariance.figures.heavy import PLAIN
from workbench.charts.bands import ERROR, LEVEL, measured
from workbench.charts.chart import Chart, Panel, Series
from workbench.charts.ellipses import ellipse, plane
from workbench.populations.rotated import Rotated, rotated
from workbench.privacy import PureDP
from workbench.study import measures
from workbench.study.measures import summary
from workbench.study.run import Run
from workbench.study.sweeps.streams import Role, stream
from workbench.study.sweeps.sweep import grid, multiples

NET = "covariance/pure-net"
KEYS = {1: ("0", "3", "5"), 2: ("1", "4")}  # dimension: looks of nets, or of n
LINE_ALPHA, LINE_TRUTH, LINE_N = 0.2, 5.0, (100, 400, 1600)
PLANE_ALPHA, PLANE_N, EVERY = 0.9, 1000, 6  # of the ellipses, one in six is drawn


def pure_net(run: Run, *, epsilon: float = claims.EPSILON) -> Chart:
    """Return the candidates and their chances for d = 1 and 2, and the errors with their floors."""
    factor, frames = claims.EPSILON / epsilon, {}
    for d, sweep in claims.NETS.items():
        ns = multiples(claims.NET_N[d], factor)
        frames[d] = run.table(sweep.moved(grid(d=d, alpha=claims.ALPHAS[d], n=ns, epsilon=epsilon)))
    return Chart(
        "pure_net",
        f"Pure privacy: choose from a public net (ε = {epsilon:g})",
        (
            _line(run.seed, epsilon, multiples(LINE_N, factor)),
            _plane(run.seed, epsilon, *multiples([PLANE_N], factor)),
            *(_errors(frame, d, run.seed) for d, frame in frames.items()),
        ),
        alt="Above: chances of the candidates of a net on the line, which gather at the truth as n grows;"
        " and in the plane the ellipses of a net with the likely ones drawn over the true one. Below:"
        " errors fall with n to floors that are lower for finer nets.",
        how_to_read="Above, everything that can come out is fixed before a row is read; the rows only"
        " decide the chances, and an ellipse that fits them is likelier. Below, with more rows"
        " the error falls to a floor, the distance of the truth from what is on offer (dashed),"
        " which is in proportion to the step of the net. A finer net has a lower floor, and"
        " needs more rows: there is more to choose from.",
    )


def chances(alpha: float, x: np.ndarray, epsilon: float = claims.EPSILON) -> np.ndarray:
    """Return the probability with which every candidate is released."""
    one, (n, d) = claims.estimator(alpha), x.shape
    budget = PureDP(epsilon)
    charge = one.plan(n, d, budget)["candidate"]
    weight = one.scores(x, one.clip(n, d, budget)) * epsilon / (2 * charge.sensitivity)
    weight = np.exp(weight - weight.max())
    return np.asarray(weight / weight.sum())


def _law(name: str, seed: int, *values: float) -> Rotated:
    return rotated(values, stream(seed, Role.DATA, name, 0, 0), degrees=claims.DEGREES)


def _line(seed: int, epsilon: float, ns: Iterable[int]) -> Panel:
    law = _law("covariance-net-line", seed, LINE_TRUTH)
    offers = claims.UPPER * claims.estimator(LINE_ALPHA).net(1).candidates[:, 0, 0]
    series = []
    for n, key in zip(ns, KEYS[1], strict=True):
        x = law.sample(n, rng=stream(seed, Role.DATA, "covariance-net-line", n, 0))
        series.append(
            Series(f"n = {n}", offers[::-1], chances(LINE_ALPHA, x, epsilon)[::-1], colour_key=f"{key}:n")
        )
    truth = Series("the truth", (LINE_TRUTH, LINE_TRUTH), (0.0, 1.0), role="reference", colour_key=PLAIN)
    return Panel(
        f"d = 1: {len(offers)} variances", "variance on offer", "chance", (*series, truth), yscale="linear",
        ylim=(0.0, 1.0),
    )  # fmt: skip


def _plane(seed: int, epsilon: float, n: int) -> Panel:
    law = _law("covariance-net-plane", seed, 2.0, 12.0)
    x = law.sample(n, rng=stream(seed, Role.DATA, "covariance-net-plane", 1, 0))
    offers: Any = claims.UPPER * claims.estimator(PLANE_ALPHA).net(2).candidates
    likely = np.argsort(-chances(PLANE_ALPHA, x, epsilon))
    every = [
        ellipse("on offer" if not i else "", offers[place]) for i, place in enumerate(likely[::-1][::EVERY])
    ]
    best = [
        ellipse("likeliest" if not i else "", offers[place], role="theory", colour_key=NET)
        for i, place in enumerate(likely[:3])
    ]
    truth = ellipse("the truth", law.covariance, colour_key=PLAIN)
    return plane(
        f"d = 2: {len(offers)} ellipses, some drawn",
        (*every, *best, truth),
        reach=4.4,
        panels=4,
        note=f"n = {n}",
    )


def _errors(frame: pd.DataFrame, d: int, seed: int) -> Panel:
    series = []
    for alpha, key in zip(claims.ALPHAS[d], KEYS[d], strict=True):
        if not len(frame):
            break
        groups = measures.by(measures.at(frame, alpha=alpha), "n")
        found = {
            n: summary(_mean, rows["error"], seed, f"net {d} {alpha:g} {n:g}", LEVEL)
            for n, rows in groups.items()
        }
        floor = float(measures.at(frame, alpha=alpha)["floor"].mean())
        series.append(measured(f"step {alpha / 2:g}", found, key))
        series.append(Series("", found, [floor] * len(found), role="theory", colour_key=key))
    plain = [float(rows["reference"].mean()) for rows in measures.by(frame, "n").values()]
    ns = measures.by(frame, "n")
    series.append(Series("without privacy", ns, plain, role="reference", colour_key=PLAIN))
    return Panel(
        f"d = {d}: error", "rows n", f"mean {ERROR}", tuple(series), note="Dashed: the floor of the net."
    )


def _mean(values: np.ndarray) -> float:
    return float(values.mean())
