"""The modules that the browser runs against the package, at random settings."""

from math import inf, isfinite, sqrt

import numpy as np
import pytest

from tests.lab.live.modules import _chromium, evaluate
from workbench.chapters.covariance.heavy_tails import CutStudent
from workbench.chapters.one_mean import theory
from workbench.chapters.what_epsilon_means import attacks as attacker
from workbench.chapters.what_epsilon_means import losses as composition
from workbench.chapters.what_epsilon_means.densities import (
    BOUND,
    GAUSSIAN,
    LAPLACE,
    MEDIAN,
    UNCLIPPED,
    Additive,
    Densities,
    Middle,
    law,
)
from workbench.chapters.what_epsilon_means.figures import guess_view, row_view
from workbench.charts.controls import Slider
from workbench.lab.live.browser import EXPLORERS, predictions
from workbench.privacy import ApproxDP, GaussianDP
from workbench.privacy.budgets import approx_from_gdp, gaussian_delta, gdp_within_approx

SETTINGS = 200
BARE = "Gaussian, not clipped"
KINDS = (LAPLACE, GAUSSIAN, MEDIAN, UNCLIPPED, BARE)
OUTPUTS = np.linspace(-9, 9, 31)


@pytest.fixture(scope="module")
def settings():
    """Mechanisms, budgets, and two neighbouring data sets."""
    rng = np.random.default_rng(17)
    found = []
    for place in range(SETTINGS):
        n = int(rng.integers(1, 40))
        first = rng.normal(0, 4, n).round(3)
        second = first.copy()
        second[-1] = round(rng.uniform(-12, 12), 3)
        found.append(
            {
                "mechanism": KINDS[place % len(KINDS)],
                "epsilon": float(np.exp(rng.uniform(-2.5, 2))),
                "delta": float(10 ** rng.uniform(-9, -1)),
                "bound": float(rng.uniform(1, 8)),
                "first": first.tolist(),
                "second": second.tolist(),
            }
        )
    return found


def made(one):
    """The package's mechanism of a setting."""
    n = len(one["first"])
    if one["mechanism"] == BARE:
        gaussian = law(GAUSSIAN, n, one["epsilon"], one["delta"], one["bound"])
        return Additive(gaussian.charge, inf)
    return law(one["mechanism"], n, one["epsilon"], one["delta"], one["bound"])


def densities(one):
    """Both densities on cells: those of the median exactly, others on a fine line."""
    mechanism, sets = made(one), [np.array(one["first"]), np.array(one["second"])]
    if isinstance(mechanism, Middle):
        edges = np.unique(np.concatenate([mechanism.steps(x)[0] for x in sets]))
        middles = (edges[1:] + edges[:-1]) / 2
        return Densities(*(np.exp(mechanism.log_density(x, middles)) for x in sets), np.diff(edges))
    reach = 12 + 30 * mechanism.scale
    return Densities.of(mechanism, *sets, np.linspace(-reach, reach, 200_001))


EACH = """return given.map((one) => {{
    const both = [one.first, one.second];
    const made = has.law(one.mechanism, one.first.length, one.epsilon, one.delta, one.bound);
    return {};
}});"""


def each(expression, given):
    return evaluate(EACH.format(expression), "laws.mjs", given=given)


def test_densities_are_those_of_the_package(settings):
    given = [{**one, "outputs": OUTPUTS.tolist()} for one in settings]
    found = each("one.outputs.map(has.logDensity(made, one.first))", given)
    for one, logs in zip(settings, found, strict=True):
        here = [-inf if log is None else log for log in logs]  # JSON has no infinity
        exact = made(one).log_density(np.array(one["first"]), OUTPUTS)
        np.testing.assert_allclose(here, exact, rtol=1e-10, atol=1e-10, err_msg=str(one))


