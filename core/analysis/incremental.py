"""Incremental outcome: the one counterfactual that everything else is made of.

Equations are for one draw; `over_draws` maps them. A draw is the dictionary of
posterior variables by Meridian's names (`core.model.reconstruct`). Outcome is
revenue where a KPI unit has a value, else KPI units. Channels that carry over come
first, in the groups' order; non-media treatments come last.

Where a model has mediators (`core.model.mediation.mediators`), a channel's outcome is
its total: what it brings directly and what the mediator that it causes brings. A
mediator's own is the rest, so that nothing counts twice and channels still add up.
"""

from collections.abc import Callable, Mapping
from functools import partial, wraps

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jaxtyping import Array, Float

from core.model.build import Model
from core.model.compiled.executables import PLAIN, Persistent, persistent
from core.model.density import by_geo as added_by_geo
from core.model.latents import Params
from core.model.media.carried import carried_on
from core.model.media.structure import MediaArrays, ModelArrays, Structure
from core.model.media.treatments import media_transformed
from core.model.mediation.mediators import draws_of, row_of
from core.model.noise import noise_of_shocks

#: Media by group suffix; that of a mediator's model by its draws' prefix and suffix.
MediaBySuffix = dict[str, MediaArrays]


def treatment_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    media: MediaBySuffix | None = None,
) -> Float[Array, "channel geo time"]:
    r"""Outcome of each channel that carries over, against none of it, in total.

    $\beta_{gm}\,\tilde m_{gtm}$ times the outcome per scaled KPI unit, and what comes
    through mediators.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        media: Other media by group suffix; as it happened where not given.

    Returns:
        Channels of all groups, in the groups' order. Outcome units.
    """
    total = direct_outcome(structure, arrays, draw, media)
    for place, link in enumerate(structure.mediators):
        through = through_mediator(structure, arrays, draw, place, media)
        total = total.at[jnp.array(link.ours, int)].add(through)
        # What a channel caused is the channel's, and the mediator's no more.
        total = total.at[row_of(structure, link)].add(-through.sum(axis=0))
    return total


def direct_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    media: MediaBySuffix | None = None,
) -> Float[Array, "channel geo time"]:
    r"""The same by this model alone: $\beta_{gm}\,\tilde m_{gtm}$, mediators whole."""
    parts = [jnp.zeros((0, *arrays.kpi.shape), arrays.kpi.dtype)]
    for group in structure.groups:
        numbers = arrays.groups[group.suffix]
        units = (media or {}).get(group.suffix, numbers.media)
        transformed = media_transformed(group, units, numbers, draw, structure.n_times)
        effects = draw[f"beta_g{group.suffix}"].T
        parts.append(effects[:, :, None] * transformed * arrays.outcome_scale)
    return jnp.concatenate(parts)


def through_mediator(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    place: int,
    media: MediaBySuffix | None = None,
) -> Float[Array, "channel geo time"]:
    """Outcome that channels bring by way of one mediator.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw, with that of the mediator's model.
        place: Of the mediator.
        media: Other media; see `treatment_outcome`.

    Returns:
        Channels that both models have, in the order of the link. Outcome units.
    """
    link = structure.mediators[place]
    caused = treatment_outcome(
        link.structure,
        arrays.mediators[place],
        draws_of(place, draw),
        draws_of(place, media or {}) or None,
    )
    theirs = caused[jnp.array(link.theirs, int)]
    return carried_on(structure, link, arrays, draw, theirs)


def non_media_outcome(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel geo time"]:
    """Outcome of each non-media treatment, against its baseline value."""
    if structure.non_media is None:
        return jnp.zeros((0, *arrays.kpi.shape), arrays.kpi.dtype)
    treatments = arrays.non_media
    change = treatments.scaled - treatments.baseline[:, None, None]
    return draw["gamma_gn"].T[:, :, None] * change * arrays.outcome_scale


def incremental_outcome(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "channel geo time"]:
    """Outcome of every treatment as it happened: carrying over, then non-media."""
    return jnp.concatenate(
        [
            treatment_outcome(structure, arrays, draw),
            non_media_outcome(structure, arrays, draw),
        ]
    )


def expected_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    kpi_zero: float | Float[Array, ""],
) -> Float[Array, "geo time"]:
    """Expected outcome of one draw.

    Args:
        structure: Static.
        arrays: Data.
        draw: One posterior draw.
        kpi_zero: Mean of KPI per capita over its standard deviation: how far below
            zero on the scaled KPI no KPI at all lies.
    """
    scaled = scaled_expected_kpi(structure, arrays, draw)
    return (scaled + kpi_zero) * arrays.outcome_scale


