"""The entries of means in d dimensions of rows of which some may be anything."""

from functools import partial

from workbench.catalog import mean
from workbench.catalog.entry import DELTA, EPSILON, Example, Knob, N, at
from workbench.catalog.hardest import in_a_box
from workbench.estimators.populous_robust import PopulousRobustMean
from workbench.estimators.prime import FilterMean, PrimeHeavyMean, PrimeMean
from workbench.estimators.references import FilterNonprivateMean
from workbench.estimators.robust import RobustHeavyMean, RobustMean
from workbench.populations import MultivariateStudent
from workbench.privacy import ZCDP, ApproxDP, GaussianDP, NonPrivate

CORRUPTION = Knob("corruption", 0.01, 0.1, "share of the rows")
QUERIES = ("excess", "size", "moment", "score", "mean", "total", "scores")
LAVISH = ApproxDP(100.0, 0.1)  # what the source's own constants need at few thousand rows


def bounded(epochs: int, rounds: int) -> frozenset[str]:
    """Return the steps of the source's filters, whose noise is for more than one row can move."""
    turns = [f"{s}.{t}" for s in range(1, epochs + 1) for t in range(1, rounds + 1)]
    turns += [str(s) for s in range(1, max(epochs, rounds) + 1)]
    return frozenset(f"{query} {turn}" for query in QUERIES for turn in turns)


robust_mean = partial(mean.mean_within, knobs=(N, EPSILON, DELTA, mean.RADIUS, CORRUPTION))

MEAN_ROBUST = (
    mean.round_mean(
        key="mean/filter-nonprivate",
        summary="mean of rows of which some may be anything, without privacy",
        statements=("AL22/Thm7.3", "LKKO21/Alg4", "LKKO21/Prop2.1"),
        examples=(
            Example(FilterNonprivateMean(corruption=0.05, sigma=1.0), NonPrivate()),
            Example(FilterNonprivateMean(corruption=0.05, calibration="paper", sigma=1.0), NonPrivate()),
        ),
        least_rows=1,
        knobs=(N, CORRUPTION),
        symmetries={"translation": "exact", "scale": "none"},
    ),
    mean.round_mean(
        key="mean/populous-robust",
        summary="mean of rows of which some may be anything, by a vote of robust groups",
        statements=("AL22/Alg5", "AL22/Thm7.4"),
        examples=(
            Example(PopulousRobustMean(corruption=0.05, sigma=1.0), mean.LOUD),
            Example(PopulousRobustMean(corruption=0.1, sigma=2.0), mean.LOUD),
        ),
        knobs=(N, EPSILON, DELTA, CORRUPTION),
        symmetries={"translation": "exact", "scale": "none"},
        bounded_steps=frozenset({"vote", "mask"}),
    ),
    robust_mean(
        key="mean/filter",
        summary="mean that corrupted rows cannot move far, filtered along the widest direction",
        statements=("LKKO21/Thm5", "LKKO21/Alg1", "LKKO21/Alg8"),
        examples=(
            *at(FilterMean(radius=10.0, sigma=1.0), mean.APPROX, mean.CONCENTRATED),
            Example(FilterMean(radius=10.0, passes=5, calibration="paper", sigma=1.0), LAVISH),
        ),
        bounded_steps=bounded(1, 5),
    ),
    robust_mean(
        key="mean/prime",
        summary="PRIME: mean that corrupted rows cannot move far, filtered along all wide directions",
        statements=("LKKO21/Thm6", "LKKO21/Alg9", "LKKO21/Alg10", "LKKO21/Alg11"),
        examples=(
            Example(PrimeMean(radius=10.0, sigma=1.0), mean.APPROX),
            Example(PrimeMean(radius=10.0, centre=3.0, sigma=2.0), mean.GAUSSIAN),
            Example(PrimeMean(radius=10.0, passes=2, sigma=1.0), mean.CONCENTRATED),
            Example(PrimeMean(radius=10.0, calibration="paper", sigma=1.0), LAVISH),
        ),
        bounded_steps=bounded(5, 1),
    ),
    robust_mean(
        key="mean/prime-heavy",
        summary="PRIME where only a covariance is known",
        statements=("LKKO21/Thm9", "LKKO21/Alg3", "LKKO21/Alg16", "LKKO21/Alg17"),
        examples=(
            Example(PrimeHeavyMean(radius=10.0, upper=1.0), mean.APPROX),
            Example(PrimeHeavyMean(radius=10.0, centre=3.0, upper=4.0), mean.GAUSSIAN),
            Example(PrimeHeavyMean(radius=10.0, calibration="paper", upper=1.0), LAVISH),
        ),
        population=MultivariateStudent(mean.ROUND.moments, 10.0),
        assumptions=(mean.BELOW, mean.WITHIN),
        bounded_steps=bounded(6, 1),
    ),
    robust_mean(
        key="mean/robust",
        summary="mean of corrupted rows: a filter that looks at one row at a time",
        hardest=in_a_box,
        statements=("LKKO21/Asm1",),
        examples=(
            *at(RobustMean(radius=10.0, sigma=1.0), ZCDP(0.5), ApproxDP(4.0, 1e-6)),
            Example(RobustMean(radius=10.0, centre=3.0, sigma=2.0, corruption=0.1), GaussianDP(1.0)),
        ),
        assumptions=(mean.NORMAL, mean.SPHERICAL, mean.WITHIN_BOX),
    ),
    robust_mean(
        key="mean/robust-heavy",
        summary="mean of corrupted heavy-tailed rows: a filter that looks at one row at a time",
        hardest=in_a_box,
        statements=("LKKO21/Asm2",),
        examples=(
            *at(RobustHeavyMean(radius=10.0, upper=1.0), ZCDP(0.5), ApproxDP(4.0, 1e-6)),
            Example(RobustHeavyMean(radius=10.0, centre=3.0, upper=4.0, corruption=0.1), GaussianDP(1.0)),
        ),
        population=MultivariateStudent(mean.ROUND.moments, 10.0),
        assumptions=(mean.BELOW, mean.WITHIN_BOX),
        knobs=(N, EPSILON, DELTA, mean.RADIUS, Knob("corruption", 0.001, 0.12)),
    ),
)
