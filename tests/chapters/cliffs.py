"""Worlds for claims about how n grows: runs succeed from an n on that is a multiple of the stated one."""

from dataclasses import replace

import numpy as np

from workbench.chapters.registry import CLAIMS


def cliff(goal, n, *, trials, data, noise):
    """Succeed from about this n on."""
    return {"error": np.where(n >= goal * np.exp(0.1 * data.standard_normal(trials)), 0.0, np.inf)}


def grown(scaling, *, more=0.0, times=0.5):
    """Return a scaling whose n is a multiple of the stated one, times a power of the number, towards more."""
    sign = 1.0 if scaling.power >= 0 else -1.0

    def setting(value):
        true = scaling.setting(value)
        ratio = scaling.axis(value) / scaling.axis(scaling.values[0])
        base = true.predicted if times > 1 else true.stated
        goal = max(1000 * times * base * ratio ** (sign * more), 20.0)
        scaled = {"stated": 1000 * true.stated, "predicted": 1000 * true.predicted}
        return true._replace(point={"goal": goal}, alpha=0.5, start=round(goal), fewest=1, **scaled)

    return replace(scaling, setting=setting, block=cliff, caps={"full": 100})


def found(identifier, **world):
    """Return the statuses of the checks of a claim in a world."""
    claim = CLAIMS[identifier]
    verdict = replace(claim, scalings=lambda: [grown(one, **world) for one in claim.scalings()])
    return {check["id"]: check["status"] for check in verdict.decide("full", 4, 1).detail["checks"]}
