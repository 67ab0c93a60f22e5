"""Records of comparisons, for faces."""

from core.plan.comparison import Both, ComparedChannel
from core.project.comparing.records import (
    Comparison,
    Specification,
    Specifications,
    Splits,
    as_dict,
)
from core.project.fits.run_differences import Setting

__all__ = [
    "Both",
    "ComparedChannel",
    "Comparison",
    "Setting",
    "Specification",
    "Specifications",
    "Splits",
    "as_dict",
]
