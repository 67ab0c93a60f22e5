"""Garbage: what modules hold lives as long as the process and is not searched for it.

Streamlit collects garbage after every run of the script. Searching the half million
objects of pandas, Plotly and the rest took longer than most screens.
"""

import gc
import sys

_known = 0


def spare_modules() -> None:
    """Keep what is in memory out of later searches, if modules came since the last."""
    global _known  # noqa: PLW0603  one per process, like the modules it counts
    if len(sys.modules) != _known:
        gc.collect()
        gc.freeze()
        _known = len(sys.modules)
