"""What a run may use: its lane, the number of runs at once, its environment.

Standard library only, and free of JAX: whether there is a GPU is read off the machine.
"""

import os
from importlib import metadata
from pathlib import Path
from typing import Literal

from core.store.run_about import RunAbout

#: Runs of different lanes do not wait for each other: a prior predictive check or a
#: plan of weeks, which take seconds, is not held up by a fit of an hour, nor a fit by
#: the many of a backtest. A GPU has one lane, whatever the runs are.
Lane = Literal["cpu", "gpu", "prior", "backtest"]

_CUDA = ("jax-cuda13-plugin", "jax-cuda12-plugin")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: Bytes from which an array goes back to the system as soon as nobody has it: glibc
#: otherwise keeps ever larger ones (bench/RESULTS.md).
_LARGE = ("MALLOC_MMAP_THRESHOLD_", str(2**20))


def cores() -> int:
    """Processor cores that this process may use, a container's limit included."""
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        # Rounded up: one and a half cores serve two threads better than one.
        available = min(available, -(-int(quota) // int(period)))
    except (OSError, ValueError):  # no limit, or "max"
        pass
    return max(1, available)


def gpus() -> tuple[str, ...]:
    """Numbers of the GPUs that JAX can use here; empty without its CUDA plugin."""
    packages = {name for name in _CUDA if _is_installed(name)}
    if not packages:
        return ()
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return tuple(name.strip() for name in chosen.split(",") if name.strip())
    devices = Path("/dev").glob("nvidia[0-9]*")
    return tuple(sorted(path.name.removeprefix("nvidia") for path in devices))


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def lane_of(about: RunAbout) -> Lane:
    """The lane of a run, from its run.json."""
    if about.kind in ("prior", "flight", "horizon"):
        return "prior"
    if about.device in ("gpu", "tpu") or (about.device == "auto" and gpus()):
        return "gpu"
    return "backtest" if about.kind == "backtest" else "cpu"


def slots(lane: Lane) -> int:
    """How many runs of a lane may work at once.

    One per GPU; on CPU half as many as there are cores, or MIXWRIGHT_MAX_RUNS.
    """
    if lane == "gpu":
        return max(1, len(gpus()))
    most = os.environ.get("MIXWRIGHT_MAX_RUNS", "")
    return int(most) if most.isdigit() and int(most) else max(1, cores() // 2)


def worker_environment(lane: Lane, slot: int) -> dict[str, str]:
    """The environment of a worker: a share of the cores, and its own GPU."""
    environment = dict(os.environ)
    share = str(max(1, cores() // slots(lane)))
    for name in _THREADS:
        environment.setdefault(name, share)
    environment.setdefault(*_LARGE)
    devices = gpus()
    if lane == "gpu" and devices:
        environment["CUDA_VISIBLE_DEVICES"] = devices[slot % len(devices)]
    environment["PYTHONUNBUFFERED"] = "1"
    environment["PYTHONPATH"] = python_path()
    return environment


def python_path() -> str:
    """PYTHONPATH under which `core` is found from any folder."""
    root = str(Path(__file__).parents[2])
    before = os.environ.get("PYTHONPATH")
    return f"{root}{os.pathsep}{before}" if before else root
