"""Claims about locating a mean: L17 Lemma 2.2 to Theorem 2.8, and one of our own.

Every claim reads its numbers off a sweep of `runs.location`, which its picture shows as well, and
compares them with constant-explicit predictions. Where a prediction rests on a model (normal counts), the
band is the declared tolerance of that model.

How many rows a location needs.  The histogram's winner near the mean has about n p rows, p between
Φ(1) - Φ(0) = .3413 (the mean at an edge of its bin) and Φ(1/2) - Φ(-1/2) = .3829 (in the middle). Against
the largest noise (2/ε) ln R of the empty bins, or the threshold (2/ε) ln(1/δ), that needs nε of 2/p = 5.2 to
5.9 per unit of the logarithm; the spread of the count adds up to a tenth to that at ε = .5. The window median
needs 2, since the far score is εn/2.
"""

from dataclasses import replace
from math import ceil, isfinite, log

import numpy as np
import pandas as pd

from workbench.chapters.one_mean.claims import histograms
from workbench.chapters.one_mean.runs import location as sweeps
from workbench.estimators.clipped import ClippedMean
from workbench.privacy import PureDP
from workbench.privacy.mechanisms import laplace_scale
from workbench.study import measures
from workbench.study.claim import Claim
from workbench.study.intervals import local_slope
from workbench.study.measures import Measure
from workbench.study.profiles import claim_level
from workbench.study.rules import Verdict, beside, combine, compare, enough, in_proportion

FLAT, SAME = 1.3, 1.2  # largest over smallest error
EXPONENT = 0.1
PER_RADIUS, PER_DELTA = (5.0, 7.0), (5.2, 6.2)  # n ε per unit of ln R, of ln(1/δ)
PACKINGS = 8.0
HALF = 0.5
W1_DELTA = 1e-9

CLIPPED_SIZE = ("L17/Eq1", "2B/(ε b), B = R + √(2 ln(2n/β)): privacy part of mean size b")
FLAT_SIZE = ("L17/Thm2.5", "enough for an error that does not change with R")
RANGE_SIZE = ("L17/Cor2.4", "P(largest noise of empty bins < count near the mean) = .9, normal counts")
PACKING_SIZE = ("L17/Thm2.6", "at least ln(9 (⌈R/2.5⌉ - 1))/ε")
LINE_SIZE = ("L17/Thm2.8", "P(count near the mean > threshold of order ln(1/δ)/ε) = .9, normal counts")
HALF_SIZE = ("proofs/univariate.md", "at most half of the histogram's measured n")


def laplace_of_clipped(radius: float) -> float:
    """Return 2B/(nε), the Laplace scale of the paper's clipped mean in the sweep."""
    estimator = ClippedMean(radius=radius, calibration="paper", sigma=1.0)
    return laplace_scale(estimator.plan(sweeps.N, 1, PureDP(sweeps.EPSILON))["mean"])


def clipped_is_linear(frame: pd.DataFrame, seed: int) -> list[Verdict]:
    """Return the checks: scale of the privacy part at every R from 1e2 on, and its slope in R."""
    level = claim_level()
    radii = (*sweeps.RADII[1:], sweeps.WIDEST)
    scales = []
    for radius in radii:
        rows = measures.at(frame, radius=radius)
        part = rows["paper"] - rows["sampling"]
        scales.append(measures.mean_size(part, level, sweeps.CLIPPED.name, seed, {"radius": radius}))
    predicted = [laplace_of_clipped(radius) for radius in radii]
    exponent = local_slope(radii, predicted)
    found = measures.slope(np.log(radii), [measures.logarithm(scale) for scale in scales])
    checks = [
        in_proportion(
            measures.near(f"privacy part at R = {radius:g}", scale, expected, n=sweeps.N), *CLIPPED_SIZE
        )
        for radius, scale, expected in zip(radii, scales, predicted, strict=True)
    ]
    limits = exponent - EXPONENT / 2, exponent + EXPONENT / 2
    slope = measures.between("exponent in R", found, *limits, n=sweeps.N, bound=exponent)
    return [*checks, slope]


def two_step_is_flat(*frames: pd.DataFrame) -> Verdict:
    """Return the checks: median errors over all R that the profile computes."""
    frame = pd.concat(frames, ignore_index=True)
    groups = {radius: rows["paper"].abs() for radius, rows in measures.by(frame, "radius").items()}
    return enough(_flat("largest over smallest median error, all R", groups, FLAT), *FLAT_SIZE)


