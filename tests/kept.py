"""Where functions that tests compiled are kept from one run to the next.

In the user's cache, outside the repository: one folder for each Python, compiler and
processor; where nothing can be written, in the run's own folder and no longer than it.
Executables are filed there under the source that they were traced from
(`core.model.compiled.executables`), and JAX's own entries under what was lowered, so
changed code finds nothing old. What was not used longest goes first.
"""

import contextlib
import hashlib
import os
import platform
from importlib.metadata import version
from pathlib import Path

from core.fit.devices import prune
from core.model.compiled.surroundings import processor

MOST_BYTES = 1024**3
_COMPILERS = ("jax", "jaxlib", "tfp-nightly", "blackjax", "numpy")


def folder(otherwise: Path) -> Path:
    """JAX's folder, made; `JAX_COMPILATION_CACHE_DIR` names another.

    Args:
        otherwise: Where there is no user's cache that can be written.
    """
    with contextlib.suppress(OSError, RuntimeError):  # read only; a user without home
        path = _place()
        path.mkdir(parents=True, exist_ok=True)
        if os.access(path, os.W_OK | os.X_OK):
            return path
    path = otherwise / "compiled" / "jax"
    path.mkdir(parents=True, exist_ok=True)
    return path


def tidy() -> None:
    """Keep what was used last, up to the most that there may be."""
    with contextlib.suppress(OSError, RuntimeError):
        prune(_place(), MOST_BYTES)


def _place() -> Path:
    named = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    if named:
        return Path(named)
    versions = [f"{name} {version(name)}" for name in _COMPILERS]
    about = "\n".join([platform.python_version(), *versions, processor()])
    digest = hashlib.sha256(about.encode()).hexdigest()[:16]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "mixwright-tests" / digest / "jax"
