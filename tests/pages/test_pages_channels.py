"""The Channels screen: every view, and what stands there without results."""

import pandas as pd
import pyarrow
import pytest
from msgspec import convert, structs
from streamlit.testing.v1 import AppTest

from core.analysis.record.fit_record import as_record
from core.analysis.record.sections import Evidence
from core.project.history.annotations import annotations
from core.report import content as told
from core.text import Units
from core.view.sections import evidence_words
from pages.channels import returns_table
from pages.channels import screen as page
from tests.charts import synthetic
from tests.pages import worlds
from tests.pages.said import is_sound, texts

VIEWS = list(page._VIEWS)


def test_without_a_project_or_a_fit(screen, home, held):
    assert "No project is open" in texts(screen("channels"))
    folder = worlds.project()
    at = screen("channels", worlds.MARKET)
    assert is_sound(at)
    assert "Not fitted yet" in texts(at)
    assert at.button(key="go.fit")
    held(worlds.run(folder, "running"))
    at = screen("channels", worlds.MARKET)
    assert "A fit is running" in texts(at)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view(screen, fitted, view):
    at = screen("channels", worlds.MARKET)
    at.segmented_control(key="channels.view").set_value(view).run()
    assert is_sound(at)
    assert not at.error
    assert 1 <= len(at.get("plotly_chart")) <= 6


@pytest.mark.parametrize("name", synthetic.NAMES)
def test_every_channel_closely(screen, fitted, name):
    at = screen("channels", worlds.MARKET)
    at.segmented_control(key="channels.view").set_value("One channel").run()
    at.selectbox(key="channels.channel").set_value(name).run()
    assert is_sound(at)
    assert not at.error
    n_charts = {"Promotion": 1, "Newsletter": 4}.get(name, 6)
    assert len(at.get("plotly_chart")) == n_charts
    labels = [metric.label for metric in at.metric][4:]
    is_paid = n_charts == 6
    assert ("Spend" in labels) == is_paid
    assert "Share of revenue" in labels


def test_returns_have_one_switch(screen, fitted):
    at = screen("channels", worlds.MARKET)
    assert is_sound(at)
    assert [each.key for each in at.get("button_group")] == ["channels.view"]
    assert len(at.get("plotly_chart")) == 2


def test_below_the_table_a_line_leads_to_what_its_columns_mean(screen, fitted):
    at = screen("channels", worlds.MARKET)
    (line,) = [each.value for each in at.markdown if "What each column" in each.value]
    assert "[What each column says](help?" in line and "read=glossary" in line


def test_truth_stands_beside_the_estimate_of_a_demo(screen, fitted):
    at = screen("channels", worlds.MARKET)
    at.toggle(key="channels.every").set_value(True).run()
    frame = at.dataframe[0].value
    assert frame["truth"].notna().sum() == 4


def test_totals_are_called_so_and_split_when_asked(screen, home):
    worlds.fit(worlds.project(), funnel=synthetic.funnel())
    at = screen("channels", worlds.MARKET)
    assert is_sound(at)
    said = texts(at)
    assert "for TV they include what comes by way of queries" in said
    assert "correlated by 0.3" in said
    (split,) = [
        table.value for table in at.dataframe if "Direct" in table.value.columns
    ]
    assert list(split["Channel"]) == ["TV"] and "Through queries" in split.columns


def test_one_geo_can_be_chosen(screen, fitted):
    at = screen("channels", worlds.MARKET)
    at.segmented_control(key="channels.view").set_value("Fit to the data").run()
    at.selectbox(key="channels.geo").set_value("South").run()
    assert is_sound(at)
    assert not at.error


def test_doubtful_and_out_of_date_are_said(screen, home):
    folder = worlds.project()
    worlds.fit(folder, "doubtful")
    text = (folder / "project.toml").read_text()
    (folder / "project.toml").write_text(text.replace("[model]", "[model]\nknots = 9"))
    said = texts(screen("channels", worlds.MARKET))
    assert "doubtful" in said and "1 warning on Fit" in said
    assert "out of date: model options changed" in said


@pytest.mark.parametrize("file", ["channels.nc", "summary.json", "manifest.json"])
def test_damaged_result_is_explained(screen, cold, fitted, file):
    worlds.damage(next((fitted / "runs").iterdir()), file)
    at = screen("channels", worlds.MARKET)
    assert is_sound(at)
    assert "damaged" in texts(at)


def test_a_damaged_view_of_a_doubtful_fit_is_explained(screen, home):
    run = worlds.fit(worlds.project(), "doubtful")
    worlds.damage(run, "channels.nc")
    at = screen("channels", worlds.MARKET)
    assert is_sound(at)
    assert "damaged" in texts(at)
    labels = [button.label for button in at.button]
    assert "See the warnings on Fit" in labels and "Fit again" in labels