@pytest.mark.daily
def test_slivers_and_advantages_are_those_of_the_package(settings):
    found = each(
        "[has.excess(made, ...both, one.epsilon), has.advantage(made, ...both)]",
        settings,
    )
    for one, pair in zip(settings, found, strict=True):
        both = densities(one)
        near = {"abs": 1e-12, "rel": 1e-9} if one["mechanism"] == MEDIAN else {"abs": 1e-5, "rel": 1e-4}
        assert pair == pytest.approx([both.excess(one["epsilon"]), both.advantage], **near), one


@pytest.mark.daily
def test_trade_offs_are_those_of_the_package(settings):
    shares = np.linspace(0.02, 0.98, 17)
    given = [{**one, "shares": shares.tolist()} for one in settings]
    found = each("one.shares.map((share) => has.tradeOff(made, ...both, share))", given)
    for one, misses in zip(settings, found, strict=True):
        positives, negatives = densities(one).trade_off()
        near = 1e-9 if one["mechanism"] == MEDIAN else 2e-3
        exact = np.clip(np.interp(shares, positives, negatives), 0, 1)
        np.testing.assert_allclose(misses, exact, atol=near, err_msg=str(one))


def test_no_trade_off_enters_the_corner_and_the_corner_is_the_package_s(settings):
    given = [
        {**one, "allowed": one["delta"] if one["mechanism"] == GAUSSIAN else 0.0}
        for one in settings
        if one["mechanism"] in (LAPLACE, GAUSSIAN, MEDIAN)
    ]
    pairs = """[.1, .3, .7].map((share) => [
        has.tradeOff(made, ...both, share), has.fewestMisses(one.epsilon, one.allowed, share)])"""
    for one, points in zip(given, each(pairs, given), strict=True):
        corner = attacker.fewest_misses(one["epsilon"], one["allowed"], (0.1, 0.3, 0.7))
        assert [point[1] for point in points] == pytest.approx(corner, rel=1e-12)
        assert all(misses >= least - 1e-9 for misses, least in points), one


def test_the_most_an_attacker_can_have(settings):
    found = each("has.mostAdvantage(one.epsilon, one.delta)", settings)
    exact = [attacker.most_advantage(one["epsilon"], one["delta"]) for one in settings]
    assert found == pytest.approx(exact, rel=1e-12)


def test_deltas_and_scales_of_gaussian_noise_are_exact(settings):
    mus = np.exp(np.random.default_rng(1).uniform(-3, 2, SETTINGS))
    given = [{**one, "mu": mu} for one, mu in zip(settings, mus, strict=True)]
    found = np.array(
        each("[has.gaussianDelta(one.mu, one.epsilon), has.gaussianMu(one.epsilon, one.delta)]", given)
    )
    np.testing.assert_allclose(
        found[:, 0], [gaussian_delta(one["mu"], one["epsilon"]) for one in given], rtol=1e-9
    )
    exact = [gdp_within_approx(ApproxDP(one["epsilon"], one["delta"])).mu for one in given]
    np.testing.assert_allclose(found[:, 1], exact, rtol=1e-9)


def test_errors_of_a_cut_are_those_of_the_package():
    rng = np.random.default_rng(2)
    given = [
        {"mechanism": kind, "epsilon": float(e), "delta": 0.01, "cut": float(cut)}
        for kind in (LAPLACE, GAUSSIAN)
        for e, cut in zip(np.exp(rng.uniform(-2, 1.5, 100)), rng.uniform(-8, 8, 100), strict=True)
    ]
    body = "return given.map((one) => has.errorsOfCut(has.noise(one), [-1], [1], one.cut));"
    found = evaluate(body, "laws.mjs", "attacker.mjs", given=given)
    exact = [guess_view.Attack(**one).errors for one in given]
    np.testing.assert_allclose(found, exact, rtol=1e-9)


