"""Model: what do we assume? Priors, carryover and saturation per channel, options.

Priors that other projects suggest: a card with a button per channel.
"""

from dataclasses import replace
from functools import partial

import streamlit as st

from core import text as fmt
from core.charts.fits import prior as figures
from core.errors import MMMError
from core.service import runs
from core.service.projects.access import who
from core.service.projects.settings import changes, default_knots, default_spec
from core.service.records.columns import blocks
from core.service.records.fit import Run
from core.service.records.model import Market, ModelSpec, settled, unsettled
from core.service.runs import status
from core.service.suggestions import priors
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.suggestions import prior_words
from pages.model import options
from pages.model.channel import overview
from pages.model.scope import Scope
from pages.ui import drawn, layout, navigation, reading, state, words
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.ui.guard import guarded
from pages.ui.reader import tongue
from pages.ui.reader.once import once
from pages.ui.reading import Opened


def show_suggested(here: Opened, about: Market) -> None:
    """Draw the card; nothing where no other project has a fit that may be seen."""
    others = priors.fitted(here.folder)
    if not others:
        return
    try:
        suggestions = _suggested(here, about, others)
    except MMMError as error:
        show_error(error)
        return
    ready = [each for each in suggestions.channels if each.pooled is not None]
    open_ones = [each.channel for each in ready if not each.is_accepted]
    number = f" ({len(open_ones)})" if open_ones else ""
    with st.expander(
        say("Priors from your other projects{number}", number=number),
        icon=":material/hub:",
    ):
        layout.remark(prior_words.NOTE)
        for each in suggestions.channels:
            _offer(here, suggestions, each)
        if len(open_ones) > 1 and gated.button(
            say("Accept all"), key="model.suggested.all", icon=":material/done_all:"
        ):
            _accept(here, suggestions, open_ones)
        if suggestions.left_out:
            with st.popover(
                say("Left out ({n_left_out})", n_left_out=len(suggestions.left_out))
            ):
                for line in prior_words.left_out(suggestions.left_out):
                    st.caption(plain(line))


@once(
    lambda here, about, others: (here.sha, here.data_sha, who(), others),
    most=16,
    wait=tongue.Later("Asking your other projects"),
    english=False,
)
def _suggested(here: Opened, about: Market, others: object) -> priors.Suggestions:
    return priors.suggested(here.folder, about=about.totals)


def _offer(
    here: Opened, suggestions: priors.Suggestions, each: priors.Suggestion
) -> None:
    """A channel: its kind, what is suggested and from where, and the button."""
    name, kind, text, button = st.columns(
        [2, 3, 7, 2], gap="small", vertical_alignment="center"
    )
    name.markdown(f"**{plain(each.channel)}**")
    with kind:
        chosen = gated.selectbox(
            say("Kind of {channel}", channel=each.channel),
            priors.KINDS,
            priors.KINDS.index(each.kind),
            format_func=say,
            key=f"model.suggested.kind.{each.channel}.{each.kind}",
            label_visibility="collapsed",
        )
    text.caption(plain(reworded(prior_words.sentence(each), [each.channel])))
    with button:
        wants = each.pooled is not None and gated.button(
            say("Accepted") if each.is_accepted else say("Accept"),
            key=f"model.suggested.accept.{each.channel}",
            disabled=each.is_accepted,
        )
    if chosen != each.kind:
        changed = priors.with_kind(here.project, each.channel, chosen)
        reading.save(here, changed)
        st.rerun()
    if wants:
        _accept(here, suggestions, [each.channel])


def _accept(here: Opened, suggestions: priors.Suggestions, channels: list[str]) -> None:
    """Take suggestions in, and let the table show them."""
    reading.save(here, priors.with_suggestions(here.project, suggestions, channels))
    state.start_afresh("channels", "closely")
    st.rerun()


