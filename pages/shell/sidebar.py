"""The side bar: the project menu, the steps in order with their state, what follows.

Steps: how far a project has come, step by step, and what is out of date.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.service import runs
from core.service.projects.plans import list_plans
from core.service.projects.shelf import unseen
from core.service.records.columns import blocks
from core.service.records.fit import Run
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.access import rights
from pages.experiments import draft
from pages.shell import dialogs, sign_in
from pages.ui import navigation, reading, state, words
from pages.ui.findings import plain, tally
from pages.ui.guard import guarded
from pages.ui.navigation import Screen
from pages.ui.reader import tongue
from pages.ui.reading import Opened

Mark = Literal["blank", "done", "running", "attention"]


@dataclass(frozen=True)
class Step:
    """How one step stands.

    Attributes:
        mark: Nothing yet, done, running, or in need of attention.
        note: A few words beside it: time left, out of date.
        why: The reason, in one sentence.
    """

    mark: Mark = "blank"
    note: str = ""
    why: str = ""


def steps(here: Opened | None) -> dict[str, Step]:
    """The state of every step, by screen."""
    if here is None:
        names = [screen.name for screen in navigation.WORK]
        return dict.fromkeys(names, Step())
    data = _data(here)
    model = Step("done") if data.mark == "done" else Step()
    listed = runs.list_runs(here.folder, "fit")
    fits = [run for run in listed if run.status.state == "done"]
    stale = _stale(here, fits[0]) if fits else ""
    return {
        "data": data,
        "model": model,
        "experiments": _experiments(here) if data.mark == "done" else Step(),
        "fit": _fit(listed, fits, stale),
        "channels": _channels(fits, stale),
        "plan": _plan(here, fits, stale),
    }


def _data(here: Opened) -> Step:
    if not here.has_data:
        return Step(
            "attention",
            say("no data"),
            say("{file} is missing.", file=here.project.file),
        )
    try:
        findings = reading.findings(here)
    except MMMError as error:
        return Step("attention", "", reworded(error.message))
    if blocks(findings):
        return Step(
            "attention",
            say("blocks a fit"),
            say("{findings} in the data.", findings=tally(findings)),
        )
    return Step(
        "done",
        "",
        say("{findings} in the data.", findings=tally(findings)) if findings else "",
    )


def _experiments(here: Opened) -> Step:
    tests = here.project.experiments
    if not tests:
        return Step()
    findings = draft.findings(here, tests)
    if blocks(findings):
        return Step(
            "attention",
            say("blocks a fit"),
            say("{findings} in experiments.", findings=tally(findings)),
        )
    return Step("done", fmt.count(len(tests), "test"))


def _stale(here: Opened, run: Run) -> str:
    """Why the newest fit no longer answers for the project; empty if it does."""
    return ", ".join(map(reworded, reading.out_of_date(here, run.folder)))


def _fit(listed: Sequence[Run], fits: Sequence[Run], stale: str) -> Step:
    live = [run for run in listed if run.status.is_live]
    if live:
        return Step(
            "running", words.time_left(live[0].status), say("A fit is running.")
        )
    if not listed:
        return Step()
    last = listed[0].status
    if last.state in ("failed", "killed", "lost"):
        return Step(
            "attention", words.state_of(last), fmt.brief(reworded(last.message))
        )
    if not fits:
        return Step("blank", words.state_of(last), reworded(last.message))
    if stale:
        return Step(
            "attention",
            say("out of date"),
            say("Since the last fit, {stale}.", stale=stale),
        )
    verdict = reading.verdict(fits[0].folder)
    if verdict == "trustworthy":
        return Step("done", "", say("The last fit is trustworthy."))
    if not verdict:
        return Step(
            "attention", say("damaged"), say("The result of the last fit is damaged.")
        )
    return Step("attention", say(verdict))


def _channels(fits: Sequence[Run], stale: str) -> Step:
    if not fits:
        return Step()
    if stale:
        return Step(
            "attention",
            say("out of date"),
            say("Since the last fit, {stale}.", stale=stale),
        )
    return Step("done")


def _plan(here: Opened, fits: Sequence[Run], stale: str) -> Step:
    if not fits:
        return Step()
    saved = list_plans(here.folder)
    plans = [plan for plan in saved if plan.over != "weeks"]
    if not plans:
        return Step()
    if plans[0].run_id != fits[0].run_id:
        why = say("The newest plan was made with an earlier fit.")
        return Step("attention", say("out of date"), why)
    if stale:
        return Step(
            "attention",
            say("out of date"),
            say("Since the last fit, {stale}.", stale=stale),
        )
    return Step("done", "", say("A plan is saved."))


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
    text = f"{say(ended)}, {say(verdict)}" if verdict else say(ended)
    st.toast(
        say("The fit of {name} is {said}.", name=plain(here.name), said=text),
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
    stand = steps(here)
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
