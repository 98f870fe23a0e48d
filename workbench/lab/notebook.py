"""What a notebook imports: the session, explorers and their controls, and a comparison of one's own."""

from workbench.lab.compare import compare
from workbench.lab.explore import explore
from workbench.lab.live.session import Session
from workbench.study.parameters import Choice, Slider

__all__ = ["Choice", "Session", "Slider", "compare", "explore"]
