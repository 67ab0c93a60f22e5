"""Channels: what did each channel return, and how sure are we?"""

from functools import partial

import streamlit as st

from core import text as fmt
from core.errors import WorkspaceError
from core.service.projects import shelf
from core.service.records.fit import FitRecord
from core.service.runs import result_files
from core.text.languages.language import marked, say
from pages.channels import one_channel, periods, returns_table, top
from pages.channels import results as channel_results
from pages.channels.shown import Results
from pages.ui import fit_needed, kept, layout, navigation, reading
from pages.ui.findings import show_error
from pages.ui.reader import tongue

_VIEWS = {
    marked("Returns"): channel_results.returns,
    marked("Contribution"): channel_results.contributions,
    marked("Response curves"): channel_results.responses,
    marked("One channel"): one_channel.show,
    marked("Fit to the data"): channel_results.fit_to_data,
}


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.CHANNELS)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, say("Returns appear here"))
    if run is None:
        return
    fit = reading.fit(run.folder)
    truth = shelf.true_rois(shelf.truth(here.folder))
    results = Results(run, fit, truth, fit.units)
    with actions:
        _downloads(fit, here.name)
        is_sure = fit.verdict == "trustworthy"
        if not is_sure:  # what the finding below says comes next
            navigation.go_button(navigation.FIT, say("See the warnings on Fit"))
        navigation.go_button(navigation.PLAN, say("Plan the budget"), primary=is_sure)
    views, files = dict(_VIEWS), result_files(run.folder)
    try:
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                fit_needed.standing(here, run, fit)
            if "sources.nc" in files:
                results = top.choose(results)
        top.show(results)
    except WorkspaceError as error:
        show_error(error)
        navigation.go_button(navigation.FIT, say("Fit again"), why="again")
        return
    row = st.container(horizontal=True, vertical_alignment="center")
    if "sources.nc" in files:
        views[marked("Year on year")] = periods.show
    if "frequency.nc" in files:
        views[marked("Frequency")] = channel_results.frequencies
    with row:
        view = navigation.view(say("View"), list(views), key="channels.view")
    row.space("stretch")
    try:
        views[view](results, row)
    except WorkspaceError as error:
        show_error(error)
        navigation.go_button(navigation.FIT, say("Fit again"), why="again")


def _downloads(fit: FitRecord, name: str) -> None:
    """The table as a workbook and as CSV, made when the button is pressed."""
    how = fmt.locale().name  # a download's thread does not know the project

    def book() -> bytes:
        from core.report.books.results_book import results_workbook

        with fmt.written_in(how):
            return results_workbook(fit)

    files = {
        "XLSX": tongue.kept(book),
        "CSV": tongue.kept(partial(returns_table.as_csv, fit)),
    }
    kept.downloads(files, f"{name} channels", key="channels")
