"""The view of optimal frequency on the Channels screen."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts import frequency
from core.charts.drawing import style
from pages.channels.shown import Results
from pages.ui import layout
from pages.ui.findings import plain


def show(results: Results, row: DeltaGenerator) -> None:
    """Every channel with reach and frequency: what its impressions could return."""
    del row
    frequencies = results.view("frequency")
    every = [channel.name for channel in results.fit.channels]
    colours = style.channel_colours(every)
    layout.remark(
        "The same impressions can reach few people often or many people once. "
        "Optimal is the frequency at which they bring the most."
    )
    names = [str(name) for name in frequencies["channel"].values]
    columns = st.columns(2, gap="medium")
    for i, name in enumerate(names):
        with columns[i % 2]:
            make = partial(
                frequency.by_frequency, frequencies, name, colour=colours.get(name)
            )
            results.chart(f"frequency.{i}", make, name)
            st.caption(plain(frequency.sentence(frequencies, name)))
