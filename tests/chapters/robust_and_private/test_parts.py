"""The claims about the parts of PRIME decide; in a falsified world they are refuted."""

import numpy as np
import pytest

from tests.chapters.worlds import Falsified, columns, refuted, require_true
from workbench.chapters.robust_and_private.claims import parts
from workbench.privacy import ApproxDP

NOISE, APART = "robust-and-private/matrix-noise", "robust-and-private/neighbours-stay"
BINS, COSTS = "robust-and-private/bins-are-safe", "robust-and-private/costs-add-up"


@pytest.fixture(autouse=True)
def _few(world):
    world.few(parts, {"NORMS": 3, "PAIRS": 200, "BINS": 1500})


@pytest.mark.parametrize(("identifier", "sizes"), [(NOISE, 0), (APART, 0), (BINS, 1), (COSTS, 0)])
def test_a_true_claim_is_not_refuted_by_few_trials(identifier, sizes):
    require_true(identifier, sizes=sizes)


def repeated(few, change):
    """Change what few trials measure, and repeat it until there are enough."""

    def falsified(block):
        def measured(*, trials, **given):
            found = columns(change)(block)(trials=few, **given)
            return {name: np.resize(values, trials) for name, values in found.items()}

        return measured

    return falsified


def exponent(block):
    return lambda *, trials, data, noise, **point: {
        "norm": (point["d"] / 60) ** 0.15 * data.uniform(0.99, 1.01, trials)
    }


FALSIFIED = {
    "neighbours that are driven apart": Falsified(
        APART,
        "PAIRS",
        repeated(200, lambda found, _: {"joint": found["joint"] + 1}),
        1000,
        ["largest distance, one threshold for all rows"],
    ),
    "thresholds of their own that do no harm": Falsified(
        APART,
        "PAIRS",
        repeated(200, lambda found, _: {"separate": 0 * found["separate"]}),
        60_000,
        ["distance above 1, a threshold for each row"],
    ),
    "noise with another exponent": Falsified(NOISE, "NORMS", exponent, 60, "exponent in d, fixed radius"),
    "a histogram that shows every row": Falsified(
        BINS,
        "BINS",
        columns(lambda found, _: {name: np.ones_like(found[name]) for name in ("lone", "away")}),
        1500,
        [""] * 3,
    ),
}


@pytest.mark.daily
@pytest.mark.parametrize("case", FALSIFIED.values(), ids=FALSIFIED)
def test_a_falsified_world_is_refuted(world, case):
    world.falsify(parts, case)
    case.require()


def test_noise_of_twice_the_size_is_refuted(world):
    doubled = repeated(3, lambda found, _: {"norm": 2 * found["norm"]})
    world.falsify(parts, Falsified(NOISE, "NORMS", doubled, 60))
    assert sum(name.startswith("over 2σ√d") for name in refuted(NOISE)) == 4


def test_the_probability_of_a_lone_row_is_that_of_the_noise():
    """By adding up the law of discrete Laplace noise from the threshold on."""
    decay = np.exp(-0.5)
    law = decay ** np.abs(np.arange(-400, 401))
    law /= law.sum()
    seen = law[400 + 6 :].sum()
    assert parts.lone_probability() == pytest.approx(seen, rel=1e-9)
    assert seen <= 0.05


def test_steps_that_cost_more_than_the_budget_are_refuted(world):
    true = parts.gaussian_mu
    world.part(parts, "gaussian_mu", lambda cost: true(cost) * (1 if isinstance(cost, ApproxDP) else 1.01))
    assert sum(name.startswith("sum of squares") for name in refuted(COSTS)) == 6
