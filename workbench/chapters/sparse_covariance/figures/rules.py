"""What a better threshold is worth, what support it finds, a radius nobody gave, and a promise not kept."""

from math import sqrt

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.claims import noise, radius
from workbench.chapters.sparse_covariance.claims import rules as study
from workbench.chapters.sparse_covariance.figures.figures import DEFAULT, IN_LAW, LOOKS, PAPER
from workbench.chapters.sparse_covariance.runs import theory
from workbench.chapters.sparse_covariance.runs.designs import DELTA, REFERENCES
from workbench.chapters.sparse_covariance.runs.measures import arithmetic, exponential, trials
from workbench.charts.chart import Chart, Heat, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.parameters import short
from workbench.estimators.covariance.perturbed import STEP, PerturbedCovariance
from workbench.estimators.parts.sparse.thresholding import RULES
from workbench.privacy import ApproxDP, Charge
from workbench.privacy.mechanisms import gaussian_scale
from workbench.study.measures import Measure, at
from workbench.study.run import Run
from workbench.study.sweeps.sweep import grid, multiples

LEVEL = 0.05
WORDS = {
    "adaptive-lasso": "adaptive lasso (default)",
    "hard": "hard (κ = 1.6)",
    "paper": "equation (9)",
    "bh": "false discoveries",
    "thinning": "thinning",
}
RULE_LOOKS = {"adaptive-lasso": DEFAULT, "hard": "2", "paper": PAPER, "bh": "3", "thinning": "4"}
DELTA_LOOKS = dict(zip(noise.DELTAS, ("0", "1", "2"), strict=True))


def rules(run: Run, *, epsilon: float = 1.0, delta: float = DELTA, p: int = theory.P) -> Chart:
    """Return the error of every rule and reference over that of the best hard threshold."""
    ns = multiples(study.CELL_N, theory.rows_factor("central", p, ApproxDP(epsilon, delta)))
    sweep = study.CELLS.moved(grid(degree=(2, 6), p=(p, 2 * p), n=ns, epsilon=epsilon), delta=delta)
    frame, usual = run.table(sweep), sweep == study.CELLS
    names = {**WORDS, **REFERENCES}
    looks = RULE_LOOKS | LOOKS
    found = {name: study.over_the_oracle(frame, name, LEVEL) for name in names if len(frame)}
    bars = [_bar(place, found[name], looks[name]) for place, name in enumerate(found, start=1)]
    across = (0.5, len(names) + 0.5)
    one = Series(
        "best hard threshold, in hindsight", across, (1, 1), role="reference", colour_key="non-private"
    )
    panel = Panel(
        "", "estimate", "error / error of the best hard threshold", (*bars, one), xscale="linear",
        xlim=across, ylim=covering((0.05, 12), bars), names=tuple(names.values()),
    )  # fmt: skip
    return Chart(
        "rules",
        "The best threshold costs no privacy: it is computed from the release",
        (panel,),
        alt="Bars one below the other: the error over that of the best hard threshold."
        + " Adaptive lasso, false discoveries and thinning are at 1, the hard rule a little above, equation"
        " (9) at 1.8; the noisy diagonal, the plain release and the zero matrix at 2.4 and more; what needs"
        " no privacy lies far below 1." * usual,
        how_to_read=f"Geometric means over 16 cells (s = 2 and 6, p = {p} and {2 * p}, n = {short(ns[0])} to"
        f" {short(ns[-1])}, ε = {epsilon:g}, δ = {short(delta)}), all rules on the same"
        " releases; bars are 95 % intervals. At 1 a rule is as good as the best hard"
        " threshold, chosen by somebody who knows the truth. The noise of a release is public, so that"
        " every rule may use it: the three near 1 need no constant of the data, and no budget." + IN_LAW,
    )


def _bar(place: int, found: Measure, look: str) -> Series:
    low, high = found.interval
    return Series("", (place,), (found.estimate,), (low,), (high,), colour_key=look)


