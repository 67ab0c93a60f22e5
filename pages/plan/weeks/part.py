"""Weeks that a table shows at once, so that it does not go beyond its sides."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core import text as fmt
from core.text.languages.language import say
from pages.ui.fields.choice import one_of

#: Weeks beside two columns more on a laptop.
_MOST = 9


def choose(
    key: str, days: list[str], leave: Callable[..., None] | None = None, *args: Any
) -> list[str]:
    """The weeks to show; all of them where they are few.

    Args:
        key: Of the control.
        days: First days of all weeks.
        leave: Called before other weeks are shown: to keep what was typed.
        args: Its arguments.
    """
    n_parts = -(-len(days) // _MOST)
    if n_parts < 2:
        return days
    # Parts of one length, so that none has a single week.
    parts = {str(part[0]): part.tolist() for part in np.array_split(days, n_parts)}
    first = one_of(
        say("Weeks shown"),
        parts,
        key,
        format_func=lambda day: say(
            "{day} to {parts}", day=fmt.date(day), parts=fmt.date(parts[day][-1])
        ),
        on_change=leave,
        args=args,
        label_visibility="collapsed",
        width=250,
    )
    return parts[first]
