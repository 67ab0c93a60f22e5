"""Does spend follow demand? One sentence per channel, a chart, and the choice."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.charts import data as figures
from core.charts.data import channel_order
from core.charts.drawing import style
from core.service.records.columns import PAID, ColumnMapping
from core.service.records.model import ChannelSpec, FollowsDemand, ModelSpec
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.ui import drawn, state, words
from pages.ui.fields import gated
from pages.ui.fields.choice import one_of
from pages.ui.findings import plain
from pages.ui.reader.once import once

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator

    from core.service.records.data import InputData
    from core.service.suggestions.demand import Following

_WAYS = {
    "plan": marked("Bought by plan"),
    "demand": marked("Follows demand"),
    "perhaps": marked("With a probability"),
    "auto": marked("By its name and spend"),
}
_OPTION = {"plan": False, "demand": True, "auto": "auto"}
#: What "perhaps" begins with where nothing else is known, in percent.
_EVEN = 50


@once(lambda digest, frame, mapping: (digest, mapping), most=8)
def _market(
    digest: str, frame: "pd.DataFrame", mapping: ColumnMapping
) -> "InputData | None":
    """The market, or None where errors in the table stand in the way."""
    from core.service.tables import market

    return market(frame, mapping)


@once(lambda digest, frame, mapping: (digest, mapping), most=8)
def judged(
    digest: str, frame: "pd.DataFrame", mapping: ColumnMapping
) -> "dict[str, Following]":
    """What is known of each paid channel of a table; empty where it has errors."""
    from core.service.suggestions.demand import judged as judged_by

    data = _market(digest, frame, mapping)
    return {} if data is None else judged_by(data)


def show(digest: str, frame: "pd.DataFrame", mapping: ColumnMapping) -> None:
    """A channel's spend beside the KPI, and a sentence for every channel."""
    followings = judged(digest, frame, mapping)
    if not followings:
        paid = mapping.of_kind(*PAID)
        st.caption(
            say("Whether spend follows demand is shown once the errors are sorted out.")
            if paid
            else say("No channel has spend that could follow demand.")
        )
        return
    names = sorted(followings, key=lambda name: -followings[name].probability)
    name = one_of(
        say("Channel"),
        names,
        "data.demand",
        label_visibility="collapsed",
        width=220,
    )
    _show(digest, frame, mapping, name)
    sentences = [
        plain(reworded(followings[channel].reason, names)) for channel in names
    ]
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))


def _show(
    digest: str, frame: "pd.DataFrame", mapping: ColumnMapping, name: str
) -> None:
    from core.service.suggestions.demand import comparison

    data = _market(digest, frame, mapping)
    colour = style.channel_colours(channel_order(mapping)).get(name)

    def make(**how: Any) -> Any:
        both = comparison(data, name)
        return figures.spend_and_kpi(both, kpi=mapping.kpi, colour=colour, **how)

    drawn.show("data.demand_chart", make, digest, mapping, name)


def choice(
    spec: ModelSpec,
    channel: ChannelSpec,
    following: "Following | None",
    fitted: str = "",
    row: "DeltaGenerator | None" = None,
) -> ChannelSpec:
    """How a paid channel is bought; returns the channel as edited.

    Args:
        spec: The options.
        channel: A channel of theirs.
        following: What is known of it before a fit.
        fitted: What the newest fit says of it, a sentence; empty without one.
        row: Where the choice stands; its reason stands below.
    """
    if channel.kind not in PAID or spec.preset == "meridian":
        return channel
    now = _way(channel.follows_demand)
    with row or st.container(horizontal=True, vertical_alignment="bottom"):
        way = gated.segmented_control(
            say("How its spend is decided"),
            list(_WAYS),
            default=now,
            required=True,
            format_func=words.said(_WAYS),
            key=f"model.demand.{channel.name}.{now}.{state.edition('closely')}",
            wrap=True,
            help=say(
                "Spend that follows demand, as in brand search, rises with sales that "
                "would have come anyway. The fit weighs both readings by what the data "
                "say of each, beginning with a probability: by default the one that "
                "the channel's name and spend suggest."
            ),
        )
        if way == now == "perhaps":
            channel = _perhaps(channel)
    before = "" if following is None else reworded(following.reason, [channel.name])
    after = (
        say("The newest fit: {finding}", finding=reworded(fitted, [channel.name]))
        if fitted and (following is None or fitted != following.reason)
        else ""
    )
    if before or after:
        st.caption(plain(f"{before} {after}".strip()))
    if way == now:
        return channel
    state.start_afresh("closely")
    if way == "perhaps":
        chance = following.probability if following is not None else 0.0
        percent = min(max(round(100 * chance) or _EVEN, 1), 99)
        return replace(channel, follows_demand=percent / 100)
    return replace(channel, follows_demand=_OPTION[way])


def _way(follows: FollowsDemand) -> str:
    if isinstance(follows, float):
        return "perhaps"
    return next(way for way, it in _OPTION.items() if it == follows)


def _perhaps(channel: ChannelSpec) -> ChannelSpec:
    """How likely the channel follows demand before the fit, in percent."""
    percent = gated.number_input(
        say("Probability, %"),
        min_value=1,
        max_value=99,
        value=min(max(round(100 * channel.follows_demand), 1), 99),
        step=5,
        key=f"model.demand.percent.{channel.name}.{state.edition('closely')}",
        width=120,
    )
    if percent == round(100 * channel.follows_demand):
        return channel
    return replace(channel, follows_demand=percent / 100)