@pytest.mark.daily
def test_sums_of_losses_are_those_of_the_package():
    rng = np.random.default_rng(3)
    given = [
        {"epsilon": float(e), "k": int(k), "at": float(share * k * e)}
        for e, k, share in zip(
            rng.uniform(0.05, 2, 200), rng.integers(1, 33, 200), rng.uniform(0, 1, 200), strict=True
        )
    ]
    body = """return given.map(({ epsilon, k, at }) => {
        const sum = has.times(has.laplaceLosses(epsilon), k), { mean, sd } = has.moments(sum);
        return [mean, sd, has.deltaOf(sum, at), has.total({ mechanism: "Laplace", epsilon, k }).delta(at)];
    });"""
    found = evaluate(body, "losses.mjs", "composition.mjs", given=given)
    for one, numbers in zip(given, found, strict=True):
        exact = composition.laplace_losses(one["epsilon"]).times(one["k"])
        delta = exact.delta(one["at"])
        assert numbers == pytest.approx([exact.mean, exact.sd, delta, delta], rel=1e-8, abs=1e-10), one


def test_normal_losses_are_those_of_the_package():
    rng = np.random.default_rng(4)
    given = [
        {"epsilon": float(e), "delta": float(d), "k": int(k), "mean": float(m), "sd": float(s)}
        for e, d, k, m, s in zip(
            rng.uniform(0.1, 3, 200), 10 ** rng.uniform(-8, -2, 200), rng.integers(1, 65, 200),
            rng.uniform(0.05, 3, 200), rng.uniform(0.1, 2, 200), strict=True,
        )
    ]  # fmt: skip
    body = """return given.map(({ epsilon, delta, k, mean, sd }) => {
        const { sd: mu, delta: at } = has.gaussianUses(epsilon, delta, k);
        return [mu, at(2 * epsilon), has.normalDelta(mean, sd, mean + sd)];
    });"""
    for one, (mu, delta, normal) in zip(given, evaluate(body, "losses.mjs", given=given), strict=True):
        first = gdp_within_approx(ApproxDP(one["epsilon"], one["delta"])).mu
        assert mu == pytest.approx(sqrt(one["k"]) * first, rel=1e-9)
        assert delta == pytest.approx(gaussian_delta(mu, 2 * one["epsilon"]), rel=1e-8)
        assert approx_from_gdp(GaussianDP(mu), delta).epsilon == pytest.approx(2 * one["epsilon"], rel=1e-6)
        back = composition.normal_epsilon(one["mean"], one["sd"], normal)
        assert back == pytest.approx(one["mean"] + one["sd"], rel=1e-8)


def test_a_coin_sums_to_a_binomial_law():
    body = "const { mass } = has.times(has.coinLosses(0.4), 12); return [...mass];"
    found = evaluate(body, "losses.mjs")
    from scipy.stats import binom

    true = 1 / (1 + np.exp(-0.4))
    np.testing.assert_allclose(found, binom.pmf(np.arange(13), 12, true), atol=1e-13)


def test_errors_of_a_clipped_mean_are_those_of_the_package():
    rng = np.random.default_rng(5)
    given = [
        [int(n), float(radius), float(epsilon)]
        for n, radius, epsilon in zip(
            10 ** rng.uniform(1.3, 5, 200),
            10 ** rng.uniform(0, 6, 200),
            10 ** rng.uniform(-1.3, 1, 200),
            strict=True,
        )
    ]
    found = evaluate("return given.map((one) => has.clippedError(...one));", "errors.mjs", given=given)
    assert found == pytest.approx([theory.clipped_error(*one, "tight") for one in given], rel=1e-9)


