"""Mutants of stages, batches and parts that share rows: one row is charged once and spent twice."""

import workbench as wb
from tests.mutants.conditions import Condition
from workbench.catalog import Example
from workbench.contracts.disjoint import a_row_moves_one_part, forms
from workbench.estimators.heavy_tailed import HeavyTailed
from workbench.estimators.histograms import StableCentres
from workbench.estimators.populous import PopulousLearner
from workbench.estimators.prime import Filtered
from workbench.study.faults import Mutant, rewritten

BATCH, PART, REST = "rows[stage.start : stage.stop]", "keys[p :: self.parts]", "x[first + second :]"
WHOLE = "range(p, len(keys), self.parts)"
BLOCK = 64  # rows, more than the vote of (2) leaves over


def divided(kind: type, **options: object) -> Condition:
    def applies(example: Example) -> bool:
        if not isinstance(example.estimator, kind):
            return False
        chosen = all(getattr(example.estimator, name) == value for name, value in options.items())
        return chosen and bool(forms(example))

    return applies


SHARING = [
    Mutant("batches longer by a row",
           rewritten(HeavyTailed, "estimate", BATCH, "rows[stage.start : stage.stop + 1]"),
           a_row_moves_one_part, divided(wb.HeavyTailedCovariance)),
    Mutant("batches that begin a row early",
           rewritten(HeavyTailed, "estimate", BATCH,
                     "rows[max(stage.start - 1, 0) : stage.stop - (stage.start > 0)]"),
           a_row_moves_one_part, divided(wb.HeavyTailedCovariance)),
    Mutant("parts of a ball with row 0 for their last",
           rewritten(StableCentres, "draw", PART,
                     f"keys[[*{WHOLE}][: -1 if p else None] + [0] * (p > 0)]"),
           a_row_moves_one_part, divided(wb.BallRange)),
    Mutant("the last stage of a learner takes a row of the matrix quantile",
           rewritten(PopulousLearner, "estimate", REST, "x[first + second - 1 :]"),
           a_row_moves_one_part, divided(wb.PopulousGaussian, covariance="matrix-quantile")),
    Mutant("the last stage of a learner takes a block of the vote",
           rewritten(PopulousLearner, "estimate", REST, f"x[first + second - {BLOCK} :]"),
           a_row_moves_one_part, divided(wb.PopulousGaussian, covariance="populous")),
    Mutant("the vote of a learner takes a pair of the subspace",
           rewritten(PopulousLearner, "estimate", "x[first : first + second]",
                     "x[first - 2 : first + second - 2]"),
           a_row_moves_one_part, divided(wb.PopulousGaussian, covariance="populous", degenerate=True)),
    Mutant("the matrix quantile takes a row of the subspace",
           rewritten(wb.MatrixQuantileCovariance, "estimate", "x[first:]", "x[first - 1 :]"),
           a_row_moves_one_part, divided(wb.MatrixQuantileCovariance)),
    Mutant("the robust mean takes a row of the covariance",
           rewritten(wb.PopulousRobustGaussian, "estimate", "x[2 * shape.n :]", "x[2 * shape.n - 1 :]"),
           a_row_moves_one_part, divided(wb.PopulousRobustGaussian)),
    Mutant("split parts share row 0",
           rewritten(Filtered, "estimate", "z[p::k]", "z[[0, *range(p + k, n, k)]]"),
           a_row_moves_one_part, divided(wb.FilterMean)),
]  # fmt: skip
