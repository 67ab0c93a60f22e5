"""Amount: a field for money or outcomes, which takes 75M, 75,000 and 75 Mio alike.

Streamlit's number field drops what is no digit: 75M became 75.
"""

import streamlit as st

from core import text as fmt
from core.errors import ValueRangeError
from core.service.data.amounts import typed_amount
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.ui import state
from pages.ui.findings import plain

#: Below, an amount that is not whole is in thousands or millions, with more decimals.
_SMALL = 100


def amount_field(
    label: str,
    key: str,
    default: float | None,
    *,
    least: float = 0.0,
    decimals: int = 0,
    placeholder: str | None = None,
    help: str | None = None,  # Streamlit's own name
    currency: str = "",
) -> float | None:
    """A number as a person types it; kept in the session under `key`.

    The field itself has the key `<key>.typed`. What is not an amount is said below the
    field, and the number stays what it was.

    Args:
        label: What the amount is.
        key: Where the number is kept.
        default: The first number; None for an empty field.
        least: The least that is allowed.
        decimals: Decimals that the field shows of what is not whole.
        placeholder: What an empty field shows; without one it goes back to the default.
        help: The tooltip.
        currency: What the amount is in: an amount with another sign is refused.
    """
    state.setdefault(key, default)
    value, typed = state.widget(key, default), f"{key}.typed"
    if value is None and placeholder is None:
        value = default
        state.put(key, value)
    wrong = state.draft(f"wrong.{key}")
    if not wrong:
        state.put(typed, "" if value is None else _written(value, decimals))
    st.text_input(
        label,
        key=typed,
        placeholder=placeholder,
        help=help,
        on_change=_read,
        args=(key, typed, label, least, currency),
    )
    if wrong:
        st.caption(f":red[{plain(wrong)}]")
    return value


def _written(value: float, decimals: int) -> str:
    if abs(value) < _SMALL and value != round(value):
        return fmt.exact(value)
    is_whole = round(value, decimals) == round(value)
    return fmt.exact(value, decimals=0 if is_whole else decimals)


def _read(key: str, typed: str, label: str, least: float, currency: str) -> None:
    """Take up what was typed, or keep why it cannot be."""
    text = str(state.widget(typed, "")).strip()
    what = label.split(",")[0].lower()
    try:
        value = None
        if text:
            amount = typed_amount(
                text, what, group=fmt.locale().group, currency=currency
            )
            value = float(amount)
    except ValueRangeError as error:
        state.keep(f"wrong.{key}", reworded(str(error)))
        return
    if value is not None and value < least:
        amount = fmt.exact(least, decimals=2 if least % 1 else 0)
        why = say("The {what} is at least {least}.", what=what, least=amount)
        state.keep(f"wrong.{key}", why)
        return
    state.keep(f"wrong.{key}", "")
    state.put(key, value)
