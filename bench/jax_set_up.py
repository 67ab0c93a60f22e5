"""JAX as a run has it, set up in this process before it computes."""

import os
from pathlib import Path

from core.fit.devices import jax_options, single_threaded_blas
from core.jobs.resources import cores
from core.store.places import compilation_cache


def configure(
    precision: str,
    device: str,
    *,
    cache_dir: Path | None = None,
    host_devices: int | None = None,
) -> None:
    """Set JAX up. Call it before anything computes with JAX.

    Args:
        precision: Floating point type.
        device: Where to compute.
        cache_dir: Folder of compiled functions; none is kept without it.
        host_devices: Devices that the CPU counts as; the cores by default.
    """
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    single_threaded_blas()
    import jax  # noqa: PLC0415  the environment must be set before

    options = jax_options(precision, device, cache_dir or compilation_cache())
    if cache_dir is None:
        del options["jax_compilation_cache_dir"]
    for name, value in options.items():
        jax.config.update(name, value)
    if "host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
        jax.config.update("jax_num_cpu_devices", host_devices or cores())
