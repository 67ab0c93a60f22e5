r"""No effect: whether the data fit as well if a channel did nothing.

A prior of returns above zero keeps every interval above zero, however little the data
say. What they say of zero is the Bayes factor of no effect: the density of the data
without the channel over that with it,

$$B = \frac{p(y \mid \text{no effect})}{p(y)}
    = E\left[\frac{p(y \mid \theta, \text{no effect})}{p(y \mid \theta)}\right]$$

over the posterior with it. $\theta$ is everything but the linear block, which is
integrated out in both, so that baseline, controls and demand may take up what the
channel leaves. No second fit is needed.

References:
    Kass and Raftery (1995), Bayes Factors: evidence below a factor of three is not
    worth more than a bare mention.

Below the least: how much of a return lies where no spend was ever seen.

What a channel brings between nothing and the least it ever ran is extrapolation: a
curve that was never seen there, set by the prior of its shape. For each draw it is the
outcome of that least media in every period, of each geo its own, as a share of the
outcome of what ran. A channel that paused has none of it.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from core.analysis.draws import thinned
from core.analysis.incremental import on_cores, per_draw, treatment_outcome
from core.analysis.learning.priors import treatment_priors
from core.analysis.record.fit_record import AS_WELL
from core.analysis.response.frequency import least_media
from core.analysis.returns import channel_names
from core.data.mapping import PAID
from core.model.block.collapsed import collapsed_log_likelihood
from core.model.build import Model
from core.model.chunks import in_chunks
from core.model.compiled.executables import PLAIN, persistent
from core.model.density import baseline_kpi, column_scale, local_scale
from core.model.media.structure import Structure
from core.model.media.treatments import media_transformed, non_media_effects
from core.model.noise import rho_of, shock_g
from core.text import numbers as fmt
from core.text.languages.language import say, say_count
from core.text.sentences import listed

#: Draws that the share is worked out of.
_SHARE_DRAWS = 200


def below_least(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Share of each paid channel's outcome that its least media would bring; draw.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    media = model.filled.fill(least_media(model))
    least, ran = model.filled.in_chunks(
        _least_and_ran, thinned(draws, _SHARE_DRAWS), media
    )
    share = np.divide(least, ran, out=np.zeros_like(ran), where=ran > 0)
    names, kinds = channel_names(model)
    return {
        name: np.clip(own, 0.0, 1.0)
        for name, kind, own in zip(names, kinds, share.T, strict=False)
        if kind in PAID
    }


@per_draw(options=PLAIN)
def _least_and_ran(structure, arrays, draw, media):
    """Outcome of the least media and of what ran; draw channel."""
    least = treatment_outcome(structure, arrays, draw, media)
    return least.sum(axis=(1, 2)), treatment_outcome(structure, arrays, draw).sum(
        axis=(1, 2)
    )


def extrapolated(shares: Mapping[str, float]) -> str:
    """A sentence on the channels most of whose return is extrapolation; or nothing.

    Args:
        shares: Mean share below the least media, by channel.
    """
    most = sorted((x for x in shares if shares[x] >= 0.5), key=lambda x: -shares[x])
    if not most:
        return ""
    parts = [
        say("{share} of {name}'s return", share=fmt.share(shares[name]), name=name)
        for name in most
    ]
    return say_count(
        len(most),
        "{parts} is below the least it ever spent, where the curve is assumed, not "
        "seen. Weeks at low spend or a lift test would show it.",
        "{parts} are below the least they ever spent, where the curve is assumed, not "
        "seen. Weeks at low spend or a lift test would show it.",
        parts=listed(parts, limit=4),
    )


#: Draws that the factor is worked out of.
_DRAWS = 500


def no_effect(model: Model, draws: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Bayes factor of no effect, of each paid channel whose prior says that it has one.

    Channels with a lift test in the model have none, nor has a model that samples
    effects of single geos beside those of media.

    Args:
        model: The model.
        draws: Posterior variables, draws first.
    """
    few = thinned(draws, _DRAWS)
    if not _has_all(model.structure, few):
        return {}
    tested = {name for test in model.spec.experiments for name in test.channels}
    priors = treatment_priors(model)
    usual, *without = _likelihoods(model, few).T
    channels = [
        (group.kind, name)
        for group in model.structure.groups
        for name in model.channels(group.kind)
    ]
    factors = {}
    for (kind, name), absent in zip(channels, without, strict=True):
        if kind not in PAID or name in tested:
            continue
        prior = priors[name]
        if prior.support[0] < 0 or prior.family == "Deterministic":
            continue
        ratio = absent - usual
        log_factor = ratio.max() + np.log(np.exp(ratio - ratio.max()).mean())
        factors[name] = float(np.exp(np.clip(log_factor, -100.0, 100.0)))
    return factors


