"""What a better threshold is worth, what support it finds, a radius nobody gave, and a promise not kept."""

import numpy as np
import pandas as pd

from workbench.chapters.sparse_covariance.claims import radius
from workbench.chapters.sparse_covariance.claims import rules as study
from workbench.chapters.sparse_covariance.figures.figures import DEFAULT, PAPER
from workbench.chapters.sparse_covariance.runs import theory
from workbench.chapters.sparse_covariance.runs.designs import DELTA, REFERENCES
from workbench.chapters.sparse_covariance.runs.measures import arithmetic, exponential, trials
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.limits import covering
from workbench.charts.words import number
from workbench.estimators.sparse import RULES
from workbench.privacy import ApproxDP
from workbench.study.grids import grid, multiples
from workbench.study.measures import Measure, at
from workbench.study.run import Run

LEVEL, PLAIN = 0.05, "covariance/perturbed"
WORDS = {
    "adaptive-lasso": "adaptive lasso (default)",
    "hard": "hard threshold",
    "paper": "equation (9)",
    "bh": "false discoveries",
    "thinning": "thinning",
}
LABELS = {"adaptive-lasso": "default rule", "paper": "equation (9)", "bh": "false discoveries"}
BH = "covariance/local-thresholded"
FOUND_PAIRS = "pairs found (F1: 1 is all of them, and no other)"


