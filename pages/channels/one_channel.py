"""One channel closely: its numbers, how firmly they are known, its shapes."""

from collections.abc import Callable
from functools import partial

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts import curves
from core.charts import curves as years
from core.charts.drawing import shapes
from core.report import findings
from core.text.languages.language import say
from core.text.languages.reworded import reworded
from core.view.sections import evidence_words, headline
from core.view.sections.headline import Headline
from pages.channels.shown import Results
from pages.ui import layout
from pages.ui.fields.choice import one_of
from pages.ui.findings import plain


def show(results: Results, row: DeltaGenerator) -> None:
    """One channel closely: response, carryover, saturation, prior and posterior."""
    forms, response = results.view("shapes"), results.view("curves")
    names = [str(name) for name in forms["channel_all"].values]
    name = one_of(
        say("Channel"),
        names,
        "channels.channel",
        place=row,
        label_visibility="collapsed",
        width=220,
        persist_state="session",
    )
    facts = _facts(results, name)
    for column, fact in zip(st.columns(len(facts)), facts, strict=True):
        with layout.card(column):
            st.metric(fact.label, fact.value)
            st.caption(f"90 % {fact.ci}" if fact.ci else "\u00a0")
    if sentences := _demand_and_evidence(results, name):
        st.caption("\n".join(f"- {plain(sentence)}" for sentence in sentences))
    makers: dict[str, Callable[..., go.Figure]] = {}
    if name in [str(channel) for channel in response["channel"].values]:
        makers["response"] = partial(curves.response, response, name)
    makers["density"] = partial(shapes.prior_posterior, forms, name)
    if name in [str(channel) for channel in forms["channel"].values]:
        makers["adstock"] = partial(shapes.adstock, forms, name)
        makers["saturation"] = partial(shapes.saturation, forms, name)
    makers |= _over_years(results, name)
    figures = list(makers.items())
    for pair in (figures[i : i + 2] for i in range(0, len(figures), 2)):
        results.pair(pair, name)


def _over_years(results: Results, name: str) -> dict[str, Callable[..., go.Figure]]:
    """Figures of a channel's years; none for a treatment."""
    view = results.view("years")
    if name not in view["channel"].values:
        return {}
    makers: dict[str, Callable[..., go.Figure]] = {}
    if "effectiveness" in view:
        makers["effectiveness"] = partial(years.effectiveness, view, name)
    if view["roi"].sel(channel=name).notnull().all():
        makers["years"] = partial(years.roi_by_year, view, name)
    return makers


def _facts(results: Results, name: str) -> list[Headline]:
    """What was spent, what came back, how much of the outcome that is."""
    channel, units = results.fit.channel(name), results.units
    money = ("money", units.currency)
    facts = []
    if channel.spend:
        facts.append(headline.exact(say("Spend"), channel.spend, *money))
    if findings.has(channel.cpik) and not units.is_money:
        facts.append(
            headline.estimated(units.cost_name, channel.cpik, *money, centre="median")
        )
    if channel.has_roi:
        label = fmt.titled(say("ROI"), units.roi)
        facts.append(headline.estimated(label, channel.roi, "ratio"))
    if findings.has(channel.roi_last_year):
        label = say("ROI last year")
        facts.append(headline.estimated(label, channel.roi_last_year, "ratio"))
    if findings.has(channel.contribution_share):
        label = say("Share of {outcome}", outcome=units.outcome_in_text)
        facts.append(headline.estimated(label, channel.contribution_share, "share"))
    if (true_roi := results.truth.get(name)) is not None:
        facts.append(headline.exact(say("True ROI"), true_roi, "ratio"))
    return facts


def _demand_and_evidence(results: Results, name: str) -> list[str]:
    """Whether its spend follows demand, and how firmly its return is known."""
    channel = results.fit.channel(name)
    sentences: list[str] = []
    if demand := channel.demand:
        sentences += dict.fromkeys(
            reworded(sentence, [channel.name])
            for sentence in (demand.sentence, demand.reason)
        )
    names = [each.name for each in results.fit.channels]
    return [*sentences, *evidence_words.firmness(channel, results.units, names)]
