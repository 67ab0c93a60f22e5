"""Surroundings: what every executable depends on, whatever function it is of."""

import contextlib
import importlib.metadata
import os
import platform
from functools import cache
from pathlib import Path

import jax

#: The libraries that trace and compile.
_LIBRARIES = ("jax", "jaxlib", "blackjax", "tfp-nightly", "numpy")


def surroundings() -> str:
    """What every executable made now depends on."""
    settings = {
        name: value
        for name, value in sorted(jax.config.values.items())
        if "cache" not in name  # where executables lie is no part of them
    }
    devices = jax.local_devices()
    about = (
        _versions(),
        settings,
        jax.config.jax_enable_x64,  # a thread may have its own
        os.environ.get("XLA_FLAGS", ""),
        [(each.platform, each.device_kind) for each in devices],
        devices[0].client.platform_version,
        processor(),
    )
    return repr(about)


@cache
def _versions() -> list[str]:
    """Of what traces and compiles it."""
    return [importlib.metadata.version(name) for name in _LIBRARIES]


@cache
def processor() -> str:
    """What the processor can do: machine code of another may use what it has not."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return f"{platform.machine()} {platform.processor()}"
