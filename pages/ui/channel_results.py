"""Views of the Channels screen: returns, contribution, accuracy, one channel."""

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts import accuracy, channels, contribution, curves, shapes
from core.charts import format as fmt
from core.workspace.runs import Run
from pages.ui import layout, reading, returns_table, state
from pages.ui.findings import plain

_MEASURES = ("Marginal ROI", "Contribution", "CPIK", "Effectiveness")


@dataclass(frozen=True)
class Results:
    """What the views show.

    Attributes:
        run: The fit.
        summary: summary.json.
        truth: What a simulation knows; None for real data.
        units: Words for the units.
    """

    run: Run
    summary: dict[str, Any]
    truth: dict[str, Any] | None
    units: fmt.Units

    def view(self, name: str):
        """A dataset of the result."""
        return reading.result_dataset(self.run.folder, name)


def returns(results: Results, row: DeltaGenerator) -> None:
    """ROI beside another measure, and the table of all of them."""
    made, theme = results.view("channels"), layout.theme()
    prior = channels.priors(results.summary)
    left, right = st.columns(2, gap="medium")
    measure = row.segmented_control(
        "Measure",
        _MEASURES,
        default=_MEASURES[0],
        required=True,
        key="channels.measure",
        label_visibility="collapsed",
    )
    with left:
        figure = channels.roi(made, prior=prior, truth=results.truth, theme=theme)
        layout.chart(figure, "channels.roi")
    with right:
        layout.chart(_measure(measure, made, prior, theme), "channels.measure")
    returns_table.show(results.summary, results.truth, results.units)


def _measure(name: str, made, prior, theme):
    if name == "Contribution":
        return channels.contribution(made, prior=prior, theme=theme)
    if name == "CPIK":
        return channels.cpik(made, theme=theme)
    if name == "Effectiveness":
        return channels.effectiveness(made, theme=theme)
    return channels.mroi(made, prior=prior, theme=theme)


def contributions(results: Results, row: DeltaGenerator) -> None:
    """What made the outcome: in sum, and over time."""
    del row
    theme = layout.theme()
    left, right = st.columns([2, 3], gap="medium")
    with left:
        figure = contribution.waterfall(results.view("channels"), theme=theme)
        layout.chart(figure, "channels.waterfall")
    with right:
        figure = contribution.over_time(results.view("weeks"), theme=theme)
        layout.chart(figure, "channels.over_time")
    share = results.summary.get("baseline_share")
    if share:
        st.caption(
            f"Baseline: {fmt.estimate(share, 'share')} of "
            f"{plain(results.units.outcome_name.lower())}. It is what would have come "
            "without any media, at treatments' baseline."
        )


def fit_to_data(results: Results, row: DeltaGenerator) -> None:
    """Expected against actual, with how well they agree."""
    weeks, theme = results.view("weeks"), layout.theme()
    told = results.summary.get("accuracy") or {}
    geo = None
    if "geo" in weeks.dims:
        names = [None, *(str(name) for name in weeks["geo"].values)]
        geo = row.selectbox(
            "Geo",
            names,
            format_func=lambda name: "all geos" if name is None else name,
            key="channels.geo",
            label_visibility="collapsed",
            width=220,
        )
    _accuracy_tiles(told)
    figure = accuracy.expected(
        weeks, geo=geo, accuracy=None if geo else told, theme=theme
    )
    layout.chart(figure, "channels.expected")


def _accuracy_tiles(told: dict[str, Any]) -> None:
    tiles = (
        ("R²", "r2", "Share of the variation that the model explains."),
        ("MAPE", "mape", "Mean size of the error, in percent of the actual value."),
        ("wMAPE", "wmape", "The same, weighted by the actual value."),
    )
    columns = st.columns(3)
    for column, (label, key, about) in zip(columns, tiles, strict=True):
        value = told.get(key)
        shown = fmt.NONE
        if value is not None:
            shown = fmt.ratio(value) if key == "r2" else f"{100 * value:.1f}\u00a0%"
        column.metric(label, shown, help=about, border=True)


def one(results: Results, row: DeltaGenerator) -> None:
    """One channel closely: response, carryover, saturation, prior and posterior."""
    forms = results.view("shapes")
    names = [str(name) for name in forms["channel_all"].values]
    if state.widget("channels.channel", None) not in names:
        state.put("channels.channel", names[0])
    name = row.selectbox(
        "Channel",
        names,
        key="channels.channel",
        label_visibility="collapsed",
        width=220,
        persist_state="session",
    )
    st.caption(_sentence(results, name))
    figures = _figures_of(results, forms, name)
    for start in range(0, len(figures), 2):
        for column, (key, figure) in zip(
            st.columns(2, gap="medium"), figures[start : start + 2], strict=False
        ):
            with column:
                layout.chart(figure, f"channels.{key}")


def _figures_of(results: Results, forms, name: str) -> list:
    theme = layout.theme()
    figures = [("prior_posterior", shapes.prior_posterior(forms, name, theme=theme))]
    response = results.view("curves")
    if name in [str(channel) for channel in response["channel"].values]:
        figure = curves.response(response, name, theme=theme)
        figures.insert(0, ("response", figure))
    if name in [str(channel) for channel in forms["channel"].values]:
        figures.append(("adstock", shapes.adstock(forms, name, theme=theme)))
        figures.append(("saturation", shapes.saturation(forms, name, theme=theme)))
    return figures


def _sentence(results: Results, name: str) -> str:
    """The channel in one line."""
    rows = {row["name"]: row for row in results.summary["channels"]}
    row, units = rows.get(name, {}), results.units
    parts = []
    if row.get("spend"):
        parts.append(f"spend {fmt.money(row['spend'], units.currency)}")
    if row.get("roi"):
        parts.append(f"ROI {fmt.estimate(row['roi'], 'ratio')} {units.roi}")
    if row.get("contribution_share"):
        share = fmt.estimate(row["contribution_share"], "share")
        parts.append(f"contribution {share} of {units.outcome_name.lower()}")
    known = ((results.truth or {}).get("channels") or {}).get(name) or {}
    if known.get("roi") is not None:
        parts.append(f"true ROI {fmt.ratio(known['roi'])}")
    return plain(" · ".join(parts))


def responses(results: Results, row: DeltaGenerator) -> None:
    """Response curves of every paid channel."""
    del row
    figure = curves.responses(results.view("curves"), theme=layout.theme())
    layout.chart(figure, "channels.responses")
