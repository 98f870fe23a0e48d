"""Votes of groups of rows: any estimator made private, means, covariances, Gaussians.  AL22.

Rows x of shape (n, d). Neighbours: replace one row.

    (1) rows are shuffled and cut into k groups of s; each group has a point, its oracle's answer
    (2) groups vote on whether most points are close: no answer if they are not
    (3) out = a masked average of the points that are close to most                         `votes`

    entry                point of a group                     close              mask
    Populous             any function of its rows             by `space`         Algorithm 1
    PopulousMean         the mean of rows/sigma               l2                 normal, Section 7
    MedianOfMeansMean    the median of means of its blocks    l2                 normal, Algorithm 1
    Preconditioner       the second moment A of its rows      A⁻¹A' in [1/L, L]  Algorithm 3, Theorem 5.4
    PopulousCovariance   Preconditioner, then two more steps on other rows       Theorem 5.6
    PopulousGaussian     subspace, Preconditioner, then the same steps           Theorem 5.7

Privacy holds for every oracle whose answer for a group hangs on the rows of that group alone. No entry needs
a range, up to 1e8 standard deviations. "tight", ours: the vote has its own thresholds, masks are calibrated
exactly, vote and mask of vectors have one price. "paper": below. Proof: `proofs/populous.md`.

For each group a copy of the oracle, as it was at first, sees a copy of the rows that are there. An answer
that is none (an error, another shape, entries that are no finite numbers) is NaN, which has no friend in any
space. Errors, warnings and the settings of numpy end there; only the interruption by a user passes.

    l2         vectors, |Y - Y'|₂ ≤ ρ               normal noise                             Proposition 7.1
    l1         vectors, |Y - Y'|₁ ≤ ρ               Laplace noise                            Remark 3.4
    thompson   positive definite matrices, every    Thompson-Laplace, Wishart, or the        Lemma 3.2
               eigenvalue of A⁻¹A' in [1/L, L]      source's square                          Lemma 5.1
    exact      vectors, equal or infinitely far     none: the most frequent answer is        Section 4
                                                    released, named by its bits

Means. Groups of s rows of N(m, I) have |Y_i - Y_j| = √(2/s) χ_d, whose quantiles are exact; those of medians
of means are simulated once, from a fixed seed.

Preconditioners. 1 + dist of two independent normal groups does not depend on the covariance and is simulated
once. out = c times the masked average; c centres the mask: the median over draws of 1/√(λ_min λ_max). For
normal rows every eigenvalue of out⁻¹Σ lies in [1/(1 + a), 1 + a] with probability 1 - β, ln(1 + a) the
`error_bound`. a = 1 leaves a condition of at most 4.

Gaussians, in stages on rows of their own, shuffled; pairs are (x_1 - x_2)/√2:

    (G1) on pairs of the first rows: the subspace that the rows vary in, exactly    `spectral/subspace-exact`
    (G2) on pairs of the next rows, in that subspace: a preconditioner or, of far fewer rows, a matrix
         quantile                                                               `covariance/matrix-quantile`
    (G3) on the rest: location, mean and covariance in its frame                   `unbounded`

Every stage has the whole budget: a replaced row lies in one of them. (G1) has the rows it needs, (G2) as many
as leave a condition of 4 with probability 1 - β/3, or the source's number in "paper", (G3) all others. In a
subspace of dimension r < d the rows of (G2) get d - r further coordinates of the run's own normal numbers:
what is drawn is the same for every r. Departure: (G3) is the finish of `unbounded`.

"paper" (Algorithms 1, 3 and 5). ε' = ε/2 and δ' = δ/(4e^ε') go to the vote and again to the mask, since Lemma
3.6 states (2ε', 4e^ε'δ')-DP. Q₀ = .8, a = .6, b = .7. The averages of two neighbours differ by at most 67(r +
φ)/k for k ≥ 400, friends are at r/(2t). It takes billions of rows for a covariance.

    covariance   t = 3/2, r = 1, φ = 1; friends at dist ≤ 1/3, groups within 1/9 of Σ
                 η such that the mask moves dist by at most 1/3 with probability 1 - β (Lemma 5.2, by Davidson
                 & Szarek 2001): x = η(2√d + √(2 ln(1/β))), (1 - x)⁻² ≤ 4/3
                 γ of Lemma 5.1 (`privacy.stable.square_scale`), k = ⌈134/γ⌉
                 s such that x = (√d + √(2 ln(2k/β)))/√s has (1 - x)⁻² ≤ 10/9 (Lemma 5.3)
    mean         t = 1, r = α, φ = 0; friends at α/2, groups within α/4 of the mean, the mask within α/2:
                 σ = γ √(2 ln(2/δ'))/ε' (Lemma 7.2; drawn with the exact σ, which is less), γ = 67α/k,
                 σ(√d + √(2 ln(1/β))) ≤ α/2
                 s such that √(d/s) + √(2 ln(2k/β)/s) ≤ α/4, in units of the rows' scale

Constants: those of Lemma 5.1, .8, .6, .7 and 20/ε recalled; 67, η and s derived here.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache, partial
from math import ceil, exp, log, log1p, prod, sqrt
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from workbench.distributions import Gaussian
from workbench.errors import ArgumentError, integer_at_least, one_of, positive, probability
from workbench.estimators.base import Abstention, Estimator, T, own_stream, sanitised, shuffled
from workbench.estimators.matrix_quantile import MatrixQuantile, fewest_rows
from workbench.estimators.shared.budgets import concentrated, delivered, halved, least_groups, require_events
from workbench.estimators.shared.moments import Frame, Moments, SquaredErrors
from workbench.estimators.shared.rows import (
    centred_count,
    centred_rows,
    group_means,
    of_groups,
    only_present,
    present,
)
from workbench.estimators.subspaces import GRID, SubspaceExact, completed
from workbench.estimators.unbounded import (
    OfCovariance,
    OfGaussian,
    RoundFinish,
    fewest_finished,
    round_finish,
)
from workbench.estimators.votes import (
    FAR,
    MOST,
    VOTE,
    WIDEST,
    Design,
    Designer,
    Groups,
    L1Points,
    Moves,
    Points,
    Vote,
    covariance_moves,
    designed,
    fewest_designed,
    moment_factors,
    norm_moves,
    reduced,
)
from workbench.linalg import fewest
from workbench.privacy import ApproxDP, Budget, Charge, NoiseSource, Parallel, Plan, SimulatedNoise
from workbench.privacy.histograms import keys_for_mode, mode_charge, release_mode
from workbench.privacy.noise import bartlett
from workbench.privacy.stable import LARGEST_THOMPSON, masked_identity, square_scale
from workbench.special import brentq, chdtri, ndtri
from workbench.types import Array, Calibration, Floats, frozen, public, remembered

LONGEST = 10_000  # entries of a point in l1: their rounding to a grid is far below the thousandth added to Δ

ROWS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)  # of a group whose mean is asked for, or of a block
SIZES = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)  # of a covariance, in units of d + 3
COVARIANCES, COVARIANCE_SEED = 6000, 41  # pairs of groups, simulated
MEDIANS, MEDIAN_SEED = 10_000, 47
MASKS, MASK_SEED = 600, 43

QUORUM, NOBODY, EVERYBODY = 0.8, 0.6, 0.7  # of "paper"
MOVED, FEWEST_GROUPS = 67.0, 400
MASK_SHARE, GROUP_SHARE = 4 / 3, 10 / 9  # 1 + dist of the mask, and of a group from Σ

THIN = GRID * 4  # the unit of location across a subspace that is known up to a grid
WIDEST_QUANTILE = 2.0**44  # rotated rows of condition about 1e12
LEFT = 4.0  # the condition that (G2) leaves
FINISH = 8  # (G3) has at least this part of the rows of (G2)

Oracle: TypeAlias = Callable[..., Any]
Memo: TypeAlias = dict[int, Any]
Covariance = Literal["populous", "matrix-quantile"]


def asked(oracle: Oracle, shape: tuple[int, ...], stream: np.random.Generator | None) -> Oracle:
    """Return the map of groups, shape (k, s, d), to answers of this shape, (k, *shape)."""

    def answers(blocks: Array) -> Array:
        seeds = [None] * len(blocks) if stream is None else stream.integers(2**63, size=len(blocks)).tolist()
        return np.array([_answer(oracle, shape, *one) for one in zip(blocks, seeds, strict=True)])

    return answers


def _answer(oracle: Oracle, shape: tuple[int, ...], rows: Array, seed: int | None) -> Array:
    random = () if seed is None else (np.random.default_rng(seed),)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = np.array(own_copy(oracle)(only_present(rows).copy(), *random), np.float64)
    except KeyboardInterrupt:
        raise
    except BaseException:
        found = np.zeros(0)
    fits = found.shape == shape or found.size == prod(shape) == 1
    usable = fits and bool(np.isfinite(found).all())
    return found.reshape(shape) if usable else np.full(shape, np.nan)


def own_copy(oracle: Oracle) -> Oracle:
    # unlike `copy.deepcopy`, of a function its default values, its attributes and the variables around it are
    # copied, too, functions among them; what two functions share they share in the copy
    return _copied(oracle, {})


def _copied(value: Any, memo: Memo) -> Any:
    if id(value) in memo:
        return memo[id(value)]
    if type(value) is partial:
        named = deepcopy(value.keywords, memo)
        return partial(_copied(value.func, memo), *deepcopy(value.args, memo), **named)
    if isinstance(value, MethodType):
        return MethodType(_copied(value.__func__, memo), _copied(value.__self__, memo))
    if isinstance(value, FunctionType):
        return _function(value, memo)
    return value if isinstance(value, ModuleType) else deepcopy(value, memo)


def _function(function: FunctionType, memo: Memo) -> FunctionType:
    around = function.__closure__ or ()
    if not (around or function.__defaults__ or function.__kwdefaults__ or function.__dict__):
        return function  # keeps nothing
    cells = tuple(memo.setdefault(id(cell), CellType()) for cell in around)
    fresh = FunctionType(function.__code__, function.__globals__, function.__name__, None, cells or None)
    memo[id(function)] = fresh  # before its variables: it may be among them
    fresh.__defaults__ = deepcopy(function.__defaults__, memo)
    fresh.__kwdefaults__ = deepcopy(function.__kwdefaults__, memo)
    fresh.__dict__.update(deepcopy(function.__dict__, memo))
    for cell, copy in zip(around, cells, strict=True):
        if cell != CellType() and copy == CellType():  # a variable that is not set yet stays so
            copy.cell_contents = _copied(cell.cell_contents, memo)
    return fresh


class Space(NamedTuple):
    masks: tuple[str, ...]
    moves: Moves  # how far one row moves an average
    points: Callable[[Array], Points | Groups]


def _roots(matrices: Array) -> Array:
    # R, A = RᵀR, of matrices, shape (k, d, d); zeros, which are not usable, where there is none
    found = (matrices + np.swapaxes(matrices, 1, 2)) / 2
    for place, matrix in enumerate(found):
        try:
            found[place] = np.linalg.cholesky(matrix).T
        except np.linalg.LinAlgError:
            found[place] = 0.0
    return found


SPACES = {
    "l2": Space(("gaussian",), norm_moves, lambda answers: Points(answers, 1.0)),
    "l1": Space(("laplace",), norm_moves, lambda answers: L1Points(answers, 1.0)),
    "thompson": Space(
        ("thompson_laplace", "wishart", "square"),
        covariance_moves,
        lambda answers: Groups.of(_roots(answers)),
    ),
}


@remembered
def _space_designer(space: str, kind: str, side: int, size: int, limit: float, far: float) -> Designer:
    # designs for groups of one size, a share `far` of which are farther apart than `limit`
    normed = space != "thompson"
    limits = (1.0 if normed else limit,)
    side = 0 if normed else side
    moves = SPACES[space].moves
    return Designer(kind, moves, lambda _: limits, (size,), (far,), normed, side, 2 * size, 1.01)


@public
class Populous(Estimator[Array]):
    """Private version of any estimator, by a vote of groups of rows (AL22 Algorithm 1).

    Accurate where the oracle's answers for groups of `size` rows are mostly within `limit` of each other;
    where they are not the release is "no answer".
    Guarantee: central model, one replaced row, for every input and every oracle that looks at the rows it is
    given and keeps nothing between calls but in fields of an object, or in variables around a function, its
    attributes and default values, which are copied for each group. Budgets: ApproxDP with delta > 0.
    Not covered are how long the oracle takes, what it prints or writes, and what its calls share: variables
    of a module, fields of a class, what a function within an object keeps.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. The
    oracle sees the other rows of a group, fewer than `size` then.

    Parameters
    ----------
    oracle : callable
        From rows of shape (size, d), absent ones left out, to an answer, numbers of a fixed shape. An error,
        another shape or an entry that is no finite number is an answer far from all others.
    size : int
        Rows of a group.
    space : {"l2", "l1", "thompson", "exact"}, default "l2"
        Where answers lie, and what close means: vectors in l2 or l1, positive definite matrices whose ratio
        has eigenvalues in [1/limit, limit], or vectors that are equal.
    limit : float or None, default None
        Distance within which the answers of two groups are, of typical rows, public; none for "exact".
    mask : str, default "auto"
        "gaussian" in l2, "laplace" in l1, "thompson_laplace", "wishart" or "square" for matrices, "none" for
        "exact"; "auto" is the narrowest.
    dimension : int or None, default None
        Length of a vector, or side of a matrix, that the oracle answers; None for that of the rows.
    far : float, default 0.01
        Share of pairs of groups whose answers may be farther apart than `limit`; for "exact", of groups that
        answer something else.
    beta : float, default 0.1
        Chance, at most, of no answer where that is so.
    randomised : bool, default False
        Whether the oracle takes a numpy Generator for its second argument.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 50 + np.random.default_rng(1).standard_t(3, (20_000, 2))
    >>> median = Populous(oracle=lambda rows: np.median(rows, axis=0), size=10, limit=1.8)
    >>> release = median(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 50).max() < 0.2)
    True
    """

    oracle: Oracle
    size: int
    space: Literal["l2", "l1", "thompson", "exact"] = "l2"
    limit: float | None = None
    mask: Literal["auto", "gaussian", "laplace", "thompson_laplace", "wishart", "square", "none"] = "auto"
    dimension: int | None = None
    far: float = 0.01
    beta: float = 0.1
    randomised: bool = False

    def _validate(self) -> None:
        integer_at_least(1, size=self.size, dimension=1 if self.dimension is None else self.dimension)
        one_of((*SPACES, "exact"), space=self.space)
        one_of(("auto", *self._masks), mask=self.mask)
        probability(far=self.far)
        _require(callable(self.oracle), "oracle", self.oracle, "a function of the rows of a group")
        try:
            own_copy(self.oracle)  # as it is now: a public fact
        except Exception:
            allowed = "a function, or an object that can be copied"
            raise ArgumentError("oracle", self.oracle, allowed) from None
        if self.space == "exact":
            _require(self.limit is None, "limit", self.limit, 'None for space = "exact"')
            _require(self.far < 0.5, "far", self.far, 'below 1/2 for space = "exact"')
            return
        positive(limit=self.limit)
        inside = self.space != "thompson" or 1 < (self.limit or 0.0) <= WIDEST
        _require(inside, "limit", self.limit, f"above 1, at most {WIDEST:g}: a ratio of matrices")

    @property
    def _masks(self) -> tuple[str, ...]:
        return ("none",) if self.space == "exact" else SPACES[self.space].masks

    def design(self, n: int, d: int, budget: Budget) -> Design:
        """Return thresholds and charges, in a norm those for limit 1; public. None for "exact"."""
        one_of(SPACES, space=self.space)
        side, cost, kind = self._dimension(d), require_events(budget), str(self.mask)
        if kind == "auto":
            kind = best_mask(side) if self.space == "thompson" else self._masks[0]
        fitting = f"at least {n // (MOST + 1) + 1} rows a group for n = {n}"
        _require(n // self.size <= MOST, "size", self.size, fitting)
        designer = _space_designer(self.space, kind, side, self.size, self.limit or 0.0, self.far)
        return designed(designer, n, cost, self.beta)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        if self.space != "exact":
            return self.design(n, d, budget).plan
        self._dimension(d)
        charge = mode_charge(VOTE, require_events(budget))
        least = keys_for_mode(charge, self.far, self.beta) * self.size
        _require(n >= least, "n", n, f"at least {least} in groups of {self.size}")
        return charge

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        n, d = x.shape
        side = self._dimension(d)
        shape = (side, side) if self.space == "thompson" else (side,)
        oracle = asked(self.oracle, shape, own_stream(noise) if self.randomised else None)
        if self.space == "exact":
            (charge,) = self.plan(n, d, budget).charges()
            answers = of_groups(shuffled(x, noise), self.size, oracle)  # (1)
            names = np.array([row.tobytes().hex() for row in answers + 0.0])  # -0.0 is 0.0
            name = release_mode(names, charge, noise)  # (2) (3)
            found = np.frombuffer(bytes.fromhex(name), np.float64).copy() if isinstance(name, str) else None
            return Abstention(VOTE) if found is None or np.isnan(found).any() else found
        made, unit = self.design(n, d, budget), 1.0 if self.space == "thompson" else self.limit or 1.0
        points = SPACES[self.space].points
        found = reduced(x, lambda rows: oracle(rows) / unit, points, made, noise)  # (1) to (3)
        if found is None:
            return Abstention(VOTE)
        return found * (centring(made.charges[1], len(found))[0] if self.space == "thompson" else unit)

    def _dimension(self, d: int) -> int:
        side = d if self.dimension is None else self.dimension
        _require(self.space != "l1" or side <= LONGEST, "dimension", side, f'at most {LONGEST} for "l1"')
        return side


def _require(true: bool, argument: str, value: object, allowed: str) -> None:
    if not true:
        raise ArgumentError(argument, value, allowed)


def voted_mean(x: Array, sigma: float, oracle: Oracle, made: Design, noise: NoiseSource) -> Array | None:
    """Return the mean of rows of standard deviation sigma by a vote of groups, whose means `oracle` tells."""
    with np.errstate(over="ignore", under="ignore"):
        rows = sanitised(x / sigma)
    found = reduced(rows, oracle, partial(Points, limit=made.limit), made, noise)  # (1) (2)
    return None if found is None else sigma * found  # (3)


@public
class VotedMean(Estimator[Array]):
    sigma: float

    @abstractmethod
    def design(self, n: int, d: int, budget: Budget) -> Design: ...  # for sigma = 1

    @abstractmethod
    def _points(self, groups: Array) -> Array: ...  # of every group, (k, s, d) -> (k, d)

    @abstractmethod
    def _variance(self, made: Design, n: int, d: int, weight: float) -> float: ...  # of an average

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        return self.design(n, d, budget).plan

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        n, d = x.shape
        found = voted_mean(x, self.sigma, self._points, self.design(n, d, budget), noise)
        return Abstention(VOTE) if found is None else found

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the distance from the mean, true with probability 1 - beta, given an answer.

        For normal rows: the average of as many groups as have all the weight at least, and noise.
        """
        return self.sigma * self._length(n, d, budget, beta, self.design(n, d, budget).vote.least_weight)

    def predicted_error(self, n: int, d: int, budget: Budget) -> float:
        """Return the median of |out - mean|/sigma for normal rows, all of whose groups have their weight."""
        return self._length(n, d, budget, 0.5, 1.0)

    def _length(self, n: int, d: int, budget: Budget, beta: float, weight: float) -> float:
        made = self.design(n, d, budget)
        variance = made.noise_sd**2 + self._variance(made, n, d, weight)
        return sqrt(chdtri(d, beta) * variance)


