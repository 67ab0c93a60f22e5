"""What counts as compiled, of the events that JAX tells."""

import jax

from core.fit.sampling.compilations import compiled

COMPILED = "/jax/core/compile/backend_compile_duration"
HELD = "/jax/compilation_cache/cache_hits"


def test_what_the_disk_cache_held_was_not_compiled():
    with compiled() as count:
        for _ in range(3):
            jax.monitoring.record_event_duration_secs(COMPILED, 0.1)
        jax.monitoring.record_event(HELD)
    jax.monitoring.record_event_duration_secs(COMPILED, 0.1)  # outside
    assert count.number == 2
