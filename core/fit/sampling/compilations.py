"""Compilations: how many functions JAX compiled, and how long that took."""

import contextlib
import threading
from collections.abc import Iterator

import jax

_BACKEND = "/jax/core/compile/backend_compile_duration"
_HIT = "/jax/compilation_cache/cache_hits"
_STEPS = (
    "/jax/core/compile/jaxpr_trace_duration",
    "/jax/core/compile/jaxpr_to_mlir_module_duration",
    _BACKEND,
)


class Count:
    """Functions compiled by this thread, and seconds spent on it."""

    def __init__(self) -> None:
        self.number = 0
        self.seconds = 0.0
        self._thread = threading.get_ident()

    def _hear(self, event: str, duration: float, **about: object) -> None:
        if threading.get_ident() != self._thread:
            return
        self.number += event == _BACKEND
        if event in _STEPS:
            self.seconds += duration


class Compiled:
    """Functions that this process compiled, on whatever thread.

    What the disk cache held is not among them.
    """

    def __init__(self) -> None:
        self._asked = self._held = 0

    @property
    def number(self) -> int:
        """How many so far."""
        return self._asked - self._held

    def _hear_duration(self, event: str, duration: float, **about: object) -> None:
        self._asked += event == _BACKEND

    def _hear(self, event: str, **about: object) -> None:
        self._held += event == _HIT


@contextlib.contextmanager
def compiled() -> Iterator[Compiled]:
    """Count what the whole process compiles inside."""
    count = Compiled()
    jax.monitoring.register_event_duration_secs_listener(count._hear_duration)
    jax.monitoring.register_event_listener(count._hear)
    try:
        yield count
    finally:
        jax.monitoring.unregister_event_duration_listener(count._hear_duration)
        jax.monitoring.unregister_event_listener(count._hear)


@contextlib.contextmanager
def counted() -> Iterator[Count]:
    """Count what is compiled inside. What the disk cache holds counts too."""
    count = Count()
    jax.monitoring.register_event_duration_secs_listener(count._hear)
    try:
        yield count
    finally:
        jax.monitoring.unregister_event_duration_listener(count._hear)
