"""Devices: precision, platform and compilation cache, set once before JAX computes."""

import contextlib
import ctypes
import os
import pkgutil
import sys
from pathlib import Path
from typing import Any

from core.errors import SpecError
from core.fit.settings import Device, Precision

#: What JAX calls each device; the first that is there is used.
_PLATFORMS = {"cpu": ("cpu",), "gpu": ("cuda", "rocm", "gpu"), "tpu": ("tpu",)}

#: The compilation cache forgets what was not used longest beyond this size.
CACHE_BYTES = 512 * 1024**2

_SET_THREADS = (
    "openblas_set_num_threads",
    "scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_",
)


def configure(
    precision: Precision,
    device: Device,
    *,
    cache_dir: Path | None = None,
    host_devices: int | None = None,
) -> None:
    """Set JAX up for a run. Call it before anything computes with JAX.

    On CPU every core becomes a device of its own, so that chains do not wait for each
    other; linear algebra runs on one thread, because the matrices are small and the
    cores are busy with chains.

    Args:
        precision: Floating point type.
        device: Where to compute; `auto` takes an accelerator where there is one.
        cache_dir: Folder of compiled functions kept from run to run.
        host_devices: Devices that the CPU counts as; the cores by default.

    Raises:
        SpecError: The device is not there, or JAX was set up otherwise already.
    """
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    single_threaded_blas()
    import jax  # noqa: PLC0415  the environment must be set before

    wanted: dict[str, Any] = {"jax_enable_x64": precision == "float64"}
    # By default a GPU takes products of float32 in TensorFloat-32: gradients were off
    # by 4e-4 (bench/RESULTS.md), and trajectories diverged that do not on a CPU.
    wanted["jax_default_matmul_precision"] = "highest"
    if "host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
        wanted["jax_num_cpu_devices"] = host_devices or _cores()
    if device == "cpu":
        wanted["jax_platforms"] = "cpu"
    elif device != "auto":
        wanted["jax_platforms"] = _accelerator(device)
    if cache_dir is not None:
        wanted |= _cache(cache_dir)
    for name, value in wanted.items():
        _update(jax, name, value)
    _check(jax, device)


def describe_device() -> str:
    """The devices that a run computes on, in words: `2 x cpu`."""
    import jax  # noqa: PLC0415

    devices = jax.local_devices()
    kind = devices[0].device_kind or devices[0].platform
    return f"{len(devices)} x {kind}" if len(devices) > 1 else kind


def single_threaded_blas() -> None:
    """Keep linear algebra on the thread that calls it.

    OpenBLAS, which JAX calls for factorisations on CPU, spreads even a matrix of 30
    rows over the cores and waits in a busy loop; with chains on every core this makes
    a gradient ten times as slow.
    """
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    for path in _loaded_blas():
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(path)
            for symbol in _SET_THREADS:
                if hasattr(library, symbol):
                    getattr(library, symbol)(ctypes.c_int(1))


def _loaded_blas() -> list[str]:
    """Files of the OpenBLAS libraries that this process has loaded (Linux)."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return []
    files = {line.split()[-1] for line in lines if "openblas" in line}
    return sorted(file for file in files if file.startswith("/"))


def _cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cache(folder: Path) -> dict[str, Any]:
    """The persistent cache: bounded, and blind to entries that cannot be read."""
    folder.mkdir(parents=True, exist_ok=True)
    prune(folder, CACHE_BYTES)
    return {
        "jax_compilation_cache_dir": str(folder),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_raise_persistent_cache_errors": False,
    }


def prune(folder: Path, most_bytes: int) -> None:
    """Remove the files longest unused, until no more than `most_bytes` are left.

    JAX can bound its cache itself, but needs one more package for it.
    """
    files = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            about = path.stat()
            size = about.st_size // about.st_nlink  # shared by all its names
            files.append((max(about.st_atime, about.st_mtime), size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= most_bytes:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size


def _accelerator(device: Device) -> str:
    """JAX's name of an accelerator, with the CPU beside it for the host."""
    if device == "gpu" and any(
        module.name.startswith("jax_rocm") for module in pkgutil.iter_modules()
    ):
        return "rocm,cpu"
    return f"{_PLATFORMS[device][0]},cpu"


def _update(jax: Any, name: str, value: Any) -> None:
    if getattr(jax.config, name) == value:
        return
    try:
        jax.config.update(name, value)
    except RuntimeError as error:
        raise SpecError(
            "JAX has been in use in this process, so it cannot be set up again.",
            hint="Start the run in its own process.",
            where=name,
        ) from error


def _check(jax: Any, device: Device) -> None:
    try:
        platform = jax.local_devices()[0].platform
    except RuntimeError as error:
        raise _missing(device) from error
    if device not in ("auto", platform) and platform not in _PLATFORMS[device]:
        raise _missing(device)


def _missing(device: Device) -> SpecError:
    return SpecError(
        f"There is no {device} that JAX can use on this machine.",
        hint="Choose the device auto or cpu, or install JAX's plugin for it.",
        where="sampler.device",
    )
