r"""Gaussian evidence: the integral over a Normal vector, with a derivative of its own.

The derivative of a Cholesky factor costs several triangular solves with a matrix;
that of the log determinant and the quadratic form needs one inverse.
"""

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

#: Triangles up to this size are inverted by one solve, larger ones by halves.
_SMALL = 32


@jax.custom_jvp
def log_evidence(q: Float[Array, "p p"], f: Float[Array, " p"]) -> Float[Array, ""]:
    r"""$\log \int \exp(-\tfrac12 v'Qv + f'v)\,dv$ less $\tfrac p2 \log 2\pi$.

    $\tfrac12 f'Q^{-1}f - \tfrac12\log|Q|$

    Args:
        q: Precision, positive definite.
        f: Precision times mean.
    """
    chol = jnp.linalg.cholesky(q, symmetrize_input=False)
    w = solve_triangular(chol, f, lower=True)
    return 0.5 * (w @ w) - jnp.log(jnp.diagonal(chol)).sum()


@log_evidence.defjvp
def _log_evidence_jvp(primals, tangents):
    r"""$\mu'df - \tfrac12\langle \mu\mu' + Q^{-1}, dQ\rangle$ with $\mu = Q^{-1}f$."""
    (q, f), (dq, df) = primals, tangents
    chol = jnp.linalg.cholesky(q, symmetrize_input=False)
    inverse = inverse_of_lower(chol)
    w = inverse @ f
    mean = inverse.T @ w
    moment = jnp.outer(mean, mean) + inverse.T @ inverse
    value = 0.5 * (w @ w) - jnp.log(jnp.diagonal(chol)).sum()
    return value, mean @ df - 0.5 * (moment * dq).sum()


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
