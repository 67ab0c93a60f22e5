"""Fusion: what XLA's compiler for CPUs is to work out apart, and what as a product.

It joins operations into loops without asking what a loop repeats. The gradient of media
was worked out cell by cell, with all that the cells of a geo or a channel have in
common worked out again for each, and by places in a flat array, which vector units
cannot follow. And it is slower to sum over an axis than to multiply with ones. What
that costs is in bench/NOTES.md.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental.xla_metadata import set_xla_metadata
from jaxtyping import Array, Float


def alone(function: Callable) -> Callable:
    """The same; what it gives is worked out and kept before anything is made of it.

    By the call of a function that must not be inlined: `optimization_barrier` is taken
    away before operations are joined.
    """
    jitted = jax.jit(function)

    @wraps(function)
    def called(*args: Any) -> Any:
        if jax.default_backend() != "cpu":
            return function(*args)
        with set_xla_metadata(inlineable="false"):
            return jitted(*args)

    return called


@alone
def _same(x: Array) -> Array:
    return x


@jax.custom_jvp
def apart(x: Array) -> Array:
    """The same; its derivative is worked out and kept before anything is made of it."""
    return x


@apart.defjvp
def _apart(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (x,), (tangent,) = primals, tangents
    return x, _same(tangent)


@alone
def _once(x: Array) -> Array:
    return x * 1  # of the same itself nothing would be left in a derivative


@jax.custom_jvp
def kept(x: Array) -> Array:
    """The same, worked out and kept before anything is made of it; as its derivative.

    For a few numbers that many loops use, each of which would work them out again.
    """
    return _once(x)


@kept.defjvp
def _kept(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return kept(*primals), kept(*tangents)


@jax.custom_jvp
def total(x: Float[Array, "*lead n"]) -> Float[Array, "*lead"]:
    """Sum over the last axis."""
    return x @ jnp.ones(x.shape[-1], x.dtype)


@total.defjvp
def _total(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    # Backwards a sum repeats, for which a product would flatten the leading axes.
    return total(*primals), tangents[0].sum(axis=-1)


def along(x: Float[Array, "*lead"], n: int) -> Float[Array, "*lead n"]:
    """The same number n times along a new last axis."""
    return _along(x, jnp.ones(n, x.dtype))


@jax.custom_jvp
def _along(x: Array, ones: Array) -> Array:
    return jnp.broadcast_to(x[..., None], (*x.shape, len(ones)))


@_along.defjvp
def _repeated(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
    # Backwards this is a product with ones; forwards it is the same as repeating.
    return _along(*primals), jnp.tensordot(tangents[0], primals[1], axes=0)