@public
class PopulousMean(VotedMean):
    """Private mean anywhere in space, the covariance known, by a vote of groups of rows (AL22 Section 7).

    Accurate for rows of covariance sigma² I, normal or lighter; where groups do not agree the release is "no
    answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say; a group without rows has no vote. Groups are often single rows: one
    row in fifty that is absent may mean no answer, one in ten does.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rows in every direction, known.
    alpha : float, default 0.2
        Wanted accuracy of "paper", in the unit of the data; without effect on "tight".
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source, "tight" ours: the same guarantee, less noise.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((5000, 2))
    >>> release = PopulousMean(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 1e4).max() < 0.2)
    True
    """

    alpha: float = 0.2
    beta: float = 0.1
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        positive(alpha=self.alpha)

    def design(self, n: int, d: int, budget: Budget) -> Design:
        events, beta = require_events(budget), self.beta / 3
        if self.calibration == "tight":
            return designed(mean_designer(d), n, events, beta)
        alpha, cost = self.alpha / self.sigma, halved(events)
        width = (sqrt(d) + sqrt(2 * log(1 / beta))) * sqrt(2 * log(2 / cost.delta)) / cost.epsilon
        k = max(ceil(2 * MOVED * width), least_groups(cost), FEWEST_GROUPS)
        size = max(ceil((4 / alpha * (sqrt(d) + sqrt(2 * log(2 * k / beta)))) ** 2), n // k)
        return _paper_design(n, k, size, alpha / 2, MOVED * alpha / k, "gaussian", cost)

    _points = staticmethod(group_means)

    def _variance(self, made: Design, n: int, d: int, weight: float) -> float:
        return 1 / (n // made.size * made.size * weight)


@remembered
def mean_designer(d: int) -> Designer:
    return Designer(
        "gaussian",
        norm_moves,
        lambda size: tuple(sqrt(2 / size * chdtri(d, far)) for far in FAR),
        ROWS,
        joint=True,
    )


@public
class MedianOfMeansMean(VotedMean):
    """Private mean of heavy-tailed rows anywhere in space, by a vote of medians of means (AL22 Algorithm 1).

    Accurate for rows that are symmetric round their mean, of standard deviation sigma in every direction,
    with tails normal or heavier; where groups do not agree the release is "no answer".
    All else as of `PopulousMean`, but that groups of several rows mostly answer with one row in ten absent.

    Parameters
    ----------
    blocks : int, default 5
        Blocks of a group, an odd number, the median of whose means is its point: more of them stand more far
        rows, and need more rows.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_t(3, (10_000, 2)) / sqrt(3)
    >>> release = MedianOfMeansMean(sigma=1.0)(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool(abs(release.value - 1e4).max() < 0.2)
    True
    """

    blocks: int = 5
    beta: float = 0.1

    def _validate(self) -> None:
        integer_at_least(1, blocks=self.blocks)
        _require(self.blocks % 2 == 1, "blocks", self.blocks, "an odd number")

    def design(self, n: int, d: int, budget: Budget) -> Design:
        return designed(_median_designer(d, self.blocks), n, require_events(budget), self.beta / 3)

    def _points(self, groups: Array) -> Array:
        # the median, in every coordinate, of the means of the blocks that have rows; NaN without any
        count, size, d = groups.shape
        means = group_means(groups.reshape(-1, size // self.blocks, d)).reshape(count, self.blocks, d)
        there, ordered = present(means).sum(axis=1)[:, None, None], np.sort(means, axis=1)
        low, high = np.maximum(there - 1, 0) // 2, np.minimum(there // 2, self.blocks - 1)
        return np.take_along_axis(ordered, np.concatenate([low, high], axis=1), axis=1).mean(axis=1)

    def _variance(self, made: Design, n: int, d: int, weight: float) -> float:
        sampling = median_distances(d, self.blocks)[1] / (made.rows // self.blocks * weight)
        return self.blocks * sampling


@remembered
def median_distances(d: int, blocks: int) -> tuple[Floats, float]:
    """Return quantiles of the distance of two medians of normal rows, one a block, and their variance."""
    half = (blocks + 1) / 2  # the median of an odd number of uniform numbers has a beta law
    source = np.random.default_rng((MEDIAN_SEED, d, blocks))
    first, second = ndtri(source.beta(half, half, (2, MEDIANS, d)))
    found = np.quantile(np.linalg.norm(first - second, axis=1), [1 - far for far in FAR])
    return tuple(found.tolist()), float((first**2).mean() + (second**2).mean()) / 2


@remembered
def _median_designer(d: int, blocks: int) -> Designer:
    return replace(
        mean_designer(d),
        limits=lambda size: tuple(one / sqrt(size // blocks) for one in median_distances(d, blocks)[0]),
        sizes=tuple(blocks * rows for rows in ROWS),
        start=32 * blocks,
    )


@remembered
def covariance_designer(d: int, kind: str) -> Designer:
    sizes = tuple(sorted({ceil(factor * (d + 3)) for factor in SIZES}))
    return Designer(kind, covariance_moves, partial(covariance_limits, d), sizes, side=d, within=1.01)


@remembered
def covariance_limits(d: int, size: int) -> Floats:
    """Return L of (D1) for each p."""
    source = np.random.default_rng((COVARIANCE_SEED, d, size))
    first, second = (normal_factors(COVARIANCES, size, d, source) for _ in range(2))
    values = np.linalg.svd(second @ np.linalg.inv(first), compute_uv=False) ** 2
    return tuple(np.quantile(np.maximum(values[:, 0], 1 / values[:, -1]), [1 - far for far in FAR]).tolist())


def normal_factors(count: int, size: int, d: int, rng: np.random.Generator) -> Array:
    """Return the triangular factors of `count` normal groups, drawn in distribution (Bartlett 1933)."""
    return bartlett(d, size, rng, (count,), upper=True) / sqrt(size)


def best_mask(d: int) -> str:
    return "thompson_laplace" if d <= LARGEST_THOMPSON else "wishart"


@frozen
class PopulousFrame:
    """The preconditioner of n rows of mean 0 and dimension d."""

    n: int
    d: int
    budget: ApproxDP
    beta: float
    mask: str = "auto"

    @property
    def kind(self) -> str:
        return best_mask(self.d) if self.mask == "auto" else self.mask

    @property
    def design(self) -> Design:
        if self.kind != "square":
            return designed(covariance_designer(self.d, self.kind), self.n, self.budget, self.beta / 3)
        cost = halved(self.budget)
        gamma, k, size = _paper_groups(self.d, cost, self.beta)
        return _paper_design(self.n, k, max(size, self.n // k), MASK_SHARE, log1p(gamma), "square", cost)

    @property
    def fewest(self) -> int:
        if self.kind == "square":
            _, k, size = _paper_groups(self.d, halved(self.budget), self.beta)
            return k * size
        return fewest_designed(covariance_designer(self.d, self.kind), self.budget, self.beta / 3)

    def draw(self, rows: Array, noise: NoiseSource) -> Array | None:
        made = self.design
        found = reduced(rows, moment_factors, Groups.of, made, noise)  # (1) (2)
        return None if found is None else found * centring(made.charges[1], self.d)[0]  # (3)

    @property
    def stretch(self) -> float:  # the root mean square of tr(c M)/d over masks M of the identity
        charge = self.design.charges[1]
        traces = centring(charge, self.d)[0] * _masks(charge, self.d).mean(axis=1)
        return float(np.sqrt(np.mean(traces**2)))

    def error_bound(self) -> float:
        """Return an upper 2β/3-quantile of the Thompson distance to the covariance, given an answer.

        For normal rows: that of the mask, by simulation, and that of the second moment of as many rows as
        have all the weight at least (Davidson & Szarek 2001). "square": by Lemmas 5.3 and 5.2.
        """
        made, d, beta = self.design, self.d, self.beta
        if self.kind == "square":
            group = (sqrt(d) + sqrt(2 * log(4 * made.vote.k / beta))) / sqrt(made.size)
            eta = square_scale(made.charges[1], d)
            mask = eta * (2 * sqrt(d) + sqrt(2 * log(2 / beta)))
            return -2 * log(1 - group) - 2 * log(1 - mask) if max(group, mask) < 1 else np.inf
        _, mask = centring(made.charges[1], d, beta / 3)
        counted = made.vote.k * made.size * made.vote.least_weight
        deviation = (sqrt(d) + sqrt(2 * log(6 / beta))) / sqrt(counted)
        return mask - 2 * log(1 - deviation) if deviation < 1 else np.inf


@remembered
def centring(charge: Charge, d: int, beta: float = 0.5) -> tuple[float, float]:
    """Return c, and what |ln λ| of the centred mask exceeds with probability at most β."""
    logs = np.log(_masks(charge, d))
    middle = float(np.median(logs[:, 0] + logs[:, -1]) / 2)
    return float(np.exp(-middle)), float(np.quantile(np.abs(logs - middle).max(axis=1), 1 - beta))


@lru_cache(maxsize=64)
def _masks(charge: Charge, d: int) -> Array:
    # the eigenvalues of simulated masks of the identity, shape (draws, d)
    noise = SimulatedNoise(np.random.default_rng((MASK_SEED, d)))
    return np.linalg.eigvalsh(np.array([masked_identity(d, charge, noise) for _ in range(MASKS)]))


@contextmanager
def refused_whole(n: int, fewest_rows: Callable[[], int], d: int, budget: ApproxDP) -> Iterator[None]:
    """Refuse the n rows that were given, where what became of them, pairs or a share, is refused."""
    try:
        yield
    except ArgumentError as error:
        if error.argument != "n":
            raise
        raise ArgumentError("n", n, f"at least {fewest_rows()} for d = {d} at {budget}") from None


class OneVote(Estimator[Array]):
    """An entry that is one vote on its rows, or on their pairs."""

    beta: float
    centred: bool = True

    @abstractmethod
    def recipe(self, n: int, d: int, budget: Budget) -> Any: ...  # steps (1) to (3) for n rows, paired or not

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        recipe, each = self.recipe(n, d, budget), 1 if self.centred else 2
        with refused_whole(n, lambda: each * recipe.fewest, d, recipe.budget):
            return recipe.design.plan

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> Array | Abstention:
        n, d = x.shape
        found: Array | None = self.recipe(n, d, budget).draw(centred_rows(x, self.centred), noise)
        return Abstention(VOTE) if found is None else found

    def error_bound(self, n: int, d: int, budget: Budget, beta: float) -> float:
        """Return a bound on the error, true with probability 1 - beta, given an answer.

        For normal rows the Thompson distance from Σ; of robust votes the error, for the attacks of the table.
        """
        return float(replace(self, beta=beta).recipe(n, d, budget).error_bound())  # type: ignore[type-var]


@public
class Preconditioner(OneVote):
    """Private matrix in whose frame a covariance is round, whatever it is (AL22 Theorem 5.4).

    Accurate for normal rows of any mean and any positive definite covariance; where groups do not agree the
    release is "no answer". All else as of `PopulousCovariance`.

    Parameters
    ----------
    mask : {"auto", "thompson_laplace", "wishart"}, default "auto"
        Noise of "tight": "auto" is Laplace in Thompson's metric for d ≤ 4 and Wishart above, or one of
        the two by name.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((20_000, 2)) * [1e-6, 1e6]
    >>> release = Preconditioner()(x, budget=ApproxDP(2.0, 1e-6), rng=np.random.default_rng(2))
    >>> bool((abs(np.diag(release.value) / [1e-12, 1e12] - 1) < 0.5).all())
    True
    """

    centred: bool = False
    beta: float = 0.1
    mask: Literal["auto", "thompson_laplace", "wishart"] = "auto"
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        one_of(("auto", "thompson_laplace", "wishart"), mask=self.mask)

    def recipe(self, n: int, d: int, budget: Budget) -> PopulousFrame:
        mask = "square" if self.calibration == "paper" else self.mask
        recipe = PopulousFrame(centred_count(n, self.centred), d, require_events(budget), self.beta, mask)
        if recipe.n < recipe.fewest:
            least = recipe.fewest if self.centred else 2 * recipe.fewest
            raise ArgumentError("n", n, f"at least {least} for d = {d} at {budget}")
        return recipe


@remembered
def _paper_groups(d: int, cost: ApproxDP, beta: float) -> tuple[float, int, int]:
    # γ, k and the least s of a covariance
    eta = (1 - sqrt(1 / MASK_SHARE)) / (2 * sqrt(d) + sqrt(2 * log(1 / beta)))

    def short(log_gamma: float) -> float:
        try:
            found = square_scale(Charge("mask", "square", log1p(exp(log_gamma)), cost), d)
        except ArgumentError:
            return 1.0
        return log(found / eta)

    gamma = exp(brentq(short, log(1e-12), 0.0, xtol=1e-10) - 1e-9)
    k = max(ceil(2 * MOVED / gamma), least_groups(cost), FEWEST_GROUPS)
    share = 1 - sqrt(1 / GROUP_SHARE)
    return 2 * MOVED / k, k, ceil(((sqrt(d) + sqrt(2 * log(2 * k / beta))) / share) ** 2)


def _paper_design(
    n: int, k: int, size: int, limit: float, distance: float, kind: str, cost: ApproxDP
) -> Design:
    _require(n >= k * size, "n", n, f"at least {k * size} for the source's constants at {cost}, twice")
    vote = Vote.of(k, NOBODY, EVERYBODY, QUORUM)
    return Design(size, limit, vote, distance, kind, ApproxDP(2 * cost.epsilon, 2 * cost.delta), 0.5)


@remembered
def preconditioned_rows(
    d: int, budget: ApproxDP, beta: float, mask: str, covariance: Covariance = "populous"
) -> int:
    """Return about the fewest rows of mean 0 that leave a condition of 4 with probability 1 - β."""
    if covariance == "matrix-quantile":
        return fewest_rows(d, budget, beta, "thompson", log(2), widest=WIDEST_QUANTILE)
    if mask == "square":
        return PopulousFrame(0, d, budget, beta, mask).fewest
    return fewest(
        lambda n: PopulousFrame(n, d, budget, beta, mask).error_bound() <= log(2) or None, 64, within=1.02
    )


class Stages(NamedTuple):
    """The rows of (G1) and (G2), and what (G2) and (G3) do with theirs."""

    first: int
    second: int
    frame: PopulousFrame | MatrixQuantile
    finish: RoundFinish

    @property
    def squared_error(self) -> SquaredErrors:  # of (G3), in the frame that (G2) should leave
        return self.finish.squared_error(self.frame.stretch)


class PopulousLearner(Estimator[T]):
    """Steps (G1) to (G3); a subclass says which moments it is asked for."""

    centred: bool
    beta: float
    calibration: Calibration
    degenerate: bool = False
    covariance: Covariance = "populous"

    @abstractmethod
    def _of(self, found: Moments) -> T: ...

    @property
    def _subspace(self) -> SubspaceExact:
        return SubspaceExact(centred=self.centred, beta=self.beta / 3, calibration=self.calibration)

    def recipe(self, n: int, d: int, budget: Budget) -> Stages:
        """Return the stages for n rows, public; raise where they are too few, with the number."""
        events, beta, each = require_events(budget), self.beta / 3, 1 if self.centred else 2
        mask = "square" if self.calibration == "paper" else "auto"
        narrowest = 0.0 if self.degenerate else 1 / sqrt(LEFT)
        first = self._subspace.fewest(d, events) if self.degenerate else 0
        second = each * preconditioned_rows(d, events, beta, mask, self.covariance)
        third = fewest_finished(d, concentrated(events), self.centred, narrowest)
        needed = first + second + max(third, second // FINISH)
        _require(n >= needed, "n", n, f"at least {needed} for d = {d} at {events}")
        size, frame = (second // each, d, events, beta), None
        if self.covariance == "matrix-quantile":
            frame = MatrixQuantile(*size, widest=WIDEST_QUANTILE)
        worst = (1.0,) * d  # but for a condition of 4, which one step measures well
        rest, cost = n - first - second, concentrated(events)
        finish = round_finish(rest, d, cost, worst, self.centred, THIN, narrowest)
        return Stages(first, second, frame or PopulousFrame(*size, mask), finish)

    def plan(self, n: int, d: int, budget: Budget) -> Plan:
        made = self.recipe(n, d, budget)
        finish = delivered(made.finish.charges(), made.frame.budget)
        subspace = [self._subspace.plan(made.first, d, budget)] if self.degenerate else []
        return Parallel((*subspace, made.frame.design.plan, finish))

    def estimate(self, x: Array, budget: Budget, noise: NoiseSource) -> T | Abstention:
        first, second, stage, finish = self.recipe(len(x), x.shape[1], budget)
        x = shuffled(x, noise)
        eye = np.eye(x.shape[1])
        basis = self._subspace.basis(x[:first], budget, noise) if self.degenerate else eye  # (G1)
        if isinstance(basis, Abstention):
            return basis
        pairs = centred_rows(x[first : first + second], self.centred)
        found = stage.draw(completed(pairs, basis, noise), noise)  # (G2)
        if found is None:
            return Abstention(next(iter(stage.design.plan.charges())).step)
        rank = basis.shape[1]
        if rank == 0:
            return Abstention("subspace")
        frame = Frame(basis, np.linalg.inv(np.linalg.cholesky(found[:rank, :rank])))
        charges, rest = list(finish.charges()), x[first + second :]
        moments = finish.estimate(rest, frame, np.ones(rank), charges, noise)  # (G3)
        return moments if isinstance(moments, Abstention) else self._of(moments)


@public
class PopulousCovariance(OfCovariance, PopulousLearner[Array]):
    """Private covariance without any bound on it, in a frame found by a vote of groups (AL22 Theorem 5.6).

    Accurate for normal rows of any mean and any positive definite covariance; where groups do not agree, as
    for rows in a subspace, the release is "no answer".
    Guarantee: central model, one replaced row, for every input. Budgets: ApproxDP with delta > 0.
    Missing entries: a row with an entry that is missing, infinite or above 1e100 is absent, in its place. Its
    group says what its other rows say, and moments are those of the rows that are there, whose share the
    release tells. One row in ten that is absent may mean no answer.

    Parameters
    ----------
    centred : bool, default False
        Whether the mean is known to be 0. Otherwise pairs (x_1 - x_2)/√2 take the place of the rows where a
        frame is found.
    beta : float, default 0.1
        Chance, at most, that the answer is off by more than the design allows, or that there is none.
    calibration : {"paper", "tight"}, default "tight"
        "paper" has the constants of the source and takes billions of rows; "tight" ours.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = np.random.default_rng(1).standard_normal((10_000, 2)) * [1e-3, 1e3]
    >>> budget = ApproxDP(4.0, 1e-6)
    >>> release = PopulousCovariance()(x, budget=budget, rng=np.random.default_rng(2))
    >>> bool((abs(np.diag(release.value) / [1e-6, 1e6] - 1) < 0.2).all())
    True
    """

    centred: bool = False
    beta: float = 0.1
    calibration: Calibration = "tight"


@public
class PopulousGaussian(OfGaussian, PopulousLearner[Gaussian]):
    """Private mean and covariance of any Gaussian, in a frame found by a vote of groups (AL22 Theorem 5.7).

    Accurate for normal rows of any mean and any covariance, singular ones included; where a stage has no
    answer the release is "no answer". For distributions with a density `LiftedGaussian` takes far fewer rows,
    up to some millions.
    All else as of `PopulousCovariance`.

    Parameters
    ----------
    degenerate : bool, default True
        Whether the subspace that the rows vary in is found first; False for distributions with a density.
    covariance : {"populous", "matrix-quantile"}, default "populous"
        How the frame is found: "populous" by a vote of groups, "matrix-quantile" from far fewer rows.

    Examples
    --------
    >>> from workbench.privacy import ApproxDP
    >>> x = 1e4 + np.random.default_rng(1).standard_normal((40_000, 1)) * 1e-3
    >>> law = PopulousGaussian()(x, budget=ApproxDP(1.0, 1e-6), rng=np.random.default_rng(2)).value
    >>> bool(abs(law.mean[0] - 1e4) < 1e-4)
    True
    """

    centred: bool = False
    degenerate: bool = True
    beta: float = 0.1
    covariance: Covariance = "populous"
    calibration: Calibration = "tight"

    def _validate(self) -> None:
        one_of(("populous", "matrix-quantile"), covariance=self.covariance)
        if self.calibration == "paper" and self.covariance != "populous":
            raise ArgumentError("covariance", self.covariance, "populous with the source's constants")

    def _of(self, found: Moments) -> Gaussian:
        mean = np.zeros(len(found.covariance)) if found.mean is None else found.mean
        return Gaussian(mean, found.covariance)
