"""Densities of known answer, and settings of a short run."""

import jax.numpy as jnp
import numpy as np

from core.fit.settings import SamplerSettings


def quick(**options) -> SamplerSettings:
    """Settings of a short run in double precision."""
    given = {"chains": 4, "warmup": 200, "draws": 200, "precision": "float64"}
    return SamplerSettings(**given | options)


def normal(x, args):
    """Normal with a mean and a precision matrix."""
    deviation = x - args["mean"]
    return -0.5 * deviation @ args["precision"] @ deviation


def normal_args(dim: int, seed: int = 0, dtype=np.float64, widest: float = 20.0):
    """Arguments of `normal`: correlated, with scales from 0.05 to the widest."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(dim, dim)))[0]
    scale = np.exp(np.linspace(np.log(0.05), np.log(widest), dim))
    covariance = rotation * scale**2 @ rotation.T
    args = {"mean": rng.normal(size=dim), "precision": np.linalg.inv(covariance)}
    return {name: value.astype(dtype) for name, value in args.items()}, covariance


def two_modes(x, args):
    """Two normals of unit variance at `at` and minus `at`; the second's log weight."""
    first = -0.5 * jnp.sum((x - args["at"]) ** 2)
    second = -0.5 * jnp.sum((x + args["at"]) ** 2) + args["log_weight"]
    return jnp.logaddexp(first, second)


def bounded(x, args):
    """Standard normal where x[0] is above a limit, and no number elsewhere."""
    return jnp.where(x[0] > args, -0.5 * jnp.sum(x**2), jnp.nan)


def funnel(x, args):
    """Neal's funnel: x[0] is Normal(0, 1.5), and the log variance of the others."""
    rest = x[1:]
    spread = jnp.sum(rest**2) * jnp.exp(-x[0]) + rest.size * x[0]
    return -0.5 * (x[0] / args) ** 2 - 0.5 * spread


def scaled_effects(x, args):
    """Effects of scale exp(x[0]) seen with an error of 0.05: prior and likelihood.

    The joint mode has too large a scale and too small, too sure standard effects.
    """
    seen = args - jnp.exp(x[0]) * x[1:]
    return -0.5 * jnp.sum(x**2) - 0.5 * jnp.sum((seen / 0.05) ** 2)
