"""Plotting libraries, which a worker needs for a report only.

arviz-base would load the first of them that it finds, which takes time and memory.
"""

import sys

_LIBRARIES = ("matplotlib", "plotly", "bokeh")


def hide() -> None:
    """Make plotting libraries look absent to who would load them unasked."""
    for name in _LIBRARIES:
        sys.modules.setdefault(name, None)


def show() -> None:
    """Have them back, for who draws."""
    for name in _LIBRARIES:
        if name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]