def support(
    run: Run, *, epsilon: float = 1.0, delta: float = DELTA, p: int = theory.P, degree: int = 3
) -> Chart:
    """Return F1 of the support against n for every rule, and the n at which it passes .9 (support-found)."""
    ns = multiples(study.SUPPORT_N, theory.rows_factor("central", p, ApproxDP(epsilon, delta)))
    sweep = study.SUPPORT.moved(grid(p=p, n=ns, epsilon=epsilon, degree=degree), delta=delta)
    frame, usual = run.table(sweep), sweep == study.SUPPORT
    found = {rule: _mean_f1(frame, rule) for rule in RULES if len(frame)}
    series = [Series(WORDS[rule], ns, *_split(found[rule]), colour_key=RULE_LOOKS[rule]) for rule in found]
    ends = (ns[0], ns[-1])
    series += [
        Series("zero matrix, either diagonal: no pair", ends, (0, 0), role="reference"),
        _level(frame, "all pairs", "plain, empirical: every pair", LOOKS["plain"]),
        _level(frame, "without", "non-private threshold", LOOKS["without"]),
        Series("F1 = 0.9", ends, (study.FOUND,) * 2, role="theory"),
    ]
    panel = Panel(
        "",
        "rows n",
        "F1 of the support",
        tuple(series),
        yscale="linear",
        ylim=(-0.03, 1.03),
        note=passes(frame, run.seed) if len(frame) else "",
    )
    return Chart(
        "support",
        f"Which entries are there? (p = {p}, s = {degree}, ε = {epsilon:g}, δ = {short(delta)})",
        (panel,),
        alt="F1 of the support against n on a logarithmic axis, for five rules and three references. All"
        " rise from near 0 to near 1; equation (9) rises last"
        + (
            ", at twice the rows of the default rule; false discoveries stay just below .9." if usual else "."
        ),
        how_to_read="F1 is the harmonic mean of precision and recall of the entries that are not 0, in the"
        " thresholded matrix: the repaired one has no zeros. The dashed line is 0.9, and the note says at"
        " which n a rule passes it for good. A rule that controls false discoveries keeps some for any n,"
        " and levels off." + IN_LAW,
    )


def _mean_f1(frame: pd.DataFrame, rule: str) -> list[Measure]:
    return [arithmetic(values, LEVEL) for values in trials(frame, "n", rule).T]


def _split(found: list[Measure]) -> tuple[list[float], list[float], list[float]]:
    low, high = zip(*(one.interval for one in found), strict=True)
    return [one.estimate for one in found], [max(x, 0.0) for x in low], [min(x, 1.0) for x in high]


def _level(frame: pd.DataFrame, column: str, label: str, look: str) -> Series:
    means = frame.groupby("n")[column].mean()
    return Series(label, means.index, means, role="reference", colour_key=look)


def passes(frame: pd.DataFrame, seed: int) -> str:
    """Return in words at which n every rule passes .9."""
    found = {rule: exponential(study.rows_to_find(frame, rule, LEVEL, seed)).estimate for rule in RULES}
    said = (
        f"{WORDS[rule]}: {n:.2g}" if np.isfinite(n) else f"{WORDS[rule]}: nowhere"
        for rule, n in found.items()
    )
    return "Rows at which F1 passes 0.9 for good: " + "; ".join(said).replace("e+0", "e") + "."


