"""Latents: the random variables of the model, by Meridian's names.

A latent has one prior family for all of its entries, or one per entry of its last
axis. NUTS sees those that are sampled as one vector on the real line; the others
are fixed (Deterministic), integrated out (core/model/block/linear_block.py), or without
any effect on the data.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from core.model.compiled.fusion import kept
from core.model.priors import families
from core.model.priors.prior import Family

Params = dict[str, jax.Array]


@dataclass(frozen=True)
class Latent:
    """One random variable.

    Attributes:
        name: Meridian's name.
        shape: Its axes; () for a scalar.
        families: One family for all entries, or one per entry of the last axis.
        role: `sampled` by NUTS (Deterministic entries never move), `integrated` out
            with the linear block, or `idle`: without effect on the data.
        by_geo: Whether its first axis is that of geos.
        spread: Name of the latent that multiplies it (its last axis, or all of it),
            where the sampler moves in both at once (`_width`); its prior is then a
            standard Normal.
        level: Names of latents that multiply that product too, each with the places
            along its first axis that it is about.
    """

    name: str
    shape: tuple[int, ...]
    families: tuple[Family, ...]
    role: Literal["sampled", "integrated", "idle"] = "sampled"
    by_geo: bool = False
    spread: str = ""
    level: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def places(self, family: Family) -> np.ndarray | slice:
        """Entries of the last axis with this family; a slice where all have it."""
        if len(set(self.families)) == 1:
            return slice(None)
        return np.flatnonzero([own == family for own in self.families])

    def distinct(self) -> tuple[Family, ...]:
        """The families that occur, each once, in order."""
        return tuple(dict.fromkeys(self.families))

    def shape_of(self, family: Family) -> tuple[int, ...]:
        """Shape of the entries with this family."""
        places = self.places(family)
        if isinstance(places, slice):
            return self.shape
        return (*self.shape[:-1], len(places))

    def rows(self, priors: Float[Array, "n 6"], family: Family) -> jax.Array:
        """Numbers of the entries with this family."""
        # A prior that all entries share is one row; it broadcasts.
        if len(priors) == 1:
            return priors[0]
        return priors[self.places(family)]

    @property
    def is_fixed(self) -> bool:
        """Whether every entry is Deterministic."""
        return self.distinct() == ("Deterministic",)

    @property
    def n_free(self) -> int:
        """Length of the latent on the sampler's vector."""
        if self.role != "sampled":
            return 0
        moving = [family for family in self.distinct() if family != "Deterministic"]
        return sum(math.prod(self.shape_of(family)) for family in moving)


def n_dims(latents: tuple[Latent, ...]) -> int:
    """Length of the sampler's vector."""
    return sum(latent.n_free for latent in latents)


class _Piece(NamedTuple):
    """Entries of a latent that have one family."""

    latent: Latent
    family: Family

    @property
    def shape(self) -> tuple[int, ...]:
        """Their shape in the latent."""
        return self.latent.shape_of(self.family)

    @property
    def size(self) -> int:
        """How many they are."""
        return math.prod(self.shape)

    def rows_on(self, priors: Params) -> Float[Array, "size 6"]:
        """Numbers of each."""
        row = self.latent.rows(priors[self.latent.name], self.family)
        return jnp.broadcast_to(row, (*self.shape, row.shape[-1])).reshape(
            self.size, -1
        )


def _free(latents: tuple[Latent, ...]) -> dict[Family, list[_Piece]]:
    """What the sampler's vector holds, family by family: one function serves each."""
    pieces: dict[Family, list[_Piece]] = {}
    for latent in latents:
        if latent.role == "sampled":
            for family in latent.distinct():
                if family != "Deterministic" and math.prod(latent.shape_of(family)):
                    pieces.setdefault(family, []).append(_Piece(latent, family))
    return pieces


def _placed(latents: tuple[Latent, ...]) -> Iterator[tuple[_Piece, np.ndarray]]:
    """The pieces of the sampler's vector, each with its places on it."""
    start = 0
    for pieces in _free(latents).values():
        for piece in pieces:
            places = np.arange(start, start + piece.size)
            yield piece, places.reshape(piece.shape)
            start += piece.size


def of_geos(latents: tuple[Latent, ...]) -> np.ndarray | None:
    """Places on the sampler's vector of what every geo has of its own.

    Returns:
        geo k; None where geos have nothing of their own.
    """
    by_piece = [
        places.reshape(len(places), -1)
        for piece, places in _placed(latents)
        if piece.latent.by_geo
    ]
    return np.concatenate(by_piece, axis=1) if by_piece else None


def spread_by(
    latents: tuple[Latent, ...], arrays: Any
) -> tuple[np.ndarray, np.ndarray] | None:
    """What on the sampler's vector spreads each coordinate, and how far that is known.

    Args:
        latents: Those of the model.
        arrays: Of the model: its priors and errors, as `constrain` is given them.

    Returns:
        Place of the spread, the coordinate's own where there is none, and the inverse
        of the error in scales of the spread's prior; dim. None where nothing is spread
        by a half-Normal of its own.
    """
    placed = {(piece.latent.name, piece.family): at for piece, at in _placed(latents)}
    by = np.arange(n_dims(latents), dtype=np.int32)
    known = np.zeros(len(by))
    for latent in _with_spread(latents):
        own = placed.get((latent.name, "Normal"))
        spread = placed.get((latent.spread, "HalfNormal"))
        if own is None or spread is None or spread.shape != own.shape[1:]:
            continue
        scale = np.asarray(arrays.priors[latent.spread], float)[:, 0]
        by[own] = spread
        known[own] = scale / np.asarray(arrays.errors[latent.name], float)
    return (by, known) if known.any() else None


