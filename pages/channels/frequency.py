"""The view of optimal frequency on the Channels screen."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts import frequency
from core.charts.drawing import style
from core.text.languages.language import say
from pages.channels.shown import Results
from pages.ui import layout
from pages.ui.findings import plain


def show(results: Results, row: DeltaGenerator) -> None:
    """Every channel with reach and frequency: what its impressions could return."""
    del row
    frequencies, theme = results.view("frequency"), layout.theme()
    every = [channel.name for channel in results.fit.channels]
    colours = style.channel_colours(every)
    st.caption(
        say(
            "The same impressions can reach few people often or many people once. "
            "Optimal is the frequency at which they bring the most."
        )
    )
    names = [str(name) for name in frequencies["channel"].values]
    columns = st.columns(2, gap="medium")
    for i, name in enumerate(names):
        with columns[i % 2]:
            results.chart(
                f"frequency.{i}",
                lambda name=name: frequency.by_frequency(
                    frequencies, name, colour=colours.get(name), theme=theme
                ),
                name,
            )
            st.caption(plain(frequency.sentence(frequencies, name)))
