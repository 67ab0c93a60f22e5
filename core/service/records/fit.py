"""The record of a fit and its sections, for faces that name their types."""

from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import (
    Accuracy,
    BeforeAndAfter,
    Channel,
    Check,
    Diagnostics,
    Evidence,
    LiftTestResult,
    ModelCheck,
)
from core.fit.settings import SamplerSettings
from core.project.fits.runs import Run

__all__ = [
    "Accuracy",
    "BeforeAndAfter",
    "Channel",
    "Check",
    "Diagnostics",
    "Evidence",
    "FitRecord",
    "LiftTestResult",
    "ModelCheck",
    "Run",
    "SamplerSettings",
]
