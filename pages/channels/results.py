"""Views of the Channels screen: returns, contribution, accuracy, best frequency."""

from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st
import xarray as xr
from streamlit.delta_generator import DeltaGenerator

from core import text as fmt
from core.charts import channels, contribution, curves, frequency
from core.charts.drawing import style
from core.charts.fits import accuracy
from core.report import findings
from core.service.projects.history import (
    LONGEST,
    Annotation,
    annotate,
    annotations,
    delete_annotation,
)
from core.service.records import stretches
from core.service.records.fit import Accuracy
from core.service.records.stretches import Choice
from core.service.runs import result_files
from core.text.glossary import meaning
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.text.verdicts import NO_SPEND, mape_left_out
from core.view.sections import funnel_words
from pages.channels import returns_table
from pages.channels.shown import Results
from pages.ui import layout, navigation, state, tables
from pages.ui.fields import gated
from pages.ui.findings import plain


def returns(results: Results, row: DeltaGenerator) -> None:
    """ROI beside what the next unit of spend brings, and the table of all measures.

    Where the KPI is not money, what one more unit of it costs takes the place of ROI.
    """
    del row
    if results.period is not None:
        _returns_of_periods(results, results.period)
        return
    view, prior = results.view("channels"), results.fit.priors
    lead, first = "cpik", partial(channels.cpik, view)
    order = channels.cpik_order
    if results.units.is_money:
        lead, order = "roi", channels.roi_order
        first = partial(channels.roi, view, prior=prior, truth=results.truth)
    second = partial(channels.mroi, view, prior=prior, order=order(view))
    results.pair([(lead, first), ("mroi", second)])
    returns_table.show(results.fit, results.truth, results.units)
    _split(results)
    advice = returns_table.advice(results.fit)
    if advice:
        st.caption(plain(advice))
    note = reworded(
        results.fit.follows_demand.sentence,
        [each.name for each in results.fit.channels],
    )
    if note:
        st.caption(plain(note))


def _split(results: Results) -> None:
    """That returns are totals, and their parts when asked."""
    rows = funnel_words.cells(results.fit)
    if not rows:
        return
    st.caption(plain(funnel_words.sentence(results.fit)))
    with st.expander(say("Direct and through"), key="channels.split"):
        tables.grid(
            pd.DataFrame(rows, columns=funnel_words.titles(results.fit)),
            say("Each channel's total, what is direct and what comes through"),
            placeholder="",
        )
        for hidden in funnel_words.hidden(results.fit):
            st.caption(plain(hidden))


def _returns_of_periods(results: Results, period: Choice) -> None:
    """ROI, contribution and the table of some periods of the data."""
    view = results.returned()
    prior = results.fit.priors
    left, right = st.columns(2, gap="medium")
    with left:
        results.chart(
            "period_roi",
            partial(channels.roi, view, prior=prior),
            reworded(period.label),
        )
    with right:
        results.chart(
            "period_contribution",
            partial(channels.contribution, view, order=channels.roi_order(view)),
            reworded(period.label),
        )
    returns_table.show_periods(view, results.units)
    layout.remark(
        "{label}: {periods} of data. Marginal ROI and cost per unit are worked out "
        "for all periods only.",
        label=reworded(period.label),
        periods=fmt.count(period.n_periods, "period"),
    )


def contributions(results: Results, row: DeltaGenerator) -> None:
    """What made the outcome, the baseline in its parts: in sum, and over time."""
    weeks, period = results.view("weeks"), results.period
    with row:
        noted = _noted_weeks(results.project_folder, weeks)
    view, label = results.returned(), "" if period is None else reworded(period.label)
    if "sources.nc" in result_files(results.run.folder):
        everything = stretches.choices(results.sources())[0]
        view = stretches.returned(results.sources(), period or everything)
    if period is not None:
        weeks = _within(weeks, results.sources(), period)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        results.chart("waterfall", partial(contribution.waterfall, view), label)
    with right:
        make = partial(contribution.over_time, weeks, notes=noted)
        results.chart("over_time", make, label, noted)
    share = results.fit.baseline_share
    if findings.has(share) and period is None:
        has_treatments = any(
            channel.kind == "non_media" for channel in results.fit.channels
        )
        text = (
            marked(
                "Baseline: {share} of {outcome_name}. It is what would have come "
                "without any media, with every treatment at its baseline."
            )
            if has_treatments
            else marked(
                "Baseline: {share} of {outcome_name}. It is what would have come "
                "without any media."
            )
        )
        layout.remark(
            text,
            share=fmt.estimate(share, "share"),
            outcome_name=plain(results.units.outcome_in_text),
        )


