"""What a notebook imports: the session, controls of explorers, and a comparison of one's own."""

from workbench.lab.compare import compare
from workbench.lab.live.session import Session
from workbench.study.parameters import Choice, Slider

__all__ = ["Choice", "Session", "Slider", "compare"]
