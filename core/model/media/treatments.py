"""Treatments: from media to its effect on the KPI, and from a return to that effect.

Equations are for one draw; arrays are channel first (see `core.model.media.adstock`).
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float

from core.model.compiled.fusion import total
from core.model.decay import Decay, decay_weights
from core.model.latents import Params, level_of
from core.model.media.adstock import adstock, lagged
from core.model.media.saturation import saturate
from core.model.media.structure import (
    GroupArrays,
    GroupStructure,
    MediaArrays,
    ModelArrays,
    NonMediaArrays,
    NonMediaStructure,
    Structure,
)
from core.model.spec import CARRYOVER, MediaEffects
from core.model.terms.effectiveness import effectiveness

#: Errors of the logarithm of an effect rest on a guess of the effect. Chains are slow
#: where one is too small and hardly where it is too large, so that each is taken times
#: this, and none is believed to be smaller than the least.
_CAUTION, _LEAST = 2.0, 0.3

#: The same of waves of effectiveness, where the level is part of the coordinate.
_CAUTION_OF_WAVES, _LEAST_OF_WAVES = 1.4, 0.01

#: The error of an effect that data know nothing of.
_UNKNOWN = 1e3


def media_transformed(
    group: GroupStructure,
    media: MediaArrays,
    arrays: GroupArrays,
    params: Params,
    n_times: int,
) -> Float[Array, "channel geo {n_times}"]:
    r"""Media after carryover and saturation, times its effectiveness over time.

    $\mathrm{Hill}(\mathrm{AdStock}(x))$; the other way round where saturation comes
    first; $\mathrm{AdStock}(\mathrm{reach}\cdot\mathrm{Hill}(\mathrm{frequency}))$
    for reach and frequency. What works in a period works as that period's
    effectiveness has it, whenever the media ran.

    Args:
        group: Options of the channels.
        media: Scaled media.
        arrays: Numbers of the channels; their own media does not count.
        params: Parameters of carryover, saturation and drift, by full name.
        n_times: Number of KPI periods.

    Returns:
        Dimensionless.
    """
    ec = half_saturation(group, arrays, params)
    slope = params[f"slope_{group.suffix}"]
    weights = carryover(group, arrays.window, params)

    def saturation(x):
        return saturate(group.saturation, x, ec, slope, slope_is_one=group.slope_is_one)

    if group.by_reach:
        effective = media.units * saturation(media.frequency)
        transformed = adstock(lagged(effective, group.n_lags, n_times), weights)
    elif group.saturates_first:
        saturated = saturation(media.units)
        transformed = adstock(lagged(saturated, group.n_lags, n_times), weights)
    else:
        # Lags of what is data are precomputed; above they depend on parameters.
        transformed = saturation(adstock(media.lags, weights))
    if not group.drifts:
        return transformed
    return transformed * effectiveness_of(group, arrays, params)[:, None, :]


def half_saturation(
    group: GroupStructure, arrays: GroupArrays, params: Params
) -> Float[Array, " channel"]:
    """Scaled media (or frequency) at which the curves of a group are one half."""
    return params[f"ec_{group.suffix}"] * arrays.typical


def effectiveness_of(
    group: GroupStructure, arrays: GroupArrays, params: Params
) -> Float[Array, "channel time"]:
    """What the effects of a group that drifts are multiplied by in each period."""
    deviation = params[f"drift_{group.suffix}"]
    return effectiveness(arrays.change, arrays.drift, deviation, params["xi_drift"])


def carryover(
    group: GroupStructure, window: Float[Array, " channel"], params: Params
) -> Float[Array, "channel lag"]:
    """Share of an exposure's effect felt at each lag, per channel of a group."""
    x = group.suffix
    decay = Decay(**{stem: params.get(f"{stem}_{x}") for stem in CARRYOVER})
    return decay_weights(group.adstock, decay, window, group.n_lags)


def scaled_by(media: MediaArrays, multiplier: Float[Array, " channel"]) -> MediaArrays:
    """The same media with each channel's units multiplied; frequency stays."""
    lags, units = media.lags, media.units
    return media._replace(
        lags=None if lags is None else lags * multiplier[:, None, None, None],
        units=None if units is None else units * multiplier[:, None, None],
    )


def treatment_parameter(
    treatment: tuple[tuple[str, tuple[int, ...]], ...],
    n_channels: int,
    params: Params,
) -> Float[Array, " channel"]:
    """The sampled ROI, marginal ROI, contribution or coefficient of every channel."""
    if len(treatment) == 1:
        return params[treatment[0][0]]
    first = params[treatment[0][0]]
    theta = jnp.zeros(n_channels, first.dtype)
    for name, places in treatment:
        theta = theta.at[jnp.array(places)].set(params[name])
    return theta


