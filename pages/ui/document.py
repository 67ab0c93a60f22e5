"""What one parameter of the address holds: JSON that anybody may have typed."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import streamlit as st

#: Letters that are written and read.
_LONGEST = 8000


def document_in(name: str) -> dict[str, Any]:
    """The JSON object of a parameter of the address; empty where it is none."""
    text = st.query_params.get(name, "")
    if not text or len(text) > _LONGEST:
        return {}
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def keep_document(name: str, content: Mapping[str, Any]) -> None:
    """Have the address hold an object; nothing where it is empty or too long."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    if not content or len(text) > _LONGEST:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != text:
        st.query_params[name] = text


def is_day(value: Any) -> bool:
    """Whether something is a day that there is, YYYY-MM-DD."""
    try:
        return date.fromisoformat(value).isoformat() == value
    except (TypeError, ValueError):
        return False


def amount_in(value: Any) -> float | None:
    """A finite amount of money that is not negative."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < 1e15 else None
