"""Triangular matrices: inverses of small ones, and of many tiny ones."""

import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

#: Triangles up to this size are inverted by one solve, larger ones by halves.
_SMALL = 32

#: Matrices of one geo up to this size are factored entry by entry.
_WRITTEN_OUT = 4


def inverse_of_lower(chol: Float[Array, "p p"]) -> Float[Array, "p p"]:
    """Inverse of a lower triangular matrix; by halves, so that products do the work."""
    size = chol.shape[0]
    if size <= _SMALL:
        return solve_triangular(chol, jnp.eye(size, dtype=chol.dtype), lower=True)
    half = (size // 2 + 7) // 8 * 8
    a = inverse_of_lower(chol[:half, :half])
    c = inverse_of_lower(chol[half:, half:])
    below = -c @ (chol[half:, :half] @ a)
    return jnp.block([[a, jnp.zeros((half, size - half), chol.dtype)], [below, c]])


def root_of_inverse(
    s: Float[Array, "geo h h"],
) -> tuple[Float[Array, "geo h h"], Float[Array, ""]]:
    """Inverse of the Cholesky factor of one matrix per geo, and the log determinants.

    Written out for a few rows: a call of LAPACK per geo costs more than the arithmetic.

    Args:
        s: Positive definite.

    Returns:
        L^-1 of each, lower triangular; the sum of log |S|.
    """
    size = s.shape[1]
    if size > _WRITTEN_OUT:
        chol = jnp.linalg.cholesky(s, symmetrize_input=False)
        unit = jnp.broadcast_to(jnp.eye(size, dtype=s.dtype), chol.shape)
        diagonal = jnp.diagonal(chol, axis1=1, axis2=2)
        return solve_triangular(chol, unit, lower=True), 2 * jnp.log(diagonal).sum()
    chol, root = {}, {}
    log_det = jnp.zeros((), s.dtype)
    for i in range(size):
        for j in range(i + 1):
            rest = s[:, i, j] - sum(chol[i, k] * chol[j, k] for k in range(j))
            chol[i, j] = jnp.sqrt(rest) if i == j else rest * root[j, j]
        log_det += 2 * jnp.log(chol[i, i]).sum()
        root[i, i] = 1 / chol[i, i]
        for j in range(i):
            below = sum(chol[i, k] * root[k, j] for k in range(j, i))
            root[i, j] = -below * root[i, i]
    zero = jnp.zeros(len(s), s.dtype)
    rows = [
        jnp.stack([root.get((i, j), zero) for j in range(size)], axis=1)
        for i in range(size)
    ]
    return jnp.stack(rows, axis=1) if rows else s, log_det