def rules(run: Run, *, epsilon: float = 1.0, delta: float = DELTA, p: int = theory.P) -> Chart:
    """Return the error of every rule and reference over that of the best hard threshold."""
    ns = multiples(study.CELL_N, theory.rows_factor("central", p, ApproxDP(epsilon, delta)))
    sweep = study.CELLS.moved(grid(degree=(2, 6), p=(p, 2 * p), n=ns, epsilon=epsilon), delta=delta)
    frame = run.table(sweep)
    names = {**WORDS, **REFERENCES}
    looks = {rule: PAPER if rule == "paper" else DEFAULT for rule in WORDS} | {"plain": PLAIN}
    found = {name: study.over_the_oracle(frame, name, LEVEL) for name in names if len(frame)}
    bars = [_bar(place, found[name], looks.get(name, "")) for place, name in enumerate(found, start=1)]
    panel = Panel(
        f"16 cells: s = 2 and 6, p = {p} and {2 * p}, n = {number(ns[0])} to {number(ns[-1])}", "estimate",
        "error over that of the best hard threshold in hindsight", tuple(bars), xscale="linear",
        ylim=covering((0.05, 12), bars), names=tuple(names.values()),
        marks=(Mark("as good as hindsight", "vertical", x=1.0, y=1.5),),
    )  # fmt: skip
    return Chart(
        "rules",
        "Rules that read their threshold off the release are as good as hindsight",
        (panel,),
        alt="Dots one below the other: the error over that of the best hard threshold."
        " Adaptive lasso, false discoveries and thinning are at 1, the hard rule a little above, equation"
        " (9) at 1.8; the noisy diagonal, the plain release and the zero matrix at 2.4 and more; what needs"
        " no privacy lies far below 1.",
        how_to_read=f"Geometric means, all rules on the same releases, ε = {number(epsilon)},"
        f" δ = {number(delta)}. Above, five rules; below them six references. The best hard threshold is"
        f" chosen"
        " by somebody who knows the truth.",
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
    frame = run.table(sweep)
    found = {rule: _mean_f1(frame, rule) for rule in RULES if len(frame)}
    looks = {"adaptive-lasso": DEFAULT, "paper": PAPER, "bh": BH}
    series = [
        Series(LABELS[rule], ns, *_split(found[rule]), colour_key=looks[rule])
        for rule in looks
        if rule in found
    ]
    series += [
        Series(WORDS[rule], ns, [one.estimate for one in found[rule]], role="reference")
        for rule in ("hard", "thinning")
        if rule in found
    ]
    ends = (ns[0], ns[-1])
    series += [
        Series("", ends, (study.FOUND,) * 2, role="theory"),
        _level(frame, "all pairs"),
    ]
    marks = [Mark("keep every pair", x=ns[-2], y=0.11), Mark("0.9", x=1.1 * ns[0], y=0.93)]
    marks += _passing(frame, run.seed) if len(frame) else []
    panel = Panel(
        f"p = {p}, s = {degree}, ε = {number(epsilon)}, δ = {number(delta)}", "rows n", FOUND_PAIRS,
        tuple(series), yscale="linear", ylim=(-0.03, 1.1), marks=tuple(marks),
    )  # fmt: skip
    return Chart(
        "support",
        "The default rule finds the pairs with half of the rows of equation (9)",
        (panel,),
        alt="F1 of the support against n on a logarithmic axis, for five rules. All rise from near 0 to near"
        " 1;"
        " equation (9) rises last, at twice the rows of the default rule; false discoveries stay just below"
        " 0.9.",
        how_to_read="F1 is the harmonic mean of precision and recall of the pairs that are kept. Upright"
        " lines: from here on a rule is above 0.9. Control of false discoveries keeps some of them for any"
        " n.",
    )


def _passing(frame: pd.DataFrame, seed: int) -> list[Mark]:
    """Return where the default rule and equation (9) pass .9, and how far apart that is."""
    first, last = (
        exponential(study.rows_to_find(frame, rule, LEVEL, seed)).estimate
        for rule in ("adaptive-lasso", "paper")
    )
    crossings = [
        Mark(number(float(f"{n:.2g}")), "vertical", x=n, y=0.2, side="right", colour_key=look)
        for n, look in ((first, DEFAULT), (last, PAPER))
        if np.isfinite(n)
    ]
    if len(crossings) < 2:
        return crossings
    words = Mark(f"{number(last / first, 2)} times the rows", x=2.5 * last, y=0.45, colour_key="idea/total")
    return [*crossings, Mark("", "arrow", x=first, y=0.45, x2=last, y2=0.45), words]


def _mean_f1(frame: pd.DataFrame, rule: str) -> list[Measure]:
    return [arithmetic(values, LEVEL) for values in trials(frame, "n", rule).T]


def _split(found: list[Measure]) -> tuple[list[float], list[float], list[float]]:
    low, high = zip(*(one.interval for one in found), strict=True)
    return [one.estimate for one in found], [max(x, 0.0) for x in low], [min(x, 1.0) for x in high]


def _level(frame: pd.DataFrame, column: str) -> Series:
    means = frame.groupby("n")[column].mean()
    return Series("", means.index, means, role="reference")


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
    frame = run.table(sweep)
    names = [f"q = {q:g}" for q in radius.QUANTILES] + ["private"]
    tables = [_over_the_best(at(frame, scale=scale), names) for scale in radius.SCALES]
    places = range(1, len(names) + 1)
    dots = tuple(
        Series(
            f"scale {number(scale)}",
            [place + shift for place in places],
            table,
            colour_key=DEFAULT,
            rank=rank,
        )
        for scale, table, shift, rank in zip(
            radius.SCALES, tables, (-0.2, 0.0, 0.2), (0.0, 0.5, 1.0), strict=True
        )
    )
    panel = Panel(
        f"n = {number(n)}, p = {p}, s = {degree}, ε = {number(epsilon)}, δ = {number(delta)}", "radius",
        "error over that of the best known radius", dots, "linear", "linear",
        names=(*(f"known: {100 * q:g} % of the norms" for q in radius.QUANTILES), "found privately"),
        marks=(Mark("the best of six", "vertical", x=1.0, y=1.5),),
    )  # fmt: skip
    return Chart(
        "unknown_radius",
        "A radius found privately costs a tenth of the error, at every scale",
        (panel,),
        alt="Dots in seven rows: the errors are the same at all three scales, least for radii at the 90 % and"
        " 95 % quantile of the norms, and with the private radius a tenth above that.",
        how_to_read="Known radii stand at quantiles of the true norms, which nobody knows. Too small a radius"
        " clips, too large a one adds noise. The last row finds its own with a twentieth of the budget.",
    )


def _over_the_best(rows: pd.DataFrame, names: list[str]) -> list[float]:
    means = {name: float(np.exp(np.log(rows[name]).mean())) for name in names}
    best = min(means[name] for name in names if name != "private")
    return [means[name] / best for name in names]
