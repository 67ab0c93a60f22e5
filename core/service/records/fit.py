"""The record of a fit and its sections, for faces that name their types."""

from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import (
    Accuracy,
    Channel,
    Check,
    Diagnostics,
    Evidence,
    ModelCheck,
)

__all__ = [
    "Accuracy",
    "Channel",
    "Check",
    "Diagnostics",
    "Evidence",
    "FitRecord",
    "ModelCheck",
]
