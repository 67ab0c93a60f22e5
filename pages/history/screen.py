"""History: what came, what moved, and who did what?

One task at a time: new rows and what they changed, plans beside what came, and who did
what when.
"""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts import channels as figures
from core.errors import MMMError
from core.service import plans
from core.service.projects import promises
from core.service.projects.history import returns_over_fits
from core.service.projects.shelf import mark_seen
from core.service.records.fit import Run
from core.service.refreshes import refreshed
from core.service.runs import latest_fit
from core.text.languages.language import marked, say
from core.view import promises as promise_words
from core.view import refresh_words
from core.view.origin import changed_plans
from core.view.sections.section import Note
from pages.history import actuals, new_rows, timeline
from pages.ui import drawn, layout, navigation, reading, sections
from pages.ui.findings import plain, show_error
from pages.ui.reading import Opened

_REFRESH, _ACTUALS, _TIMELINE = (
    marked("Refresh"),
    marked("Plan against actuals"),
    marked("Timeline"),
)


def render() -> None:
    """Draw the screen."""
    layout.header(navigation.HISTORY)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    views = (_REFRESH, _ACTUALS, _TIMELINE)
    view = navigation.view(say("View"), views, key="history.view")
    if view == _REFRESH:
        _refresh(here)
    parts = {_ACTUALS: (actuals.show, _promises), _TIMELINE: (timeline.show,)}
    for draw in parts.get(view, ()):
        try:
            draw(here)
        except MMMError as error:
            show_error(error)


def _refresh(here: Opened) -> None:
    """New rows, and what the newest fit moved."""
    last = latest_fit(here.folder)
    left, right = st.columns([2, 3], gap="medium")
    below = st.container()
    with left:
        new_rows.show(here, last)
    with right:
        try:
            show(here, last, below)
        except MMMError as error:
            show_error(error)


def show(here: Opened, last: Run | None, below: DeltaGenerator) -> None:
    """The last refresh in words and numbers, and ROI from fit to fit.

    Args:
        here: The project.
        last: The newest fit; None where there is none.
        below: Where what is wide is drawn.
    """
    if last is None:
        _nothing_yet(say("What moved is shown here once there are two fits."))
        return
    record = refreshed(last.folder)
    mark_seen(last.folder)
    fits = returns_over_fits(here.folder)
    if record is not None:
        (since,) = refresh_words.sections(record, "screen")
        lines = [block for block in since.blocks if isinstance(block, Note)]
        sections.blocks(since, lines)
        with below:
            sections.blocks(since, [b for b in since.blocks if b not in lines])
        report = last.folder / "report.html"
        if report.is_file():
            layout.download(
                say("Report of this refresh"),
                report.read_bytes,
                f"{here.name} {last.run_id}.html",
                "history.report",
            )
    for line in changed_plans(plans.changed(here.folder)):
        st.warning(plain(line), icon=":material/rule:")
    if len(fits) < 2:
        note = say("ROI from fit to fit is drawn once new rows have been fitted.")
        if record is None:
            _nothing_yet(note)
        else:
            st.caption(note)
        return
    named = [(fmt.date(fit.end), fit.roi) for fit in fits]
    make = partial(figures.returns, named, reading.fit(last.folder).units)
    with below:
        drawn.show("history.roi", make, tuple(fit.run_id for fit in fits))


def _nothing_yet(text: str) -> None:
    """What will stand here, in a box as high as the one beside it."""
    with st.container(
        border=True,
        height="stretch",
        horizontal_alignment="center",
        vertical_alignment="center",
    ):
        st.caption(text, text_alignment="center", width="content")


def _promises(here: Opened) -> None:
    """What came, and a click away what is open; nothing before the first promise."""
    settled = promises.record(here.folder).settled
    if not settled:
        return
    first, *others = promise_words.sections(settled, "screen")
    with st.container(key="history.promises"):
        st.header(first.title, anchor=False)
        sections.blocks(first, first.blocks)
        sections.draw(others)
