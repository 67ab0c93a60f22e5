"""What every test gets: double precision.

Chains run in processes of their own and choose their precision themselves; a test
that needs single precision in this process uses `jax.enable_x64(False)`.
"""

import jax

jax.config.update("jax_enable_x64", True)
