r"""Arrays of the channels: scaled media, windows, denominators, counterfactuals.

Typical exposure: where money is typically spent, the unit of half-saturation.

$$\bar x_m = \sum_{gt} x_{gtm}\,\mathrm{AdStock}(x)_{gtm} \Big/ \sum_{gt} x_{gtm}$$

in scaled media: the mean of carried-over media, weighted by media. That is a mean over
spend at the channel's mean price, so that a bill that comes in another week than its
media changes nothing. Carryover has the medians of the channel's priors. Of reach and
frequency it is the mean frequency over impressions. Where saturation comes first, it is
the mean of media that is not carried over.
"""

from collections.abc import Mapping

import jax
import numpy as np

from core.data.input_data import InputData, Treatments
from core.data.mapping import ChannelKind
from core.data.scaling import (
    media_median,
    scaled_media,
    scaled_treatment,
    treatment_scale,
)
from core.model.media.adstock import lagged
from core.model.media.implied_shapes import prior_weights
from core.model.media.structure import (
    GroupArrays,
    GroupStructure,
    MediaArrays,
    NonMediaArrays,
)
from core.model.priors.distribution import quantile
from core.model.priors.prior import prior
from core.model.spec import ADSTOCK_PARAMETERS, SUFFIX, ChannelSpec, ModelSpec
from core.model.terms.effectiveness import waves


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


_ONE = prior("Deterministic", loc=1.0)

#: Marginal ROI is the return of one per cent more media.
MARGINAL_STEP = 0.01


def _channels(spec: ModelSpec, data: InputData, kind: ChannelKind) -> list[ChannelSpec]:
    return [spec.channel(name) for name in getattr(data, kind).names]


