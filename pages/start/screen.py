"""Projects: which project? The list with state and last change, demo first.

The demo is made where it is missing, and fitted while somebody looks around.
"""

import logging
import os
from pathlib import Path

import streamlit as st

from core import text as fmt
from core.errors import MMMError
from core.report import findings
from core.service import runs
from core.service.projects import shelf
from core.service.projects.access import MIXWRIGHT, acting_as
from core.service.projects.plans import load_plan, plan_of_record
from core.service.projects.settings import load_project
from core.service.projects.shelf import ProjectCard
from core.service.runs import latest_fit, live
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.progress import seconds_left
from core.view.suggestions.next_test import next_step as step_of
from pages.access import rights
from pages.shell import dialogs
from pages.ui import layout, navigation, reading, state, words
from pages.ui.findings import plain, show_error
from pages.upload import uploads

_COLOURS = {"trustworthy": "green", "doubtful": "orange"}
#: State of a project: badge, its colour and icon.
_STATES = {
    "damaged": (marked("damaged"), "red", ":material/error:"),
    "empty": (marked("no data"), "orange", ":material/priority_high:"),
    "ready": (marked("not fitted yet"), "gray", None),
    "running": (marked("fit running"), "blue", ":material/progress_activity:"),
    "fitted": (marked("fitted"), "green", ":material/check:"),
    "out_of_date": (marked("fit out of date"), "orange", ":material/priority_high:"),
}
_MORE = {
    marked("Rename"): "rename",
    marked("Duplicate"): "duplicate",
    marked("Members"): "members",
    marked("Delete"): "delete",
}
_WHAT = marked(
    "Mixwright tells you what your media spend returned and how to split the next "
    "budget, and how sure both are."
)
_MANY = 8
_SHOWN = 40


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.START)
    if actions.button(
        say("New project"),
        key="start.new",
        type="primary",
        icon=":material/add:",
        shortcut="Ctrl+O",
        **rights.of(None, rights.Role.PLANNER),
    ):
        dialogs.open_dialog("new", "")
    st.markdown(say(_WHAT))
    cards = _cards()
    _open_demo(cards)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        _list(cards)
    with right:
        _new()


def _cards() -> list[ProjectCard]:
    """Every project; the demo is made where it is missing."""
    if not state.draft_of_app("demo_tried"):
        state.keep_of_app("demo_tried", True)
        try:
            with st.spinner(say("Making the demo project")):
                ensure()
        except MMMError as error:
            show_error(error)
    return shelf.projects()


def _open_demo(cards: list[ProjectCard]) -> None:
    """Have the demo open where there is nothing else to open."""
    if cards and all(card.is_demo for card in cards) and not state.project_name():
        if not state.draft_of_app("demo_opened"):
            state.keep_of_app("demo_opened", True)
            state.open_project(cards[0].name)
            st.rerun()


def _list(cards: list[ProjectCard]) -> None:
    if not cards:
        layout.empty(
            say("No projects yet"),
            say("Drop a file on the right, and a project is made from it."),
        )
        return
    if len(cards) > _MANY:
        query = st.text_input(
            say("Find a project"),
            key="start.filter",
            placeholder=say("Find a project"),
            label_visibility="collapsed",
            icon=":material/search:",
        )
        cards = [card for card in cards if query.lower() in card.name.lower()]
    with st.container(gap="xsmall"):
        for card in cards[:_SHOWN]:
            _draw_project(card)
    if len(cards) > _SHOWN:
        layout.remark(
            "{n_cards} more; type a part of the name above.",
            n_cards=len(cards) - _SHOWN,
        )


def _draw_project(card: ProjectCard) -> None:
    with st.container(
        border=True,
        horizontal=True,
        vertical_alignment="center",
        key=f"start.row.{card.name}",
    ):
        with st.container(gap=None, width="stretch"):
            finding = found(card)
            _, colour, icon = _STATES[card.state]
            label = _state_of(card, say(_STATES[card.state][0]))
            badge = f":{colour}-badge[{icon or ''} {label}]"
            if card.state == "fitted" and finding:  # the verdict says that, too
                badge = ""
            if card.is_new:
                badge += say(" :violet-badge[not seen yet]")
            st.markdown(f"**{plain(card.name)}** {badge}")
            for line in filter(None, (finding, plain(next_step(card)))):
                st.markdown(line)
            st.caption(_about(card))
        is_damaged = card.state == "damaged"
        if st.button(
            say("Open"), key=f"start.open.{card.name}", disabled=is_damaged, width=88
        ):
            navigation.open_project(card.name, _leads_to(card, finding))
        more = st.menu_button(
            say("More"),
            rights.of_project(card.folder, _MORE, is_damaged=is_damaged),
            disabled=not rights.of_project(card.folder, _MORE, is_damaged=is_damaged),
            key=f"start.more.{card.name}",
            type="tertiary",
            format_func=say,
        )
        if more:
            dialogs.open_dialog(_MORE[more], card.name)


