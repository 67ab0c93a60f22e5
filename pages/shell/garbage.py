"""Garbage: what modules hold lives as long as the process and is not searched for it.

Streamlit collects garbage after every run of the script. Searching the half million
objects of pandas, Plotly and the rest took longer than most screens. What is free goes
back to the system: Arrow's allocator and glibc's keep some 10 MB of it otherwise.
"""

import ctypes
import gc
import sys

import pyarrow as pa

_n_modules = 0


def spare_modules() -> None:
    """Keep what is in memory out of later searches, if modules came since the last."""
    global _n_modules  # noqa: PLW0603  one per process, like the modules it counts
    if len(sys.modules) != _n_modules:
        pa.set_memory_pool(pa.system_memory_pool())
        gc.collect()
        gc.freeze()
        _n_modules = len(sys.modules)


def give_back() -> None:
    """Free memory to the system; a third of a millisecond. Only glibc needs it."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