def constrain(
    latents: tuple[Latent, ...],
    position: Float[Array, " dim"],
    priors: Params,
    errors: Params,
) -> tuple[Params, Float[Array, ""]]:
    """Values of the sampled and fixed latents, and their log prior on the real line.

    Args:
        latents: Those of the model.
        position: The sampler's vector.
        priors: Numbers of each latent's prior, by name.
        errors: Of each latent with a spread, by name: how well data know the product,
            as the spread (times level) at which they know it as well as its prior does.

    Returns:
        Values by name, latents that are integrated out left out; and the log prior
        density with the log determinant of the map.
    """
    parts: dict[tuple[str, Family], jax.Array] = {}
    total, start = jnp.zeros((), position.dtype), 0
    for family, pieces in _free(latents).items():
        # One map per family for all its latents: every map is compiled, and traced,
        # once.
        prior_rows = [piece.rows_on(priors) for piece in pieces]
        row = jnp.concatenate(prior_rows) if len(prior_rows) > 1 else prior_rows[0]
        free = position[start : start + len(row)]
        total += families.log_density(family, row, free).sum()
        value, at = kept(families.to_support(family, row, free)), 0
        for piece in pieces:
            part = value[at : at + piece.size].reshape(piece.shape)
            parts[piece.latent.name, family] = part
            at += piece.size
        start += len(row)
    values = {
        latent.name: _value(latent, parts, priors, position.dtype)
        for latent in latents
        if latent.role == "sampled" or latent.is_fixed
    }
    for latent in _with_spread(latents):
        moved = values[latent.name]
        width = _width(
            values[latent.spread] * level_of(latent, values), errors[latent.name]
        )
        values[latent.name] = moved / width
        # The prior is of d = v / w; above it was taken as if of v.
        total += 0.5 * (moved**2 - values[latent.name] ** 2).sum()
        total -= jnp.broadcast_to(jnp.log(width), latent.shape).sum()
    return values, total


def _with_spread(latents: tuple[Latent, ...]) -> list[Latent]:
    return [latent for latent in latents if latent.spread and latent.role == "sampled"]


def level_of(latent: Latent, values: Params) -> jax.Array:
    """What multiplies the product of a latent and its spread; it broadcasts to it."""
    if not latent.level:
        return jnp.ones(())
    level = jnp.ones(latent.shape[0], values[latent.spread].dtype)
    for name, places in latent.level:
        level = level.at[jnp.array(places)].set(values[name])
    return level.reshape(-1, *[1] * (len(latent.shape) - 1))


def _width(spread: jax.Array, error: jax.Array) -> jax.Array:
    r"""$w(\eta) = \sqrt{1 + (\eta / c)^2}$; the sampler moves in $v = d\,w(\eta)$.

    Where data know the effects $\eta d$ of geos, every d has to follow when $\eta$
    moves; where they know next to nothing, it is $\eta d$ that is squeezed to zero with
    $\eta$. v is $\eta d / c$ for a spread above the error c and d for one below: it
    stays where it is, either way. What data know of a change of effectiveness is what
    it changes in the KPI, so there $\eta$ is the scale of changes times the channel's
    return.

    References:
        Papaspiliopoulos, Roberts and Skoeld (2007), A General Framework for the
        Parametrization of Hierarchical Models, on those between the two.
    """
    return jnp.sqrt(1.0 + (spread / error) ** 2)


def log_prior(latents: tuple[Latent, ...], values: Params, priors: Params) -> Params:
    """Log prior density of every latent, on its own scale, summed over entries."""
    return {
        latent.name: sum(
            families.log_prob(
                family,
                values[latent.name][..., latent.places(family)]
                if latent.shape
                else values[latent.name],
                latent.rows(priors[latent.name], family),
            ).sum()
            for family in latent.distinct()
        )
        for latent in latents
    }


def free_entries(latents: tuple[Latent, ...]) -> frozenset[tuple]:
    """What the sampler moves: names and shapes, and the families' places that do not.

    Two models for which it is the same have the same parameters, whatever their priors
    and their data.
    """
    return frozenset(
        (
            latent.name,
            latent.shape,
            tuple(family == "Deterministic" for family in latent.families)
            if "Deterministic" in latent.families
            else (),
        )
        for latent in latents
        if latent.n_free
    )


def with_fixed(latents: tuple[Latent, ...], values: Params, priors: Params) -> Params:
    """The values of a model's latents, fixed entries as its own priors have them.

    Args:
        latents: Those of the model.
        values: Of the latents that are sampled, by name, as another model has them.
        priors: Numbers of each latent's prior, by name.
    """
    results = dict(values)
    for latent in latents:
        if "Deterministic" not in latent.families or latent.role == "integrated":
            continue
        row = latent.rows(priors[latent.name], "Deterministic")[..., 0]
        if latent.is_fixed:
            results[latent.name] = jnp.broadcast_to(row, latent.shape)
        elif latent.role == "sampled":
            places = latent.places("Deterministic")
            results[latent.name] = values[latent.name].at[..., places].set(row)
    return results


def _value(
    latent: Latent, parts: Mapping[tuple[str, Family], jax.Array], priors: Params, dtype
) -> jax.Array:
    """A latent of its parts and of its Deterministic entries."""
    value = jnp.zeros(latent.shape, dtype)
    for family in latent.distinct():
        part = parts.get((latent.name, family))
        if family == "Deterministic":
            part = latent.rows(priors[latent.name], family)[..., 0]
        if part is None:
            continue
        places = latent.places(family)
        if isinstance(places, slice):
            return jnp.broadcast_to(part, latent.shape)
        value = value.at[..., places].set(part)
    return value
