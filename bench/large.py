"""Markets of any size; by default one where other samplers give up.

50 geos, 156 weeks, 30 channels, 52 knots; and all media markets of the United States:
210 geos, 156 weeks, 15 channels, media that bring 40 % of the outcome, the default
model.
"""

import numpy as np

from core.data.input_data import InputData, Treatments
from core.data.simulate import adstock, saturation, scaled_media
from core.model.spec import ChannelSpec, ModelSpec

N_GEOS, N_TIMES, N_CHANNELS = 50, 156, 30

#: Size of the market of a country, and what media bring of its outcome.
COUNTRY = {"n_geos": 210, "n_times": 156, "n_channels": 15}
_MEDIA_SHARE = 0.4


def country_market(seed: int = 1, **size: int) -> tuple[InputData, ModelSpec]:
    """A market of every media market of a country, and the default model.

    Args:
        seed: The same seed gives the same market.
        size: What differs from `COUNTRY`.
    """
    data, spec = large_market(seed, **(COUNTRY | size), media_share=_MEDIA_SHARE)
    return data, ModelSpec(spec.channels)


def large_market(
    seed: int = 1,
    n_geos: int = N_GEOS,
    n_times: int = N_TIMES,
    n_channels: int = N_CHANNELS,
    media_share: float | None = None,
) -> tuple[InputData, ModelSpec]:
    """The market, and Meridian's model with one knot every three weeks.

    Args:
        seed: The same seed gives the same market.
        n_geos: Number of geos.
        n_times: Number of weeks.
        n_channels: Number of channels.
        media_share: What media bring of the outcome; None for about 2 % of what sells
            without media for each channel.
    """
    rng = np.random.default_rng(seed)
    people = np.rint(np.exp(13 + 0.7 * rng.standard_normal(n_geos)))
    weeks = np.arange(n_times)
    shape = (n_geos, n_times)
    season = 0.1 * np.cos(2 * np.pi * weeks / 52.18) + 0.05 * weeks / n_times
    controls = rng.standard_normal((*shape, 2))
    level = 1 + season + 0.1 * rng.standard_normal((n_geos, 1))
    sales = level + controls @ [0.03, -0.02]
    units, spend, effects = [], [], []
    for _ in range(n_channels):
        on = np.exp(0.6 * rng.standard_normal(shape)) * (rng.random(shape) < 0.8)
        bought = people[:, None] * on
        scaled = scaled_media(bought, people)
        curve = adstock(scaled, rng.uniform(0.1, 0.8), 8)
        curve = saturation(curve, rng.uniform(0.5, 2.0), 1.0)
        effect = np.exp(0.2 * rng.standard_normal((n_geos, 1))) * curve
        effect *= rng.uniform(0.005, 0.03) / effect.mean()
        effects.append(effect)
        units.append(bought)
        worth = (people[:, None] * effect).sum()
        spend.append(bought * worth / np.exp(0.2 + 0.6 * rng.normal()) / bought.sum())
    factor = 1.0
    if media_share is not None:
        wanted = media_share / (1 - media_share) * sales.mean()
        factor = wanted / sum(effect.mean() for effect in effects)
    for effect in effects:
        sales = sales + factor * effect
    spend = [factor * paid for paid in spend]
    sales = sales + 0.05 * rng.standard_normal(shape)
    names = tuple(f"Channel {place + 1}" for place in range(n_channels))
    times = np.datetime64("2022-01-03") + 7 * weeks
    data = InputData(
        geos=tuple(f"Geo {place + 1}" for place in range(n_geos)),
        times=times,
        media_times=times,
        kpi=people[:, None] * sales,
        kpi_type="revenue",
        revenue_per_kpi=None,
        population=people,
        controls=controls,
        control_names=("control 1", "control 2"),
        media=Treatments(names, np.stack(units, -1), spend=np.stack(spend, -1)),
    )
    channels = tuple(ChannelSpec(name) for name in names)
    return data, ModelSpec(channels, preset="meridian", knots=n_times // 3)
