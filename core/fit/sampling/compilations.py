"""Compilations: how many functions JAX compiled, and how long that took."""

import contextlib
import threading
from collections.abc import Iterator

import jax

_BACKEND = "/jax/core/compile/backend_compile_duration"
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


@contextlib.contextmanager
def counted() -> Iterator[Count]:
    """Count what is compiled inside. What the disk cache holds counts too."""
    count = Count()
    jax.monitoring.register_event_duration_secs_listener(count._hear)
    try:
        yield count
    finally:
        jax.monitoring.unregister_event_duration_listener(count._hear)
