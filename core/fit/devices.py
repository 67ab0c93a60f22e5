"""Devices: precision, platform and compilation cache, as JAX begins with them."""

import contextlib
import ctypes
import os
import pkgutil
import warnings
from pathlib import Path

#: What JAX calls each device; the first that is there is used.
_PLATFORMS = {"cpu": "cpu", "gpu": "cuda,cpu", "tpu": "tpu,cpu"}

#: The compilation cache forgets what was not used longest beyond this size.
CACHE_BYTES = 512 * 1024**2

_SET_THREADS = (
    "openblas_set_num_threads",
    "scipy_openblas_set_num_threads",
    "scipy_openblas_set_num_threads64_",
)


def jax_options(
    precision: str, device: str, cache: Path
) -> dict[str, bool | float | str]:
    """How JAX is to work in a run: its options by name.

    Args:
        precision: Floating point type.
        device: Where to compute; `auto` takes an accelerator where there is one.
        cache: Folder of compiled functions kept from run to run.
    """
    options: dict[str, bool | float | str] = {
        "jax_enable_x64": precision == "float64",
        # By default a GPU takes products of float32 in TensorFloat-32: gradients were
        # off by 4e-4 (bench/RESULTS.md), and trajectories diverged that do not on a
        # CPU.
        "jax_default_matmul_precision": "highest",
        "jax_compilation_cache_dir": str(cache),
        # Every function: JAX would compile those that take less than a second again
        # in every process, and a fit has a hundred of them.
        "jax_persistent_cache_min_compile_time_secs": 0.0,
    }
    if device in _PLATFORMS:
        options["jax_platforms"] = _platforms(device)
    return options


def no_word_of_the_cache() -> None:
    """Keep JAX from warning where its cache of compiled functions is not kept.

    A full disk or a folder that may not be written costs a compilation, no result.
    """
    text = r"Error (reading|writing) persistent compilation cache entry"
    warnings.filterwarnings("ignore", text, UserWarning)


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


def _platforms(device: str) -> str:
    """JAX's names of a device, an accelerator's with the CPU beside it for the host."""
    has_rocm = device == "gpu" and any(
        module.name.startswith("jax_rocm") for module in pkgutil.iter_modules()
    )
    return "rocm,cpu" if has_rocm else _PLATFORMS[device]
