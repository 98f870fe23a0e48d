"""The claims of notebook 05 are refuted in falsified worlds, and its pictures and judges say what is so."""

import numpy as np
import pytest

from tests.chapters.conftest import constant, elsewhere, failing, instead, require_refuted, scaled
from workbench.chapters.any_gaussian import attacks, frames, votes

NAME = "any-gaussian/{}".format
FOUR = 4 * ["found with half of them"]


def wider(factor):
    return elsewhere(lambda point: {"eta": factor * point["eta"]})


FALSIFIED = [
    (votes, "frobenius-masks-concentrate", "FROBENIUS", wider(2.0), 400, "d = 5"),
    (votes, "neighbours-move-little", "NEIGHBOURS", scaled(count=1.1), 20, ["count of friends"]),
    (frames, "subspaces-exact", "SUBSPACES", instead(constant(error=1e-6)), 400, FOUR),
    (frames, "preconditioners-found", "FRAMES", instead(failing(0.4, 0.7)), 400, "above a condition number"),
    (frames, "means-without-range", "MEANS", instead(failing(0.4)), 300, ["no mean within .2"] * 3),
    (frames, "laws-learned", "LAWS", instead(failing(0.35, 0.25)), 126, ["no distribution within .2"] * 2),
    (frames, "covariances-learned", "COVARIANCES", instead(failing(0.35)), 126, ["error above .2"] * 2),
    (attacks, "searches-stay-below", "SEARCHES", instead(constant(above=9)), 60, ""),
    (attacks, "robust-votes", "VOTES", instead(failing(0.3, 3.1)), 60, ["no release, or above 3"]),
    (attacks, "robust-mean-votes", "MEAN_VOTES", instead(failing(0.3)), 60, ["no release, or above 3"]),
    (attacks, "robust-laws", "LAWS", instead(constant(error=0.5, mean=3.1)), 60, ["no release"]),
]  # fmt: skip


@pytest.mark.turns(4)
@pytest.mark.parametrize(("module", "name", "case"), [(one, name, case) for one, name, *case in FALSIFIED])
def test_a_falsified_world_is_refuted(world, module, name, case):
    world.refutes(module, NAME(name), *case)


@pytest.mark.turns(4)
def test_the_weight_of_the_replaced_group_itself_has_to_be_charged(world):
    """C without its + 1."""
    true = votes.Thresholds.change.fget
    world.part(votes.Thresholds, "change", property(lambda vote: true(vote) - 1))
    require_refuted(NAME("neighbours-move-little"), "weights in total variation over C/k")


@pytest.mark.daily
def test_one_attack_that_often_errs_more_is_refuted_though_all_together_are_not(world):
    def flipped(*, trials, data, noise, attack, **point):
        return {"error": np.where((attack == "flipped") & (data.random(trials) < 0.35), 3.5, 1.0)}

    world.sweep(attacks, "ORACLES", block=flipped, trials=60)
    world.sweep(attacks, "HARD", block=flipped, trials=60)
    world.sweep(attacks, "CLEAN", block=constant(changed=False), trials=2000)
    require_refuted(NAME("oracles-within-unit"), ["above 3, the worst attack"] * 2)
