"""What the claims about n have in common: an algorithm with its public numbers, and how they move."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.bounds import wx19 as bounds
from workbench.chapters.sparse_covariance.runs.searched import Threshold, on_circles
from workbench.study.scaling import Move, Scaling, Setting

CAPS = {"full": 400}
SEEN = {"quick": 100, **CAPS}  # the cells that quick searches, too
CENTRAL, LOCAL = "covariance/thresholded", "covariance/local-thresholded"


@dataclass(frozen=True)
class Algorithm:
    """What is said of one algorithm: its public numbers, and how they move.

    `model` and `norm` are those of the run, `term` is "noise" or "sampling".
    """

    id: str
    model: str
    term: str
    usual: Mapping[str, Any]
    moves: Mapping[str, Move]
    norm: str = "w = 2"
    quick: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What is run."""
        said = f"paper, {self.term}" + ("" if self.norm == "w = 2" else f", {self.norm}")
        return f"{CENTRAL if self.model == 'central' else LOCAL} [{said}]"

    def scalings(self) -> Iterator[Scaling]:
        """Return a scaling of every number that moves."""
        for variable, move in self.moves.items():
            yield Scaling(
                statement=self.id,
                variable=variable,
                key=self.key,
                term=move.term,
                values=move.values,
                setting=_Settings(self, variable, move),
                block=on_circles,
                power=move.power,
                instead=move.instead,
                logarithm=move.logarithm,
                caps=SEEN if variable in self.quick else CAPS,
            )

    def setting(self, public: Mapping[str, Any]) -> Setting:
        """Return the setting at public numbers; the prediction is the n at which t is the entry α/s."""
        shape = bounds.central_rows if self.model == "central" else bounds.local_rows
        alpha, degree, p = public["alpha"], public["degree"], public["d"]
        others = {name: public[name] for name in ("epsilon", "delta", "variance")}
        threshold = Threshold(self.model == "local", p, **others)
        predicted, part = threshold.rows(alpha / degree), threshold.only(self.term, alpha / degree)
        return Setting(
            point={
                **others,
                **{"model": self.model, "norm": self.norm, "p": p, "alpha": alpha, "degree": degree},
                "active": public["active"],
            },
            alpha=alpha,
            start=round(predicted),
            stated=shape(alpha, degree, p, **others),
            predicted=predicted,
            share=part / predicted,
        )


@dataclass(frozen=True)
class _Settings:
    algorithm: Algorithm
    variable: str
    move: Move

    def __call__(self, value: float) -> Setting:
        usual = {**self.algorithm.usual, **self.move.beside}
        kind = type(usual[self.variable])
        return self.algorithm.setting({**usual, self.variable: kind(value)})


def proved(setting: Setting) -> float:
    """Return the n from which 8 t (s + 1) is at most α: Theorem 2 with the constants of Lemma 3."""
    public = setting.point
    numbers = {name: public[name] for name in ("p", "epsilon", "delta", "variance")}
    return Threshold(public["model"] == "local", **numbers).rows(setting.alpha / (8 * (public["degree"] + 1)))
