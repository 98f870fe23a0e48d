"""The contracts that every entry keeps, each a function that fails on a breach (mutants call them too)."""

from math import ceil, exp, sqrt

import numpy as np
from kit import HOSTILE, Event, distance, row_values, spied, typical_rows
from scipy.special import ndtr

from workbench.catalog import Example
from workbench.estimators.parts.window_median import WindowMedian
from workbench.privacy import (
    ZCDP,
    ApproxDP,
    Charge,
    CountingNoise,
    GaussianDP,
    PureDP,
    SimulatedNoise,
    compose,
)
from workbench.privacy.conversions import gaussian_delta

N = 24


def run(example: Example, x: object, seed: int = 0) -> object:
    return example.estimator(x, budget=example.budget, rng=np.random.default_rng(seed)).value


def warm(example: Example, n: int) -> None:
    """Run once on n rows, so that a table of pivots is simulated before anyone counts mechanisms."""
    run(example, typical_rows(example, n, 0))


def plan_composes_to_the_budget(example: Example) -> None:
    for n in (4, 24, 300, 5000):
        delivered = compose(example.estimator.plan(n, 1, example.budget))
        for field in ("epsilon", "delta", "rho", "mu"):
            wanted = getattr(example.budget, field, 0.0)
            got = getattr(delivered, field, 0.0)
            assert abs(got - wanted) <= 1e-12 * max(wanted, 1e-300), (n, field, got, wanted)
        release = example.estimator(typical_rows(example, n, 1), budget=example.budget, rng=_rng(1))
        assert release.guarantee.budget == delivered


def expected_draw(charge: Charge) -> tuple[str, float, float]:
    """Kind, sensitivity and scale of the draw that a charge stands for, derived here independently."""
    sensitivity, cost = charge.sensitivity, charge.cost
    match charge.mechanism, cost:
        case ("laplace" | "discrete_laplace") as kind, PureDP(epsilon):
            return kind, sensitivity, sensitivity / epsilon
        case "gaussian", ZCDP(rho, 0.0):
            return "gaussian", sensitivity, sensitivity / sqrt(2 * rho)
        case "gaussian", GaussianDP(mu):
            return "gaussian", sensitivity, sensitivity / mu
        case "gaussian", ApproxDP():
            return "gaussian", sensitivity, sensitivity / _mu_by_bisection(cost)
        case "noisy_max", PureDP(epsilon):
            return "exponential", sensitivity, 2 * sensitivity / epsilon
        case "exponential", ZCDP(rho, 0.0):
            return "gumbel", sensitivity, 2 * sensitivity / sqrt(8 * rho)
        case "window_median", PureDP(epsilon) | ApproxDP(epsilon, _):
            return "gumbel", sensitivity, 2 * sensitivity / epsilon
        case "window_median", ZCDP(rho, _):
            return "gumbel", sensitivity, 2 * sensitivity / sqrt(8 * rho)
        case "stability_histogram", ApproxDP(epsilon, _):
            return "discrete_laplace", sensitivity, sensitivity / epsilon
        case "stability_histogram", ZCDP(rho, _):
            return "gaussian", sensitivity, sensitivity / sqrt(2 * rho)
    raise AssertionError(f"no draw is known for {charge}")


def _mu_by_bisection(cost: ApproxDP) -> float:
    low, high = 1e-9, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(middle, cost.epsilon) <= cost.delta else (low, middle)
    return low


def draws_are_those_of_the_plan(example: Example) -> None:
    for n in (24, 300, 5000):
        counting = CountingNoise(SimulatedNoise(_rng(n)))
        x = typical_rows(example, n, n)
        release = example.estimator(x, budget=example.budget, rng=counting)
        expected = [expected_draw(charge) for charge in release.plan.charges()]
        seen = [(draw.kind, draw.sensitivity, draw.scale) for draw in counting.draws]
        assert len(seen) <= len(expected)
        assert len(seen) == len(expected) or _stopped_early(release.value), (seen, expected)
        for (kind, sensitivity, scale), (kind_, sensitivity_, scale_) in zip(seen, expected, strict=False):
            assert kind == kind_
            assert sensitivity == sensitivity_
            assert abs(scale - scale_) <= 1e-9 * scale_, (kind, scale, scale_)