def scaled_expected_kpi(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    """Expected scaled KPI from a draw's posterior variables, without any noise."""
    total = _without_treatments(structure, arrays, draw)
    for group in structure.groups:
        numbers = arrays.groups[group.suffix]
        transformed = media_transformed(
            group, numbers.media, numbers, draw, structure.n_times
        )
        effects = draw[f"beta_g{group.suffix}"].T
        total = total + (effects[:, :, None] * transformed).sum(axis=0)
    if structure.non_media is not None:
        effects = draw["gamma_gn"].T
        total = total + (effects[:, :, None] * arrays.non_media.scaled).sum(axis=0)
    return total


def scaled_mean_kpi(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    """What the noise of each geo is about: the expected KPI and the common noise."""
    common = common_shocks(structure, arrays, draw)
    noise = noise_of_shocks(arrays.is_seen, common, draw)
    return scaled_expected_kpi(structure, arrays, draw) + noise


def common_shocks(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, " time"]:
    """Shocks of the noise that geos have in common, of a draw; scaled KPI."""
    total = jnp.zeros_like(arrays.kpi, shape=structure.n_times)
    for term in structure.terms:
        if term.is_noise:
            design = arrays.baseline.terms[term.name].design
            total = total + design @ draw[f"gamma_{term.name}"]
    return total


def baseline_outcome(
    structure: Structure,
    arrays: ModelArrays,
    draw: Params,
    kpi_zero: float | Float[Array, ""],
) -> Float[Array, "geo time"]:
    """Outcome without media and with non-media treatments at their baseline.

    Added up from its own terms: the expected outcome less what treatments add loses
    digits where they add much.
    """
    total = _without_treatments(structure, arrays, draw) + kpi_zero
    if structure.non_media is not None:
        at_baseline = draw["gamma_gn"] @ arrays.non_media.baseline
        total = total + at_baseline[:, None]
    return total * arrays.outcome_scale


def _without_treatments(
    structure: Structure, arrays: ModelArrays, draw: Params
) -> Float[Array, "geo time"]:
    total = draw["tau_g"][:, None] + draw["mu_t"][None, :]
    if structure.n_controls:
        controls = arrays.baseline.controls
        total = total + jnp.einsum("gtc,gc->gt", controls, draw["gamma_gc"])
    for term in structure.geo_terms + structure.cell_terms:
        numbers = arrays.baseline.terms[term.name]
        total = total + added_by_geo(term, numbers, draw[f"gamma_{term.name}"])
    return total


def outcome_at(
    model: Model, draw: Mapping[str, np.ndarray]
) -> Float[np.ndarray, "channel geo time"]:
    """`incremental_outcome` of one draw, or of the mean of many, as NumPy has it."""
    structure, arrays, _ = model.filled
    outcome = _outcome_at(structure, arrays._replace(block=None), model.filled.of(draw))
    return model.filled.cut(np.asarray(outcome, np.float64))


# Operation by operation it would compile forty small functions.
_outcome_at = Persistent(jax.jit(incremental_outcome, static_argnums=0), options=PLAIN)


def over_draws(function, draws: Params, batch_size: int | None = 16):
    """A function of one draw, mapped over the leading axis with bounded memory."""
    # Sixteen at a time: enough for vector units, little enough for memory.
    return jax.lax.map(function, draws, batch_size=batch_size)


def on_cores(function, draws: Params, batch_size: int | None = 16):
    """`over_draws`, the draws shared out over the devices: on a CPU its cores.

    For what takes long. Where the batches cannot be shared out evenly, fewer devices
    have them.
    """
    n_batches, rest = divmod(len(jax.tree.leaves(draws)[0]), batch_size or 1)
    devices = jax.local_devices()
    n = 1
    if not rest:
        n = max(k for k in range(1, len(devices) + 1) if n_batches % k == 0)
    of_all = partial(over_draws, function, batch_size=batch_size)
    if n == 1:
        return of_all(draws)
    mesh, by_draw = Mesh(np.array(devices[:n]), ("draws",)), P("draws")
    shared_out = jax.shard_map(
        of_all, mesh=mesh, in_specs=by_draw, out_specs=by_draw, check_vma=False
    )
    return shared_out(draws)


def per_draw(
    options: tuple[tuple[str, bool | int], ...] = (), over: Callable = over_draws
) -> Callable[[Callable], Persistent]:
    """Decorator: a function of a model and one draw as one of draws, executables kept.

    Args:
        options: Of the compiler, as `Persistent` takes them.
        over: What maps it over draws.
    """

    def decorate(function: Callable) -> Persistent:
        @wraps(function)
        def of_draws(structure, arrays, draws, *others):
            return over(lambda draw: function(structure, arrays, draw, *others), draws)

        return persistent(options=options)(of_draws)

    return decorate
