"""The table of returns: every measure of every channel with its 90 % interval."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
import xarray as xr

from core import text as fmt
from core.estimate import estimate
from core.report import findings
from core.service.records.fit import Channel, FitRecord
from core.text.glossary import meaning
from core.text.languages.language import marked, say
from core.text.languages.reworded import reworded
from core.view.sections import evidence_words
from core.view.sections.returns import ranked
from pages.ui import navigation, tables
from pages.ui.tables import csv, number

_MEASURES = ("roi", "roi_last_year", "mroi", "contribution", "cpik", "effectiveness")
#: What leads where the KPI is no money.
_LEAD = ("cpik", "cpik_ci", "contribution", "contribution_ci", "share", "share_ci")
#: What a laptop shows without scrolling sideways, where the KPI is money and where not.
_FIRST = ("name", "spend", "roi", "roi_ci", "mroi", "mroi_ci")
_FIRST += ("contribution", "contribution_ci", "evidence")
_FIRST_COUNT = ("name", "spend", *_LEAD, "evidence")
_KINDS = {
    "media": marked("paid media"),
    "reach_frequency": marked("paid reach"),
    "organic_media": "organic",
    "organic_reach_frequency": marked("organic reach"),
    "non_media": "treatment",
}


#: Labels of evidence that leave a return open.
_UNSURE = (marked("mostly assumed"), marked("partly assumed"))
#: A probability of following demand below this is not shown.
_UNLIKELY = 0.05


def show(fit: FitRecord, truth: dict[str, float], units: fmt.Units) -> None:
    """The table; it sorts by any column, and shows every measure when asked."""
    by = _scales(fit.channels, units)
    table_rows = [
        _returns_row(channel, truth, by) for channel in ranked(fit.channels, units)
    ]
    frame = pd.DataFrame(table_rows).dropna(axis=1, how="all")
    if not units.is_money:  # what one more unit of the KPI costs comes first
        lead = [name for name in ("name", "kind", "spend", *_LEAD) if name in frame]
        frame = frame[[*lead, *(name for name in frame if name not in lead)]]
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        every = st.toggle(
            say("Every measure"),
            key="channels.every",
            persist_state="session",
            help=navigation.tip(
                "Also kind, returns of the last year, cost per unit and "
                "effectiveness. The downloads always have all of them."
            ),
        )
        st.space("stretch")
        navigation.columns_explained()
    if not every:
        first = _FIRST if units.is_money else _FIRST_COUNT
        frame = frame[[name for name in first if name in frame]]
    place.dataframe(
        tables.written(frame, _written(units, frame)),
        column_config=_columns(units, frame, by),
        hide_index=True,
        height=tables.height(len(table_rows)),
        key="channels.table",
        placeholder="",
        alt=say("Returns of every channel with 90 % intervals"),
    )


def show_periods(view: xr.Dataset, units: fmt.Units) -> None:
    """The table of some periods: spend, return and contribution of paid channels."""
    periods = []
    for channel, own in zip(findings.returns(view), _paid(view), strict=True):
        shown = {say("Channel"): channel.name}
        shown[say("Spend")] = fmt.money(channel.spend, units.currency)
        if units.is_money:
            shown[say("ROI, 90 %")] = fmt.estimate(channel.roi, "ratio")
        else:
            cost = channel.cpik, "money", units.currency
            shown[f"{units.cost_name}, 90 %"] = fmt.estimate(*cost, centre="median")
        shown[say("Contribution, 90 %")] = fmt.estimate(own, *units.measure)
        periods.append(shown)
    about = say("Returns of every paid channel in the periods chosen")
    tables.grid(periods, about, placeholder="")


def _paid(view: xr.Dataset) -> list[Mapping[str, Any]]:
    """Contribution of each paid channel, outcome units."""
    brought = findings.paid(view)["incremental_outcome"].transpose("channel", ...)
    return [estimate(own.values) for own in brought]


def advice(fit: FitRecord) -> str:
    """What would make the most important of the unsure returns surer; or nothing."""
    unsure = [
        (channel.evidence, channel.name)
        for channel in fit.channels
        if channel.evidence and channel.evidence.label in _UNSURE
    ]
    if not unsure:
        return ""
    evidence, name = min(unsure, key=lambda each: each[0].rank)
    about = evidence_words.reason(evidence, [name])
    places = {"about": about, "label": say(evidence.label)}
    if name in evidence.reason:
        text = say("What would help the plan most: {about} ({label}). ", **places)
    else:
        text = say(
            "What would help the plan most is to know more about {name} ({label}): "
            "{about}. ",
            name=name,
            **places,
        )
    text += reworded(evidence.remedy, [name])
    if evidence.worth:
        text = f"{text.rstrip()} {evidence_words.knowing(evidence, fit.units)}"
    return text.rstrip()


def _returns_row(
    channel: Channel, truth: dict[str, float], by: "_Scales"
) -> dict[str, object]:
    row: dict[str, object] = {
        "name": channel.name,
        "kind": _kind(channel),
        "spend": _scaled(channel.spend, by.spend[0]),
    }
    for key in _MEASURES:
        if key == "cpik":
            row |= _share(channel.contribution_share)
        estimate = getattr(channel, key)
        row[key] = number(estimate, "median" if key == "cpik" else "mean")
        if key == "contribution":
            row[key] = _scaled(row[key], by.outcome[0])
        row[f"{key}_ci"] = _interval(estimate, key, by)
        if key == "roi":
            row["evidence"] = channel.evidence and say(channel.evidence.label)
            row["truth"] = truth.get(channel.name)
    return row


def _kind(channel: Channel) -> str:
    kind = _KINDS.get(channel.kind, channel.kind)
    chance = channel.demand.probability if channel.demand else 0.0
    if chance < _UNLIKELY:
        return kind
    if chance > 1 - _UNLIKELY:
        return say("{kind}, follows demand", kind=kind)
    return say(
        "{kind}, {chance} follows demand", kind=kind, chance=fmt.probability(chance)
    )


def _share(estimate: Mapping[str, Any] | None) -> dict[str, object]:
    """Contribution as a share of the expected outcome, in percent."""
    if not findings.has(estimate):
        return {"share": None, "share_ci": None}
    ends = fmt.interval(estimate["lo"], estimate["hi"], "share")
    return {"share": 100 * estimate["mean"], "share_ci": ends}


class _Scales(NamedTuple):
    """Divisor and prefix of spend and of the outcome; the same where both are money.

    Attributes:
        spend: Of spend.
        outcome: Of contributions.
        decimals: Of contributions and of the ends of their intervals.
    """

    spend: tuple[float, str]
    outcome: tuple[float, str]
    decimals: int


def _scales(channels: Sequence[Channel], units: fmt.Units) -> _Scales:
    spend = max((abs(channel.spend or 0.0) for channel in channels), default=0.0)
    outcomes = [number(channel.contribution) for channel in channels]
    outcome = max((abs(size or 0.0) for size in outcomes), default=0.0)
    of_spend, of_outcome = fmt.scale(spend), fmt.scale(outcome)
    if units.is_money:
        of_spend = of_outcome = fmt.scale(max(spend, outcome))
    sizes = [abs(size) / of_outcome[0] for size in outcomes if size]
    return _Scales(of_spend, of_outcome, _decimals(min(sizes, default=0.0)))


def _scaled(value: float | None, by: float) -> float | None:
    return None if value is None else value / by


def _interval(
    estimate: Mapping[str, Any] | None, key: str, by: "_Scales"
) -> str | None:
    """Both ends in brackets; the unit stands in the column's name."""
    if not findings.has(estimate):
        return None
    low, high = estimate["lo"], estimate["hi"]
    if key in ("roi", "roi_last_year", "mroi"):
        return fmt.interval(low, high, "ratio")
    if key == "contribution":
        ends = [
            fmt.exact(end / by.outcome[0], decimals=by.decimals) for end in (low, high)
        ]
        return f"({ends[0]} – {ends[1]})"
    centre = "median" if key == "cpik" else "mean"
    numbers = {centre: estimate[centre], "lo": low, "hi": high}
    if max(map(abs, numbers.values())) >= 1000:  # with a prefix that the number has not
        return fmt.interval(low, high, "number")
    return f"({fmt.estimate(numbers, 'number', centre=centre).partition(' (')[2]}"


