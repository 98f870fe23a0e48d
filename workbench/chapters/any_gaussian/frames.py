"""Rows that a subspace and a preconditioner take (AL22 Theorems 4.1 and 5.4), by public numbers and by runs.

A subspace is found exactly or not at all: groups of d rows give it the same name, which has to lead by enough
votes. A preconditioner leaves a condition of at most 4, whatever the covariance.
"""

from collections.abc import Callable
from functools import cache
from math import exp, inf, log, sqrt

import numpy as np
from numpy.random import Generator
from pandas import DataFrame

from workbench import losses
from workbench.bounds import al22
from workbench.chapters.any_gaussian.votes import BETA, BUDGET, DELTA, EPSILON, random_root
from workbench.charts.curves import (
    LEVEL,
    Chart,
    Mark,
    Panel,
    Series,
    measured,
    medians,
    number,
    styled,
    text_at,
    theory,
)
from workbench.distributions import Gaussian
from workbench.estimators.populous import (
    PopulousCovariance,
    PopulousGaussian,
    PopulousMean,
    Preconditioner,
    preconditioned_rows,
)
from workbench.estimators.shared.noisy_means import median_of_mean
from workbench.estimators.shared.rows import in_blocks
from workbench.estimators.subspaces import GRID, SubspaceExact, Tokens
from workbench.estimators.unbounded import UnboundedCovariance
from workbench.populations.rotated import named, rotated, shown
from workbench.privacy import ApproxDP, SimulatedNoise
from workbench.privacy.histograms import mode_charge, release_mode
from workbench.privacy.mechanisms import truncated_laplace_bound
from workbench.study.measures import at, between, by, hits, median, seldom, spread
from workbench.study.rules import Checks, Claim, Verdict, claim_level, enough, supremum
from workbench.study.scaling import Named
from workbench.study.search import fewest_rows
from workbench.study.sweeps import (
    Point,
    Row,
    Run,
    Sweep,
    answered,
    at_budget,
    block_columns,
    blocks,
    distance_of,
    each_trial,
    grid,
    loss_of,
    multiples,
    over_grid,
)
from workbench.types import Columns

KEY, SUBSPACE = "spectral/preconditioner", "spectral/subspace-exact"
FRAME_ROWS = {1: 4928, 2: 11_776, 5: 69_632, 10: 180_224}  # for a condition of 4: `preconditioned_rows`
FEW = ("round", "ratio 9", "geometric")  # of the spectra; the worst that was found comes with them
ACROSS = 10 * GRID  # off a subspace, in the widest standard deviations
DIMENSIONS = (1, 2, 5, 10)
ROWS = "rows n"


def said(budget: ApproxDP) -> str:
    return f"ε = {budget.epsilon:g}, δ = {number(budget.delta)}"


def groups(share: float, budget: ApproxDP) -> int:
    return max(2, round(share * SubspaceExact().groups(budget)))


