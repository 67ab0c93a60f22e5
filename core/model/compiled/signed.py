"""Signed: what a file of an executable holds, opened only where it was made.

It is a pickle, which could run anything: so each is signed for the machine and the user
that made it, and a workspace that comes from elsewhere brings no code along.
"""

import contextlib
import getpass
import hashlib
import hmac
import os
import pickle
import platform
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.experimental import serialize_executable

_DIGEST = hashlib.sha256().digest_size


def content_of(compiled: Any) -> bytes:
    """What a file holds: a signature, then the executable and its devices by number."""
    shardings = jax.tree.leaves(compiled.input_shardings)
    devices = {device.id for each in shardings for device in each.device_set}
    parts = (*serialize_executable.serialize(compiled), sorted(devices))
    packed = zlib.compress(pickle.dumps(parts), 1)
    return _signature(packed) + packed


def read(content: bytes) -> Callable:
    """The executable of a file's content.

    Raises:
        ValueError: The content is damaged, or was not made here.
    """
    signature, packed = content[:_DIGEST], content[_DIGEST:]
    if not hmac.compare_digest(_signature(packed), signature):
        raise ValueError("the file is damaged, or was not made here")
    load_lapack()
    *parts, numbers = pickle.loads(zlib.decompress(packed))
    devices = [each for each in jax.local_devices() if each.id in numbers]
    return serialize_executable.deserialize_and_load(*parts, execution_devices=devices)


def _signature(packed: bytes) -> bytes:
    """What only this user on this machine writes."""
    return hmac.digest(_machine(), packed, "sha256")


@cache
def _machine() -> bytes:
    """What tells this machine and user from others: a key that no workspace holds."""
    about = [platform.node(), str(getattr(os, "getuid", getpass.getuser)())]
    for path in (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id")):
        with contextlib.suppress(OSError):
            about.append(path.read_text("utf-8"))
    return "\0".join(about).encode()


@cache
def load_lapack() -> None:
    """Tell XLA where LAPACK is, which JAX does when it lowers a function that needs it.

    An executable that calls it without that ends the process.
    """
    from jaxlib.lapack import prepare_lapack_call  # noqa: PLC0415  loads SciPy's

    prepare_lapack_call("potrf", np.float32)
