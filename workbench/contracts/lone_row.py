"""Where δ lives: a row that is alone in its bin or window shows with probability at most δ."""

from dataclasses import replace
from math import ceil, exp, expm1, sqrt
from unittest.mock import Mock

import numpy as np

from workbench.contracts.datasets import least, planned, sizes, typical_rows
from workbench.contracts.draws import halved, wishart_delta
from workbench.contracts.kit import run, warm
from workbench.estimators.shared.window_median import selection_epsilon
from workbench.privacy import ApproxDP, UnitNoise, histograms, stable
from workbench.special import ndtr
from workbench.study.faults import spied

WITHOUT = ("gaussian", "symmetric_gaussian", "laplace", "discrete_laplace")  # a δ of their own


def a_lone_row_shows_with_probability_at_most_delta(example):
    """The threshold of a histogram, or the bottom of a window median, holds the δ that its charge states."""
    waiting = {
        charge.step
        for charge in planned(example, max(1000, least(example))).charges()
        if charge.mechanism not in WITHOUT and getattr(charge.cost, "delta", 0.0)
    }
    if not waiting:
        return "no step with a δ that a lone row could use up"
    for n in sizes(example, 300, 1000, 3000):
        if not waiting:
            break
        warm(example, n)
        with spied() as events:
            run(example, typical_rows(example, n, 2))
        for event in events:
            if event.charge.step in waiting:
                holds_its_delta(event)
                waiting.remove(event.charge.step)
    assert not waiting, f"steps that no run reached: {waiting}"
    return None


def holds_its_delta(event):
    charge, delta, least, slack = event.charge, event.charge.cost.delta, 0.9, 1e-9
    match event.mechanism:
        case "stability_histogram":
            shown, least = chance_of_a_lone_row(event), 0.0
            assert not released(event, 300, -1e6), "a count shows whatever its noise"
        case "lower_bound":
            shown, least = chance_above(event), 1 - 1e-6
        case "masked":
            _, scale = draw_in(event)
            shown = wishart_delta(charge.sensitivity, 1 / scale, len(event.statistic), charge.cost)
            least, slack = 0.0, 1e-6
        case "truncated_laplace":
            sensitivity, scale, bound = draw_in(event)
            outside = exp(-max(bound - sensitivity, -bound) / scale) - exp(-bound / scale)
            shown = outside / (-2 * expm1(-bound / scale))
        case "window_median":
            shown = mass_of_a_lone_window(event.statistic[0], charge)
            the_noisy_choice_alone_decides(event.statistic[0], charge)
        case "located_normal" | "stable_mask" | "masked_lift" | "voted":
            assert chance_of_an_answer(event, 0) == 0
            shown, slack = chance_of_an_answer(event, 1), 0.0
        case _:
            raise AssertionError(f"no chance is known for {event.mechanism}")
    assert least * delta <= shown <= delta * (1 + slack), (shown, delta)


def noise_of(**draws):
    """A source in which these draws are functions of what is given to the draw."""
    noise = UnitNoise()
    vars(noise).update(draws)
    return noise


def exact(value, *_):
    return np.asarray(value, float)


def chance_above(event):
    place = float(event.again(noise_of(gaussian=exact, laplace=exact)))
    margin = (float(event.statistic) - place) / event.charge.sensitivity
    if isinstance(event.charge.cost, ApproxDP):
        return exp(-margin * event.charge.cost.epsilon) / 2
    return float(ndtr(-margin * sqrt(2 * event.charge.cost.rho)))


def chance_of_an_answer(event, count):
    found = replace(event.statistic, count=count)

    def answers(point):
        mechanism = getattr(stable, event.mechanism)
        return mechanism(found, event.charge, noise_of(uniform=lambda low, high: point)) is not None

    return halved(answers, 0.0, 1.0, 100)[1] if answers(0.0) else 0.0


def draw_in(event):
    draw = Mock(side_effect=exact)
    event.again(noise_of(truncated_laplace=draw, wishart=draw))
    return draw.call_args.args[1:]


def the_noisy_choice_alone_decides(locator, charge):
    points = 100.0 * np.arange(5)
    edges = locator.pieces(points).edges
    for chosen, logit in enumerate(logits(locator, points, charge)):
        place = locator.draw(points, charge, noise_of(choice=lambda *_, chosen=chosen: chosen))
        if chosen == len(edges) - 1:
            assert place is None
        elif np.isfinite(logit):
            assert place is not None, "an answer is withheld for what the points are"
            assert edges[chosen] <= place <= edges[chosen + 1]


def released(event, count, amount):
    def moved(value, *_):
        return exact(value) + amount

    noise = noise_of(discrete_laplace=moved, gaussian=moved)
    return bool(histograms.stability_histogram(np.zeros(count), event.charge, noise, *event.further))


def chance_of_a_lone_row(event):
    cost = event.charge.cost
    whole, low, high = isinstance(cost, ApproxDP), -10.0, 1e6
    assert released(event, 1, high), "no noise shows a lone row: the noisy count does not decide"
    assert not released(event, 1, low)
    rounded, times = (ceil, 21) if whole else (float, 44)
    _, high = halved(lambda noise: not released(event, 1, rounded(noise)), low, high, times)
    if whole:
        ratio, least = exp(-cost.epsilon / 2), ceil(high)
        return ratio**least / (1 + ratio) if least > 0 else 1 - ratio ** (1 - least) / (1 + ratio)
    return float(ndtr(-high * sqrt(cost.rho)))


def mass_of_a_lone_window(locator, charge):
    """How probable a place near one far row is, relative to the bottom, when all others are elsewhere.

    One replacement makes the place impossible. The proof bounds its probability by this ratio, the bottom
    alone in the denominator. The weights are those of the draw itself.
    """
    points = np.array([1e6, 0.0, 0.0, 0.0, 0.0])
    *places, bottom = logits(locator, points, charge) * selection_epsilon(charge.cost) / 2
    far = locator.pieces(points).edges[:-1] > 1e5
    assert len(places) == len(far), "one more choice than there are pieces: the bottom"
    return float(np.exp(np.array(places)[far] - bottom).sum())


def logits(locator, points, charge):
    choice = Mock(return_value=0)
    locator.draw(points, charge, noise_of(choice=choice))
    scores, _, scale, weights = choice.call_args.args
    with np.errstate(divide="ignore"):
        return np.array(scores, float) + scale * np.log(np.array(weights, float))