def media_and_effects(
    structure: Structure, group: GroupStructure, arrays: ModelArrays, params: Params
) -> tuple[Float[Array, "channel geo time"], Float[Array, "channel geo"]]:
    """Media of a group after carryover and saturation, and its effect in each geo."""
    own = arrays.groups[group.suffix]
    transformed = media_transformed(group, own.media, own, params, structure.n_times)
    scale, distribution = arrays.outcome_scale, structure.media_effects
    return transformed, media_effects(
        group, own, transformed, params, scale, distribution
    )


def media_effects(
    group: GroupStructure,
    arrays: GroupArrays,
    transformed: Float[Array, "channel geo time"],
    params: Params,
    outcome_scale: Float[Array, "geo time"],
    distribution: MediaEffects,
) -> Float[Array, "channel geo"]:
    r"""Effect of each channel in each geo, from what its prior is about.

    With $A_{gm} = \sum_t \Delta_{gtm}\,\text{outcome scale}_{gt}$ and the incremental
    outcome $I_m$ that the treatment parameter stands for,
    $\beta_{gm} = I_m e^{\eta_m d_{gm}} / \sum_g A_{gm} e^{\eta_m d_{gm}}$
    (log-normal effects) or
    $\beta_{gm} = \beta_m + \eta_m d_{gm}$ with
    $\beta_m = (I_m - \eta_m \sum_g A_{gm} d_{gm}) / \sum_g A_{gm}$ (normal effects).
    $\Delta$ is the transformed media less its counterfactual.

    Args:
        group: Options of the channels.
        arrays: Numbers of the channels.
        transformed: Media after carryover and saturation, as it happened.
        params: Latents by name.
        outcome_scale: Outcome per unit of scaled KPI.
        distribution: Of effects over geos.

    Returns:
        Scaled KPI per unit of transformed media.
    """
    x = group.suffix
    theta = treatment_parameter(group.treatment, group.n_channels, params)
    outcome = theta * arrays.denominator
    spread = jnp.zeros_like(transformed[:, :, 0])
    if group.spreads:
        spread = params[f"eta_{x}"][:, None] * params[f"beta_g{x}_dev"].T
    if all(group.coefficient):
        direct = theta[:, None] + spread
        return jnp.exp(direct) if _is_log(group, distribution) else direct
    delta = transformed
    if arrays.counterfactual is not None:
        without = media_transformed(
            group, arrays.counterfactual, arrays, params, transformed.shape[2]
        )
        # The counterfactual may have more media (a marginal ROI steps up): only the
        # size of the change counts.
        delta = jnp.abs(transformed - without)
    a = total(delta * outcome_scale)
    if _is_log(group, distribution):
        # Of the largest: the derivative of a quotient squares the sum below, which in
        # float32 may be at most 1e19.
        share = jnp.exp(spread - lax.stop_gradient(spread.max(axis=1, keepdims=True)))
        effect = outcome[:, None] * share / (a * share).sum(axis=1, keepdims=True)
        direct = jnp.exp(theta[:, None] + spread)
    else:
        # Normal effects may be negative, so the geos' spread is taken off the total
        # first: the return stays what the parameter says.
        middle = (outcome - (a * spread).sum(axis=1)) / a.sum(axis=1)
        effect = middle[:, None] + spread
        direct = theta[:, None] + spread
    if not any(group.coefficient):
        return effect
    return jnp.where(jnp.array(group.coefficient)[:, None], direct, effect)


def _is_log(group: GroupStructure, distribution: MediaEffects) -> bool:
    # A national model has no spread; Meridian then takes effects as normal.
    return distribution == "log_normal" and group.spreads


def hierarchical_mean(
    group: GroupStructure,
    effects: Float[Array, "channel geo"],
    params: Params,
    distribution: MediaEffects,
) -> Float[Array, " channel"]:
    r"""Meridian's $\beta_m$, of which the effects of geos are a spread."""
    x = group.suffix
    if not group.spreads:
        return effects[:, 0]
    spread = params[f"eta_{x}"][:, None] * params[f"beta_g{x}_dev"].T
    if _is_log(group, distribution):
        # Of the largest: others may be too small for float32.
        return jnp.log(effects.max(axis=1)) - spread.max(axis=1)
    return (effects - spread)[:, 0]


