"""The attacks on the interval for any law: a choice of each rank, and both means, given what was released."""

from collections.abc import Callable
from functools import partial
from math import inf

from workbench.estimators.intervals import (
    CENTRE,
    IntervalMean,
    Tail,
    count_from,
    mean_square,
    moved_mean,
    tail_design,
)
from workbench.privacy import ZCDP, ApproxDP
from workbench.study.pairs import rows
from workbench.study.pairs.base import Setting, still
from workbench.study.pairs.univariate import Cases, anywhere


def interval_mean() -> Cases:
    """Yield the attacks on `univariate/interval-mean`: each choice on points that it is given as they are."""
    unit = Tail(1.0, inf, inf, 1.0)
    for n, budget in ((200, ApproxDP(8, 0.1)), (200, ZCDP(4, 0.1))):
        setting = Setting("univariate/interval-mean", IntervalMean(level=0.5), budget, n)
        chosen = tail_design(n, budget)
        choices = {"log-scale": chosen.scale, "inner-radius": chosen.inner, "outer-radius": chosen.outer(0.0)}
        for step, locator in choices.items():
            points = n // 2 if step == "log-scale" else n
            yield setting.drawn(step, still(locator).draw, rows.ranks(points, locator.rank, locator.range))
        yield setting.drawn("locate", still(CENTRE).draw, anywhere())
        apart = (rows.moved("one pair more", [-1.0] * (n // 2), 1.0),)
        yield setting.noisy("support", partial(count_from, least=0.0), apart)
        yield setting.noisy("average", partial(moved_mean, tail=unit), rows.ends(n))
        yield setting.noisy("variance", partial(mean_square, tail=unit), rows.ends(n))
        yield setting.whole(rows.typical(n), 0.05)


BUILDERS: dict[str, Callable[[], Cases]] = {"univariate/interval-mean": interval_mean}