def unknown_radius(
    run: Run,
    *,
    epsilon: float = 1.0,
    delta: float = DELTA,
    n: int = radius.N,
    p: int = radius.P,
    degree: int = radius.DEGREE,
) -> Chart:
    """Return the error with the private radius beside fixed ones, at three scales of the data."""
    points = grid(scale=radius.SCALES, n=n, p=p, epsilon=epsilon, degree=degree)
    sweep = radius.RADIUS.moved(points, delta=delta)
    frame, usual = run.table(sweep), sweep == radius.RADIUS
    public = f"n = {n:,}, p = {p}, s = {degree}, ε = {epsilon:g}, δ = {short(delta)}".replace(",0", " 0")
    names = [f"q = {q:g}" for q in radius.QUANTILES] + ["private"]
    table = [_over_the_best(at(frame, scale=scale), names) for scale in radius.SCALES]
    heat = Heat(
        table, (1.0, 2.5), emphasis="high", written=True,
        rows=tuple(f"{scale:g}" for scale in radius.SCALES), columns=tuple(names),
    )  # fmt: skip
    return Chart(
        "unknown_radius",
        "A radius that nobody gave, beside six that somebody knew",
        (
            Panel(
                f"error / error of the best fixed radius; {public}",
                "radius: a quantile of the true norms, or private",
                "scale of the data",
                (),
                heat=heat,
            ),
        ),
        alt="A table of three rows and seven columns: the errors are the same at all three scales"
        + (
            ", least for radii at the 90 % and 95 % quantile of the norms, and with the private radius a"
            " tenth above that."
            if usual
            else "."
        ),
        how_to_read="Fixed radii stand at quantiles of the true norms, which nobody knows; the last column"
        " finds its own with a twentieth of the budget. Too small a radius clips, too large a one adds"
        " noise. The rows agree: the private radius follows the scale of the data from 10⁻³ to 10⁴ without"
        " being told.",
    )


def _over_the_best(rows: pd.DataFrame, names: list[str]) -> list[float]:
    means = {name: float(np.exp(np.log(rows[name]).mean())) for name in names}
    best = min(means[name] for name in names if name != "private")
    return [means[name] / best for name in names]


def promise(run: Run, *, epsilon: float = 1.0, delta: float = DELTA) -> Chart:
    """Return the chart of the source's delivered over its promised ε, and of our noise over the source's."""
    ends = (0.05 * epsilon, 4 * epsilon)
    epsilons = np.geomspace(*ends, 30)
    looks = {float(f"{delta / DELTA * one:.6g}"): look for one, look in DELTA_LOOKS.items()}
    usual = (epsilon, delta) == (1.0, DELTA)
    ratios = [
        Series(f"δ = {short(one)}", epsilons, [noise.delivered(float(e), one) / e for e in epsilons],
               role="theory", colour_key=look)
        for one, look in looks.items()
    ]  # fmt: skip
    kept = Series("as promised", ends, (1, 1), role="reference", colour_key="non-private")
    sizes = [
        Series("", epsilons, [size(float(e), one) for e in epsilons], role="theory", colour_key=look)
        for one, look in looks.items()
    ]
    same = Series("", ends, (1, 1), role="reference", colour_key="non-private")
    less = "nevertheless" if max(max(one.y) for one in sizes) < 1 else "where the curves are below 1"
    return Chart(
        "promise",
        "The source's own noise, for a row that is replaced",
        (
            Panel("true ε / promised ε", "promised ε", "ratio", (*ratios, kept), yscale="linear"),
            Panel("our noise / the source's, off the diagonal", "promised ε", "ratio of sds", (*sizes, same),
                  yscale="linear", ylim=(0.4, 1.05) if usual else None),
        ),
        alt="Left: the true ε over the promised one rises with ε"
        f"{' and passes 1 between 0.15 and 1.3' * usual}, earlier for small δ. Right: the sd of our noise"
        " over that of the source, at a promise that is kept"
        f"{', between 0.4 and 0.9' * usual}.",
        how_to_read="Left, above the black line the promise is broken: the source's noise is calibrated for"
        " an added row, and one replaced row moves the matrix √2 times as far. The classic formula is so"
        " generous that for small ε nobody would notice. Right, the exact calibration with symmetric noise"
        f" keeps the promise everywhere, and is the smaller noise {less}.",
    )  # fmt: skip


def size(epsilon: float, delta: float) -> float:
    """Return the sd of our noise off the diagonal over the source's, at the same promise."""
    budget = ApproxDP(epsilon, delta)
    ours, theirs = (_charge(calibration, budget) for calibration in ("tight", "paper"))
    return gaussian_scale(ours) / sqrt(2) / gaussian_scale(theirs)


def _charge(calibration: str, budget: ApproxDP) -> Charge:
    estimator = PerturbedCovariance(calibration="paper" if calibration == "paper" else "tight")
    return estimator.plan(100, 2, budget)[STEP]