def deviation_errors(
    structure: Structure, arrays: ModelArrays, params: Params
) -> Params:
    r"""How well data know what a deviation changes, by latent with a spread.

    The standard error of a regression of a geo's KPI on what a channel adds, with the
    noise that the KPI's changes from one period to the next show. Of the logarithm of
    a geo's effect that is $c_m = \sigma_g / \sqrt{\sum_t (\beta_{gm}\tilde m_{gtm} -
    \text{mean})^2}$, of the median geo. Of a wave of effectiveness it is the same for
    $\beta_{gm}\tilde m_{gtm}\phi_k(t)$, of all geos together and times the level of
    the channel. Both are powers of two, so that some new weeks do not change the
    sampler's coordinates.

    Args:
        structure: Groups whose deviations have a spread are considered.
        arrays: Numbers of the model.
        params: Where to look: medians of priors.

    Returns:
        Shapes (channel) of geos, (channel, wave) of effectiveness.
    """
    observed = arrays.is_seen > 0
    noise = _noise_of_geos(arrays.kpi, observed)
    spreading = {latent.name: latent for latent in structure.latents if latent.spread}
    errors = {}
    for group in structure.groups:
        geos, waves = f"beta_g{group.suffix}_dev", f"drift_{group.suffix}"
        if not spreading.keys() & {geos, waves}:
            continue
        media, effects = media_and_effects(structure, group, arrays, params)
        added = effects[:, :, None] * media
        if geos in spreading:
            error = jnp.nanmedian(noise / jnp.sqrt(_squares(added, observed)), axis=1)
            # Taken with caution, because the effect is a guess.
            error = _CAUTION * jnp.nan_to_num(error, nan=_UNKNOWN)  # without media
            errors[geos] = jnp.clip(_power_of_two(error), _LEAST, _UNKNOWN)
        if waves in spreading:
            own = arrays.groups[group.suffix]
            changing = own.change[:, None, None] * added
            moved = changing[:, None] * own.drift.T[:, None, :]
            information = (_squares(moved, observed) / noise**2).sum(axis=-1)
            error = jnp.nan_to_num(1.0 / jnp.sqrt(information), nan=_UNKNOWN)
            error = jnp.clip(_CAUTION_OF_WAVES * error, _LEAST_OF_WAVES, _UNKNOWN)
            errors[waves] = _power_of_two(error * level_of(spreading[waves], params))
    return errors


def _noise_of_geos(
    kpi: Float[Array, "geo time"], observed: Bool[Array, "geo time"]
) -> Float[Array, " geo"]:
    """Noise by the KPI's changes; of Normal noise the median is 0.6745 sqrt(2) sd."""
    steps = jnp.abs(jnp.diff(kpi, axis=1))
    steps = jnp.where(observed[:, 1:] & observed[:, :-1], steps, jnp.nan)
    return jnp.nanmedian(steps, axis=1) / (0.6745 * 2**0.5)


def _squares(
    added: Float[Array, "*n geo time"], observed: Bool[Array, "geo time"]
) -> Float[Array, "*n geo"]:
    """Sum of squares about the mean, over the cells that are seen."""
    return jnp.var(added, axis=-1, where=observed) * observed.sum(axis=1)


def _power_of_two(error: Float[Array, "*n"]) -> Float[Array, "*n"]:
    return jnp.exp2(jnp.round(jnp.log2(error)))


def non_media_effects(
    group: NonMediaStructure,
    arrays: NonMediaArrays,
    params: Params,
    outcome_scale: Float[Array, "geo time"],
) -> Float[Array, "channel geo"]:
    r"""Effect of each non-media treatment in each geo.

    As `media_effects` with normal effects, where $\Delta$ is the treatment less its
    baseline. Treatments in the linear block have effect zero here: they are in the
    block, unless their coefficient is given.

    Returns:
        Scaled KPI per standard deviation of the treatment.
    """
    n_channels, n_geos, _ = arrays.scaled.shape
    spread = jnp.zeros((n_channels, n_geos), arrays.scaled.dtype)
    if "gamma_gn_dev" in params:
        spread = params["xi_n"][:, None] * params["gamma_gn_dev"].T
    a = ((arrays.scaled - arrays.baseline[:, None, None]) * outcome_scale).sum(axis=2)
    effects = jnp.zeros_like(spread)
    for name, places in group.treatment:
        index = jnp.array(places)
        if name not in params:  # integrated out
            continue
        theta = params[name]
        if name == "gamma_n":
            middle = theta
        else:
            incremental = theta * arrays.denominator[index]
            moved = (a * spread).sum(axis=1)[index]
            middle = (incremental - moved) / a.sum(axis=1)[index]
        effects = effects.at[index].set(middle[:, None])
    return effects + spread
