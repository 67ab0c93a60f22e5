"""The Data screen: empty, loaded, blocked, uploaded, replaced, changed elsewhere."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from core import text as fmt
from core.errors import SchemaError
from core.project.settings import project as projects
from core.project.settings.defaults import aligned
from core.project.settings.project import load_project, save_project
from core.service import runs
from core.service.records.columns import Finding
from pages.data import draft
from pages.data import view as remedies
from pages.ui import findings
from tests.pages import worlds
from tests.pages.said import edition, is_sound, texts

CSV = worlds.table().to_csv(index=False).encode()


def upload(at, content: bytes, name: str = "sales.csv", key: str = "data.upload"):
    files = [f for f in at.get("file_uploader") if str(f.key).startswith(key)]
    files[0].set_value((name, content, "text/csv"))
    return at.run()


def name_field(at):
    return at.text_input(key=f"data.name.{edition(at, 'mapping')}")


def role(at, row: int, **cells):
    at.session_state[f"data.mapping.{edition(at, 'mapping')}"] = {
        "edited_rows": {row: cells},
        "added_rows": [],
        "deleted_rows": [],
    }
    return at.run()


def test_without_a_project_a_file_can_be_dropped(screen):
    at = screen("data")
    assert is_sound(at)
    assert "No project is open" in texts(at)
    assert len(at.get("file_uploader")) == 1
    assert at.button(key="go.start")


def test_project_without_data_asks_for_a_file(screen, home):
    folder = worlds.project()
    (folder / "data.parquet").unlink()
    at = screen("data", worlds.MARKET)
    assert is_sound(at)
    assert "No data yet" in texts(at)
    upload(at, CSV)
    assert "not saved yet" in texts(at)
    at.button(key="data.accept").click().run()
    assert projects.data_file(folder, load_project(folder)).is_file()


def reasons(at) -> dict[str, str]:
    frame = next(t.value for t in at.dataframe if "why" in t.value.columns)
    return dict(frame[["column", "why"]].to_numpy())


def test_what_is_wrong_stands_in_the_row_that_it_is_about(screen, fitted):
    at = screen("data", worlds.MARKET)
    before = reasons(at)
    assert not any(why.startswith("✕") for why in before.values())
    role(at, 1, channel="")
    assert is_sound(at)
    why = reasons(at)
    assert why["TV_spend"].startswith("✕ Column TV_spend has the role Spend but no")
    assert why["week"] == before["week"] == ""
    at.toggle(key="data.reasons").set_value(True).run()
    assert reasons(at)["week"]
    at.toggle(key="data.reasons").set_value(False).run()
    role(at, 1, channel="TV")
    assert reasons(at) == before


def test_a_new_table_is_accepted_and_fitted_in_one_step(screen, home, monkeypatch):
    submitted = []
    monkeypatch.setattr(runs.executor, "submit", submitted.append)
    at = upload(screen("data"), CSV)
    at.button(key="data.accept_fit").click().run()
    assert is_sound(at)
    assert at.title[0].value == "Fit"
    [run] = submitted
    assert run.parents[1].name == "Sales"


def test_errors_in_a_new_table_leave_nothing_to_fit(screen, home):
    at = upload(screen("data"), CSV.replace(b"2021-01-04", b"someday"))
    assert at.button(key="data.accept_fit").disabled


def test_loaded_data_get_a_verdict_and_charts(screen, home):
    worlds.project()
    at = screen("data", worlds.MARKET)
    assert is_sound(at)
    assert "Good enough for a fit" in texts(at)
    assert "156 weeks · national · 6 channels · 1 control" in texts(at)
    assert len(at.get("plotly_chart")) == 2
    assert at.button(key="data.accept").disabled


@pytest.mark.parametrize("choice", ["Spend", "Share", "Correlation", "Demand"])
def test_second_chart_can_be_chosen(screen, home, choice):
    worlds.project()
    at = screen("data", worlds.MARKET)
    at.segmented_control(key="data.chart").set_value(choice).run()
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 2


def test_findings_that_block_are_told_with_their_remedy(screen, home):
    frame = worlds.table()
    frame["TV_spend"] = frame["TV_spend"].astype(str)
    frame.loc[4, "TV_spend"] = "n/a?"
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("data", worlds.MARKET)
    assert is_sound(at)
    assert "1 error blocks a fit" in texts(at)
    assert "TV_spend" in texts(at)


def test_new_file_becomes_a_project_when_it_is_accepted(screen, home):
    at = upload(screen("data"), CSV, "my_sales 2024.csv")
    assert is_sound(at)
    assert "not saved yet" in texts(at)
    assert name_field(at).value == "My sales 2024"
    assert not (home / "projects").exists()
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    project = load_project(home / "projects" / "My sales 2024")
    assert [c.name for c in project.mapping.of_kind("media")] == list(
        worlds.synthetic.PAID
    )
    assert at.query_params["project"] == "My sales 2024"


@pytest.mark.parametrize(
    "name",
    ["Taken", "../x", "<b>", "Sales 🎉", "\u202eSales", " "],
)
def test_a_name_that_cannot_be_is_refused_below_it(screen, home, name):
    worlds.project("Taken")
    at = upload(screen("data"), CSV)
    name_field(at).set_value(name).run()
    assert is_sound(at)
    assert len(at.error) == 1
    kinds = [element.type for element in at.main]
    assert kinds.index("error") < kinds.index("plotly_chart")
    assert at.button(key="data.accept").disabled
    assert at.button(key="data.accept_fit").disabled
    assert [p.name for p in (home / "projects").iterdir()] == ["Taken"]
    name_field(at).set_value("Sales").run()
    assert not at.error
    at.button(key="data.accept").click().run()
    assert (home / "projects" / "Sales").is_dir()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"week,revenue\n", "no rows"),
        (bytes(range(256)) * 30, "bad.csv"),
        (b"week,revenue,revenue\n2024-01-01,1,2\n", "revenue"),
    ],
)
def test_bad_file_is_explained_and_changes_nothing(screen, fitted, content, said):
    at = screen("data", worlds.MARKET)
    before = projects.project_sha256(fitted)
    upload(at, content, "bad.csv", "data.replace")
    assert is_sound(at)
    assert said in at.error[0].value.replace("\\", "")
    assert projects.project_sha256(fitted) == before
    assert "156 weeks" in texts(at)


def test_a_file_that_takes_periods_away_is_a_warning(screen, fitted):
    at = screen("data", worlds.MARKET)
    table = worlds.table()
    upload(at, table[60:].to_csv(index=False).encode(), "late.csv", "data.replace")
    assert is_sound(at)
    said = texts(at).replace("\\", "")
    assert "60 dates that the project had" in said
    assert "are not in the new files, which replace its table" in said
    assert "New rows on History" in said
    at.button(key="data.discard").click().run()
    upload(at, table.to_csv(index=False).encode(), "same.csv", "data.replace")
    assert "that the project had" not in texts(at)


def test_file_whose_roles_cannot_be_guessed_can_be_mapped_by_hand(screen, home):
    content = b"a,b,c\n" + b"".join(b"2024-01-0%d,%d,x\n" % (i, i) for i in range(1, 9))
    at = upload(screen("data"), content)
    assert is_sound(at)
    assert "blocks a fit" in texts(at) or "block a fit" in texts(at)
    assert at.button(key="data.accept").disabled


def test_edited_role_can_be_accepted_or_discarded(screen, fitted):
    at = screen("data", worlds.MARKET)
    row = list(worlds.table().columns).index("temperature")
    role(at, row, role="Ignore")
    assert not at.button(key="data.accept").disabled
    at.button(key="data.discard").click().run()
    assert at.button(key="data.accept").disabled
    role(at, row, role="Ignore")
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    assert load_project(fitted).mapping.controls == ()
    assert "out of date" in "".join(x.proto.label for x in at.get("page_link"))


def test_roles_that_contradict_each_other_are_explained(screen, fitted):
    at = screen("data", worlds.MARKET)
    role(at, 0, role="Ignore")
    assert is_sound(at)
    assert "mapped as the time" in texts(at)
    assert at.button(key="data.accept").disabled
    role(at, 0, role="Media")
    assert "has the role Media but no channel" in texts(at)


def test_replaced_file_keeps_the_project_until_it_is_accepted(screen, fitted):
    at = screen("data", worlds.MARKET)
    before = (fitted / "data.parquet").read_bytes()
    upload(at, worlds.table(120).to_csv(index=False).encode(), "new.csv", "data.rep")
    assert "new.csv is not saved yet" in texts(at)
    assert (fitted / "data.parquet").read_bytes() == before
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    assert "120 weeks" in texts(at)


def test_a_replaced_file_keeps_the_roles_that_were_chosen(screen, fitted):
    project = load_project(fitted)
    names = {"Print": "Press", "Social": "Social", "Newsletter": "Newsletter"}
    channels = tuple(
        replace(each, name=names[each.name])
        for each in project.mapping.channels
        if each.name in names  # others are left out
    )
    mapping = replace(project.mapping, channels=channels, controls=())
    save_project(
        fitted, replace(project, mapping=mapping, spec=aligned(project.spec, mapping))
    )
    assert load_project(fitted).mapping == mapping
    newer = worlds.table(120).assign(Podcast_spend=worlds.table(120, 7)["TV_spend"])
    at = screen("data", worlds.MARKET)
    upload(at, newer.to_csv(index=False).encode(), "new.csv", "data.replace")
    assert "new.csv is not saved yet" in texts(at)
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    after = load_project(fitted).mapping
    *same, new = sorted(after.channels, key=lambda each: each.spend == "Podcast_spend")
    assert {each.name: each for each in same} == {each.name: each for each in channels}
    assert new.spend == "Podcast_spend"
    assert replace(after, channels=channels) == mapping


def other_currency(folder):
    """Somebody else saves the project."""
    save_project(folder, replace(load_project(folder), currency="CHF"))


def test_a_draft_survives_an_edit_in_another_window(screen, fitted):
    at = screen("data", worlds.MARKET)
    row = list(worlds.table().columns).index("temperature")
    other_currency(fitted)
    role(at, row, role="Ignore")
    assert is_sound(at)
    assert "Another window changed this project: currency. Your draft is" in texts(at)
    at.button(key="data.accept").click().run()
    assert load_project(fitted).mapping.controls == ("temperature",)
    at.button(key="meanwhile.mine").click().run()
    assert is_sound(at)
    project = load_project(fitted)
    assert (project.currency, project.mapping.controls) == ("CHF", ())


def test_the_project_chooses_how_numbers_are_written(screen, fitted):
    at = screen("data", worlds.MARKET)
    (choice,) = [box for box in at.selectbox if str(box.key).startswith("data.locale")]
    assert choice.value == "en" and any("Mio." in shown for shown in choice.options)
    choice.set_value("de").run()
    at.button(key="data.accept").click().run()
    assert is_sound(at) and load_project(fitted).locale == "de"
    shown = screen("channels", worlds.MARKET)
    assert is_sound(shown)
    assert ",0 Mio." in shown.metric[0].value or "," in shown.metric[1].value
    assert "." not in shown.metric[2].value


def test_a_new_table_asks_before_it_replaces_an_edit(screen, fitted):
    at = screen("data", worlds.MARKET)
    upload(at, worlds.table(120).to_csv(index=False).encode(), "new.csv", "data.rep")
    other_currency(fitted)
    at.button(key="data.accept").click().run()
    assert "was changed meanwhile in another window: currency" in texts(at)
    assert load_project(fitted).currency == "CHF"
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    assert "120 weeks" in texts(at)


def test_damaged_project_is_explained(screen, home):
    folder = worlds.project()
    path = folder / "project.toml"
    path.write_text(path.read_text()[:300])
    for name in ("data", "model", "fit", "channels", "plan", "report"):
        at = screen(name, worlds.MARKET)
        assert is_sound(at)
        assert "project.toml" in at.error[0].value.replace("\\", "")


def test_unknown_key_is_named(screen, home):
    folder = worlds.project()
    with open(folder / "project.toml", "a") as file:
        file.write("\n[modle]\nknots = 3\n")
    at = screen("model", worlds.MARKET)
    assert is_sound(at)
    assert "modle" in at.error[0].value


def test_hostile_names_are_shown_as_typed(screen, home):
    frame = worlds.table()
    names = dict(zip(worlds.synthetic.PAID, worlds.synthetic.HOSTILE[:4], strict=True))
    columns = {}
    for column in frame.columns:
        for old, new in names.items():
            if column.startswith(f"{old}_"):
                columns[column] = column.replace(old, new)
    at = upload(
        screen("data"), frame.rename(columns=columns).to_csv(index=False).encode()
    )
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 2


def test_each_channel_has_a_probability_of_following_demand(screen, home):
    worlds.project()
    at = screen("data", worlds.MARKET)
    at.segmented_control(key="data.chart").set_value("Demand").run()
    assert is_sound(at)
    for name in worlds.synthetic.PAID:
        assert f"{name} follows demand with a probability of" in texts(at)
    at.selectbox(key="data.demand").set_value("TV").run()
    assert is_sound(at)


class Line:
    """What is said while a file is read, kept."""

    def __init__(self):
        self.said = []

    def caption(self, text):
        self.said.append(text.replace("\\", ""))


@pytest.mark.parametrize("is_drawn", [False, True])
def test_a_file_that_takes_long_says_so_and_leaves_nothing_behind(
    screen, home, monkeypatch, is_drawn
):
    from core.data.files.isolated import Look
    from pages.upload import file_reading

    line = Line()

    def slow(content, filename, *, watch, part=None):
        for seconds in (0.2, 2.0, 3.0):
            watch(Look(seconds, 300 * 1024**2))
        raise SchemaError(f"{filename} takes longer than 60 seconds to read.")

    monkeypatch.setattr(file_reading, "sent", slow)
    if not is_drawn:
        draw = file_reading.Progress
        monkeypatch.setattr(draw, "_draw", lambda self: setattr(self, "_line", line))
    at = upload(screen("data"), b"a,b\n1,2\n", "slow.csv")
    assert is_sound(at)
    assert "takes longer than 60 seconds" in texts(at)
    assert not [button for button in at.button if button.key.endswith(".stop")]
    assert "Reading" not in texts(at)
    seconds = [] if is_drawn else ["2", "3"]
    assert line.said == [f"Reading slow.csv: {each}\u00a0s" for each in seconds]


def scaled_table():
    """Spend in units of its own beside a KPI whose name says nothing, and events."""
    n = 110
    days = np.datetime_as_string(np.datetime64("2022-01-03") + 7 * np.arange(n))
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"date": days, "y": 5e5 + 1e5 * rng.random(n)})
    frame["x1"], frame["x2"] = rng.random(n).round(3), rng.random(n).round(3)
    frame["events"] = np.where(np.arange(n) % 30 == 7, "sale", "na")
    return frame.to_csv(index=False).encode()


def test_what_the_table_does_not_say_is_asked_and_remembered(screen, home):
    at = upload(screen("data"), scaled_table(), "mine.csv")
    assert is_sound(at)
    said = texts(at)
    assert "The KPI y is money. A guess:" in said
    assert "cannot be the same money" in said
    spend = next(box for box in at.selectbox if box.label == "Spend is")
    assert spend.value is None
    at.button(key="data.spend_unit.is.other").click().run()
    assert "cannot be the same money" not in texts(at)
    assert "on their share of y" in texts(at)
    events = next(box for box in at.multiselect if box.label == "Events")
    events.set_value(["events"]).run()
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    project = load_project(home / "projects" / "Mine")
    assert project.mapping.spend_unit == "other"
    assert project.currency == ""
    assert {event.name for event in project.spec.events} == {"sale"}
    assert len(project.spec.events) == 4


def days_first(frame):
    """The table with its dates as DD/MM/YYYY."""
    days = pd.to_datetime(frame["week"]).dt.strftime("%d/%m/%Y")
    return frame.assign(week=days)


def test_days_before_months_are_read_as_the_fit_reads_them(screen, home):
    frame = days_first(worlds.table())
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("data", worlds.MARKET)
    assert is_sound(at)
    assert "156 weeks" in texts(at)
    figure = json.loads(at.get("plotly_chart")[0].proto.spec)
    dates = [str(day)[:10] for day in figure["data"][0]["x"]]
    assert (len(dates), dates[0], dates[1]) == (156, "2021-01-04", "2021-01-11")


def test_week_numbers_are_counted(screen, home):
    frame = worlds.table(52)
    frame["week"] = [f"KW {week:02}/2022" for week in range(1, 53)]
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("data", worlds.MARKET)
    assert "52 weeks" in texts(at)


def test_what_a_number_means_is_asked_and_the_answer_is_kept(screen, home):
    frame = worlds.table()
    frame["TV_spend"] = [f"{1 + at % 90},{100 + at:03}" for at in range(len(frame))]
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("data", worlds.MARKET)
    assert is_sound(at)
    assert "1 column can be read in more than one way" in texts(at)
    key = f"data.ask.TV_spend.{edition(at, 'mapping')}"
    assert at.selectbox(key=key).value is None
    at.selectbox(key=key).set_value(",").run()
    assert is_sound(at)
    at.button(key="data.accept").click().run()
    saved = load_project(home / "projects" / worlds.MARKET)
    assert saved.mapping.decimal == (("TV_spend", ","),)
    assert "error" not in texts(at)


def test_a_lone_k_is_one_question_with_two_buttons(screen, home):
    frame = worlds.table().rename(columns={"revenue": "Sales (k)"})
    at = upload(screen("data"), frame.to_csv(index=False).encode(), "market.csv")
    assert is_sound(at)
    key = f"data.ask.Sales (k).{edition(at, 'mapping')}"
    asked = at.segmented_control(key=key)
    assert asked.label == "Is Sales (k) in thousands?"
    assert asked.value == "in thousands"
    assert "in thousands" in texts(at)
    asked.set_value("in whole units").run()
    assert is_sound(at)
    at.button(key="data.accept").click().run()
    (folder,) = (home / "projects").iterdir()
    assert load_project(folder).mapping.whole_units == ("Sales (k)",)
    key = f"data.ask.Sales (k).{edition(at, 'mapping')}"
    assert at.segmented_control(key=key).value == "in whole units"
    assert "are in thousands" not in texts(at)


@pytest.mark.parametrize("columns", ["location,date,Y", "location,date,Y,spend"])
def test_rows_of_a_geo_test_are_no_market_and_say_what_they_are(screen, home, columns):
    days = pd.date_range("2026-01-01", periods=40).astype(str)
    lines = [
        f"{geo},{day},{100 + at},{at % 9}"
        for geo in ("north", "south", "east")
        for at, day in enumerate(days)
    ]
    width = columns.count(",") + 1
    lines = [",".join(line.split(",")[:width]) for line in lines]
    at = upload(screen("data"), "\n".join([columns, *lines]).encode(), "test.csv")
    assert is_sound(at)
    assert "1 error blocks a fit" in texts(at)
    said = texts(at).replace("\\", "")
    assert "has no media" in said
    assert "core tests read" in said
    assert "0 channels" in said
    assert len(at.get("plotly_chart")) == 1  # of the KPI: there is no spend to draw


def test_date_numbers_count_from_1900_until_1904_is_chosen(screen, home):
    frame = worlds.table()
    frame["week"] = range(42759, 42759 + 7 * len(frame), 7)
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("data", worlds.MARKET)
    assert is_sound(at)
    assert "can be read in more than one way" not in texts(at)
    assert at.button(key="data.accept").disabled
    key = f"data.ask.week.{edition(at, 'mapping')}"
    assert at.selectbox(key=key).value == "1900"
    assert "24 Jan 2017" in texts(at)
    at.selectbox(key=key).set_value("1904").run()
    assert is_sound(at)
    at.button(key="data.accept").click().run()
    folder = home / "projects" / worlds.MARKET
    assert load_project(folder).mapping.dates == "1904"
    assert at.button(key="data.accept").disabled
    assert "date numbers" not in texts(at)
    key = f"data.ask.week.{edition(at, 'mapping')}"
    assert at.selectbox(key=key).value == "1904"
    at.selectbox(key=key).set_value("1900").run()
    at.button(key="data.accept").click().run()
    assert load_project(folder).mapping.dates is None


def test_many_warnings_are_three_and_a_line(screen, home):
    """The data are judged at a glance, and charts stay in sight."""
    frame = worlds.table()
    for row, name in enumerate(worlds.synthetic.PAID):
        frame.loc[10 + row, f"{name}_impressions"] = 0.0
        frame.loc[20 + row, f"{name}_impressions"] /= 100
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("data", worlds.MARKET)
    assert is_sound(at)
    assert "Good enough for a fit, with 8 warnings" in texts(at)
    [more] = [each for each in at.expander if "more" in each.label]
    assert more.label.startswith("5 more warnings")
    shown = [text for text in at.markdown if ":material/warning:" in text.value]
    inside = [text for text in more.markdown if ":material/warning:" in text.value]
    assert len(inside) == 5 and len(shown) == 8 + 1  # with the verdict


def test_dates_in_findings_are_written_as_everywhere():
    said = findings.said(
        'TV has spend in 2 weeks (2017-07-09), "2017-07-09", 2017-19-39'
    )
    assert said == 'TV has spend in 2 weeks (9 Jul 2017), "2017-07-09", 2017-19-39'
    with fmt.written_in("de"):
        assert findings.said("on 2017-07-09") == "on 9. Jul 2017"


def remedy(at, label):
    """The button of a remedy whose label begins so."""
    return next(
        button
        for button in at.button
        if str(button.key).startswith("data.remedy") and button.label.startswith(label)
    )


def test_findings_that_a_role_can_fix_have_their_button(screen, home):
    frame = worlds.table().assign(TV_impressions=0.0)
    by_geo = pd.concat([frame.assign(region=name) for name in ("North", "South")])
    content = by_geo.to_csv(index=False).encode()
    at = upload(screen("data"), content)
    name_field(at).set_value("My market").run()
    assert "has the same number in every geo" in texts(at)
    assert "spend_level" not in texts(at)
    remedy(at, "Count ").click().run()
    assert is_sound(at)
    assert "has the same number in every geo" not in texts(at)
    assert "never ran" in texts(at)
    remedy(at, "Leave out ").click().run()
    assert is_sound(at)
    assert "never ran" not in texts(at)
    assert name_field(at).value == "My market"
    at.button(key="data.accept").click().run()
    mapping = load_project(home / "projects" / "My market").mapping
    assert "TV" not in [channel.name for channel in mapping.channels]
    levels = {channel.spend_level for channel in mapping.channels if channel.spend}
    assert levels == {"time"}


def test_a_finding_of_a_saved_table_has_its_button_too(screen, home):
    frame = worlds.table().assign(TV_impressions=0.0)
    worlds.create_project(worlds.MARKET, frame, worlds.mapping())
    at = screen("data", worlds.MARKET)
    assert is_sound(at) and "never ran" in texts(at)
    (button,) = [b for b in at.button if str(b.key).startswith("data.remedy")]
    assert button.label == "Leave out TV"
    button.click().run()
    assert is_sound(at) and "never ran" not in texts(at)
    at.button(key="data.discard").click().run()
    assert is_sound(at) and "never ran" in texts(at)
    remedy(at, "Leave out TV").click().run()
    at.button(key="data.accept").click().run()
    assert is_sound(at)
    mapping = load_project(home / "projects" / worlds.MARKET).mapping
    assert "TV" not in [channel.name for channel in mapping.channels]


@pytest.mark.parametrize(
    ("where", "message", "roles"),
    [
        (
            "channel TV, control Radio_grps",
            "Channel TV and control Radio_grps say the same (correlation 1.0000).",
            [("TV_imp", "Ignore", None), ("Radio_grps", "Ignore", None)],
        ),
        (
            "channel TV, channel Radio",
            "Channel Radio spends 1.19 times what channel TV does in every period: "
            "the same money twice, such as with and without tax or fees.",
            [("TV_imp", "Ignore", None)],
        ),
        (
            "channel TV",
            "Channel TV spends what all other channels spend together, so it is "
            "their sum and counts twice.",
            [("TV_imp", "Ignore", None)],
        ),
        (
            "column Radio_grps",
            "Control Radio_grps is something that media move: as a control it takes "
            "the credit of media, whose return then looks too small.",
            [("Radio_grps", "Ignore", None)],
        ),
        (
            "column Cinema_cost",
            "Column Cinema_cost holds 12,000 of spend, 3\u00a0% of all, and no channel "
            "uses it: what it brought is credited to others.",
            [("Cinema_cost", "Spend", "Cinema")],
        ),
        (
            "column Cinema_cost",
            "Column Cinema_cost is 1.19 times TV_imp in every row: the same spend, "
            "such as with and without tax or fees. TV_imp is used.",
            [("Cinema_cost", "Spend", "TV"), ("TV_imp", "Ignore", None)],
        ),
    ],
)
def test_what_a_role_fixes_is_offered(where, message, roles):
    rows = pd.DataFrame(
        {
            "column": ["TV_imp", "Radio_grps", "Cinema_cost"],
            "role": ["Media", "Control", "Ignore"],
            "channel": ["TV", None, None],
        }
    )
    offered = list(remedies._remedies(Finding("error", where, message, ""), rows))
    assert [role for remedy in offered for role in remedy.roles] == roles


def test_a_table_without_media_has_no_chart_of_spend(screen, home):
    frame = worlds.table()[["week", "revenue", "temperature"]]
    at = upload(screen("data"), frame.to_csv(index=False).encode())
    assert is_sound(at)
    assert len(at.get("plotly_chart")) == 1
    assert "data.chart" not in [str(each.key) for each in at.segmented_control]


def test_findings_are_worked_out_again_where_a_mediator_costs_money(monkeypatch):
    frame, keys = worlds.table(), []
    monkeypatch.setattr(draft, "spec_for", lambda *_: None)
    seen = lambda *asked: keys.append(draft._about(*asked)) or ()  # noqa: E731
    monkeypatch.setattr(draft, "_findings", seen)
    for own in (frame, frame.iloc[:, :-1]):
        project = SimpleNamespace(own_table=lambda _, own=own: own)
        here = SimpleNamespace(project=project)
        draft.findings(draft.Source(frame, frame, "digest", here), None)
    assert keys[0] != keys[1]
