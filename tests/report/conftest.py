"""Reports under test."""

import pytest

from core.report.paper import pdf

_BLANK = b'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="300"></svg>'


@pytest.fixture
def blank_pictures():
    """Figures on paper are blank: for a test that reads what stands beside them.

    Drawing them takes three quarters of a report's time, and their letters are
    outlines, which nobody can read; see tests/charts/test_charts_still.py.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdf, "svg", lambda figure: _BLANK)
        yield
