"""What the sampler's tests share."""

import jax
import pytest

from core.fit.devices import single_threaded_blas

single_threaded_blas()


@pytest.fixture
def single_precision():
    """JAX as a float32 run has it."""
    with jax.enable_x64(False):
        yield
