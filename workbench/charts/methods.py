"""Who is drawn how: name, hue and marker of every method, the same in every picture.

A hue belongs to an idea: what clips at the range it is given is vermilion, what finds its place step by step
blue, what needs no range green, a vote of groups purple, one filter or median a column orange, what trusts
resilient rows olive. Ideas that are not methods, such as noise or sampling, have keys of their own. Ordered
parameters have no hue but a place on a ramp (`Series.rank`).
"""

from dataclasses import dataclass

INK, GREY = "#222222", "#6b6b6b"
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#B04A8B"
ORANGE, SKY, WINE, INDIGO = "#D98C00", "#3E9FD6", "#882255", "#4B3FA0"
BROWN, OLIVE, SLATE = "#8C510A", "#6B7A00", "#3B5B7A"


@dataclass(frozen=True)
class Method:
    """What a method is called in a picture, and its colour and marker."""

    name: str
    hue: str = GREY
    marker: str = "o"


METHODS = {
    "": Method(""),
    "non-private": Method("no privacy", INK, "."),
    "univariate/bounded-mean": Method("mean within bounds", INK, "s"),
    "univariate/count": Method("count", OLIVE, "o"),
    "univariate/histogram": Method("histogram", SLATE, "s"),
    "univariate/clipped-mean": Method("clipped mean", VERMILION, "s"),
    "univariate/two-step-mean": Method("two-step mean", BLUE, "o"),
    "univariate/unbounded-mean": Method("mean without a range", GREEN, "^"),
    "univariate/median": Method("median", ORANGE, "v"),
    "univariate/quantiles": Method("many quantiles", BLUE, "P"),
    "univariate/histogram-location": Method("histogram on a range", BLUE, "D"),
    "univariate/stable-location": Method("histogram without a range", GREEN, "D"),
    "univariate/scale": Method("standard deviation", OLIVE, "P"),
    "univariate/interval": Method("interval, σ known", BLUE, "s"),
    "univariate/interval-unknown-variance": Method("interval, nothing known", GREEN, "s"),
    "univariate/interval-mean": Method("interval, any law", ORANGE, "s"),
    "range/box": Method("box", ORANGE, "s"),
    "range/ball": Method("ball", BLUE, "o"),
    "mean/empirical": Method("sample mean", INK, "."),
    "mean/clipped-box": Method("clipped mean", VERMILION, "s"),
    "mean/coordinatewise": Method("column by column", ORANGE, "v"),
    "mean/coinpress": Method("CoinPress", BLUE, "o"),
    "mean/populous": Method("vote of groups", PURPLE, "D"),
    "mean/affine": Method("lifted quantile", SLATE, "o"),
    "mean/median-of-means": Method("vote of medians", INDIGO, "P"),
    "mean/clipped-heavy": Method("shrinking ball, heavy tails", BROWN, "P"),
    "mean/filter-nonprivate": Method("filter, no privacy", OLIVE, "X"),
    "mean/populous-robust": Method("robust vote of groups", WINE, "v"),
    "mean/filter": Method("private filter", SKY, "^"),
    "mean/prime": Method("PRIME", GREEN, "P"),
    "mean/prime-heavy": Method("PRIME, heavy tails", GREEN, "D"),
    "mean/robust": Method("row-by-row filter", WINE, "X"),
    "mean/robust-heavy": Method("row-by-row filter, heavy tails", WINE, "D"),
    "mean/tukey": Method("Tukey median", INDIGO, "v"),
    "mean/resilient": Method("resilient mean", OLIVE, "^"),
    "mean/resilient-heavy": Method("resilient mean, heavy tails", OLIVE, "D"),
    "covariance/empirical": Method("sample covariance", INK, "."),
    "covariance/clipped": Method("one noisy step", VERMILION, "s"),
    "covariance/coinpress": Method("CoinPress", BLUE, "o"),
    "covariance/heavy-tailed-naive": Method("one noisy step, heavy tails", VERMILION, "D"),
    "covariance/heavy-tailed": Method("preconditioned, heavy tails", BLUE, "P"),
    "covariance/pure-net": Method("public net", BROWN, "v"),
    "covariance/populous": Method("vote of groups", PURPLE, "D"),
    "covariance/unbounded": Method("votes of blocks", GREEN, "^"),
    "covariance/perturbed": Method("noise on every entry", VERMILION, "v"),
    "covariance/thresholded": Method("thresholded", SKY, "o"),
    "covariance/local-thresholded": Method("thresholded, noise at every user", ORANGE, "v"),
    "covariance/filter-nonprivate": Method("filter, no privacy", OLIVE, "X"),
    "covariance/populous-robust": Method("robust vote of groups", WINE, "X"),
    "covariance/matrix-quantile": Method("matrix quantile", WINE, "o"),
    "spectral/eigenvalues": Method("eigenvalues", SKY, "o"),
    "spectral/subspace-aggregate": Method("vote of blocks", GREEN, "s"),
    "spectral/subspace-exact": Method("vote of groups of d rows", PURPLE, "s"),
    "spectral/preconditioner": Method("preconditioner", BROWN, "P"),
    "gaussian/coinpress": Method("CoinPress", BLUE, "o"),
    "gaussian/populous-robust": Method("robust vote of groups", WINE, "X"),
    "gaussian/unbounded": Method("votes of blocks", GREEN, "^"),
    "gaussian/populous": Method("vote of groups", PURPLE, "D"),
    "gaussian/lifted": Method("lifted quantile", SLATE, "o"),
    "idea/noise": Method("noise", VERMILION, "s"),
    "idea/bias": Method("bias", BLUE, "o"),
    "idea/sampling": Method("sampling", GREY, "."),
    "idea/total": Method("all together", INK, "o"),
    "idea/data": Method("data", GREY, "."),
    "idea/laplace": Method("Laplace noise", GREEN, "^"),
    "idea/gaussian": Method("Gaussian noise", PURPLE, "D"),
    "idea/first": Method("X", BLUE, "o"),
    "idea/second": Method("X'", VERMILION, "s"),
    "idea/bad": Method("corrupted", VERMILION, "X"),
    "idea/good": Method("good", BLUE, "o"),
    "idea/right": Method("right", GREEN, "o"),
    "idea/wrong": Method("wrong", VERMILION, "X"),
    "idea/holds": Method("holds", GREEN, "o"),
    "idea/open": Method("undecided", GREY, "s"),
    "idea/refuted": Method("refuted", VERMILION, "X"),
    "idea/silent": Method("no answer", GREY, "s"),
    "idea/public": Method("public", ORANGE, "."),
    "idea/point": Method("here", VERMILION, "o"),
    "idea/limit": Method("impossible", GREY, "."),
    "yours/1": Method("yours", BROWN, "X"),
    "yours/2": Method("yours, too", SKY, "P"),
    "yours/3": Method("a third of yours", OLIVE, "v"),
    "yours/4": Method("a fourth of yours", WINE, "D"),
}


def name(key: str) -> str:
    """Return what a method is called in a picture.

    >>> name("mean/coinpress"), name("univariate/clipped-mean:paper")
    ('CoinPress', "clipped mean, paper's constants")
    """
    owner, _, variant = key.partition(":")
    return METHODS[owner].name + (", paper's constants" if variant == "paper" else "")
