import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.model import chunks
from core.model.chunks import in_chunks


@pytest.mark.parametrize("n", [1, 5, 8, 9, 24])
def test_chunks_give_what_the_whole_gives(monkeypatch, n):
    monkeypatch.setattr(chunks, "CHUNK", 8)
    draws = {"a": np.arange(2.0 * n).reshape(n, 2), "b": np.arange(n)}
    twice, total = in_chunks(lambda d: (2 * d["a"], d["b"] + d["a"].sum(1)), draws)
    np.testing.assert_array_equal(twice, 2 * draws["a"])
    np.testing.assert_array_equal(total, draws["b"] + draws["a"].sum(1))


def test_any_number_of_draws_is_one_compilation(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK", 8)
    traced = []

    @jax.jit
    def squared(x):
        traced.append(x.shape)
        return jnp.square(x)

    for n in (8, 20, 33, 3):
        in_chunks(squared, np.ones(n))
    assert traced == [(8,)]
