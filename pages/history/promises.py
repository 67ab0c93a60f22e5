"""Promises: what forecasts, plans and tests said, and what came of it."""

import pandas as pd
import streamlit as st

from core.charts.fits.calibration import calibration
from core.service.projects import promises
from core.text.languages.language import say
from core.view import promises as words
from pages.ui import drawn, layout, tables
from pages.ui.findings import plain
from pages.ui.reading import Opened

_MOST = 200


def show(here: Opened) -> None:
    """The finding, the curve and the list; nothing where nothing was promised yet."""
    record = promises.record(here.folder)
    if not record.settled:
        return
    st.header(say("Promises"), anchor=False)
    first, *others = words.findings(record.settled)
    counted = record.calibrated()
    st.markdown(f"**{plain(first)}**" if counted else plain(first))
    for line in others:
        st.caption(plain(line))
    rows = words.rows(record.settled)[:_MOST]
    if not counted:
        _table(rows)
    else:
        left, right = st.columns([2, 3], gap="medium")
        with left:
            theme, points = layout.theme(), words.points(counted)
            figure = drawn.once(
                lambda: calibration(points, counted[0].n, theme=theme),
                "calibration",
                (tuple(points), counted[0].n),
                theme,
            )
            layout.chart(figure, "history.calibration")
        with right:
            _table(rows)
            st.caption(say(words.COUNTED))
    open_ones = words.notes(record.settled)
    if open_ones:
        with st.expander(say("What cannot be scored yet"), key="history.unscored"):
            for line in open_ones[:_MOST]:
                st.caption(plain(line))


def _table(rows: list[tuple[str, ...]]) -> None:
    right = st.column_config.TextColumn(alignment="right")
    heads = [say(head) for head in words.HEADS]
    st.dataframe(
        pd.DataFrame(rows, columns=heads),
        column_config=dict.fromkeys(heads[3:], right),
        hide_index=True,
        height=tables.height(len(rows)),
        key="history.promises",
        alt=say("Promises and what came of them"),
    )
