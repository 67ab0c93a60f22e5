"""Periods: what changed from some periods of the data to others."""

from functools import partial

import streamlit as st

from core import text as fmt
from core.charts import contribution as bridge
from core.service.records import stretches
from core.service.records.stretches import Choice
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from pages.channels.shown import Results
from pages.ui import layout
from pages.ui.findings import plain


def show(results: Results, row) -> None:
    """The bridge to the periods chosen, or to the last year, from the ones before."""
    del row
    sources = results.sources()
    choices = stretches.choices(sources)
    _since(results, sources, results.period or choices[min(1, len(choices) - 1)])


def _since(results: Results, sources, chosen: Choice) -> None:
    """The bridge from the same periods a year earlier, or from others as long."""
    others = {each.label: each for each in stretches.comparable(sources, chosen)}
    if not others:
        if all(chosen.where):
            layout.remark(
                "Choose a year or a quarter to see what changed since the one before."
            )
            return
        st.caption(
            plain(
                say(
                    "The data have no other periods as long as {chosen} to compare it "
                    "with. Choose a quarter or another year.",
                    chosen=reworded(chosen.label),
                )
            )
        )
        return
    label = st.selectbox(
        say("Compared with"),
        list(others),
        key=f"channels.since.{chosen.label}",
        format_func=reworded,
        width=280,
    )
    before = others[label]
    steps, first, last = stretches.bridge(sources, before, chosen)
    order = [str(name) for name in sources["channel"].values]
    labels = before.label, chosen.label
    make = partial(
        bridge.bridge, steps, (first, last), labels, results.units, order=order
    )
    results.chart("bridge", make, *map(reworded, labels))
    st.caption(plain(_sentence(results, sources, before, chosen, (first, last))))


def _sentence(
    results: Results, sources, before: Choice, after: Choice, ends: tuple[float, float]
) -> str:
    """Outcome and spend against the earlier periods."""
    first, last = ends
    spend = sources["spend"].sum("channel").values
    spent = [float(spend[period.mask].sum()) for period in (before, after)]
    parts = [f"{results.units.outcome_name} {_change(first, last)}"]
    if spent[0] > 0:
        parts.append(say("media spend {change}", change=_change(*spent)))
    label = reworded(before.label)
    if before.label.startswith("The "):  # the weeks before, within a sentence
        label = label[:1].lower() + label[1:]
    text = say("{parts} against {said}.", parts=", ".join(parts), said=label)
    if before.n_periods != after.n_periods:
        lengths = say(
            "{after} has {n_after} periods of data, {before} {n_before}.",
            after=reworded(after.label),
            n_after=after.n_periods,
            before=reworded(before.label),
            n_before=before.n_periods,
        )
        text = f"{text} {lengths}"
    return text


def _change(first: float, last: float) -> str:
    return fmt.share(last / first - 1, signed=True) if first else fmt.NONE
