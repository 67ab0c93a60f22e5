"""Density: expected KPI, the joint density, and the collapsed density NUTS samples."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from core.model.block.block_columns import GEO_EFFECT, SPREADS, block_columns
from core.model.block.collapsed import collapsed_log_likelihood
from core.model.block.linear_block import LinearBlock, at_memory, scaled_columns
from core.model.compiled.fusion import along, apart
from core.model.latents import Params, constrain
from core.model.media.lift import lift, lift_log_likelihood, tested_in, with_mediated
from core.model.media.structure import ModelArrays, Structure
from core.model.media.treatments import media_and_effects, non_media_effects
from core.model.noise import rho_of, share_of_shocks, shock_g
from core.model.terms.linear_terms import LinearTerm, TermStructure, deviations
from core.model.terms.smooth import spectral_scale


def treatment_kpi(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, "geo time"]:
    r"""Scaled KPI that treatments add: $\sum_m \beta_{gm}\tilde m_{gtm} + \ldots$."""
    return treatment_kpi_and_lifts(structure, arrays, params)[0]


def treatment_kpi_and_lifts(
    structure: Structure, arrays: ModelArrays, params: Params
) -> tuple[Float[Array, "geo time"], list[jax.Array]]:
    """What treatments add, and the model's incremental outcome of each lift test.

    Of a test that moved a mediator, one per draw of the mediator's model.
    """
    total = jnp.zeros_like(arrays.kpi)
    lifts = [jnp.zeros((), arrays.kpi.dtype) for _ in structure.lifts]
    effects_by_geo = {}
    for group in structure.groups:
        group_numbers = arrays.groups[group.suffix]
        transformed, effects = media_and_effects(structure, group, arrays, params)
        effects_by_geo[f"beta_g{group.suffix}"] = effects.T
        total = total + (along(effects, structure.n_times) * transformed).sum(axis=0)
        for tested in tested_in(group, structure):
            test = arrays.lifts[tested.which]
            changed = lift(
                group,
                tested,
                test,
                transformed,
                effects,
                group_numbers,
                params,
                arrays.outcome_scale,
            )
            lifts[tested.which] += (changed * test.where).sum()
    lifts = with_mediated(structure, arrays, {**params, **effects_by_geo}, lifts)
    if structure.non_media is not None:
        effects = non_media_effects(
            structure.non_media, arrays.non_media, params, arrays.outcome_scale
        )
        total = total + (effects[:, :, None] * arrays.non_media.scaled).sum(axis=0)
    return total, lifts


def baseline_kpi(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, "geo time"]:
    r"""Scaled KPI of $\tau_g + \mu_t + \sum_c \gamma_{gc} z_{gtc}$.

    Terms whose parameter is not among `params` are left out: those are in the block.
    """
    total = jnp.zeros_like(arrays.kpi)
    baseline = arrays.baseline
    total = total + mu_t(structure, arrays, params)
    if "tau_g_excl_baseline" in params:
        total = total + tau_g(arrays, params)[:, None]
    if "gamma_c" in params:
        total = total + jnp.einsum("gtc,c->gt", baseline.controls, params["gamma_c"])
    if "gamma_gc_dev" in params:
        spread = params["xi_c"] * params["gamma_gc_dev"]
        total = total + jnp.einsum("gtc,gc->gt", baseline.controls, spread)
    return total + mu_gt(structure, arrays, params)


def mu_t(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, " time"]:
    r"""Baseline over time: knots and linear terms whose parameters are in `params`.

    Without the noise that geos have in common.
    """
    baseline = arrays.baseline
    total = jnp.zeros_like(arrays.kpi, shape=structure.n_times)
    if "knot_values" in params:
        total = total + params["knot_values"] @ baseline.knot_weights
    for term in structure.shared_terms:
        if deviations(term.name) in params and not term.is_noise:
            gamma = coefficients(arrays, params, term)
            total = total + baseline.terms[term.name].design @ gamma
    return total


def mu_gt(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, "geo time"]:
    """What each geo's baseline does beside the shared one; scaled KPI."""
    total = jnp.zeros_like(arrays.kpi)
    for term in structure.geo_terms + structure.cell_terms:
        if deviations(term.name) in params:
            gamma = coefficients(arrays, params, term)
            total = total + by_geo(term, arrays.baseline.terms[term.name], gamma)
    return total


