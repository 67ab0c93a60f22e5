"""What happened to a project, what its fits returned, and what was noted beside it."""

from core.project.history.annotations import (
    LONGEST,
    Annotation,
    annotate,
    annotations,
    delete_annotation,
)
from core.project.history.returns import FitReturns, returns_over_fits
from core.project.history.timeline import Event, timeline

__all__ = [
    "Annotation",
    "Event",
    "FitReturns",
    "LONGEST",
    "annotate",
    "annotations",
    "delete_annotation",
    "returns_over_fits",
    "timeline",
]