def test_run_without_a_result(screen, fitted):
    run = worlds.run(fitted, "failed", message="No.")
    at = screen("channels", worlds.MARKET, run=False)
    at.query_params["run"] = run.name
    at.run()
    assert is_sound(at)
    assert "This fit has no results" in texts(at)


def test_table_as_csv_is_safe_in_a_spreadsheet():
    told = as_record(synthetic.summary(names=("=1+1", "@x", *synthetic.NAMES[2:])))
    text = returns_table.as_csv(told).decode("utf-8-sig")
    assert "'=1+1" in text and "'@x" in text
    assert "roi_lo" in text.splitlines()[0]


def test_frequency_is_shown_where_channels_have_one(screen, home):
    worlds.fit(worlds.project(), has_frequency=True)
    at = screen("channels", worlds.MARKET)
    at.segmented_control(key="channels.view").set_value("Frequency").run()
    assert is_sound(at)
    assert not at.error
    assert len(at.get("plotly_chart")) == 2
    said = texts(at)
    assert "TV: optimal frequency 3.4 (2" in said and "now 5.2" in said
    assert "ROI 2.01 now, 2.61 there" in said
    assert "Newsletter: optimal frequency 2.1" in said


def test_frequency_is_not_offered_without_such_channels(screen, fitted):
    at = screen("channels", worlds.MARKET, run=False)
    at.session_state["channels.view"] = "Frequency"  # of a project opened before
    at.run()
    assert is_sound(at)
    view = at.segmented_control(key="channels.view")
    assert "Frequency" not in view.options
    assert view.value == "Returns"


def test_a_channel_that_follows_demand_is_marked(screen, home):
    folder = worlds.project()
    worlds.fit(folder, follows=("Search",))
    at = screen("channels", worlds.MARKET)
    assert is_sound(at)
    at.toggle(key="channels.every").set_value(True).run()
    frame = at.dataframe[0].value.set_index("name")
    assert frame.loc["Search", "kind"] == "paid media, 71\u00a0% follows demand"
    assert frame.loc["TV", "kind"] == "paid media"
    assert "Search follows demand: its return rests on carryover." in texts(at)
    at.segmented_control(key="channels.view").set_value("One channel").run()
    at.selectbox(key="channels.channel").set_value("Search").run()
    assert worlds.DEMAND in texts(at)
    assert "Search follows demand: its name says so." in texts(at)


def test_a_kpi_in_units_leads_with_its_cost_and_is_named_in_full():
    """Not "ROI 0.01 (0.00 – 0.01)", "M New c", "148 New customers of new customers"."""
    units = Units("kpi", "EUR", "New customers")
    channel = structs.replace(
        as_record(synthetic.summary()).channels[0],
        spend=1e6,
        roi={"mean": 0.0123, "median": 0.012, "lo": 0.0051, "hi": 0.0213},
        cpik={"mean": 90.0, "median": 83.0, "lo": 47.0, "hi": 196.0},
        contribution={"mean": 12_300.0, "lo": 5_100.0, "hi": 21_300.0},
        evidence=convert(worlds.EVIDENCE["TV"] | {"worth": 148.2}, Evidence),
    )
    by = returns_table._scales([channel], units)
    shown = returns_table._returns_row(channel, {}, by)
    assert shown["contribution"] == pytest.approx(12.3)
    assert shown["contribution_ci"] == "(5.1 – 21.3)"
    assert shown["cpik_ci"] == "(47.0 – 196.0)"
    assert shown["roi_ci"] == "(0.0051 – 0.0213)"
    columns = returns_table._columns(units, pd.DataFrame([shown]), by)
    contribution = columns["contribution"]
    assert contribution["label"] == "Contribution, k\u00a0New customers"
    assert contribution["width"] > 7 * len(contribution["label"])
    written = returns_table._written(units, pd.DataFrame([shown]))
    assert written["contribution"](-12.3) == "−12.3"
    assert written["mroi"](-0.0123) == "−0.0123"
    small = structs.replace(
        channel, contribution={"mean": 2_340.0, "lo": 257.0, "hi": 17_381.0}
    )
    by = returns_table._scales([channel, small], units)
    ends = [
        returns_table._returns_row(each, {}, by)["contribution_ci"]
        for each in (channel, small)
    ]
    assert ends == ["(5.10 – 21.30)", "(0.26 – 17.38)"]  # one precision in a column
    told = evidence_words.knowing(channel.evidence, units)
    assert "about 148\u00a0New customers to a plan" in told


def test_what_would_help_names_the_channel_once_and_says_why():
    fit = as_record(synthetic.summary())
    shy = convert(worlds.EVIDENCE["Print"] | {"reason": "it never rests"}, Evidence)
    channel = structs.replace(fit.channels[0], evidence=shy)
    told = returns_table.advice(structs.replace(fit, channels=[channel]))
    assert told.startswith(
        "What would help the plan most is to know more about "
        f"{channel.name} (mostly assumed): it never rests. "
    )