def by_geo(
    term: TermStructure, numbers: LinearTerm, gamma: Float[Array, "*geo column"]
) -> Float[Array, "geo time"]:
    """What a term adds to each cell, given its coefficients; scaled KPI.

    Args:
        term: A term by geo or by cell.
        numbers: Its design.
        gamma: Coefficients of each geo, or those that all geos share.
    """
    if term.by_cell:
        return numbers.design @ gamma
    return gamma @ numbers.design.T


def coefficients(
    arrays: ModelArrays, params: Params, term: TermStructure
) -> Float[Array, "*geo column"]:
    r"""Coefficients of a linear term: mean + s d."""
    scale = term_scale(arrays, params, term)
    mean = arrays.baseline.terms[term.name].mean
    return mean + scale * params[deviations(term.name)]


def term_scale(
    arrays: ModelArrays, params: Params, term: TermStructure
) -> Float[Array, " column"]:
    """Prior scale of each coefficient of a linear term.

    That of a noise is of its shocks: its own, where it has no memory.
    """
    numbers = arrays.baseline.terms[term.name]
    xi = params[f"xi_{term.name}"]
    if term.is_noise:
        xi = xi * share_of_shocks(params)
    if term.is_smooth:
        return spectral_scale(numbers.frequency, xi, params[f"length_{term.name}"])
    return jnp.broadcast_to(xi, numbers.mean.shape)


def tau_g(arrays: ModelArrays, params: Params) -> Float[Array, " geo"]:
    """Geo effects, zero at the baseline geo; scaled KPI."""
    baseline = arrays.baseline
    if params["tau_g_excl_baseline"].size == 0:
        return jnp.zeros_like(baseline.tau_is_free)
    return params["tau_g_excl_baseline"][baseline.tau_index] * baseline.tau_is_free


def local_scale(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, "geo h"]:
    """Prior scale of the block's effects of one geo.

    The geo effect's is fixed; those of controls and non-media treatments are their
    spread over geos, sampled or fixed; those of linear terms are the term's.
    """
    scale = arrays.block.local_scale
    spreads = []
    for column in block_columns(structure).local:
        if column.term is not None:
            spreads.append(term_scale(arrays, params, column.term))
        elif column.name == GEO_EFFECT:
            spreads.append(jnp.ones(1, scale.dtype))
        else:
            spreads.append(params[SPREADS[column.name]])
    return scale * jnp.concatenate(spreads)[None, :] if spreads else scale


def block_given(
    structure: Structure, arrays: ModelArrays, params: Params
) -> LinearBlock:
    """The linear block, given the prior scales of its linear terms and the memory."""
    block = at_memory(arrays.block, rho_of(params))
    return scaled_columns(block, column_scale(structure, arrays, params))


def column_scale(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, " p"]:
    """Prior scales of the block's columns that depend on parameters, else one."""
    scales = [
        jnp.ones(column.size, arrays.kpi.dtype)
        if column.term is None
        else term_scale(arrays, params, column.term)
        for column in block_columns(structure).common
    ]
    return jnp.concatenate([jnp.ones(0, arrays.kpi.dtype), *scales])


def residual(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, "geo time"]:
    """Scaled KPI less all that is not in the block; zero where held out."""
    mean = treatment_kpi(structure, arrays, params)
    return _residual(arrays, mean + baseline_kpi(structure, arrays, params))


def _residual(arrays: ModelArrays, mean: jax.Array) -> jax.Array:
    return (arrays.kpi - arrays.block.offset - apart(mean)) * arrays.is_seen


def collapsed_log_density(
    structure: Structure, position: Float[Array, " dim"], arrays: ModelArrays
) -> Float[Array, ""]:
    """Log density that NUTS samples: the linear block integrated out.

    Args:
        structure: Static.
        position: Sampled latents on the real line; see `core.model.latents`.
        arrays: Data and prior numbers.
    """
    params, log_prior_ = constrain(
        structure.latents, position, arrays.priors, arrays.errors
    )
    return log_prior_ + marginal_log_likelihood(structure, arrays, params)


def marginal_log_likelihood(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Float[Array, ""]:
    """Log likelihood of the seen cells and of lift tests, without the linear block.

    Args:
        structure: Static.
        arrays: Data and prior numbers.
        params: Every latent but those of the block, which is integrated out.
    """
    treatments, lifts = treatment_kpi_and_lifts(structure, arrays, params)
    mean = treatments + baseline_kpi(structure, arrays, params)
    of_cells = collapsed_log_likelihood(
        arrays.block,
        _residual(arrays, mean),
        shock_g(structure, params),
        local_scale(structure, arrays, params),
        column_scale(structure, arrays, params),
        rho_of(params),
    )
    return of_cells + lift_log_likelihood(lifts, arrays.lifts)
