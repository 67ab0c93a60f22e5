"""Mappings of memory: how many compiled functions a process may hold.

Each executable takes some fifty of them, each array operation that runs by itself some
six, and Linux lets a process have 65,530 (`vm.max_map_count`). Beyond that the compiler
does not raise: it ends the process, in whatever it next writes. A run of one fit needs
a few thousand; a session that fits one market after another gets there.
"""

import gc
from pathlib import Path

import jax

from core.model.compiled.executables import forget

#: Of those that the kernel allows: more than this, and everything compiled is dropped.
SHARE = 0.5
_USED, _MOST = Path("/proc/self/maps"), Path("/proc/sys/vm/max_map_count")


def make_room(share: float = SHARE) -> bool:
    """Drop all that was compiled in this process, if it holds too many mappings.

    What is needed again is read from the folder of executables, or compiled again.

    Args:
        share: Of the mappings that the kernel allows a process, above which it drops.

    Returns:
        Whether it did. Never where the kernel has no such limit.
    """
    try:
        used, most = _USED.read_bytes().count(b"\n"), int(_MOST.read_text())
    except (OSError, ValueError):
        return False
    if used <= share * most:
        return False
    forget()
    jax.clear_caches()
    gc.collect()
    return True
