"""The server: what runs on it, whether it is ready, and what it tells monitors."""

from core.jobs.memory import in_words
from core.jobs.operation.openmetrics import openmetrics
from core.jobs.operation.overview import Overview, overview, used
from core.jobs.operation.readiness import obstacles

__all__ = [
    "Overview",
    "in_words",
    "obstacles",
    "openmetrics",
    "overview",
    "used",
]
