"""Covariance and mean of a Gaussian without any bound on either.  M21/UG; Kamath et al. (2022).

Rows x of shape (n, d) of a normal distribution with any mean and any covariance, singular ones among them.
Neighbours: replace one row. The rows are shuffled and, unless their mean is known to be 0 (`centred`),
paired: N rows (x_1 - x_2)/√2, N = ⌊n/2⌋, take their place where blocks are concerned (N = n if centred). They
are cut into T blocks of m rows. A frame A, I at first, is refined by what is released. λ are the eigenvalues
that the blocks of A x say, r how many of them are not 0, and a vote on the top-k subspace is a friendly mean
of the blocks' projections; both are of `subspaces`.

"tight" (ours):

    (1) λ; where r < d, V = the vote on the top-r subspace, A = Vᵀ
    (2) for k = 1 .. r - 1: P = the vote on the top-k subspace, γ² = λ_{k+1}/λ_k; where γ² < 1/10 and there
        was a vote, A ← (γ P + (I - P)) A
    (3) μ = the eigenvalues in A; no answer if μ_r = 0
    (4) the finish below, on all n rows: a centre, a round frame, mean and covariance in it

What the votes leave (4) makes round, a step at a time. A vote that does not come about changes nothing, but
for that of (1), without which there is no answer. Shares of ρ: .1 for (1) and for (3), .5 for the votes, .3
for (4); δ is divided equally among the votes and the d locations of (4), which count as one.

"paper", the source's loop, with constants, since the slides have none:

    (1) λ as above, and measured again in A = Vᵀ                                            M21/UG Alg 1
    (2) for k = 1 .. r - 1:
        where λ_k/λ_{k+1} > 64: P = the vote on the top-k subspace, A ← (γ P + (I - P)) A; λ anew    Alg 2, 3
        where λ_1/λ_{k+1} > 8: Z = Σ z_i v_i v_iᵀ, a noisy covariance of A x,
            A ← Σ (λ_{k+1}/max(z_i, λ_{k+1}))^(1/2) v_i v_iᵀ A; λ anew                               Alg 4
    (3) A ← A/√(2 λ_1), ℓ = λ_r/(4 λ_1); one CoinPress step: rows shrunk to the ball of tail(r, β/N), which
        clips no normal row, noise, U = V diag(max(z + e, ℓ)) Vᵀ, A ← U^(-1/2) A; then
        S = the PSD part of the noisy second moment of the rows in A;  covariance = A⁻¹ S A⁻ᵀ
    (4) of the n rows whitened by it: c = the centre of the fullest bin, of width 1, in every coordinate;
        mean = c + the noisy mean of the whitened rows round c, shrunk to the ball of 3.75 √r + tail(r, β/n)

A step that is needed and gives no answer ends the run without one. Shares of ρ: .7 for (1) to (3), all of it
without (4); half of that for (3), 1/4 and 3/4 of it, and .3, .4, .3 of the other half for eigenvalues, votes
and covariances of (2); .1 and .2 for (4). δ: equally to the 3d slots of eigenvalues and votes and to the
histograms of (4).

In both, every slot is drawn on every data set, and what released values make unnecessary is not used. With r
= 0 the covariance is 0, draws go on as for λ = 1, and there is no mean.

The finish (also of `populous` and `affine`), from a frame A and eigenvalues μ_1 ≥ … ≥ μ_r in it, both
released:

    (5) A ← A/√μ_1, s = μ/μ_1;  c = the point whose coordinates in A are window medians of those of the rows,
        windows of 4 (and across a subspace, in units of `thin`), unless a centre is given
    (6) k + 1 times: m, M = the noisy mean and second moment of the rows A(x - c) shrunk to the ball of R, in
        one draw (`shared.moments`);  Z = M - mmᵀ
    (7) where s is round: m over its slope at 0, and Z with its winsorising undone;  c + A⁻¹ m and A⁻¹ Z A⁻ᵀ
        answer, but for the first of several steps
    (8) c ← c + A⁻¹ m;  A ← (Z₊ + eI)^(-1/2) A;  s ← s/(s + e)
    (9) out = the answers, weighted by their budgets; no answer if there is none

s is the spectrum that rows should have in A, and round where its least is at least a quarter of its largest.
Small eigenvalues of Z are noise of either sign, and e keeps the rows' own from growing above 1. Public
numbers:

    location   ε = E/(.8 n) a coordinate, E such that normal rows get no place in any of them but with
               probability .001, however narrow they are, or down to a sd of `narrowest`; at most a fifth of
               ρ; all of δ. A coordinate has no place with probability at most M e^(-E/2) over the integral of
               e^(-ε m/2); m is at most n φ(0)t/σ at distance t from the median, which makes it
               M E e^(1 - E/2)/(10 σ), and at most n/2 where a window holds all rows: (M/8) e^(-E/4)
    budgets    of what is left, k steps that make rows round have .3 together, at most .1 each
    R          the quantile .9 of the length of normal rows of spectrum s, or, where s is round, the
               winsorising radius of least predicted error at what the answers cost together
    e          .7 √r R² times the sd of the noise: half of what it adds to an eigenvalue at most
    k          the fewest steps that bring the least of the worst spectrum that a frame leaves to .6 of the
               largest: by then noise counts nearly alike on all axes

The predicted error of normal rows is that of the last step alone, whose noise A⁻¹ multiplies by t =
tr(s⁻¹)/d, s the spectrum that the step meets.

Departures: constants are chosen here; a friendly mean takes the place of GoodCenter; in floats, the subspace
of degenerate rows is found to about 1e-11, and a condition number above 1e26 is degenerate. Proof:
`proofs/aggregation.md`, sections 4 and 5.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import ceil, inf, log, sqrt
from typing import Any, ClassVar

import numpy as np

from workbench.distributions import Gaussian
from workbench.estimators.base import FARTHEST, Abstention, Estimator, T, mapped, shuffled
from workbench.estimators.shared.budgets import concentrated, delivered
from workbench.estimators.shared.moments import (
    ROUND,
    THIN,
    Frame,
    LiftedMoment,
    Moments,
    SquaredErrors,
    best_radius,
    clipped_moment,
    completed,
    identity_frame,
    is_round,
    length_beyond,
    padded,
    slope,
    squared_errors,
    unwinsorised,
)
from workbench.estimators.shared.rows import (
    centred_count,
    centred_rows,
    in_blocks,
    mean_in_ball,
    mean_sensitivity,
    moment_in_ball,
    second_moment_sensitivity,
)
from workbench.estimators.shared.window_median import WindowMedian
from workbench.estimators.subspaces import (
    SubspaceVote,
    block_sizes,
    eigenvalue_charges,
    enough_blocks,
    enough_points,
    gap_after,
    private_eigenvalues,
    projections,
    spectra,
)
from workbench.linalg import fewest, psd_part, spectral_map, symmetric_noise_norm, tail
from workbench.privacy import ZCDP, Budget, Charge, NoiseSource, Plan
from workbench.privacy.histograms import stability_charge, stable_mode
from workbench.privacy.mechanisms import gaussian, gaussian_mu, gaussian_scale, symmetric_gaussian
from workbench.types import Array, Calibration, Floats, frozen, public, remembered

EIGENVALUES, VOTES, FINISH = 0.1, 0.5, 0.3  # "tight": shares of ρ; eigenvalues twice
LARGE_GAP = 10.0
GAP, LAST_GAP = 10.0, 1000.0  # of the widest spectrum that votes leave; the least is released low
MOST_ROWS = 8  # of a block, in units of d: votes gain more from blocks than from rows in them

COVARIANCE, FINAL = 0.7, 0.5  # "paper": shares of ρ, and of that of the covariance
SLOTS = 0.3, 0.4, 0.3  # of what is before (3): eigenvalues, votes, covariances
FIRST, LAST, LOCATION, MEAN = 0.0875, 0.2625, 0.1, 0.2  # in proportion, of (3) and (4)
COARSE_GAP, FINE_GAP, BETA, MARGIN, NEAR = 64.0, 8.0, 0.05, 0.3, 3.75
LEAST = 1e-12  # of a whitening: smaller eigenvalues are taken as this share of the largest

LOCATOR = WindowMedian(left=4.0, right=4.0)
NO_PLACE, IN_WINDOW, MOST_LOCATION = 1e-3, 0.8, 0.2
EARLY, MOST_EACH, MOST_STEPS = 0.3, 0.1, 24
HEIGHT = 0.4  # τ: 16 % more noise of the moment for the mean
ENDS, LONG, CAUTION = 0.6, 0.1, 0.7


class OfCovariance(Estimator[Array]):
    """Of moments, the covariance; its `recipe` says what errors to expect."""

    def _of(self, found: Moments) -> Array:
        return found.covariance

    def predicted_error(self: Any, n: int, d: int, budget: Budget) -> float:
        """Return the median Frobenius error of the covariance to expect of normal rows, in its own norm."""
        return float(self.recipe(n, d, budget).squared_error.covariance_median)


class OfGaussian(Estimator[Gaussian]):
    """Of moments, mean and covariance; its `recipe` says what errors to expect."""

    def predicted_error(self: Any, n: int, d: int, budget: Budget) -> float:
        """Return the median error to expect of normal rows, of mean and covariance in their own norm."""
        return float(self.recipe(n, d, budget).squared_error.gaussian_median)


@public
class Unbounded(Estimator[T]):
    centred: bool = False
    calibration: Calibration = "tight"

    located: ClassVar[bool]  # whether "paper" finds a mean, too

    @remembered
    def recipe(self, n: int, d: int, budget: Budget) -> "TightLoop | PaperLoop":
        return (PaperLoop if self.calibration == "paper" else TightLoop)(self, n, d, concentrated(budget))

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return delivered(self.recipe(n, d, budget).charges(), budget)

    @abstractmethod
    def _of(self, found: Moments) -> T | Abstention: ...

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> T | Abstention:
        # sorted rows, or copies side by side, would make blocks and pairs unlike the data
        found = self.recipe(len(x), x.shape[1], budget).estimate(shuffled(x, noise), noise)
        if isinstance(found, Abstention):
            return found
        return self._of(found) if found.finite else Abstention("covariance")


@public
class UnboundedCovariance(OfCovariance, Unbounded[Array]):
    """Private covariance without any bound on it, by votes of blocks of rows (M21/UG Algorithms 3 and 4).

    Accurate for normal rows of any mean and any covariance, singular ones included; where blocks do not agree
    the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP, or ZCDP, with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    block says what its other rows say, and moments are those of the rows that are there, whose share the
    release tells; a share of absent rows that its noise hides shrinks them.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0; otherwise blocks are made of pairs (x_1 - x_2)/√2.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e9 + np.random.default_rng(1).standard_normal((5000, 2)) * [1e-3, 1e3]
    >>> budget = ApproxDP(1.0, 1e-6)
    >>> release = UnboundedCovariance()(x, budget=budget, rng=np.random.default_rng(2))
    >>> bool((abs(np.diag(release.value) / [1e-6, 1e6] - 1) < 0.2).all())
    True
    """

    located = False


@public
class UnboundedGaussian(OfGaussian, Unbounded[Gaussian]):
    """Private mean and covariance of a Gaussian without any bound on either (M21/UG Theorem 5.1).

    Accurate for normal rows of any mean and any covariance; where blocks do not agree, or rows are all alike,
    the release is "no answer". "tight" finds the centre before the covariance, so that both are measured on
    all rows; "paper" has the covariance first, from pairs. A mean that is known to be 0 is not estimated. All
    else as of `UnboundedCovariance`.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e9 + np.random.default_rng(1).standard_normal((5000, 2)) * [1e-3, 1e3]
    >>> budget = ApproxDP(1.0, 1e-6)
    >>> law = UnboundedGaussian()(x, budget=budget, rng=np.random.default_rng(2)).value
    >>> bool((abs(law.mean - 1e9) < [2e-4, 2e2]).all())
    True
    """

    located = True

    def _of(self, found: Moments) -> Gaussian | Abstention:
        mean = np.zeros(len(found.covariance)) if self.centred else found.mean
        return Abstention("location 1") if mean is None else Gaussian(mean, found.covariance)


@frozen
class Loop:
    """The public numbers of a run on n rows of dimension d at a cost with δ > 0."""

    of: Unbounded[Any]
    n: int
    d: int
    cost: ZCDP

    def __post_init__(self) -> None:
        _ = self.blocks  # raises where n rows are too few

    @property
    @abstractmethod
    def blocks(self) -> tuple[int, int]: ...  # T and m

    @property
    def vote(self) -> SubspaceVote:
        t, m = self.blocks
        return SubspaceVote(t, self.of.calibration, m=m, d=self.d)


@dataclass
class Run:
    """What the blocks of rows release in a frame, one charge after another."""

    loop: Loop
    rows: Array
    charges: Iterator[Charge]
    noise: NoiseSource

    def blocks(self, frame: Frame) -> Array:
        return in_blocks(mapped(self.rows, frame.matrix), self.loop.blocks[0])

    def eigenvalues(self, frame: Frame) -> Array | None:
        d, found = self.loop.d, spectra(self.blocks(frame))
        found = np.pad(found, ((0, 0), (0, d - frame.rank)))
        return private_eigenvalues(found, [*islice(self.charges, d)], self.noise, self.loop.of.calibration)

    def voted(self, frame: Frame, k: int, gap: float) -> Array | None:
        pair = next(self.charges), next(self.charges)
        return self.loop.vote.basis(projections(self.blocks(frame), k), k, gap, pair, self.noise)

    def refined(self, frame: Frame, values: Array, finer: Frame | None) -> tuple[Frame, Array] | None:
        # a finer frame and the eigenvalues in it, None where some are 0; without one a measurement is drawn
        found = self.eigenvalues(finer or frame)
        if finer is None:
            return frame, values
        if found is None or not (found[: finer.rank] > 0).all():
            return None
        return finer, found[: finer.rank]

    def moment(self, frame: Frame, radius: float) -> tuple[Array, float]:
        # the noisy second moment of the rows in a frame, in units of radius², and the sd of its noise
        mapping, charge, r = frame.matrix.T / radius, next(self.charges), frame.rank
        moment = moment_in_ball(self.rows, lambda block: block @ mapping, 1.0)
        noisy = symmetric_gaussian(padded(moment, self.loop.d), charge, self.noise)
        return noisy[:r, :r], gaussian_scale(charge)


class TightLoop(Loop):
    @cached_property
    def costs(self) -> tuple[ZCDP, ZCDP, ZCDP, ZCDP]:  # of (1), of one vote, of (3), and of (4)
        votes, located = self.d - 1, not self.of.centred
        total = 2 * EIGENVALUES + (VOTES if votes else 0) + FINISH
        rho, events = self.cost.rho / total, votes + located
        delta = self.cost.delta / max(events, 1)
        eigenvalues = ZCDP(EIGENVALUES * rho)
        vote = ZCDP(VOTES * rho / max(votes, 1), delta)
        return eigenvalues, vote, eigenvalues, ZCDP(FINISH * rho, delta if located else 0.0)

    @cached_property
    def blocks(self) -> tuple[int, int]:
        # 2d to 8d rows a block, more where there would be more than 2000 blocks
        needed = enough_blocks(self.d, self.costs[0], "tight")
        if self.d > 1:
            needed = max(needed, enough_points(self.costs[1], "tight"))
        return block_sizes(needed, self.n, self.d, self.of.centred, "tight", MOST_ROWS)

    @property
    def finish(self) -> "RoundFinish":
        return round_finish(self.n, self.d, self.costs[3], widest(self.d), self.of.centred)

    @property
    def squared_error(self) -> SquaredErrors:
        return self.finish.squared_error(self.finish.stretch)

    def charges(self) -> Iterator[Charge]:
        first, vote, last, _ = self.costs
        yield from eigenvalue_charges("eigenvalue", self.d, first, "tight")
        for number in range(1, self.d):
            yield from self.vote.charges(f"vote {number}", vote)
        yield from eigenvalue_charges("eigenvalue in frame", self.d, last, "tight")
        yield from self.finish.charges()

    def estimate(self, x: Array, noise: NoiseSource) -> Moments | Abstention:
        d, whole = self.d, identity_frame(self.d)
        run = Run(self, centred_rows(x, self.of.centred), self.charges(), noise)
        first = run.eigenvalues(whole)  # (1)
        assert first is not None  # the mechanism of a range has no bottom
        if not (some := (first > 0).any()):
            first = np.ones(d)
        rank = int((first > 0).sum())
        frame: Frame | None = whole
        if rank < d:
            basis = run.voted(whole, rank, 0.0)
            frame = None if basis is None else Frame(basis, np.eye(rank))
        for k in range(1, d - (rank < d)):  # (2)
            gap = gap_after(first, k) if k < rank else 0.0
            basis = run.voted(frame or whole, min(k, rank), gap)
            if frame is not None and basis is not None and k < rank and gap**2 < 1 / LARGE_GAP:
                frame = frame.shrunk(basis[: frame.rank], gap)
        if frame is None:
            return Abstention("vote 1, count")
        last = run.eigenvalues(frame)  # (3)
        assert last is not None
        spread = last[: frame.rank] if some else first
        if not spread[-1] > 0:
            return Abstention("eigenvalue in frame")
        found = self.finish.estimate(x, frame, spread, [*run.charges], noise)  # (4)
        return found if some or isinstance(found, Abstention) else Moments(None, np.zeros((d, d)))


def widest(d: int) -> Floats:
    # that votes should leave: gaps of 10, but for the last one of 1000
    return tuple(np.append(GAP ** -np.arange(d - 1.0), GAP ** -(d - 2.0) / LAST_GAP)) if d > 1 else (1.0,)


class PaperLoop(Loop):
    @property
    def located(self) -> bool:  # whether there is a mean to find: (4)
        return self.of.located and not self.of.centred

    @cached_property
    def costs(self) -> dict[str, ZCDP]:  # of one slot of every kind, and of the steps of (3) and (4)
        d, (eigenvalues, votes, fine) = self.d, SLOTS
        before = self.cost.rho * (COVARIANCE if self.located else 1) * (1 - FINAL)
        delta = self.cost.delta / (3 * d + self.located)
        spare = 0.0 if d > 1 else fine * before
        shares = {"first": FIRST, "last": LAST}
        if self.located:
            shares |= {"location": LOCATION, "mean": MEAN}
        parts = ZCDP(self.cost.rho - before + spare).split(*shares.values())
        found = dict(zip(shares, parts, strict=True))
        if self.located:
            found["location"] = ZCDP(found["location"].rho, delta)
        return found | {
            "eigenvalues": ZCDP(eigenvalues * before / (2 * d), delta),
            "vote": ZCDP(votes * before / d, delta),
            "fine": ZCDP(fine * before / max(d - 1, 1)),
        }

    @cached_property
    def rows(self) -> int:  # N
        return centred_count(self.n, self.of.centred)

    @cached_property
    def blocks(self) -> tuple[int, int]:
        # at least 4d rows a block, below which results are silently absurd
        needed = max(
            enough_blocks(self.d, self.costs["eigenvalues"], "paper"),
            enough_points(self.costs["vote"], "paper"),
        )
        return block_sizes(needed, self.n, self.d, self.of.centred, "paper")

    @property
    def squared_error(self) -> SquaredErrors:
        # sampling and noise of (3) and (4), for normal rows that the first step of (3) made round
        d, moment = self.d, second_moment_sensitivity(self.rows, 1.0)
        noise = gaussian_scale(Charge("", "symmetric_gaussian", moment, self.costs["last"]))
        covariance = d * (d + 1) * (1 / self.rows + (noise * tail(d, BETA / self.rows) ** 2) ** 2 / 2)
        if not self.located:
            return SquaredErrors(d, 0.0, covariance)
        drawn = gaussian_scale(Charge("", "gaussian", mean_sensitivity(self.n, 1.0), self.costs["mean"]))
        return SquaredErrors(d, d * (1 / self.n + (drawn * self.reach(d)) ** 2), covariance)

    def reach(self, r: int) -> float:  # the radius of (4)
        return NEAR * sqrt(r) + tail(r, BETA / self.n)

    def charges(self) -> Iterator[Charge]:
        d, costs, moment = self.d, self.costs, second_moment_sensitivity(self.rows, 1.0)
        yield from eigenvalue_charges("eigenvalue", d, costs["eigenvalues"], "paper")
        yield from self.vote.charges("vote on the rank", costs["vote"])
        yield from eigenvalue_charges("eigenvalue of the rank", d, costs["eigenvalues"], "paper")
        for k in range(1, d):
            yield from self.vote.charges(f"vote {k}", costs["vote"])
            yield from eigenvalue_charges(f"eigenvalue after vote {k},", d, costs["eigenvalues"], "paper")
            yield Charge(f"fine {k}", "symmetric_gaussian", moment, costs["fine"])
            yield from eigenvalue_charges(f"eigenvalue after fine {k},", d, costs["eigenvalues"], "paper")
        yield Charge("step 1", "symmetric_gaussian", moment, costs["first"])
        yield Charge("step 2", "symmetric_gaussian", moment, costs["last"])
        if self.located:
            for i, cost in enumerate(costs["location"].split(*(1.0,) * d), start=1):
                yield stability_charge(f"location {i}", cost)
            yield Charge("mean", "gaussian", mean_sensitivity(self.n, 1.0), costs["mean"])

    def estimate(self, x: Array, noise: NoiseSource) -> Moments | Abstention:
        d, frame = self.d, identity_frame(self.d)
        run = Run(self, centred_rows(x, self.of.centred), self.charges(), noise)
        values = run.eigenvalues(frame)  # (1)
        if values is None:
            return Abstention("eigenvalue")
        if not (some := bool((values > 0).any())):
            values = np.ones(d)
        r = int((values > 0).sum())
        basis = run.voted(frame, r, 0.0)
        if r < d and basis is None:
            return Abstention("vote on the rank")
        inner = Frame(basis, np.eye(r)) if r < d and basis is not None else None
        if (found := run.refined(frame, values, inner)) is None:
            return Abstention("eigenvalue of the rank")
        frame, values = found
        for k in range(1, d):  # (2)
            inside = k < frame.rank
            gap = gap_after(values, k) if inside else 0.0
            coarse = inside and gap**2 < 1 / COARSE_GAP
            basis = run.voted(frame, min(k, frame.rank), gap)
            if coarse and basis is None:
                return Abstention(f"vote {k}")
            shrunk = frame.shrunk(basis[: frame.rank], gap) if coarse and basis is not None else None
            if (found := run.refined(frame, values, shrunk)) is None:
                return Abstention(f"eigenvalue after vote {k}")
            frame, values = found
            least = values[k if inside else frame.rank - 1]
            radius = sqrt(2 * values[0]) * tail(frame.rank, BETA / len(run.rows))
            z = psd_part(run.moment(frame, radius)[0] * radius**2)
            finer = frame.then(
                spectral_map(z, lambda v: np.sqrt(least / np.maximum(v, least)))  # noqa: B023
            )  # M21/UG Alg 4
            fine = inside and values[0] > FINE_GAP * values[k]
            if (found := run.refined(frame, values, finer if fine else None)) is None:
                return Abstention(f"eigenvalue after fine {k}")
            frame, values = found
        squared, least = tail(r, BETA / len(run.rows)) ** 2, values[-1] / (4 * values[0])  # (3)
        frame = frame.scaled(1 / sqrt(2 * values[0]))
        z, scale = run.moment(frame, sqrt(squared))
        excess = MARGIN * (scale * squared) * symmetric_noise_norm(r, BETA)
        frame = frame.then(spectral_map(z * squared, lambda v: 1 / np.sqrt(np.maximum(v + excess, least))))
        s = psd_part(run.moment(frame, sqrt(squared))[0] * squared)
        if not self.located:
            return Moments(None, frame.covariance(s) if some else np.zeros((d, d)))
        white = frame.then(
            spectral_map(s, lambda v: 1 / np.sqrt(np.maximum(v, LEAST * max(float(v.max()), LEAST))))
        )

        def place(z: Array, charge: Charge) -> float | None:
            fullest = stable_mode(np.floor(z), charge, noise)
            return fullest + 0.5 if isinstance(fullest, float) else None

        centre = located(x, completed(white), run.charges, place)  # (4)
        if isinstance(centre, Abstention):
            return centre
        radius = self.reach(r)
        mapping = white.matrix.T / radius
        mean = mean_in_ball(x, lambda block: (block - centre) @ mapping, 1.0)
        noisy = gaussian(padded(mean, d), next(run.charges), noise)[:r]
        if not some:
            return Moments(None, np.zeros((d, d)))
        return Moments(centre + white.back(noisy * radius), frame.covariance(s))


def located(
    x: Array, axes: Array, charges: Iterator[Charge], draw: Callable[[Array, Charge], float | None]
) -> Array | Abstention:
    # the point whose coordinates along the axes are drawn one by one
    found = []
    for axis, charge in zip(axes, charges, strict=False):
        place = draw(np.clip(x @ axis, -FARTHEST, FARTHEST), charge)
        if place is None:
            return Abstention(charge.step)
        found.append(place)
    return np.linalg.solve(axes, np.array(found))


@frozen
class RoundFinish:
    """Steps (5) to (9) for n rows of dimension d, whose frame should leave a spectrum no wider than `worst`.

    `narrowest` is the least sd of a coordinate in the frame, 0 where rows may be of a subspace.
    """

    n: int
    d: int
    cost: ZCDP
    worst: Floats
    centred: bool = False
    thin: float = THIN
    narrowest: float = 0.0
    placed: bool = False  # a centre near the mean was released before, and takes the place of c

    @cached_property
    def lift(self) -> LiftedMoment:
        return LiftedMoment(self.n, self.d, 0.0 if self.centred else HEIGHT)

    @cached_property
    def location(self) -> ZCDP | None:  # the cost of all locations together
        if self.centred or self.placed:
            return None
        exponent = _exponent(self.d, self.cost.delta, self.narrowest)
        needed = self.d * (exponent / (IN_WINDOW * self.n)) ** 2 / 8
        return ZCDP(min(needed, MOST_LOCATION * self.cost.rho), self.cost.delta)

    @property
    def count(self) -> int:  # k
        return self._ended[0]

    @cached_property
    def _ended(self) -> tuple[int, Array]:
        # k, and the spectrum that the last step meets if the frame left the worst one
        for k in range(self.placed, MOST_STEPS + 1):  # what was released with the centre may be off in scale
            spectrum, costs = np.array(self.worst), self._costs(k)
            for cost in costs[:-1]:
                spectrum = spectrum / (spectrum + self.excess(spectrum, cost, costs))
            if is_round(spectrum, ENDS):
                break
        return k, spectrum

    @cached_property
    def costs(self) -> tuple[ZCDP, ...]:
        return self._costs(self.count)

    @property
    def stretch(self) -> float:  # t, if the frame left the worst spectrum
        return float(np.mean(1 / self._ended[1]))

    def ball(self, spectrum: Array, costs: tuple[ZCDP, ...] = ()) -> float:  # R, where rows have this
        if not is_round(spectrum):
            return length_beyond(spectrum, LONG)
        costs = costs or self.costs
        answers = sum(cost.rho for cost in costs[1:] or costs)
        return best_radius(self.n, self.d, gaussian_mu(ZCDP(answers / self.lift.reach**4)))

    def excess(self, spectrum: Array, cost: ZCDP, costs: tuple[ZCDP, ...] = ()) -> float:  # e
        noise = self.lift.sensitivity() / gaussian_mu(cost)
        return CAUTION * sqrt(len(spectrum)) * noise * self.ball(spectrum, costs) ** 2

    def _costs(self, k: int) -> tuple[ZCDP, ...]:
        left = self.cost.rho - (self.location.rho if self.location else 0.0)
        early = min(MOST_EACH, EARLY / max(k, 1)) * left
        return (*(ZCDP(early),) * k, ZCDP(left - k * early))

    def squared_error(self, stretch: float = 1.0) -> SquaredErrors:
        n, d, cost = self.n, self.d, self.costs[-1]
        radius, mu = self.ball(np.ones(d)), gaussian_mu(cost)
        told = np.array([inf, mu / self.lift.reach**2])
        sampling, noisy = squared_errors(np.array([radius**2]), n, d, told).tolist()
        covariance = sampling + (noisy - sampling) * stretch**2
        if self.centred:
            return SquaredErrors(d, 0.0, covariance)
        sd = self.lift.sensitivity() * radius / (mu * sqrt(2) * self.lift.height)
        drawn = clipped_moment(d, radius) / n + sd**2 * stretch
        return SquaredErrors(d, d * drawn / slope(d, radius) ** 2, covariance)

    def charges(self) -> Iterator[Charge]:
        if self.location:
            each = self.location.split(*(1.0,) * self.d)
            for i, cost in enumerate(each, start=1):
                yield LOCATOR.charge(f"location {i}", cost)
        for i, cost in enumerate(self.costs, start=1):
            yield self.lift.charge(f"moment {i}", cost)

    def estimate(
        self, x: Array, frame: Frame, spread: Array, charges: list[Charge], noise: NoiseSource
    ) -> Moments | Abstention:
        centre: Array | Abstention = np.zeros(self.d)
        if not self.centred:  # (5)
            axes = completed(frame.scaled(1 / sqrt(spread[0])), self.thin)
            centre = located(x, axes, iter(charges), lambda z, charge: LOCATOR.draw(z, charge, noise))
        if isinstance(centre, Abstention):
            return centre
        return self.round(x, centre, frame, spread, charges[-len(self.costs) :], noise)

    def round(
        self, x: Array, centre: Array, frame: Frame, spread: Array, measured: list[Charge], noise: NoiseSource
    ) -> Moments | Abstention:
        costs, answers = self.costs, []
        frame, spectrum = frame.scaled(1 / sqrt(spread[0])), spread / spread[0]
        for number, (cost, charge) in enumerate(zip(costs, measured, strict=True)):
            m, z = self._measured(x, centre, frame, spectrum, charge, noise)  # (6) (7)
            centre = centre + frame.back(m)
            if is_round(spectrum) and (number or len(costs) == 1):
                answers.append((cost, centre, frame.covariance(z)))
            excess = self.excess(spectrum, cost)
            frame = frame.then(rounder(z, excess))  # (8)
            spectrum = spectrum / (spectrum + excess)
        if not answers:
            return Abstention(measured[-1].step)
        used, means, covariances = zip(*answers, strict=True)
        weights = [cost.rho for cost in used]
        mean, covariance = (np.average(one, axis=0, weights=weights) for one in (means, covariances))
        return Moments(None if self.centred else mean, covariance)  # (9)

    def _measured(
        self, x: Array, centre: Array, frame: Frame, spectrum: Array, charge: Charge, noise: NoiseSource
    ) -> tuple[Array, Array]:
        radius, lift = self.ball(spectrum), self.lift
        mapping = frame.matrix.T / radius
        moment = lift.of(x, lambda block: (block - centre) @ mapping)
        m, second = lift.read(symmetric_gaussian(moment, charge, noise), frame.rank, charge)
        m, z = m * radius, (second - np.outer(m, m)) * radius**2
        if not is_round(spectrum):
            return m, z
        return m / slope(frame.rank, radius), unwinsorised(z, radius)


round_finish = remembered(RoundFinish)  # its public numbers are computed once


def rounder(z: Array, excess: float) -> Array:
    return spectral_map(z, lambda values: 1 / np.sqrt(np.maximum(values, 0.0) + excess))


@remembered
def fewest_finished(d: int, cost: ZCDP, centred: bool, narrowest: float) -> int:
    # whose location costs at most a fifth of ρ, and whose step has e ≤ .25, about

    def enough(n: int) -> bool | None:
        finish = round_finish(n, d, cost, (1.0,) * d, centred)
        return finish.excess(np.ones(d), finish.costs[-1]) <= ROUND or None

    found = fewest(enough, 16)
    if centred:
        return found
    exponent = _exponent(d, cost.delta, narrowest)
    return max(found, ceil(exponent / IN_WINDOW * sqrt(d / (8 * MOST_LOCATION * cost.rho))))


def _exponent(d: int, delta: float, narrowest: float) -> float:
    # E, the less of what two bounds on "no place" ask for; M = 8 d/δ for each of d coordinates
    events = log(d / delta) + log(d / NO_PLACE)
    any_width = exponent = 4 * events
    if not narrowest:
        return any_width
    for _ in range(30):
        exponent = 2 * (1 + events + log((LOCATOR.left + LOCATOR.right) * exponent / (10 * narrowest)))
    return min(any_width, exponent)