def _leads_to(card: ProjectCard, finding: str) -> navigation.Screen:
    """The screen that a project opens with: the furthest that has something to show."""
    if is_first_fit(card):
        return navigation.FIT
    return navigation.CHANNELS if finding else navigation.DATA


def _about(card: ProjectCard) -> str:
    changed = say("Changed {changed}", changed=words.ago(card.changed))
    if card.message and card.state in ("damaged", "empty", "out_of_date"):
        why = ", ".join(map(reworded, card.message.split(", ")))
        return f"{changed} · {plain(why)}"
    return (
        say(
            "{changed} · a simulated market whose true returns are known",
            changed=changed,
        )
        if card.is_demo
        else changed
    )


def _new() -> None:
    with st.container(border=True, key="start.card"):
        st.header(say("New project from a file"), anchor=False)
        uploads.uploader("start.upload")
        layout.remark("Example tables to start from:")
        with st.container(horizontal=True, gap="xsmall"):
            for label, name in _TEMPLATES.items():
                _template(label, name)


_EXAMPLES = Path(__file__).parents[2] / "assets" / "examples"
_TEMPLATES = {marked("National"): "demo_national.csv", marked("By geo"): "demo_geo.csv"}


def _template(label: str, name: str) -> None:
    path = _EXAMPLES / name
    if path.is_file():
        key = f"start.template.{path.stem}"
        layout.download(say(label), path.read_bytes, name, key)


_LOGGER = logging.getLogger("mixwright")
#: Set to 0, the demo is made but not fitted.
SWITCH = "MIXWRIGHT_DEMO_FIT"


def ensure() -> None:
    """Make the demo where it is missing, and fit it in a process of its own.

    Raises:
        MMMError: The workspace cannot be written.
    """
    folder = shelf.project_folder(shelf.DEMO)
    is_new = not folder.exists()
    shelf.ensure_demo()
    if is_new and folder.exists() and os.environ.get(SWITCH, "1") != "0":
        _fit(folder)


def _fit(folder: Path) -> None:
    """Start the demo's fit; without one it is a project like any other."""
    try:
        with acting_as(MIXWRIGHT):
            runs.start(folder, "fit")
    except MMMError as error:
        _LOGGER.warning("The demo is not fitted: %s", error.message)


def found(card: ProjectCard) -> str:
    """Return, verdict and plan of record in a line; empty before the first fit."""
    with fmt.written_in(card.locale):
        return _found(card)


def _found(card: ProjectCard) -> str:
    if card.state not in ("fitted", "out_of_date", "running"):
        return ""
    try:
        run = latest_fit(card.folder)
        if run is None:
            return _first_fit(card)
        fit = reading.fit(run.folder)
        view = reading.result_dataset(run.folder, "channels")
    except MMMError:
        return say(":red-badge[the last fit is damaged]")
    tiles = findings.tiles(view, fit.units, fit.baseline_share)
    parts = []
    if len(tiles) == 4:  # without spend there is no return
        returned = tiles[2]
        text = fmt.named(returned.label, f"{returned.value} {returned.ci}".strip())
        parts.append(f"**{plain(text)}**")
    parts.append(f":{_COLOURS.get(fit.verdict, 'red')}-badge[{say(fit.verdict)}]")
    return " · ".join([*parts, _decided(card)]).rstrip(" ·")


def next_step(card: ProjectCard) -> str:
    """What to do with a project that has no result, or an old one; empty otherwise."""
    if card.state == "running":
        return ""
    mapping = None
    if card.state == "ready":
        try:
            mapping = load_project(card.folder).mapping
        except MMMError:
            return ""
    with fmt.written_in(card.locale):
        return step_of(card.state, mapping)


def _state_of(card: ProjectCard, label: str) -> str:
    """The state of a project; of a fit that does not run yet what the side bar says.

    Args:
        card: The project.
        label: What its state is called, as long as no fit is waiting or being stopped.
    """
    run = live(card.folder, "fit") if card.state == "running" else None
    is_waiting = run is not None and run.status.state != "running"
    return words.state_of(run.status) if is_waiting else label


def is_first_fit(card: ProjectCard) -> bool:
    """Whether a project's first fit is at work, so that there is no result yet."""
    return card.state == "running" and latest_fit(card.folder) is None


def _first_fit(card: ProjectCard) -> str:
    """How long a project's first fit takes."""
    run = live(card.folder, "fit")
    if run is None:
        return ""
    if seconds_left(run.status) is None:
        return say("Open it to watch its first fit.")
    remaining = words.time_left(run.status)
    return say("Open it to watch its first fit: {left}.", left=remaining)


def _decided(card: ProjectCard) -> str:
    """The plan of record, where there is one."""
    plan_id = plan_of_record(card.folder)
    if plan_id is None:
        return ""
    return say(
        "plan of record: {title}", title=plain(load_plan(card.folder, plan_id).title)
    )
