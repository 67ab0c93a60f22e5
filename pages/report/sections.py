"""Sections of a fit on a screen: what every medium says, each one click away."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.view.sections.section import Section, Table
from pages.ui import tables
from pages.ui.findings import plain


def draw(sections: Sequence[Section]) -> None:
    """Each section below its title, closed at first."""
    for section in sections:
        with st.expander(section.title, key=f"section.{section.name}"):
            for block in section.blocks:
                if isinstance(block, Table):
                    _table(block, section.title)
                else:
                    about = f"**{plain(block.about)}.** " if block.about else ""
                    st.markdown(about + plain(block.text))


def _table(block: Table, title: str) -> None:
    frame = pd.DataFrame(list(block.rows), columns=list(block.heads))
    st.dataframe(
        frame,
        hide_index=True,
        placeholder="",
        height=tables.height(len(frame)),
        alt=block.title or title,
    )
    if block.note:
        st.caption(plain(block.note))
