"""One's own column before it is used: what a release tells of a row, and how far five means would be off.

    explore(frame["height"], low=0, high=250)

Everything follows from public numbers: how many rows there are, a range, a usual spread, ε and δ. No row is
read, and what is simulated runs on a synthetic column of as many rows, so that looking costs nothing.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from io import BytesIO
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from workbench.chapters.parameters import EPSILON
from workbench.chapters.what_epsilon_means.attacks import most_advantage
from workbench.chapters.what_epsilon_means.densities import believed
from workbench.charts.chart import Chart, Mark, Panel, Series
from workbench.charts.style import METHODS, number
from workbench.errors import ArgumentError, integer_at_least
from workbench.estimators.base import Abstention
from workbench.lab.explore import Explorer, Form, computed, control
from workbench.privacy import ApproxDP, Budget, PureDP
from workbench.study.grids import Role, stream
from workbench.study.parameters import Slider
from workbench.study.run import Run
from workbench.study.trade_off import TradeOff

BOUNDED, UNBOUNDED = "univariate/bounded-mean", "univariate/unbounded-mean"
KEYS = (BOUNDED, "univariate/clipped-mean", "univariate/two-step-mean", UNBOUNDED, "univariate/median")
PRIORS = tuple(range(1, 100))  # %
CUT, LEVEL = 90, 5  # % of simulated releases that a bar holds, and those below it
RUNS = 200
SPREADS = 6  # usual spreads that a range has, unless the spread is said
NEVER = "would abstain at these numbers"


def settings(key: str, low: float, high: float, sigma: float) -> Form:
    """Return what an estimator is told of a column between two bounds with a usual spread."""
    middle = {"centre": (low + high) / 2, "radius": (high - low) / 2, "sigma": sigma}
    return {BOUNDED: {"low": low, "high": high}, UNBOUNDED: {"sigma": sigma}}.get(key, middle)


@cache
def _trade(key: str, *told: float) -> TradeOff:
    return TradeOff(key, settings=settings(key, *told))


def best_budget(key: str, n: int, epsilon: float, delta: float, *told: float) -> tuple[float, Budget]:
    """Return the error that is predicted, else proved, and the budget within (ε, δ) that it has it at."""
    trade, offers = _trade(key, *told), (PureDP(epsilon), ApproxDP(epsilon, delta))
    found: list[tuple[float, Budget]] = [(inf, offers[0])]
    for offer in offers:
        try:
            found.append((trade.candidate.bound(n, offer, trade.missed), offer))
        except (ArgumentError, OverflowError):
            continue
    return min(found, key=lambda pair: pair[0])


def column(
    run: Run, *, epsilon: float = 1.0, n: int = 1000, low: float = 0.0, high: float = 1.0,
    sigma: float = 1 / 6, delta: float = 1e-6,
) -> Chart:  # fmt: skip
    """Return what a release tells of one row, beside the errors of five private means."""
    if not low < high:
        raise ArgumentError("low", low, f"a number below high = {high:g}")
    found = {key: best_budget(key, n, epsilon, delta, low, high, sigma) for key in KEYS}
    best = min(found, key=lambda key: found[key][0])
    error, right = found[best][0], 50 + 50 * most_advantage(epsilon, delta)
    told = f"ε = {number(epsilon)}, n = {number(n)}"
    return Chart(
        "column",
        f"At ε = {number(epsilon)} the best attacker is right in {right:.0f} of 100 rounds",
        (_risk(epsilon, delta, right), _errors(run, found, (n, low, high, sigma))),
        alt="Left, a band of beliefs after a release against the belief before it. Right, an error bar for"
        " each of five private means.",
        how_to_read="Left, the wider the band, the more a release may tell of one row. Right, the shorter a"
        " bar the better: half of all releases are within it.",
        caption=f"{told}: {METHODS[best].name} has the least error, {number(error)} or less in"
        f" {'half' if best != BOUNDED else '90 %'} of its releases."
        if error < inf
        else f"{told}: every one of them {NEVER}.",
    )


def _risk(epsilon: float, delta: float, right: float) -> Panel:
    before = np.array(PRIORS) / 100
    least, most = (100 * believed(before, sign * epsilon) for sign in (-1, 1))
    band = Series("as before", PRIORS, PRIORS, least, most, role="reference", colour_key="idea/data")
    here = Mark(
        f"{right:.0f} of 100", "point", x=50, y=100 * float(believed(np.array(0.5), epsilon)), side="left"
    )
    return Panel(
        "what may be believed of one row after the release", "belief before (%)", "belief after (%)", (band,),
        "linear", "linear", xlim=(0, 100), ylim=(0, 100), marks=(here,),
        note=f"But for a chance of δ = {number(delta)}.",
    )  # fmt: skip


def _errors(
    run: Run, found: Mapping[str, tuple[float, Budget]], public: tuple[int, float, float, float]
) -> Panel:
    places = range(1, len(KEYS) + 1)
    middle, errors = (public[1] + public[2]) / 2, [found[key][0] for key in KEYS]
    top, bottom = ([middle + sign * one for one in errors] for sign in (1, -1))
    series = [Series("", places, top, bottom, role="bars", colour_key="idea/noise")]
    if run.simulate:
        count = run.most or RUNS
        centre, least, most = np.transpose([_simulated(key, found[key][1], public, count) for key in KEYS])
        series.append(Series("", places, centre, least, most, colour_key="idea/data", joined=False))
    abstain = [METHODS[key].name for key, error in zip(KEYS, errors, strict=True) if error == inf]
    never = f"{', '.join(abstain)}: {NEVER}." if abstain else ""
    names = [f"{METHODS[one].name}{' (proved, any rows)' if one == BOUNDED else ''}" for one in KEYS]
    return Panel(
        "what five means would release of a column in the middle of the range", "", "released mean",
        tuple(series), "linear", "linear", names=tuple(names), note=never,
    )  # fmt: skip


def _simulated(
    key: str, budget: Budget, public: tuple[int, float, float, float], count: int
) -> tuple[float, float, float]:
    """Return the median and the bar of releases about synthetic columns; infinite where it abstains."""
    n, *told = public
    low, high, sigma = told
    data, noise = (stream(17, role, f"own column, {key}", 0, 0) for role in (Role.DATA, Role.NOISE))
    estimator = _trade(key, *told).candidate.estimator
    middle = (low + high) / 2
    columns = np.clip(middle + sigma * data.standard_normal((count, n)), low, high)
    try:
        values = [estimator(rows, budget=budget, rng=noise).value for rows in columns]
    except ArgumentError:
        return inf, inf, inf
    found = [inf if isinstance(one, Abstention) else float(one) for one in values]
    least, centre, most = np.percentile(found, (LEVEL, 50, LEVEL + CUT), method="nearest")
    return float(centre), float(least), float(most)


def code(values: Mapping[str, Any]) -> str:
    """Return the call of the estimator with the least error, for a column x."""
    told = [values[name] for name in ("low", "high", "sigma")]
    place = values["n"], values["epsilon"], values["delta"], *told
    key = min(KEYS, key=lambda key: best_budget(key, *place)[0])
    named = ", ".join(f"{name}={value:g}" for name, value in settings(key, *told).items())
    made = type(_trade(key, *told).candidate.estimator).__name__
    return f"{made}({named})(x, budget={best_budget(key, *place)[1]!r}, rng=np.random.default_rng())"


def _computed(values: Mapping[str, Any]) -> Form:
    form = computed(column, Run("quick", simulate=False), values)
    return form if "error" in form else {**form, "code": code(values)}


def of(
    rows: Sequence[float] | pd.Series,
    *,
    low: float,
    high: float,
    sigma: float | None = None,
    epsilon: float = 1.0,
    delta: float = 1e-6,
) -> Explorer:
    """Return the explorer of one's own column; only its length is read.

    The bounds of its values are public, known without the column, and so is a usual spread `sigma`: a sixth
    of the range unless it is given.

    Raises
    ------
    ArgumentError
        If the bounds are no range, or there are fewer than two rows.
    """
    n = len(rows)
    integer_at_least(2, rows=n)
    if not low < high:
        raise ArgumentError("low", low, f"a number below high = {high:g}")
    low, high = float(low), float(high)
    span, spread = high - low, sigma or (high - low) / SPREADS
    sliders = {
        "epsilon": EPSILON.slider(epsilon),
        "n": Slider(max(2, n // 10), 10 * n, n, True, "n", "rows", True),
        "low": Slider(low - span, (low + high) / 2, low, False, "low"),
        "high": Slider((low + high) / 2, high + span, high, False, "high"),
        "sigma": Slider(spread / 10, 10 * spread, spread, True, "spread"),
        "delta": Slider(1e-12, 1e-3, delta, True, "δ"),
    }
    controls = [control(name, one) for name, one in sliders.items()]
    return Explorer("column", _computed, controls, code="lab.explore(x", call=f"{__name__}:column")


class Drop:
    """A place for a CSV file, its columns, and public bounds: then the explorer of the column."""

    def __init__(self) -> None:
        import ipywidgets

        self.frame = pd.DataFrame()
        self.file = ipywidgets.FileUpload(accept=".csv", description="your CSV file")
        self.column = ipywidgets.Dropdown(description="column")
        self.low, self.high = (ipywidgets.FloatText(description=f"public {end}") for end in ("low", "high"))
        self.go, self.words = ipywidgets.Button(description="explore"), ipywidgets.Label()
        row = ipywidgets.HBox([self.file, self.column, self.low, self.high, self.go])
        self.place = ipywidgets.VBox()
        self.box = ipywidgets.VBox([row, self.words, self.place])
        self.file.observe(self._read, "value")
        self.go.on_click(self._explore)

    def _read(self, _change: object) -> None:
        try:
            self.frame = pd.read_csv(BytesIO(bytes(self.file.value[0]["content"])))
        except ValueError as error:  # pandas' own are ValueErrors, and so are wrong letters
            self.words.value = f"no CSV file: {str(error).splitlines()[0]}"
            return
        self.column.options = list(self.frame.columns)
        self.column.index = 0 if len(self.frame.columns) else None
        self.words.value = f"{len(self.frame)} rows, which stay here; only how many there are is used"

    def _explore(self, _button: object) -> None:
        try:
            made = of(self.frame.get(self.column.value, ()), low=self.low.value, high=self.high.value)
        except ArgumentError as error:
            self.words.value = str(error)
        else:
            self.place.children = (made.widget(),)