def test_layers_of_a_clipped_covariance_are_those_of_the_package():
    rng = np.random.default_rng(6)
    given = [
        [float(v), int(d), int(n), float(rho), float(gamma)]
        for v, d, n, rho, gamma in zip(
            rng.uniform(4.1, 40, 200), rng.integers(1, 60, 200), 10 ** rng.uniform(2, 5, 200),
            10 ** rng.uniform(-2, 1, 200), rng.uniform(1.5, 60, 200), strict=True,
        )
    ]  # fmt: skip
    body = """return given.map(([degrees, d, n, rho, gamma]) => {
        const law = has.layers(degrees, d, n, rho), best = law.best();
        const least = law.bias(best) + law.noise(best);
        return [law.bias(gamma), law.noise(gamma), law.sampling(gamma), law.clipped(gamma), least];
    });"""
    for one, found in zip(given, evaluate(body, "errors.mjs", given=given), strict=True):
        v, d, n, rho, gamma = one
        law = CutStudent(v, d)
        assert found[1:3] == pytest.approx([law.noise(gamma, n, rho), law.sampling(gamma, n)], rel=1e-8), one
        assert [found[0], found[3]] == pytest.approx(
            [law.bias(gamma), law.beyond(gamma)], rel=1e-6, abs=1e-12
        ), one
        least = law.least(n, rho)
        assert least * (1 - 1e-5) <= found[4] <= least * (1 + 1e-9), one


@pytest.mark.daily
def test_the_grid_is_what_the_package_foresees():
    rng = np.random.default_rng(7)
    picks = [
        {
            "epsilon": float(rng.choice(predictions.EPSILONS)),
            "radius": float(rng.choice(predictions.RADII)),
            "n": int(rng.choice(predictions.SIZES)),
        }
        for _ in range(12)
    ]  # fmt: skip
    body = (
        "return given.map((one) => ['error', 'distance', 'found', 'free'].map((what) => has.at(what, one)));"
    )
    for one, (error, distance, found, free) in zip(
        picks, evaluate(body, "grid.mjs", given=picks), strict=True
    ):
        assert error == pytest.approx(predictions.error(**one), rel=1e-3), one
        assert distance == pytest.approx(predictions.distance(**one), rel=1e-3), one
        place = one["radius"], one["epsilon"]
        assert found == predictions.found(*place)
        assert free == pytest.approx(predictions.free(*place), rel=2e-2)


def test_handles_rest_where_those_of_the_package_do():
    logarithmic = [one for facts in EXPLORERS.values() for one in facts.controls.values() if one.get("log")]
    found = evaluate("return given.map(has.stops);", "words.mjs", given=logarithmic)
    for one, stops in zip(logarithmic, found, strict=True):
        slider = Slider(one["low"], one["high"], one["value"], integer=one.get("whole", False))
        assert set(slider.stops) <= set(stops), one
        assert stops == sorted(stops)


def test_the_rows_are_those_of_the_package():
    told = evaluate("return has;", "facts.json")["row"]
    assert tuple(told["rows"]) == row_view.OTHERS
    assert (told["stays"], told["bound"]) == (row_view.STAYS, BOUND)


@pytest.mark.parametrize("mechanism", KINDS)
def test_the_explorer_of_a_row_says_what_the_package_finds(mechanism):
    values = {"row": 7.3, "epsilon": 0.8, "delta": 0.02, "mechanism": mechanism}
    found = evaluate(
        "const found = has.compared(given); return [found.excess, found.advantage];", "row.mjs", given=values
    )
    rows = [[*row_view.OTHERS, last] for last in (row_view.STAYS, 7.3)]
    both = densities({**values, "bound": BOUND, "first": rows[0], "second": rows[1]})
    assert found == pytest.approx([both.excess(0.8), both.advantage], abs=1e-5)


@pytest.mark.daily
def test_chromium_finds_the_same_numbers():
    body = "return [has.erfc(0.7), has.logNormal(-30), has.beta(2.5, 0.3, 0.9)];"
    function = evaluate.__globals__["bundled"](("special.mjs",))
    parts = "\n".join(function)
    there = _chromium(f"(given) => {{ {parts}\nconst has = $special_mjs; {body} }}", None)
    here = evaluate(body, "special.mjs")
    assert there == pytest.approx(here, rel=1e-14)
    assert all(map(isfinite, here))
