"""Channels: what did each channel return, and how sure are we?"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts import contribution as bridge
from core.charts import curves
from core.charts import curves as years
from core.charts.drawing import shapes
from core.errors import WorkspaceError
from core.report import findings
from core.service.projects import shelf
from core.service.records import stretches
from core.service.records.fit import FitRecord
from core.service.records.stretches import Choice
from core.service.runs import result_files
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.sections import evidence_words, headline
from core.view.sections.headline import Headline
from pages.channels import results as channel_results
from pages.channels import returns_table
from pages.channels.shown import Results
from pages.ui import fit_needed, kept, layout, navigation, reading
from pages.ui.fields.choice import one_of
from pages.ui.findings import plain, show_error
from pages.ui.reader import tongue

#: The label that stretches give to everything.
_ALL = marked("All periods")


def render() -> None:
    """Draw the screen."""
    actions = layout.header(navigation.CHANNELS)
    here = layout.begin()
    run = fit_needed.fit_or_empty(here, say("Returns appear here"))
    if run is None:
        return
    fit = reading.fit(run.folder)
    truth = shelf.true_rois(shelf.truth(here.folder))
    results = Results(run, fit, truth, fit.units)
    with actions:
        _downloads(fit, here.name)
        is_sure = fit.verdict == "trustworthy"
        if not is_sure:  # what the finding below says comes next
            navigation.go_button(navigation.FIT, say("See the warnings on Fit"))
        navigation.go_button(navigation.PLAN, say("Plan the budget"), primary=is_sure)
    views, files = dict(_VIEWS), result_files(run.folder)
    try:
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                fit_needed.standing(here, run, fit)
            if "sources.nc" in files:
                results = _choose_periods(results)
        _headlines(results)
    except WorkspaceError as error:
        show_error(error)
        navigation.go_button(navigation.FIT, say("Fit again"), why="again")
        return
    row = st.container(horizontal=True, vertical_alignment="center")
    if "sources.nc" in files:
        views[marked("Year on year")] = _by_period
    if "frequency.nc" in files:
        views[marked("Frequency")] = channel_results.frequencies
    with row:
        view = navigation.view(say("View"), list(views), key="channels.view")
    row.space("stretch")
    try:
        views[view](results, row)
    except WorkspaceError as error:
        show_error(error)
        navigation.go_button(navigation.FIT, say("Fit again"), why="again")


def _downloads(fit: FitRecord, name: str) -> None:
    """The table as a workbook and as CSV, made when the button is pressed."""
    how = fmt.locale().name  # a download's thread does not know the project

    def book() -> bytes:
        from core.report.books.results_book import results_workbook

        with fmt.written_in(how):
            return results_workbook(fit)

    files = {
        "XLSX": tongue.kept(book),
        "CSV": tongue.kept(partial(returns_table.as_csv, fit)),
    }
    kept.downloads(files, f"{name} channels", key="channels")


def _choose_periods(results: Results) -> Results:
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


def _headlines(results: Results) -> None:
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


def _by_period(results: Results, row) -> None:
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


def _one_channel(results: Results, row: DeltaGenerator) -> None:
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


_VIEWS = {
    marked("Returns"): channel_results.returns,
    marked("Contribution"): channel_results.contributions,
    marked("Response curves"): channel_results.responses,
    marked("One channel"): _one_channel,
    marked("Fit to the data"): channel_results.fit_to_data,
}
