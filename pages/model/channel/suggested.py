"""Priors that other projects suggest: a card with a button per channel."""

import streamlit as st

from core.errors import MMMError
from core.service.projects.access import who
from core.service.records.model import Market
from core.service.suggestions import priors
from core.text.languages.language import say
from core.view.suggestions import prior_words
from pages.ui import reading, state
from pages.ui.fields import gated
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue
from pages.ui.reading import Opened


def show(here: Opened, about: Market) -> None:
    """Draw the card; nothing where no other project has a fit that may be seen."""
    others = priors.fitted(here.folder)
    if not others:
        return
    try:
        key = repr((here.sha, here.data_sha, who(), others))
        found = _suggested(key, here, about)
    except MMMError as error:
        show_error(error)
        return
    ready = [each for each in found.channels if each.pooled is not None]
    open_ones = [each.channel for each in ready if not each.is_accepted]
    number = f" ({len(open_ones)})" if open_ones else ""
    with st.expander(
        say("Priors from your other projects{number}", number=number),
        icon=":material/hub:",
    ):
        st.caption(plain(prior_words.NOTE))
        for each in found.channels:
            _offer(here, found, each)
        if len(open_ones) > 1 and gated.button(
            say("Accept all"), key="model.suggested.all", icon=":material/done_all:"
        ):
            _accept(here, found, open_ones)
        if found.left_out:
            with st.popover(
                say("Left out ({n_left_out})", n_left_out=len(found.left_out))
            ):
                for line in prior_words.left_out(found.left_out):
                    st.caption(plain(line))


@st.cache_resource(
    max_entries=16, show_spinner=tongue.Later("Asking your other projects")
)
def _suggested(key: str, _here: Opened, _about: Market) -> priors.Suggestions:
    return priors.suggested(_here.folder, about=_about.totals)


def _offer(here: Opened, found: priors.Suggestions, each: priors.Suggestion) -> None:
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
            key=f"model.suggested.kind.{each.channel}.{each.kind}",
            label_visibility="collapsed",
        )
    text.caption(plain(prior_words.sentence(each)))
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
        _accept(here, found, [each.channel])


def _accept(here: Opened, found: priors.Suggestions, channels: list[str]) -> None:
    """Take suggestions in, and let the table show them."""
    reading.save(here, priors.with_suggestions(here.project, found, channels))
    state.start_afresh("channels", "closely")
    st.rerun()
