"""What every test gets: double precision, and linear algebra on one thread.

Chains run in processes of their own and choose their precision themselves; a test
that needs single precision in this process uses `jax.enable_x64(False)`.
"""

import jax

from core.fit.devices import single_threaded_blas

jax.config.update("jax_enable_x64", True)
single_threaded_blas()
