"""What a channel's assumptions imply, in numbers and words."""

import streamlit as st
import xarray as xr

from core import text as fmt
from core.charts.drawing import shapes
from core.errors import SpecError
from core.service.records.model import (
    ChannelSpec,
    Market,
    Preset,
    Prior,
    elicitation,
    implied_shapes,
)
from core.text.languages.reworded import reworded
from pages.ui.reader import tongue


def shapes_of(
    channel: ChannelSpec,
    priors: dict[str, Prior],
    max_lag: int,
    preset: Preset,
    about: Market,
) -> xr.Dataset:
    """Carryover and saturation that priors imply, computed once."""
    key = repr((channel, priors, max_lag, preset))
    shapes = _shapes(key, channel, priors, max_lag, preset)
    return shapes.assign_attrs(_attributes(about))


@st.cache_resource(max_entries=64, show_spinner=False)
@tongue.in_english
def _shapes(
    key: str,
    _channel: ChannelSpec,
    _priors: dict[str, Prior],
    _lag: int,
    _preset: Preset,
):
    curves = implied_shapes(_channel, _priors, _lag, _preset)
    if _preset != "meridian":
        curves["media_grid"].attrs["unit"] = shapes.TYPICAL
    elif "reach" in _channel.kind:
        curves["media_grid"].attrs["unit"] = shapes.FREQUENCY
    return curves


def _attributes(about: Market) -> dict[str, object]:
    """Window of the market, from which figures name a period."""
    if len(about.dates) < 2:
        return {}
    return {
        "start": about.dates[0],
        "end": about.dates[-1],
        "n_times": len(about.dates),
    }


def interval(draws) -> str:
    """Median and interval of draws."""
    low, middle, high = (
        f"{float(value):.1f}" for value in draws.quantile([0.05, 0.5, 0.95])
    )
    return middle if low == high else f"{middle} ({low} – {high})"


def share(draws) -> str:
    """The same of draws of a share, in percent: `57 % (20 – 89)`."""
    low, middle, high = (float(each) for each in draws.quantile([0.05, 0.5, 0.95]))
    if round(100 * low) == round(100 * high):
        return fmt.share(middle)
    ends = {"median": middle, "lo": low, "hi": high}
    return fmt.estimate(ends, "share", centre="median")


def implied(prior: Prior, channel: ChannelSpec, about: Market) -> str:
    """What the prior says on the other scales."""
    try:
        return elicitation.implied(
            prior,
            about.totals.spend.get(channel.name),
            about.totals.outcome,
            kind=channel.effective_prior_kind,
            outcome_name=about.units.outcome_in_text,
        ).text
    except SpecError as error:
        return reworded(str(error))
