"""What the plan pays for beside media: demand that channels cause at a mediator."""

from collections.abc import Callable

import streamlit as st

from core.service.records.plan import ResponseCurves
from core.service.suggestions.prices import paying
from core.text.languages.language import say
from pages.ui import navigation, state

#: Mediators and the share of their demand that is bought, from 0 to 1.
Shares = tuple[tuple[str, float], ...]


def paid(curves: ResponseCurves, bought: dict[str, float]) -> ResponseCurves:
    """The curves in money that also pays for what is bought of mediators.

    Args:
        curves: Of own spend.
        bought: Shares; of mediators that the fit does not have nothing is taken.
    """
    mediators = {each.mediator for each in curves.paid}
    return paying(curves, {name: bought[name] for name in mediators & bought.keys()})


def choose(
    usual: Shares,
    curves: ResponseCurves,
    key: Callable[[str], str],
    take: Callable[[Shares], None],
) -> Shares:
    """A field for each mediator that costs money; what is chosen by now.

    Args:
        usual: What was chosen when the fields were set.
        curves: Of the periods planned.
        key: Of a field, by its name.
        take: Takes up what is typed, before anything is drawn.
    """
    shares = dict(usual)
    mediators = tuple(each.mediator for each in curves.paid)
    for place, name in enumerate(mediators):
        st.number_input(
            say("{name} that is bought, %", name=name),
            min_value=0.0,
            max_value=100.0,
            value=100 * shares[name] if name in shares else None,
            step=5.0,
            format="%.0f",
            placeholder=say("not paid for"),
            key=key(f"bought.{place}"),
            on_change=lambda: take(_typed(mediators, key)),
            help=navigation.tip(
                "Channels make us spend on {name}. With a share, the budget and "
                "the amounts of channels include that; 100: all that is asked for "
                "is bought, as now. Empty: amounts are the channels' own media.",
                name=name,
            ),
        )
    return usual


def _typed(mediators: tuple[str, ...], key: Callable[[str], str]) -> Shares:
    typed = [state.widget(key(f"bought.{i}"), None) for i in range(len(mediators))]
    return tuple(
        (name, share / 100)
        for name, share in zip(mediators, typed, strict=True)
        if share is not None
    )
