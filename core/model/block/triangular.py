"""Triangular matrices: inverses of small ones, and of many tiny ones."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float

#: Triangles up to this size are inverted by one solve, larger ones by halves.
_SMALL = 24

#: Matrices of one geo up to this size are factored entry by entry.
_WRITTEN_OUT = 4


def inverse_of_lower(chol: Float[Array, "p p"]) -> Float[Array, "p p"]:
    """Inverse of a lower triangular matrix; by halves, so that products do the work."""
    size = chol.shape[0]
    if size <= _SMALL:
        return solve_triangular(chol, jnp.eye(size, dtype=chol.dtype), lower=True)
    half = _half(size)
    a = inverse_of_lower(chol[:half, :half])
    c = inverse_of_lower(chol[half:, half:])
    below = -c @ (chol[half:, :half] @ a)
    return jnp.block([[a, jnp.zeros((half, size - half), chol.dtype)], [below, c]])


def _half(size: int) -> int:
    """Rounded to eights, which suits vector registers."""
    return (size // 2 + 7) // 8 * 8


def root_and_log_det(
    precision: Float[Array, "p p"],
) -> tuple[Float[Array, "p p"], Float[Array, ""]]:
    """R, lower triangular, with R'R the inverse; and the log determinant."""
    chol = jnp.linalg.cholesky(precision, symmetrize_input=False)
    return inverse_of_lower(chol), 2.0 * jnp.log(jnp.diagonal(chol)).sum()


class PartedRoot(NamedTuple):
    """R = [[first, 0], [below, rest]] with R'R the inverse of a matrix in two parts."""

    first: jax.Array
    below: jax.Array
    rest: jax.Array

    def solution(self, x: Float[Array, " p"]) -> Float[Array, " p"]:
        """R'R x."""
        n = len(self.first)
        y, rest = self.first @ x[:n], self.below @ x[:n] + self.rest @ x[n:]
        return jnp.concatenate(
            [self.first.T @ y + self.below.T @ rest, self.rest.T @ rest]
        )

    def diagonal(self) -> Float[Array, " p"]:
        """Diagonal of R'R."""
        of_first = (self.first**2).sum(axis=0) + (self.below**2).sum(axis=0)
        return jnp.concatenate([of_first, (self.rest**2).sum(axis=0)])

    def inverse(self) -> Float[Array, "p p"]:
        """R'R."""
        of_first = self.first.T @ self.first + self.below.T @ self.below
        across = self.rest.T @ self.below
        return jnp.block([[of_first, across.T], [across, self.rest.T @ self.rest]])


def gram_of_root(root: Float[Array, "p p"], n_full: int) -> Float[Array, "p p"]:
    """R'R; by halves, without the zeros above the diagonal.

    Args:
        root: R, lower triangular but for its last rows.
        n_full: How many those are.
    """
    half = _half(len(root))
    if len(root) <= _SMALL or half > len(root) - n_full:
        return root.T @ root
    left, rest = root[:, :half], root[half:, half:]
    across = rest.T @ left[half:]
    return jnp.block([[left.T @ left, across.T], [across, rest.T @ rest]])


def parted_root(
    precision: Float[Array, "p p"], n_first: int
) -> tuple[PartedRoot, Float[Array, ""]]:
    """Root of the inverse, the first rows eliminated first; and the log determinant.

    Two factors and some products cost less than the factor of the whole.
    """
    first, log_det = root_and_log_det(precision[:n_first, :n_first])
    b = precision[n_first:, :n_first] @ first.T
    rest, more = root_and_log_det(precision[n_first:, n_first:] - b @ b.T)
    return PartedRoot(first, -rest @ (b @ first), rest), log_det + more


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
        # The inverse itself, because it is applied to many right-hand sides and its
        # rows give the variances.
        unit = jnp.broadcast_to(jnp.eye(size, dtype=s.dtype), chol.shape)
        diagonal = jnp.diagonal(chol, axis1=1, axis2=2)
        return solve_triangular(chol, unit, lower=True), 2 * jnp.log(diagonal).sum()
    chol, root = {}, {}
    log_det = jnp.zeros((), s.dtype)
    for i in range(size):
        for j in range(i + 1):
            # One entry of all geos at a time: each line is a vector operation over
            # geos, which XLA fuses.
            rest = s[:, i, j] - sum(chol[i, k] * chol[j, k] for k in range(j))
            chol[i, j] = jnp.sqrt(rest) if i == j else rest * root[j, j]
        log_det += 2 * jnp.log(chol[i, i]).sum()
        root[i, i] = 1 / chol[i, i]
        for j in range(i):
            below = sum(chol[i, k] * root[k, j] for k in range(j, i))
            root[i, j] = -below * root[i, i]
    zero = jnp.zeros(len(s), s.dtype)
    root_rows = [
        jnp.stack([root.get((i, j), zero) for j in range(size)], axis=1)
        for i in range(size)
    ]
    return jnp.stack(root_rows, axis=1) if root_rows else s, log_det
