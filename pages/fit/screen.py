"""Fit: has it converged, and when is it done?"""

from dataclasses import replace

import streamlit as st

from core.errors import MMMError
from core.service import runs
from core.service.projects.shelf import mark_seen
from core.service.records.columns import blocks
from core.service.records.fit import Run
from core.service.runs import has_result, latest_fit, list_runs
from core.text.languages.language import say
from pages.fit import history, result
from pages.fit import live as fit_live
from pages.ui import layout, navigation, reading, state
from pages.ui.fields import gated, sampler_form
from pages.ui.findings import plain, show_error, show_finding
from pages.ui.reading import Opened


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.FIT)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    listed = list_runs(here.folder, "fit")
    live = next((run for run in listed if run.status.is_live), None)
    errors = [f for f in reading.findings(here) if f.severity == "error"]
    current = live or _chosen_run(listed)
    _act(
        actions,
        here,
        live,
        is_blocked=blocks(errors),
        is_done=(is_done := _is_done(here)),
        leads_on=is_done and not _lacks_draws(current),
        is_fitted=latest_fit(here.folder) is not None,
    )
    if live is None and (current is None or not has_result(current.folder)):
        _not_usual(here)
    if errors and live is None:
        _blocked(errors)
    if live is not None:
        fit_live.show(here, live)
    elif current is not None:
        mark_seen(current.folder)
        result.show(here, current)
    elif not errors:
        _first()
    if current is not None:
        history.show(here, listed, current)


def _chosen_run(listed: list[Run]) -> Run | None:
    """The run in the address, else the newest."""
    run_id = state.run_id()
    if run_id is None:
        return listed[0] if listed else None
    for run in listed:
        if run.run_id == run_id:
            return run
    st.warning(
        say(
            "There is no fit {asked} in this project; the newest one is shown.",
            asked=plain(run_id),
        ),
        icon=":material/search_off:",
    )
    state.open_run(None)
    return listed[0] if listed else None


def _is_done(here: Opened) -> bool:
    """Whether the newest fit answers for the project as it is."""
    fit = latest_fit(here.folder)
    return fit is not None and not reading.out_of_date(here, fit.folder)


def _lacks_draws(current: Run | None) -> bool:
    """Whether more draws of the fit on screen come next."""
    if current is None or current.status.state != "done":
        return False
    try:
        check = reading.diagnostics(current.folder)
    except MMMError:
        return False
    return result.more_draws(current, check) is not None


def _act(  # noqa: PLR0913
    actions,
    here: Opened,
    live: Run | None,
    *,
    is_blocked: bool,
    is_done: bool,
    leads_on: bool,
    is_fitted: bool,
) -> None:
    """The buttons at the top right: the fit, and where it leads once it is done."""
    with actions:
        with st.popover(say("Settings"), icon=":material/tune:"):
            _settings(here, disabled=live is not None)
        if live is not None:
            is_stopping = live.status.state == "cancelling"
            if gated.button(
                say("Stopping") if is_stopping else say("Cancel"),
                key="fit.cancel",
                icon=":material/stop:",
                disabled=is_stopping,
            ):
                runs.cancel(live)
                st.rerun()
        wants = gated.button(
            say("Fit"),
            key="fit.start",
            type="secondary" if is_done else "primary",
            icon=":material/play_arrow:",
            shortcut="Ctrl+Enter",
            disabled=is_blocked or live is not None,
            help=say("Errors in the data block a fit.") if is_blocked else None,
        )
        if live is None and is_fitted:
            label = say("See what each channel returned")
            navigation.go_button(navigation.CHANNELS, label, primary=leads_on)
    if wants:
        state.open_run(None)
        runs.start(here.folder, "fit", here.project)
        st.rerun()


def _not_usual(here: Opened) -> None:
    """The settings of the next fit where they are not the usual ones."""
    changed = sampler_form.changed(here.project.sampler)
    if changed:
        layout.remark("Settings of the next fit: {changed}.", changed=changed)


def _settings(here: Opened, *, disabled: bool) -> None:
    try:
        sampler = sampler_form.form(here.project.sampler, disabled=disabled)
    except MMMError as error:
        show_error(error)
        return
    if sampler != here.project.sampler:
        reading.save(here, replace(here.project, sampler=sampler))
        st.rerun()


def _blocked(errors) -> None:
    """Why a fit is not possible, and where to mend it."""
    with st.container(border=True, key="fit.blocked"):
        st.markdown(say("**The data block a fit.**"))
        for finding in errors[:3]:
            show_finding(finding)
        if len(errors) > 3:
            layout.remark("and {n_errors} more", n_errors=len(errors) - 3)
        navigation.go_button(navigation.DATA, say("Go to Data"))


def _first() -> None:
    """Before the first fit."""
    box = layout.empty(
        say("Not fitted yet"),
        say(
            "Press Fit, or Ctrl+Enter. The defaults suit most markets: a national one "
            "takes about half a minute, one with many geos some minutes."
        ),
    )
    box.caption(
        say("The fit keeps running when you leave this screen."), width="content"
    )
