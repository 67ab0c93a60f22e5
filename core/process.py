"""A process that does one thing: it loads and collects little and is not taken down.

Importing a few hundred modules runs the collector some hundred times over objects that
all stay: a fifth of the time. Taking JAX and pandas down at the end takes half a second
and frees what the system takes back anyway.
"""

import contextlib
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

#: What libraries load that they find. A worker needs it for a report.
_PLOTTING = ("matplotlib", "plotly", "bokeh")
#: xarray loads Dask with the first table that it makes, and its scheduler with every
#: file that it writes. Nothing here has arrays of Dask's; who keeps runs on a cluster
#: does that in a process of its own.
_DASK = "dask"
_UNASKED = (*_PLOTTING, _DASK, "distributed")
#: The exit status of a command that Ctrl-C ended.
INTERRUPTED = 130
#: As Linux has it.
_PR_SET_PDEATHSIG = 1
#: Objects made between two collections; Python's own number is 700 or 2,000.
_OBJECTS = 50_000


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Collect nothing while modules are imported, and nothing of them later on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


@contextlib.contextmanager
def packages_named(word: str) -> Iterator[None]:
    """Who asks for every installed package gets those with a word in their folder.

    JAX reads what each one says of itself while it is imported, in search of ROCm.

    Args:
        word: In the names of packages that are looked for.
    """
    from importlib import metadata  # noqa: PLC0415  a command needs none

    every = metadata.distributions

    def named(**context: Any) -> Iterator[metadata.Distribution]:
        return (one for one in every(**context) if word in _folder_of(one, word))

    metadata.distributions = named
    try:
        yield
    finally:
        metadata.distributions = every


def _folder_of(package: object, otherwise: str) -> str:
    """Where a package lies, if it says so."""
    return str(getattr(package, "_path", otherwise))


def collect_little() -> None:
    """Collect seldom: for a command that imports as it goes, and for a worker.

    Tracing what a first fit compiles makes more objects than all else, and they stay.
    """
    gc.set_threshold(_OBJECTS, 20, 20)


def hide_dask() -> None:
    """Make Dask look absent to xarray, in a process that is no cluster's."""
    sys.modules.setdefault(_DASK, None)


def hide_plotting() -> None:
    """Make libraries look absent to who would load them unasked."""
    for name in _UNASKED:
        sys.modules.setdefault(name, None)


def show_plotting() -> None:
    """Have those back that draw."""
    for name in _PLOTTING:
        if name in sys.modules and sys.modules[name] is None:
            del sys.modules[name]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C while modules are imported ends this process in a word, not in a trace."""
    try:
        yield
    except KeyboardInterrupt:
        with contextlib.suppress(AttributeError, OSError, ValueError):
            print("Stopped.", file=sys.stderr)
        leave(INTERRUPTED)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the end of what a library in C does, which may crash on it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread is interrupted.
        return
    came: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda *what: came.append(what))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(*came[0])


def dies_with(parent: int) -> Callable[[], None]:
    """What a process calls to die when the one that started it does.

    Only the calls themselves are left to make then, as between fork and exec.

    Args:
        parent: The process that starts it.
    """
    import ctypes  # every command reads this module

    prctl = getattr(ctypes.CDLL(None), "prctl", None)

    def ask() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # It may have died before prctl asked for its signal, which then never comes.
        if os.getppid() != parent:
            os._exit(1)

    return ask


def leave(status: int) -> NoReturn:
    """End this process at once; what it has printed and written stays.

    Only where nothing is left to be done at exit.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # Nobody reads any more, or nobody ever did: a closed stream is None.
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(status)