def _columns(units: fmt.Units, frame: pd.DataFrame, by: _Scales) -> dict[str, Any]:
    numbers, text = st.column_config.NumberColumn, st.column_config.TextColumn
    money = fmt.scaled_unit(by.spend[1], units.symbol)
    spend = fmt.titled(say("Spend"), money)
    columns: dict[str, Any] = {
        "name": text(
            say("Channel"),
            pinned=True,
            width=tables.width([say("Channel"), *frame["name"]], most=160),
        ),
        "kind": text(say("Kind"), width=84),
        "spend": numbers(spend, width=tables.width([spend])),
        "evidence": text(
            say("Evidence"),
            width=tables.width([say("Evidence"), *_texts(frame, "evidence")]),
            help=say(
                "{meaning} The view One channel says why.",
                meaning=meaning("Evidence"),
            ),
        ),
        "truth": numbers(say("True ROI"), width=78),
        "share": numbers(
            say("Share, %"),
            width=66,
            help=say(
                "Contribution as a share of expected {outcome_name}.",
                outcome_name=units.outcome_in_text,
            ),
        ),
    }
    for key, (label, about) in _measures(units, by.outcome[1]).items():
        columns[key] = numbers(label, help=about, width=tables.width([label], 64))
    for key in (*_MEASURES, "share"):
        cells = _texts(frame, f"{key}_ci")
        columns[f"{key}_ci"] = text("90 %", width=tables.width(cells, 64))
    return {name: column for name, column in columns.items() if name in frame}


