"""What happened to a project, what its fits returned, and what was noted beside it."""

from core.project.history.annotations import (
    LONGEST,
    Annotation,
    annotate,
    annotations,
    delete_annotation,
)
from core.project.history.returns import returns_over_fits
from core.project.history.timeline import Event, timeline