def _within(weeks: xr.Dataset, sources: xr.Dataset, period: Choice) -> xr.Dataset:
    """weeks.nc of some periods."""
    times = pd.to_datetime(weeks["time"].values)
    is_inside = pd.Series(False, index=times)
    some = sources.isel(stretch=period.mask.nonzero()[0])
    for start, end in zip(some["start"].values, some["end"].values, strict=True):
        is_inside |= (times >= pd.Timestamp(str(start))) & (
            times <= pd.Timestamp(str(end))
        )
    return (
        weeks.isel(time=is_inside.to_numpy().nonzero()[0]) if is_inside.any() else weeks
    )


def fit_to_data(results: Results, row: DeltaGenerator) -> None:
    """Expected against actual, with how well they agree."""
    weeks = results.view("weeks")
    geo = None
    if "geo" in weeks.dims:
        names = [None, *(str(name) for name in weeks["geo"].values)]
        geo = row.selectbox(
            say("Geo"),
            names,
            format_func=lambda name: say("all geos") if name is None else name,
            key="channels.geo",
            label_visibility="collapsed",
            width=220,
        )
    with row:
        noted = _noted_weeks(results.project_folder, weeks)
    _accuracy_tiles(results.fit.accuracy)
    make = partial(accuracy.expected, weeks, geo=geo, notes=noted)
    results.chart("expected", make, geo, noted)


def _accuracy_tiles(agreement: Accuracy) -> None:
    tiles = (
        ("R²", "r2", meaning("R²")),
        ("MAPE", "mape", meaning("MAPE")),
        ("wMAPE", "wmape", meaning("wMAPE")),
    )
    for column, (label, key, about) in zip(st.columns(3), tiles, strict=True):
        value = getattr(agreement, key)
        text = fmt.NONE
        if value is not None:
            text = fmt.ratio(value) if key == "r2" else fmt.percent(value)
        column.metric(label, text, help=navigation.explained(about), border=True)
    if left_out := mape_left_out(agreement.mape_left_out):
        st.caption(left_out)


def responses(results: Results, row: DeltaGenerator) -> None:
    """Response curves of every paid channel."""
    del row
    view = results.view("curves")
    if not view.sizes["channel"]:
        st.info(NO_SPEND)
        return
    results.chart("responses", partial(curves.responses, view))


def frequencies(results: Results, row: DeltaGenerator) -> None:
    """Every channel with reach and frequency: what its impressions could return."""
    del row
    view = results.view("frequency")
    every = [channel.name for channel in results.fit.channels]
    colours = style.channel_colours(every)
    layout.remark(
        "The same impressions can reach few people often or many people once. "
        "Optimal is the frequency at which they bring the most."
    )
    names = [str(name) for name in view["channel"].values]
    columns = st.columns(2, gap="medium")
    for i, name in enumerate(names):
        with columns[i % 2]:
            make = partial(frequency.by_frequency, view, name, colour=colours.get(name))
            results.chart(f"frequency.{i}", make, name)
            st.caption(plain(frequency.sentence(view, name)))


def _noted_weeks(folder: Path, weeks: xr.Dataset) -> tuple[Annotation, ...]:
    """The notes of the project, with what adds and deletes one.

    Args:
        folder: The project.
        weeks: weeks.nc, whose dates are offered.
    """
    notes = annotations(folder)
    label = say("Notes ({n_notes})", n_notes=len(notes)) if notes else say("Notes")
    with st.popover(label, icon=":material/sticky_note_2:", key="channels.notes"):
        days = [str(day) for day in weeks["time"].values.astype("datetime64[D]")]
        edition = state.edition("note")
        day = gated.selectbox(
            say("Date"),
            days,
            len(days) - 1,
            format_func=fmt.date,
            key="channels.note.date",
        )
        text = gated.text_input(
            say("What happened"),
            key=f"channels.note.text.{edition}",
            max_chars=LONGEST,
            placeholder=say("TV strike"),
        )
        gated.button(
            say("Add note"),
            key="channels.note.add",
            icon=":material/add:",
            disabled=not text.strip(),
            on_click=state.attempt,
            args=(_add, folder, day, text),
        )
        for i, note in enumerate(notes):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(fmt.named(fmt.date(note.date), plain(note.text)))
                gated.button(
                    say("Delete"),
                    key=f"channels.note.delete.{i}",
                    type="tertiary",
                    on_click=state.attempt,
                    args=(_delete, folder, note),
                )
        _undo(folder)
    return notes


def _add(folder: Path, day: str, text: str) -> None:
    annotate(folder, day, text)
    state.start_afresh("note")


def _delete(folder: Path, note: Annotation) -> None:
    delete_annotation(folder, note)
    state.keep("note.deleted", note)


def _undo(folder: Path) -> None:
    """Bring back the note that was deleted last."""
    note: Annotation | None = state.draft("note.deleted")
    if note is not None:
        gated.button(
            say("Bring back {text}", text=plain(note.text)),
            key="channels.note.undo",
            icon=":material/undo:",
            on_click=state.attempt,
            args=(_bring_back, folder, note),
        )


def _bring_back(folder: Path, note: Annotation) -> None:
    annotate(folder, *note)
    state.keep("note.deleted", None)
