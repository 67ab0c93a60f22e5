"""The record of a fit and its sections, for faces that name their types."""

from core.analysis.record.fit_record import FitRecord
from core.analysis.record.sections import (
    Accuracy,
    AllDiagnostics,
    Channel,
    Diagnostics,
    LiftTestResult,
    ModelCheck,
)
from core.fit.settings import SamplerSettings
from core.project.fits.runs import Run
from core.store.fit_results import FitReport
from core.store.run_about import RunSampler
