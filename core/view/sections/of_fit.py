"""What every medium says of a fit beside its returns, in the order in which it is read.

A section is a function of the record of a fit; it is listed here, and text, page, PDF,
workbook, slides and screen draw it.
"""

from core.analysis.record.fit_record import FitRecord
from core.view import evidence_words, funnel_words
from core.view.sections import frequencies, lift_tests
from core.view.sections.section import Medium, Section, drawn_in

_SECTIONS = (
    funnel_words.section,
    evidence_words.section,
    frequencies.section,
    lift_tests.section,
)


def sections(fit: FitRecord, medium: Medium) -> list[Section]:
    """The sections of a fit that a medium draws.

    Args:
        fit: What the fit says.
        medium: Where they are drawn.
    """
    return drawn_in(medium, [section(fit) for section in _SECTIONS])
