"""What a notebook imports: the session, explorers and their controls."""

from workbench.lab.controls import Choice, Slider
from workbench.lab.explore import explore
from workbench.lab.session import Session

__all__ = ["Choice", "Session", "Slider", "explore"]
