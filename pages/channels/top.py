"""What Channels opens with: the periods, four numbers, the finding, what to do next."""

from dataclasses import replace

import streamlit as st

from core import text as fmt
from core.report import findings
from core.service.records import stretches
from core.service.records.fit import FitRecord
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from pages.channels.shown import Results
from pages.ui import layout
from pages.ui.fields.choice import one_of
from pages.ui.findings import plain

#: The label that stretches give to everything.
_ALL = marked("All periods")


def choose(results: Results) -> Results:
    """The results with the periods that were chosen."""
    sources = results.sources()
    by_label = {choice.label: choice for choice in stretches.choices(sources)}
    label = one_of(
        say("Periods"),
        by_label,
        "channels.period",
        _ALL,
        format_func=reworded,
        bind="query-params",
        label_visibility="collapsed",
        persist_state="session",
        width=250,
    )
    return results if label == _ALL else replace(results, period=by_label[label])


def show(results: Results) -> None:
    """Four tiles, the finding in a sentence, and what to do next."""
    fit, units, view = results.fit, results.units, results.returned()
    whole = results.period is None
    share = fit.baseline_share if whole else None
    cards = findings.tiles(view, units, share)
    when = say("in the data window") if whole else reworded(results.period.label)
    for column, card in zip(st.columns(len(cards)), cards, strict=True):
        with layout.card(column):
            st.metric(card.label, card.value)
            st.caption(f"90 % {card.ci}" if card.ci else when)
    channels = fit.channels if whole else findings.returns(view)
    sentence = findings.sentence(channels, view, units)
    st.markdown("  \n".join(filter(None, (plain(sentence), _next(fit)))))


def _next(fit: FitRecord) -> str:
    """The one thing to do with these numbers."""
    if fit.verdict != "trustworthy":
        sentence = say("Next: resolve the warnings on Fit before you move budget.")
        return f"**{plain(sentence)}**"
    channels = [channel for channel in fit.channels if findings.has(channel.mroi)]
    if len(channels) < 2:
        return ""
    best = max(channels, key=lambda channel: channel.mroi.mean)
    units = fit.units
    unit = units.symbol or say("unit")
    brings = fmt.estimate(best.mroi, "ratio")
    pays = not units.is_money or best.mroi.mean >= 1
    sentence = say(
        marked(
            "Next: plan the budget. The next {unit} brings most in {name}, {brings} "
            "{roi}."
        )
        if pays
        else marked(
            "Next: plan the budget. The next {unit} is likely to return less than it "
            "costs in every channel; it brings most in {name}, {brings} {roi}."
        ),
        unit=unit,
        name=best.name,
        brings=brings,
        roi=units.roi,
    )
    return f"**{plain(sentence)}**"