def _stopped_early(value: object) -> bool:
    return (not isinstance(value, float) and "inf" in str(value)) or "no answer" in str(value)


def neighbours(example: Example, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs that differ in one row: typical, constant and two-valued rows against every extreme value."""
    typical, values = typical_rows(example, n, 5), row_values(example, n)
    spread = np.resize([values[0], values[1]], n)
    bases = [typical, typical + 1e6, spread, *(np.full(n, value) for value in values)]
    pairs = []
    for base in bases:
        for value in values:
            other = base.copy()
            other[n // 3] = value
            pairs.append((base, other))
    middle = getattr(example.estimator, "centre", 0.0)
    for value in values:  # a crowd that is found, and one row that crosses it
        base = np.full(n, middle)
        base[n // 3] = middle - 1e6
        other = base.copy()
        other[n // 3] = value
        pairs.append((base, other))
    return pairs


def gaps(example: Example, n: int = N) -> dict[str, tuple[float, float]]:
    """The largest distance of every step's statistic, given equal former outputs, and its sensitivity."""
    worst: dict[str, tuple[float, float]] = {}
    warm(example, n)
    for number, (x, other) in enumerate(neighbours(example, n)):
        events = _longest_run(example, x, number)
        with spied(events) as replayed:
            run(example, other, number)
        assert len(events) == len(replayed), "which steps run depends on more than the released outputs"
        for event, again in zip(events, replayed, strict=True):
            gap = distance(event, again)
            assert not np.isnan(gap)
            worst[event.charge.step] = (
                max(worst.get(event.charge.step, (0.0, 0.0))[0], gap),
                sensitivity(event),
            )
    return worst


def _longest_run(example: Example, x: np.ndarray, number: int) -> list[Event]:
    """The uses of mechanisms in a run on x; for a crowd (see `neighbours`) one that does not stop early."""
    steps = len(list(example.estimator.plan(len(x), 1, example.budget).charges()))
    attempts = 200 if len(np.unique(x)) == 2 else 1
    for attempt in range(attempts):
        with spied() as events:
            run(example, x, 1000 * attempt + number)
        if len(events) == steps:
            break
    return events


def sensitivity(event: Event) -> float:
    return event.charge.sensitivity


def gap_is_the_sensitivity(example: Example) -> None:
    """Never above the declared sensitivity, and equal to it: every mechanism here declares it attained."""
    for n in (24, 300):
        for step, (gap, declared) in gaps(example, n).items() if n == N else _few_gaps(example, n).items():
            assert gap <= declared * (1 + 1e-9), (n, step, gap, declared)
            if n == N:
                assert gap >= declared * (1 - 1e-6), (n, step, gap, declared)


def _few_gaps(example: Example, n: int) -> dict[str, tuple[float, float]]:
    """Gaps at a size where the tight designs have all their steps: constant rows against two extremes."""
    worst: dict[str, tuple[float, float]] = {}
    estimator = example.estimator
    centre = getattr(estimator, "centre", 0.0)
    x = typical_rows(example, n, 7)
    warm(example, n)
    for value in (centre - 1e6, centre + 1e6, np.nan, 1e308):
        for base in (x, np.full(n, centre), np.full(n, centre - 1e6), np.full(n, centre + 1e6)):
            other = base.copy()
            other[-1] = value
            with spied() as events:
                run(example, base, 3)
            with spied(events) as replayed:
                run(example, other, 3)
            for event, again in zip(events, replayed, strict=True):
                step = event.charge.step
                worst[step] = max(worst.get(step, (0.0, 0.0))[0], distance(event, again)), sensitivity(event)
    return worst


def a_lone_row_shows_with_probability_at_most_delta(example: Example) -> None:
    """The threshold of a histogram, or the bottom of a window median, holds the δ that its charge states."""
    warm(example, 300)
    with spied() as events:
        run(example, typical_rows(example, 300, 2))
    for event in events:
        cost = event.charge.cost
        if event.mechanism == "stability_histogram":
            shown = _chance_of_a_lone_row(example, event)
            assert shown <= cost.delta * (1 + 1e-9), (shown, cost.delta)
        elif event.mechanism == "window_median" and getattr(cost, "delta", 0.0):
            shown = _mass_of_a_lone_window(event.statistic[0], event.charge, n=5)
            assert 0.9 * min(cost.delta, 1.0) <= shown <= cost.delta * (1 + 1e-9), (shown, cost.delta)


def _chance_of_a_lone_row(example: Example, event: Event) -> float:
    """P(1 + noise ≥ threshold), the threshold found as the least noisy count that a run releases."""
    from workbench.privacy import histograms

    class Fixed:
        def __init__(self, amount: float) -> None:
            self.amount = amount

        def discrete_laplace(self, value: object, *_: float) -> np.ndarray:
            return np.asarray(value, float) + self.amount

        gaussian = discrete_laplace

    charge, low, high = event.charge, 0.0, 1e6
    whole = isinstance(charge.cost, ApproxDP)
    while high - low > (0.5 if whole else 1e-7):
        middle = (low + high) / 2
        amount = ceil(middle) if whole else middle
        released = histograms.stability_histogram(np.zeros(1), charge, Fixed(amount))
        low, high = (low, middle) if released else (middle, high)
    if whole:
        epsilon, least = charge.cost.epsilon, ceil(high)
        return exp(-epsilon * least / 2) / (1 + exp(-epsilon / 2))
    return float(ndtr(-high * sqrt(charge.cost.rho)))


def _mass_of_a_lone_window(locator: WindowMedian, charge: Charge, n: int) -> float:
    """The mass near a far row of n rows, which one replacement makes impossible: all others at one place."""
    from workbench.estimators.parts.window_median import selection_epsilon

    points = np.zeros(n)
    points[0] = 1e6
    epsilon = selection_epsilon(charge.cost)
    pieces = locator.pieces(points)
    log_mass = pieces.log_length() - epsilon * pieces.penalty / 2
    bottom = locator.log_bottom(charge.cost) - epsilon * n / 2
    peak = max(log_mass.max(), bottom)
    total = np.exp(log_mass - peak).sum() + exp(bottom - peak)
    far = np.exp(log_mass - peak)[pieces.edges[:-1] > 1e5].sum()
    lone = far / total if n > 1 else 0.0
    most = far / exp(bottom - peak)  # the bound of the proof: the bottom alone in the denominator
    assert lone <= most
    return float(most)


def same_stream_gives_the_same_bits(example: Example) -> None:
    """Equal streams give equal releases; other streams do not, unless the output is a bin or a power of 2."""
    n = 6000 if type(example.estimator).__name__.startswith("Interval") else 300  # finite intervals
    x = typical_rows(example, n, 9)
    assert repr(run(example, x, 1)) == repr(run(example, x, 1))
    few = "Location" in type(example.estimator).__name__ or _is_paper_scale(example)
    distinct = {repr(run(example, x, seed)) for seed in range(12)}
    assert len(distinct) == 12 or few or _mostly_silent(distinct), distinct


def _is_paper_scale(example: Example) -> bool:
    return type(example.estimator).__name__ == "Scale" and example.estimator.calibration == "paper"


def _mostly_silent(distinct: set[str]) -> bool:
    """Whether the only repeated output is "no answer": the others differ."""
    return len(distinct) >= 3 and any("Abstention" in value for value in distinct)


def hostile_rows_are_ordinary_inputs(example: Example) -> None:
    """No row raises or warns (warnings are errors here), and the caller's array keeps its bits."""
    rng = _rng(4)
    for n in (4, 25):
        for value in HOSTILE:
            _untouched(example, np.full(n, value))
        for _ in range(6):
            mixed = rng.choice([*HOSTILE, 1.0, 1.0, -3.0], size=n)
            _untouched(example, mixed)


def _untouched(example: Example, x: np.ndarray) -> None:
    before = x.tobytes()
    x.flags.writeable = False
    value = run(example, x, 6)
    assert x.tobytes() == before
    low = getattr(value, "low", value)
    assert not (isinstance(low, float) and np.isnan(low))


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


CONTRACTS = (
    plan_composes_to_the_budget,
    draws_are_those_of_the_plan,
    gap_is_the_sensitivity,
    a_lone_row_shows_with_probability_at_most_delta,
    same_stream_gives_the_same_bits,
    hostile_rows_are_ordinary_inputs,
)