def test_it_opens_with_four_numbers_the_finding_and_what_to_do(screen, fitted):
    at = screen("channels", worlds.MARKET)
    assert is_sound(at)
    assert [tile.label for tile in at.metric] == [
        "Media spend",
        "Revenue from paid media",
        "ROI, € per €",
        "Baseline share",
    ]
    said = texts(at)
    assert "has the highest ROI" in said
    assert "Next: plan the budget. The next € brings most in" in said
    content = told.read(next((fitted / "runs").iterdir()))
    assert [tile.value for tile in at.metric] == [
        card.value for card in told.headline(content)
    ]


@pytest.mark.parametrize("period", ["Last 52 weeks", "2023", "Q4 2021"])
def test_numbers_follow_the_periods_chosen(screen, fitted, period):
    at = screen("channels", worlds.MARKET)
    whole = {tile.label: tile.value for tile in at.metric}
    at.selectbox(key="channels.period").set_value(period).run()
    assert is_sound(at)
    some = {tile.label: tile.value for tile in at.metric}
    assert some["Media spend"] != whole["Media spend"]
    assert len(at.get("plotly_chart")) == 2
    table = at.dataframe[0].value
    assert tuple(table["Channel"]) == synthetic.PAID


def test_every_view_is_of_the_periods_chosen(screen, fitted):
    """The fewest that can be chosen."""
    at = screen("channels", worlds.MARKET)
    at.selectbox(key="channels.period").set_value("Q4 2021").run()
    for view in VIEWS:
        at.segmented_control(key="channels.view").set_value(view).run()
        assert is_sound(at)
        assert not at.error


def test_the_baseline_is_drawn_in_its_parts(screen, fitted):
    at = screen("channels", worlds.MARKET)
    at.segmented_control(key="channels.view").set_value("Contribution").run()
    drawn = at.get("plotly_chart")[0].proto.spec
    assert "Baseline: season" in drawn and "Baseline: trend" in drawn


def test_a_doubtful_fit_is_settled_first(screen, home):
    worlds.fit(worlds.project(), "doubtful")
    said = texts(screen("channels", worlds.MARKET))
    assert "Next: resolve the warnings on Fit before you move budget." in said


def test_year_on_year_shows_what_changed_since(screen, fitted):
    at = screen("channels", worlds.MARKET)
    at.segmented_control(key="channels.view").set_value("Year on year").run()
    assert is_sound(at)
    periods = at.selectbox(key="channels.period")
    assert periods.value == "All periods"
    assert {"All periods", "2023", "Q4 2021"} <= set(periods.options)
    assert at.selectbox(key="channels.since.Last 52 weeks")
    assert "media spend +" in texts(at)
    assert "against the 52 weeks before." in texts(at)
    periods.set_value("Q2 2023").run()
    assert is_sound(at)
    since = at.selectbox(key="channels.since.Q2 2023")
    assert since.options[0] == "Q2 2022"
    assert "against Q2 2022." in texts(at)
    since.set_value("Q1 2023").run()
    assert "against Q1 2023." in texts(at)


def test_a_note_is_shown_on_time_charts_deleted_and_brought_back(screen, fitted):
    at = screen("channels", worlds.MARKET, **{"channels.view": "Contribution"})
    at.selectbox(key="channels.note.date").set_value("2023-03-06").run()
    at.text_input(key="channels.note.text.0").set_value("TV strike").run()
    at.button(key="channels.note.add").click().run()
    assert is_sound(at)
    assert "6 Mar 2023: TV strike" in texts(at)
    assert "TV strike" in at.get("plotly_chart")[1].proto.spec
    at.segmented_control(key="channels.view").set_value("Fit to the data").run()
    assert "TV strike" in at.get("plotly_chart")[0].proto.spec
    assert annotations(fitted) == (("2023-03-06", "TV strike"),)
    at.button(key="channels.note.delete.0").click().run()
    assert annotations(fitted) == ()
    assert "TV strike" not in at.get("plotly_chart")[0].proto.spec
    at.button(key="channels.note.undo").click().run()
    assert annotations(fitted) == (("2023-03-06", "TV strike"),)


def test_a_number_below_zero_has_a_true_minus_and_still_sorts_as_a_number():
    def script():
        import pandas as pd
        import streamlit as st

        from core import text as fmt
        from pages.ui import tables

        frame = pd.DataFrame({"name": ["TV", None], "roi": [-0.5, None]})
        st.dataframe(tables.written(frame, {"roi": fmt.roi, "absent": fmt.roi}))

    (table,) = AppTest.from_function(script, default_timeout=120).run().dataframe
    assert table.value["roi"][0] == -0.5
    written = table.proto.arrow_data.styler.display_values
    shown = pyarrow.ipc.open_stream(written).read_pandas()
    assert shown.to_numpy().tolist() == [["TV", "−0.50"], ["", ""]]