def subspaces(
    d: int, share: float, epsilon: float = EPSILON, delta: float = DELTA, *,
    trials: int, data: Generator, noise: Generator,
) -> Columns:  # fmt: skip
    """Name subspaces of half the dimension from a share of the planned rows, and release the mode."""
    budget, source = ApproxDP(epsilon, delta), SimulatedNoise(noise)
    k, rank = groups(share, budget), max(1, d // 2)
    errors = []
    for _ in range(trials):
        basis = np.linalg.qr(data.standard_normal((d, rank)))[0]
        rows = data.standard_normal((k * d, rank)) * np.geomspace(1.0, 1e3, rank) @ basis.T
        tokens = Tokens.drawn(d, data)
        name = release_mode(tokens.of(in_blocks(rows, k)), mode_charge("subspace", budget), source)
        found = tokens.basis(name) if isinstance(name, str) else None
        errors.append(inf if found is None else np.linalg.norm(found @ found.T - basis @ basis.T, 2))
    return block_columns(map(answered, errors))


def found(share: float, budget: ApproxDP) -> float:
    """Return the chance that a name is released whose count leads by all k groups, a share of the planned."""
    bound = truncated_laplace_bound(mode_charge("subspace", budget))
    missing, certain = bound - groups(share, budget) / 2, exp(-budget.epsilon * bound)
    tail = max((exp(-budget.epsilon * abs(missing)) - certain) / (2 * (1 - certain)), 0.0)
    return tail if missing >= 0 else 1 - tail


@each_trial
def preconditioners(d: int, spectrum: str, n: int, *, data: Generator, noise: Generator) -> Row:
    """Run the preconditioner on rows; `error` is the Thompson distance from the covariance."""
    law = rotated(named(spectrum, d), data)
    distance = lambda found: losses.thompson_error(law.in_units(found), np.eye(d))  # noqa: E731
    return answered(loss_of(Preconditioner(centred=True), law.sample(n, rng=data), BUDGET, noise, distance))


SUBSPACES = over_grid("al22-subspaces", subspaces, 20, 20, d=[2, 5, 10, 20], share=[0.25, 0.5, 0.7, 0.8, 1.0])
FRAMES = Sweep(
    "al22-frames",
    tuple(point for d in (1, 2) for point in grid(d=d, n=FRAME_ROWS[d], spectrum=shown(d, KEY, few=FEW))),
    preconditioners,
    20,
    blocks(20),
)


# What is shown


def rows_against_d(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA, alpha: float = 0.2) -> Chart:
    """Return planned rows of the preconditioner against d."""
    budget = ApproxDP(epsilon, delta)
    tight = [
        FRAME_ROWS[d] if budget == BUDGET else preconditioned_rows(d, budget, BETA, "auto")
        for d in DIMENSIONS
    ]
    least, most = number(float(f"{tight[0]:.1g}")), number(float(f"{tight[-1]:.2g}"))
    shape = [al22.preconditioner_shape(d, epsilon, delta) for d in DIMENSIONS]
    paper = [preconditioned_rows(d, budget, BETA, "square") for d in DIMENSIONS]
    lower = [al22.lower_shape(d, alpha, epsilon, delta) for d in DIMENSIONS]
    needed = [max(one.noise, one.preconditioning) for one in lower]
    series = (
        Series("original constants", DIMENSIONS, paper, colour_key=f"{KEY}:paper"),
        Series("improved constants", DIMENSIONS, tight, colour_key=KEY),
        styled("reference", "the theorem, constants 1", DIMENSIONS, shape),
        styled("bound", "no method needs fewer (constants 1)", DIMENSIONS, needed, "idea/limit"),
    )
    times = number(float(f"{paper[1] / tight[1]:.1g}"))
    words = f"{times} times fewer rows, the same guarantee"
    mark = Mark(words, "arrow", 2, paper[1] * 0.75, 2, tight[1] * 1.35)
    title = f"Planned rows for a condition number of at most 4, {said(budget)}"
    return Chart(
        "rows_against_d",
        "Constants, not exponents, make the difference",
        [Panel(title, "dimension d", ROWS, series, marks=[mark])],
        alt="Rows for a preconditioner: the source's constants ask for billions, improved ones for"
        f" {least} to {most}, both growing with d.",
        how_to_read="The two upper lines are the same mechanism: the gap between them is constants alone."
        " Below: the theorem and the lower bound that the source cites, both with every constant 1.",
    )


def subspace_cliff(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return how often the subspace is found, against the share of the planned rows (subspaces-exact)."""
    budget, points = ApproxDP(epsilon, delta), SUBSPACES.points
    frame = run.table(at_budget(SUBSPACES, budget))
    chances = {one: found(one, budget) for one in sorted({point["share"] for point in points})}
    ds, series = sorted({point["d"] for point in points}), []
    for place, here in enumerate(ds):
        groups = by(at(frame, d=here), "share")
        shares = {one: hits(rows["error"] <= ACROSS, LEVEL) for one, rows in groups.items()}
        rank = place / (len(ds) - 1)
        series.append(measured("", shares, SUBSPACE, [chances[s] for s in shares], rank=rank, joined=False))
    fine = np.linspace(min(chances), max(chances), 33).tolist()
    series.append(theory("", fine, [found(one, budget) for one in fine], SUBSPACE))
    marks = (
        text_at("abstains", 0.38, 0.2),
        text_at("exact", 0.92, 0.8),
        text_at(f"d = {', '.join(map(str, ds))} fall together", 0.56, 0.56, SUBSPACE),
    )
    panel = Panel(
        f"Subspaces of half the dimension, {said(budget)}", "rows n over the planned number",
        "share of runs that find it", series, "linear", "linear", ylim=(-0.05, 1.05), marks=marks,
    )  # fmt: skip
    return Chart(
        "subspace_cliff",
        "A subspace is found exactly or not at all",
        [panel],
        alt="With half the planned rows the subspace is found in 2 % of runs at most, with 80 % of them"
        " in 92 % or more, with all of them almost surely, for every d.",
        how_to_read="All groups of d rows give the same subspace the same name, which leads by all k groups;"
        " noise hides a lead below about 2 ln(1/δ)/ε. There is no error that falls with n: the subspace is"
        " released, right up to a grid, or nothing is.",
    )


# What is claimed


FLAT = 1.5  # medians over each other


def planned(check: Verdict, statement: str, n: int, formula: str, shape: float) -> Verdict:
    return enough(enough(check, statement, "planned", n), statement, formula, n, shape)


def subspaces_are_exact(frame: DataFrame) -> Checks:
    for d, rows in by(frame, "d").items():
        failed, n = rows["error"] > ACROSS, SubspaceExact().fewest(d, BUDGET)
        shape = al22.subspace_shape(d, BUDGET.epsilon, BUDGET.delta)
        full, half = (failed[rows["share"] == share] for share in (1, 0.5))
        missed = seldom(f"not found with the planned rows, d = {d:g}", full, BETA, factor=2.5)
        yield planned(missed, "AL22/Thm4.1", n, "d ln(1/δ)/ε: constant 1", shape)
        yield seldom(f"found with half of them, d = {d:g}", ~half, BETA, factor=2.5)


def frames_are_found(frame: DataFrame) -> Checks:
    formula = "d² √ln(1/δ)/ε + d ln(1/δ)/ε: constants 1"
    for d, rows in by(frame, "d").items():
        name, n = f"above a condition number of 4, d = {d:g}", FRAME_ROWS[d]
        bad = supremum(name, rows, rows["error"] > log(2), BETA, factor=2.5, n=n)
        shape = al22.preconditioner_shape(d, BUDGET.epsilon, BUDGET.delta)
        yield planned(bad, "AL22/Thm5.4", n, formula, shape)
    spectra = frame[frame["d"] == 2].groupby("spectrum")
    level = claim_level(parts=len(spectra))
    medians = {name: median(rows["error"], level) for name, rows in spectra}
    name = "largest over smallest median error, d = 2"
    yield between(name, spread(medians), 0.0, FLAT)


# What votes learn without a bound: means, covariances and whole Gaussians (AL22 Theorems 5.6, 5.7 and 7.4)


MEAN_ROWS = {1: 672, 2: 898, 5: 1387}  # bring a mean's bound below .2
LAW_ROWS = {1: 15_300, 2: 31_900, 3: 58_500}  # about the fewest that learn a whole Gaussian
SHIFT = 1e4  # of a mean, in the widest standard deviations
ALPHA = 0.2  # the error that is claimed
LAW, LEARNER = "gaussian/populous", PopulousGaussian()
FACTORS, LEARNERS_DIMENSIONS = (1.0, 2.0, 4.0), (1, 2, 3)  # of the picture: times the fewest rows


@each_trial
def means(d: int, n: int, *, data: Generator, noise: Generator) -> Row:
    x = SHIFT + data.standard_normal((n, d))
    return answered(distance_of(PopulousMean(sigma=1.0), x, SHIFT, BUDGET, noise))


@each_trial
def covariances(d: int, condition: float, n: int, *, data: Generator, noise: Generator) -> Row:
    """Run `covariance/populous` and `covariance/unbounded` on the same rows; Frobenius errors."""
    root = random_root(np.geomspace(1.0, condition, d), data)
    x, back = data.standard_normal((n, d)) @ root.T, np.linalg.inv(root)
    populous, unbounded = (
        loss_of(estimator, x, BUDGET, noise, lambda found: np.linalg.norm(back @ found @ back.T - np.eye(d)))
        for estimator in (PopulousCovariance(), UnboundedCovariance())
    )
    return answered(populous, unbounded=unbounded)


@each_trial
def laws(
    d: int, kind: str, n: int, epsilon: float = EPSILON, delta: float = DELTA, *,
    data: Generator, noise: Generator,
) -> Row:  # fmt: skip
    """Learn whole Gaussians; `error` is the upper bound on TV in the truth's subspace, 1 off its grid."""
    rank = max(1, d // 2) if kind == "degenerate" else d
    basis = np.linalg.qr(data.standard_normal((d, d)))[0][:, :rank]
    sds = np.geomspace(1.0, 1e3, rank)
    shift = np.full(d, SHIFT * sds[-1] if kind == "shifted" else 0.0)
    x = shift + data.standard_normal((n, rank)) * sds @ basis.T

    def loss(found: Gaussian) -> float:
        gap = found.mean - shift
        if np.linalg.norm(gap - basis @ (basis.T @ gap)) > ACROSS * sds[-1]:
            return 1.0
        seen = Gaussian(basis.T @ gap, basis.T @ found.covariance @ basis)
        return losses.total_variation_bounds(seen, Gaussian(np.zeros(rank), np.diag(sds**2)))[1]

    return answered(loss_of(LEARNER, x, ApproxDP(epsilon, delta), noise, loss))


def _sizes(budget: ApproxDP) -> tuple[Point, ...]:
    return tuple({"d": d, "kind": "full", "n": n} for d in LEARNERS_DIMENSIONS for n in law_sizes(d, budget))


@cache
def law_sizes(d: int, budget: ApproxDP) -> tuple[int, ...]:
    rows = LAW_ROWS[d]
    if budget != BUDGET:
        here, usual = (fewest_rows(LEARNER, d, one) for one in (budget, BUDGET))
        rows = multiples((rows,), here / usual)[0]
    return tuple(round(factor * rows) for factor in FACTORS)


@cache
def law_error(d: int, n: int, budget: ApproxDP) -> float:
    """Return the median of what is measured of a total variation: on the line itself, else a bound.

    The bound is half the root of mean² + covariance²/2, by Pinsker's inequality as by Hellinger's.
    """
    errors = LEARNER.recipe(n, d, budget).squared_error
    if d == 1:
        return errors.total_variation
    return median_of_mean(sqrt(errors.mean + errors.covariance / 2), d * (d + 3) // 2) / 2


KINDS = {1: ("full", "shifted"), 2: ("full", "degenerate", "shifted")}
MEANS = Sweep("al22-means", tuple({"d": d, "n": n} for d, n in MEAN_ROWS.items()), means, 10, blocks(30))
LAWS = Sweep(
    "al22-laws",
    tuple({"d": d, "kind": kind, "n": LAW_ROWS[d]} for d, kinds in KINDS.items() for kind in kinds),
    laws,
    6,
    blocks(21),
)
LAW_SIZES = Sweep("any-gaussian-law-sizes", _sizes(BUDGET), laws, 6, blocks(3))
COVARIANCES = Sweep(
    "al22-more-covariances",
    tuple(point for d in (1, 2) for point in grid(d=d, condition=[1.0, 1e8], n=LAW_ROWS[d])),
    covariances,
    6,
    blocks(21),
)


# What is shown


def whole_law(run: Run, *, epsilon: float = EPSILON, delta: float = DELTA) -> Chart:
    """Return total variation of learned Gaussians against n (laws-learned)."""
    budget = ApproxDP(epsilon, delta)
    frame = run.table(at_budget(LAW_SIZES, budget, _sizes(budget)))
    foreseen = {d: {n: law_error(d, n, budget) for n in law_sizes(d, budget)} for d in LEARNERS_DIMENSIONS}
    series = []
    for place, (d, predicted) in enumerate(foreseen.items()):
        found = medians(by(at(frame, d=d), "n"), "error")
        rank, named = place / (len(LEARNERS_DIMENSIONS) - 1), "" if run.simulate else f"d = {d}"
        first = next(((1.22 * n, 1.4 * one.estimate) for n, one in found.items()), None)
        expected = [predicted[n] for n in found]
        series.append(measured(f"d = {d}", found, LAW, expected, rank=rank, label_at=first))
        series.append(theory(named, predicted, predicted.values(), LAW, rank=rank))
    fewest = min(foreseen[LEARNERS_DIMENSIONS[0]])
    marks = (
        Mark("abstains (d = 1)", "span", fewest / 10, x2=fewest, y=0.03),
        Mark(f"a target of {ALPHA:g}", "horizontal", 3.3 * fewest, ALPHA),
    )
    panel = Panel(
        f"Mean and covariance at once, {said(budget)}", "rows n", "total variation distance (upper bound)",
        series, marks=marks, xlim=(fewest / 2.5, 1.15 * max(n for one in series for n in one.x)),
        ylim=(min(1e-3, 0.5 * min(min(one.values()) for one in foreseen.values())), 1.0),
    )  # fmt: skip
    most = max(max(one.values()) for one in foreseen.values())
    first_error = "0.01" if budget == BUDGET else f"{most:.1g}"
    return Chart(
        "whole_law",
        "At the fewest rows accepted, the learned Gaussian is accurate already",
        [panel],
        alt=f"The total variation starts at about {first_error} at the fewest rows and falls with n, for d ="
        " 1, 2, 3. To the left of where a curve begins nothing is released.",
        how_to_read="Each curve begins at the fewest rows that are accepted, and there the error is small"
        " already: votes need many groups, and once there are so many, the rows suffice for much more than"
        " an error of 0.2.",
    )


# What is claimed of them


def learned(
    words: str, beta: float, factor: float, statement: str, rows: dict[int, int], formula: str, shape: Named
) -> Callable[[DataFrame], Checks]:
    """Return the checks that errors are seldom above α at the planned rows, for every d."""

    def checks(frame: DataFrame) -> Checks:
        return [
            planned(
                seldom(f"{words}, d = {d:g}", one["error"] > ALPHA, beta, factor=factor),
                statement, rows[d], formula, shape(d, ALPHA, EPSILON, DELTA),
            )
            for d, one in by(frame, "d").items()
        ]  # fmt: skip

    return checks


CLAIMS = (
    Claim(
        "any-gaussian/subspaces-exact",
        "C8",
        ("AL22/Thm4.1", "AL22/Thm1.2", "AL22/Alg2"),
        "the subspace, from the planned rows, with probability .9 (d = 2 .. 20), from half of them at most"
        " in 10 % of runs; a rate of .25 would be refuted",
        subspaces_are_exact,
        lambda: [SUBSPACES],
    ),
    Claim(
        "any-gaussian/preconditioners-found",
        "C9",
        ("AL22/Thm5.4", "AL22/Alg3", "AL22/Lem5.3"),
        "spectral/preconditioner leaves a condition number of 4 with probability .9 at its planned n (d ="
        " 1, 2), the same for round spectra, equal ratios of 9 and condition number 1e8: medians within a"
        " factor 1.5; a failure rate of .25 would be refuted",
        frames_are_found,
        lambda: [FRAMES],
    ),
    Claim(
        "any-gaussian/means-without-range",
        "C10",
        ("AL22/Thm7.4", "AL22/Alg5"),
        "mean/populous finds a mean 1e4 away within .2 at the n of its bound, but for probability β + β/3 (d"
        " = 1, 2, 5); a rate of .31 would be refuted",
        learned(
            "no mean within .2",
            BETA * 4 / 3,
            2.3,
            "AL22/Thm7.4",
            MEAN_ROWS,
            "√(d ln(1/δ))/ε · d/α²: constant 1",
            al22.robust_mean_shape,
        ),
        lambda: [MEANS],
    ),
    Claim(
        "any-gaussian/laws-learned",
        "C12",
        ("AL22/Thm5.7", "AL22/Thm1.1", "AL22/four-steps"),
        "gaussian/populous: total variation above .2 with probability at most β, for full, degenerate and"
        " far distributions at about the fewest rows (d = 1, 2), (1, 1e-6); a rate of .28 would be refuted",
        learned(
            "no distribution within .2",
            BETA,
            2.8,
            "AL22/Thm5.7",
            LAW_ROWS,
            "d²/α² + d² √ln(1/δ)/(αε) + d ln(1/δ)/(αε): constants 1",
            lambda *public: al22.gaussian_shape(*public).total,
        ),
        lambda: [LAWS],
    ),
    Claim(
        "any-gaussian/covariances-learned",
        "AL22.5",
        ("AL22/Thm5.6",),
        "covariance/populous: error above .2 with probability at most β at condition numbers 1 and 1e8 (d ="
        " 1, 2), at about the fewest rows; a rate of .28 would be refuted",
        learned(
            "error above .2",
            BETA,
            2.8,
            "AL22/Thm5.6",
            LAW_ROWS,
            "d²/α² + d² √ln(1/δ)/(αε) and the frame's: constants 1",
            lambda *public: al22.covariance_shape(*public).total,
        ),
        lambda: [COVARIANCES],
    ),
)
