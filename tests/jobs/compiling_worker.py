"""Work that compiles a function in no time, and says how many were compiled."""

import json


def execute(run, report, should_stop):
    """Compile, on this thread and on another, and write the number down."""
    import threading

    import jax
    import jax.numpy as jnp

    from core.fit.sampling.compilations import compiled

    def double():
        jax.jit(lambda x: 2 * x + 1)(jnp.ones(3)).block_until_ready()

    with compiled() as count:
        double()
        other = threading.Thread(target=lambda: jax.jit(jnp.sin)(jnp.ones(5)))
        other.start()
        other.join()
    (run / "count.json").write_text(json.dumps(count.number))
