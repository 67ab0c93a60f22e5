"""Sections on a screen: what every medium says, drawn with Streamlit."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.view.sections.section import Block, Figure, Note, Section, Table
from pages.ui import drawn, tables
from pages.ui.findings import plain

#: Most that names of rows take of a window, px.
_NAMES = 220


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
            note(block)


def note(block: Note) -> None:
    """One paragraph."""
    about = f"**{plain(block.about)}.** " if block.about else ""
    text = about + plain(block.text)
    if block.weight == "small":
        st.caption(text)
    else:
        st.markdown(f"**{text}**" if block.weight == "lead" else text)


def table(block: Table, title: str, key: str) -> None:
    """One table.

    Args:
        block: The table.
        title: What it shows, where it has no title of its own.
        key: Of the element, unlike any other's.
    """
    if block.wraps:
        frame = pd.DataFrame(list(block.rows), columns=list(block.heads))
        tables.of_page(frame, block.title or title)
    else:
        grid(block, title, key=key)
    if block.note:
        st.caption(plain(block.note))


def grid(block: Table, title: str = "", **how: Any) -> Any:
    """A table that sorts; what is chosen in it.

    Args:
        block: The table.
        title: What it shows, where it has no title of its own.
        how: See `st.dataframe`.
    """
    return tables.grid(*_parts(block, title), placeholder="", **how)


def chosen(block: Table, key: str) -> int | None:
    """The row of a table that is chosen; None where none is."""
    return tables.chosen(*_parts(block), placeholder="", key=key)


def _parts(block: Table, title: str = "") -> tuple[pd.DataFrame, str, dict[str, Any]]:
    """Its rows, what it shows, and its columns."""
    names = [block.heads[0], *(row[0] for row in block.rows)]
    columns = {
        head: st.column_config.TextColumn(
            head,
            help=block.helps.get(head),
            pinned=place == 0,
            alignment="left" if place < block.texts else "right",
            # As wide as its names: a narrow window takes room from the numbers.
            width=None if place else tables.width(names, 0, _NAMES),
        )
        for place, head in enumerate(block.heads)
    }
    frame = pd.DataFrame(list(block.rows), columns=list(block.heads))
    return frame, block.title or title, columns
