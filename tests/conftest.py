"""What every test gets: double precision, one thread of algebra, quick compiling.

Chains run in processes of their own and choose their precision themselves; a test
that needs single precision in this process uses `jax.enable_x64(False)`.
"""

import os

# Compiles in four fifths of the time; read when JAX first computes.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")

import jax  # noqa: E402

from core.fit.devices import single_threaded_blas  # noqa: E402

jax.config.update("jax_enable_x64", True)
single_threaded_blas()
