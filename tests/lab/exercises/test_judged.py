"""A function that an exercise asks to repair is accused; that of its solution passes audit and worlds."""

import pytest

from tests.lab.conftest import ROOT
from tests.lab.exercises.solutions import functions
from workbench.chapters.many_dimensions import box_and_ball as many_dimensions
from workbench.chapters.one_mean import costs as one_mean
from workbench.privacy import GaussianDP, PureDP
from workbench.study.audit import audit
from workbench.study.hidden import hidden_worlds

CODE = {
    "02_one_mean": (one_mean, PureDP(1.0), 0.1),
    "03_many_dimensions": (many_dimensions, GaussianDP(1.0), 0.4),
}


@pytest.mark.parametrize("seed", [17, 1, 2])
@pytest.mark.parametrize("stem", CODE)
def test_the_fault_is_found_and_its_repair_passes(stem, seed):
    given, claim, within = CODE[stem]
    asked, told = functions(ROOT / "notebooks" / f"{stem}.ipynb")
    assert audit(asked, given.PAIRS, claim, seed=seed, name="mine").violated
    assert hidden_worlds(asked, given.world, within=within, seed=seed)
    assert not audit(told, given.PAIRS, claim, seed=seed, name="mine").violated
    assert hidden_worlds(told, given.world, within=within, seed=seed)


def test_noise_alone_is_private_and_of_no_use():
    blind = lambda x, trials, rng: rng.laplace(scale=100.0, size=trials)  # noqa: E731
    assert not audit(blind, one_mean.PAIRS, PureDP(1.0), seed=17, name="mine").violated
    assert not hidden_worlds(blind, one_mean.world, within=0.1)


def test_noise_for_a_box_is_private_and_not_near_enough():
    def wide(x, trials, rng):
        n, d = x.shape
        return x.clip(-6, 6).mean(axis=0) + rng.normal(scale=12 * d**0.5 / n, size=(trials, d))

    assert not audit(wide, many_dimensions.PAIRS, GaussianDP(1.0), seed=17, name="mine").violated
    assert not hidden_worlds(wide, many_dimensions.world, within=0.4)
