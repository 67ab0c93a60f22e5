"""Memory: how much a worker may take, and how much it has. Standard library only.

The supervisor looks at the resident memory of its worker, because JAX and Arrow map
far more addresses than they use, which a limit on addresses would count. For the
moment between two looks the worker stands first in line of the kernel's killer.
"""

import contextlib
import ctypes
import os
import re
import resource
import sys
from pathlib import Path

#: Share of the machine's memory, or of the container's, that one worker may take.
SHARE = 0.8
#: Share of the machine's memory that must be free for a worker to stand by.
SCARCE = 0.15
VARIABLE = "MIXWRIGHT_MEMORY_LIMIT"

_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(?:i?b)?\s*", re.IGNORECASE)
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_CGROUPS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


def in_bytes(text: str) -> int | None:
    """Bytes from `800M`, `6.5 GB` or `8000000000`; None if it is no such thing."""
    size_and_unit = _SIZE.fullmatch(text)
    if not size_and_unit:
        return None
    size = int(float(size_and_unit[1]) * 1024 ** _UNITS[size_and_unit[2].lower()])
    return size or None


def in_words(size: int) -> str:
    """Bytes as `640 MB` or `6.5 GB`."""
    if size < 1024**3:
        return f"{size / 1024**2:.0f} MB"
    return f"{size / 1024**3:.1f} GB"


def machine() -> int:
    """Bytes of memory of this machine, or of its container if that has less."""
    least = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name in _CGROUPS:
        with contextlib.suppress(OSError, ValueError):
            least = min(least, int(Path(name).read_text()))
    return least


def free() -> int:
    """Bytes of memory that could be taken now; all of it where that is unknown."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        return _stated("/proc/meminfo", "MemAvailable:")
    return machine()


def _stated(file: str, what: str) -> int:
    """Bytes that a line of a file of Linux says."""
    lines = Path(file).read_text().splitlines()
    line = next(line for line in lines if line.startswith(what))
    return int(line.split()[1]) * 1024


def limit() -> int:
    """Bytes that a worker may take: MIXWRIGHT_MEMORY_LIMIT, or a share of all."""
    return in_bytes(os.environ.get(VARIABLE, "")) or int(SHARE * machine())


def peak() -> int:
    """Bytes that this process had in memory at most.

    From Linux itself where it tells: the standard library's figure begins with that of
    the process which started this one.
    """
    with contextlib.suppress(OSError, StopIteration, ValueError):
        return _stated("/proc/self/status", "VmHWM:")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def give_back() -> None:
    """Give memory that is free again back to the system, where the C library can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def resident(group: int) -> int:
    """Bytes that a process has in memory, its children included; 0 where unknown.

    Args:
        group: Number of the process.
    """
    total, waiting = 0, [group]
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages = (process / "statm").read_text().split()[1]
            total += int(pages) * os.sysconf("SC_PAGE_SIZE")
            for task in (process / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return total


def go_first() -> None:
    """Have the kernel end this process before others when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("900")
