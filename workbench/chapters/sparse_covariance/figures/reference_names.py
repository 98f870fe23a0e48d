"""The six references of the pictures of errors: how they look, and their names beside their lines."""

from collections.abc import Mapping

from workbench.charts.chart import Mark, Series
from workbench.charts.free_places import beside, feet

LOOKS = {
    "zero": "",
    "oracle diagonal": "",
    "noisy diagonal": "",
    "plain": "covariance/perturbed",
    "empirical": "covariance/empirical",
    "without": "non-private",
}
NAMED = {
    "zero": "zeros",
    "oracle diagonal": "true diagonal",
    "plain": "plain release",
    "empirical": "no privacy",
    "without": "no privacy, thresholded",
}
ON_PLOTS = {  # names and their lines: one for both without privacy, none for the noisy diagonal
    "zeros": ("zero",),
    "true diagonal": ("oracle diagonal",),
    "plain release": ("plain",),
    "no privacy; the lower one thresholded": ("empirical", "without"),
}
COVERED = "noisy diagonal"  # by the true one where n is large, and by curves before


def named(
    lines: Mapping[str, Series], series: list[Series], limits: tuple[float, float] | None, *, again: bool
) -> tuple[Mark, ...]:
    """Return the names of references, with leaders to their lines where these are far.

    Where another panel has the names (`again`), those that would need a leader are left out.
    """
    pairs = [
        (words, [lines[name] for name in names if name in lines])
        for words, names in ON_PLOTS.items()
        if names[0] in lines
    ]
    if not pairs:
        return ()
    seen = [one for one in series if one is not lines.get(COVERED)]
    places = beside(pairs, seen, limits)
    marks = []
    for (words, _), at, end in zip(pairs, places, feet(pairs, places, seen, limits), strict=True):
        key = LOOKS[ON_PLOTS[words][0]]
        if end is None:
            marks.append(Mark(words, "region", *at, colour_key=key))
        elif not again:
            marks.append(Mark(words, "leader", *at, *end, colour_key=key))
    return tuple(marks)
