"""Libraries that others load unasked: a worker needs them for a report, or never.

arviz-base would load the first plotting library that it finds, and xarray Dask's
scheduler with every file that it writes, which takes time and memory.
"""

import sys

_LIBRARIES = ("matplotlib", "plotly", "bokeh", "distributed")


def hide() -> None:
    """Make these libraries look absent to who would load them unasked."""
    for name in _LIBRARIES:
        sys.modules.setdefault(name, None)


def show() -> None:
    """Have them back, for who draws."""
    for name in _LIBRARIES:
        if name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]
