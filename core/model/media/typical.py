r"""Typical exposure: where money is typically spent, the unit of half-saturation.

$$\bar x_m = \sum_{gt} x_{gtm}\,\mathrm{AdStock}(x)_{gtm} \Big/ \sum_{gt} x_{gtm}$$

in scaled media: the mean of carried-over media, weighted by media. That is a mean over
spend at the channel's mean price, so that a bill that comes in another week than its
media changes nothing. Carryover has the medians of the channel's priors. Of reach and
frequency it is the mean frequency over impressions. Where saturation comes first, it is
the mean of media that is not carried over.
"""

import numpy as np

from core.data.input_data import Treatments
from core.model.media.implied_shapes import prior_weights
from core.model.priors.distribution import quantile
from core.model.spec import ADSTOCK_PARAMETERS, ChannelSpec, ModelSpec


def typical_exposure(
    spec: ModelSpec, treatments: Treatments, scaled: np.ndarray, windows: np.ndarray
) -> np.ndarray:
    """Exposure that half-saturation is a multiple of, per channel of a kind.

    Args:
        spec: Options and priors; with preset `meridian` the unit is scaled media (and
            exposures per person reached), as in Meridian.
        treatments: The channels.
        scaled: Scaled media or reach, channel geo media_time.
        windows: Periods that an exposure works, channel.

    Returns:
        Scaled media (or frequency) of a typical exposure; one where nothing ran.
    """
    typical = np.ones(len(scaled))
    if spec.preset == "meridian":
        return typical
    for place, name in enumerate(treatments.names):
        weight, felt = treatments.units[:, :, place], scaled[place]
        if treatments.frequency is not None:
            felt = treatments.frequency[:, :, place]
            weight = weight * felt
        elif not spec.hill_before_adstock:
            lags = _weights(spec, spec.channel(name), int(windows[place]))
            felt = _carried_over(felt, lags)
        if weight.sum() > 0:
            typical[place] = (weight * felt).sum() / weight.sum()
    return typical


def _weights(spec: ModelSpec, channel: ChannelSpec, window: int) -> np.ndarray:
    """Share of an exposure's effect at each lag, at the medians of the priors."""
    medians = {
        stem: quantile(spec.channel_prior(channel, stem), [0.5])
        for stem in ADSTOCK_PARAMETERS[channel.adstock]
    }
    return prior_weights(channel.adstock, medians, window)[0]


def _carried_over(media: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Media after carryover, none before the first period; geo media_time."""
    n_times = media.shape[1]
    return sum(
        weight * np.pad(media, ((0, 0), (lag, 0)))[:, :n_times]
        for lag, weight in enumerate(weights)
    )
