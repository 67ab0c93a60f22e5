"""Records of comparisons, for faces."""

from core.project.comparing.records import (
    Comparison,
    Specification,
    Specifications,
    Splits,
    as_dict,
)
from core.project.fits.run_differences import Setting
