"""Boxes whose content is drawn only while they are open.

Streamlit forgets what was typed into an editor once the editor is not drawn, so what
stands in such a box keeps what was typed elsewhere.
"""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import state


def box(
    label: str, key: str, *, stays: bool = False, **options: Any
) -> tuple[DeltaGenerator, bool]:
    """A box, folded at first; whether to draw what is in it.

    Args:
        label: Its line.
        key: Its key.
        stays: Whether it is open again when it was open before it was out of sight.
        **options: Others of `st.expander`.
    """
    was_open = state.draft(f"{key}.open", False)
    if stays and was_open and not state.has(key):
        state.put(key, True)
    place = st.expander(label, key=key, on_change="rerun", **options)
    state.keep(f"{key}.open", bool(place.open))
    # What is typed and folded at once is taken up in the run that folds.
    return place, bool(place.open) or was_open


def is_drawn(key: str) -> bool:
    """Whether the content of a box will be drawn, before it is.

    Args:
        key: Its key.
    """
    return bool(state.widget(key, False)) or state.draft(f"{key}.open", False)
