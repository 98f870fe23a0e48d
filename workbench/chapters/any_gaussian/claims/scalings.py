"""Claims about how n grows: votes, subspaces, preconditioners and means, one public number at a time.

Nine runs in ten have to succeed; no answer is no success. At ε = 8 votes have few groups, so that many
dimensions can be afforded: only ε itself moves elsewhere.
"""

from math import log

from workbench.bounds import al22
from workbench.chapters.any_gaussian import frames as votes
from workbench.chapters.any_gaussian import growth
from workbench.estimators.populous import Preconditioner, preconditioned_rows
from workbench.estimators.subspaces import SubspaceExact
from workbench.privacy import ApproxDP
from workbench.study.claim import Claim
from workbench.study.rules import Status
from workbench.study.scaling import Growth, Move, Public, Statement, bounded, follow
from workbench.study.search import fewest_rows

BETA, FOURFOLD = votes.BETA, log(2)  # the Thompson distance that leaves a condition of 4
LEAST_VOTE = 40  # groups: fewer have no whole thresholds
CHEAP, DEAR = {"quick": 60, "full": 200}, {"full": 60}

INVERSE = {"1/ε²": -2.0, "1/√ε": -0.5}
LEVEL = {"√ln 1/δ": 0.5, "ln² 1/δ": 2.0}
LINEAR = {"d²": 2.0, "√d": 0.5}
EPSILONS, DELTAS, DIMENSIONS = (1.0, 0.5, 0.25, 0.125), (1e-2, 1e-4, 1e-8, 1e-16), (2, 4, 8, 16)
LOUD = (16.0, 8.0, 4.0, 2.0)


def budget(public: Public) -> ApproxDP:
    """Return the budget of public numbers."""
    return ApproxDP(float(public["epsilon"]), float(public["delta"]))


def vote_bound(public: Public) -> float:
    """Return the n that Lemma 3.6 proves for a vote of (ε, δ) of its own."""
    return float(al22.fewest_groups(public["epsilon"], public["delta"]))


def subspace_rows(public: Public) -> int:
    """Return the planned rows of a subspace, of mean 0."""
    return SubspaceExact(centred=True, beta=BETA).fewest(public["d"], budget(public))


def frame_rows(public: Public) -> int:
    """Return the planned rows of mean 0 that leave a condition of 4."""
    return preconditioned_rows(public["d"], budget(public), BETA, public["mask"])


GROUPS = Growth(
    id="AL22/Lem3.6",
    key="the source's vote",
    block=growth.vote,
    usual={"epsilon": 0.5, "delta": 1e-6},
    alpha=lambda public: 0.5,
    shape=vote_bound,
    start=vote_bound,
    fewest=lambda public: LEAST_VOTE,
    predicted=vote_bound,
    caps={"quick": 200, "full": 1000},
    moves={
        "epsilon": Move(EPSILONS, -1, INVERSE, "ln(1/δ)/ε"),
        "delta": Move(DELTAS, 1, LEVEL, "ln(1/δ)/ε", logarithm=True),
    },
)

SUBSPACES = Growth(
    id="AL22/Thm4.1",
    key="spectral/subspace-exact (any number of groups)",
    block=growth.subspace,
    usual={"d": 4, "epsilon": 1.0, "delta": 1e-6},
    alpha=lambda public: votes.ACROSS,
    shape=lambda public: al22.subspace_shape(public["d"], public["epsilon"], public["delta"]),
    start=subspace_rows,
    fewest=lambda public: 2 * public["d"],
    predicted=subspace_rows,
    caps=CHEAP,
    moves={
        "d": Move(DIMENSIONS, 1, LINEAR, "d ln(1/δ)/ε"),
        "epsilon": Move(EPSILONS, -1, INVERSE, "d ln(1/δ)/ε"),
        "delta": Move(DELTAS, 1, LEVEL, "d ln(1/δ)/ε", logarithm=True),
    },
)

