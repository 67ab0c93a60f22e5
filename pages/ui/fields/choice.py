"""Choice: a box whose choice is kept for as long as it is among the options."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from pages.ui import state


def one_of(
    label: str,
    options: Iterable[Any],
    key: str,
    first: Any = None,
    *,
    place: Any = st,
    **arguments: Any,
) -> Any:
    """What is chosen among options that may be others than at the last drawing.

    Args:
        label: Of the box.
        options: To choose from, one at least.
        key: Of the box.
        first: Chosen where nothing is that is still there; None for the first option.
        place: Where the box is drawn.
        arguments: More arguments of the box.
    """
    listed = list(options)
    if state.widget(key, None) not in listed:
        state.put(key, listed[0] if first is None else first)
    return place.selectbox(label, listed, key=key, **arguments)
