"""The spaces that answers of groups lie in, each with the masks whose law is proved for it.  AL22 Section 3.

    l2         vectors, |Y - Y'|₂ ≤ ρ               normal noise                             Proposition 7.1
    l1         vectors, |Y - Y'|₁ ≤ ρ               Laplace noise                            Remark 3.4
    thompson   positive definite matrices, every    Thompson-Laplace, Wishart, or the        Lemma 3.2
               eigenvalue of A⁻¹A' in [1/L, L]      source's square                          Lemma 5.1
    exact      vectors, equal or infinitely far     none: the answer itself                  Section 4

In a norm a design is for friends at distance 1, and answers are divided by ρ. In "exact" the most frequent
answer takes the place of vote, average and mask, for the same release. Proof: `proofs/populous.md`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from workbench.errors import ArgumentError
from workbench.estimators.parts.votes.covariances import Groups, has_mask, root_factors
from workbench.estimators.parts.votes.design import (
    MOST,
    Designer,
    Moves,
    covariance_moves,
    fewest,
    norm_moves,
)
from workbench.estimators.parts.votes.l1_points import L1Points
from workbench.estimators.parts.votes.means import Points
from workbench.estimators.parts.votes.vote import Design
from workbench.estimators.parts.votes.vote import Points as Voting
from workbench.privacy import ApproxDP
from workbench.privacy.masks import square_scale
from workbench.types import Array


@dataclass(frozen=True)
class Space:
    """Masks, how far one row moves an average, and points of answers."""

    masks: tuple[str, ...]
    moves: Moves
    points: Callable[[Array], Voting]

    @property
    def normed(self) -> bool:
        """Whether it is a norm, of vectors."""
        return self.moves is norm_moves


SPACES = {
    "l2": Space(("gaussian",), norm_moves, lambda answers: Points(answers, 1.0)),
    "l1": Space(("laplace",), norm_moves, lambda answers: L1Points(answers, 1.0)),
    "thompson": Space(
        ("thompson_laplace", "wishart", "square"),
        covariance_moves,
        lambda answers: Groups.of(root_factors(answers)),
    ),
}


@dataclass(frozen=True)
class Wanted:
    """What a design is made for: space, mask, d, rows of a group, L, the share of far pairs, budget, β."""

    space: str
    kind: str
    dimension: int
    size: int
    limit: float
    far: float
    budget: ApproxDP
    beta: float


@lru_cache(maxsize=1024)
def designed(n: int, wanted: Wanted) -> Design:
    """Return the design with the narrowest mask; raise where n rows are too few for any, or too many."""
    if n // wanted.size > MOST:
        raise ArgumentError("size", wanted.size, f"at least {n // (MOST + 1) + 1} rows a group for n = {n}")
    best = _best(n, wanted)
    if best is None:
        raise ArgumentError("n", n, f"at least {_fewest(wanted)} in groups of {wanted.size}")
    return best


@lru_cache(maxsize=256)
def _fewest(wanted: Wanted) -> int:
    return fewest(lambda n: _best(n, wanted), 2 * wanted.size, within=1.01)


def _best(n: int, wanted: Wanted) -> Design | None:
    space = SPACES[wanted.space]
    limits = (1.0 if space.normed else wanted.limit,)
    sizes, far = (wanted.size,), (wanted.far,)
    family = Designer(wanted.kind, space.moves, lambda s: limits, sizes, far, joint=space.normed)
    best = family.best(n, wanted.budget, wanted.beta)
    return best if best is not None and _has_mask(best, wanted.dimension) else None


def _has_mask(made: Design, d: int) -> bool:
    if made.kind in ("gaussian", "laplace"):
        return True
    if made.kind != "square":
        return has_mask(made, d)
    try:
        return square_scale(made.charges[1], d) > 0
    except ArgumentError:
        return False