def assumed(factors: Mapping[str, float | None]) -> str:
    """A sentence on the channels that the data would not miss; or nothing.

    Args:
        factors: Bayes factor of no effect, by channel.
    """
    names = [name for name, own in factors.items() if own and own >= AS_WELL]
    if not names:
        return ""
    return say_count(
        len(names),
        "Whether {names} does anything is assumed, not seen: the data fit about as "
        "well if it did nothing, and only the prior keeps its return above zero. "
        "Weeks without it or a lift test would show it.",
        "Whether {names} do anything is assumed, not seen: the data fit about as well "
        "if any one of them did nothing, and only priors keep their returns above "
        "zero. Weeks without them or lift tests would show it.",
        names=listed(names, limit=4),
    )


def _has_all(structure: Structure, draws: Mapping[str, np.ndarray]) -> bool:
    """Whether draws have every latent that is sampled, or what it makes of media."""
    by_geo = {f"beta_g{group.suffix}_dev" for group in structure.groups}
    return all(
        latent.name in draws or latent.name in by_geo or not np.prod(latent.shape)
        for latent in structure.latents
        if latent.role == "sampled" and not latent.is_fixed
    )


def _likelihoods(model: Model, draws: dict[str, np.ndarray]) -> np.ndarray:
    structure, arrays, _ = model.filled
    values = in_chunks(
        lambda some: _log_likelihoods(structure, arrays, some), model.filled.of(draws)
    )
    return np.asarray(values, np.float64)


@persistent(options=PLAIN)
def _log_likelihoods(structure, arrays, draws):
    """Log likelihood with the block integrated out; draw, one more than channels.

    First with every channel, then without each in turn.
    """
    zeros = {
        latent.name: jnp.zeros(latent.shape, arrays.kpi.dtype)
        for latent in structure.latents
        if latent.role != "integrated" and latent.name not in draws
    }
    sampled = {x.name for x in structure.latents if x.role != "integrated"}

    def of_draw(draw):
        # What the block has is integrated out: as drawn, it would be counted twice.
        params = zeros | {name: draw[name] for name in sampled & draw.keys()}
        mean = baseline_kpi(structure, arrays, params)
        parts = [jnp.zeros((1, *arrays.kpi.shape), arrays.kpi.dtype)]
        for group in structure.groups:
            numbers = arrays.groups[group.suffix]
            media = media_transformed(
                group, numbers.media, numbers, draw, structure.n_times
            )
            parts.append(draw[f"beta_g{group.suffix}"].T[:, :, None] * media)
        missing = jnp.concatenate(parts)
        mean = mean + missing.sum(axis=0)
        if structure.non_media is not None:
            effects = non_media_effects(
                structure.non_media, arrays.non_media, params, arrays.outcome_scale
            )
            mean = mean + (effects[:, :, None] * arrays.non_media.scaled).sum(axis=0)

        def without(missed):
            return collapsed_log_likelihood(
                arrays.block,
                (arrays.kpi - arrays.block.offset - mean + missed) * arrays.is_seen,
                shock_g(structure, params),
                local_scale(structure, arrays, params),
                column_scale(structure, arrays, params),
                rho_of(params),
            )

        # Of all channels at once: the factors of the block are the same without any.
        return jax.vmap(without)(missing)

    # One after another: factors of many small matrices at once are no faster here.
    return on_cores(of_draw, draws, batch_size=None)
