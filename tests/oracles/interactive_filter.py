"""LKKO21's interactive filters (Algorithms 1, 6, 12, 13): an analyst asks, and a curator recomputes the set.

The curator keeps nothing between queries: from the history of centres, matrices and thresholds that are
released, it filters all rows again, by sorting. The analyst sees noisy answers alone. Slow; an oracle of
tests.
"""

from collections.abc import Iterator
from math import log2

import numpy as np

from workbench.estimators.parts.filters.design import PRICES, FilterDesign
from workbench.estimators.parts.filters.paper_run import Rules
from workbench.estimators.parts.filters.weighted_moments import (
    MEAN,
    WholeSums,
    grid,
    merged,
    release,
    released,
)
from workbench.privacy import Charge, NoiseSource
from workbench.privacy.grid import OnGrid
from workbench.privacy.mechanisms import gaussian, laplace, symmetric_gaussian

Cut = tuple[np.ndarray, np.ndarray, float]  # centre, matrix, threshold


class Curator:
    """Rows of whole numbers times a step, and answers about those that a history leaves."""

    def __init__(self, y: np.ndarray, k: int | None, step: float) -> None:
        self.y, self.k, self.step = y, k, step

    def scores(self, centre: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        return np.array([(row - centre) @ matrix @ (row - centre) for row in self.y])

    def tail(self, rows: list[int], tau: np.ndarray) -> list[int]:
        ordered = sorted(rows, key=lambda i: (-tau[i], *(-self.y[i]), i))
        return ordered[: len(rows) if self.k is None else self.k]

    def left(self, history: list[Cut]) -> list[int]:
        rows = list(range(len(self.y)))
        for centre, matrix, cut in history:
            tau = self.scores(centre, matrix)
            gone = {i for i in self.tail(rows, tau) if tau[i] >= cut}
            rows = [i for i in rows if i not in gone]
        return rows

    def sums(self, history: list[Cut], square: bool = True) -> WholeSums:
        rows = self.y[self.left(history)]
        y = [[int(entry / self.step) for entry in row] for row in rows]
        d = range(self.y.shape[1])
        total = [sum(row[i] for row in y) for i in d]
        outer = [[sum(row[i] * row[j] for row in y) for i in d] for j in d]
        whole = OnGrid(np.array(outer), self.step**2) if square else None
        return WholeSums(len(y), OnGrid(np.array(total), self.step), whole)

    def counts(self, history: list[Cut], centre: np.ndarray, matrix: np.ndarray, bins: int) -> np.ndarray:
        tau = self.scores(centre, matrix)
        found = np.zeros(bins)
        for i in self.tail(self.left(history), tau):
            place = int(np.floor(log2(max(tau[i], 0.25)))) + 2
            found[min(place, bins - 1)] += 1
        return found

    def moment(self, history: list[Cut]) -> np.ndarray:
        y = self.y[self.left(history)]
        if not len(y):
            return np.zeros((self.y.shape[1],) * 2)
        apart = y - y.mean(axis=0)
        return apart.T @ apart / len(self.y)


def threshold(counts: np.ndarray, n: int, psi: float) -> float:
    """The sum in LKKO21 Algorithm 11, written out."""
    for place in reversed(range(len(counts))):
        above = sum((2.0 ** (j - 2) - 2.0 ** (place - 2)) * counts[j] for j in range(place, len(counts)))
        if above / n >= 0.31 * psi:
            return 2.0 ** (place - 2)
    return 0.25


def one_release_a_pass(
    y: np.ndarray, design: FilterDesign, charges: Iterator[Charge], noise: NoiseSource
) -> np.ndarray:
    """The analyst of calibration tight: the mean round the centre."""
    curator, history, found, done = Curator(y, design.tail, grid(design.radius)), list[Cut](), [], False
    n, d, (size, scores) = len(y), design.d, design.sizes
    for _ in range(design.passes):
        for looking, draws in ((True, size), (False, scores)):
            charge = next(charges)
            if done:
                sums = curator.sums(history, square=False)
                found.append((release(sums, design.radius, MEAN, charge, noise, draws), MEAN, charge.cost))
            elif looking:
                noisy = release(curator.sums(history), design.radius, PRICES, charge, noise)
                m = shrunk(noisy.total / max(noisy.count, n / 10), design.radius)
                excess = noisy.square / max(noisy.count, n / 10) - np.outer(m, m) - design.base * np.eye(d)
                top = float(np.linalg.eigvalsh(excess)[-1])
                done = noisy.count < n / 2 or top <= design.threshold(charge.cost)
                if done:
                    found.append((noisy, PRICES, charge.cost))
            else:
                u = matrix_of(excess, top, design.sharpness)
                bins = curator.counts(history, m, u, design.sizes[1])[: bins_of(design)]
                counts = OnGrid(bins.astype(int), 1 / np.sqrt(2))
                noisy_bins = released(counts, charge, noise, scores) * np.sqrt(2)
                history.append((m, u, threshold(noisy_bins, n, float(np.vdot(excess, u)))))
    charge = next(charges)
    sums = curator.sums(history, square=False)
    total = merged([*found, (release(sums, design.radius, MEAN, charge, noise), MEAN, charge.cost)])
    return shrunk(total.total / max(total.count, n / 10), design.radius)


def nothing(d: int, step: float) -> WholeSums:
    return WholeSums(0, OnGrid(np.zeros(d, int), step))


def bins_of(design: FilterDesign) -> int:
    return 2 + int(np.ceil(log2(design.largest)))


def matrix_of(excess: np.ndarray, top: float, sharpness: float) -> np.ndarray:
    """exp(β F/λ)/trace by the series of a matrix, or the top eigenvector's projection."""
    if np.isinf(sharpness):
        v = np.linalg.eigh(excess)[1][:, -1]
        return np.outer(v, v)
    from scipy.linalg import expm

    u = expm(sharpness * (excess / top - np.eye(len(excess))))
    return u / np.trace(u)


def shrunk(mean: np.ndarray, radius: float) -> np.ndarray:
    return mean * min(1.0, radius / max(np.linalg.norm(mean), 1e-300))


def query_by_query(
    y: np.ndarray, rules: Rules, charges: Iterator[Charge], noise: NoiseSource, shrink: Iterator[float]
) -> np.ndarray | str:
    """The analyst of calibration paper, Algorithms 12 and 13."""
    n, d = y.shape
    curator, history, eye, live = Curator(y, rules.tail, rules.step), list[Cut](), np.eye(y.shape[1]), True

    def number(value: float) -> float:
        return float(laplace(value, next(charges), noise))

    def spread(ask: bool) -> float:
        return number(np.linalg.norm(curator.moment(history) - rules.base * eye, 2) if ask else 0.0)

    def mean(ask: bool) -> np.ndarray:
        sums = curator.sums(history, square=False) if ask else nothing(d, rules.step)
        noisy = release(sums, rules.diameter / 2, MEAN, next(charges), noise)
        return rules.inside(noisy.total / max(noisy.count, n / 10))

    for s in range(1, rules.epochs + 1):
        start, size = spread(live), number(len(curator.left(history)) if live else 0.0)
        if live and size <= 0.75 * n:
            return f"size {s}"
        live = live and start > rules.level
        inner, exponent = live, np.zeros((d, d))
        step = 1 / (100 * (0.1 / rules.constant + 1.01) * max(start, 1e-300))
        for _ in range(rules.rounds):
            now = spread(inner)
            inner = inner and now > start / 2
            noisy = symmetric_gaussian(curator.moment(history) if inner else 0 * eye, next(charges), noise)
            if inner:
                exponent += step * (noisy - rules.base * eye)
            values, basis = np.linalg.eigh(exponent)
            u = (basis * np.exp(values - values[-1])) @ basis.T
            u /= np.trace(u)
            psi = number(float(np.vdot(curator.moment(history) - rules.base * eye, u)) if inner else 0.0)
            go = inner and psi > now / 5.5
            m = mean(go)
            tau = curator.scores(m, u)
            total = number(float((tau - rules.base)[curator.left(history)].sum() / n) if go else 0.0)
            bins = 2 + int(np.ceil(log2(rules.diameter**2 * (1 + 1e-9))))
            counts = curator.counts(history, m, u, bins) if go else np.zeros(bins)
            cut = threshold(gaussian(counts, next(charges), noise), n, total) * next(shrink)
            if go:
                history.append((m, u, cut))
    return mean(True)


def one_direction_a_pass(
    y: np.ndarray, rules: Rules, charges: Iterator[Charge], noise: NoiseSource, shrink: Iterator[float]
) -> np.ndarray | str:
    """The analyst of Algorithms 1 and 6."""
    n, d = y.shape
    curator, history, eye = Curator(y, rules.tail, rules.step), list[Cut](), np.eye(d)
    live, answer = True, np.zeros(d)
    for t in range(1, rules.rounds + 1):
        size = float(laplace(len(curator.left(history)) if live else 0.0, next(charges), noise))
        if live and size < 0.75 * n:
            return f"size {t}"
        sums = curator.sums(history, square=False) if live else nothing(d, rules.step)
        noisy = release(sums, rules.diameter / 2, MEAN, next(charges), noise)
        m = rules.inside(noisy.total / max(noisy.count, n / 10))
        wide = np.linalg.norm(curator.moment(history) - rules.base * eye, 2) if live else 0.0
        excess = float(laplace(wide, next(charges), noise))
        moment = symmetric_gaussian(curator.moment(history) if live else 0 * eye, next(charges), noise)
        v, z = np.linalg.eigh(moment)[1][:, -1], next(shrink)
        answer = m if live else answer
        live = live and excess > rules.level
        if live:
            history.append((m, np.outer(v, v), rules.diameter**2 * z))
    return answer
