"""Tables of results: numbers that sort, intervals beside them, a CSV that is safe."""

import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from core.text.escaping import inert
from pages.ui.findings import plain

#: Rows that a table shows without scrolling inside itself: beyond, it is a long list.
_MOST_ROWS = 45


def height(n_rows: int, most: int = _MOST_ROWS) -> int | Literal["content"]:
    """Height of a table: all of it, so that nothing scrolls inside what scrolls.

    Args:
        n_rows: Of the table.
        most: Rows that are shown at once, where there are more.
    """
    return "content" if n_rows <= most else 35 * (most + 1)


#: Around the text of a cell, px.
_AROUND = 18
#: Letters of a grid's type that are not of common width, px.
_LETTERS = dict.fromkeys("ijlI .:'|\u00a0", 3.6) | dict.fromkeys(",;()[]-", 4.3)
_LETTERS |= dict.fromkeys("frt/", 5.2) | dict.fromkeys("bdegopqéèêöóò", 7.6)
_LETTERS |= dict.fromkeys("mwMOQW—…%◇", 11.5)
_CAPITAL, _COMMON = 8.2, 7.1


def _of_letter(letter: str) -> float:
    common = _CAPITAL if letter.isupper() else _COMMON
    return _LETTERS.get(letter, common)


def width(texts: Iterable[object], least: int = 0, most: int | None = None) -> int:
    """Width of a column that shows texts in full, its head among them, px.

    Args:
        texts: What stands in it.
        least: That it has at least.
        most: That it has at most.
    """
    letters = (sum(map(_of_letter, str(text))) for text in texts)
    widest = round(_AROUND + max(letters, default=0))
    return max(least, widest if most is None else min(widest, most))


def grid(
    rows: Any,
    alt: str,
    columns: Mapping[str, Any] | None = None,
    *,
    most: int = _MOST_ROWS,
    **how: Any,
) -> Any:
    """A table that sorts, all of its rows at once; what is chosen in it.

    Args:
        rows: By column, or a frame.
        alt: What it shows.
        columns: How columns are shown.
        most: Rows that are shown at once, where there are more.
        how: See `st.dataframe`.
    """
    table = rows if isinstance(rows, pd.DataFrame | Styler) else pd.DataFrame(rows)
    n = len(table.data if isinstance(table, Styler) else table)
    return st.dataframe(
        table,
        column_config=columns,
        hide_index=True,
        height=height(n, most),
        alt=alt,
        **how,
    )


def edit(
    frame: pd.DataFrame,
    alt: str,
    columns: Mapping[str, Any],
    *,
    grows: bool = False,
    **how: Any,
) -> pd.DataFrame:
    """A table to type in, all of its rows at once; what is typed.

    Args:
        frame: What it begins with.
        alt: What it is for.
        columns: How columns are shown.
        grows: Whether rows can be added.
        how: See `st.data_editor`.
    """
    rows = {"num_rows": "dynamic"} if grows else {"height": height(len(frame))}
    return st.data_editor(
        frame,
        column_config=columns,
        hide_index=True,
        placeholder="",
        alt=alt,
        **rows,
        **how,
    )


def chosen(
    rows: Any, alt: str, columns: Mapping[str, Any] | None = None, **how: Any
) -> int | None:
    """The row that is chosen in a `grid`; None where none is."""
    selection = {"on_select": "rerun", "selection_mode": "single-row"}
    picked = grid(rows, alt, columns, **selection, **how)
    places = picked.selection.rows if picked else []
    return places[0] if places and places[0] < len(rows) else None


def written(frame: pd.DataFrame, how: Mapping[str, Callable[[float], str]]) -> Styler:
    """A table whose numbers are written as in sentences, and still sort as numbers.

    What a browser writes itself has a hyphen for a minus and its own decimal sign. Such
    columns have no format of their own: it would come before this one.

    Args:
        frame: The table.
        how: How numbers of each column are written; columns may be missing.
    """
    formats = {name: write for name, write in how.items() if name in frame}
    return frame.style.format(formats, na_rep="")


def of_page(frame: pd.DataFrame, alt: str) -> None:
    """A table of the page, not a grid: on a phone its cells take more lines.

    Args:
        frame: Texts.
        alt: What it shows.
    """
    table = frame.map(plain).rename(columns=plain)
    st.table(table.style.hide(axis="index"), border="horizontal", alt=alt)


def csv(frame: pd.DataFrame) -> bytes:
    """The table as CSV whose texts a spreadsheet will not run as formulas."""
    safe = frame.copy()
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = safe[name].map(inert)
    safe.columns = [inert(name) for name in safe.columns]
    text = io.StringIO()
    safe.to_csv(text, index=False)
    return text.getvalue().encode("utf-8-sig")


def number(estimate: Mapping[str, Any] | None, key: str = "mean") -> float | None:
    """One number of an estimate; None where there is no estimate."""
    return None if not estimate else estimate.get(key)