def _written(
    units: fmt.Units, frame: pd.DataFrame
) -> dict[str, Callable[[float], str]]:
    """How the numbers of each column are written."""
    ratio = fmt.roi if units.is_money else fmt.number
    return {
        "spend": _amounts(frame, "spend"),
        "contribution": _amounts(frame, "contribution"),
        "share": partial(fmt.exact, decimals=0),
        "truth": fmt.roi,
        **dict.fromkeys(("roi", "roi_last_year", "mroi"), ratio),
        **dict.fromkeys(("cpik", "effectiveness"), fmt.number),
    }


def _amounts(frame: pd.DataFrame, name: str) -> Callable[[float], str]:
    """Writes a column of amounts: three digits of the smallest."""
    sizes = frame[name].abs() if name in frame else pd.Series(dtype=float)
    return partial(fmt.exact, decimals=_decimals(sizes[sizes > 0].min()))


def _decimals(least: float) -> int:
    """Decimals of a column of amounts, by the smallest of them."""
    return 0 if least >= 100 else 1 if least >= 10 else 2


def _texts(frame: pd.DataFrame, name: str) -> list[str]:
    """Cells of a column; none where the table has no such column."""
    return list(frame.get(name, pd.Series(dtype=str)).dropna())


def _measures(units: fmt.Units, prefix: str) -> dict[str, tuple[str, str]]:
    """Label and tooltip of each measure."""
    return {
        "roi": (
            say("ROI"),
            say("{meaning} Here {roi}.", meaning=meaning("ROI"), roi=units.roi),
        ),
        "roi_last_year": (
            say("ROI last year"),
            say(
                "Outcome per spend of the data's last year, {roi}. It differs from ROI "
                "where an effect has changed, unless Model says constant.",
                roi=units.roi,
            ),
        ),
        "mroi": (say("Marginal ROI"), meaning("Marginal ROI")),
        "cpik": (
            fmt.titled("CPIK", units.symbol),
            fmt.titled(units.cost_name, units.symbol) + ".",
        ),
        "effectiveness": (
            say("Effectiveness"),
            say(
                "{outcome} per media unit.", outcome=units.outcome or units.outcome_name
            ),
        ),
        "contribution": (
            fmt.titled(say("Contribution"), fmt.scaled_unit(prefix, units.outcome)),
            meaning("Contribution"),
        ),
    }


def as_csv(fit: FitRecord) -> bytes:
    """Every measure with mean, median and interval, one row per channel."""
    channels = []
    for channel in fit.channels:
        flat = {key: getattr(channel, key) for key in ("name", "kind", "spend")}
        for key in (*_MEASURES, "contribution_share"):
            for part in ("mean", "median", "lo", "hi"):
                flat[f"{key}_{part}"] = number(getattr(channel, key), part)
        channels.append(flat)
    return csv(pd.DataFrame(channels))
