"""How many rows, or how much privacy budget, an accuracy needs: every entry of the catalog that may answer.

An entry answers with its own `plan`, which says from how many rows on it runs at all, and its own
`error_bound`, a proved number that the error exceeds with probability at most beta: that n is enough, under
the entry's assumptions alone. Beside it stands the n at which its `predicted_error`, a median, is alpha, and
on demand the one at which a share of runs on synthetic rows is within alpha.
"""

from workbench.study.planner.answers import Answer
from workbench.study.planner.comparison import Answers, compared, plan
from workbench.study.planner.estimators import Parameter
from workbench.study.planner.question import Question
from workbench.study.planner.search import Check
from workbench.study.planner.simulation import Simulation

__all__ = ["Answer", "Answers", "Check", "Parameter", "Question", "Simulation", "compared", "plan"]