def _flat(name: str, groups: dict[float, pd.Series], allowed: float) -> Verdict:
    each = claim_level(parts=len(groups))
    found = {key: measures.median(errors, each) for key, errors in groups.items()}
    verdict = measures.between(name, measures.spread(found), 1.0, allowed, n=sweeps.N)
    medians = {f"{key:g}": measure.estimate for key, measure in found.items()}
    low = max(1.0, verdict.interval[0])  # a largest over a smallest
    status = compare((low, verdict.interval[1]), 1.0, allowed)
    return replace(
        verdict, status=status, interval=(low, verdict.interval[1]), detail={**verdict.detail, **medians}
    )


def range_costs_its_logarithm(*frames: pd.DataFrame, seed: int) -> Verdict:
    """Return the checks: rows against prediction, against ln R, against ε and against the packing bound."""
    frame, checks = pd.concat(frames, ignore_index=True), []
    products: dict[tuple[float, float], Measure] = {}
    for epsilon, rows in measures.by(measures.at(frame, method="paper"), "epsilon").items():
        for radius in measures.by(rows, "radius"):
            needed = sweeps.rows_to_locate(rows, claim_level(), seed, radius=radius)
            products[epsilon, radius] = measures.scaled(needed, epsilon)
            checks += _against_bounds(needed, radius, epsilon)
    radii = [radius for epsilon, radius in products if epsilon == sweeps.EPSILON]
    found = measures.slope(np.log(radii), [products[sweeps.EPSILON, radius] for radius in radii])
    expected = [sweeps.EPSILON * _predicted(radius=radius) for radius in radii]
    predicted = float(np.polyfit(np.log(radii), expected, 1)[0])
    checks.append(measures.between("nε per unit of ln R", found, *PER_RADIUS, bound=predicted))
    small = [radius for epsilon, radius in products if epsilon == sweeps.SMALL_EPSILON]
    checks += [_inverse_in_epsilon(products, radius) for radius in small]
    return combine(checks, int((frame["method"] == "paper").sum()))


def _against_bounds(rows: Measure, radius: float, epsilon: float) -> list[Verdict]:
    name = f"at R = {radius:g}, ε = {epsilon:g}"
    packing, predicted = sweeps.packing(radius, epsilon), _predicted(epsilon=epsilon, radius=radius)
    near = measures.near(f"rows {name}", rows, predicted, n=_whole(rows))
    packings = measures.scaled(rows, 1 / packing)
    above = measures.between(f"rows over the packing bound {name}", packings, 1.0, PACKINGS)
    return [
        beside(near, *RANGE_SIZE, predicted, rows),
        beside(above, *PACKING_SIZE, packing, rows),
    ]


def _whole(rows: Measure) -> int | None:
    return ceil(rows.estimate) if isfinite(rows.estimate) else None


def _predicted(epsilon: float = sweeps.EPSILON, **where: float) -> int:
    return sweeps.predicted_rows("paper", epsilon, **where)


def _inverse_in_epsilon(products: dict[tuple[float, float], Measure], radius: float) -> Verdict:
    large, small = (products[epsilon, radius] for epsilon in (sweeps.EPSILON, sweeps.SMALL_EPSILON))
    logs = log(sweeps.EPSILON), log(sweeps.SMALL_EPSILON)
    excess = measures.slope(logs, [measures.logarithm(large), measures.logarithm(small)])
    name, limits = f"1 + exponent in ε at R = {radius:g}", (-EXPONENT, EXPONENT)
    return measures.between(name, excess, *limits, bound=0.0)


def line_costs_log_delta(frame: pd.DataFrame, errors: pd.DataFrame, seed: int) -> Verdict:
    """Return the checks: rows against prediction and ln(1/δ), and the error at means of 0, 1e3 and 1e9."""
    checks, products = [], []
    for delta in sweeps.DELTAS:
        where: dict[str, float | str] = {"method": "paper", "epsilon": sweeps.EPSILON, "delta": delta}
        rows = sweeps.rows_to_locate(frame, claim_level(), seed, **where)
        products.append(measures.scaled(rows, sweeps.EPSILON))
        near = measures.near(f"rows at δ = {delta:g}", rows, _predicted(delta=delta), n=_whole(rows))
        checks.append(beside(near, *LINE_SIZE, near.bound, rows))
    logs = [log(1 / delta) for delta in sweeps.DELTAS]
    expected = [sweeps.EPSILON * _predicted(delta=delta) for delta in sweeps.DELTAS]
    predicted = float(np.polyfit(logs, expected, 1)[0])
    found = measures.slope(logs, products)
    checks.append(measures.between("nε per unit of ln(1/δ)", found, *PER_DELTA, bound=predicted))
    groups = {mean: rows["paper"] for mean, rows in measures.by(errors, "mean").items()}
    checks.append(_flat("largest over smallest median error, all means", groups, SAME))
    return combine(checks, int((frame["method"] == "paper").sum()) + len(errors))


