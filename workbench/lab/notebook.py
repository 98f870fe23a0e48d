"""What a notebook imports: the session, explorers and their controls."""

from workbench.charts.controls import Choice, Slider
from workbench.lab.live.explore import explore
from workbench.lab.live.session import Session
from workbench.lab.live.solve import solve

__all__ = ["Choice", "Session", "Slider", "explore", "solve"]
