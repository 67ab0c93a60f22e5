"""Sections on a screen: what every medium says, drawn with Streamlit."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.view.sections.section import Block, Figure, Note, Section, Table
from pages.ui import drawn, tables
from pages.ui.findings import plain


def draw(sections: Sequence[Section]) -> None:
    """Each section below its title, closed at first."""
    for section in sections:
        with st.expander(section.title, key=f"section.{section.name}"):
            blocks(section, section.blocks)


def blocks(section: Section, some: Sequence[Block]) -> None:
    """Blocks of a section; a figure and the table after it stand side by side.

    Args:
        section: The section.
        some: Those of its blocks that are drawn here.
    """
    beside = None
    for place, block in enumerate(some):
        key = f"{section.name}.{place}"
        if isinstance(block, Figure):
            figure, beside = st.columns([1, 2], gap="medium")
            with figure:
                drawn.show(key, block.draw, block.of)
        elif isinstance(block, Table):
            with beside or st.container():
                table(block, section.title, key)
            beside = None
        else:
            _note(block)


def _note(note: Note) -> None:
    about = f"**{plain(note.about)}.** " if note.about else ""
    text = about + plain(note.text)
    if note.weight == "small":
        st.caption(text)
    else:
        st.markdown(f"**{text}**" if note.weight == "lead" else text)


def table(block: Table, title: str, key: str) -> None:
    """One table.

    Args:
        block: The table.
        title: What it shows, where it has no title of its own.
        key: Of the element, unlike any other's.
    """
    frame = pd.DataFrame(list(block.rows), columns=list(block.heads))
    right = st.column_config.TextColumn(alignment="right")
    if block.wraps:
        tables.of_page(frame, block.title or title)
    else:
        columns = dict.fromkeys(block.heads[block.texts :], right)
        tables.grid(frame, block.title or title, columns, placeholder="", key=key)
    if block.note:
        st.caption(plain(block.note))