def window_needs_half(wide: pd.DataFrame, line: pd.DataFrame, seed: int) -> Verdict:
    """Return the checks: rows of the window median over those of the histogram, in both calibrations."""
    checks, trials = [], 0
    for frame, where in ((wide, {"radius": sweeps.RADII[-1]}), (line, {"delta": W1_DELTA})):
        trials += len(measures.at(frame, epsilon=sweeps.EPSILON, **where))
        rows = {
            method: sweeps.rows_to_locate(
                frame, claim_level(parts=2), seed, method=method, epsilon=sweeps.EPSILON, **where
            )
            for method in sweeps.METHODS
        }
        for calibration in sweeps.CALIBRATIONS:
            share = measures.ratio(rows["window"], rows[calibration])
            name = f"window median over {calibration} histogram, {frame['sweep'].iloc[0]}"
            half = measures.between(name, share, 0.0, HALF)
            checks.append(beside(half, *HALF_SIZE, HALF * rows[calibration].estimate, rows["window"]))
    return combine(checks, trials)


CLAIMS = (
    Claim(
        "one-mean/clipping-pays-range",
        "G1",
        ("L17/Lem2.2", "L17/Eq1"),
        "The clipped mean (paper) pays 2B/(nε) with B = R + √(2 ln(2n/β)): the scale of its privacy part is "
        "within 15 % of that at R = 1e2 .. 1e5 and proportional to R, at n = 2000, ε = .5.",
        sweeps=lambda: (sweeps.CLIPPED,),
        checks=clipped_is_linear,
    ),
    Claim(
        "one-mean/flat-in-radius",
        "G2",
        ("L17/Thm2.5", "L17/Eq2"),
        "The median error of the two-step mean (paper) does not depend on R: largest over smallest is at "
        "most 1.3 for R = 10 .. 1e5, at n = 2000, ε = .5.",
        sweeps=lambda: (sweeps.TWO_STEP, sweeps.TWO_STEP_WIDEST),
        checks=two_step_is_flat,
    ),
    Claim(
        "one-mean/rows-per-log-range",
        "G3",
        ("L17/Cor2.4", "L17/Eq2", "L17/Thm2.6"),
        "The rows with which the histogram (paper) locates a mean in [-R, R] within 2.5 with probability .9 "
        "grow by 5 to 7 over ε per unit of ln R, are proportional to 1/ε, within 15 % of the prediction, and "
        "1 to 8 times the packing bound.",
        sweeps=lambda: (sweeps.LOCATE_RANGE, sweeps.LOCATE_WIDE, sweeps.LOCATE_WIDEST),
        checks=range_costs_its_logarithm,
    ),
    Claim(
        "one-mean/rows-per-log-delta",
        "G4",
        ("L17/Thm2.8", "L17/Eq6"),
        "The rows with which the stability-based histogram (paper) locates any mean within 2.5 with "
        "probability .9 grow by 5.2 to 6.2 over ε per unit of ln(1/δ) and are within 15 % of the prediction; "
        "the error of the unbounded mean is the same at means of 0, 1e3 and 1e9 (ratio at most 1.2).",
        sweeps=lambda: (sweeps.LOCATE_LINE, sweeps.UNBOUNDED),
        checks=line_costs_log_delta,
    ),
    Claim(
        "one-mean/window-halves-rows",
        "W1",
        ("proofs/univariate.md",),
        "The window median locates within 2.5 with probability .9 from at most half of the rows of the "
        "histogram, be it paper or tight: on [-1e4, 1e4], and on the whole line at δ = 1e-9; ε = .5.",
        sweeps=lambda: (sweeps.LOCATE_WIDE, sweeps.LOCATE_LINE),
        checks=window_needs_half,
        kind="ours",
    ),
    *histograms.CLAIMS,
)
