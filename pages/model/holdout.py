"""The part of the data that the likelihood does not see, as a card of options."""

import streamlit as st

from core.service.records.model import HeldOut, Holdout, Market, held_out
from core.text.languages.language import say
from pages.model import dates as model_dates
from pages.ui import layout, state
from pages.ui.fields import gated
from pages.ui.findings import plain, said

#: Share of the periods, the last ones, that a holdout begins with.
_LAST = 0.1


def edit(holdout: HeldOut, about: Market) -> HeldOut:
    """Draw the card; returns the holdout as edited.

    Raises:
        SpecError: The rule is impossible.
    """
    st.markdown(say("**Held-out data**"))
    layout.remark("A part that the fit does not see shows how well the model predicts.")
    if not gated.toggle(
        say("Hold out a part"),
        holdout != (),
        key=_key("on"),
        help=say(
            "Accuracy on the held-out part stands with the results. Default: off."
        ),
    ):
        return ()
    if not isinstance(holdout, Holdout):
        if holdout:
            return _cells(holdout)
        return _last_periods(about)
    return _rule(holdout, about)


def _key(name: str) -> str:
    return f"model.option.holdout_{name}.{state.edition('options')}"


def _last_periods(about: Market) -> Holdout:
    n_held = max(1, round(_LAST * len(about.dates)))
    if not about.dates:
        return Holdout(random=_LAST)
    state.start_afresh("holdout")
    return Holdout(dates=((about.dates[-n_held], about.dates[-1]),))


def _cells(holdout: tuple[tuple[str, str], ...]) -> HeldOut:
    layout.remark(
        "{holdout} listed in project.toml.", holdout=plain(said(held_out(holdout)))
    )
    if gated.button(say("Use a rule instead"), key=_key("rule")):
        return Holdout(random=_LAST)
    return holdout


def _rule(holdout: Holdout, about: Market) -> Holdout:
    dates = model_dates.edit(
        holdout.dates,
        about.dates,
        f"{_key('dates')}.{state.edition('holdout')}",
        alt=say("Held-out dates; none is all of them"),
    )
    if dates != holdout.dates:
        state.start_afresh("holdout")
    geos: tuple[str, ...] = ()
    if about.geos:
        present = [geo for geo in holdout.geos if geo in about.geos]
        chosen = gated.multiselect(
            say("Only in these geos"),
            list(about.geos),
            present,
            key=_key("geos"),
            placeholder=say("all geos"),
            help=say("Default: all geos."),
        )
        geos = tuple(chosen)
    left, right = st.columns(2)
    with left:
        percent = gated.number_input(
            say("At random, %"),
            min_value=0.0,
            max_value=90.0,
            value=100 * (holdout.random or 0.0),
            format="%.4g",
            key=_key("random"),
            help=say(
                "Share of each geo's periods above that is drawn. Default: 0, all of "
                "them."
            ),
        )
    with right:
        seed = gated.number_input(
            say("Seed"),
            min_value=0,
            value=holdout.seed,
            key=_key("seed"),
            disabled=not percent,
            help=say("The same seed draws the same periods. Default: 1."),
        )
    share = round(percent / 100, 10) or None
    rule = Holdout(dates, geos, share, int(seed))
    layout.remark("Held out: {rule}.", rule=plain(said(held_out(rule))))
    return rule