_VIEWS = (marked("Channels"), marked("Options"))
_MODES = (marked("Marketer"), marked("Analyst"))
#: What may be other than the default: what `changes` says has changed.
_OWN = (marked("priors"), marked("model options"), marked("experiments"))
_OWN += (marked("the channels"), marked("the column mapping"), marked("the funnel"))
_WHY = marked(
    "Check priors draws markets from the assumptions alone and sets them beside the "
    "KPI. If the band is far from it, or one channel explains most of it, an "
    "assumption says more than you meant. It takes a few seconds."
)


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.MODEL)
    here = layout.begin()
    if layout.is_missing_data(here):
        return
    about = reading.market(here)
    _act(actions, here)
    with st.container(horizontal=True, vertical_alignment="center"):
        view = navigation.view(say("View"), _VIEWS, key="model.view")
        mode = st.segmented_control(
            say("Shown for"),
            _MODES,
            default=_MODES[0],
            format_func=say,
            required=True,
            key="model.mode",
            bind="query-params",
            label_visibility="collapsed",
            persist_state="session",
        )
        st.caption(_standing(here), width="content")
    is_analyst = mode == "Analyst"
    before = settled(here.project.spec, about.totals)
    try:
        if view == "Channels":
            spec, edited = overview.edit(here, before, about, is_analyst=is_analyst)
        else:
            mapping = here.project.mapping
            knots = default_knots(reading.table(here), mapping)
            scope = Scope(about, mapping, is_analyst, knots)
            spec, edited = options.edit(before, scope), []
    except MMMError as error:
        show_error(error)
    else:
        if spec != before:
            spec = unsettled(spec, about.totals)
        else:
            spec = here.project.spec
        _save(here, spec, edited)
    if view == "Channels":
        show_suggested(here, about)
    show(here, about)


def _act(actions, here: Opened) -> None:
    """The buttons at the top right."""
    is_blocked = blocks(reading.findings(here))
    with actions:
        if gated.button(
            say("Reset to defaults"),
            key="model.reset",
            disabled=here.project.spec == _defaults(here),
        ):
            reading.save(here, replace(here.project, spec=_defaults(here)))
            state.start_afresh(*state.MODEL_EDITORS)
            state.note(say("Defaults are back"), ":material/undo:")
            st.rerun()
        wants = gated.button(
            say("Check priors"),
            key="model.check",
            type="primary",
            icon=":material/query_stats:",
            shortcut="Ctrl+Enter",
            disabled=is_blocked or runs.live(here.folder, "prior") is not None,
            help=say("Errors in the data block it.") if is_blocked else None,
        )
        navigation.go_button(navigation.FIT, say("Go to Fit"), primary=False)
    if wants:
        runs.start(here.folder, "prior", here.project)
        st.rerun()


def _standing(here: Opened) -> str:
    """Whether anything is other than the default, in words."""
    usual = replace(here.project, spec=_defaults(here))
    own = [say(word.removesuffix(" changed")) for word in changes(usual, here.project)]
    caption = (
        say("Not the default: {own}", own=", ".join(own))
        if own
        else say("Defaults are in place")
    )
    return say("{caption}; every change is saved at once.", caption=caption)


def _defaults(here: Opened) -> ModelSpec:
    """The model options that a new project with this table would have."""
    return default_spec(here.project.mapping, reading.table(here))


def _save(here: Opened, spec: ModelSpec, edited: list[str]) -> None:
    """Save an edit, and let the table show what it made."""
    if edited:
        state.start_afresh("channels")
        state.keep("edited", edited[-1])  # the channel to look at closely
    if spec != here.project.spec:
        reading.save(here, replace(here.project, spec=spec))
    if edited or spec != here.project.spec:
        st.rerun()


def show(here: Opened, market: Market) -> None:
    """The newest check: at work, failed, or its result."""
    run = runs.newest(here.folder, "prior")
    if run is None:
        layout.remark(_WHY)
        return
    if run.status.is_live:
        st.fragment(_progress, run_every="1s")(run)
    elif run.status.state != "done":
        text = run.status.message or say("The check did not finish.")
        text = plain(fmt.sentence(reworded(text)))
        st.warning(f"{text} {plain(run.status.hint)}", icon=":material/warning:")
    else:
        _result(here, run, market)


@guarded
def _progress(run: Run) -> None:
    now = status(run.folder)
    if not now.is_live:
        st.rerun()
    st.progress(now.fraction, say("Checking the priors: {now}", now=words.at_work(now)))


def _result(here: Opened, run: Run, market: Market) -> None:
    reasons = reading.out_of_date(here, run.folder)
    if reasons:
        layout.remark(
            ":orange[:material/priority_high:] Out of date: {reasons} since this "
            "check ({created}).",
            reasons=", ".join(map(reworded, reasons)),
            created=words.ago(run.created),
        )
    try:
        check = reading.prior_check(run.folder)
    except MMMError as error:
        show_error(error)
        return
    left, right = st.columns(2, gap="medium")
    with left:
        drawn.show("model.shares", partial(figures.shares, check), run=run)
    with right:
        units = market.units
        make = partial(figures.predictive, check, units=units)
        drawn.show("model.predictive", make, units, run=run)
