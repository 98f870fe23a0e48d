"""How many rows, or how much privacy budget, an accuracy needs: every entry of the catalog that may answer.

An entry answers with its own `plan`, which says from how many rows on it runs at all, and its own
`error_bound`, a proved number that the error exceeds with probability at most beta. What is planned is
therefore enough, under the entry's assumptions alone; a simulation may show that less will do.
"""

from workbench.study.planner.answers import Answer, plan
from workbench.study.planner.estimators import Parameter
from workbench.study.planner.question import Question
from workbench.study.planner.search import Check

__all__ = ["Answer", "Check", "Parameter", "Question", "plan"]