def treatment_places(
    spec: ModelSpec, data: InputData, kind: ChannelKind
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Treatment parameters of a kind, and the places of the channels they are about."""
    names = [channel.treatment_parameter for channel in _channels(spec, data, kind)]
    return tuple(
        (name, tuple(place for place, other in enumerate(names) if other == name))
        for name in dict.fromkeys(names)
    )


def _windows(spec: ModelSpec, data: InputData, kind: ChannelKind) -> np.ndarray:
    lags = [
        spec.max_lag if channel.max_lag is None else channel.max_lag
        for channel in _channels(spec, data, kind)
    ]
    # No longer than the media there is: a longer window would only be normalised over
    # periods that nobody saw.
    return np.minimum(np.array(lags) + 1, data.n_media_times)


def group_structure(
    spec: ModelSpec, data: InputData, kind: ChannelKind
) -> GroupStructure:
    """Static options of the channels of one kind."""
    channels = _channels(spec, data, kind)
    slopes = {spec.channel_prior(channel, "slope") for channel in channels}
    kinds = [channel.effective_prior_kind for channel in channels]
    by_reach = kind in ("reach_frequency", "organic_reach_frequency")
    drifts = tuple(spec.drifts(channel) for channel in channels)
    return GroupStructure(
        kind=kind,
        suffix=SUFFIX[kind],
        n_channels=len(channels),
        n_lags=int(_windows(spec, data, kind).max()),
        adstock=tuple(channel.adstock for channel in channels),
        saturation=tuple(channel.saturation for channel in channels),
        slope_is_one=slopes == {_ONE},
        saturates_first=spec.hill_before_adstock and not by_reach,
        treatment=treatment_places(spec, data, kind),
        coefficient=tuple(prior_kind == "coefficient" for prior_kind in kinds),
        has_counterfactual=any(
            channel.calibration or channel.effective_prior_kind == "mroi"
            for channel in channels
        ),
        spreads=not data.is_national,
        drifts=drifts if any(drifts) else (),
    )


def scaled_units(data: InputData, treatments: Treatments) -> np.ndarray:
    """Scaled media units or reach, channel geo media_time."""
    median = media_median(treatments.units, data.population)
    scaled = scaled_media(treatments.units, data.population, median)
    return np.moveaxis(scaled, 2, 0)


def media_arrays(
    group: GroupStructure,
    units: np.ndarray | jax.Array,
    frequency: np.ndarray | jax.Array | None,
    n_times: int,
    dtype,
) -> MediaArrays:
    """Media as the group's transformation takes it; see `MediaArrays`.

    Args:
        group: Options of the channels.
        units: Scaled media units or reach, channel geo media_time.
        frequency: Average frequency, channel geo media_time; None unless by reach.
        n_times: Number of KPI periods.
        dtype: Floating point type.
    """
    units = units.astype(dtype)
    # Only what is data can be lagged beforehand: where saturation comes first, what
    # carries over depends on parameters.
    if group.by_reach:
        return MediaArrays(None, units, frequency.astype(dtype))
    if group.saturates_first:
        return MediaArrays(None, units, None)
    return MediaArrays(lagged(units, group.n_lags, n_times), None, None)


def group_arrays(
    spec: ModelSpec,
    data: InputData,
    group: GroupStructure,
    follows: Mapping[str, float],
    dtype,
) -> GroupArrays:
    """Numbers of the channels of one kind.

    Args:
        spec: Options and priors.
        data: The market.
        group: Options of the channels.
        follows: Probability that a channel's spend follows demand, before the fit.
        dtype: Floating point type.
    """
    treatments: Treatments = getattr(data, group.kind)
    units = scaled_units(data, treatments)
    frequency = None
    if treatments.frequency is not None:
        frequency = np.moveaxis(treatments.frequency, 2, 0)
    counterfactual = None
    if group.has_counterfactual:
        changed = units * _counterfactual_factor(spec, data, group)[:, None, :]
        counterfactual = media_arrays(group, changed, frequency, data.n_times, dtype)
    windows = _windows(spec, data, group.kind)
    return GroupArrays(
        media=media_arrays(group, units, frequency, data.n_times, dtype),
        counterfactual=counterfactual,
        window=windows.astype(float),
        typical=typical_exposure(spec, treatments, units, windows),
        denominator=_denominators(spec, data, group.kind),
        drift=waves(data.times, data.times) if group.drifts else None,
        change=_change(spec, data, group, follows) if group.drifts else None,
    )


def _change(
    spec: ModelSpec,
    data: InputData,
    group: GroupStructure,
    follows: Mapping[str, float],
) -> np.ndarray:
    r"""Of xi, $\sqrt{1 - p}$; see `terms.effectiveness`."""
    channels = _channels(spec, data, group.kind)
    # What the options of a channel itself say is no guess.
    p = [0.0 if one.effectiveness else follows.get(one.name, 0.0) for one in channels]
    return np.sqrt(1.0 - np.array(p)) * np.array(group.drifts)


def _in_window(channel: ChannelSpec, dates: np.ndarray) -> np.ndarray:
    """Whether each date lies in one of the channel's calibration windows."""
    inside = np.zeros(len(dates), dtype=bool)
    for start, end in channel.calibration:
        inside |= (dates >= np.datetime64(start)) & (dates <= np.datetime64(end))
    return inside


def _counterfactual_factor(
    spec: ModelSpec, data: InputData, group: GroupStructure
) -> np.ndarray:
    """What media is multiplied by in the counterfactual, channel media_time."""
    factor = np.zeros((group.n_channels, data.n_media_times))
    for row, channel in zip(factor, _channels(spec, data, group.kind), strict=True):
        if channel.effective_prior_kind == "mroi":
            # More media, not less: the step down would not exist for a channel at zero.
            row[:] = 1.0 + MARGINAL_STEP
        elif channel.calibration:
            row[:] = ~_in_window(channel, data.media_times)
    return factor


def _denominators(spec: ModelSpec, data: InputData, kind: ChannelKind) -> np.ndarray:
    treatments: Treatments = getattr(data, kind)
    total = data.outcome.sum()
    result = np.ones(len(treatments))
    for place, channel in enumerate(_channels(spec, data, kind)):
        match channel.effective_prior_kind:
            case "roi":
                spend = treatments.spend[:, :, place]
                if channel.calibration:
                    spend = spend[:, _in_window(channel, data.times)]
                result[place] = spend.sum()
            case "mroi":
                result[place] = MARGINAL_STEP * treatments.spend[:, :, place].sum()
            case "contribution":
                result[place] = total
    return result


def non_media_arrays(spec: ModelSpec, data: InputData) -> NonMediaArrays:
    """Numbers of the non-media treatments.

    The baseline is taken from the values after any division by population and before
    centring, so that it is divided once.
    """
    values = data.non_media.units
    names = data.non_media.names
    by_population = np.isin(names, spec.population_scaled_non_media)
    scale = treatment_scale(values, data.population, by_population)
    per_capita = np.where(
        by_population, values / data.population[:, None, None], values
    )
    low, high = per_capita.min(axis=(0, 1)), per_capita.max(axis=(0, 1))
    channels = _channels(spec, data, "non_media")
    baseline = np.array(
        [
            {"min": low[place], "max": high[place]}.get(
                channel.baseline, channel.baseline
            )
            for place, channel in enumerate(channels)
        ],
        dtype=float,
    )
    # A constant treatment has no effect; one keeps its zeros from becoming NaN.
    spread = np.where(scale.std > 0, scale.std, 1.0)
    return NonMediaArrays(
        scaled=np.moveaxis(scaled_treatment(values, data.population, scale), 2, 0),
        baseline=(baseline - scale.mean) / spread,
        denominator=_denominators(spec, data, "non_media"),
    )
