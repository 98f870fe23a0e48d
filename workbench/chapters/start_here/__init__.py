"""Everything that the notebook `00_start_here` shows, in its order: a file a topic."""

from workbench.chapters.start_here.applicable import (
    patients,
    price,
    risk_and_error,
    side_by_side,
    spending,
    ten_releases,
)
