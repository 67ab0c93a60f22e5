"""The side bar: the project menu, the steps in order with their state, what follows."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service import runs
from core.service.projects.shelf import unseen
from core.text.languages.language import marked, say
from pages.access import rights
from pages.shell import dialogs, sign_in, steps
from pages.shell.steps import Step
from pages.ui import navigation, reading, state, words
from pages.ui.findings import plain
from pages.ui.guard import guarded
from pages.ui.navigation import Screen
from pages.ui.reader import tongue
from pages.ui.reading import Opened

_MARKS = {
    "done": ":material/check:",
    "running": "spinner",
    "attention": ":material/priority_high:",
    "blank": "",
}
#: A space as wide as a digit.
NO_NUMBER = "\u2007"
_MENU = {
    marked("All projects"): "list",
    marked("New project from a file"): "new",
    marked("Rename"): "rename",
    marked("Duplicate"): "duplicate",
    marked("Members"): "members",
    marked("Delete"): "delete",
}
#: Runs when it is mounted, and again whenever the theme is another.
_SCRIPT = """
const grounds = new WeakMap();
export default function ({ parentElement, setTriggerValue }) {
  const style = getComputedStyle(parentElement);
  const ground = style.getPropertyValue("--st-background-color").trim();
  const before = grounds.get(parentElement);
  grounds.set(parentElement, ground);
  if (before && before !== ground) setTriggerValue("changed", true);
}
"""
_COMPONENT = st.components.v2.component("theme", js=_SCRIPT, isolate_styles=False)


def show(screen: st.Page) -> Callable[[], None]:
    """Draw the side bar for the open project.

    Args:
        screen: The screen beside it.

    Returns:
        What draws its links again where the address has changed since: they lead on
        with what was typed on the screen.
    """
    try:
        here = reading.opened()
    except MMMError:
        here = None
    on = screen.url_path or navigation.START.name
    navigation.arrive(on)
    with st.sidebar:
        with st.container():  # so that what follows keeps its place without a project
            _menu(here)
        links = st.empty()
        sign_in.show_person()
        tongue.choice()
        watch()

    def draw() -> None:
        with links.container():
            _steps(here, on)

    def follow() -> None:
        if st.query_params.to_dict() != before:
            draw()

    draw()
    before = st.query_params.to_dict()
    if here is not None and screen.url_path != navigation.FIT.name:
        _announce(here)
    return follow


def _announce(here: Opened) -> None:
    """Say once that a fit has ended that nobody has looked at."""
    run = unseen(here.folder)
    if run is None or state.draft_of_app(f"announced.{run.run_id}"):
        return
    state.keep_of_app(f"announced.{run.run_id}", True)
    ended = words.STATES.get(run.status.state, run.status.state)
    verdict = reading.verdict(run.folder) if run.status.state == "done" else ""
    said = f"{say(ended)}, {say(verdict)}" if verdict else say(ended)
    st.toast(
        say("The fit of {name} is {said}.", name=plain(here.name), said=said),
        icon=":material/function:",
    )


def _menu(here: Opened | None) -> None:
    label = here.name if here else say("Choose a project")
    options = rights.of_project(here.folder if here else None, _MENU)
    chosen = st.menu_button(
        plain(label),
        options,
        key="menu.project",
        width="stretch",
        icon=":material/folder_open:",
        format_func=say,
    )
    if chosen == "All projects":
        navigation.go(navigation.START)
    elif chosen:
        dialogs.open_dialog(_MENU[chosen], here.name if here else "")
    if here:
        st.caption(_in_short(here))


def _in_short(here: Opened) -> str:
    """The table in one line, fit and verdict in another."""
    if not here.has_data:
        return say(say("no data"))
    try:
        n_rows = len(reading.table(here))
    except MMMError:
        return say(say("data cannot be read"))
    n_channels = len(here.project.mapping.channels)
    table = f"{fmt.count(n_rows, 'row')} · {fmt.count(n_channels, 'channel')}"
    fit = runs.latest_fit(here.folder)
    if fit is None:
        return say("{table}  \nNo fit yet", table=table)
    verdict = say(reading.verdict(fit.folder) or "damaged")
    return say(
        "{table}  \nFit {created}: {verdict}",
        table=table,
        created=words.ago(fit.created),
        verdict=verdict,
    )


def _steps(here: Opened | None, on: str) -> None:
    """The steps; while a fit is at work they are drawn anew every few seconds."""
    was_live = _is_live(here)
    st.fragment(_links, run_every="5s" if was_live else None)(here, was_live, on)


def _is_live(here: Opened | None) -> bool:
    if here is None:
        return False
    return any(run.status.is_live for run in runs.list_runs(here.folder, "fit"))


@guarded
def _links(here: Opened | None, was_live: bool, on: str) -> None:
    if was_live and not _is_live(here):
        st.rerun()  # the fit has ended: every screen may have something new to show
    stand = steps.steps(here)
    is_new = here is not None and unseen(here.folder) is not None
    if is_new and on != navigation.FIT.name:
        fit = stand[navigation.FIT.name]
        stand[navigation.FIT.name] = replace(fit, note=fit.note or say("new"))
    with st.container(gap="xxsmall"):
        last_reason = ""
        for screen in navigation.WORK if here is not None else ():
            step = stand[screen.name]
            _link(screen, step)
            if step.mark == "attention" and step.why != last_reason:
                last_reason = step.why  # once, where several steps share a reason
                st.caption(plain(last_reason))
    with st.container(gap="xxsmall"):
        for screen in navigation.AFTER if here is not None else (navigation.HELP,):
            _link(screen, Step(), on)


def _link(screen: Screen, step: Step, on: str = "") -> None:
    """A line of the side bar; that of Help opens at the screen it is asked on."""
    is_help = screen is navigation.HELP and on not in ("", screen.name)
    is_work = screen in navigation.WORK
    number = f"{screen.step or NO_NUMBER}\u2002" if is_work else ""
    label = f"{number}{say(screen.title)}"
    if step.note:
        label += f"\u2002:gray[:small[{step.note}]]"
    st.page_link(
        navigation.page(screen),
        label=label,
        icon=_MARKS[step.mark] if is_work else screen.icon,
        icon_position="right" if is_work else "left",
        width="stretch",
        query_params=navigation.address(screen) | ({"about": on} if is_help else {}),
    )


def watch() -> None:
    """Draw the screen again when its theme is changed."""
    _COMPONENT(key="theme", height=0, on_changed_change=_heard)


def _heard() -> None:
    """A trigger draws the screen again only where something answers it."""
