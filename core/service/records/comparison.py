"""Records of comparisons, for faces."""

from core.project.comparing.records import Comparison, Specifications, Splits, as_dict
