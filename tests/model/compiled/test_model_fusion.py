"""What is kept apart, summed and repeated has the values and slopes of plain JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from core.model.compiled.fusion import alone, along, apart, kept, total

SHAPES = ((7,), (3, 7), (2, 3, 7), (0, 7), (3, 1))
PAIRS = {
    "alone": (alone(jnp.tanh), jnp.tanh),
    "apart": (apart, lambda x: x),
    "kept": (kept, lambda x: x),
    "total": (total, lambda x: x.sum(axis=-1)),
    "along": (lambda x: along(x, 5), lambda x: jnp.repeat(x[..., None], 5, axis=-1)),
}


def _score(function):
    return lambda x: (jnp.sin(function(x)) ** 2).sum()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_it_is_what_plain_jax_says(name, shape):
    ours, plain = PAIRS[name]
    x, moved = jnp.array(np.random.default_rng(len(shape)).normal(size=(2, *shape)))
    same = [
        lambda f: f(x),
        lambda f: jax.jit(f)(x),
        lambda f: jax.vmap(f)(jnp.stack([x, moved])),
        lambda f: jax.jvp(f, (x,), (moved,))[1],
        lambda f: jax.jit(jax.grad(_score(f)))(x),
        lambda f: jax.vmap(jax.grad(_score(f)))(jnp.stack([x, moved])),
        lambda f: jax.hessian(_score(f))(x),
    ]
    for each in same:
        np.testing.assert_allclose(each(ours), each(plain), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("function, calls", [(apart, (1, 0)), (kept, (2, 1))])
def test_what_is_worked_out_on_its_own(function, calls):
    """Or the loop that makes it is joined with the one that uses it, and repeated.

    Of what is apart the derivative, of what is kept the value, too.
    """

    def score(x, y):
        return jnp.sin(function(jnp.exp(x) * y)).sum()

    x = jnp.ones((4, 20))
    slope = jax.jit(jax.grad(score)).lower(x, x).compile().as_text()
    value = jax.jit(score).lower(x, x).compile().as_text()
    assert (slope.count(" call("), value.count(" call(")) == calls
