"""What moved: the newest refresh beside the fit before it."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts import history as figures
from core.service import plans
from core.service.projects.history import returns_over_fits
from core.service.projects.shelf import mark_seen
from core.service.records.fit import Run
from core.service.records.refresh import RefreshRecord
from core.service.refreshes import moves
from core.text.languages.language import say
from core.view import refresh_words as sentences
from core.view import what_happened
from core.view.origin import changed_plans
from pages.ui import drawn, layout, reading
from pages.ui.findings import plain
from pages.ui.reading import Opened


def show(here: Opened, last: Run | None, below: DeltaGenerator) -> None:
    """The last refresh in words and numbers, and ROI from fit to fit.

    Args:
        here: The project.
        last: The newest fit; None where there is none.
        below: Where what is wide is drawn.
    """
    if last is None:
        st.caption(say("What moved is shown here once there are two fits."))
        return
    record = moves(last.folder)
    mark_seen(last.folder)
    fits = returns_over_fits(here.folder)
    units = reading.fit(last.folder).units
    if record is not None:
        st.markdown(f"**{plain(sentences.moved(record))}**")
        with below:
            _table(record, units)
        for line in _lines(record, units):
            st.caption(plain(line))
        report = last.folder / "report.html"
        if report.is_file():
            st.download_button(
                say("Report of this refresh"),
                data=report.read_bytes,
                file_name=f"{here.name} {last.run_id}.html",
                mime="text/html",
                icon=":material/download:",
                on_click="ignore",
                key="history.report",
            )
    for line in changed_plans(plans.changed(here.folder)):
        st.warning(plain(line), icon=":material/rule:")
    if len(fits) < 2:
        st.caption(say("ROI from fit to fit is drawn once new rows have been fitted."))
        return
    theme = layout.theme()
    named = [(fmt.date(fit.end), fit.roi) for fit in fits]
    figure = drawn.once(
        lambda: figures.returns(named, units, theme=theme),
        "history",
        tuple(fit.run_id for fit in fits),
        theme,
    )
    with below:
        layout.chart(figure, "history.roi")


def _table(record: RefreshRecord, units: fmt.Units) -> None:
    titles, channels = sentences.table(record, units)
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        pd.DataFrame(channels, columns=titles),
        column_config=dict.fromkeys(titles[1:], right),
        hide_index=True,
        height="content",
        key="history.moves",
        alt=say("Move of every channel's ROI since the fit before"),
    )


def _lines(record: RefreshRecord, units: fmt.Units) -> list[str]:
    lines = [
        sentences.first_answer(record),
        sentences.plan_of_record(record, units),
        sentences.plan_so_far(record, units),
        *what_happened.of_refresh(record),
    ]
    return [line for line in lines if line]