FRAMES = Growth(
    id="AL22/Thm5.4",
    key="spectral/preconditioner (equal ratios)",
    block=growth.preconditioner,
    usual={"d": 2, "epsilon": 8.0, "delta": 1e-6, "condition": 1e4, "mask": "auto"},
    alpha=lambda public: FOURFOLD,
    shape=lambda public: al22.preconditioner_shape(public["d"], public["epsilon"], public["delta"]),
    start=frame_rows,
    fewest=lambda public: fewest_rows(
        Preconditioner(centred=True, mask=public["mask"]), public["d"], budget(public)
    ),
    predicted=frame_rows,
    caps=DEAR,
    moves={
        "d": Move(
            (2, 4, 8, 16), 2, {"d": 1.0, "d³": 3.0}, "d² √ln(1/δ)/ε", {"mask": "wishart", "epsilon": 32.0}
        ),
        "epsilon": Move(LOUD, -1, INVERSE, "(d² √ln 1/δ + d ln 1/δ)/ε"),
        "delta": Move(DELTAS, 1, LEVEL, "d ln(1/δ)/ε", {"d": 1}, logarithm=True),
        "condition": Move((10.0, 1e2, 1e4, 1e8), 0, {"√ln κ": 0.5, "ln κ": 1.0}, "flat", logarithm=True),
    },
)

MEANS = Statement(
    id="AL22/Thm7.4",
    key="mean/populous",
    usual={"d": 2, "alpha": 0.4, "epsilon": 8.0, "delta": 1e-6},
    shape=al22.robust_mean_shape,
    share=1 - BETA,
    caps={"full": 80},
    moves={
        "d": Move(DIMENSIONS, 1.5, {"d": 1.0, "d²": 2.0}, "d^1.5 √ln(1/δ)/(α²ε)"),
        "epsilon": Move((8.0, 4.0, 2.0, 1.0), -1, INVERSE, "d^1.5 √ln(1/δ)/(α²ε)"),
        "delta": Move(DELTAS, 0.5, {"ln 1/δ": 1.0}, "d^1.5 √ln(1/δ)/(α²ε)", logarithm=True),
        "alpha": Move((0.4, 0.2, 0.1, 0.05), -2, {"1/α": -1.0, "1/α³": -3.0}, "d/α²", {"epsilon": 64.0}),
    },
)


CLAIMS = (
    Claim(
        "any-gaussian/subspace-rows-grow",
        "N31",
        ("AL22/Thm4.1",),
        "Searched n of the subspace, any number of groups allowed, grow at most as d ln(1/δ)/ε does (d = 2 .."
        " 16, ε = 1 .. 1/8, δ = 1e-2 .. 1e-16); none is larger than the planned one.",
        checks=bounded(),
        scalings=SUBSPACES.scalings,
    ),
    Claim(
        "any-gaussian/vote-groups-grow",
        "N32",
        ("AL22/Lem3.6",),
        "The searched number of groups that the source's vote hears, all of which agree, grows at most as"
        " (20/ε) ln(1 + (e^ε - 1)/(2δ)) does (ε = 1 .. 1/8, δ = 1e-2 .. 1e-16), and is no larger.",
        checks=bounded(),
        scalings=GROUPS.scalings,
    ),
    Claim(
        "any-gaussian/preconditioner-rows-grow",
        "N33",
        ("AL22/Thm5.4", "AL22/Alg3"),
        "Searched n that leave a condition of 4 grow at most as d² √ln(1/δ)/ε + d ln(1/δ)/ε does (d = 2 .."
        " 16, masks of one kind, at ε = 32, ε = 16 .. 2, δ = 1e-2 .. 1e-16), are the same for condition"
        " numbers 10 .. 1e8, and at most the planned ones.",
        checks=bounded(),
        scalings=FRAMES.scalings,
    ),
    Claim(
        "any-gaussian/mean-rows-grow",
        "N36",
        ("AL22/Thm7.4",),
        "Searched n of mean/populous, no rows corrupted, grow at most as √(d ln(1/δ))/ε · d/α² does (d = 2"
        " .. 16, ε = 8 .. 1, δ = 1e-2 .. 1e-16, α = .4 .. .05).",
        checks=follow,
        scalings=MEANS.scalings,
        expected=Status.UNDECIDED,
        reason="At ε = 64 n grows by an exponent of 1.7 in 1/α, from 1.5 to 1.8: less than 2, but so few runs"
        " do not show it at the level of a claim. In d, ε and δ it grows as stated or slower.",
    ),
)
